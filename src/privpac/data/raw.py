"""Read one raw column as numbers, whole numbers, category codes or instants, record by record.

A raw column is a one-dimensional array as it came out of a file or a frame: any dtype, possibly masked. What one
value means is said in `values`, and every quick way here is one that agrees with it whatever the other records are:

* arrays of numpy's own numbers, booleans and dates, whose values all have one type;
* lists in which every value has one of a few types of Python, for which `values` begins with the very same call.

Problems are raised outside of `except` blocks, because Python would otherwise attach the original exception, which
quotes the offending value.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from privpac.data.texts import Distinct, Raw, Texts, plain_array
from privpac.data.values import (
    EMPTY,
    LONGEST,
    UNKNOWN,
    Array,
    code,
    each,
    instant,
    is_empty,
    moments,
    number,
    text_of,
    whole,
)
from privpac.errors import DataError, SchemaError, SizeError

__all__ = [
    "EMPTY",
    "LONGEST",
    "UNKNOWN",
    "Array",
    "Mask",
    "RawTable",
    "as_array",
    "codes",
    "each",
    "each_once",
    "first_repeat",
    "floats",
    "instant",
    "instants",
    "is_empty",
    "lookup",
    "near",
    "no_repeats",
    "objects",
    "require",
    "text_of",
    "whole",
    "wholes",
]

Mask: TypeAlias = npt.NDArray[np.bool_]

WIDEST = 2**16
"""Integers that are laid out side by side to look up a code; names further apart are searched."""

_INTEGER = re.compile(r"0|-?[1-9][0-9]*")  # as integers are written when they are compared as text
_TRUE = ("true", "True", "TRUE")
_FALSE = ("false", "False", "FALSE")


def objects(items: Sequence[object]) -> Array:
    """The items as an array of objects, each as it is: numpy would unpack nested ones if all had one length."""
    return np.fromiter(items, dtype=object, count=len(items))


def each_once(raw: object, read: Callable[[object], Array]) -> Array:
    """What `read` makes of a column; a value that repeats in one of the short forms is read once."""
    if isinstance(raw, Texts):
        raw = raw.distinct()
    return read(raw.values)[raw.index] if isinstance(raw, Distinct) else read(raw)


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
        array = objects(list(raw) if isinstance(raw, Iterable) else [raw])
    if array.ndim != 1:
        raise DataError(
            f"Column '{name}' has {array.ndim} dimensions.", column=name, remedy="Give one value per record."
        )
    if array.dtype.kind in "UST":
        array = array.astype(object)
    elif array.dtype.kind not in "biufMO":
        raise DataError(
            f"Column '{name}' has the type {array.dtype.type.__name__}, which no kind of column can hold.",
            column=name,
            remedy="Give numbers, text, booleans or dates.",
        )
    return array, mask


def _items(array: Array, mask: Mask | None) -> list[Any]:
    """The values one by one, None where the mask hides one."""
    # As plain values, dates of some units would be integers.
    items = list(array) if array.dtype.kind == "M" else array.tolist()
    if mask is None:
        return items
    return [None if is_hidden else item for item, is_hidden in zip(items, mask.tolist(), strict=True)]


def _quick(items: list[Any], types: set[type], read: Callable[[Any], Any]) -> list[Any] | None:
    """`read` of every item, if all have one of these types and none is refused."""
    return each(items, read) if set(map(type, items)) <= types else None


def _unreadable(name: str, kind: str) -> DataError:
    return DataError(
        f"Column '{name}' has a cell that is not {kind}.",
        column=name,
        remedy=f"Correct the cell, or declare another kind for '{name}' in the schema.",
    )


def floats(name: str, raw: object) -> Array:
    """The column as numbers; an empty cell becomes NaN. Arrays of numbers come back as they are."""
    array, mask = as_array(name, raw)
    if array.dtype.kind in "biuf":
        if mask is None:
            return array
        values = array.astype(np.float64)
        values[mask] = np.nan
        return values
    items = _items(array, mask)
    read = _quick(items, {float, int, bool, str}, float) or each(items, number)
    if read is None:
        raise _unreadable(name, "a number")
    return np.array(read, dtype=np.float64)


def wholes(name: str, raw: object) -> list[Any]:
    """The column as exact integers, fractions rounded down; None for an empty cell, infinities as floats."""
    array, mask = as_array(name, raw)
    items = _items(array, mask)
    read = _quick(items, {int, str}, int) or each(items, whole)
    if read is None:
        raise _unreadable(name, "an integer")
    return read


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
        return _object_codes(name, _items(array, mask), table)
    if array.dtype.kind == "b":
        numbers = np.array([code(truth, table) for truth in (False, True)], dtype=np.int64)[
            array.view(np.uint8)
        ]
    elif array.dtype.kind in "iu":
        numbers = _integer_codes(array, table)
    else:
        distinct, inverse = np.unique(array, return_inverse=True)
        numbers = np.array([code(item, table) for item in distinct], dtype=np.int64)[inverse]
    if mask is not None:
        numbers[mask] = EMPTY
    return numbers


def _object_codes(name: str, items: list[Any], table: Mapping[str, int]) -> npt.NDArray[np.int64]:
    if set(map(type, items)) <= {str}:
        try:
            return np.fromiter(map(table.__getitem__, items), dtype=np.int64, count=len(items))
        except KeyError:
            pass  # an empty cell, or a text that is not listed
    read = each(items, lambda item: code(item, table))
    if read is None:
        raise _unreadable(name, "text, a number, a boolean or a date")
    return np.array(read, dtype=np.int64)


def _integer_codes(array: Array, table: Mapping[str, int]) -> npt.NDArray[np.int64]:
    """Of integers: the public names that are integers are laid out, and every record is looked up among them."""
    info = np.iinfo(array.dtype)
    integers = sorted(int(name) for name in table if _INTEGER.fullmatch(name) and len(name) <= LONGEST)
    integers = [number for number in integers if info.min <= number <= info.max]
    if not integers:
        return np.full(len(array), UNKNOWN, dtype=np.int64)
    positions = np.array([table[str(number)] for number in integers], dtype=np.int64)
    if integers[-1] - integers[0] >= WIDEST:
        names = np.array(integers, dtype=info.dtype)
        places = np.minimum(np.searchsorted(names, array), len(names) - 1)
        return np.where(names[places] == array, positions[places], UNKNOWN)
    # How far above the least, in unsigned arithmetic, in which what lies below is far above.
    word = np.dtype(f"u{info.dtype.itemsize}").type
    above = array.astype(array.dtype.newbyteorder("="), copy=False).view(word) - word(
        integers[0] % 2**info.bits
    )
    laid_out = np.full(integers[-1] - integers[0] + 2, UNKNOWN, dtype=np.int64)
    laid_out[[number - integers[0] for number in integers]] = positions
    if len(laid_out) - 1 <= np.iinfo(word).max:
        np.minimum(above, word(len(laid_out) - 1), out=above)
    looked_up: npt.NDArray[np.int64] = laid_out[above.astype(np.intp, copy=False)]
    return looked_up


def instants(
    name: str, raw: object, *, seconds: bool, zone: tzinfo | None
) -> tuple[npt.NDArray[np.int64], Mask | None]:
    """Days (or seconds) since 1970 on the wall clock of `zone`, rounded down, and which cells are empty.

    A value without an offset is taken to be on that clock already.
    """
    array, mask = as_array(name, raw)
    if array.dtype.kind == "M":
        empty = np.isnat(array) if mask is None else np.isnat(array) | mask
        return moments(array, seconds=seconds), empty if empty.any() else None
    read = each(_items(array, mask), lambda item: instant(item, seconds, zone))
    if read is None:
        raise _unreadable(name, "an ISO date (one with an offset needs a declared time zone)")
    empty = np.array([value is None for value in read], dtype=np.bool_)
    count = np.array([0 if value is None else value for value in read], dtype=np.int64)
    return count, empty if empty.any() else None


# Named raw columns


@dataclass(frozen=True, repr=False, eq=False)
class RawTable:
    """`n` records with named columns; `fetch` brings one column, as it is stored, into memory."""

    names: tuple[str, ...]
    n: int
    fetch: Callable[[str], Raw]

    def __post_init__(self) -> None:
        if self.n == 0:
            raise SizeError("The table has no records.", remedy="Give at least one record.")

    def __repr__(self) -> str:
        return f"RawTable(n={self.n}, names={list(self.names)})"

    def column(self, name: str) -> Raw:
        """One raw column, in the form it came in."""
        require([name], names=self.names)
        return self.fetch(name)

    def array(self, name: str) -> Array:
        """One raw column as an array: any dtype, possibly masked."""
        return plain_array(self.column(name))


MOST_NAMED = 6
"""Missing columns that a message names."""


def require(columns: Sequence[str], *, names: Sequence[str]) -> None:
    """Refuse if a wanted column does not exist; the message names all of them."""
    absent = [name for name in columns if name not in names]
    if absent:
        names_text = ", ".join(repr(name) for name in absent[:MOST_NAMED])
        more = f" and {len(absent) - MOST_NAMED} more" if len(absent) > MOST_NAMED else ""
        another = len(absent) > 1 and not set(columns) & set(names)
        raise SchemaError(
            f"The table has no column{'s' * (len(absent) > 1)} {names_text}{more}.",
            column=absent[0],
            remedy="It seems to be another table." if another else _remedy(absent, names),
        )


def _remedy(absent: Sequence[str], names: Sequence[str]) -> str:
    """What may have been meant: for several names, the nearest one of each that has any."""
    if len(absent) == 1:
        return near(absent[0], names)
    close = {name: difflib.get_close_matches(name, names, n=1, cutoff=0.6) for name in absent[:MOST_NAMED]}
    guesses = [f"{nearest[0]!r} for {name!r}" for name, nearest in close.items() if nearest]
    if not guesses:
        return f"No column of the table has a name like one of these; it has {len(names)}."
    return f"Did you mean {' and '.join(guesses)}?"


def near(name: str, names: Sequence[str]) -> str:
    """A remedy for a misspelt name: the nearest ones, if any is near at all."""
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if not close:
        return (
            f"None of the {len(names)} columns has a name like it." if len(names) > 1 else "Check the name."
        )
    return f"Did you mean {' or '.join(repr(candidate) for candidate in close)}?"


def first_repeat(names: Sequence[str]) -> str | None:
    """The first name that stood before; None if each stands once."""
    earlier: set[str] = set()
    for name in names:
        if name in earlier:
            return name
        earlier.add(name)
    return None


def no_repeats(names: Sequence[str]) -> None:
    """Refuse two columns of one name: which of them a schema means would be a guess."""
    name = first_repeat(names)
    if name is not None:
        raise SchemaError(
            f"The table has two columns named '{name}'.", column=name, remedy="Rename or remove one of them."
        )
