"""What holds private counts prints none of them: evidence, laws and weights end up in tracebacks and notebooks."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privpac.coins import SeededCoins, Weights
from privpac.concepts.base import ConceptClass
from privpac.concepts.finite import Finite
from privpac.constructions.words import WORDS, Request, learner_for
from privpac.data.columns import Boolean, Categorical, Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.numbers.exact import ratio_for
from privpac.request import LearnRequest
from tests.forms import written_out

SECRET = 7919
"""How many records of one kind there are: no public number contains these digits."""

ADDRESS = re.compile(r" at 0x[0-9a-f]+")
"""Where an object lies in memory: any digits may occur there."""

SCHEMA = Schema(
    (
        Numeric("a", 0, 7, integer=True),
        Numeric("b", 0, 5, integer=True),
        Categorical("kind", ("u", "v", "w")),
        Boolean("flag"),
    ),
    label="y",
)

CONCEPTS = {head: written_out(word.form, "a", "b") for head, word in WORDS.items()} | {
    "thresholds": "thresholds:a:either",
    "points": "points:b",
    "confident": "confident:2:thresholds:a",
}
"""Every word in its form; some in one that shows more, or sooner."""


def sample() -> MemorySample:
    kinds = [(1, 2, 0, 1, 0)] * SECRET + [(5, 4, 2, 0, 1)] * 3 + [(0, 0, 1, 0, 1)]
    table = np.array(kinds, dtype=np.int64)
    cells = {name: table[:, i] for i, name in enumerate(SCHEMA.names)}
    return MemorySample.from_cells(SCHEMA, cells, table[:, -1])


class WatchfulCoins(SeededCoins):
    """Keeps what it is asked to choose from."""

    def __init__(self) -> None:
        super().__init__(1)
        self.seen: list[Weights] = []

    def choose(self, weights: Weights) -> int:
        self.seen.append(weights)
        return super().choose(weights)


def check(concepts: ConceptClass) -> None:
    records = sample()
    evidence: Any = records.reduce(concepts.statistic)
    law: Any = concepts.gibbs(evidence, ratio=ratio_for(Fraction(1, 2)), costs=(1, 1))
    coins = WatchfulCoins()
    law.draw(coins)
    assert coins.seen
    things = [records, records.block(), law, *coins.seen, *_values(law)]
    if not isinstance(evidence, tuple | dict | list | np.ndarray):
        things.append(evidence)
    for thing in things:
        text = ADDRESS.sub("", f"{thing!r} {thing!s}")
        assert str(SECRET) not in text
        assert "array(" not in text


def _values(law: Any) -> list[Any]:
    """What a law holds, as far as it is of this library."""
    held = getattr(law, "__dict__", {}).values()
    return [value for value in held if type(value).__module__.startswith("privpac.")]


@pytest.mark.parametrize("word", sorted(CONCEPTS))
def test_no_law_prints_a_count(word: str) -> None:
    request = Request(SCHEMA, sample().size, LearnRequest(epsilon=Fraction(1), delta=Fraction(1, 1000)))
    check(learner_for(CONCEPTS[word], request).concepts)


def test_no_finite_class_prints_a_count() -> None:
    check(Finite(SCHEMA, ("a >= 3", "b < 2")))
    check(Finite.of_matrix(SCHEMA, "b", np.eye(6, dtype=bool)))
