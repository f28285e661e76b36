"""Compiled sums below every pair of tests, for two classes: what costs most in the sums over trees of depth 3.

Write a record as +cost or -cost by its class, S for the sum of that over a region and x for the sum over those of its
records that pass test h. Two different answers below h, either way round, cost (E - D)/2 and (E + D)/2 with
D = |2x - S| and E the price of all records of the region. So one number per region and test, D, is all there is to look
up, in a table made for it:

    r^(t - j) + r^(t + j + parity),  j = D // 2,

where t is half of the table of powers. In a region whose best D lies further, the smaller of the two powers is below
r^t, against a sum that contains a 1, and is dropped (docs/proofs/tree-sums.md, section 4).

For each larger test b and each h, the loop runs over the smaller tests a: counts of {a, b, h} then lie side by side.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.trees.kernels.leaves import power

__all__ = [
    "below_test",
    "furthest",
    "masses_of",
    "pair_table",
    "places",
    "regions_of",
    "square_of",
    "sum_of_region",
]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Counts = NDArray[np.int32]


@compiled
def pair_table(table: Floats) -> tuple[Floats, int]:
    """Three rows as long as `table`: sums of two powers for even and for odd D, and `table` itself; and t.

    Row `parity` has r^(t - j) + r^(t + j + parity) at t - j.
    """
    last = len(table) - 1
    middle = (last - 2) // 2
    rows = np.zeros(3 * len(table))
    for parity in range(2):
        for i in range(middle + 1):
            rows[parity * len(table) + i] = table[i] + table[2 * middle - i + parity]
    for i in range(len(table)):
        rows[2 * len(table) + i] = table[i]
    return rows, middle


@compiled
def square_of(signed: Longs, p: int) -> Longs:
    """Sums of every two tests as a square, single tests on its diagonal."""
    square = np.empty((p, p), signed.dtype)
    for b in range(p):
        square[b, b] = signed[1 + b]
        for a in range(b):
            square[b, a] = square[a, b] = signed[1 + p + b * (b - 1) // 2 + a]
    return square


@compiled
def below_test(signed: Longs, square: Longs, b: int, below: Longs) -> None:
    """below[h, a]: the sum of {a, b, h}, for a < b and h up to b."""
    start = 1 + len(square) * (len(square) + 1) // 2 + b * (b - 1) * (b - 2) // 6
    for h in range(b):
        row = start + h * (h - 1) // 2
        for a in range(h):
            below[h, a] = below[a, h] = signed[row + a]
        below[h, h] = square[b, h]
    for a in range(b):
        below[b, a] = square[b, a]


@compiled
def _triples(signed: Longs, below: Longs, p: int, b: int, h: int) -> Longs:
    """The sums of {a, b, h} for all a < b."""
    if h <= b:
        return below[h, :b]
    row = 1 + p * (p + 1) // 2 + h * (h - 1) * (h - 2) // 6 + b * (b - 1) // 2
    return signed[row : row + b]


@compiled
def _distances(
    both: Longs, one: Longs, other: np.int64, every: np.int64, regions: Longs, a: int
) -> tuple[np.int64, np.int64, np.int64, np.int64]:
    """D of the four regions of a and b: neither holds, only a, only b, both."""
    x, y = np.int64(both[a]), np.int64(one[a])
    return (
        abs(2 * (every - y - other + x) - regions[0, a]),
        abs(2 * (y - x) - regions[1, a]),
        abs(2 * (other - x) - regions[2, a]),
        abs(2 * x - regions[3, a]),
    )


@compiled
def furthest(signed: Longs, square: Longs, below: Longs, b: int, regions: Longs, best: Longs) -> None:
    """The largest D of each region, or |S| if two equal answers are better."""
    p = len(square)
    for s in range(4):
        for a in range(b):
            best[s, a] = abs(regions[s, a])
    for h in range(p):
        both, one = _triples(signed, below, p, b, h), square[h, :b]
        other, every = np.int64(square[b, h]), np.int64(square[h, h])
        for a in range(b):
            none, only_a, only_b, all_two = _distances(both, one, other, every, regions, a)
            best[0, a] = max(best[0, a], none)
            best[1, a] = max(best[1, a], only_a)
            best[2, a] = max(best[2, a], only_b)
            best[3, a] = max(best[3, a], all_two)


@compiled
def masses_of(
    signed: Longs,
    square: Longs,
    below: Longs,
    b: int,
    regions: Longs,
    lookup: tuple[Floats, int, Longs, Longs],
    weights: Floats,
    masses: Floats,
) -> None:
    """Sums of weight · (both powers) over all h; `lookup` says where in which row of the table each region reads."""
    p = len(square)
    rows, last, row, top = lookup
    for s in range(4):
        for a in range(b):
            masses[s, a] = 0.0
    for h in range(p):
        both, one = _triples(signed, below, p, b, h), square[h, :b]
        other, every, weight = np.int64(square[b, h]), np.int64(square[h, h]), weights[h]
        for a in range(b):
            none, only_a, only_b, all_two = _distances(both, one, other, every, regions, a)
            masses[0, a] += weight * rows[row[0, a] + min(top[0, a] - (none >> 1), last)]
            masses[1, a] += weight * rows[row[1, a] + min(top[1, a] - (only_a >> 1), last)]
            masses[2, a] += weight * rows[row[2, a] + min(top[2, a] - (only_b >> 1), last)]
            masses[3, a] += weight * rows[row[3, a] + min(top[3, a] - (all_two >> 1), last)]


@compiled
def places(best: Longs, b: int, middle: int, length: int, row: Longs, top: Longs) -> None:
    """Which row of the table each region reads, and where its D = 0 would stand."""
    for s in range(4):
        for a in range(b):
            half = best[s, a] >> 1
            near = half <= middle
            row[s, a] = (best[s, a] & 1) * length if near else 2 * length
            top[s, a] = middle if near else half


@compiled
def sum_of_region(
    total: Longs,
    best: np.int64,
    mass: float,
    costs: Longs,
    prior: Floats,
    whole: float,
    middle: int,
    table: Floats,
) -> tuple[np.int64, float]:
    """What one test with its two answers adds up to: different ones (`mass`), and equal ones whatever the test."""
    zero, one = np.int64(costs[0] * total[0]), np.int64(costs[1] * total[1])
    base = (zero + one - best) // 2
    half = best >> 1
    if half <= middle:
        mass /= table[middle - half]
    equal = prior[0] * prior[0] * power(table, one - base) + prior[1] * prior[1] * power(table, zero - base)
    return base, prior[0] * prior[1] * mass + equal * whole


@compiled
def regions_of(counts: Counts, square: Longs, every: np.int64, b: int, regions: Longs, totals: Longs) -> None:
    """S and the records of each class in the four regions of a and b, for all a < b."""
    p = len(square)
    for a in range(b):
        here = 1 + p + b * (b - 1) // 2 + a
        both, left, right = np.int64(square[b, a]), np.int64(square[a, a]), np.int64(square[b, b])
        regions[0, a], regions[1, a] = every - left - right + both, left - both
        regions[2, a], regions[3, a] = right - both, both
        for y in range(2):
            pair, first, second = counts[here, y], counts[1 + a, y], counts[1 + b, y]
            totals[a, 0, y], totals[a, 1, y] = counts[0, y] - first - second + pair, first - pair
            totals[a, 2, y], totals[a, 3, y] = second - pair, pair
