"""Sums over boxes that touch points on every side, by states of what was touched.

For a range of z and one of y, `marks` says of every x which of five things lie there within the ranges: bit 0 a point
with the first y, bit 1 with the last y, bit 2 with the first z, bit 3 with the last z, and bit 4 any point. A range of
x is a labelling if both of its ends have a point and all four bits occur in it. Ranges that end at x are kept by the
bits they have seen: sixteen numbers, each with a power of the ratio of its own. Only values of x with a point or a
record within the ranges are visited; bit 5 says which they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.trees.powers import plus

__all__ = ["cheapest_box", "outer_sums", "ranges_within"]

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Points = NDArray[np.bool_]

ALL = 15
ANY = 16
LIVE = 32
FAR = 2**61


@compiled
def _slab(occupancy: Points, moves: Counts, z: int, z_last: int) -> tuple[NDArray[np.uint8], Counts]:
    """For every (y, x): bits 2, 3 and 4 of the points in the range of z, and the sum of moves."""
    rows, width = occupancy.shape[1], occupancy.shape[2]
    marks, sums = np.zeros((rows, width), np.uint8), np.zeros((rows, width), np.int64)
    for y in range(rows):
        for x in range(width):
            for at in range(z, z_last + 1):
                sums[y, x] += moves[at, y, x]
                if occupancy[at, y, x]:
                    marks[y, x] |= ANY
            if occupancy[z, y, x]:
                marks[y, x] |= 4
            if occupancy[z_last, y, x]:
                marks[y, x] |= 8
    return marks, sums


@compiled
def _entries(slab: NDArray[np.uint8], sums: Counts) -> tuple[Counts, Counts]:
    """Where the values of x that matter stand, row by row: those of row y from first[y] up to first[y + 1]."""
    rows, width = slab.shape
    first, places, count = np.zeros(rows + 1, np.int64), np.empty(rows * width, np.int64), 0
    for y in range(rows):
        for x in range(width):
            if slab[y, x] or sums[y, x] != 0:
                places[count] = x
                count += 1
        first[y + 1] = count
    return first, places[:count].copy()


@compiled
def _take(
    slab: NDArray[np.uint8],
    sums: Counts,
    y: int,
    entries: tuple[Counts, Counts],
    marks: NDArray[np.uint8],
    row: Counts,
    live: Counts,
    count: int,
) -> int:
    """One more y: what it adds to the marks, without the bits of the first and last y, and to the sums.

    The first `count` of `live` are the values of x that matter so far, ascending; returns how many there are then.
    """
    first, places = entries
    for entry in range(first[y], first[y + 1]):
        x = places[entry]
        if marks[x] & LIVE == 0:
            at = count
            while at > 0 and live[at - 1] > x:
                live[at] = live[at - 1]
                at -= 1
            live[at] = x
            count += 1
        marks[x] |= slab[y, x] | LIVE
        row[x] += sums[y, x]
    return count


@compiled
def _mark(x: int, slab: NDArray[np.uint8], y: int, y_last: int, marks: NDArray[np.uint8]) -> int:
    """All bits of x for the ranges at hand."""
    mark = marks[x]
    if slab[y, x] & ANY:
        mark |= 1
    if slab[y_last, x] & ANY:
        mark |= 2
    return int(mark & (ALL | ANY))


@compiled
def _ends(
    slab: NDArray[np.uint8],
    y: int,
    y_last: int,
    marks: NDArray[np.uint8],
    row: Counts,
    live: Counts,
    lowest: int,
    table: Floats,
    states: Floats,
    powers: Counts,
) -> tuple[int, float]:
    """The sum over all labellings with these outer ranges, as ratio^power · mantissa.

    Every state has an exponent of its own: what is dropped beside something heavier has the same bits and the same end,
    so whatever follows would have been worth as little to it.
    """
    states[:] = 0.0
    total_power, total = 0, 0.0
    for x in live:
        mark = _mark(x, slab, y, y_last, marks)
        bits = mark & ALL
        for state in range(lowest, ALL + 1):
            if bits and states[state] != 0.0 and (state | bits) != state:
                to = state | bits
                powers[to], states[to] = plus(powers[to], states[to], powers[state], states[state], table)
                states[state] = 0.0
        if mark & ANY:  # a range may begin here, with weight ratio^0 before the move
            powers[bits], states[bits] = plus(powers[bits], states[bits], 0, 1.0, table)
        for state in range(lowest, ALL + 1):
            powers[state] += row[x]
        if mark & ANY:
            total_power, total = plus(total_power, total, powers[ALL], states[ALL], table)
    return total_power, total


@compiled
def outer_sums(occupancy: Points, moves: Counts, table: Floats, exponents: Counts, mantissas: Floats) -> None:
    """One sum for every range of z and every range of y, in their order."""
    depth, rows, width = occupancy.shape
    states, powers = np.zeros(ALL + 1), np.zeros(ALL + 1, np.int64)
    live, place = np.zeros(width, np.int64), 0
    for z in range(depth):
        for z_last in range(z, depth):
            slab, sums = _slab(occupancy, moves, z, z_last)
            entries = _entries(slab, sums)
            lowest = 12 if z == z_last else 0  # every point has both bits of a single z
            for y in range(rows):
                marks, row, count = np.zeros(width, np.uint8), np.zeros(width, np.int64), 0
                for y_last in range(y, rows):
                    count = _take(slab, sums, y_last, entries, marks, row, live, count)
                    power, total = _ends(
                        slab, y, y_last, marks, row, live[:count], lowest, table, states, powers
                    )
                    exponents[place], mantissas[place] = power, total
                    place += 1


@compiled
def ranges_within(
    occupancy: Points, moves: Counts, z: int, z_last: int, y: int, y_last: int
) -> tuple[Counts, Counts, Counts]:
    """The labellings with these outer ranges: first and last x, and the sum of moves; counted first, then listed."""
    width = occupancy.shape[2]
    slab, sums = _slab(occupancy, moves, z, z_last)
    marks, row = np.zeros(width, np.uint8), np.zeros(width, np.int64)
    entries, live, count = _entries(slab, sums), np.zeros(width, np.int64), 0
    for at in range(y, y_last + 1):
        count = _take(slab, sums, at, entries, marks, row, live, count)
    first, last, prices = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    for listing in range(2):
        place = 0
        for a in range(width):
            if not marks[a] & ANY:
                continue
            bits, price = 0, np.int64(0)
            for b in range(a, width):
                bits |= _mark(b, slab, y, y_last, marks) & ALL
                price += row[b]
                if bits == ALL and marks[b] & ANY:
                    if listing == 1:
                        first[place], last[place], prices[place] = a, b, price
                    place += 1
        if listing == 0:
            first, last, prices = (
                np.empty(place, np.int64),
                np.empty(place, np.int64),
                np.empty(place, np.int64),
            )
    return first, last, prices


@compiled
def cheapest_box(occupancy: Points, moves: Counts) -> tuple[np.int64, int, int, int, int, int, int]:
    """The lowest sum of moves of a labelling and the first one that has it; 0 if none is below nothing inside."""
    depth, rows, width = occupancy.shape
    best = (np.int64(0), 0, 0, 0, 0, 0, 0)
    states, begins = np.zeros(ALL + 1, np.int64), np.zeros(ALL + 1, np.int64)
    live = np.zeros(width, np.int64)
    for z in range(depth):
        for z_last in range(z, depth):
            slab, sums = _slab(occupancy, moves, z, z_last)
            entries = _entries(slab, sums)
            lowest = 12 if z == z_last else 0  # every point has both bits of a single z
            for y in range(rows):
                marks, row, count = np.zeros(width, np.uint8), np.zeros(width, np.int64), 0
                for y_last in range(y, rows):
                    count = _take(slab, sums, y_last, entries, marks, row, live, count)
                    states[:] = FAR
                    for x in live[:count]:
                        mark = _mark(x, slab, y, y_last, marks)
                        bits = mark & ALL
                        for state in range(lowest, ALL + 1):
                            to = state | bits
                            if to != state and states[state] < states[to]:
                                states[to], begins[to] = states[state], begins[state]
                            if to != state:
                                states[state] = FAR
                        if mark & ANY and states[bits] > 0:
                            states[bits], begins[bits] = 0, x
                        for state in range(lowest, ALL + 1):
                            if states[state] < FAR:
                                states[state] += row[x]
                        if mark & ANY and states[ALL] < best[0]:
                            best = (states[ALL], z, z_last, y, y_last, begins[ALL], x)
    return best
