"""The loop that reads plain decimal numbers out of text, a cell at a time; everything else it leaves to `values`."""

from __future__ import annotations

from typing import Any

import numpy as np

from privpac.compiled import compiled
from privpac.data.values import Array

__all__ = ["EXACT", "EXACT_WHOLE", "LONGER", "NOTHING", "ODD", "read_decimals"]

EXACT = np.uint8(0)
"""A number whose double and whole part are exact."""
EXACT_WHOLE = np.uint8(1)
"""A number whose whole part is exact; the double needs more care."""
LONGER = np.uint8(2)
"""Digits, a point and perhaps an exponent, within the range of doubles: any correctly rounding reader agrees."""
NOTHING = np.uint8(3)
"""A cell without a character."""
ODD = np.uint8(4)
"""Anything else."""

DIGITS = 18
"""Digits of a whole number that always fit in 64 bits."""
LAST_EXACT = 2**53
"""Up to here every whole number is a double."""
MOST_DIGITS = 40
"""Digits up to which, with an exponent of two digits, no double is too large or too small."""

_POWERS = np.array([10.0**k for k in range(DIGITS + 1)])
"""All of them exact: up to 10^22 powers of ten are doubles."""
_ZERO, _NINE, _MINUS, _PLUS, _POINT, _SMALL_E, _LARGE_E = b"09-+.eE"


def read_decimals(data: Array, ends: Array) -> tuple[Array, Array, Array]:
    """Of every cell `data[ends[i]:ends[i + 1]]` the kind, the double, and the largest integer that is not above it.

    A whole number up to 2^53 and a power of ten up to 10^22 are doubles, so that one division rounds as IEEE 754
    says, once: the result is the double nearest to the text, which is what Python reads.
    """
    n = len(ends) - 1
    kinds, doubles, wholes = np.empty(n, np.uint8), np.empty(n, np.float64), np.empty(n, np.int64)
    _read(_read_only(data), _read_only(ends), _read_only(_POWERS), kinds, doubles, wholes)
    return kinds, doubles, wholes


def _read_only(array: Array) -> Array:
    """The same memory, not to be written to: compiled code is made for either kind, and one is enough."""
    view = array.view()
    view.flags.writeable = False
    return view


@compiled
def _read(data: Array, ends: Array, powers: Array, kinds: Array, doubles: Array, wholes: Array) -> None:
    for i in range(len(kinds)):
        start, stop = ends[i], ends[i + 1]
        kinds[i], doubles[i], wholes[i] = NOTHING, np.nan, 0
        if start == stop:
            continue
        negative = np.int64(data[start] == _MINUS)
        at: Any = start + negative
        number: Any = np.int64(0)
        whole: Any = np.int64(-1)  # what stood before the point; -1 before there was one
        digits: Any = 0
        places: Any = 0  # digits after the point
        broken: Any = 0  # whether one of them is not 0
        while at < stop:
            sign = data[at]
            if _ZERO <= sign <= _NINE:
                digits += 1
                if digits <= DIGITS:
                    number = 10 * number + np.int64(sign - _ZERO)
                if whole >= 0:
                    places += 1
                    broken |= np.int64(sign != _ZERO)
            elif sign == _POINT and whole < 0:
                whole = number
            else:
                break
            at += 1
        plain = at == stop
        if digits == 0 or digits > MOST_DIGITS or not (plain or _ends_in_exponent(data, at, stop)):
            kinds[i] = ODD
        elif not plain or digits > DIGITS:
            kinds[i] = LONGER
        else:
            double = np.float64(number) / powers[places]
            floor = (number if whole < 0 else whole) + (broken if negative else 0)
            doubles[i], wholes[i] = (-double, -floor) if negative else (double, floor)
            kinds[i] = EXACT if number <= LAST_EXACT else EXACT_WHOLE


@compiled
def _ends_in_exponent(data: Array, at: Any, stop: Any) -> Any:
    """Whether e or E, perhaps a sign, and one or two digits are all that is left."""
    if data[at] != _SMALL_E and data[at] != _LARGE_E:
        return False
    at += 1
    if at < stop and (data[at] == _MINUS or data[at] == _PLUS):
        at += 1
    if stop - at < 1 or stop - at > 2:
        return False
    return _ZERO <= data[at] <= _NINE and _ZERO <= data[stop - 1] <= _NINE
