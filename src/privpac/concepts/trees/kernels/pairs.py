"""Compiled sums over pairs of leaves for two classes, below every region of two tests: most of a sum of depth 3.

Write a record as +cost or -cost by its class, S for the sum of that over a region and x for the sum over those of its
records that pass test h. Two different answers below h, either way round, cost (E - D)/2 and (E + D)/2 with
D = |2x - S| and E the price of all records of the region. So one number per region and test, D, is all there is to look
up, in a table made for it:

    r^(t - j) + r^(t + j + parity),  j = D // 2,

where t is half of the table of powers. In a region whose best D lies further, the smaller of the two powers is below
r^t, against a sum that contains a 1, and is dropped (docs/proofs/tree-sums.md, section 4).

Counts of {a, b, h} lie side by side in a; they are turned over, so that the loops over all h of a region run over
neighbours. Four regions are summed together, so that no addition waits for the one before. Inner functions take arrays
one by one and rows by number: an array out of a tuple, or a view of a row, is counted as a reference, and two threads
wait for each other there. Regions of three tests are in `threes`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.trees.kernels.leaves import power, with_stop

__all__ = [
    "four_of_one",
    "four_regions",
    "furthest",
    "pair_sums",
    "pair_table",
    "square_of",
    "starts_of_pair",
    "turned",
    "write_four",
]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Table = tuple[Longs, Floats]

TILE = 16
"""Rows turned over together: their ends stay in the cache."""


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
    """Sums of every two tests as a square, single tests on its diagonal and once more in a last row."""
    square = np.empty((p + 1, p), signed.dtype)
    for b in range(p):
        square[b, b] = square[p, b] = signed[1 + b]
        for a in range(b):
            square[b, a] = square[a, b] = signed[1 + p + b * (b - 1) // 2 + a]
    return square


@compiled
def turned(signed: Longs, starts: Longs, b: int, out: Longs, begin: int) -> None:
    """out[begin + a, h] for a < b and all h: signed[starts[h] + a], where of h < b only the smaller a are stored.

    A test that is asked twice says nothing new: for h = a it is what stands at b.
    """
    p = len(starts)
    for h in range(b):
        row = signed[starts[h] : starts[h] + h]
        for a in range(h):
            out[begin + h, a] = row[a]
        for a in range(h):
            out[begin + a, h] = row[a]
        out[begin + h, h] = signed[starts[b] + h]
    for first in range(0, b, TILE):
        last = min(first + TILE, b)
        for h in range(b, p):
            row = signed[starts[h] + first : starts[h] + last]
            for a in range(len(row)):
                out[begin + first + a, h] = row[a]


@compiled
def furthest(inside: Longs, row: int, total: np.int64, apart: Longs) -> np.int64:
    """apart[row, h] = D of every test in this row; the largest of them, or |S| if two equal answers are better."""
    kind = apart.dtype.type
    best = kind(abs(total))
    for h in range(apart.shape[1]):
        distance = kind(2 * inside[row, h] - total)
        distance = max(distance, kind(-distance))
        apart[row, h] = distance
        best = max(best, distance)
    return np.int64(best)


@compiled
def _furthest_of_four(
    both: Longs,
    i: int,
    left: Longs,
    j: int,
    right: Longs,
    k: int,
    every: Longs,
    m: int,
    total: Longs,
    apart: Longs,
    best: Longs,
) -> None:
    """The same of the four regions of two tests (`four_regions`), in one loop, to `best`."""
    kind = apart.dtype.type
    one, two, three, four = kind(total[0]), kind(total[1]), kind(total[2]), kind(total[3])
    most, more, much, many = abs(one), abs(two), abs(three), abs(four)
    for h in range(apart.shape[1]):
        common = both[i, h]
        only, other = kind(left[j, h] - common), kind(right[k, h] - common)
        first = kind(2 * (every[m, h] - left[j, h] - other) - one)
        second, third, fourth = kind(2 * only - two), kind(2 * other - three), kind(2 * common - four)
        first, second = max(first, kind(-first)), max(second, kind(-second))
        third, fourth = max(third, kind(-third)), max(fourth, kind(-fourth))
        apart[0, h], apart[1, h], apart[2, h], apart[3, h] = first, second, third, fourth
        most, more = max(most, first), max(more, second)
        much, many = max(much, third), max(many, fourth)
    best[0], best[1], best[2], best[3] = most, more, much, many


@compiled
def _look_up(apart: Longs, row: int, best: np.int64, middle: int, length: int) -> None:
    """Where in the table of pairs every D of this row stands."""
    kind = apart.dtype.type
    half = best >> 1
    near = half <= middle
    line = ((best & 1) if near else 2) * length
    top, end = kind(line + (middle if near else half)), kind(line + length - 1)
    for h in range(apart.shape[1]):
        apart[row, h] = min(kind(top - (apart[row, h] >> 1)), end)


@compiled
def _masses(places: Longs, rows: Floats, weights: Floats) -> tuple[float, float, float, float, float]:
    """The sum of all weights, and of four regions that of weight · (both powers) over all tests."""
    whole = one = two = three = four = 0.0
    for h in range(len(weights)):
        weight = weights[h]
        whole += weight
        one += weight * rows[np.uint32(places[0, h])]
        two += weight * rows[np.uint32(places[1, h])]
        three += weight * rows[np.uint32(places[2, h])]
        four += weight * rows[np.uint32(places[3, h])]
    return whole, one, two, three, four


@compiled
def write_four(
    best: Longs,
    total: Longs,
    price: Longs,
    place: Longs,
    prior: Floats,
    weights: Floats,
    scale: float,
    stop: float,
    table: Floats,
    rows: Floats,
    middle: int,
    apart: Longs,
    leaf_scores: Longs,
    leaf_masses: Floats,
    scores: Longs,
    masses: Floats,
) -> None:
    """Leaf sums and depth-one sums of four regions, each to its place.

    Rows of `apart` have D of each test, `best` the largest; `total` are their own sums, `price` those of all their
    records.
    """
    for s in range(4):
        _look_up(apart, s, best[s], middle, len(table))
    sums = _masses(apart, rows, weights)
    whole, different = sums[0], sums[1:]
    for s in range(4):
        gap = abs(total[s])
        half, base, alone = best[s] >> 1, (price[s] - best[s]) >> 1, (price[s] - gap) >> 1
        mass = different[s] / table[middle - half] if half <= middle else different[s]
        better = 1 if total[s] > 0 else 0
        own, other = prior[better], prior[1 - better]
        # Two equal answers cost the same whatever the test; the worse of them `gap` more.
        equal = own * own * power(table, alone - base) + other * other * power(table, alone + gap - base)
        leaf = own + other * power(table, gap)
        split = own * other * mass + equal * whole
        leaf_scores[place[s]], leaf_masses[place[s]] = alone, leaf
        scores[place[s]], masses[place[s]] = with_stop(base, split, alone, leaf, scale, stop, table)


@compiled
def pair_sums(
    signed: Longs,
    priced: Longs,
    prior: Floats,
    weights: Floats,
    scale: float,
    stop: float,
    table: Floats,
    leaves: Table,
    sums: Table,
    share: tuple[int, int],
) -> None:
    """Leaf sums and depth-one sums of every region of two tests, written at row set · 4 + signs.

    `signed` are sums of +cost or -cost by class, of all sets of at most three tests, `priced` those of the costs
    themselves, of at most two.
    """
    p, kind = len(weights), signed.dtype
    square, prices = square_of(signed, p), square_of(priced, p)
    rows, middle = pair_table(table)
    leaf_scores, leaf_masses = leaves
    scores, masses = sums
    starts, together = np.empty(p, np.int64), np.empty((p, p), kind)
    apart, best = np.empty((4, p), kind), np.empty(4, np.int64)
    total, price, place = np.empty(4, np.int64), np.empty(4, np.int64), np.empty(4, np.int64)
    for b in range(1, p):
        if b % share[1] != share[0]:
            continue
        starts_of_pair(p, b, starts)
        turned(signed, starts, b, together, 0)
        for a in range(b):
            four_of_one(square[a, b], square[a, a], square[b, b], signed[0], total, 0)
            _furthest_of_four(together, a, square, a, square, b, square, p, total, apart, best)
            four_of_one(prices[a, b], prices[a, a], prices[b, b], priced[0], price, 0)
            for s in range(4):
                place[s] = ((b * (b - 1) // 2 + a) << 2) + s
            write_four(
                best, total, price, place, prior, weights, scale, stop, table, rows, middle, apart,
                leaf_scores, leaf_masses, scores, masses,
            )  # fmt: skip


@compiled
def starts_of_pair(p: int, b: int, starts: Longs) -> None:
    """Where {·, b, h} stands among the sums of all sets; at h = b the pair {·, b}."""
    threes = 1 + p + p * (p - 1) // 2
    for h in range(p):
        low, high = min(b, h), max(b, h)
        starts[h] = threes + high * (high - 1) * (high - 2) // 6 + low * (low - 1) // 2
    starts[b] = 1 + p + b * (b - 1) // 2


@compiled
def four_regions(
    both: Longs,
    i: int,
    left: Longs,
    j: int,
    right: Longs,
    k: int,
    every: Longs,
    m: int,
    out: Longs,
    begin: int,
) -> None:
    """Rows of the four regions of two tests: neither holds, only the left one, only the right one, both."""
    p = out.shape[1]
    for h in range(p):
        out[begin, h] = every[m, h] - left[j, h] - right[k, h] + both[i, h]
    for h in range(p):
        out[begin + 1, h] = left[j, h] - both[i, h]
    for h in range(p):
        out[begin + 2, h] = right[k, h] - both[i, h]
    for h in range(p):
        out[begin + 3, h] = both[i, h]


@compiled
def four_of_one(
    both: np.int64, left: np.int64, right: np.int64, every: np.int64, out: Longs, begin: int
) -> None:
    """The same of a single number."""
    out[begin] = np.int64(every) - left - right + both
    out[begin + 1], out[begin + 2] = np.int64(left) - both, np.int64(right) - both
    out[begin + 3] = both
