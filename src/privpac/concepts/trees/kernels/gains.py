"""Compiled gains of all majorities of three tests: right - wrong, counted, listed, found (formulas in `majority`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled

__all__ = ["count_gains", "find_gain", "largest_gain", "list_gains"]

Longs = NDArray[np.int64]


@compiled
def _gains(signed: Longs, p: int, b: int, c: int, place: int, out: Longs) -> None:
    """right - wrong of the four rules that are not opposites of each other, of every set {a, b, c} with a < b.

    In the type of the sums: what a rule gains fits, so what overflows on the way comes back.
    """
    kind = signed.dtype.type
    low, high = 1 + p + b * (b - 1) // 2, 1 + p + c * (c - 1) // 2
    everyone, left, right = signed[0], signed[1 + b], signed[1 + c]
    fixed = kind(2 * (np.int64(left) + right) - 4 * np.int64(signed[high + b]) - everyone)
    together = kind(2 * (np.int64(left) + right) - 2 * np.int64(everyone))  # S_b + S_c
    between = kind(2 * (np.int64(right) - left))  # S_c - S_b
    ones, lower, upper, threes = signed[1:], signed[low:], signed[high:], signed[place:]
    first, second, third, fourth = out[0], out[1], out[2], out[3]
    for a in range(b):
        pairs = kind(lower[a] + upper[a])
        product = kind(kind(8 * threes[a]) - kind(4 * pairs) + kind(2 * ones[a]) + fixed)
        alone = kind(2 * ones[a] - everyone)
        first[a] = kind(alone + together - product) >> 1
        second[a] = kind(together - alone + product) >> 1
        third[a] = kind(alone + between + product) >> 1
        fourth[a] = kind(alone - between + product) >> 1


@compiled
def largest_gain(signed: Longs, p: int) -> np.int64:
    """right - wrong of the best rule."""
    best, gains = signed.dtype.type(0), np.empty((4, p), signed.dtype)
    place = 1 + p + p * (p - 1) // 2
    for c in range(2, p):
        for b in range(1, c):
            _gains(signed, p, b, c, place, gains)
            for k in range(4):
                for a in range(b):
                    best = max(best, abs(gains[k, a]))
            place += b
    return np.int64(best)


@compiled
def count_gains(signed: Longs, p: int, best: np.int64, width: np.int64) -> Longs:
    """How many pairs of opposite rules gain best, best - 2, … in size; the last entry counts all the others.

    No rule gains more than `best`. The places of a row of sets are made first, side by side, and then counted, apart
    for each rule, so that no addition waits for another.
    """
    kind = signed.dtype.type
    counts, total = np.zeros((4, width + 1), np.int32), np.empty(width + 1, np.int64)
    places, top, end = np.empty((4, p), signed.dtype), kind(best), kind(width)
    place = 1 + p + p * (p - 1) // 2
    for c in range(2, p):
        for b in range(1, c):
            _gains(signed, p, b, c, place, places)
            for k in range(4):
                for a in range(b):
                    size = max(places[k, a], kind(-places[k, a]))
                    places[k, a] = min(kind(kind(top - size) >> 1), end)
            for a in range(b):
                counts[0, np.uint32(places[0, a])] += 1
                counts[1, np.uint32(places[1, a])] += 1
                counts[2, np.uint32(places[2, a])] += 1
                counts[3, np.uint32(places[3, a])] += 1
            place += b
    for i in range(width + 1):
        total[i] = np.int64(counts[0, i]) + counts[1, i] + counts[2, i] + counts[3, i]
    return total


@compiled
def list_gains(signed: Longs, p: int, out: Longs) -> None:
    """right - wrong of every rule, in order."""
    place, gains = 1 + p + p * (p - 1) // 2, np.empty((4, p), signed.dtype)
    rule = 0
    for c in range(2, p):
        for b in range(1, c):
            _gains(signed, p, b, c, place, gains)
            for a in range(b):
                for k in range(4):
                    out[rule], out[rule + 1] = gains[k, a], -np.int64(gains[k, a])
                    rule += 2
            place += b


@compiled
def find_gain(signed: Longs, p: int, gain: np.int64, index: int) -> tuple[int, int, int, int]:
    """The tests and the number of the index-th rule of this gain; tests of -1 if there are fewer."""
    kind = signed.dtype.type
    place, gains, size = 1 + p + p * (p - 1) // 2, np.empty((4, p), signed.dtype), kind(abs(gain))
    left = index
    for c in range(2, p):
        for b in range(1, c):
            _gains(signed, p, b, c, place, gains)
            matches = kind(0)  # without branches first; one by one only where the rule is among them
            for k in range(4):
                for a in range(b):
                    matches += kind(max(gains[k, a], kind(-gains[k, a])) == size)
            # A rule that gains nothing does so the other way round as well.
            many = int(matches) * (2 if gain == 0 else 1)
            if left < many:
                return _find_in_row(gains, b, c, gain, left)
            left -= many
            place += b
    return -1, -1, -1, -1


@compiled
def _find_in_row(gains: Longs, b: int, c: int, gain: np.int64, index: int) -> tuple[int, int, int, int]:
    """The same among the sets whose larger tests are b and c."""
    left = index
    for a in range(b):
        for k in range(4):
            for opposite in range(2):
                if (-np.int64(gains[k, a]) if opposite else np.int64(gains[k, a])) == gain:
                    if left == 0:
                        return a, b, c, 2 * k + opposite
                    left -= 1
    return -1, -1, -1, -1
