"""Arrow's columns as raw ones: text stays in its buffer, numbers become numpy's, moments with an offset Python's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from typing import Any

import numpy as np

from privpac.data.raw import Array, objects
from privpac.data.texts import Raw, held_text
from privpac.errors import MissingExtra

__all__ = ["ZONED", "arrow_installed", "aware", "has_arrow", "raw_column"]

ZONED = "TIMESTAMP WITH TIME ZONE"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST = (datetime(2, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LAST = (datetime(9999, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND


def has_arrow() -> bool:
    """Whether pyarrow is installed, without loading it."""
    return find_spec("pyarrow") is not None


def arrow_installed() -> None:
    """Streams need pyarrow."""
    if not has_arrow():
        raise MissingExtra("Reading records larger than memory", "arrow")


def raw_column(values: Any, kind: str) -> Raw:
    """An Arrow column that DuckDB made of one of this type."""
    import pyarrow as pa

    arrow_type = values.type
    texts = held_text(values.cast(pa.string()) if pa.types.is_dictionary(arrow_type) else values)
    if texts is not None:
        return texts
    if values.null_count and (pa.types.is_integer(arrow_type) or pa.types.is_boolean(arrow_type)):
        dense = values.fill_null(False if pa.types.is_boolean(arrow_type) else 0)
        nulls = values.is_null()
        cells = np.ma.MaskedArray(_numpy(dense), mask=_numpy(nulls))
        return aware(cells) if kind == ZONED else cells
    plain = _numpy(values)
    return aware(plain) if kind == ZONED else plain


def _numpy(values: Any) -> Array:
    import pyarrow as pa

    array: Array = (
        values.to_numpy() if isinstance(values, pa.ChunkedArray) else values.to_numpy(zero_copy_only=False)
    )
    return array


def aware(microseconds: Array) -> Array:
    """Moments with an offset; those outside of the years 2 to 9998 become the nearest one that every clock shows."""
    mask = np.ma.getmaskarray(microseconds)
    inside = np.clip(np.ma.getdata(microseconds), _FIRST, _LAST)
    return objects(
        [
            None if is_null else _EPOCH + timedelta(microseconds=count)
            for count, is_null in zip(inside.tolist(), mask.tolist(), strict=True)
        ]
    )
