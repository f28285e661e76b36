"""One raw value, read by itself: as a number, a whole number, a category, an instant.

These functions define what a cell means. A column is read by them one value at a time, or by a quicker way that is
proved to agree with them, so what a record becomes never depends on another record.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, tzinfo
from decimal import Decimal, InvalidOperation
from numbers import Integral, Rational, Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "EMPTY",
    "LONGEST",
    "UNKNOWN",
    "Array",
    "code",
    "each",
    "instant",
    "is_empty",
    "moments",
    "number",
    "text_of",
    "whole",
]

Array: TypeAlias = npt.NDArray[Any]

UNKNOWN = -1
EMPTY = -2

LONGEST = 4000  # decimal digits of an integer: below Python's own limit on reading integers from text
FAR: int = 10**LONGEST

_EPOCH = date(1970, 1, 1).toordinal()
_COARSE = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us")  # units that reach beyond the years 1 to 9999
_FIRST, _LAST = np.datetime64("0001-01-01"), np.datetime64("9999-12-31")


def each(items: Iterable[object], read: Callable[[Any], Any]) -> list[Any] | None:
    """`read` of every item, or None if one of them cannot be read (and no trace of which)."""
    try:
        return list(map(read, items))
    except (ValueError, TypeError, ArithmeticError):
        return None


def is_empty(item: object) -> bool:
    """Whether a single value stands for an empty cell: None, NaN, NaT, pandas' NA, blank text."""
    if item is None or type(item).__name__ == "NAType":
        return True
    if isinstance(item, (str, bytes)):
        return not item.strip()
    if isinstance(item, (bool, int)):
        return False
    if isinstance(item, Decimal):  # comparing a signalling NaN would raise
        return item.is_nan()
    return bool(item != item)


def _text(item: str | bytes) -> str:
    """Text as plain text: numpy's and other kinds of it are read like Python's own."""
    return item.decode("utf-8", "replace") if isinstance(item, bytes) else str.__str__(item)


def _is_number(item: object) -> bool:
    """Whether this is a real number; numpy counts durations among the integers."""
    return isinstance(item, (Real, Decimal, np.bool_)) and not isinstance(item, np.timedelta64)


def number(item: Any) -> float:
    """One value as a double: NaN if it is empty, infinity if it is an integer beyond all doubles."""
    if isinstance(item, (str, bytes)):
        text = _text(item)
        try:
            return float(text)
        except ValueError:
            if text.strip():
                raise
            return math.nan
    if is_empty(item):
        return math.nan
    if not _is_number(item):
        raise TypeError("not a number")
    try:
        return float(item)
    except OverflowError:
        return math.inf


def whole(item: Any) -> int | float | None:
    """One value as an exact integer, rounded down; None if it is empty, infinities as floats.

    Text may be decimal or, with 0x, hexadecimal.
    """
    if type(item) is int:
        return item
    if isinstance(item, (str, bytes)):
        text = _text(item)
        try:
            return int(text)
        except ValueError:
            return _whole_text(text)
    if is_empty(item):
        return None
    if not _is_number(item):
        raise TypeError("not a number")
    if isinstance(item, Decimal):
        return _floor(item)
    if isinstance(item, (Integral, np.bool_)):
        return int(item)
    if isinstance(item, Rational):
        return int(item.numerator) // int(item.denominator)
    double = float(item)
    return math.floor(double) if math.isfinite(double) else double


def _whole_text(text: str) -> int | float | None:
    bare = text.strip()
    if not bare:
        return None
    if re.fullmatch(r"[+-]?0[xX][0-9a-fA-F]+", bare):
        return int(bare, 16)
    try:
        decimal = Decimal(bare)
    except InvalidOperation:
        raise ValueError("not an integer") from None
    return _floor(decimal)


def _floor(decimal: Decimal) -> int | float | None:
    if decimal.is_nan():
        return None
    if decimal.is_infinite():
        return math.inf if decimal > 0 else -math.inf
    if (
        decimal.adjusted() >= LONGEST
    ):  # "1e999999999" as an integer would fill the memory; any bound clamps it
        return FAR if decimal > 0 else -FAR
    if decimal.adjusted() < 0:
        return -1 if decimal < 0 else 0
    return math.floor(decimal)


def text_of(value: object) -> str:
    """How a value is compared with declared categories.

    >>> [text_of(value) for value in (1, 1.0, "1", True, 2.5)]
    ['1', '1', '1', 'true', '2.5']
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, int):
        return (
            str(value) if -FAR < value < FAR else hex(value)
        )  # Python does not write longer ones in decimal
    if isinstance(value, (float, np.floating)):
        return str(int(value)) if math.isfinite(value) and float(value).is_integer() else str(value)
    if isinstance(value, Decimal):
        short = value.is_finite() and value.adjusted() < LONGEST
        return str(int(value)) if short and value == value.to_integral_value() else str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return _date_text(value) if isinstance(value, np.datetime64) else str(value)


def _date_text(value: np.datetime64) -> str:
    """As Python and pandas write the same date: a frame holds either, depending on what else stands in a column."""
    day, _, clock = str(value).partition("T")
    if not clock:
        return str(value.astype("datetime64[D]"))
    seconds, _, fraction = clock.partition(".")
    digits = fraction.rstrip("0")
    decimals = f".{digits.ljust(6 if len(digits) <= 6 else 9, '0')}" if digits else ""
    return f"{day} {f'{seconds}:00:00'[:8]}{decimals}"


def code(item: object, table: Mapping[str, int]) -> int:
    """The position of one value in `table`; UNKNOWN or EMPTY where there is none."""
    if type(item) is str:
        position = table.get(item)
        if position is not None:
            return position
    if is_empty(item):
        return EMPTY
    return table.get(text_of(item), UNKNOWN)


def moments(array: Array, *, seconds: bool) -> npt.NDArray[np.int64]:
    """Days (or seconds) since 1970 of numpy's dates, rounded down and kept within the years 1 to 9999.

    That is where every declared bound lies, and beyond it a coarser unit could leave the range of 64 bits.
    """
    if np.datetime_data(array.dtype)[0] in _COARSE:
        last = _LAST.astype("datetime64[s]") + np.timedelta64(86399, "s")
        array = np.clip(array, _FIRST.astype(array.dtype), last.astype(array.dtype))
    count: npt.NDArray[np.int64] = array.astype("datetime64[s]" if seconds else "datetime64[D]").astype(
        np.int64
    )
    return count


def instant(item: object, seconds: bool, zone: tzinfo | None) -> int | None:
    """One value as days or seconds since 1970 on the wall clock of `zone`; None if it is empty."""
    if is_empty(item):
        return None
    if isinstance(item, np.datetime64):
        return int(moments(np.array([item]), seconds=seconds)[0])
    if isinstance(item, (str, bytes)):
        item = datetime.fromisoformat(_text(item).strip())
    if not isinstance(item, date):
        raise TypeError("not a date")
    if isinstance(item, datetime) and item.tzinfo is not None:
        if zone is None:
            raise ValueError("an offset without a time zone")
        item = item.astimezone(zone)
    days: int = item.toordinal() - _EPOCH
    if not seconds:
        return days
    if not isinstance(item, datetime):
        return days * 86400
    return days * 86400 + int(item.hour * 3600 + item.minute * 60 + item.second)
