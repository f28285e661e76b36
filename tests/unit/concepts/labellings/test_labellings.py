"""Dichotomies against the listing of whole classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from privpac.concepts.finite import Finite
from privpac.concepts.labellings.base import Dichotomous, with_dichotomies
from privpac.concepts.line.intervals import Interval, Intervals
from privpac.concepts.line.stumps import Constant, Match, Stumps
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.concepts.line.unions import Unions
from privpac.concepts.sets.points import Point, Points
from privpac.data.columns import Categorical, Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.errors import DataError, ParameterError
from privpac.mechanisms.scores import Scores

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
        Intervals(SCHEMA, "a"),
        [Interval("a", i, j) for i in range(9) for j in range(i + 1, 10)] + [Interval("a", 0, 0)],
    ),
    "intervals outside": lambda: (
        Intervals(SCHEMA, "a", inside=0),
        [Interval("a", i, j, 0) for i in range(9) for j in range(i + 1, 10)] + [Interval("a", 0, 0, 0)],
    ),
    "stumps": lambda: (Stumps(SCHEMA), _stumps()),
    "predicates": lambda: ((c := Finite(SCHEMA, PREDICATES)), _members(c)),
    "matrix": lambda: ((c := _table()), _members(c)),
}


def sample(n: int, seed: int) -> MemorySample:
    generator = np.random.default_rng(seed)
    cells = {c.name: generator.integers(0, c.size, n) for c in SCHEMA.columns}
    return MemorySample.from_cells(SCHEMA, cells, generator.integers(0, 2, n))


def listed(scores: Scores[int], count: int) -> list[int]:
    """Every member's score, through histogram and locate."""
    found: dict[int, int] = {}
    histogram = scores.histogram(None)
    for step, number in zip(histogram.steps.tolist(), histogram.counts, strict=True):
        for index in range(number):
            found[scores.locate(histogram.best + step, index)] = histogram.best + step
    assert sorted(found) == list(range(count))
    return [found[i] for i in range(count)]


def trials() -> Iterator[tuple[MemorySample, MemorySample]]:
    for seed in range(25):
        yield sample(1 + seed % 9, seed), sample(seed % 13, seed + 100)


@pytest.mark.parametrize("name", CLASSES)
def test_every_labelling_occurs_once_and_its_member_makes_it(name: str) -> None:
    concepts, members = CLASSES[name]()
    for kept, _ in trials():
        cells = kept.block().cells
        expected = {bytes(member.predict(cells)) for member in members}
        found = concepts.dichotomies(kept)
        labellings = [bytes(found.labels(i, cells)) for i in range(found.count)]
        assert len(set(labellings)) == found.count
        assert set(labellings) == expected
        assert [bytes(found.member(i).predict(cells)) for i in range(found.count)] == labellings


@pytest.mark.parametrize("name", CLASSES)
def test_only_the_set_of_points_matters(name: str) -> None:
    concepts, _ = CLASSES[name]()
    for kept, _ in trials():
        n = kept.size.total
        again = kept.take(np.array([*range(n - 1, -1, -1), 0])).relabelled(np.zeros(n + 1, np.uint8))
        here, there = concepts.dichotomies(kept), concepts.dichotomies(again)
        assert [here.member(i) for i in range(here.count)] == [there.member(i) for i in range(there.count)]
        split = concepts.dichotomies(kept.take(np.arange(n // 2)), kept.take(np.arange(n // 2, n)))
        assert [here.member(i) for i in range(here.count)] == [split.member(i) for i in range(split.count)]


@pytest.mark.parametrize("name", CLASSES)
def test_mistakes_are_those_of_the_representative(name: str) -> None:
    concepts, _ = CLASSES[name]()
    for kept, rest in trials():
        found, block = concepts.dichotomies(kept), rest.block()
        expected = [
            int((found.member(i).predict(block.cells) != block.labels).sum()) for i in range(found.count)
        ]
        assert listed(found.mistakes(rest), found.count) == expected


@pytest.mark.parametrize("name", CLASSES)
def test_relabelling_finds_the_cheapest_concept(name: str) -> None:
    concepts, members = CLASSES[name]()
    for number, (kept, rest) in enumerate(trials()):
        change, mistake = ((1, 1), (3, 2), (1, 5), (7, 1))[number % 4]
        found = concepts.dichotomies(kept)
        here, there = kept.block(), rest.block()
        wrong = [int((f.predict(there.cells) != there.labels).sum()) for f in members]
        labelled = [f.predict(here.cells) for f in members]
        expected = []
        for index in range(found.count):
            z = found.labels(index, here.cells)
            prices = zip(labelled, wrong, strict=True)
            expected.append(min(change * int((z != f).sum()) + mistake * w for f, w in prices))
        scores = found.relabelling(kept, rest, change=change, mistake=mistake)
        assert listed(scores, found.count) == expected


def test_the_step_counts_every_record_that_changes() -> None:
    """A constant step is wrong as soon as a point occurs twice."""
    kept = MemorySample.from_cells(SCHEMA, {"a": np.array([2, 2, 2])}, np.array([0, 0, 0]))
    rest = MemorySample.from_cells(SCHEMA, {"a": np.array([2, 2])}, np.array([1, 1]))
    found = Thresholds(SCHEMA, "a").dichotomies(kept)
    assert listed(found.relabelling(kept, rest, change=1, mistake=2), 2) == [0, 3]


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
        found, here, there = Stumps(schema).dichotomies(kept), kept.block(), rest.block()
        scores = listed(found.relabelling(kept, rest, change=3, mistake=2), found.count)
        for index, score in enumerate(scores):
            z = found.labels(index, here.cells)
            assert score == min(
                3 * int((z != f.predict(here.cells)).sum())
                + 2 * int((f.predict(there.cells) != there.labels).sum())
                for f in members
            )


def test_wide_columns_are_ranked() -> None:
    schema = Schema((Numeric("a", 0, 2**70, integer=True),), label="y", classes=("0", "1"))
    kept = MemorySample.from_cells(schema, {"a": np.array([5, 2**69], dtype=object)}, np.array([0, 1]))
    rest = MemorySample.from_cells(
        schema, {"a": np.array([2**68, 2**70, 7], dtype=object)}, np.array([0, 0, 1])
    )
    for concepts in (Thresholds(schema, "a"), Intervals(schema, "a"), Points(schema, "a")):
        found = concepts.dichotomies(kept)
        scores = listed(found.relabelling(kept, rest, change=1, mistake=1), found.count)
        assert len(scores) == found.count
    found = Thresholds(schema, "a").dichotomies(kept)
    assert listed(found.relabelling(kept, rest, change=1, mistake=1), 3) == [2, 2, 1]


def test_kept_points_must_belong_to_the_set() -> None:
    for name in ("up", "points", "intervals", "stumps", "matrix"):
        concepts, _ = CLASSES[name]()
        few, many = sample(2, 1), sample(9, 2)
        with pytest.raises(DataError, match="not among those"):
            concepts.dichotomies(few).relabelling(many, few, change=1, mistake=1)


def test_a_class_without_dichotomies_is_refused() -> None:
    with pytest.raises(ParameterError, match="dichotomies can be listed"):
        with_dichotomies(Unions(SCHEMA, "a", 2), owner="Agnostic")
    assert with_dichotomies(Thresholds(SCHEMA, "a"), owner="Agnostic").word == "thresholds:a"


def test_nothing_shows_what_it_holds() -> None:
    concepts, _ = CLASSES["up"]()
    assert "array" not in repr(concepts.dichotomies(sample(5, 3)))
