"""What the random sets of many keys gain: (a·x + b) mod p < t for every key and every distinct value.

Four ways, one result: where the set of a key has fewer cells than there are values, its cells are listed instead and
looked up; 64-bit arithmetic for primes below 2^31.5, with a float for the quotient; for 2^64 + 13 and 2^128 + 51
products in two or four limbs, reduced by 2^64 ≡ -13 and 2^128 ≡ -51; Python integers for anything else. Tested against
the last of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled

__all__ = ["held_gains", "looks", "seconds_per_look"]

LARGEST_LISTED = 2**24
"""Cells of a column up to which a table of all of them is made: 128 MiB."""

_WORD = 2**64
_MASK = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ONE = np.uint64(1)
_ZERO = np.uint64(0)


def held_gains(
    prime: int,
    below: int,
    keys: tuple[list[int], list[int]],
    values: NDArray[Any],
    gains: NDArray[np.int64],
) -> NDArray[np.int64]:
    """For every key, the sum of the gains of the values its set holds; `below` is at most half of the prime."""
    first, second = keys
    if 2 * prime * prime < _WORD:
        a, b = (np.array(key, dtype=np.int64) for key in keys)
        if prime <= LARGEST_LISTED and below < len(values):
            table = np.zeros(prime, np.int64)
            table[values.astype(np.int64)] = gains
            return _sums_by_listing(prime, below, a, b, table)
        return _narrow(prime, below, a, b, values.astype(np.int64), gains)
    words = {_WORD + 13: 1, _WORD**2 + 51: 2}.get(prime)
    if words is None:
        return _plain(prime, below, first, second, values.tolist(), gains)
    # Keys beyond these words, 13 in 2^64 or 51 in 2^128 of them, are left to Python.
    fits = [max(pair) < _WORD**words for pair in zip(first, second, strict=True)]
    one, other = ([k if ok else 0 for k, ok in zip(key, fits, strict=True)] for key in keys)
    if words == 1:
        low, high = (np.array(key, dtype=np.uint64) for key in (one, other))
        sums = _middle_kernel(np.uint64(below), low, high, values.astype(np.uint64), gains)
    else:
        sums = _wide_kernel(_limbs([below]), _limbs(one), _limbs(other), _limbs(values.tolist()), gains)
    for i in np.flatnonzero(~np.array(fits)).tolist():
        sums[i] = _plain(prime, below, [first[i]], [second[i]], values.tolist(), gains)[0]
    return sums


def looks(prime: int, below: int, *, keys: int, values: int) -> int:
    """How often a set is compared with a value at most: a set of few cells looks at these alone."""
    return keys * (min(values, below) if prime <= LARGEST_LISTED else values)


def seconds_per_look(prime: int) -> float:
    """About how long it takes to see whether one set holds one value: public, and on the slow side."""
    if 2 * prime * prime < _WORD:
        return 1e-9
    return {_WORD + 13: 2e-9, _WORD**2 + 51: 3e-8}.get(prime, 2e-9 * prime.bit_length())


def _plain(
    prime: int, below: int, first: list[int], second: list[int], values: list[int], gains: NDArray[np.int64]
) -> NDArray[np.int64]:
    sums = np.zeros(len(first), dtype=np.int64)
    for i, (a, b) in enumerate(zip(first, second, strict=True)):
        sums[i] = sum(
            int(g) for x, g in zip(values, gains.tolist(), strict=True) if (a * x + b) % prime < below
        )
    return sums


@compiled
def _narrow(
    prime: int,
    below: int,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    values: NDArray[np.int64],
    gains: NDArray[np.int64],
) -> NDArray[np.int64]:
    """For primes below 2^31.5: products stay below 2^63, and a quotient of floats is off by at most one, since it is
    below 2^32 and has three roundings."""
    sums, inverse = np.zeros(len(first), np.int64), 1.0 / prime
    for i in range(len(first)):
        total = 0
        for j in range(len(values)):
            product = first[i] * values[j] + second[i]
            rest = product - np.int64(product * inverse) * prime
            rest += prime if rest < 0 else (-prime if rest >= prime else 0)
            total += gains[j] if rest < below else 0
        sums[i] = total
    return sums


@compiled
def _sums_by_listing(
    prime: int, below: int, first: NDArray[np.int64], second: NDArray[np.int64], table: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The cells of each set, one after the other: a·x + b ≡ y has the one solution x = (y - b)/a, and the next y lies
    1/a further. A set with a = 0 holds everything or nothing."""
    sums = np.zeros(len(first), np.int64)
    for i in range(len(first)):
        if first[i] == 0:
            sums[i] = table.sum() if second[i] < below else 0
            continue
        step, other, high, low = 0, 1, prime, first[i]  # Euclid: step·a ≡ high, other·a ≡ low
        while low > 0:
            quotient = high // low
            high, low = low, high - quotient * low
            step, other = other, step - quotient * other
        step %= prime
        cell = (prime - second[i]) % prime * step % prime
        total = 0
        for _ in range(below):
            total += table[cell]
            cell += step
            if cell >= prime:
                cell -= prime
        sums[i] = total
    return sums


@compiled
def _product(x: np.uint64, y: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The 128-bit product: high and low word."""
    x0, x1, y0, y1 = x & _MASK, x >> _HALF, y & _MASK, y >> _HALF
    low, cross, other = x0 * y0, x1 * y0, x0 * y1
    middle = (low >> _HALF) + (cross & _MASK) + (other & _MASK)
    high = x1 * y1 + (cross >> _HALF) + (other >> _HALF) + (middle >> _HALF)
    return high, (middle << _HALF) | (low & _MASK)


@compiled
def _middle_kernel(
    below: np.uint64,
    first: NDArray[np.uint64],
    second: NDArray[np.uint64],
    values: NDArray[np.uint64],
    gains: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Most values lie far outside of a set, which a rough residue tells; the others are decided exactly."""
    sums = np.zeros(len(first), np.int64)
    lower, upper = values & _MASK, values >> _HALF
    narrow = bool(np.all(upper == _ZERO))
    rough = np.empty(len(values), np.uint64)
    for i in range(len(first)):
        if narrow:
            _rough_narrow(first[i], second[i], lower, rough)
        else:
            _rough_residues(first[i], second[i], lower, upper, rough)
        for j in range(len(values)):
            if rough[j] + _BEHIND < below + _AROUND and _is_held(below, first[i], second[i], values[j]):
                sums[i] += gains[j]
    return sums


_THIRTEEN = np.uint64(13)
_BEHIND, _AROUND = np.uint64(13 * 13), np.uint64(14 * 13)
"""The sum low + b - 13·high lies above -13·(2^64 + 13) and below 2·(2^64 + 13). So the residue is that sum, at most 13
times a prime more and at most once less: modulo 2^64, up to 13·13 more or 13 less."""


@compiled
def _rough_residues(
    a: np.uint64,
    b: np.uint64,
    lower: NDArray[np.uint64],
    upper: NDArray[np.uint64],
    rough: NDArray[np.uint64],
) -> None:
    """low + b - 13·high modulo 2^64, for every value; without a branch, so that it is computed several at a time."""
    a0, a1 = a & _MASK, a >> _HALF
    for j in range(len(lower)):
        low, cross, other = a0 * lower[j], a1 * lower[j], a0 * upper[j]
        middle = (low >> _HALF) + (cross & _MASK) + (other & _MASK)
        high = a1 * upper[j] + (cross >> _HALF) + (other >> _HALF) + (middle >> _HALF)
        rough[j] = ((middle << _HALF) | (low & _MASK)) + b - _THIRTEEN * high


@compiled
def _rough_narrow(a: np.uint64, b: np.uint64, lower: NDArray[np.uint64], rough: NDArray[np.uint64]) -> None:
    """The same for values below 2^32."""
    a0, a1 = a & _MASK, a >> _HALF
    for j in range(len(lower)):
        low = a0 * lower[j]
        middle = (low >> _HALF) + a1 * lower[j]
        rough[j] = ((middle << _HALF) | (low & _MASK)) + b - _THIRTEEN * (middle >> _HALF)


@compiled
def _is_held(below: np.uint64, a: np.uint64, b: np.uint64, x: np.uint64) -> bool:
    """a·x + b = low + b - 13·high modulo 2^64 + 13; `excess` counts words to be taken off, 13 each."""
    high, low = _product(a, x)
    above, under = _product(high, _THIRTEEN)
    total = low + b
    excess = np.int64(total < low) - np.int64(above)
    rest = total - under
    excess -= np.int64(total < under)
    # The residue is rest - 13·excess, up to one more word.
    if excess <= 0:
        shifted_rest = rest + np.uint64(-13 * excess)
        if shifted_rest >= rest:
            return bool(shifted_rest < below)
        return bool(shifted_rest >= _THIRTEEN and shifted_rest - _THIRTEEN < below)
    excess_times = np.uint64(13 * excess)
    return bool(rest >= excess_times and rest - excess_times < below)


def _limbs(numbers: list[int]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """High and low words of numbers below 2^128."""
    high = np.array([number >> 64 for number in numbers], dtype=np.uint64)
    return high, np.array([number & (_WORD - 1) for number in numbers], dtype=np.uint64)


_Limbs = tuple[NDArray[np.uint64], NDArray[np.uint64]]


@compiled
def _add(x: np.uint64, y: np.uint64, carry: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Sum and carry of two words and a carry."""
    total = x + y
    out = np.uint64(total < x)
    result = total + carry
    return result, out + np.uint64(result < total)


@compiled
def _subtract(x: np.uint64, y: np.uint64, borrow: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Difference and borrow of two words and a borrow."""
    total = x - y
    out = np.uint64(x < y)
    result = total - borrow
    return result, out + np.uint64(total < borrow)


@compiled
def _square_product(
    x1: np.uint64, x0: np.uint64, y1: np.uint64, y0: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """The 256-bit product of two 128-bit numbers, highest word first."""
    h00, l00 = _product(x0, y0)
    h01, l01 = _product(x0, y1)
    h10, l10 = _product(x1, y0)
    h11, l11 = _product(x1, y1)
    w1, c = _add(h00, l01, _ZERO)
    w1, d = _add(w1, l10, _ZERO)
    w2, e = _add(h01, h10, c)
    w2, f = _add(w2, l11, d)
    return h11 + e + f, w2, w1, l00


@compiled
def _wide_kernel(
    below: _Limbs, first: _Limbs, second: _Limbs, values: _Limbs, gains: NDArray[np.int64]
) -> NDArray[np.int64]:
    """As `_middle_kernel` with twice the words: the higher word of a rough residue is at most one off."""
    one, three = np.uint64(1), np.uint64(3)
    t1, t0 = below[0][0], below[1][0]
    sums = np.zeros(len(first[0]), np.int64)
    rough = np.empty(len(gains), np.uint64)
    for i in range(len(first[0])):
        a1, a0, b1, b0 = first[0][i], first[1][i], second[0][i], second[1][i]
        for j in range(len(gains)):
            rough[j] = _difference(a1, a0, b1, b0, values[0][j], values[1][j])[0]
        for j in range(len(gains)):
            if rough[j] + one < t1 + three and _is_held_wide(
                t1, t0, _difference(a1, a0, b1, b0, values[0][j], values[1][j])
            ):
                sums[i] += gains[j]
    return sums


_FIFTY_ONE = np.uint64(51)


@compiled
def _difference(
    a1: np.uint64, a0: np.uint64, b1: np.uint64, b0: np.uint64, x1: np.uint64, x0: np.uint64
) -> tuple[np.uint64, np.uint64, np.int64]:
    """low + b - 51·high of the product a·x, in two words, and how often 2^128 must be added to it."""
    p3, p2, p1, p0 = _square_product(a1, a0, x1, x0)
    m1, u0 = _product(p2, _FIFTY_ONE)
    above, u1 = _product(p3, _FIFTY_ONE)
    u1, c = _add(u1, m1, _ZERO)
    above += c
    s0, c = _add(p0, b0, _ZERO)
    s1, over = _add(p1, b1, c)
    r0, c = _subtract(s0, u0, _ZERO)
    r1, under = _subtract(s1, u1, c)
    return r1, r0, np.int64(over) - np.int64(above) - np.int64(under)


@compiled
def _is_held_wide(t1: np.uint64, t0: np.uint64, difference: tuple[np.uint64, np.uint64, np.int64]) -> bool:
    """Whether a·x + b is below the bound modulo 2^128 + 51: 51 less for every 2^128 in the difference."""
    r1, r0, excess = difference
    if excess <= 0:
        v0, c = _add(r0, np.uint64(-51 * excess), _ZERO)
        v1, overflow = _add(r1, _ZERO, c)
        if overflow != _ZERO:  # one more word: 51 less, unless it stays beyond 2^128
            if v1 == _ZERO and v0 < _FIFTY_ONE:
                return False
            v0, c = _subtract(v0, _FIFTY_ONE, _ZERO)
            v1, c = _subtract(v1, _ZERO, c)
    else:
        v0, c = _subtract(r0, np.uint64(51 * excess), _ZERO)
        v1, c = _subtract(r1, _ZERO, c)
        if c != _ZERO:
            return False
    return bool(v1 < t1 or (v1 == t1 and v0 < t0))
