"""Statistics are commutative monoids: cuts and order do not matter, and one record is one unit of count."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.grid_counts import GridCounts
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts

SIZES = [3, 2**21, 2**32, 2**63, 2**64, 2**100]


def column(size: int, name: str = "k") -> Numeric:
    return Numeric(name, 0, size - 1, integer=True)


@st.composite
def blocks(draw: st.DrawFn, size: int) -> Block:
    cell = st.one_of(st.integers(0, min(size - 1, 3)), st.integers(0, size - 1), st.just(size - 1))
    pairs = draw(st.lists(st.tuples(cell, st.integers(0, 1)), max_size=12))
    cells = np.empty(len(pairs), dtype=column(size).dtype)
    cells[:] = [pair[0] for pair in pairs]
    return Block({"k": cells}, np.array([pair[1] for pair in pairs], dtype=np.uint8), len(pairs))


def statistics(size: int) -> list[Any]:
    return [CellCounts(column(size)), GridCounts((column(size),), (3,))]


def plain(state: Any) -> Any:
    if isinstance(state, ColumnCounts):
        return state.n, state.values.tolist(), state.counts.tolist()
    return state.tolist()


def joined(parts: list[Block]) -> Block:
    cells = np.concatenate([part.cells["k"] for part in parts])
    return Block({"k": cells}, np.concatenate([part.labels for part in parts]), len(cells))


@pytest.mark.long_cases(
    "3", "1267650600228229401496703205376", "2097152", "4294967296", "18446744073709551616"
)
@pytest.mark.parametrize("size", SIZES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_cuts_do_not_matter(size: int, data: st.DataObject) -> None:
    parts = data.draw(st.lists(blocks(size), min_size=1, max_size=4))
    for statistic in statistics(size):
        whole = plain(statistic.absorb(statistic.zero(), joined(parts)))
        state, merged = statistic.zero(), statistic.zero()
        for part in parts:
            state = statistic.absorb(state, part)
            merged = statistic.merge(merged, statistic.absorb(statistic.zero(), part))
        assert plain(state) == whole
        assert plain(merged) == whole


@pytest.mark.long_cases("2097152", "1267650600228229401496703205376", "4294967296", "18446744073709551616")
@pytest.mark.parametrize("size", SIZES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_merge_commutes_associates_and_changes_nothing(size: int, data: st.DataObject) -> None:
    for statistic in statistics(size):
        a, b, c = (statistic.absorb(statistic.zero(), data.draw(blocks(size))) for _ in range(3))
        before = plain(a), plain(b)
        assert plain(statistic.merge(a, b)) == plain(statistic.merge(b, a))
        assert plain(statistic.merge(statistic.merge(a, b), c)) == plain(
            statistic.merge(a, statistic.merge(b, c))
        )
        assert plain(statistic.merge(a, statistic.zero())) == plain(a)
        assert (plain(a), plain(b)) == before


@pytest.mark.long_cases("4294967296", "18446744073709551616")
@pytest.mark.parametrize("size", SIZES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_order_does_not_matter(size: int, data: st.DataObject) -> None:
    block = data.draw(blocks(size))
    order = data.draw(st.permutations(range(block.n)))
    schema = Schema((column(size),), "y")
    sample = MemorySample.from_cells(schema, block.cells, block.labels)
    shuffled = sample.take(np.array(order, dtype=np.int64))
    for statistic in statistics(size):
        assert plain(sample.reduce(statistic)) == plain(shuffled.reduce(statistic))


@pytest.mark.long_cases("4294967296", "18446744073709551616")
@pytest.mark.parametrize("size", SIZES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_take_and_rest_add_up_to_the_whole(size: int, data: st.DataObject) -> None:
    block = data.draw(blocks(size))
    chosen = data.draw(st.lists(st.sampled_from(range(block.n)), unique=True)) if block.n else []
    sample = MemorySample.from_cells(Schema((column(size),), "y"), block.cells, block.labels)
    positions = np.array(chosen, dtype=np.int64)
    for statistic in statistics(size):
        parts = sample.take(positions).reduce(statistic), sample.rest(positions).reduce(statistic)
        assert plain(statistic.merge(*parts)) == plain(sample.reduce(statistic))


@pytest.mark.long_cases(
    "9223372036854775808", "1267650600228229401496703205376", "4294967296", "18446744073709551616"
)
@pytest.mark.parametrize("size", SIZES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_replacing_one_record_moves_one_unit(size: int, data: st.DataObject) -> None:
    block = data.draw(blocks(size).filter(lambda block: block.n > 0))
    other = data.draw(blocks(size).filter(lambda block: block.n > 0))
    assert block.labels is not None
    assert other.labels is not None
    cells, labels = block.cells["k"].copy(), block.labels.copy()
    cells[0], labels[0] = other.cells["k"][0], other.labels[0]
    neighbour = Block({"k": cells}, labels, block.n)
    grid = GridCounts((column(size),), (3,))
    moved = np.abs(grid.absorb(grid.zero(), block) - grid.absorb(grid.zero(), neighbour)).sum()
    assert moved in (0, 2)
    counts = CellCounts(column(size))
    before, after = (counts.absorb(counts.zero(), given) for given in (block, neighbour))
    entries = [
        {
            (value, label): row[label]
            for value, row in zip(s.values.tolist(), s.counts.tolist(), strict=True)
            for label in (0, 1)
        }
        for s in (before, after)
    ]
    keys = set(entries[0]) | set(entries[1])
    assert sum(abs(entries[0].get(key, 0) - entries[1].get(key, 0)) for key in keys) in (0, 2)
