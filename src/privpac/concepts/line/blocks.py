"""Cuts in the middle of occupied blocks, by cost, without touching the domain.

The cells of a column, padded to 2^levels, are halved again and again: a *block* of level l holds the 2^(levels - l)
cells that share their first l bits. A block that holds a record is *occupied*, and stands for the cut in its middle,
which costs

    max(2·reach - records in the block, mistakes - (reach - 1)),

so that a block of 2·reach records whose middle makes fewer than `reach` mistakes costs nothing. Beside the blocks stand
both ends of the column, which cost their mistakes - (reach - 1), and a blank (no cut) that costs 2·reach and counts
`stake` times.

n records occupy up to n·levels blocks. They are not listed: the n values make a tree with at most n - 1 forks, and
along an edge of it all blocks hold the same records, on one side of their middles, so that only two costs occur.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled, interpreted, plainly
from privpac.data.statistics import ColumnCounts
from privpac.mechanisms.scores import Histogram

__all__ = ["BlockMiddles", "block_middles"]

_ENDS = 2
"""The first two groups are the ends of the column."""


@dataclass(frozen=True, eq=False, repr=False)
class BlockMiddles:
    """Groups of blocks with one cost: those of levels `low` to `high` - 1 around one value (the `key`-th) whose next
    bit is `bit`, or whatever it is (2, at forks). The first two groups are the ends. Private: it has no repr."""

    values: NDArray[Any]
    domain: int
    levels: int
    stake: int
    blank: int
    """What the blank costs."""
    costs: NDArray[np.int64]
    counts: NDArray[np.int64]
    key: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    bit: NDArray[np.int64]

    def histogram(self, span: int | None) -> Histogram:
        """Members by cost; the blank counts `stake` times."""
        best = min(int(self.costs.min()), self.blank)
        steps, places = np.unique(np.append(self.costs, self.blank) - best, return_inverse=True)
        sums = np.zeros(len(steps), dtype=np.int64)
        np.add.at(sums, places[:-1], self.counts)
        totals: list[int] = sums.tolist()
        totals[int(places[-1])] += self.stake
        end = len(steps) if span is None else int(np.searchsorted(steps, span, side="right"))
        return Histogram(best, steps[:end], totals[:end], sum(totals[end:]))

    def locate(self, score: int, index: int) -> int | None:
        """The cut of the index-th member with this cost; None is the blank."""
        if score == self.blank:
            if index < self.stake:
                return None
            index -= self.stake
        groups = np.flatnonzero(self.costs == score)
        sums = np.cumsum(self.counts[groups])
        place = int(np.searchsorted(sums, index, side="right"))
        before = int(sums[place - 1]) if place else 0
        return next(islice(self._members(int(groups[place])), index - before, None))

    def cuts(self, score: int) -> Iterator[int]:
        """The cuts of all members with this cost, without the blank."""
        for group in np.flatnonzero(self.costs == score).tolist():
            yield from self._members(group)

    def _members(self, group: int) -> Iterator[int]:
        """The cuts of a group, the longest block first."""
        if group < _ENDS:
            yield self.domain if group else 0
            return
        value, bit = int(self.values[self.key[group]]), int(self.bit[group])
        for level in range(int(self.low[group]), int(self.high[group])):
            half = 1 << (self.levels - level - 1)
            if bit in (2, int(value & half > 0)):
                # Middles beyond the column are its end: no record lies there.
                yield min(self.domain, value // (2 * half) * 2 * half + half)


def block_middles(
    evidence: ColumnCounts, mistakes: NDArray[np.int64], *, domain: int, levels: int, reach: int, stake: int
) -> BlockMiddles:
    """The occupied blocks of these records, where the cut behind i distinct values makes mistakes[i]."""
    values, last = evidence.values, len(evidence.values) - 1
    sums = np.concatenate(([0], np.cumsum(evidence.counts.sum(axis=1, dtype=np.int64))))
    common = _shared_bits(values, levels)
    firsts, lasts = _spans(common) if not plainly(20 * len(values)) else interpreted(_spans)(common)
    leaves, forks = np.arange(last + 1), np.arange(last)
    first, final = np.concatenate((firsts, leaves)), np.concatenate((lasts, leaves))
    level = np.concatenate((common, np.full(last + 1, levels)))
    fence = np.concatenate(([-1], common, [-1]))  # levels shared with the neighbours; none beyond the ends
    above = np.maximum(fence[first], fence[final + 1]) + 1
    few = 2 * reach - (sums[final + 1] - sums[first])
    ones = _ones(values, first, above, level, levels)

    def costs(few: NDArray[np.int64], gaps: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.maximum(few, mistakes[gaps] - (reach - 1))

    ends = np.zeros(_ENDS, dtype=np.int64)
    parts: Sequence[tuple[NDArray[np.int64], ...]] = (
        (mistakes[[0, -1]] - (reach - 1), ends + 1, ends, ends, ends, ends),
        (costs(few[:last], forks + 1), forks * 0 + 1, firsts, common, common + 1, forks * 0 + 2),
        (costs(few, first), ones, first, above, level, first * 0 + 1),
        (costs(few, final + 1), np.maximum(level - above, 0) - ones, first, above, level, first * 0),
    )
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    is_occupied = columns[1] > 0
    return BlockMiddles(
        values, domain, levels, stake, 2 * reach, *(column[is_occupied] for column in columns)
    )


def _shared_bits(values: NDArray[Any], levels: int) -> NDArray[np.int64]:
    """How many first bits neighbouring values share."""
    differing = values[1:] ^ values[:-1]
    if values.dtype == object:
        lengths = np.array([int(word).bit_length() for word in differing], dtype=np.int64)
    else:
        # A double holds 32 bits exactly, and frexp tells how many there are.
        high, low = (differing >> np.uint64(32)), differing & np.uint64(0xFFFFFFFF)
        upper, lower = np.frexp(high.astype(np.float64))[1], np.frexp(low.astype(np.float64))[1]
        lengths = np.where(high > 0, upper.astype(np.int64) + 32, lower.astype(np.int64))
    return levels - lengths


def _ones(
    values: NDArray[Any],
    first: NDArray[np.int64],
    above: NDArray[np.int64],
    level: NDArray[np.int64],
    levels: int,
) -> NDArray[np.int64]:
    """Set bits of a value from one level to before another; none where the range is empty."""
    keys, width = values[first], np.maximum(level - above, 0)
    if values.dtype == object:
        bits = zip(keys.tolist(), (levels - level).tolist(), width.tolist(), strict=True)
        return np.array([(key >> drop & (1 << wide) - 1).bit_count() for key, drop, wide in bits], np.int64)
    # Shifts stay below 64: a range of no bits is cut off at the end instead.
    drop = np.minimum(levels - level, 63).astype(np.uint64)
    keep = np.uint64(2**64 - 1) >> np.minimum(64 - width, 63).astype(np.uint64)
    ones: NDArray[np.int64] = np.bitwise_count(keys >> drop & keep).astype(np.int64)
    return np.where(width > 0, ones, 0)


@compiled
def _spans(common: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last value of the block that forks between values q and q + 1, for each q: as far as more is shared."""
    count = len(common)
    firsts, lasts = np.zeros(count, np.int64), np.full(count, count, np.int64)
    stack, top = np.zeros(count + 1, np.int64), 0
    for q in range(count):
        while top > 0 and common[stack[top - 1]] > common[q]:
            top -= 1
            lasts[stack[top]] = q
        if top > 0:
            firsts[q] = stack[top - 1] + 1
        stack[top] = q
        top += 1
    return firsts, lasts
