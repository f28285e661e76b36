"""Compiled sums over pairs of leaves for two classes, below every region of two tests: most of a sum of depth 3.

Write a record as +cost or -cost by its class, S for the sum of that over a region and x for the sum over those of its
records that pass test h. Two different answers below h, either way round, cost (E - D)/2 and (E + D)/2 with
D = |2x - S| and E the price of all records of the region. So one number per region and test, D, is all there is to look
up, in a table made for it:

    r^(t - j) + r^(t + j + parity),  j = D // 2,

where t is half of the table of powers. In a region whose best D lies further, the smaller of the two powers is below
r^t, against a sum that contains a 1, and is dropped (docs/proofs/tree-sums.md, section 4).

Counts of {a, b, h} lie side by side in a; they are turned over, so that the loops over all h of a region run over
neighbours. Regions are taken in batches, and each step takes the whole of one: a call with a dozen arrays takes as long
as a region. Four of them are summed together, so that no addition waits for the one before. Inner functions take arrays
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
    "pair_sums",
    "pair_table",
    "square_of",
    "starts_of_pair",
    "sum_of",
    "turn",
    "write_regions",
]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Table = tuple[Longs, Floats]

TILE = 16
"""Rows turned over together: their ends stay in the cache."""
BATCH = 16
"""Regions taken together: what is to be looked up for them, with 128 tests, is 8 KiB."""
ODD_LINES = 8
"""Rows of a power of two numbers, one below the other, would drive each other out of the cache; with this bit set in
their length they do not."""


@compiled
def pair_table(table: Floats) -> tuple[Floats, int]:
    """Three rows as long as `table`: sums of two powers for even and for odd D, and `table` itself; and t.

    Row `parity` has r^(t - j) + r^(t + j + parity) at j.
    """
    last = len(table) - 1
    middle = (last - 2) // 2
    rows = np.zeros(3 * len(table))
    for parity in range(2):
        for j in range(middle + 1):
            rows[parity * len(table) + j] = table[middle - j] + table[middle + j + parity]
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
def turn(signed: Longs, starts: Longs, b: int, out: Longs, begin: int) -> None:
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
def _places(
    together: Longs,
    square: Longs,
    b: int,
    first: int,
    last: int,
    every: np.int64,
    length: int,
    total: Longs,
    places: Longs,
    best: Longs,
) -> None:
    """Where in the table of pairs every test stands, in the four regions of b and each a from `first` on: a row each.

    In `total` their sums, in `best` the largest D // 2 of each, or |S| // 2 if two equal answers are better.
    """
    kind, p = places.dtype.type, places.shape[1]
    for a in range(first, last):
        row = 4 * (a - first)
        four_of_one(square[a, b], square[a, a], square[b, b], every, total, row)
        one, two = kind(total[row]), kind(total[row + 1])
        three, four = kind(total[row + 2]), kind(total[row + 3])
        first_line, second_line = kind((one & 1) * length), kind((two & 1) * length)
        third_line, last_line = kind((three & 1) * length), kind((four & 1) * length)
        most, more = kind(first_line + (abs(one) >> 1)), kind(second_line + (abs(two) >> 1))
        much, many = kind(third_line + (abs(three) >> 1)), kind(last_line + (abs(four) >> 1))
        for h in range(p):
            both, left = kind(2 * together[a, h]), kind(2 * square[a, h])
            right = kind(kind(2 * square[b, h]) - both)
            none = kind(kind(kind(2 * square[p, h]) - left) - right)
            none, left = kind(none - one), kind(kind(left - both) - two)
            right, both = kind(right - three), kind(both - four)
            none, left = max(none, kind(-none)), max(left, kind(-left))
            right, both = max(right, kind(-right)), max(both, kind(-both))
            none, left = kind((none >> 1) + first_line), kind((left >> 1) + second_line)
            right, both = kind((right >> 1) + third_line), kind((both >> 1) + last_line)
            places[row, h], places[row + 1, h] = none, left
            places[row + 2, h], places[row + 3, h] = right, both
            most, more = max(most, none), max(more, left)
            much, many = max(much, right), max(many, both)
        best[row], best[row + 1] = most - first_line, more - second_line
        best[row + 2], best[row + 3] = much - third_line, many - last_line


@compiled
def _look_further(places: Longs, many: int, best: Longs, total: Longs, middle: int, length: int) -> None:
    """Of this many regions, those whose best D lies beyond the table of pairs look up one power instead."""
    kind = places.dtype.type
    for row in range(many):
        if best[row] > middle:
            top = kind(2 * length + best[row] + (total[row] & 1) * length)
            end = kind(3 * length - 1)
            for h in range(places.shape[1]):
                places[row, h] = min(kind(top - places[row, h]), end)


@compiled
def _masses(places: Longs, many: int, rows: Floats, weights: Floats, out: Floats) -> None:
    """Of this many regions, four together, the sum of weight · (both powers) over all tests.

    Where the last ones are fewer than four, the rest of their places must stand in the table as well.
    """
    p = np.uint64(len(weights))
    flat = places.ravel()
    for s in range(0, many, 4):
        here = np.uint64(s) * p
        second, third, last = here + p, here + p + p, here + p + p + p
        one = two = three = four = 0.0
        for test in range(len(weights)):
            h = np.uint64(test)
            weight = weights[h]
            one += weight * rows[np.uint32(flat[here + h])]
            two += weight * rows[np.uint32(flat[second + h])]
            three += weight * rows[np.uint32(flat[third + h])]
            four += weight * rows[np.uint32(flat[last + h])]
        out[s], out[s + 1], out[s + 2], out[s + 3] = one, two, three, four


@compiled
def write_regions(
    many: int,
    places: Longs,
    best: Longs,
    total: Longs,
    price: Longs,
    goal: Longs,
    prior: Floats,
    weights: Floats,
    whole: float,
    scale: float,
    stop: float,
    table: Floats,
    rows: Floats,
    middle: int,
    different: Floats,
    leaf_scores: Longs,
    leaf_masses: Floats,
    scores: Longs,
    masses: Floats,
) -> None:
    """Leaf sums and depth-one sums of this many regions, each to its goal.

    Rows of `places` are those of `_places`, `best` the largest D // 2; `total` are their own sums, `price` those of all
    their records, `whole` is the sum of all weights, and `different` room for a mass each.
    """
    _look_further(places, many, best, total, middle, len(table))
    for s in range(many, (many + 3) // 4 * 4):
        for h in range(len(weights)):
            places[s, h] = places[many - 1, h]
    _masses(places, many, rows, weights, different)
    for s in range(many):
        gap, half, here = abs(total[s]), best[s], goal[s]
        base, alone = ((price[s] - (gap & 1)) >> 1) - half, (price[s] - gap) >> 1
        mass = different[s] / table[middle - half] if half <= middle else different[s]
        better = 1 if total[s] > 0 else 0
        likely, other = prior[better], prior[1 - better]
        # Two equal answers cost the same whatever the test; the worse of them `gap` more.
        equal = likely * likely * power(table, alone - base) + other * other * power(
            table, alone + gap - base
        )
        leaf = likely + other * power(table, gap)
        split = likely * other * mass + equal * whole
        leaf_scores[here], leaf_masses[here] = alone, leaf
        scores[here], masses[here] = with_stop(base, split, alone, leaf, scale, stop, table)


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
    starts, together = np.empty(p, np.int64), np.empty((p, p | ODD_LINES), kind)
    places, different, whole = np.empty((BATCH, p), kind), np.empty(BATCH), sum_of(weights)
    best, total = np.empty(BATCH, np.int64), np.empty(BATCH, np.int64)
    price, goal = np.empty(BATCH, np.int64), np.empty(BATCH, np.int64)
    for b in range(1, p):
        if b % share[1] != share[0]:
            continue
        starts_of_pair(p, b, starts)
        turn(signed, starts, b, together, 0)
        for first in range(0, b, BATCH // 4):
            last = min(first + BATCH // 4, b)
            _places(together, square, b, first, last, signed[0], len(table), total, places, best)
            for a in range(first, last):
                four_of_one(prices[a, b], prices[a, a], prices[b, b], priced[0], price, 4 * (a - first))
            many = 4 * (last - first)
            for s in range(many):
                goal[s] = ((b * (b - 1) // 2 + first) << 2) + s
            write_regions(
                many, places, best, total, price, goal, prior, weights, whole, scale, stop, table, rows, middle,
                different, leaf_scores, leaf_masses, scores, masses,
            )  # fmt: skip


@compiled
def sum_of(weights: Floats) -> float:
    """All weights, added one after the other."""
    whole = 0.0
    for h in range(len(weights)):
        whole += weights[h]
    return whole


@compiled
def starts_of_pair(p: int, b: int, starts: Longs) -> None:
    """Where {·, b, h} stands among the sums of all sets; at h = b the pair {·, b}."""
    threes = 1 + p + p * (p - 1) // 2
    for h in range(p):
        low, high = min(b, h), max(b, h)
        starts[h] = threes + high * (high - 1) * (high - 2) // 6 + low * (low - 1) // 2
    starts[b] = 1 + p + b * (b - 1) // 2


@compiled
def four_of_one(
    both: np.int64, left: np.int64, right: np.int64, every: np.int64, out: Longs, begin: int
) -> None:
    """What the four regions of two tests have of a number: neither holds, only the left, only the right one, both."""
    out[begin] = np.int64(every) - left - right + both
    out[begin + 1], out[begin + 2] = np.int64(left) - both, np.int64(right) - both
    out[begin + 3] = both
