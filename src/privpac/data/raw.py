"""Read one raw column as numbers, whole numbers, category codes or instants, record by record.

A raw column is a one-dimensional array as it came out of a file or a frame: any dtype, possibly masked. Every
function here treats each record by itself: what a record becomes never depends on another record, although
the speed may. Problems are raised outside of `except` blocks, because Python would otherwise attach the
original exception, which quotes the offending value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, tzinfo
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from privpac.errors import DataError

__all__ = [
    "EMPTY",
    "LONGEST",
    "UNKNOWN",
    "Array",
    "Mask",
    "as_array",
    "codes",
    "each",
    "floats",
    "instant",
    "instants",
    "is_empty",
    "lookup",
    "text_of",
    "whole",
    "wholes",
]

Array: TypeAlias = npt.NDArray[Any]
Mask: TypeAlias = npt.NDArray[np.bool_]

UNKNOWN = -1
EMPTY = -2

LONGEST = 4000  # decimal digits of an integer: below Python's own limit on reading integers from text
FAR: int = 10**LONGEST

_EPOCH = date(1970, 1, 1).toordinal()
_TRUE = ("true", "True", "TRUE")
_FALSE = ("false", "False", "FALSE")


def as_array(name: str, raw: object) -> tuple[Array, Mask | None]:
    """A one-dimensional array and the mask it carried, without copying arrays."""
    mask: Mask | None = None
    if isinstance(raw, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(raw)
        array = raw.data
        mask = mask if mask.any() else None
    elif isinstance(raw, np.ndarray):
        array = raw
    else:
        array = _objects(list(raw) if isinstance(raw, Iterable) else [raw])
    if array.ndim != 1:
        raise DataError(
            f"Column '{name}' has {array.ndim} dimensions.", column=name, remedy="Give one value a record."
        )
    if array.dtype.kind in "UT":
        array = array.astype(object)
    elif array.dtype.kind == "S":
        array = _objects([item.decode("utf-8", "replace") for item in array.tolist()])
    elif array.dtype.kind not in "biufMO":
        raise DataError(
            f"Column '{name}' has the type {array.dtype}, which no kind of column can hold.",
            column=name,
            remedy="Give numbers, text, booleans or dates.",
        )
    return array, mask


def _objects(items: Sequence[object]) -> Array:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def is_empty(item: object) -> bool:
    """Whether a single value stands for an empty cell: None, NaN, NaT, pandas' NA, blank text."""
    if item is None or type(item).__name__ == "NAType":
        return True
    if isinstance(item, str):
        return not item.strip()
    if isinstance(item, (bool, int)):
        return False
    return bool(item != item)


def each(items: Iterable[object], read: Callable[[Any], Any]) -> list[Any] | None:
    """`read` of every item, or None if one of them cannot be read (and no trace of which)."""
    try:
        return [read(item) for item in items]
    except (ValueError, TypeError, ArithmeticError):
        return None


def _unreadable(name: str, expected: str) -> DataError:
    return DataError(
        f"Column '{name}' has a cell that is not {expected}.",
        column=name,
        remedy=f"Correct the cell, or declare another kind for '{name}' in the schema.",
    )


def floats(name: str, raw: object) -> Array:
    """The column as numbers; an empty cell becomes NaN. Arrays of numbers come back as they are."""
    array, mask = as_array(name, raw)
    if array.dtype.kind == "M":
        raise _unreadable(name, "a number")
    if array.dtype.kind in "biuf" and mask is None:
        return array
    values = array.astype(np.float64) if array.dtype.kind != "O" else _float_objects(name, array, mask)
    if mask is not None:
        values[mask] = np.nan
    return values


def _float_objects(name: str, array: Array, mask: Mask | None) -> Array:
    if mask is None:
        try:
            return array.astype(np.float64)  # numpy calls float() on every object: the quick case
        except (ValueError, TypeError, OverflowError):
            pass
    read = each(array.tolist() if mask is None else _blanked(array, mask), _float)
    if read is None:
        raise _unreadable(name, "a number")
    return np.array(read, dtype=np.float64)


def _blanked(array: Array, mask: Mask) -> list[object]:
    return [None if hidden else item for item, hidden in zip(array.tolist(), mask.tolist(), strict=True)]


def _float(item: Any) -> float:
    if type(item) is not str and is_empty(item):
        return math.nan
    try:
        return float(item)
    except ValueError:
        if is_empty(item):
            return math.nan
        raise
    except OverflowError:  # an integer too large for a double
        return math.inf


def wholes(name: str, raw: object) -> list[Any] | Array:
    """The column as exact integers, fractions rounded down; None for an empty cell, infinities as floats.

    A list of Python values, or an array of 64-bit integers where that holds all of them.
    """
    array, mask = as_array(name, raw)
    if array.dtype.kind == "O" and mask is None and set(map(type, array.tolist())) <= {str, int}:
        try:
            return array.astype(np.int64)  # numpy calls int() on every object: the quick case
        except (ValueError, OverflowError):
            pass
    if array.dtype.kind == "M":
        raise _unreadable(name, "an integer")
    read = each(array.tolist() if mask is None else _blanked(array, mask), whole)
    if read is None:
        raise _unreadable(name, "an integer")
    return read


def whole(item: Any) -> int | float | None:
    """One value as an exact integer, rounded down; text may be decimal or, with 0x, hexadecimal."""
    if type(item) is int:
        return item
    if type(item) is str:
        try:
            return int(item)
        except ValueError:
            return _whole_text(item)
    if is_empty(item):
        return None
    if isinstance(item, Decimal):
        return _floor(item)
    if isinstance(item, (bool, int, np.integer, np.bool_)):
        return int(item)
    number = float(item)
    return math.floor(number) if math.isfinite(number) else number


def _whole_text(text: str) -> int | float | None:
    bare = text.strip()
    if not bare:
        return None
    if re.fullmatch(r"[+-]?0[xX][0-9a-fA-F]+", bare):
        return int(bare, 16)
    try:
        number = Decimal(bare)
    except InvalidOperation:
        raise ValueError("not an integer") from None
    return _floor(number)


def _floor(number: Decimal) -> int | float | None:
    if number.is_nan():
        return None
    if number.is_infinite():
        return math.inf if number > 0 else -math.inf
    if number.adjusted() >= LONGEST:  # "1e999999999" as an integer would fill the memory; any bound clamps it
        return FAR if number > 0 else -FAR
    if number.adjusted() < 0:
        return -1 if number < 0 else 0
    return math.floor(number)


def text_of(value: object) -> str:
    """How a value is compared with declared categories.

    >>> [text_of(value) for value in (1, 1.0, "1", True, 2.5)]
    ['1', '1', '1', 'true', '2.5']
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return str(int(value)) if math.isfinite(value) and float(value).is_integer() else str(value)
    if isinstance(value, Decimal):
        return str(int(value)) if value.is_finite() and value == value.to_integral_value() else str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def lookup(names: Sequence[str]) -> dict[str, int]:
    """Text to position in `names`, with the spellings that mean the same; depends on the declared names only.

    A declared name always wins over another spelling of a different name.
    """
    table = {name: position for position, name in enumerate(names)}
    logical = {name.lower() for name in names}
    for position, name in enumerate(names):
        aliases: tuple[str, ...] = ()
        if re.fullmatch(r"-?\d+", name):
            aliases = (f"{name}.0",)
        elif re.fullmatch(r"-?\d+\.0+", name):
            aliases = (name.split(".")[0],)
        if name.lower() == "true" or (name == "1" and logical <= {"0", "1"}):
            aliases += _TRUE
        elif name.lower() == "false" or (name == "0" and logical <= {"0", "1"}):
            aliases += _FALSE
        if logical <= {"true", "false"}:
            aliases += ("1", "1.0") if name.lower() == "true" else ("0", "0.0")
        for alias in aliases:
            table.setdefault(alias, position)
    return table


def codes(name: str, raw: object, *, table: Mapping[str, int]) -> npt.NDArray[np.int64]:
    """The position of each value in `table`; UNKNOWN or EMPTY where there is none."""
    array, mask = as_array(name, raw)
    if array.dtype.kind == "O":
        items = array.tolist()
        quick = list(map(table.get, items)) if set(map(type, items)) <= {str} else [None]
        found = np.array([_code(item, table) for item in items] if None in quick else quick, dtype=np.int64)
    elif array.dtype.kind == "b" or array.dtype in (np.uint8, np.int8):
        found = _byte_codes(array, table)
    else:
        distinct, inverse = np.unique(array, return_inverse=True)
        found = np.array([_code(item, table) for item in distinct], dtype=np.int64)[inverse]
    if mask is not None:
        found[mask] = EMPTY
    return found


def _byte_codes(array: Array, table: Mapping[str, int]) -> npt.NDArray[np.int64]:
    """One byte a value: every possible value is looked up once, whatever the number of records."""
    kind = array.dtype.type
    possible = [False, True] if array.dtype.kind == "b" else np.arange(256).astype(np.uint8).view(kind)
    codes_of = np.array([_code(kind(item), table) for item in possible], dtype=np.int64)
    return codes_of[array.view(np.uint8)]


def _code(item: Any, table: Mapping[str, int]) -> int:
    if type(item) is str:
        code = table.get(item)
        if code is not None:
            return code
    if is_empty(item):
        return EMPTY
    return table.get(text_of(item), UNKNOWN)


def instants(
    name: str, raw: object, *, seconds: bool, zone: tzinfo | None
) -> tuple[npt.NDArray[np.int64], Mask | None]:
    """Days (or seconds) since 1970 on the wall clock of `zone`, rounded down, and which cells are empty.

    A value without an offset is taken to be on that clock already.
    """
    array, mask = as_array(name, raw)
    if array.dtype.kind == "M":
        empty = np.isnat(array)
        count = array.astype("datetime64[s]" if seconds else "datetime64[D]").astype(np.int64)
        if mask is not None:
            empty = empty | mask
        return count, empty if empty.any() else None
    if array.dtype.kind != "O":
        raise _unreadable(name, "an ISO date")
    items = array.tolist() if mask is None else _blanked(array, mask)
    read = each(items, lambda item: instant(item, seconds, zone))
    if read is None:
        raise _unreadable(name, "an ISO date (one with an offset needs a declared time zone)")
    empty = np.array([value is None for value in read], dtype=np.bool_)
    count = np.array([0 if value is None else value for value in read], dtype=np.int64)
    return count, empty if empty.any() else None


def instant(item: Any, seconds: bool, zone: tzinfo | None) -> int | None:
    """One value as days or seconds since 1970 on the wall clock of `zone`; None if it is empty."""
    if isinstance(item, np.datetime64):
        item = item.astype("datetime64[us]").item()
    if is_empty(item):
        return None
    if isinstance(item, str):
        item = datetime.fromisoformat(item.strip())
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
