"""Boxes: the law against brute force, floats against exact sums, every reading of every decision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from privpac.coins import SeededCoins
from privpac.concepts.boxes.box import Box
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.trees.powers import Choice
from privpac.data.columns import Numeric
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.errors import SizeError
from privpac.numbers.exact import ratio_for

RATIO = Fraction(3, 5)


def schema(*sizes: int) -> Schema:
    columns = [Numeric(f"x{axis}", 0, size - 1, integer=True) for axis, size in enumerate(sizes)]
    return Schema(tuple(columns), "y")


def rectangles(sizes: Sequence[int], bins: Any = "full", inside: int = 1) -> Rectangles:
    described = schema(*sizes)
    return Rectangles(described, described.names, bins, inside)


def cells_of(concepts: Rectangles, points: Any) -> dict[str, Any]:
    return {
        name: np.array([point[axis] for point in points], dtype=concepts.schema.column(name).dtype)
        for axis, name in enumerate(concepts.columns)
    }


def evidence(concepts: Rectangles, points: Any, labels: Any) -> Any:
    statistic = concepts.statistic
    block = Block(cells_of(concepts, points), np.array(labels, dtype=np.uint8), len(labels))
    return statistic.absorb(statistic.zero(), block)


def brute_force(
    concepts: Rectangles, points: Any, labels: Any, costs: tuple[int, int]
) -> dict[Any, Fraction]:
    sides = [[(a, b) for a in range(g) for b in range(a, g)] for g in concepts.groups]
    members = [concepts.nothing, *(concepts.member(ranges) for ranges in product(*sides))]
    cells, weights = cells_of(concepts, points), {}
    for member in members:
        guesses = member.predict(cells)
        price = sum(costs[label] for label, guess in zip(labels, guesses, strict=True) if guess != label)
        weights[member] = RATIO**price
    assert len(weights) == len(members)
    total = sum(weights.values())
    return {member: weight / total for member, weight in weights.items()}


CASES: dict[str, tuple[tuple[int, ...], Any, int, tuple[int, int], int]] = {
    "line": ((6,), "full", 8, (1, 1), 1),
    "line in groups": ((7,), 3, 8, (1, 3), 0),
    "no records": ((3, 3), "full", 0, (1, 1), 1),
    "plane": ((3, 4), "full", 9, (1, 3), 1),
    "plane, long side first": ((5, 2), "full", 9, (2, 1), 0),
    "plane in groups": ((7, 5), (3, 2), 12, (1, 1), 1),
    "one group": ((5, 4), (1, 3), 6, (1, 1), 1),
    "space": ((2, 3, 2), "full", 9, (1, 3), 1),
    "space in groups": ((5, 4, 3), 2, 14, (1, 2), 0),
    "four columns": ((2, 3, 2, 2), "full", 4, (1, 2), 1),
    "five columns in groups": ((3, 2, 2, 2, 2), 2, 4, (1, 1), 1),
}


def test_more_dimensions_never_mean_fewer_boxes() -> None:
    for bits in (2, 8, 16, 32):
        sizes = [rectangles((2**bits,) * count).size for count in (1, 2, 3, 4, 5)]
        assert sizes == sorted(sizes)


def test_the_grid_is_named_with_what_it_leaves_out() -> None:
    assert rectangles((9, 4)).grid == "boxes have their edges at any of the cells of x0 (9) and x1 (4)"
    coarse = rectangles((2**16, 9), 32).grid
    assert "32 groups of x0 (65,536 cells, 2,048 at most per group), 9 groups of x1" in coarse
    assert "at most one group at each of its 4 edges" in coarse
    assert rectangles((9, 4), 20).grid == rectangles((9, 4)).grid  # more groups than cells are the cells


def test_float_sums_are_the_brute_force_partition_sums() -> None:
    for sizes in ((9,), (5, 5), (4, 4, 4)):
        concepts = rectangles(sizes)
        rng = np.random.default_rng(1)
        points = [tuple(int(rng.integers(size)) for size in sizes) for _ in range(40)]
        labels = rng.integers(0, 2, 40).tolist()
        gibbs = concepts.gibbs(evidence(concepts, points, labels), ratio=RATIO, costs=(1, 1))
        values, error = Choice(gibbs, "lefts").floats()
        expected = brute_force(concepts, points, labels, (1, 1))[concepts.nothing] * gibbs.sums.blank
        assert values[-1] / math.fsum(values) == pytest.approx(float(expected), rel=1e-13)
        assert error < 1e-13


def test_columns_too_long_for_floats_are_left_to_balls() -> None:
    concepts = rectangles((2**200, 2**200))
    points = [(k << 190, (k * 7 % 40) << 192) for k in range(40)]
    labels = [int(10 <= k < 30) for k in range(40)]
    concepts.require(40)
    gibbs = concepts.gibbs(evidence(concepts, points, labels), ratio=ratio_for(Fraction(600)), costs=(1, 1))
    assert Choice(gibbs, "lefts").floats()[1] == 1.0
    member = gibbs.draw(SeededCoins(2))
    assert member.predict(cells_of(concepts, points)).tolist() == labels


@pytest.mark.parametrize("size", [2**32, 2**64, 2**128])
def test_huge_domains_find_the_box(size: int) -> None:
    concepts = rectangles((size, 1000))
    rng = np.random.default_rng(0)
    points = [(int(rng.integers(2**30)) * (size >> 30), int(rng.integers(1000))) for _ in range(2000)]
    labels = [int(size // 4 <= x < size // 2 and y >= 500) for x, y in points]
    gibbs = concepts.gibbs(evidence(concepts, points, labels), ratio=ratio_for(Fraction(1)), costs=(1, 1))
    member = gibbs.draw(SeededCoins(1))
    assert isinstance(member, Box)
    assert np.mean(member.predict(cells_of(concepts, points)) == labels) > 0.97
    assert [end / size for end in (member.low[0], member.high[0])] == pytest.approx([0.25, 0.5], abs=0.03)


def test_edges_lie_between_the_groups_of_the_statistic() -> None:
    concepts = rectangles((10, 7), (4, 3))
    member = concepts.member([(1, 2), (0, 2)])
    low, high = member.low[0], member.high[0]
    groups = evidence(concepts, [(cell, 0) for cell in range(10)], [0] * 10)
    held = concepts.statistic.groups(groups)[0]
    assert [cell * 4 // 10 for cell in range(low, high)] == [1] * 2 + [2] * 3
    assert sorted(set(held)) == [0, 1, 2, 3]
    assert (member.low[1], member.high[1]) == (0, 7)


def test_too_many_records_for_a_fine_grid_are_refused_with_a_grid_that_does() -> None:
    fine = rectangles((2**32, 2**32))
    fine.require(10_000)
    fine.require(None)
    with pytest.raises(SizeError, match=r"for 1,000,000 records") as refused:
        fine.require(10**6)
    count = int(str(refused.value).split("rectangles:x0,x1:")[1].split()[0])
    assert count >= 128
    rectangles((2**32, 2**32), count).require(10**6)
    rectangles((121, 10)).require(10**9)
    rectangles((2**16,) * 3).require(150)
    for count, groups in ((3, 32), (4, 8), (5, 4)):
        wide = rectangles((2**16,) * count)
        with pytest.raises(SizeError, match="coarser") as refused:
            wide.require(2_000)
        assert int(str(refused.value).split(":")[-1].split()[0]) >= groups


@pytest.mark.parametrize(
    ("groups", "records"),
    [((2**32, 2**32), 10**6), ((2**16,) * 3, 2_000), ((2**16,) * 4, 2_000), ((2**16,) * 5, 2_000)],
)
def test_labellings_are_refused_where_neither_they_nor_boxes_are_summed_in_time(
    groups: tuple[int, ...], records: int
) -> None:
    """From so many points on boxes are drawn themselves: refused as a draw is, by all records that count."""
    fine = rectangles(groups)
    first = fine.members_from
    assert first is not None
    assert first == 1 or len(groups) <= 3
    if first > 1:
        fine.require_listed(first - 1)
    with pytest.raises(SizeError, match="take too long") as refused:
        fine.require_listed(records)
    with pytest.raises(SizeError) as drawn:
        fine.require(records)
    assert str(refused.value) == str(drawn.value)
    with pytest.raises(SizeError, match="take too long"):
        fine.require_listed(first, elsewhere=records - first)
    with pytest.raises(SizeError, match="take too long"):
        fine.require_relabelled(10, voters=records)
    fine.require_relabelled(records, voters=1)
    rectangles((3,) * len(groups)).require_listed(10)
