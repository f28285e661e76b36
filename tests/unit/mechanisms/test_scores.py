"""Scores of a class laid out in rows: counted and found as if every member had been listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.mechanisms import scores as scores_module
from privpac.mechanisms.scores import Histogram, NamedScores, Row, Runs


@st.composite
def rows(draw: st.DrawFn, *, dtype: Any = np.uint64, largest_score: int = 12) -> Row:
    first = draw(st.integers(0, 2))
    last = first + draw(st.integers(0, 40))
    ends = sorted(draw(st.sets(st.integers(0, last + 2), max_size=8)))
    values = draw(st.lists(st.integers(0, largest_score), min_size=len(ends) + 1, max_size=len(ends) + 1))
    return Row.of(first, np.array(ends, dtype=dtype), np.array(values, dtype=np.int64), last)


def members(row: Row) -> list[tuple[int, int]]:
    """(member, score), by the definition of a row."""
    found = []
    for member in range(row.first, row.last + 1):
        run = sum(1 for end in row.lasts.tolist() if end < member)
        found.append((member, int(row.scores[run])))
    return found


def listed(histogram: Histogram) -> dict[int, int]:
    steps = histogram.steps.tolist()
    assert steps == sorted(set(steps))
    assert steps[0] == 0
    assert all(count > 0 for count in histogram.counts)
    return {histogram.best + step: count for step, count in zip(steps, histogram.counts, strict=True)}


def check_histograms(some: Sequence[Row], spans: Sequence[int | None]) -> None:
    everyone = [score for row in some for _, score in members(row)]
    true = Counter(everyone)
    for span in spans:
        histogram = Runs(some).histogram(span)
        best = min(everyone)
        assert histogram.best == best
        assert listed(histogram) == {s: c for s, c in true.items() if span is None or s <= best + span}
        assert sum(histogram.counts) + histogram.beyond == len(everyone)


class TestHistogram:
    @given(st.lists(rows(), min_size=1, max_size=3), st.integers(0, 12))
    @settings(deadline=None)
    def test_counts_every_member_once(self, some: list[Row], span: int) -> None:
        check_histograms(some, [None, span])

    @given(st.lists(rows(dtype=object), min_size=1, max_size=3), st.integers(0, 12))
    @settings(deadline=None, max_examples=40)
    def test_with_members_beyond_64_bits(self, some: list[Row], span: int) -> None:
        check_histograms(some, [None, span])

    @given(st.lists(rows(largest_score=10**15), min_size=1, max_size=3), st.integers(0, 10**15))
    @settings(deadline=None)
    def test_with_scores_far_apart(self, some: list[Row], span: int) -> None:
        check_histograms(some, [None, span])

    @pytest.mark.parametrize("last", [2**63 - 2, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**70])
    def test_members_around_the_ends_of_64_bits(self, last: int) -> None:
        ends = np.array([0, 2**62, 2**63 - 3], dtype=np.uint64)
        row = Row.of(0, ends, np.array([2, 0, 1, 5], dtype=np.int64), last)
        lengths = {2: 1, 0: 2**62, 1: 2**63 - 3 - 2**62, 5: last - (2**63 - 3)}
        assert listed(Runs([row]).histogram(None)) == lengths
        assert listed(Runs([row, row]).histogram(None)) == {s: 2 * c for s, c in lengths.items()}

    def test_the_largest_cells_of_a_64_bit_column(self) -> None:
        ends = np.array([2**64 - 2, 2**64 - 1], dtype=np.uint64)
        row = Row.of(0, ends, np.array([3, 1, 2], dtype=np.int64), 2**64)
        assert listed(Runs([row]).histogram(None)) == {3: 2**64 - 1, 1: 1, 2: 1}
        assert row.find(2, 0) == (2**64, 0)
        assert row.find(1, 0) == (2**64 - 1, 0)

    def test_sums_beyond_64_bits_carry(self) -> None:
        ends = np.array([0, 2**63, 2**63 + 1, 2**64 - 1], dtype=np.uint64)
        row = Row.of(0, ends, np.array([9, 4, 9, 4, 9], dtype=np.int64), 2**64)
        assert listed(Runs([row]).histogram(None)) == {9: 3, 4: 2**63 + (2**64 - 1 - 2**63 - 1)}
        both = Runs([row, row, row]).histogram(None)
        assert listed(both)[4] == 3 * (2**64 - 2) > 2**64

    def test_an_empty_row_lends_nobody_its_score(self) -> None:
        empty = Row.of(1, np.array([0], dtype=np.uint64), np.array([0, 0], dtype=np.int64), 0)
        full = Row.of(0, np.array([], dtype=np.uint64), np.array([7], dtype=np.int64), 4)
        assert empty.empty
        assert listed(Runs([empty, full]).histogram(None)) == {7: 5}


class TestLocate:
    @given(st.lists(rows(), min_size=1, max_size=3))
    @settings(deadline=None)
    def test_finds_every_member_in_order(self, some: list[Row]) -> None:
        expected: dict[int, list[tuple[int, int]]] = {}
        for number, row in enumerate(some):
            for member, score in members(row):
                expected.setdefault(score, []).append((number, member))
        for score, places in expected.items():
            assert [Runs(some).locate(score, i) for i in range(len(places))] == places
            with pytest.raises(IndexError):
                Runs(some).locate(score, len(places))

    @given(rows(dtype=object))
    @settings(deadline=None, max_examples=40)
    def test_with_members_beyond_64_bits(self, row: Row) -> None:
        wide = Row(row.first + 2**100, row.lasts + 2**100, row.scores, row.last + 2**100)
        for score in set(row.scores.tolist()):
            places = [member + 2**100 for member, s in members(row) if s == score]
            assert [Runs([wide]).locate(score, i)[1] for i in range(len(places))] == places

    def test_in_blocks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(scores_module, "_BLOCK", 3)
        ends = np.array([1, 2, 5, 6, 9, 11, 20, 21, 30], dtype=np.uint64)
        row = Row.of(0, ends, np.array([1, 0, 1, 1, 0, 1, 1, 1, 0, 1], dtype=np.int64), 40)
        for score in (0, 1):
            places = [member for member, s in members(row) if s == score]
            assert [Runs([row]).locate(score, i)[1] for i in range(len(places))] == places

    def test_indices_beyond_64_bits(self) -> None:
        row = Row.of(0, np.array([10], dtype=np.uint64), np.array([0, 1], dtype=np.int64), 2**64)
        wide = Row.of(0, np.array([], dtype=object), np.array([1], dtype=np.int64), 2**128)
        runs = Runs([row, row, wide])
        per_row = 2**64 - 10
        assert runs.locate(1, per_row - 1) == (0, 2**64)
        assert runs.locate(1, per_row) == (1, 11)
        assert runs.locate(1, 2 * per_row + 2**100) == (2, 2**100)

    def test_names_turn_places_into_members(self) -> None:
        row = Row.of(0, np.array([1], dtype=np.uint64), np.array([0, 1], dtype=np.int64), 4)
        named = NamedScores(Runs([row]), lambda place: f"{place[0]}:{place[1]}")
        assert named.locate(1, 2) == "0:4"
        assert named.histogram(None).counts == [2, 3]


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.uint8])
def test_numpy_counts_runs_as_the_kernel_does(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(5)
    lasts = np.sort(generator.choice(200, size=60, replace=False)).astype(kind)
    scores = generator.integers(3, 20, size=61)
    row = Row.of(0, lasts, scores, 220)
    want = [row.count(scores, 3, width) for width in (1, 5, 30)]
    monkeypatch.setattr("privpac.mechanisms.scores.plainly", lambda operations: True)
    monkeypatch.setattr("privpac.mechanisms.scores._count_inner", None)
    for width, counts in zip((1, 5, 30), want, strict=True):
        assert row.count(scores, 3, width).tolist() == counts.tolist()
    assert Row.of(0, lasts[:1], scores[:2], 220).count(scores[:2], 3, 20).sum() == 221
