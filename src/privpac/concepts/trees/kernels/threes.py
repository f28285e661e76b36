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
    pair_table,
    square_of,
    starts_of_pair,
    sum_of,
    turn,
    write_regions,
)

__all__ = ["cube_of", "three_sums"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

BATCH = 32
"""Regions taken together: what is to be looked up for them, with 128 tests, is 16 KiB."""
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
            turn(signed, starts, b, cube, b * p)


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
    starts, together, larger = np.empty(p, np.int64), np.empty((p, p), kind), np.empty((4, p), kind)
    smaller = np.empty((4, p), kind)
    places, different, whole = np.empty((BATCH, p), kind), np.empty(BATCH), sum_of(weights)
    best, total = np.empty(BATCH, np.int64), np.empty(BATCH, np.int64)
    price, goal = np.empty(BATCH, np.int64), np.empty(BATCH, np.int64)
    many, begin = 0, 1 + p + p * (p - 1) // 2
    for c in range(2, p):
        if c % share[1] != share[0]:
            continue
        for b in range(1, c):
            _starts_of_three(p, b, c, starts)
            turn(signed, starts, b, together, 0)
            _four_regions(cube, c * p + b, square, b, square, c, square, p, larger)
            row = c * (c - 1) * (c - 2) // 6 + b * (b - 1) // 2
            for a in range(b):
                _eight(square, signed[begin + row + a], signed[0], a, b, c, total, many)
                _eight(prices, priced[begin + row + a], priced[0], a, b, c, price, many)
                _four_regions(together, a, cube, b * p + a, cube, c * p + a, square, a, smaller)
                _places(smaller, larger, many, len(table), total, places, best)
                many = _keep(
                    many, places, best, total, price, goal, column, nested, a, b, c, (row + a) << 3,
                    pair_leaves, pair_leaf_masses, pair_scores, pair_masses,
                    leaf_scores, leaf_masses, scores, masses,
                )  # fmt: skip
                last = a == b - 1 and b == c - 1 and c + share[1] >= p
                if many > BATCH - 8 or (many > 0 and last):
                    write_regions(
                        many, places, best, total, price, goal, prior, weights, whole, scale, stop, table, rows,
                        middle, different, leaf_scores, leaf_masses, scores, masses,
                    )  # fmt: skip
                    many = 0


@compiled
def _four_regions(
    both: Longs, i: int, left: Longs, j: int, right: Longs, k: int, every: Longs, m: int, out: Longs
) -> None:
    """Twice the sums of every test in the four regions of two others."""
    kind = out.dtype.type
    for h in range(out.shape[1]):
        common, only, other = kind(2 * both[i, h]), kind(2 * left[j, h]), kind(2 * right[k, h])
        out[1, h], out[2, h], out[3, h] = kind(only - common), kind(other - common), common
        out[0, h] = kind(kind(kind(2 * every[m, h]) - only) - kind(other - common))


@compiled
def _places(
    smaller: Longs, larger: Longs, many: int, length: int, total: Longs, places: Longs, best: Longs
) -> None:
    """Where in the table of pairs every test stands, in eight regions of three tests: rows from `many` on.

    `larger` has the regions of two of them, `smaller` those where the third holds as well; in `total` are their sums,
    in `best` the largest D // 2 of each, or |S| // 2 if two equal answers are better.
    """
    kind, p = places.dtype.type, places.shape[1]
    for s in range(4):
        row = many + 2 * s
        without, with_a = kind(total[row]), kind(total[row + 1])
        line, other = kind((without & 1) * length), kind((with_a & 1) * length)
        most, more = kind(line + (abs(without) >> 1)), kind(other + (abs(with_a) >> 1))
        for h in range(p):
            outside, inside = kind(kind(larger[s, h] - smaller[s, h]) - without), kind(smaller[s, h] - with_a)
            outside, inside = max(outside, kind(-outside)), max(inside, kind(-inside))
            outside, inside = kind((outside >> 1) + line), kind((inside >> 1) + other)
            places[row, h], places[row + 1, h] = outside, inside
            most, more = max(most, outside), max(more, inside)
        best[row], best[row + 1] = most - line, more - other


@compiled
def _keep(
    many: int,
    places: Longs,
    best: Longs,
    total: Longs,
    price: Longs,
    goal: Longs,
    column: Longs,
    nested: Flags,
    a: int,
    b: int,
    c: int,
    here: int,
    pair_leaves: Longs,
    pair_leaf_masses: Floats,
    pair_scores: Longs,
    pair_masses: Floats,
    leaf_scores: Longs,
    leaf_masses: Floats,
    scores: Longs,
    masses: Floats,
) -> int:
    """Those of the eight regions from `many` on that are new stay, and are to be written from `here` on; the others are
    written now. How many regions are there to be written."""
    if column[a] != column[b] and column[b] != column[c]:
        for signs in range(8):
            goal[many + signs] = here + signs
        return many + 8
    end = many
    for signs in range(8):
        source, row = _source(column, nested, a, b, c, signs), many + signs
        if source == EMPTY:
            leaf_scores[here + signs], leaf_masses[here + signs] = 0, 1.0
            scores[here + signs], masses[here + signs] = 0, 1.0
        elif source != NEW:
            leaf_scores[here + signs], leaf_masses[here + signs] = (
                pair_leaves[source],
                pair_leaf_masses[source],
            )
            scores[here + signs], masses[here + signs] = pair_scores[source], pair_masses[source]
        else:
            best[end], total[end], price[end], goal[end] = best[row], total[row], price[row], here + signs
            if end < row:
                for h in range(places.shape[1]):
                    places[end, h] = places[row, h]
            end += 1
    return end


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
def _eight(
    square: Longs, three: np.int64, every: np.int64, a: int, b: int, c: int, out: Longs, begin: int
) -> None:
    """What the eight regions of three tests have of one number, from `begin` on; a is bit 0 of a region."""
    lower, upper, pair = np.int64(square[a, b]), np.int64(square[a, c]), np.int64(square[b, c])
    out[begin + 1], out[begin + 3] = np.int64(square[a, a]) - lower - upper + three, lower - three
    out[begin + 5], out[begin + 7] = upper - three, three
    out[begin] = np.int64(every) - square[b, b] - square[c, c] + pair - out[begin + 1]
    out[begin + 2] = np.int64(square[b, b]) - pair - out[begin + 3]
    out[begin + 4] = np.int64(square[c, c]) - pair - out[begin + 5]
    out[begin + 6] = pair - three


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
