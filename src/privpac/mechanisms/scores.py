"""Integer scores of a whole class, without listing it: how many members have which score, and which is the j-th.

`Runs` covers every class whose members can be laid out in a row with few changes of score: thresholds, points,
finite lists, and unions of such rows (stumps). Multiplicities are exact integers of any size; up to 2^64 members
a run they are counted by compiled kernels in two 64-bit limbs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled

__all__ = ["Histogram", "Place", "Runs", "Scores"]

Cells = NDArray[Any]
Place = tuple[int, int]
"""(row, member): where a member of a class stands in a `Scores`."""


@dataclass(frozen=True)
class Histogram:
    """`counts[i]` members have score `best + i`; `beyond` members have a larger score than the last counted."""

    best: int
    counts: list[int]
    beyond: int = 0


class Scores(Protocol):
    """What `mechanisms.gibbs` needs of a class once it has seen the evidence."""

    def histogram(self, span: int | None) -> Histogram:
        """Members by score, up to `span` above the best; all of them when span is None."""

    def locate(self, score: int, index: int) -> Place:
        """The index-th member, in order, among those with this score."""


@dataclass(frozen=True)
class Runs:
    """Rows of members; in row `r`, members `starts[j] <= m < starts[j + 1]` have score `scores[j]`.

    `starts` is sorted; `end` closes the last run of its row.
    """

    rows: Sequence[tuple[Cells, NDArray[np.int64], int]]
    """(starts, scores, end) a row."""

    def histogram(self, span: int | None) -> Histogram:
        best = min(int(scores.min()) for _, scores, _ in self.rows)
        worst = max(int(scores.max()) for _, scores, _ in self.rows)
        width = worst - best + 1 if span is None else min(worst - best, span) + 1
        counts = [0] * width
        beyond = 0
        for starts, scores, end in self.rows:
            row, rest = _count_row(starts, scores, end, best, width)
            beyond += rest
            if len(self.rows) == 1:
                counts = row
            else:
                counts = [a + b for a, b in zip(counts, row, strict=True)]
        return Histogram(best, counts, beyond)

    def locate(self, score: int, index: int) -> Place:
        for row, (starts, scores, end) in enumerate(self.rows):
            member, index = _find_in_row(starts, scores, end, score, index)
            if member is not None:
                return row, member
        raise IndexError("no member with this score and index")


def _count_row(
    starts: Cells, scores: NDArray[np.int64], end: int, best: int, width: int
) -> tuple[list[int], int]:
    if starts.dtype == object:
        return _count_big(starts, scores, end, best, width)
    low, high = _count_limbs(starts, scores, best, width)
    last = int(scores[-1]) - best
    counts = [int(a) + (int(b) << 64) for a, b in zip(low, high, strict=True)]
    counts[min(last, width)] += end - int(starts[-1])
    return counts[:width], counts[width]


def _count_big(
    starts: Cells, scores: NDArray[np.int64], end: int, best: int, width: int
) -> tuple[list[int], int]:
    counts = [0] * (width + 1)
    edges = [*starts.tolist(), end]
    for j, score in enumerate(scores.tolist()):
        counts[min(score - best, width)] += edges[j + 1] - edges[j]
    return counts[:width], counts[width]


@compiled
def _count_limbs(
    starts: NDArray[np.uint64], scores: NDArray[np.int64], best: int, width: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Lengths of all runs but the last, summed by score in two limbs; slot `width` collects the rest."""
    low = np.zeros(width + 1, np.uint64)
    high = np.zeros(width + 1, np.uint64)
    one = np.uint64(1)
    for j in range(len(scores) - 1):
        slot = scores[j] - best
        if slot > width:
            slot = width
        length = starts[j + 1] - starts[j]
        total = low[slot] + length
        if total < length:
            high[slot] += one
        low[slot] = total
    return low, high


def _find_in_row(
    starts: Cells, scores: NDArray[np.int64], end: int, score: int, index: int
) -> tuple[int | None, int]:
    """(member, 0) if the index-th member of this score lies in the row, else (None, index left over)."""
    runs = np.flatnonzero(scores == score)
    if len(runs) == 0:
        return None, index
    if starts.dtype == object or len(runs) < 4096 or end > 2**64 - 1:
        return _find_among(starts, end, runs, index)
    ends = np.append(starts[1:], np.uint64(end))
    lengths = ends[runs] - starts[runs]
    return _find_in_blocks(starts, lengths, runs, index)


def _find_among(starts: Cells, end: int, runs: NDArray[np.intp], index: int) -> tuple[int | None, int]:
    for j in runs.tolist():
        first = int(starts[j])
        length = (int(starts[j + 1]) if j + 1 < len(starts) else end) - first
        if index < length:
            return first + index, 0
        index -= length
    return None, index


def _find_in_blocks(
    starts: Cells, lengths: NDArray[np.uint64], runs: NDArray[np.intp], index: int
) -> tuple[int | None, int]:
    """Walk in blocks whose total is taken with Python integers, so that no sum can overflow."""
    block = 4096
    for first in range(0, len(runs), block):
        part = lengths[first : first + block]
        total = (int((part >> np.uint64(32)).sum()) << 32) + int((part & np.uint64(0xFFFFFFFF)).sum())
        if index < total:
            for offset, length in enumerate(part.tolist()):
                if index < length:
                    return int(starts[runs[first + offset]]) + index, 0
                index -= length
        index -= total
    return None, index
