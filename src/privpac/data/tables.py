"""Any table a person may hold, as named raw columns: files, frames, dictionaries, arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from pathlib import Path
from typing import Any

import numpy as np

from privpac.data.files import file_types, read_file
from privpac.data.raw import Array, RawTable, objects, require
from privpac.errors import DataError, SchemaError

__all__ = ["RawTable", "by_column", "column_types", "is_spark_frame", "read", "vector"]

_KINDS = {"b": "boolean", "i": "integer", "u": "integer", "f": "real"}
TABLE_FORMS = (
    "a CSV or Parquet file, a pandas, polars or pyarrow table, a dictionary of columns or a numpy array"
)


def read(
    source: object, *, columns: Sequence[str] | None = None, only: Sequence[str] | None = None
) -> RawTable:
    """The table behind `source`; with `columns`, those columns in that order.

    A two-dimensional array has no names: its columns are `columns` in that order, or x0, x1, ...
    With `only`, no other columns are asked for, and others need not be there, unless it is such an array.
    """
    every, columns = columns, columns if only is None else only
    if isinstance(source, RawTable):
        wish = source.names if columns is None else tuple(columns)
        require(wish, names=source.names)
        return RawTable(names=wish, n=source.n, fetch=source.fetch)
    if isinstance(source, (str, Path)):
        return read_file(source, columns=columns)
    if isinstance(source, Mapping):
        return _from_columns({str(name): vector(values) for name, values in source.items()}, columns)
    if isinstance(source, np.ndarray) and source.dtype.names:
        return _from_columns({name: source[name] for name in source.dtype.names}, columns)
    frame = _frame(source)
    if frame is not None:
        from privpac.data.frames import table_of

        return table_of(frame, columns)
    return _from_rows(_rows(source), every)


def column_types(source: object) -> dict[str, str]:
    """What each column holds: integer, real, boolean, date, datetime or text, from its type alone."""
    if isinstance(source, (str, Path)):
        return file_types(source)
    frame = None if isinstance(source, Mapping) else _frame(source)
    if frame is not None:
        from privpac.data.frames import frame_types

        return frame_types(frame)
    table = read(source)
    return {name: _array_type(table.array(name)) for name in table.names}


def vector(values: object) -> Array:
    """One column of any container; arrays are not copied, integers with gaps come back masked."""
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, (list, tuple)):  # asking for the type of a series takes longer than encoding a row
        return objects(values)
    from privpac.data.frames import array_of, series_of

    series = series_of(values)
    if series is not None:
        return array_of(series)
    if isinstance(values, Sequence) and not isinstance(values, (str, bytes)):
        return objects(values)
    raise DataError("A column is not a list, an array or a series.", remedy="Give one value per record.")


def _array_type(array: Array) -> str:
    if array.dtype.kind == "M":
        return "date" if array.dtype == np.dtype("datetime64[D]") else "datetime"
    return _KINDS.get(array.dtype.kind, "text")


def _from_columns(arrays: Mapping[str, Array], columns: Sequence[str] | None) -> RawTable:
    wish = tuple(arrays if columns is None else columns)
    require(wish, names=tuple(arrays))
    lengths = {name: len(arrays[name]) for name in wish}
    if len(set(lengths.values())) > 1:
        short, long = (
            min(lengths, key=lambda name: lengths[name]),
            max(lengths, key=lambda name: lengths[name]),
        )
        raise DataError(
            f"Column '{short}' has {lengths[short]} records and column '{long}' has {lengths[long]}.",
            column=short,
            remedy="Give every column one value per record.",
        )
    n = next(iter(lengths.values()), 0)
    return RawTable(names=wish, n=n, fetch=lambda name: arrays[name])


def _rows(source: object) -> Array:
    if isinstance(source, np.ndarray):
        rows = source
    elif isinstance(source, Sequence) and not isinstance(source, (str, bytes)):
        rows = _of_lists(source)
    else:
        raise DataError(f"A table cannot be of type {type(source).__name__}.", remedy=f"Give {TABLE_FORMS}.")
    if rows.ndim != 2:
        raise DataError(
            f"An array of {rows.ndim} dimension(s) is not a table.",
            remedy="Give two dimensions, one row per record; for a single column use reshape(-1, 1).",
        )
    return rows


def _of_lists(source: Sequence[Any]) -> Array:
    """Rows of one length as a table of objects: every value stays as it is, whatever the others are."""
    widths = {
        len(row) if isinstance(row, Sequence) and not isinstance(row, (str, bytes)) else -1 for row in source
    }
    if len(widths) != 1 or widths == {-1}:
        return np.empty(0)
    return objects([value for row in source for value in row]).reshape(len(source), widths.pop())


def _from_rows(rows: Array, columns: Sequence[str] | None) -> RawTable:
    width = rows.shape[1]
    names = tuple(f"x{index}" for index in range(width)) if columns is None else tuple(columns)
    if len(names) != width:
        raise SchemaError(
            f"The array has {width} columns, but {len(names)} are needed.",
            remedy=f"Order them as {', '.join(names[:8])}{', ...' if len(names) > 8 else ''}.",
        )
    return RawTable(names=names, n=rows.shape[0], fetch=lambda name: rows[:, names.index(name)])


def is_spark_frame(table: object) -> bool:
    """Whether this is a Spark DataFrame, without importing Spark."""
    return type(table).__module__.startswith("pyspark.sql") and hasattr(table, "write")


def _frame(source: object) -> Any:
    """`source` as a frame, or None if it is none."""
    if not any(hasattr(source, name) for name in ("collect", "column_names", "columns")):
        return None
    from privpac.data.frames import frame_of

    return frame_of(source)


def by_column(table: object, names: Sequence[str]) -> object:
    """Records written as dictionaries, as a dictionary of columns; every other table as it is.

    >>> by_column([{"age": 40, "dose": 1}, {"age": 50}], ("age", "dose"))
    {'age': [40, 50], 'dose': [1, None]}
    """
    rows = [table] if isinstance(table, Mapping) else table
    if not isinstance(rows, list) or not rows or not all(isinstance(row, Mapping) for row in rows):
        return table
    present = [name for name in names if any(name in row for row in rows)]
    if isinstance(table, Mapping) and not all(_is_one(table[name]) for name in present):
        return table
    return {name: [row.get(name) for row in rows] for name in present}


def _is_one(value: object) -> bool:
    """Whether it is the value of one record: text, or nothing that has a length."""
    return isinstance(value, str) or not isinstance(value, Sized)
