"""Rows of a request as cells of the public schema; another form is refused, with the column and what it takes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from privpac.concepts.base import Cells
from privpac.data.column import Column
from privpac.data.engines.memory import MemorySample
from privpac.data.numeric import Numeric
from privpac.data.schema import Schema
from privpac.errors import DataError, SchemaError, SizeError
from privpac.service.api.problems import Problem

__all__ = ["cells_of", "column_words", "plain"]

WHOLE = re.compile(r"\s*([+-]?\d+(\.0*)?)?\s*", re.ASCII)
"""A whole number as text, or nothing, which is for the column to take or refuse."""
LONGEST_VALUE = 1_000  # characters of a value; no column needs more, and long numbers are slow to read


def plain(rows: Sequence[dict[str, Any]], schema: Schema) -> list[tuple[Any, ...]]:
    """The values of every row in the order of the schema, each of a form that its column may take."""
    names = set(schema.names)
    for row in rows:
        if row.keys() != names:
            raise _other_columns(row, schema)
    columns = schema.columns
    return [tuple([_plain(row[column.name], column) for column in columns]) for row in rows]


def cells_of(values: Sequence[tuple[Any, ...]], schema: Schema) -> Cells:
    """Plain rows as cells: those of many requests at once cost little more than those of one."""
    table = {
        column.name: list(of_column)
        for column, of_column in zip(schema.columns, zip(*values, strict=True), strict=True)
    }
    try:
        return MemorySample.of(table, schema, labelled=False).block().cells
    except (DataError, SchemaError, SizeError) as problem:
        name = getattr(problem, "column", None)
    raise _refusal(None if name is None else schema.column(name))


def _plain(value: Any, column: Column) -> Any:
    """A JSON value that is one: no list, no object, no number beyond all doubles, no endless text.

    A table may have 71.5 or true in a column of whole numbers, and they are counted as 71 and 1. Whoever asks about
    one row has made a mistake, and would pay for the answer to another question.
    """
    if isinstance(column, Numeric):
        if isinstance(value, bool):
            raise _refusal(column)
        if column.integer and not _is_whole(value):
            raise _refusal(column)
    if isinstance(value, float):
        if math.isfinite(value):
            return value
    elif isinstance(value, str):
        if len(value) <= LONGEST_VALUE:
            return value
    elif value is None or isinstance(value, int):
        return value
    raise _refusal(column)


def _is_whole(value: Any) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    return not isinstance(value, str) or WHOLE.fullmatch(value) is not None


def _refusal(column: Column | None) -> Problem:
    if column is None:
        return Problem(422, "invalid_row", "A row does not fit the schema.", remedy="See GET /v1/schema.")
    return Problem(
        422,
        "invalid_value",
        f"Column {column.name!r} has a value of another form than the schema's.",
        remedy=f"Give {column_words(column)}.",
        column=column.name,
    )


def _other_columns(row: dict[str, Any], schema: Schema) -> Problem:
    missing = next((name for name in schema.names if name not in row), None)
    if missing is not None:
        return Problem(
            422,
            "missing_column",
            f"A row has no column {missing!r}.",
            remedy=f"Give {column_words(schema.column(missing))}.",
            column=missing,
        )
    unknown = next(name for name in row if name not in schema.names)
    return Problem(
        422,
        "unknown_column",
        f"A row has a column that the schema does not know: {unknown[:40]!r}.",
        remedy="See GET /v1/schema.",
    )


def column_words(column: Column) -> str:
    """What a column takes, in words."""
    return column.value_in_words() + (" or null" if column.missing is not None else "")
