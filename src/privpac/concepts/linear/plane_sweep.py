"""All ways in which half-planes separate points of the plane: a sweep over directions, in exact integers.

Points are ordered by their projection on a direction that turns by half a circle. Two points change places when the
direction is perpendicular to the line through them; points on one line reverse their order together. Every change makes
new prefixes of the order, and every way to separate the points is a prefix that is made exactly once.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled

__all__ = ["Sweep", "swept"]

Whole = NDArray[np.int64]

_DISTINCT = 2**26
"""Coordinates below this have slopes that doubles tell apart: two of them differ by more than a rounding."""


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """Changes in order: `first[g]` … of pairs (`i`, `j`) with the same slope make group g."""

    points: Whole
    """Distinct, in the order of x, then y; a row per point."""
    i: NDArray[np.int32]
    j: NDArray[np.int32]
    first: Whole

    @property
    def groups(self) -> int:
        """The number of different slopes."""
        return len(self.first) - 1

    def scores(self, values: Whole) -> tuple[Whole, NDArray[np.int32], NDArray[np.int32]]:
        """Sums of `values` over every prefix that is made, with the group that made it and its length."""
        return _sweep(self.i, self.j, self.first, values)

    @cached_property
    def prefixes(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Group and length of every prefix that is made, in that order."""
        return self.scores(np.zeros(len(self.points), np.int64))[1:]

    def normal(self, group: int) -> tuple[int, int]:
        """An integer direction just after a group's change and before the next one."""
        here, there = self._turn(group), self._turn(group + 1)
        x, y = here[0] + there[0], here[1] + there[1]
        return (x, y) if (x, y) != (0, 0) else (-here[1], here[0])

    def _turn(self, group: int) -> tuple[int, int]:
        """The direction at which a group changes; after the last one, half a circle after the first."""
        sign = 1 if group < self.groups else -1
        pair = int(self.first[group % self.groups])
        p, q = self.points[self.i[pair]].tolist(), self.points[self.j[pair]].tolist()
        return sign * (p[1] - q[1]), sign * (q[0] - p[0])


def swept(points: Whole) -> Sweep:
    """Sort all changes. A quotient of doubles never puts two slopes the wrong way round; it may make them equal."""
    i, j = (index.astype(np.int32) for index in np.triu_indices(len(points), 1))
    dx = points[j, 0] - points[i, 0]
    dy = points[j, 1] - points[i, 1]
    with np.errstate(divide="ignore"):
        slopes = np.where(dx == 0, np.inf, dy / np.where(dx == 0, 1, dx))
    order = np.argsort(slopes, kind="stable")  # so that a draw names the same member on every machine
    slopes = slopes[order]
    new = np.flatnonzero(slopes[1:] != slopes[:-1]) + 1
    starts = np.concatenate([[0], new, [len(order)]]).astype(np.int64)
    if len(points) and int(np.abs(points).max()) >= _DISTINCT:
        order, starts = _split_by_fractions(order, starts, dx, dy)
    return Sweep(points, i[order], j[order], starts if len(order) else np.zeros(1, np.int64))


def _split_by_fractions(order: Whole, starts: Whole, dx: Whole, dy: Whole) -> tuple[Whole, Whole]:
    """Slopes that are equal as doubles, compared as fractions."""
    long = np.flatnonzero(np.diff(starts) > 1)
    ends: list[int] = []
    for group in long.tolist():
        first, last = int(starts[group]), int(starts[group + 1])
        pairs = order[first:last]
        if int(dx[pairs[0]]) == 0:  # vertical ones are equal
            continue
        exact = [Fraction(int(dy[k]), int(dx[k])) for k in pairs.tolist()]
        ranks = sorted(range(len(pairs)), key=exact.__getitem__)
        order[first:last] = pairs[ranks]
        ends += [first + k + 1 for k, (a, b) in enumerate(pairwise(ranks)) if exact[a] != exact[b]]
    return order, np.sort(np.concatenate([starts, np.array(ends, dtype=np.int64)])) if ends else starts


@compiled
def _sweep(
    i: NDArray[np.int32], j: NDArray[np.int32], first: Whole, values: Whole
) -> tuple[Whole, NDArray[np.int32], NDArray[np.int32]]:
    """Reverse the points of every line in turn; a line of m points has m(m - 1)/2 pairs and makes m - 1 prefixes."""
    n = len(values)
    order, place, sums = np.arange(n), np.arange(n), np.zeros(n + 1, np.int64)
    for k in range(n):
        sums[k + 1] = sums[k] + values[k]
    scores, groups = np.empty(len(i), np.int64), np.empty(len(i), np.int32)
    lengths, count = np.empty(len(i), np.int32), 0
    start, size, earlier, members = (
        np.empty(n, np.int64),
        np.zeros(n, np.int64),
        np.full(n, -1),
        np.empty(n, np.int64),
    )
    for g in range(len(first) - 1):
        lines = _lines(i, j, first[g], first[g + 1], g, place, start, earlier, members)
        for t in range(lines):
            size[start[members[t]]] += 1
        for t in range(lines):
            a = start[members[t]]
            b = a + size[a] - 1
            size[a] = 0
            if b <= a:  # the line was reversed already
                continue
            for k in range((b - a + 1) // 2):
                x, y = order[a + k], order[b - k]
                order[a + k], order[b - k] = y, x
                place[x], place[y] = b - k, a + k
            for k in range(a, b):
                sums[k + 1] = sums[k] + values[order[k]]
                scores[count], groups[count], lengths[count] = sums[k + 1], g, k + 1
                count += 1
    return scores[:count], groups[:count], lengths[:count]


@compiled
def _lines(
    i: NDArray[np.int32],
    j: NDArray[np.int32],
    low: int,
    high: int,
    group: int,
    place: Whole,
    start: Whole,
    earlier: Whole,
    members: Whole,
) -> int:
    """The points that change in a group, and for each the first place of its line: its least place in any pair."""
    lines = 0
    for e in range(low, high):
        for p in (i[e], j[e]):
            if earlier[p] != group:
                earlier[p] = group
                start[p] = place[p]
                members[lines] = p
                lines += 1
    for e in range(low, high):
        least = min(place[i[e]], place[j[e]])
        start[i[e]] = min(start[i[e]], least)
        start[j[e]] = min(start[j[e]], least)
    return lines
