"""Records that people write one by one, as dictionaries: the same as a dictionary of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized

__all__ = ["by_column"]


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
