"""Any table a person may hold, as named raw columns: files, frames, dictionaries, arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from privpac.data.arrow import has_arrow
from privpac.data.files import file_types, read_file
from privpac.data.raw import Array, RawTable, no_repeats, objects, require
from privpac.data.texts import FEW, Distinct, Raw, held_text
from privpac.errors import DataError, SchemaError

__all__ = ["RawTable", "column_types", "is_spark_frame", "read", "vector"]

_KINDS = {"b": "boolean", "i": "integer", "u": "integer", "f": "real"}
ACCEPTED = (
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
        chosen = source.names if columns is None else tuple(columns)
        require(chosen, names=source.names)
        return RawTable(names=chosen, n=source.n, fetch=source.fetch)
    if isinstance(source, (str, Path)):
        return read_file(source, columns=columns)
    if isinstance(source, Mapping):
        return _from_columns({str(name): vector(values) for name, values in source.items()}, columns)
    if isinstance(source, np.ndarray) and source.dtype.names:
        return _from_columns({name: source[name] for name in source.dtype.names}, columns)
    frame = _frame(source)
    if frame is not None:
        return _from_frame(frame, columns)
    return _from_rows(_rows(source), every)


def column_types(source: object) -> dict[str, str]:
    """What each column holds: integer, real, boolean, date, datetime or text, from its type alone."""
    if isinstance(source, (str, Path)):
        return file_types(source)
    frame = None if isinstance(source, Mapping) else _frame(source)
    if frame is not None:
        return {str(name): _frame_type(kind) for name, kind in frame.schema.items()}
    table = read(source)
    return {name: _array_type(table.array(name)) for name in table.names}


def vector(values: object) -> Array:
    """One column of any container; arrays are not copied, integers with gaps come back masked."""
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, (list, tuple)):  # asking for the type of a series takes longer than encoding a row
        return objects(values)
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _array_of(series)
    if isinstance(values, Sequence) and not isinstance(values, (str, bytes)):
        return objects(values)
    raise DataError("A column is not a list, an array or a series.", remedy="Give one value per record.")


def _array_type(array: Array) -> str:
    if array.dtype.kind == "M":
        return "date" if array.dtype == np.dtype("datetime64[D]") else "datetime"
    return _KINDS.get(array.dtype.kind, "text")


def _from_columns(arrays: Mapping[str, Array], columns: Sequence[str] | None) -> RawTable:
    chosen = tuple(arrays if columns is None else columns)
    require(chosen, names=tuple(arrays))
    lengths = {name: len(arrays[name]) for name in chosen}
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
    return RawTable(names=chosen, n=n, fetch=lambda name: arrays[name])


def _rows(source: object) -> Array:
    if isinstance(source, np.ndarray):
        rows = source
    elif isinstance(source, Sequence) and not isinstance(source, (str, bytes)):
        rows = _of_lists(source)
    else:
        raise DataError(f"A table cannot be of type {type(source).__name__}.", remedy=f"Give {ACCEPTED}.")
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
    """`source` as a narwhals frame, or None if it is no frame."""
    if not hasattr(source, "collect"):  # a lazy frame cannot have repeated names, and asking for them is slow
        names = getattr(source, "column_names", None)
        names = getattr(source, "columns", None) if names is None else names
        if names is None:
            return None
        no_repeats([str(name) for name in names])
    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    return frame if isinstance(frame, nw.DataFrame) else None


def _from_frame(frame: Any, columns: Sequence[str] | None) -> RawTable:
    native = {str(name): name for name in frame.columns}
    chosen = tuple(native if columns is None else columns)
    require(chosen, names=tuple(native))
    return RawTable(
        names=chosen, n=len(frame), fetch=lambda name: _from_series(frame.get_column(native[name]))
    )


def _frame_type(kind: Any) -> str:
    if kind.is_integer():
        return "integer"
    if kind.is_float() or kind.is_decimal():
        return "real"
    if isinstance(kind, nw.Datetime):
        return "datetime with zone" if kind.time_zone else "datetime"
    return {nw.Boolean: "boolean", nw.Date: "date"}.get(type(kind), "text")


def _from_series(series: Any) -> Raw:
    """A column of a frame in a short form, if that is shorter than an array."""
    if len(series) > FEW:
        if isinstance(series.dtype, nw.String) and not _is_objects(series) and has_arrow():
            texts = held_text(series.to_arrow())
            if texts is not None:
                return texts
        if isinstance(series.dtype, nw.Categorical) and series.implementation.is_pandas():
            return _from_pandas_categories(series.to_native())
    return _array_of(series)


def _is_objects(series: Any) -> bool:
    """Whether this is a column of any Python objects: of those only a few are looked at before it is called text."""
    return bool(series.implementation.is_pandas_like() and series.to_native().dtype == np.dtype(object))


def _from_pandas_categories(native: Any) -> Distinct:
    """Categories that no record has are not looked at: they may be undeclared."""
    codes = native.cat.codes.to_numpy().astype(np.int64)  # -1 where a cell is empty
    listed = objects([*native.cat.categories.tolist(), None])
    occurs = np.zeros(len(listed), dtype=np.bool_)
    occurs[codes] = True
    return Distinct(listed[occurs], (np.cumsum(occurs) - 1)[codes])


def _array_of(series: Any) -> Array:
    kind = series.dtype
    if (
        isinstance(kind, (nw.Categorical, nw.Enum, nw.Int128))
        or kind.is_decimal()
        or (isinstance(kind, nw.Datetime) and kind.time_zone)
    ):
        return objects(series.to_list())
    if kind.is_integer() and series.null_count():
        # As doubles, keys above 2**53 would lose digits because another record is empty.
        return np.ma.MaskedArray(series.fill_null(0).to_numpy(), mask=series.is_null().to_numpy())
    array: Array = series.to_numpy()
    return array
