"""Propose a schema: a draft with blanks from names and types; or, when asked for, one from the records."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from privpac.data import raw as reading
from privpac.data.columns import Boolean, Categorical, Column, Date, Numeric
from privpac.data.raw import Array, require
from privpac.data.tables import column_types
from privpac.errors import DataError, SchemaError

__all__ = ["draft", "found_classes", "found_column"]

DAY = 86400
EPOCH = datetime(1970, 1, 1)

_BLANKS: dict[str, dict[str, Any]] = {
    "integer": {"kind": "numeric", "lower": None, "upper": None, "integer": True},
    "real": {"kind": "numeric", "lower": None, "upper": None, "integer": False},
    "boolean": {"kind": "boolean"},
    "date": {"kind": "date", "lower": None, "upper": None},
    "datetime": {"kind": "date", "lower": None, "upper": None, "timezone": None},
    "datetime with zone": {"kind": "date", "lower": None, "upper": None, "timezone": None},
    "text": {"kind": "categorical", "categories": None},
}
ABOUT = (
    "Two things decide how useful a rule is. How common is each class? Write the publicly known share of the second "
    'one as "base_rate", such as 0.06. What is the rule for? Say it when you learn: to find a rare class '
    "(--costs balanced), to put records in order of their risk (--aim rank), or else to be right most often. "
    '"attainable" is the AUC that you would expect without privacy, such as 0.75, from public sources. Both may stay '
    "null if nobody knows. "
    "Draft: replace every other null by what is publicly known, not by what the records show; "
    'check every kind (0 and 1 are "boolean" if they mean no and yes, "numeric" if there may be other numbers; '
    'codes such as postcodes are "categorical"). Where the values of a numeric column are mostly small, with '
    'a few huge ones, add "scale": "mostly small"; where they spread over the range, "scale": "even"; else neither. '
    'If it is known between which numbers most values lie, add "usual": [LOW, HIGH]. '
    'If cells may be empty, say with "missing" what they count as. '
    'Pictures and words show "title": "Systolic blood pressure" and "unit": "mmHg" in place of the name, '
    'where you add them, and "meanings": {"1": "male", "2": "female"} the words in place of codes.'
)


def draft(table: object, *, label: str | None = None) -> dict[str, Any]:
    """A schema file for a person to fill in: from the names and types of the columns, never their values.

    A CSV file has no types, so they are guessed from its first records, truth values written as 0 and 1 included. Where
    a type is stated, it is taken as it stands.
    """
    types = column_types(table)
    if label is not None:
        require([label], names=tuple(types))
    columns = [{"name": name, **_BLANKS[kind]} for name, kind in types.items() if name != label]
    about = ABOUT if label is not None else f"{ABOUT} Take the label out of the columns."
    guesses = {"base_rate": None, "attainable": None}
    return {"about": about, "label": label, "classes": None, **guesses, "columns": columns}


def found_column(name: str, raw: Array) -> Column:
    """The narrowest column that holds every record: truth values, numbers, dates, categories."""
    array, mask = reading.as_array(name, raw)
    if array.dtype.kind == "b" or (mask is None and _truth_values(array)):
        return Boolean(name)
    if array.dtype.kind == "M":
        return _found_date(name, raw)
    attempts: list[Callable[[], Column]] = [lambda: _found_numeric(name, raw)]
    if array.dtype.kind == "O":
        attempts += [lambda: _found_date(name, raw), lambda: _found_boolean(name, raw)]
    for attempt in attempts:
        try:
            return attempt()
        except DataError:
            if array.dtype.kind != "O" or _has_empty(array, mask):
                raise
    names = sorted({reading.text_of(item) for item in array.tolist()})
    return Categorical(name, tuple(names))


def _truth_values(array: Array) -> bool:
    """Whether all are no or yes, written as 0 and 1 or in words, some of either. Doubles may be any number between
    0 and 1."""
    if array.dtype.kind in "iu":
        return len(array) > 0 and (int(array.min()), int(array.max())) == (0, 1)
    cells = set()
    for item in array.tolist() if array.dtype.kind == "O" else ():
        cells.add(Boolean.TABLE.get(reading.text_of(item)))
        if None in cells:
            return False
    return cells == {0, 1}


def _has_empty(array: Array, mask: Array | None) -> bool:
    return mask is not None or any(reading.is_empty(item) for item in array.tolist())


def _found_numeric(name: str, raw: Array) -> Numeric:
    values = reading.floats(name, raw)
    if not np.isfinite(values).all():
        raise _no_bounds(name, "an empty, NaN or infinite cell")
    if raw.dtype.kind != "f" and bool((np.floor(values) == values).all()):  # whole doubles stay on a grid
        ends: Any = [values.min(), values.max()] if values.dtype.kind in "iu" else reading.wholes(name, raw)
        first, last = int(min(ends)), int(max(ends))
        return Numeric(name, first, max(last, first + 1), integer=True)
    low, high = float(values.min()), float(values.max())
    if not high > low:  # a constant column: any bound above will do
        high = low + max(1.0, abs(low))
    return Numeric(name, low, high, integer=False)


def _found_date(name: str, raw: Array) -> Date:
    seconds, empty = reading.instants(name, raw, seconds=True, zone=UTC)
    if empty is not None:
        raise _no_bounds(name, "an empty cell")
    has_time = bool((seconds % DAY != 0).any())
    first, last = int(seconds.min()), int(seconds.max())
    last = max(last, first + (1 if has_time else DAY))
    ends = [(EPOCH + timedelta(seconds=count)).isoformat() for count in (first, last)]
    return Date(name, ends[0], ends[1], with_time=has_time, timezone="UTC" if has_time else None)


def _no_bounds(name: str, what: str) -> DataError:
    return DataError(
        f"Column '{name}' has {what}, so its bounds cannot be read from the data.",
        column=name,
        remedy='Declare a schema with "missing" for this column, or fill the cell.',
    )


def _found_boolean(name: str, raw: Array) -> Boolean:
    column = Boolean(name)
    column.encode(raw)
    return column


def found_classes(label: str, raw: Array) -> tuple[str, ...]:
    """The distinct labels, in the order of numbers if all are numbers, of text otherwise."""
    array, mask = reading.as_array(label, raw)
    items = np.unique(array).tolist() if array.dtype.kind != "O" else array.tolist()
    if mask is not None or any(reading.is_empty(item) for item in items):
        raise DataError(
            f"Label '{label}' has an empty cell or NaN.", column=label, remedy="Remove the record or fill it."
        )
    names = {reading.text_of(item) for item in items}
    if len(names) < 2:
        raise SchemaError(
            f"Label '{label}' has a single class in these records.",
            column=label,
            remedy="Declare the classes in a schema; then records of one class are legal.",
        )
    numbers = reading.each(names, float)
    if numbers is None:
        return tuple(sorted(names))
    return tuple(name for _, name in sorted(zip(numbers, names, strict=True)))
