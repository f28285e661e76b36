"""Data frames of any library as raw columns, through narwhals; loaded where there is a frame, since files need none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np

from privpac.data.arrow import has_arrow
from privpac.data.raw import Array, RawTable, no_repeats, objects, require
from privpac.data.texts import FEW, Distinct, Raw, held_text

__all__ = ["array_of", "frame_of", "frame_types", "series_of", "table_of"]


def frame_of(source: object) -> Any:
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


def table_of(frame: Any, columns: Sequence[str] | None) -> RawTable:
    """The columns of a frame; with `columns`, those in that order."""
    native = {str(name): name for name in frame.columns}
    wish = tuple(native if columns is None else columns)
    require(wish, names=tuple(native))
    return RawTable(names=wish, n=len(frame), fetch=lambda name: _from_series(frame.get_column(native[name])))


def frame_types(frame: Any) -> dict[str, str]:
    """What each column holds: integer, real, boolean, date, datetime or text."""
    return {str(name): _frame_type(kind) for name, kind in frame.schema.items()}


def series_of(values: object) -> Any:
    """`values` as a narwhals series, or None if it is none."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    return series if isinstance(series, nw.Series) else None


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
    return array_of(series)


def _is_objects(series: Any) -> bool:
    """Whether this is a column of any Python objects: of those only a few are looked at before it is called text."""
    return bool(series.implementation.is_pandas_like() and series.to_native().dtype == np.dtype(object))


def _from_pandas_categories(native: Any) -> Distinct:
    """Categories that no record has are not looked at: they may be undeclared."""
    codes = native.cat.codes.to_numpy().astype(np.int64)  # -1 where a cell is empty
    categories = objects([*native.cat.categories.tolist(), None])
    present = np.zeros(len(categories), dtype=np.bool_)
    present[codes] = True
    return Distinct(categories[present], (np.cumsum(present) - 1)[codes])


def array_of(series: Any) -> Array:
    """A series as an array that holds every cell as it is; integers with gaps come back masked."""
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
