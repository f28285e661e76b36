"""The cells that hold records: additive, exact beyond machine words, and the same groups as a dense grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from privpac.data.columns import Numeric
from privpac.data.grid_counts import GridCounts
from privpac.data.occupied import OccupiedCells
from privpac.data.sample import Block
from privpac.errors import ParameterError


def columns(*sizes: int) -> tuple[Numeric, ...]:
    return tuple(Numeric(f"x{axis}", 0, size - 1, integer=True) for axis, size in enumerate(sizes))


def block(axes: tuple[Numeric, ...], cells: list[list[int]], labels: list[int]) -> Block:
    made = {column.name: np.array(row, dtype=column.dtype) for column, row in zip(axes, cells, strict=True)}
    return Block(made, np.array(labels, dtype=np.uint8), len(labels))


def counted(statistic: OccupiedCells, state: Any) -> dict[tuple[int, ...], list[int]]:
    points = zip(*statistic.groups(state), strict=True)
    return dict(zip(points, state.counts.tolist(), strict=True))


@pytest.mark.parametrize("bins", [(10, 7), (4, 3), (1, 7)])
def test_groups_are_those_of_the_dense_grid(bins: tuple[int, int]) -> None:
    rng, axes = np.random.default_rng(1), columns(10, 7)
    records = block(
        axes, [rng.integers(10, size=60).tolist(), rng.integers(7, size=60).tolist()], [0, 1] * 30
    )
    sparse, dense = OccupiedCells(axes, bins), GridCounts(axes, bins)
    found = counted(sparse, sparse.absorb(sparse.zero(), records))
    table = dense.absorb(dense.zero(), records)
    assert found == {
        (i, j): [int(table[0, i, j]), int(table[1, i, j])]
        for i in range(bins[0])
        for j in range(bins[1])
        if table[:, i, j].any()
    }


@pytest.mark.parametrize("sizes", [(2**32, 2**32), (2**64, 9), (2**128, 2**64), (2**40, 2**40)])
@pytest.mark.parametrize("bins", [None, 2**20])
def test_huge_columns_are_counted_exactly_and_in_any_order(sizes: tuple[int, int], bins: int | None) -> None:
    axes = columns(*sizes)
    groups = tuple(size if bins is None else min(size, bins) for size in sizes)
    statistic = OccupiedCells(axes, groups)
    cells = [[0, size - 1, size // 2, size - 1, 1] for size in sizes]
    labels = [0, 1, 1, 0, 1]
    whole = statistic.absorb(statistic.zero(), block(axes, cells, labels))
    first, rest = ([row[:2] for row in cells], [row[2:] for row in cells])
    parts = [
        statistic.absorb(statistic.zero(), block(axes, rest, labels[2:])),
        statistic.absorb(statistic.zero(), block(axes, first, labels[:2])),
    ]
    merged = statistic.merge(statistic.merge(statistic.zero(), parts[0]), parts[1])
    expected: dict[tuple[int, ...], list[int]] = {}
    for k, label in enumerate(labels):
        point = tuple(row[k] * g // size for row, g, size in zip(cells, groups, sizes, strict=True))
        expected.setdefault(point, [0, 0])[label] += 1
    assert counted(statistic, whole) == counted(statistic, merged) == expected
    assert whole.n == 5
    assert repr(whole) == "PointCounts(n=5, classes=2)"


def test_no_records_are_no_cells() -> None:
    statistic = OccupiedCells(columns(4, 4), (4, 4))
    empty = statistic.absorb(statistic.zero(), Block({}, np.zeros(0, np.uint8), 0))
    assert empty.n == 0
    assert counted(statistic, empty) == {}


@pytest.mark.parametrize("bins", [(3,), (0, 2), (5, 2)])
def test_grids_that_fit_no_column_are_refused(bins: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError) as refused:
        OccupiedCells(columns(4, 4), bins)
    assert refused.value.parameter == "bins"
