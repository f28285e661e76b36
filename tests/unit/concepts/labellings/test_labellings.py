"""Dichotomies against the listing of whole classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from privpac.coins import law
from privpac.concepts.finite import Finite
from privpac.concepts.labellings.base import Dichotomous, Prices, with_dichotomies
from privpac.concepts.line.stumps import Constant, Match, Stumps
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.concepts.line.unions import Union, Unions, interval, intervals
from privpac.concepts.sets.points import Point, Points
from privpac.concepts.trees.trees import Trees
from privpac.data.columns import Categorical, Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.errors import DataError, ParameterError

SCHEMA = Schema(
    (
        Numeric("a", 0, 8, integer=True),
        Numeric("b", 0, 3, integer=True),
        Categorical("kind", ("u", "v", "w")),
    ),
    label="y",
    classes=("0", "1"),
)
PREDICATES = [
    "a >= 3",
    "a >= 3 and kind == 'u'",
    "kind == 'v'",
    "b <= 1",
    "b <= 1 or a == 7",
    "False",
    "a > 2",
]


def _cuts(direction: str) -> list[Any]:
    ups = {"up": (True,), "down": (False,), "either": (True, False)}[direction]
    return [Threshold("a", cut, up) for up in ups for cut in range(10)]


def _stumps() -> list[Any]:
    members: list[Any] = [Constant(0), Constant(1)]
    members += [Threshold("a", cut, up) for cut in range(1, 9) for up in (True, False)]
    members += [Threshold("b", cut, up) for cut in range(1, 4) for up in (True, False)]
    return members + [Match("kind", c, equal) for c in range(3) for equal in (True, False)]


def _subsets(column: str, cells: int, most: int, inside: int) -> list[Any]:
    """Every set of cells that can be written with at most so many intervals."""
    members = []
    for sides in product((0, 1), repeat=cells):
        changes = [i for i in range(cells) if sides[i] != (0, *sides)[i]]
        ends = [*changes, cells]
        ranges = tuple((ends[i], ends[i + 1]) for i in range(0, len(changes), 2))
        members += [Union(column, ranges, inside)] if len(ranges) <= most else []
    return members


def _table() -> Finite:
    rows = np.random.default_rng(5).integers(0, 2, (30, 9))
    return Finite.of_matrix(SCHEMA, "a", rows)


def _members(concepts: Finite) -> list[Any]:
    return [concepts._members.member(i) for i in range(concepts.size)]


CLASSES: dict[str, Callable[[], tuple[Dichotomous, list[Any]]]] = {
    "up": lambda: (Thresholds(SCHEMA, "a"), _cuts("up")),
    "down": lambda: (Thresholds(SCHEMA, "a", "down"), _cuts("down")),
    "either": lambda: (Thresholds(SCHEMA, "a", "either"), _cuts("either")),
    "points": lambda: (Points(SCHEMA, "a"), [Point("a", cell) for cell in range(9)]),
    "points of few cells": lambda: (Points(SCHEMA, "b"), [Point("b", cell) for cell in range(4)]),
    "intervals": lambda: (
        intervals(SCHEMA, "a"),
        [interval("a", i, j) for i in range(9) for j in range(i + 1, 10)] + [interval("a", 0, 0)],
    ),
    "intervals outside": lambda: (
        intervals(SCHEMA, "a", inside=0),
        [interval("a", i, j, 0) for i in range(9) for j in range(i + 1, 10)] + [interval("a", 0, 0, 0)],
    ),
    "summed intervals": lambda: (
        intervals(SCHEMA, "a"),
        [interval("a", i, j) for i in range(9) for j in range(i + 1, 10)] + [interval("a", 0, 0)],
    ),
    "unions": lambda: (Unions(SCHEMA, "a", 2), _subsets("a", 9, 2, 1)),
    "unions of three": lambda: (Unions(SCHEMA, "b", 3, inside=0), _subsets("b", 4, 3, 0)),
    "stumps": lambda: (Stumps(SCHEMA), _stumps()),
    "predicates": lambda: ((c := Finite(SCHEMA, PREDICATES)), _members(c)),
    "matrix": lambda: ((c := _table()), _members(c)),
}


UNVOTED = ("unions", "unions of three")
"""Classes on whose labels records do not vote."""


def sample(n: int, seed: int) -> MemorySample:
    generator = np.random.default_rng(seed)
    cells = {c.name: generator.integers(0, c.size, n) for c in SCHEMA.columns}
    return MemorySample.from_cells(SCHEMA, cells, generator.integers(0, 2, n))


def steps(prices: Prices[Any]) -> dict[Any, int]:
    """How far every labelling lies above the cheapest one, read off the exact law of a draw at ratio 1/2."""
    drawn = law(lambda coins: prices.draw(Fraction(1, 2), coins))
    largest = max(drawn.values())
    found = {}
    for labelling, chance in drawn.items():
        step = (largest / chance).numerator.bit_length() - 1
        assert chance * 2**step == largest
        found[labelling] = step
    assert found[prices.cheapest()] == 0
    return found


def above(prices: dict[Any, int]) -> dict[Any, int]:
    """Prices counted from the lowest."""
    return {labelling: price - min(prices.values()) for labelling, price in prices.items()}


def mistaken(rule: Any, sample: MemorySample) -> int:
    block = sample.block()
    return int((rule.predict(block.cells) != block.labels).sum())


def trials() -> Iterator[tuple[MemorySample, MemorySample]]:
    for seed in range(25):
        yield sample(1 + seed % 9, seed), sample(seed % 13, seed + 100)


@pytest.mark.long_cases(
    "unions",
)
@pytest.mark.parametrize("name", CLASSES)
def test_every_labelling_is_drawn_once_by_the_mistakes_of_its_member(name: str) -> None:
    concepts, members = CLASSES[name]()
    for kept, rest in trials():
        cells = kept.block().cells
        found = concepts.dichotomies(kept)
        drawn = steps(found.mistakes(rest))
        labellings = [bytes(found.labels(labelling, cells)) for labelling in drawn]
        assert len(set(labellings)) == len(labellings)
        assert set(labellings) == {bytes(member.predict(cells)) for member in members}
        assert [bytes(found.member(labelling).predict(cells)) for labelling in drawn] == labellings
        assert drawn == above({labelling: mistaken(found.member(labelling), rest) for labelling in drawn})


@pytest.mark.parametrize("name", CLASSES)
def test_members_belong_to_the_class(name: str) -> None:
    concepts, _ = CLASSES[name]()
    for kept, rest in trials():
        found = concepts.dichotomies(kept)
        assert all(concepts.contains(found.member(labelling)) for labelling in steps(found.mistakes(rest)))


@pytest.mark.long_cases(
    "unions",
    "unions of three",
)
@pytest.mark.parametrize("name", CLASSES)
def test_only_the_set_of_points_matters(name: str) -> None:
    concepts, _ = CLASSES[name]()
    for kept, rest in trials():
        n = kept.size.total
        again = kept.take(np.array([*range(n - 1, -1, -1), 0])).relabelled(np.zeros(n + 1, np.uint8))
        here, there = concepts.dichotomies(kept), concepts.dichotomies(again)
        split = concepts.dichotomies(kept.take(np.arange(n // 2)), kept.take(np.arange(n // 2, n)))
        drawn = steps(here.mistakes(rest))
        assert drawn == steps(there.mistakes(rest)) == steps(split.mistakes(rest))
        for labelling in drawn:
            assert here.member(labelling) == there.member(labelling) == split.member(labelling)


@pytest.mark.parametrize("name", [name for name in CLASSES if name not in UNVOTED])
def test_relabelling_finds_the_cheapest_concept(name: str) -> None:
    concepts, members = CLASSES[name]()
    for number, (kept, rest) in enumerate(trials()):
        change, mistake = ((1, 1), (3, 2), (1, 5), (7, 1))[number % 4]
        found, here = concepts.dichotomies(kept), kept.block()
        prices = [(f.predict(here.cells), mistake * mistaken(f, rest)) for f in members]
        drawn = steps(found.relabelling(kept, rest, change=change, mistake=mistake))
        assert len(drawn) == len({bytes(labels) for labels, _ in prices})
        expected = {}
        for labelling in drawn:
            z = found.labels(labelling, here.cells)
            expected[labelling] = min(change * int((z != labels).sum()) + price for labels, price in prices)
        assert drawn == above(expected)


def test_the_step_counts_every_record_that_changes() -> None:
    """A constant step is wrong as soon as a point occurs twice."""
    kept = MemorySample.from_cells(SCHEMA, {"a": np.array([2, 2, 2])}, np.array([0, 0, 0]))
    rest = MemorySample.from_cells(SCHEMA, {"a": np.array([2, 2])}, np.array([1, 1]))
    found = Thresholds(SCHEMA, "a").dichotomies(kept)
    assert steps(found.relabelling(kept, rest, change=1, mistake=2)) == {0: 0, 1: 3}


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_cuts_of_several_columns_find_each_other(columns: int) -> None:
    """Stumps on ordered columns alone, and beside a category: repeated points, ties, every pair of directions."""
    names = "abc"[:columns]
    generator = np.random.default_rng(columns)
    for trial in range(30):
        shape = [Numeric(name, 0, 5, integer=True) for name in names]
        kinds = [Categorical("kind", ("u", "v"))] if trial % 2 else []
        schema = Schema((*shape, *kinds), label="y", classes=("0", "1"))
        members: list[Any] = [Constant(0), Constant(1)]
        members += [Threshold(name, cut, up) for name in names for cut in range(1, 6) for up in (True, False)]
        members += [Match("kind", 0, equal) for equal in (True, False)] if kinds else []

        def some(n: int, schema: Schema = schema) -> MemorySample:
            cells = {c.name: generator.integers(0, c.size, n) for c in schema.columns}
            return MemorySample.from_cells(schema, cells, generator.integers(0, 2, n))

        kept, rest = some(1 + trial % 8), some(trial % 11)
        found, here = Stumps(schema).dichotomies(kept), kept.block()
        drawn, expected = steps(found.relabelling(kept, rest, change=3, mistake=2)), {}
        for labelling in drawn:
            z = found.labels(labelling, here.cells)
            expected[labelling] = min(
                3 * int((z != f.predict(here.cells)).sum()) + 2 * mistaken(f, rest) for f in members
            )
        assert drawn == above(expected)


def test_wide_columns_are_ranked() -> None:
    schema = Schema((Numeric("a", 0, 2**70, integer=True),), label="y", classes=("0", "1"))
    kept = MemorySample.from_cells(schema, {"a": np.array([5, 2**69], dtype=object)}, np.array([0, 1]))
    rest = MemorySample.from_cells(
        schema, {"a": np.array([2**68, 2**70, 7], dtype=object)}, np.array([0, 0, 1])
    )
    for concepts, count in (
        (intervals(schema, "a"), 4),
        (Points(schema, "a"), 3),
        (Unions(schema, "a", 1), 4),
    ):
        assert len(steps(concepts.dichotomies(kept).mistakes(rest))) == count
    found = Thresholds(schema, "a").dichotomies(kept)
    assert steps(found.relabelling(kept, rest, change=1, mistake=1)) == {0: 1, 1: 1, 2: 0}
    runs = intervals(schema, "a").dichotomies(kept).relabelling(kept, rest, change=1, mistake=1)
    assert steps(runs) == {(): 0, ((0, 1),): 0, ((0, 2),): 1, ((1, 2),): 1}


def test_kept_points_must_belong_to_the_set() -> None:
    for name in ("up", "points", "intervals", "stumps", "matrix"):
        concepts, _ = CLASSES[name]()
        few, many = sample(2, 1), sample(9, 2)
        with pytest.raises(DataError, match="not among those"):
            concepts.dichotomies(few).relabelling(many, few, change=1, mistake=1)


def test_a_class_without_dichotomies_is_refused() -> None:
    with pytest.raises(ParameterError, match="labellings of given points can be drawn from"):
        with_dichotomies(Trees(replace(SCHEMA, classes=("a", "b", "c")), 1), owner="Agnostic")
    assert with_dichotomies(Thresholds(SCHEMA, "a"), owner="Agnostic").word == "thresholds:a"


def test_nothing_shows_what_it_holds() -> None:
    concepts, _ = CLASSES["up"]()
    assert "array" not in repr(concepts.dichotomies(sample(5, 3)))
