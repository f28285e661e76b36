"""One value of a valid document replaced by anything, with a new digest: refused or accepted, and never slow.

What is tried is a fixed sample of places and values for every kind of document; any other exception than `NotCertified`
fails the test.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest

from privpac import NotCertified, Schema, learn
from privpac.checker.document import digest
from privpac.concepts.base import ConceptClass
from privpac.concepts.finite import Finite
from privpac.concepts.line.cuts import Cuts
from privpac.concepts.line.unions import Unions
from privpac.concepts.linear.centred import CentredHalfspaces
from privpac.concepts.linear.halfspaces import Halfspaces
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.trees import Trees
from privpac.data.columns import Categorical, Numeric
from privpac.sanitising import release_table
from privpac.verification import verify_document
from tests.unit.limits import within
from tests.unit.test_verification import edited, places

SECONDS = 4
"""Of processor time for one look; honest documents take some hundredths."""

TRIED = 60
"""Changes to a document."""

SCHEMA = Schema(
    (
        Numeric("a", lower=0, upper=15, integer=True),
        Numeric("b", lower=0.0, upper=1.0, resolution=16),
        Categorical("c", ("u", "v", "w")),
    ),
    label="y",
    classes=("no", "yes"),
)
WIDE = Schema((Numeric("k", lower=0, upper=2**20, integer=True),), label="y", classes=("no", "yes"))
N = 80
TABLE = {
    "a": [i % 16 for i in range(N)],
    "b": [7 * i % 16 / 16 for i in range(N)],
    "c": ["u", "v", "w", "u"] * (N // 4),
}
LABELS = ["yes" if i % 16 > 7 else "no" for i in range(N)]
MORE = {"a": [i % 16 for i in range(900)], "b": [0.5] * 900, "c": ["u"] * 900}

JUNK: tuple[Any, ...] = (
    *(0, -1, 2, 10**6, 10**9, 10**12, 10**18, 10**30, 10**4000, 1.5, 2.0, 1e300, True, None),
    *(
        "x",
        "",
        "0",
        "-1",
        "1000000",
        "1000000000000",
        "1/3",
        "1/1000000000000",
        "1" + "0" * 4000,
        "0.5",
        "1e9",
        "²",
    ),
    *("1/1" + "0" * 4000, "9" * 5000, [], {}, [[1]], {"a": 1}),
)

GIVEN: tuple[str | ConceptClass, ...] = (
    *("points:a", "points:a:clipped", "points:a:gibbs", "points:a:keyed", "thresholds:a", "intervals:a"),
    *("unions:a:2", "rectangles:a,b", "generated:a:2", "switches:a:1", "reference:a", "stumps", "trees:2"),
    *(
        "lists:2",
        "conjunctions:2",
        "disjunctions:1",
        "scorecards:1",
        "halfspaces:a,b",
        "one-test",
    ),
    Finite(SCHEMA, ["a >= 8", "b < 0.5 and c == 'u'"], [1, 2]),
    TreeMixture((Trees(SCHEMA, 1), Trees(SCHEMA, 2, stop=Fraction(1, 2))), (1, 2)),
    Cuts(SCHEMA, "a", count=4),
    Unions(SCHEMA, "a", 3),
    CentredHalfspaces(SCHEMA, ("a", "b")),
    Halfspaces(SCHEMA, ("a", "b"), ((1, 2), (1, -1))),
)
LABEL_WORDS = ("thresholds:a", "rectangles:a,b", "points:a", "trees:2", "halfspaces:a,b")


def wishes() -> Iterator[tuple[str, dict[str, Any]]]:
    for concepts in GIVEN:
        name = concepts if isinstance(concepts, str) else type(concepts).__name__
        yield name, {"concepts": concepts}
    for word in LABEL_WORDS:
        yield f"{word} labels", {"concepts": word, "protect": "labels"}
    for method in ("plain", "generic", "boost", "relabel"):
        yield f"few {method}", {"concepts": "thresholds:a", "unlabelled": MORE, "method": method}
    yield "recconcave", {"concepts": "recconcave:a", "delta": "0.000001"}
    yield "blocks", {"concepts": "blocks:a", "delta": "0.000001"}
    extras = {"estimate_epsilon": 1, "leaf_epsilon": 1, "holdout": "0.25", "records_per_person": 2}
    yield "extras", {"concepts": "trees:1", **extras}
    yield "costs", {"concepts": "thresholds:a", "costs": (1, 3), "estimate_epsilon": 1}


def look(made: Any, name: str) -> None:
    tree: dict[str, Any] = json.loads(json.dumps(made.to_json()))
    with within(SECONDS):
        assert verify_document(tree).rebuilt
    chance = random.Random(name)
    spots = [path for path in places(tree) if path[0] not in ("digest", "format")]
    asked = {("certificate", "request"), ("certificate", "labelled"), ("certificate", "unlabelled")}
    numbers = [path for path in spots if path[:2] in asked]
    for turn in range(TRIED):
        path = chance.choice(numbers if turn % 3 == 0 else spots)
        changed = edited(tree, path, chance.choice(JUNK))
        if (
            chance.random() < 0.5
        ):  # then a certificate that cannot be made anew is looked through all the same
            changed["version"] = "0.0.9"
        with within(SECONDS), suppress(NotCertified):
            verify_document({**changed, "digest": digest(changed)})


@pytest.mark.parametrize(
    ("name", "wish"), list(wishes()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_forged_model_is_refused_or_accepted_in_time(name: str, wish: dict[str, Any]) -> None:
    look(learn(TABLE, y=LABELS, schema=SCHEMA, epsilon=4, random_state=1, **wish), name)


@pytest.mark.long_cases(
    "improper",
    "cover",
)
@pytest.mark.parametrize("way", ["improper", "cover", "sampled"])
def test_a_forged_set_is_refused_or_accepted_in_time(way: str) -> None:
    keys = {"k": [i % 2 * 77 for i in range(N)]}
    look(
        learn(keys, y=LABELS, schema=WIDE, epsilon=4, concepts=f"points:k:{way}", random_state=1),
        f"points:{way}",
    )


@pytest.mark.parametrize("method", ["points", "tree", "quantiles", "blr"])
def test_a_forged_table_is_refused_or_accepted_in_time(method: str) -> None:
    columns = ["a", "c"] if method == "points" else "a"
    table = {**TABLE, "y": LABELS}
    made = release_table(table, schema=SCHEMA, columns=columns, epsilon=4, method=method, random_state=1)
    look(made, method)


@pytest.mark.parametrize("branching", [10**12, 10**18])
def test_a_tree_of_counts_cannot_have_any_number_of_children(branching: int) -> None:
    table = {**TABLE, "y": LABELS}
    made = release_table(table, schema=SCHEMA, columns="a", epsilon=40, method="tree", random_state=1)
    tree = json.loads(json.dumps(made.to_json()))
    for path in [path for path in places(tree) if path[-1] == "branching"]:
        changed = edited(tree, path, branching)
        with within(SECONDS), pytest.raises(NotCertified):
            verify_document({**changed, "digest": digest(changed)})
