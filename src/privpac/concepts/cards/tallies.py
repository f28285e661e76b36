"""What a card sees of records: sums of weights behind every public test or pair of answers, counts by sum of points.

All of them are additive statistics, so every engine has them, with one pass over records that pass by. A test of a
column is a range of its codes (see `Binarisation.codes`), so weights are added up code by code, and a record costs two
look-ups per column, however many tests there are and however many were drawn; pairs cost one per two columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.cards.both import Answer, Both
from privpac.concepts.cards.risks import WALL
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.data.sample import Block, InMemory, Sample
from privpac.errors import DataError

__all__ = [
    "MOST_POINTS",
    "ByClass",
    "ByPair",
    "BySum",
    "ByWeight",
    "Looks",
    "Points",
    "held_by_pair",
    "held_by_test",
    "looks",
    "merged",
    "most_points",
]

MOST_POINTS = 9
"""Points of one digit."""

CHUNK = 4096
"""Records whose points are added up before their weights are: they stay in the nearest cache."""


@dataclass(frozen=True)
class Points:
    """This many points where a test, or both of two answers, holds, and as many less than none where it does not."""

    test: Test | Both
    points: int


def merged(draws: Sequence[Points]) -> dict[Test | Both, int]:
    """The points of every test: what it was drawn with, added up, and cut off where a digit ends.

    A card of more tests than hang on a wall may have points of two digits: with a delta rounds are many and small.
    """
    most = MOST_POINTS if len(draws) <= WALL else 11 * MOST_POINTS
    sums: dict[Test | Both, int] = {}
    for one in draws:
        sums[one.test] = sums.get(one.test, 0) + one.points
    return {test: min(max(points, -most), most) for test, points in sums.items()}


@dataclass(frozen=True)
class _Layout:
    """Where the codes of every column begin in one long row of them."""

    tests: Binarisation

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        sizes = [len(group.cells) + 1 for group in self.tests.groups]
        return np.array([0, *accumulate(sizes)], dtype=np.int64)

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """Every two columns."""
        columns = range(len(self.tests.groups))
        return np.array([*combinations(columns, 2)], dtype=np.int64).reshape(-1, 2)

    @cached_property
    def pair_starts(self) -> NDArray[np.int64]:
        """Where the codes of every two columns begin in one long row of them."""
        widths = np.diff(self.starts)
        return np.array([0, *accumulate(int(widths[a] * widths[b]) for a, b in self.pairs)], dtype=np.int64)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {group.column: place for place, group in enumerate(self.tests.groups)}

    def _codes(self, test: Test) -> tuple[int, slice]:
        """The place of a test's column, and its codes for which the test holds."""
        place = self._place[test.column]
        group = self.tests.groups[place]
        first = group.cells.index(test.cell) + 1
        return place, slice(first, len(group.cells) + 1 if group.nested else first + 1)

    def points(self, draws: Sequence[Points]) -> NDArray[np.int64]:
        """The points that each code of each column brings by itself."""
        row = np.zeros(int(self.starts[-1]), dtype=np.int64)
        for test, points in merged(draws).items():
            if isinstance(test, Both):
                continue
            place, matches = self._codes(test)
            codes = row[self.starts[place] : self.starts[place + 1]]
            codes -= points
            codes[matches] += 2 * points
        return row

    def together(self, draws: Sequence[Points]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Every two columns with points for two answers at once, and their points by both codes, one row each."""
        tables: dict[tuple[int, int], NDArray[np.int64]] = {}
        for both, points in merged(draws).items():
            if isinstance(both, Both):
                one, other = (self._mask(answer) for answer in both.answers)
                signs = 2 * np.outer(one[1], other[1]).astype(np.int64) - 1
                table = tables.setdefault((one[0], other[0]), np.zeros(signs.shape, dtype=np.int64))
                table += points * signs
        rows = np.zeros((len(tables), max((table.size for table in tables.values()), default=0)), np.int64)
        for row, table in zip(rows, tables.values(), strict=True):
            row[: table.size] = table.ravel()
        return np.array([*tables], dtype=np.int64).reshape(-1, 2), rows

    def _mask(self, answer: Answer) -> tuple[int, NDArray[np.bool_]]:
        """The place of an answer's column, and for which of its codes it is given."""
        place, matches = self._codes(answer.test)
        mask = np.full(len(self.tests.groups[place].cells) + 1, not answer.holds)
        mask[matches] = answer.holds
        return place, mask

    def places(self, codes: NDArray[Any], draws: Sequence[Points]) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """The points of all records plus the most there can be, so that they are places in a table; some thousand at
        a time, with the number of the first. The next ones are written over them."""
        points, together, records = self.points(draws), self.together(draws), codes.shape[1]
        room = np.empty(CHUNK, dtype=np.int64)
        for first in range(0, records, CHUNK):
            sums = room[: min(CHUNK, records - first)]
            _points_of(codes, self.starts, points, most_points(draws), first, sums)
            if len(together[0]):
                _points_together(codes, self.starts, *together, first, sums)
            yield first, sums


def most_points(draws: Sequence[Points]) -> int:
    """The most points that a record can have."""
    return sum(abs(one.points) for one in draws)


class _OfCodes(ABC):
    """A statistic of records whose codes are known: blocks are encoded, states are added."""

    tests: Binarisation

    @property
    def columns(self) -> tuple[str, ...]:
        return self.tests.columns

    @abstractmethod
    def zero(self) -> NDArray[np.int64]: ...

    @abstractmethod
    def add(self, state: NDArray[np.int64], codes: NDArray[Any], labels: NDArray[np.uint8]) -> None:
        """Add these records to the state, in place."""

    def absorb(self, state: NDArray[np.int64], block: Block) -> NDArray[np.int64]:
        self.add(state, self.tests.codes(block), _labels(block))
        return state

    def merge(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
        return a + b


@dataclass(frozen=True)
class ByClass(_OfCodes):
    """How many records of each of two classes (row) have each code of each column."""

    tests: Binarisation

    def zero(self) -> NDArray[np.int64]:
        return np.zeros((2, int(_Layout(self.tests).starts[-1])), dtype=np.int64)

    def add(self, state: NDArray[np.int64], codes: NDArray[Any], labels: NDArray[np.uint8]) -> None:
        _count_codes(codes, _Layout(self.tests).starts, labels, state)


@dataclass(frozen=True)
class ByWeight(_OfCodes):
    """Sums of weights by code of each column. The weight of a record depends on its label and on the points that
    `drawn` gives it: `weights[label][points + most_points(drawn)]`."""

    tests: Binarisation
    drawn: tuple[Points, ...]
    weights: tuple[tuple[int, ...], tuple[int, ...]]

    def zero(self) -> NDArray[np.int64]:
        return np.zeros(int(_Layout(self.tests).starts[-1]), dtype=np.int64)

    def add(self, state: NDArray[np.int64], codes: NDArray[Any], labels: NDArray[np.uint8]) -> None:
        layout = _Layout(self.tests)
        weights = np.array(self.weights, dtype=np.int64)
        for first, places in layout.places(codes, self.drawn):
            _weigh(labels, weights, first, places)
            _add_weights(codes, layout.starts, first, places, state)


@dataclass(frozen=True)
class ByPair(ByWeight):
    """The same sums by both codes of every two columns."""

    def zero(self) -> NDArray[np.int64]:
        return np.zeros(int(_Layout(self.tests).pair_starts[-1]), dtype=np.int64)

    def add(self, state: NDArray[np.int64], codes: NDArray[Any], labels: NDArray[np.uint8]) -> None:
        layout = _Layout(self.tests)
        weights = np.array(self.weights, dtype=np.int64)
        for first, places in layout.places(codes, self.drawn):
            _weigh(labels, weights, first, places)
            _add_pairs(codes, layout.starts, layout.pairs, layout.pair_starts, first, places, state)


@dataclass(frozen=True)
class BySum(_OfCodes):
    """How many records of each class (column) have a sum of points in each bucket (row).

    `buckets[points + most_points(drawn)]` is the bucket of a sum.
    """

    tests: Binarisation
    drawn: tuple[Points, ...]
    buckets: tuple[int, ...]

    def zero(self) -> NDArray[np.int64]:
        return np.zeros((max(self.buckets) + 1, 2), dtype=np.int64)

    def add(self, state: NDArray[np.int64], codes: NDArray[Any], labels: NDArray[np.uint8]) -> None:
        buckets = np.array(self.buckets, dtype=np.int64)
        for first, places in _Layout(self.tests).places(codes, self.drawn):
            _count_sums(labels, buckets, first, places, state)


class Looks(Protocol):
    """Records that are looked at several times."""

    def reduce(self, statistic: Any) -> NDArray[np.int64]: ...


@dataclass(frozen=True, eq=False, repr=False)
class _Encoded:
    """Records in memory, their codes looked up once for all rounds."""

    codes: NDArray[Any]
    labels: NDArray[np.uint8]

    def reduce(self, statistic: _OfCodes) -> NDArray[np.int64]:
        state = statistic.zero()
        statistic.add(state, self.codes, self.labels)
        return state


def looks(sample: Sample, tests: Binarisation) -> Looks:
    """The records, encoded once if they are in memory; otherwise each look is a pass."""
    if not isinstance(sample, InMemory):
        return sample
    block = sample.block(*tests.columns)
    return _Encoded(tests.codes(block), _labels(block))


def _labels(block: Block) -> NDArray[np.uint8]:
    if block.labels is None:
        raise DataError("These records have no labels, and a card needs them.", remedy="Give labels.")
    return block.labels


def held_by_test(by_code: NDArray[np.int64], tests: Binarisation) -> NDArray[np.int64]:
    """For every test, what is summed up over the codes where it holds."""
    starts = _Layout(tests).starts
    parts = []
    for place, group in enumerate(tests.groups):
        parts.append(_by_test(by_code[starts[place] : starts[place + 1]], nested=group.nested))
    return np.concatenate(parts)


def held_by_pair(by_pair: NDArray[np.int64], tests: Binarisation) -> Iterator[NDArray[np.int64]]:
    """For every two columns, by test of the first (row) and of the second: what is summed up over the codes where both
    hold, the first alone, the second alone, and neither."""
    layout = _Layout(tests)
    for (a, b), start in zip(layout.pairs.tolist(), layout.pair_starts.tolist(), strict=False):
        one, other = tests.groups[a], tests.groups[b]
        shape = len(one.cells) + 1, len(other.cells) + 1
        sums = by_pair[start : start + shape[0] * shape[1]].reshape(shape)
        rows, columns = _by_test(sums, nested=one.nested), _by_test(sums.T, nested=other.nested).T
        both = _by_test(rows.T, nested=other.nested).T
        first, second = rows.sum(axis=1)[:, None], columns.sum(axis=0)
        neither = sums.sum() - first - second + both
        yield np.stack([both, first - both, second - both, neither], axis=-1)


def _by_test(sums: NDArray[np.int64], *, nested: bool) -> NDArray[np.int64]:
    """From sums by code (row) to sums by test."""
    by_code = sums[1:]
    return np.cumsum(by_code[::-1], axis=0)[::-1] if nested else by_code


@compiled
def _count_codes(
    codes: NDArray[Any], starts: NDArray[np.int64], labels: NDArray[np.uint8], out: NDArray[np.int64]
) -> None:
    for column in range(codes.shape[0]):
        first, row = starts[column], codes[column]
        for i in range(codes.shape[1]):
            out[labels[i], first + row[i]] += 1


@compiled
def _points_of(
    codes: NDArray[Any],
    starts: NDArray[np.int64],
    points: NDArray[np.int64],
    none: int,
    first: int,
    sums: NDArray[np.int64],
) -> None:
    """The points of the records from `first` on, as many as `sums` has room for, counted from `none`."""
    sums[:] = none
    for column in range(codes.shape[0]):
        begin, row = starts[column], codes[column]
        if not points[begin : starts[column + 1]].any():  # most columns have no test on the card
            continue
        for i in range(len(sums)):
            sums[i] += points[begin + row[first + i]]


@compiled
def _points_together(
    codes: NDArray[Any],
    starts: NDArray[np.int64],
    columns: NDArray[np.int64],
    points: NDArray[np.int64],
    first: int,
    sums: NDArray[np.int64],
) -> None:
    """Add the points that two columns bring together."""
    begin = np.uint64(first)  # unsigned places need no look at whether they count from the end: half the time
    for pair in range(len(columns)):
        a, b = columns[pair]
        width, one, other, row = np.uint64(starts[b + 1] - starts[b]), codes[a], codes[b], points[pair]
        for i in range(np.uint64(len(sums))):
            sums[i] += row[one[begin + i] * width + other[begin + i]]


@compiled
def _add_pairs(
    codes: NDArray[Any],
    starts: NDArray[np.int64],
    pairs: NDArray[np.int64],
    pair_starts: NDArray[np.int64],
    first: int,
    weights: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """The weights of the records from `first` on, by both codes of every two columns."""
    begin = np.uint64(first)
    for pair in range(len(pairs)):
        a, b = pairs[pair]
        width, one, other = np.uint64(starts[b + 1] - starts[b]), codes[a], codes[b]
        row = out[pair_starts[pair] : pair_starts[pair + 1]]
        for i in range(np.uint64(len(weights))):
            row[one[begin + i] * width + other[begin + i]] += weights[i]


@compiled
def _weigh(
    labels: NDArray[np.uint8], weights: NDArray[np.int64], first: int, places: NDArray[np.int64]
) -> None:
    """The weights of the records from `first` on, in place of their places in the table of weights."""
    for i in range(len(places)):
        places[i] = weights[labels[first + i], places[i]]


@compiled
def _add_weights(
    codes: NDArray[Any],
    starts: NDArray[np.int64],
    first: int,
    weights: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """The weights of the records from `first` on, by code."""
    for column in range(codes.shape[0]):
        begin, row = starts[column], codes[column]
        for i in range(len(weights)):
            out[begin + row[first + i]] += weights[i]


@compiled
def _count_sums(
    labels: NDArray[np.uint8],
    buckets: NDArray[np.int64],
    first: int,
    sums: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    for i in range(len(sums)):
        out[buckets[sums[i]], labels[first + i]] += 1
