"""Pairs of words are the integers they stand for: sorted, subtracted and added up as Python integers are."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.mechanisms.scores import Row
from privpac.numbers.words import ascending, differences, split, sums_by_slot

# Words that are equal, neighbours, or all ones, so that orders, borrows and carries are met.
WORDS = st.one_of(st.sampled_from((0, 1, 2**32, 2**63, 2**64 - 2, 2**64 - 1)), st.integers(0, 2**64 - 1))
WIDE = st.builds(lambda high, low: (high << 64) + low, WORDS, WORDS)


def objects(values: list[int]) -> np.ndarray:
    return np.fromiter(values, dtype=object, count=len(values))


@given(st.lists(WIDE, min_size=1, max_size=40))
def test_the_order_is_that_of_the_integers(values: list[int]) -> None:
    order, fresh = ascending(split(objects(values)))
    placed = [values[i] for i in order]
    assert placed == sorted(values)
    assert [value for value, new in zip(placed, fresh, strict=True) if new] == sorted(set(values))


@given(st.lists(WIDE, min_size=2, max_size=40, unique=True), st.data())
def test_lengths_of_runs_add_up_as_integers_do(values: list[int], data: st.DataObject) -> None:
    values.sort()
    high, low = differences(split(objects(values)))
    want = [b - a for a, b in pairwise(values)]
    assert [(int(h) << 64) + int(v) for h, v in zip(high, low, strict=True)] == want
    slots = data.draw(st.lists(st.integers(0, 3), min_size=len(want), max_size=len(want)))
    sums = sums_by_slot((high, low), np.array(slots), 4)
    assert sums.tolist() == [
        sum(v for v, s in zip(want, slots, strict=True) if s == slot) for slot in range(4)
    ]


@given(st.lists(WIDE, min_size=3, max_size=30, unique=True), st.integers(1, 6), st.booleans())
def test_a_row_of_wide_members_is_counted_as_one_by_one(values: list[int], width: int, known: bool) -> None:
    lasts = objects(sorted(values))
    scores = np.arange(len(lasts) + 1) * 7 % 9
    words = split(lasts) if known else None
    row = Row.of(5, lasts, scores, 2**128, words)
    want = [0] * (width + 1)
    for run in range(len(row.scores)):
        want[min(int(row.scores[run]), width)] += row.length(run)
    assert row.count(row.scores, 0, width).tolist() == want
    assert sum(want) == 2**128 - 4


def counts_of(state: ColumnCounts) -> tuple[Any, Any, int]:
    return state.values.tolist(), state.counts.tolist(), state.n


@pytest.mark.parametrize("bits", [65, 100, 128, 129, 200])
def test_wide_cells_are_counted_as_a_dictionary_counts_them(bits: int) -> None:
    generator = np.random.default_rng(bits)
    small = generator.integers(0, 40, size=300).tolist()
    values = objects([(v * 2**61 * (v + 1)) % 2**bits for v in small])
    labels = generator.integers(0, 3, size=300).astype(np.uint8)
    column = Numeric("key", 0, 2**bits - 1, integer=True)
    statistic = CellCounts(column, classes=3)
    table: dict[int, list[int]] = {}
    for value, label in zip(values.tolist(), labels.tolist(), strict=True):
        table.setdefault(value, [0] * 3)[label] += 1
    want = sorted(table), [table[value] for value in sorted(table)], 300
    sample = MemorySample.of(
        {"key": values}, Schema((column,), "y", classes=tuple("abc")), y=labels_of(labels)
    )
    whole = sample.reduce(statistic)
    assert counts_of(whole) == want
    assert whole.values.dtype == object
    assert (whole.words is None) == (bits > 128)
    state = statistic.zero()
    for part in (slice(0, 100), slice(100, 101), slice(101, 300)):  # without words, and merged
        cells = {"key": values[part]}
        state = statistic.absorb(state, Block(cells, labels[part], len(cells["key"])))
    assert counts_of(state) == want


def labels_of(codes: np.ndarray) -> list[str]:
    return ["abc"[code] for code in codes]


def test_integers_of_numpy_are_split_too() -> None:
    high, low = split(np.array([np.uint64(7), 2**100], dtype=object))
    assert high.tolist() == [0, 2**36]
    assert low.tolist() == [7, 0]
    with pytest.raises(OverflowError):
        split(objects([2**128]))
