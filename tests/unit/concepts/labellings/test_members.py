"""Members in place of labellings: drawn by prior and mistakes, the best one found, and what a dimension may count."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privpac import Schema, Size, Stumps, Thresholds, Unions, intervals
from privpac.coins import SeededCoins, law
from privpac.concepts.base import ConceptClass, Hypothesis
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.finite import Finite
from privpac.concepts.labellings.base import dimension, members_from, with_dichotomies
from privpac.concepts.labellings.members import MemberDichotomies, voted_on
from privpac.concepts.linear.halfspaces import Scorecards
from privpac.concepts.literals.conjunctions import Conjunctions, Disjunctions
from privpac.concepts.trees.lists import DecisionLists
from privpac.concepts.trees.parts import OneTest
from privpac.concepts.trees.trees import Trees
from privpac.data.engines.memory import MemorySample
from privpac.theory.vc import growth

SCHEMA = Schema.from_json(
    {
        "label": "y",
        "columns": [
            {"name": name, "kind": "numeric", "lower": 0, "upper": 3, "integer": True} for name in "abc"
        ],
    }
)

CLASSES: dict[str, ConceptClass] = {
    "trees": Trees(SCHEMA, 2, threads=1),
    "lists": DecisionLists(SCHEMA, 2, threads=1),
    "lists that may stop": DecisionLists(SCHEMA, 2, stop=Fraction(1, 3), threads=1),
    "conjunctions": Conjunctions(SCHEMA, 2),
    "disjunctions": Disjunctions(SCHEMA, 2),
    "one test": OneTest(SCHEMA),
    "scorecards": Scorecards(SCHEMA, 2, levels=4),
    "boxes": Rectangles(SCHEMA, ("a", "b", "c")),
    "unions": Unions(SCHEMA, "a", 2),
}


def sample(n: int, seed: int, *, noise: float = 0.1) -> MemorySample:
    rng = np.random.default_rng(seed)
    cells = {name: rng.integers(0, 4, n) for name in "abc"}
    labels = ((cells["a"] >= 2) & (cells["b"] >= 1)) ^ (rng.random(n) < noise)
    return MemorySample.from_cells(SCHEMA, cells, labels.astype(np.uint8))


def mistakes(rule: Hypothesis, records: MemorySample) -> int:
    block = records.block()
    assert block.labels is not None
    return int((rule.predict(block.cells) != block.labels).sum())


def functions(found: dict[Any, Fraction]) -> dict[bytes, Fraction]:
    """Probabilities by what a rule says of every cell."""
    grid = np.stack(np.meshgrid(*[np.arange(4)] * 3, indexing="ij")).reshape(3, -1)
    cells = dict(zip("abc", grid, strict=True))
    total: dict[bytes, Fraction] = defaultdict(Fraction)
    for rule, mass in found.items():
        total[rule.predict(cells).tobytes()] += mass
    return total


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("n", [1, 40])
def test_the_cheapest_member_makes_the_fewest_mistakes(name: str, n: int) -> None:
    """Against many draws at a steep ratio, none of which may be better."""
    concepts = CLASSES[name]
    for seed in range(4):
        records = sample(n, seed)
        prices = MemberDichotomies(concepts).mistakes(records)
        best = mistakes(prices.cheapest(), records)
        drawn = [prices.draw(Fraction(1, 1000), SeededCoins(seed * 100 + k)) for k in range(20)]
        assert best <= min(mistakes(rule, records) for rule in drawn)
        assert prices.cheapest() == prices.cheapest()


@pytest.mark.parametrize("name", ["trees", "lists"])
def test_the_cheapest_tree_is_best_of_all(name: str) -> None:
    """Against the least score of the whole class, which the sums know."""
    concepts: Any = CLASSES[name]
    for seed in range(6):
        records = sample(60, seed, noise=0.3)
        evidence = records.reduce(concepts.statistic)
        least = concepts.law(evidence, ratio=Fraction(1, 2), costs=(1, 1)).total[0]
        assert mistakes(MemberDichotomies(concepts).mistakes(records).cheapest(), records) == least


@pytest.mark.parametrize(
    "concepts", [Unions(SCHEMA, "a", 2), Trees(SCHEMA, 1, threads=1)], ids=["unions", "trees"]
)
def test_votes_count_the_mistakes_of_voters_alone(concepts: Any) -> None:
    """Weight prior · ratio^(unit · mistakes); neither the kept points nor their labels change it."""
    rest, ratio = sample(3, 5), Fraction(1, 2)
    laws = []
    for kept in (sample(2, 1), sample(3, 2)):
        prices = voted_on(concepts, kept).relabelling(kept, rest, change=7, mistake=3)
        laws.append(law(lambda coins: prices.draw(ratio, coins)))  # noqa: B023
    assert laws[0] == laws[1]
    plain = law(lambda coins: MemberDichotomies(concepts).mistakes(rest).draw(ratio**3, coins))
    assert functions(laws[0]) == functions(plain)


def test_labels_are_those_of_the_member() -> None:
    kept = sample(5, 1)
    found = with_dichotomies(CLASSES["trees"], owner="test").dichotomies(kept)
    rule = found.mistakes(kept).draw(Fraction(1, 2), SeededCoins(1))
    assert found.member(rule) is rule
    assert np.array_equal(found.labels(rule, kept.block().cells), rule.predict(kept.block().cells))


# --- dimensions that count ---


def wide(bits: int) -> Schema:
    column = {"name": "a", "kind": "numeric", "lower": 0, "upper": 2**bits - 1, "integer": True}
    return Schema.from_json({"label": "y", "columns": [column]})


@pytest.mark.parametrize("points", [1, 2, 3, 7, 20, 100, 1000])
@pytest.mark.parametrize(
    "concepts",
    [
        Thresholds(wide(20), "a"),
        Thresholds(wide(2), "a", "either"),
        intervals(wide(3), "a"),
        Unions(wide(16), "a", 3),
        Stumps(wide(10)),
        Finite.of_matrix(wide(4), "a", np.random.default_rng(1).integers(0, 2, (300, 16))),
        *CLASSES.values(),
    ],
    ids=lambda value: getattr(value, "word", str(value)),
)
def test_a_dimension_counts_labellings_and_candidates(concepts: ConceptClass, points: int) -> None:
    plain = dimension(concepts, counted=points)
    assert plain is not None
    assert concepts.vc is not None
    assert 1 <= plain <= max(1, concepts.vc)
    for more in (points, points + 1, 2 * points, 1000 * points):
        known = min(growth(more, vc=concepts.vc), concepts.size or 2**2000)
        assert growth(more, vc=plain) >= min(known, 2**more)
    for voted in (False, True):
        drawn = dimension(concepts, counted=points, drawn=points, voted=voted)
        first = members_from(concepts, voted=voted)
        if first is None or points < first:
            assert drawn == plain
        elif drawn is None:
            assert 2**points < concepts.odds + 1
        else:
            assert drawn >= plain
            assert growth(points, vc=drawn) >= concepts.odds + 1


def test_a_small_class_counts_for_less_than_its_dimension() -> None:
    rows = np.unique(np.random.default_rng(1).integers(0, 2, (10_000, 256)), axis=0)
    concepts = Finite.of_matrix(wide(8), "a", rows)
    assert concepts.vc == 13
    assert dimension(concepts, counted=500, drawn=500) == 2
    assert dimension(concepts, counted=5, drawn=5) == 13


def test_boxes_are_drawn_themselves_where_their_labellings_take_too_long() -> None:
    columns = [
        {"name": name, "kind": "numeric", "lower": 0, "upper": cells - 1, "integer": True}
        for name, cells in (("a", 2**16), ("b", 2**8))
    ]
    plane = Rectangles(Schema.from_json({"label": "y", "columns": columns}), ("a", "b"))
    first = members_from(plane)
    assert first is not None
    plane.require_listed(first - 1)
    plane.require_listed(first)
    few, many = (dimension(plane, counted=points, drawn=points) for points in (first - 1, first))
    assert few == 4
    assert many is not None
    assert growth(first, vc=many) >= plane.size
    assert members_from(plane, voted=True) == 0
    assert members_from(Rectangles(SCHEMA, ("a", "b"))) is None


def test_what_is_promised_follows_the_dimension_that_counts() -> None:
    """A class of as many members with a larger prior for some is promised less, and no class more than it may be."""
    from privpac.constructions.stable.stable import Stable

    even = Trees(SCHEMA, 2, threads=1)
    uneven = replace(even, weights=(10**6, *(1,) * (len(even.tests.tests) - 1)))
    errors = [
        Stable(concepts, 500, Fraction(1)).certify(Size(5000)).accuracy[0].fact.error
        for concepts in (even, uneven)
    ]
    assert errors[0] < errors[1]
