"""Integer scores of a whole class, without listing it: how many members have which score, and which is the j-th.

`Runs` covers every class whose members can be laid out in rows with few changes of score: thresholds, points, finite
lists, and unions of such rows (stumps). Multiplicities are exact integers of any size; they are counted by a compiled
kernel in two 64-bit limbs, by pairs of words where members do not fit in 64 bits, or by Python integers beyond 128.
Scores are 64-bit integers: whoever makes them sees to it that the price of all records fits
(`constructions.draw.occam`).

Everything here is private: nothing in this file has a repr that shows what it holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled, plainly
from privpac.numbers.words import Words, differences, split, sums_by_slot

__all__ = ["Histogram", "Listed", "NamedScores", "Place", "Row", "Runs", "Scores"]

Place = tuple[int, int]
"""(row, member): where a member of a class stands in `Runs`."""

M = TypeVar("M", covariant=True)


@dataclass(frozen=True, eq=False, repr=False)
class Histogram:
    """`counts[i]` > 0 members have score `best + steps[i]`; `beyond` members have a larger one than the last counted.

    `steps` begins with 0 and increases. Scores nobody has are left out: with costs of a million they are almost all.
    """

    best: int
    steps: NDArray[np.int64]
    counts: list[int]
    beyond: int = 0

    @classmethod
    def within(
        cls, best: int, steps: NDArray[np.int64], counts: NDArray[np.int64], span: int | None
    ) -> Histogram:
        """All members by score, of which those more than `span` above the best are only counted together."""
        near = len(steps) if span is None else int(np.searchsorted(steps, span, side="right"))
        return cls(best, steps[:near], counts[:near].tolist(), int(counts[near:].sum()))

    @classmethod
    def of_parts(cls, parts: Iterable[NDArray[np.int64]], span: int | None) -> Histogram:
        """The same of scores that are listed, some at a time."""
        weights: Counter[int] = Counter()
        for part in parts:
            values, counts = np.unique(part, return_counts=True)
            weights.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))
        scores, totals = (
            np.array(column, dtype=np.int64) for column in zip(*sorted(weights.items()), strict=True)
        )
        return cls.within(int(scores[0]), scores - scores[0], totals, span)


class Scores(Protocol[M]):
    """What the mechanisms need of a class once it has seen the evidence."""

    def histogram(self, span: int | None) -> Histogram:
        """Members by score, up to `span` above the best; all of them when span is None."""

    def locate(self, score: int, index: int) -> M:
        """The index-th member, in order, among those with this score."""


@dataclass(frozen=True, eq=False, repr=False)
class Row:
    """Members first..last in runs of equal score: run j ends with `lasts[j]`, the final run with `last`.

    `lasts` is strictly increasing and one shorter than `scores`. Use `Row.of`, which drops empty runs at both ends.
    """

    first: int
    lasts: NDArray[Any]
    scores: NDArray[np.int64]
    last: int
    words: Words | None = None
    """`lasts` once more, if they are Python integers whose words are known."""

    @classmethod
    def of(
        cls, first: int, lasts: NDArray[Any], scores: NDArray[np.int64], last: int, words: Words | None = None
    ) -> Row:
        """Runs cut to the places from `first` to `last`."""
        begin, end = 0, len(lasts)
        while begin < end and int(lasts[begin]) < first:
            begin += 1
        while begin < end and int(lasts[end - 1]) >= last:
            end -= 1
        pieces = None if words is None else (words[0][begin:end], words[1][begin:end])
        return cls(first, lasts[begin:end], scores[begin : end + 1], last, pieces)

    def start(self, run: int) -> int:
        """The first place of a run."""
        return int(self.lasts[run - 1]) + 1 if run else self.first

    def length(self, run: int) -> int:
        """The number of places in a run."""
        end = int(self.lasts[run]) if run < len(self.lasts) else self.last
        return end - self.start(run) + 1

    @property
    def empty(self) -> bool:
        """Whether there is no place at all."""
        return self.last < self.first

    @property
    def fits(self) -> bool:
        """Whether no sum of lengths leaves 64 bits."""
        return self.lasts.dtype != object and self.last - self.first + 1 < 2**63

    def count(self, slots: NDArray[np.int64], best: int, width: int) -> NDArray[Any]:
        """Members by slot - best, for a slot a run; what lies at `width` or above is collected there."""
        singles = {0, len(slots) - 1}
        counts: NDArray[Any]
        if self.fits and plainly(_PLAIN_COST * len(slots) + width):
            counts = _count_inner_plainly(self.lasts, slots, best, width)
        elif self.fits:
            counts = _count_inner(self.lasts, slots, best, width)
        elif self.lasts.dtype == object and self.first >= 0 and self.last <= 2**128:
            inner = differences(split(self.lasts) if self.words is None else self.words)
            counts = sums_by_slot(inner, np.minimum(slots[1:-1] - best, width), width + 1)
        elif self.lasts.dtype == object:
            counts = np.zeros(width + 1, dtype=object)
            singles.update(range(len(slots)))
        else:
            low, high = _count_inner_wide(self.lasts, slots, best, width)
            counts = low.astype(object) + (high.astype(object) << 64)
        for run in singles:
            counts[min(int(slots[run]) - best, width)] += self.length(run)
        return counts

    def find(self, score: int, index: int) -> tuple[int | None, int]:
        """(member, 0) if the index-th member of this score lies here, else (None, how many are still to pass)."""
        runs = np.flatnonzero(self.scores == score)
        for first in range(0, len(runs), _BLOCK):
            part = runs[first : first + _BLOCK]
            sums = np.cumsum(self._lengths(part))
            place = int(np.searchsorted(sums, index, side="right"))
            if place < len(part):
                before = int(sums[place - 1]) if place else 0
                return self.start(int(part[place])) + index - before, 0
            index -= int(sums[-1])
        return None, index

    def _lengths(self, runs: NDArray[np.intp]) -> NDArray[Any]:
        """Lengths of many runs at once; one by one where they may not fit in 64 bits."""
        if not self.fits:
            return np.array([self.length(run) for run in runs.tolist()], dtype=object)
        lasts = self.lasts.view(np.int64) if self.lasts.dtype == np.uint64 else self.lasts
        lengths = np.empty(len(runs), dtype=np.int64)
        inner = slice(int(runs[0] == 0), len(runs) - int(runs[-1] == len(lasts)))
        lengths[inner] = lasts[runs[inner]] - lasts[runs[inner] - 1]
        for outer in {0, len(runs) - 1}:
            lengths[outer] = self.length(int(runs[outer]))
        return lengths


_BLOCK = 65536
"""Runs looked at together when a member is located: large enough for numpy, small enough to stop early."""

_DENSE = 2**20
"""Scores up to which a table with a slot for each is counted into, whatever the number of runs."""


_PLAIN_COST = 10
"""Operations of numpy per run."""


def _count_inner_plainly(
    lasts: NDArray[Any], slots: NDArray[np.int64], best: int, width: int
) -> NDArray[np.int64]:
    """What `_count_inner` counts, by numpy alone."""
    counts = np.zeros(width + 1, np.int64)
    np.add.at(counts, np.minimum(slots[1:-1] - best, width), np.diff(lasts).astype(np.int64))
    return counts


@compiled
def _count_inner(
    lasts: NDArray[np.uint64], scores: NDArray[np.int64], best: int, width: int
) -> NDArray[np.int64]:
    """Lengths of all runs but the first and the final one, summed by score; the sums fit."""
    counts = np.zeros(width + 1, np.int64)
    for j in range(1, len(scores) - 1):
        counts[min(scores[j] - best, width)] += np.int64(lasts[j] - lasts[j - 1])
    return counts


@compiled
def _count_inner_wide(
    lasts: NDArray[np.uint64], scores: NDArray[np.int64], best: int, width: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """As `_count_inner`, with sums in two words of 64 bits."""
    low = np.zeros(width + 1, np.uint64)
    high = np.zeros(width + 1, np.uint64)
    for j in range(1, len(scores) - 1):
        slot = min(scores[j] - best, width)
        length = np.uint64(lasts[j]) - np.uint64(lasts[j - 1])
        total = low[slot] + length
        if total < length:
            high[slot] += np.uint64(1)
        low[slot] = total
    return low, high


@dataclass(frozen=True, eq=False, repr=False)
class Runs:
    """Rows of members, scored."""

    rows: Sequence[Row]

    def histogram(self, span: int | None) -> Histogram:
        rows = [row for row in self.rows if not row.empty]
        best = min(int(row.scores.min()) for row in rows)
        worst = max(int(row.scores.max()) for row in rows)
        width = (worst - best if span is None else min(worst - best, span)) + 1
        if width <= max(_DENSE, sum(len(row.scores) for row in rows)):
            counts = _total([row.count(row.scores, best, width) for row in rows], rows)
            steps = np.flatnonzero(counts[:width])
            return Histogram(best, steps, counts[steps].tolist(), int(counts[width]))
        present = [np.unique(row.scores[row.scores - best < width]) for row in rows]
        scores = np.unique(np.concatenate(present))
        # Scores further out than the last one present find the slot after it.
        parts = [row.count(np.searchsorted(scores, row.scores), 0, len(scores)) for row in rows]
        counts = _total(parts, rows)
        return Histogram(best, scores - best, counts[:-1].tolist(), int(counts[-1]))

    def locate(self, score: int, index: int) -> Place:
        for number, row in enumerate(self.rows):
            member, index = row.find(score, index)
            if member is not None:
                return number, member
        raise IndexError("no member with this score and index")


def _total(parts: list[NDArray[Any]], rows: Sequence[Row]) -> NDArray[Any]:
    """Sums over all rows, slot by slot; by Python integers where they may not fit in 64 bits."""
    if sum(row.last - row.first + 1 for row in rows) >= 2**63:
        parts = [part.astype(object) for part in parts]
    return parts[0] if len(parts) == 1 else np.add.reduce(parts)


@dataclass(frozen=True, eq=False, repr=False)
class NamedScores(Generic[M]):
    """Scores whose places stand for something: `name` turns a place into a hypothesis."""

    runs: Runs
    name: Callable[[Place], M]

    def histogram(self, span: int | None) -> Histogram:
        return self.runs.histogram(span)

    def locate(self, score: int, index: int) -> M:
        return self.name(self.runs.locate(score, index))


@dataclass(frozen=True, eq=False, repr=False)
class Listed:
    """One score a member, in a list; the member is its number."""

    scores: NDArray[np.int64]

    def histogram(self, span: int | None) -> Histogram:
        best = int(self.scores.min())
        steps = self.scores - best
        near = steps if span is None else steps[steps <= span]
        present, counts = np.unique(near, return_counts=True)
        return Histogram(best, present, counts.tolist(), len(steps) - len(near))

    def locate(self, score: int, index: int) -> int:
        return int(np.flatnonzero(self.scores == score)[index])
