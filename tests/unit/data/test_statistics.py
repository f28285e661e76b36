"""Statistics against brute force, on every path a column's size can lead to."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from privpac.data import grid_counts, statistics
from privpac.data.columns import Categorical, Column, Numeric
from privpac.data.grid_counts import GridCounts
from privpac.data.sample import Block
from privpac.data.statistics import CellCounts, count_apart, count_packed, count_two
from privpac.errors import DataError, ParameterError, SizeError


def key(size: int) -> Numeric:
    return Numeric("k", 0, size - 1, integer=True)


def records(column: Column, n: int, *, classes: int = 2, spread: int | None = None) -> Block:
    """Random cells, the first and last of the column among them, with repeats when `spread` is small."""
    rng = np.random.default_rng(n)
    pool = [0, column.size - 1, column.size // 2]
    pool += [int.from_bytes(rng.bytes(40), "big") % column.size for _ in range(spread or n)]
    cells = np.empty(n, dtype=column.dtype)
    cells[:] = [pool[index] for index in rng.integers(0, len(pool), n)]
    return Block({column.name: cells}, rng.integers(0, classes, n).astype(np.uint8), n)


def brute(block: Block, name: str, classes: int) -> dict[int, list[int]]:
    assert block.labels is not None
    pairs = Counter(zip(block.cells[name].tolist(), block.labels.tolist(), strict=True))
    return {
        cell: [pairs[cell, label] for label in range(classes)] for cell in sorted({cell for cell, _ in pairs})
    }


SIZES = [
    2,
    100,
    2**20,
    2**20 + 1,
    2**31,
    2**31 + 1,
    2**32,
    2**40,
    2**62,
    2**63,
    2**63 + 1,
    2**64,
    2**64 + 1,
    2**128,
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("n", "spread"), [(1, None), (7, 2), (500, 20), (500, None)])
def test_cell_counts_are_the_counts(size: int, classes: int, n: int, spread: int | None) -> None:
    column = key(size)
    block = records(column, n, classes=classes, spread=spread)
    before = block.cells["k"].copy()
    statistic = CellCounts(column, classes)
    found = statistic.absorb(statistic.zero(), block)
    expected = brute(block, "k", classes)
    assert dict(zip(found.values.tolist(), found.counts.tolist(), strict=True)) == expected
    assert found.values.tolist() == list(expected)
    assert found.n == n
    assert found.values.dtype == (object if size > 2**64 else np.uint64)
    assert found.counts.dtype == np.int32
    assert (block.cells["k"] == before).all(), "the records themselves must not be sorted"


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("size", [2**32, 2**64])
def test_one_class_may_be_absent(size: int, label: int) -> None:
    block = records(key(size), 50)
    block = Block(block.cells, np.full(50, label, dtype=np.uint8), 50)
    found = CellCounts(key(size)).absorb(CellCounts(key(size)).zero(), block)
    assert dict(zip(found.values.tolist(), found.counts.tolist(), strict=True)) == brute(block, "k", 2)


def test_three_ways_to_count_agree() -> None:
    column = key(2**40)
    block = records(column, 3000, spread=800)
    cells, labels = block.cells["k"], block.labels
    assert labels is not None
    ways = [
        count_packed(cells, labels, word=np.uint64, classes=2, dtype=np.int32),
        count_two(cells, labels, dtype=np.int32),
        count_apart(cells, labels, classes=2, dtype=np.int32),
    ]
    for values, counts in ways[1:]:
        assert (values == ways[0][0]).all()
        assert (counts == ways[0][1]).all()


def test_read_only_and_strided_records() -> None:
    column = key(2**64)
    block = records(column, 300)
    statistic = CellCounts(column)
    expected = brute(block, "k", 2)
    frozen = block.cells["k"].copy()
    frozen.flags.writeable = False
    strided = np.column_stack([frozen, frozen])[:, 1]
    for cells in (frozen, strided):
        found = statistic.absorb(statistic.zero(), Block({"k": cells}, block.labels, 300))
        assert dict(zip(found.values.tolist(), found.counts.tolist(), strict=True)) == expected


def test_counts_grow_to_64_bits_when_they_must() -> None:
    column = key(10)
    statistic = CellCounts(column)
    a = statistic.absorb(statistic.zero(), records(column, 60))
    big = statistics.ColumnCounts(values=a.values, counts=a.counts, n=2**31 - 1)
    merged = statistic.merge(big, a)
    assert merged.counts.dtype == np.int64
    assert (merged.counts == 2 * a.counts).all()
    assert a.counts.dtype == np.int32


@pytest.mark.parametrize("size", [10, 2**40, 2**64, 2**70])
def test_labels_are_checked_before_a_kernel_uses_them(size: int) -> None:
    column = key(size)
    block = records(column, 20, classes=3)
    with pytest.raises(DataError, match="2 classes"):
        CellCounts(column).absorb(CellCounts(column).zero(), block)
    with pytest.raises(DataError, match="no labels"):
        CellCounts(column).absorb(CellCounts(column).zero(), Block(block.cells, None, 20))
    grid = GridCounts((column,), (5,))
    with pytest.raises(DataError, match="2 classes"):
        grid.absorb(grid.zero(), block)


def test_cells_are_checked_before_a_table_is_filled() -> None:
    block = Block({"k": np.array([10], dtype=np.uint32)}, np.array([0], dtype=np.uint8), 1)
    with pytest.raises(DataError, match="beyond"):
        CellCounts(key(10)).absorb(CellCounts(key(10)).zero(), block)


@pytest.mark.parametrize("size", [10, 2**32, 2**64, 2**70])
def test_without_labels_records_count_once(size: int) -> None:
    block = records(key(size), 200, spread=9)
    statistic = CellCounts(key(size), classes=1)
    expected = Counter(block.cells["k"].tolist())
    for given in (block, Block(block.cells, None, 200)):
        found = statistic.absorb(statistic.zero(), given)
        assert dict(zip(found.values.tolist(), found.counts[:, 0].tolist(), strict=True)) == expected


@pytest.mark.parametrize(
    ("sizes", "bins"),
    [
        ((100,), (7,)),
        ((3,), (3,)),
        ((2**64,), (1000,)),
        ((2**64 - 59,), (999,)),
        ((2**128,), (11,)),
        ((2**32, 100), (16, 9)),
        ((2**63 + 1, 2**64), (5, 6)),
        ((2**32, 2**70), (5, 6)),
        ((2, 3, 2**40), (2, 3, 4)),
        ((7,), (1,)),
    ],
)
@pytest.mark.parametrize("classes", [1, 2, 3])
def test_grid_counts_are_the_counts(sizes: tuple[int, ...], bins: tuple[int, ...], classes: int) -> None:
    axes = tuple(Numeric(f"k{i}", 0, size - 1, integer=True) for i, size in enumerate(sizes))
    n = 400
    cells = {axis.name: records(axis, n + i).cells[axis.name][:n] for i, axis in enumerate(axes)}
    block = Block(cells, records(axes[0], n, classes=classes).labels, n)
    grid = GridCounts(axes, bins, classes)
    found = grid.absorb(grid.zero(), block)
    assert found.shape == (classes, *bins)
    assert found.dtype == np.int64
    expected = np.zeros_like(found)
    assert block.labels is not None
    for i in range(n):
        place = [int(cells[a.name][i]) * b // a.size for a, b in zip(axes, bins, strict=True)]
        expected[(int(block.labels[i]) if classes > 1 else 0, *place)] += 1
    assert (found == expected).all()


@pytest.mark.parametrize(
    ("size", "bins"), [(100, 7), (2**64, 1000), (2**64 - 59, 999), (2**53 + 1, 256), (5, 5)]
)
def test_groups_end_exactly_where_the_formula_says(size: int, bins: int) -> None:
    column = key(size)
    grid = GridCounts((column,), (bins,))
    starts = grid.starts(0)
    edges = sorted({cell for start in starts for cell in (start - 1, start) if cell >= 0} | {size - 1})
    for cell in (*edges[:40], *edges[-40:]):
        block = Block({"k": np.array([cell], dtype=column.dtype)}, np.array([1], dtype=np.uint8), 1)
        assert grid.absorb(grid.zero(), block)[1].argmax() == cell * bins // size
    assert all(start * bins // size == group for group, start in enumerate(starts))


def test_longer_than_a_chunk() -> None:
    rng = np.random.default_rng(5)
    n = 2 * grid_counts.CHUNK + 17
    x, y = rng.random(n), rng.random(n)
    axes = (Numeric("x", 0, 1), Numeric("y", 0, 1))
    block = Block({"x": axes[0].encode(x), "y": axes[1].encode(y)}, np.zeros(n, dtype=np.uint8), n)
    grid = GridCounts(axes, (32, 64))
    expected, _, _ = np.histogram2d(x, y, bins=(32, 64), range=[[0, 1], [0, 1]])
    assert (grid.absorb(grid.zero(), block)[0] == expected).all()


@pytest.mark.parametrize(
    ("axes", "bins", "kind", "match"),
    [
        ((), (), ParameterError, "one to three columns"),
        ((key(9),) * 4, (2,) * 4, ParameterError, "one to three columns"),
        ((key(9),), (2, 2), ParameterError, "one number per column"),
        ((key(9),), (0,), ParameterError, "between 1 and 9 for column 'k'"),
        ((key(9),), (10,), ParameterError, "between 1 and 9 for column 'k'"),
        ((key(2**40),) * 3, (2**10,) * 3, SizeError, "fewer bins"),
    ],
)
def test_impossible_grids(axes: Any, bins: Any, kind: type[Exception], match: str) -> None:
    with pytest.raises(kind, match=match):
        GridCounts(axes, bins)


def test_what_a_statistic_needs() -> None:
    a, b = Numeric("a", 0, 1), Categorical("b", ("u", "v"))
    assert CellCounts(a).columns == ("a",)
    assert GridCounts((a, b), (4, 2)).columns == ("a", "b")
    assert hash(CellCounts(a)) == hash(CellCounts(Numeric("a", 0, 1)))
