"""Compiled sums over pairs of leaves for two classes, below every region of three tests: most of a sum of depth 4.

As in `pairs`, with one test more. Two tests of the same column are nested or exclude each other. Then of their four
regions one is empty, two are regions of fewer tests, whose sums are known already, and only one is new.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.trees.kernels.pairs import (
    Table,
    four_of_one,
    four_regions,
    furthest,
    pair_table,
    square_of,
    starts_of_pair,
    turned,
    write_four,
)

__all__ = ["cube_of", "three_sums"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

NEW, EMPTY, SMALLER, LARGER = -2, -1, 0, 1
"""What two tests of one column make together: something new, nothing, or what one of them says alone."""


@compiled
def cube_of(signed: Longs, cube: Longs, share: tuple[int, int]) -> None:
    """cube[b·p + a, h]: the sum of {a, b, h}, for a < b and all h."""
    p = cube.shape[1]
    starts = np.empty(p, np.int64)
    for b in range(p):
        if b % share[1] == share[0]:
            starts_of_pair(p, b, starts)
            turned(signed, starts, b, cube, b * p)


@compiled
def three_sums(
    signed: Longs,
    priced: Longs,
    cube: Longs,
    columns: tuple[Longs, Flags],
    prior: Floats,
    weights: Floats,
    scale: float,
    stop: float,
    table: Floats,
    pairs: tuple[Table, Table],
    leaves: Table,
    sums: Table,
    share: tuple[int, int],
) -> None:
    """Leaf sums and depth-one sums of every region of three tests, written at row set · 8 + signs.

    `signed` are sums of +cost or -cost by class, of all sets of at most four tests, `priced` those of the costs
    themselves, of at most three. `columns` has the column of every test and whether its tests are nested, `pairs` the
    leaf sums and depth-one sums of regions of two tests.
    """
    p, kind = len(weights), signed.dtype
    square, prices = square_of(signed, p), square_of(priced, p)
    rows, middle = pair_table(table)
    column, nested = columns
    (pair_leaves, pair_leaf_masses), (pair_scores, pair_masses) = pairs
    leaf_scores, leaf_masses = leaves
    scores, masses = sums
    starts, together, room = np.empty(p, np.int64), np.empty((p, p), kind), np.empty((8, p), kind)
    total, price = np.empty(8, np.int64), np.empty(8, np.int64)
    waiting, apart = np.zeros((4, p), kind), np.empty((4, p), kind)
    totals, worths, places = np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(4, np.int64)
    best = np.empty(4, np.int64)
    many, begin = 0, 1 + p + p * (p - 1) // 2
    for c in range(2, p):
        if c % share[1] != share[0]:
            continue
        for b in range(1, c):
            _starts_of_three(p, b, c, starts)
            turned(signed, starts, b, together, 0)
            four_regions(cube, c * p + b, square, b, square, c, square, p, room, 0)
            row = c * (c - 1) * (c - 2) // 6 + b * (b - 1) // 2
            for a in range(b):
                four_regions(together, a, cube, b * p + a, cube, c * p + a, square, a, room, 4)
                _eight(square, signed[begin + row + a], signed[0], a, b, c, total)
                _eight(prices, priced[begin + row + a], priced[0], a, b, c, price)
                for signs in range(8):
                    place, source = ((row + a) << 3) + signs, _source(column, nested, a, b, c, signs)
                    if source == EMPTY:
                        leaf_scores[place], leaf_masses[place], scores[place], masses[place] = 0, 1.0, 0, 1.0
                    elif source != NEW:
                        leaf_scores[place], leaf_masses[place] = pair_leaves[source], pair_leaf_masses[source]
                        scores[place], masses[place] = pair_scores[source], pair_masses[source]
                    else:
                        totals[many], worths[many] = _wait(room, total, price, signs, waiting, many)
                        places[many] = place
                        many += 1
                    last = signs == 7 and a == b - 1 and b == c - 1 and c + share[1] >= p
                    if many == 4 or (many > 0 and last):  # in the end with those before them once more
                        for s in range(4):
                            best[s] = furthest(waiting, s, totals[s], apart)
                        write_four(
                            best, totals, worths, places, prior, weights, scale, stop, table, rows, middle,
                            apart, leaf_scores, leaf_masses, scores, masses,
                        )  # fmt: skip
                        many = 0


@compiled
def _starts_of_three(p: int, b: int, c: int, starts: Longs) -> None:
    """Where {·, b, c, h} stands among the sums of all sets, b < c; at h = b and h = c the set {·, b, c}."""
    threes = 1 + p + p * (p - 1) // 2
    fours = threes + p * (p - 1) * (p - 2) // 6
    for h in range(p):
        low, high = min(b, h), max(c, h)
        mid = b + c + h - low - high
        starts[h] = fours + high * (high - 1) * (high - 2) * (high - 3) // 24
        starts[h] += mid * (mid - 1) * (mid - 2) // 6 + low * (low - 1) // 2
    starts[b] = starts[c] = threes + c * (c - 1) * (c - 2) // 6 + b * (b - 1) // 2


@compiled
def _eight(square: Longs, three: np.int64, every: np.int64, a: int, b: int, c: int, out: Longs) -> None:
    """Of one number: the four regions of b and c, then those where a holds as well."""
    four_of_one(square[b, c], square[b, b], square[c, c], every, out, 0)
    four_of_one(three, square[a, b], square[a, c], square[a, a], out, 4)


@compiled
def _wait(
    room: Longs, total: Longs, price: Longs, signs: int, waiting: Longs, many: int
) -> tuple[np.int64, np.int64]:
    """A region waits until there are four; `room` has those of the larger two tests, then with the smallest."""
    s = signs >> 1
    if signs & 1:
        for h in range(room.shape[1]):
            waiting[many, h] = room[4 + s, h]
        return total[4 + s], price[4 + s]
    for h in range(room.shape[1]):
        waiting[many, h] = room[s, h] - room[4 + s, h]
    return total[s] - total[4 + s], price[s] - price[4 + s]


@compiled
def _source(column: Longs, nested: Flags, a: int, b: int, c: int, signs: int) -> int:
    """The region of two tests that one of three is, as its place among them; or NEW, or EMPTY."""
    one, two, three = signs & 1, signs >> 1 & 1, signs >> 2
    lower, upper = _together(column, nested, a, b, one, two), _together(column, nested, b, c, two, three)
    if lower == EMPTY or upper == EMPTY:
        return EMPTY
    if lower == SMALLER:  # a says nothing
        return ((c * (c - 1) // 2 + b) << 2) + (signs >> 1)
    if lower == LARGER or upper == SMALLER:  # b says nothing
        return ((c * (c - 1) // 2 + a) << 2) + one + 2 * three
    if upper == LARGER:
        return ((b * (b - 1) // 2 + a) << 2) + (signs & 3)
    return NEW


@compiled
def _together(column: Longs, nested: Flags, low: int, high: int, one: int, two: int) -> int:
    """Which of two tests says nothing besides the other, with these answers."""
    if column[low] != column[high]:
        return NEW
    if nested[low]:  # where the larger holds, so does the smaller
        return (SMALLER if one else EMPTY) if two else (NEW if one else LARGER)
    return (EMPTY if one else SMALLER) if two else (LARGER if one else NEW)
