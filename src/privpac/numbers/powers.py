"""Tables of powers of a ratio as doubles, with a proven error: what float kernels look weights up in.

Apart from `exact` because it is compiled: planning needs the numbers, not the compiler.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled, interpreted, plainly
from privpac.numbers.exact import SMALLEST_POWER, power_up

__all__ = ["power_table", "power_tables", "powers_at", "reach"]


_PLAIN_COST = 1000
"""Operations of numpy that take as long as one power by the interpreter."""


@compiled
def _powers(high: float, low: float, count: int, smallest: float) -> NDArray[np.float64]:
    """Powers of `high + low` in double-double, rounded to the nearest double, stopping below `smallest`."""
    table = np.empty(count)
    a, b = 1.0, 0.0
    split = 134217729.0  # 2^27 + 1: Veltkamp's splitting of a number into two halves
    rh = split * high - (split * high - high)
    rl = high - rh
    for k in range(count):
        table[k] = a + b
        if table[k] < smallest:
            return table[:k]
        product = a * high
        ah = split * a - (split * a - a)
        al = a - ah
        error = ((ah * rh - product) + ah * rl + al * rh) + al * rl
        tail = error + (a * low + b * high)
        a = product + tail
        b = tail - (a - product)
    return table


@lru_cache(maxsize=256)
def reach(ratio: Fraction, bits: int = 900) -> int | None:
    """A number of steps k with ratio^(k + 1) at most 2^-bits · (1 + bits·10^-15); None when there is none.

    The logarithm has a relative error below 10^-15 and so has k. Ratios below 2^-900 count as 2^-900: k is then
    larger than it need be.
    """
    if ratio == 1:
        return None
    seen = max(ratio, Fraction(SMALLEST_POWER))
    per_step = -math.log(seen) if seen < Fraction(1, 2) else -math.log1p(-float(1 - seen))
    return int(bits * math.log(2.0) / per_step) + 1


def power_table(ratio: Fraction, limit: int) -> NDArray[np.float64]:
    """ratio^0, ratio^1, … as doubles, at most `limit + 1` of them, ending before 2^-900.

    Claim: every entry has relative error at most 2^-52.
    Proof: a double-double product loses less than 2^-100 relatively (the ratio itself is represented to
    2^-105), fewer than 2^40 products are chained, and the final rounding adds 2^-53; see
    docs/proofs/certified-choice.md. Tested by tests/unit/numbers/test_exact.py against rational powers.
    """
    furthest = reach(ratio)
    needed = limit if furthest is None else min(limit, furthest)
    # Lengths are rounded up, so that draws whose scores spread differently share one table.
    bits = max(needed, 1).bit_length()
    table = _small_table(ratio, bits) if bits <= _SMALL_BITS else _large_table(ratio, bits)
    return table[: needed + 1]


_SMALL_BITS = 16
"""Tables up to half a megabyte are kept for many ratios, larger ones (up to 128 MB) for the last two only."""


@lru_cache(maxsize=32)
def _small_table(ratio: Fraction, bits: int) -> NDArray[np.float64]:
    return _made_table(ratio, bits)


@lru_cache(maxsize=2)
def _large_table(ratio: Fraction, bits: int) -> NDArray[np.float64]:
    return _made_table(ratio, bits)


def _made_table(ratio: Fraction, bits: int) -> NDArray[np.float64]:
    high = float(ratio)
    low = float(ratio - Fraction(high))
    steps = min(1 << bits, reach(ratio) or 1 << bits)
    powers = interpreted(_powers) if plainly(_PLAIN_COST * steps) else _powers
    table = powers(high, low, 1 << bits, SMALLEST_POWER)
    table.setflags(write=False)
    return table


_LARGEST_TABLE = 2**21
"""Steps up to which powers are looked up in one table (16 MB); beyond, in a product of two."""


def powers_at(ratio: Fraction, steps: NDArray[np.int64]) -> tuple[NDArray[np.float64], int]:
    """ratio^step for increasing non-negative steps; second, how many 2^-53 their relative error is at most.

    Powers below 2^-900 (up to a relative 10^-12) are given as 0, no others. Beyond 2^21 steps the table is a product
    of two, ratio^(i·2^k) and ratio^j: two errors of 2^-52 and one rounding; ratio^(2^k) is known to 2^-255, which
    adds nothing visible.
    """
    values = np.zeros(len(steps))
    furthest = reach(ratio)
    known = len(steps) if furthest is None else int(np.searchsorted(steps, furthest, side="right"))
    coarse, fine, bits, units = power_tables(ratio, int(steps[known - 1]) if known else 0)
    high, low = steps[:known] >> bits, steps[:known] & ((1 << bits) - 1)
    inside = (high < len(coarse)) & (low < len(fine))
    values[:known][inside] = coarse[high[inside]] * fine[low[inside]]
    return values, units


def power_tables(ratio: Fraction, last: int) -> tuple[NDArray[np.float64], NDArray[np.float64], int, int]:
    """Tables for steps up to `last`: ratio^step = coarse[step >> bits] · fine[step mod 2^bits], then bits and error.

    The error is at most so many 2^-53 of every power; those whose places lie beyond a table are below 2^-900.
    """
    furthest = reach(ratio)
    most = last if furthest is None else min(last, furthest)
    if most < _LARGEST_TABLE:
        return np.ones(1), power_table(ratio, most), max(most, 1).bit_length(), 2
    bits = (most.bit_length() + 1) // 2
    fine = power_table(ratio, (1 << bits) - 1)
    return power_table(power_up(ratio, 1 << bits), most >> bits), fine, bits, 5
