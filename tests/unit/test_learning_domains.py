"""Columns of one bit to 1,024: what is learnt is stored and verified, what cannot be is refused before any charge."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import Any

import pytest

from privpac import Schema, Size, learn
from privpac.checker.check import check_certificate
from privpac.constructions.points.clipped import ClippedPoints
from privpac.data.columns import Numeric
from privpac.errors import PrivpacError
from privpac.sanitising import release_table
from privpac.verification import verify_document

BITS = (1, 8, 63, 64, 65, 256, 1024)
N = 40

WORDS = (
    *(
        "points:k",
        "points:k:clipped",
        "points:k:sampled",
        "points:k:keyed",
        "thresholds:k",
        "thresholds:k:either",
    ),
    *(
        "intervals:k",
        "unions:k:2",
        "rectangles:k",
        "switches:k:1",
        "generated:k:1",
        "stumps",
        "trees:1",
        "one-test",
    ),
    *("scorecards:1", "recconcave:k", "blocks:k", "card:1"),
)
METHODS = ("points", "tree", "quantiles", "blr")


class Book:
    """A ledger that only remembers whether it was charged."""

    charged = False

    def check(self, **cost: Fraction) -> None: ...

    def charge(self, **cost: object) -> None:
        self.charged = True


def keys(bits: int) -> tuple[Schema, dict[str, list[int]]]:
    column = Numeric("k", lower=0, upper=2**bits - 1, integer=True)
    chance = random.Random(bits)
    values = [chance.randrange(2**bits) for _ in range(N)]
    return Schema((column,), label="y"), {"k": [values[0] if i % 2 else v for i, v in enumerate(values)]}


def verified(made: Any) -> bool:
    return verify_document(json.loads(json.dumps(made.to_json()))).rebuilt


@pytest.mark.long_cases("points:k:sampled-1024")
@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("word", WORDS)
def test_every_length_is_learnt_and_verified_or_refused_before_the_charge(word: str, bits: int) -> None:
    schema, table = keys(bits)
    book: Any = Book()
    delta = "0.000001" if word.startswith(("recconcave", "blocks")) else 0
    wishes: dict[str, Any] = {"schema": schema, "epsilon": "0.5", "delta": delta, "random_state": 1}
    try:
        model = learn(table, y=[i % 2 for i in range(N)], concepts=word, ledger=book, **wishes)
    except PrivpacError:
        assert not book.charged
        assert bits == 1  # only columns of two values are too short for some
        return
    assert verified(model)


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("method", METHODS)
def test_every_length_is_released_and_verified(method: str, bits: int) -> None:
    schema, table = keys(bits)
    made = release_table(
        table, schema=schema, columns="k", epsilon="0.5", method=method, random_state=1, anyway=True
    )
    assert verified(made)


@pytest.mark.parametrize("bits", [128, 256, 512])
def test_the_promise_of_clipped_points_is_checked_for_long_keys(bits: int) -> None:
    """A power of the ratio is multiplied by the size of the domain: neither may vanish in the other."""
    schema, _ = keys(bits)
    learner = ClippedPoints.tuned(schema, "k", epsilon=Fraction(1), size=Size(3000))
    certificate = learner.certify(Size(3000))
    assert certificate.accuracy
    assert check_certificate(certificate.to_json()) > 2


def test_unions_whose_number_cannot_be_written_are_refused() -> None:
    schema, table = keys(1024)
    with pytest.raises(PrivpacError, match="can be written"):
        learn(table, y=[i % 2 for i in range(N)], schema=schema, concepts="unions:k:7", random_state=1)
