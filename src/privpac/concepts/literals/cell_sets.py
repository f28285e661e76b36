"""A set of cells of one column, as disjoint intervals: every test on a single column is one.

Sets are what comparisons mean: `x <= v` holds where cell(x) <= cell(v), whatever raw values the cells stand
for. Working with sets makes equal tests equal values, and lets text and SQL be written from the cells alone.
"""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data import raw as reading
from privpac.data.columns import Boolean, Categorical, Column, Date, Numeric
from privpac.fields import as_list, record, require, text, written_whole

__all__ = [
    "CellSet",
    "Span",
    "cell_sql",
    "edge",
    "name_text",
    "number_sql",
    "reachable",
    "source_sql",
    "sql_name",
]

Span = tuple[int, int]
"""Cells first..last, both included."""


@dataclass(frozen=True)
class CellSet:
    """Some of the `size` cells of a column: increasing spans with a gap between any two.

    >>> CellSet.of("age", 100, [(0, 9), (10, 19), (50, 99)]).complement()
    CellSet(column='age', size=100, spans=((20, 49),))
    """

    column: str
    size: int
    spans: tuple[Span, ...]

    @classmethod
    def of(cls, column: str, size: int, spans: Iterable[Span]) -> CellSet:
        """The union of spans in any order; empty ones (first > last) are dropped."""
        union: list[Span] = []
        for first, last in sorted((first, last) for first, last in spans if first <= last):
            if union and first <= union[-1][1] + 1:
                union[-1] = (union[-1][0], max(union[-1][1], last))
            else:
                union.append((first, last))
        if union and not 0 <= union[0][0] <= union[-1][1] < size:
            raise ValueError("a span lies outside of the column")
        return cls(column, size, tuple(union))

    @property
    def empty(self) -> bool:
        """Whether it has no cell."""
        return not self.spans

    @property
    def full(self) -> bool:
        """Whether it has every cell."""
        return self.spans == ((0, self.size - 1),)

    def complement(self) -> CellSet:
        """All other cells of the column."""
        firsts = (0, *(last + 1 for _, last in self.spans))
        lasts = (*(first - 1 for first, _ in self.spans), self.size - 1)
        return CellSet.of(self.column, self.size, zip(firsts, lasts, strict=True))

    def union(self, other: CellSet) -> CellSet:
        """The cells of either."""
        return CellSet.of(self.column, self.size, (*self.spans, *other.spans))

    def intersection(self, other: CellSet) -> CellSet:
        """The cells of both."""
        return self.complement().union(other.complement()).complement()

    def contains(self, cells: NDArray[Any]) -> NDArray[np.bool_]:
        """Which of these cells belong to the set."""
        if len(self.spans) == 1:
            first, last = self.spans[0]
            if last == self.size - 1:
                return np.asarray(cells >= first, dtype=np.bool_)
            below = np.asarray(cells <= last, dtype=np.bool_)
            return below & np.asarray(cells >= first, dtype=np.bool_) if first else below
        edges = [edge for first, last in self.spans for edge in (first, last + 1)]
        if edges and edges[-1] == self.size:  # it may not fit the type of the cells, and nothing reaches it
            edges.pop()
        places = np.searchsorted(np.array(edges, dtype=cells.dtype), cells, side="right")
        return np.asarray(places & 1, dtype=np.bool_)

    def text(self, column: Column) -> str:
        """The test in the column's own units and the language of `predicates`; it reads back as this set."""
        name = name_text(self.column)
        if isinstance(column, Boolean):
            return name if self.spans == ((1, 1),) else f"not {name}"
        if not column.ordered:
            return self._categories_text(column)
        if len(self.spans) == 1:
            return _span_text(column, name, self.spans[0])
        if all(_single(column, span) for span in self.spans):
            return f"{name} in [{', '.join(_literal(column, first) for first, _ in self.spans)}]"
        if not self.needs_or(column):
            return _exclusion(name, [_literal(column, first) for first, _ in self.complement().spans])
        return " or ".join(_span_text(column, name, span) for span in self.spans)

    def needs_or(self, column: Column) -> bool:
        """Whether the text is several comparisons: neither one range, nor a list, nor all but a list."""
        if len(self.spans) == 1 or not column.ordered:
            return False
        return not any(
            all(_single(column, span) for span in spans) for spans in (self.spans, self.complement().spans)
        )

    def _categories_text(self, column: Column) -> str:
        name, inside = name_text(self.column), list(self._cells())
        if 2 * len(inside) > self.size and self.size > 2:
            return _exclusion(name, [_literal(column, cell) for cell in self.complement()._cells()])
        literals = [_literal(column, cell) for cell in inside]
        return f"{name} == {literals[0]}" if len(literals) == 1 else f"{name} in [{', '.join(literals)}]"

    def _cells(self) -> Iterable[int]:
        return (cell for first, last in self.spans for cell in range(first, last + 1))

    def sql(self, column: Column) -> str:
        """The same test on the raw column: clamping, `other` and `missing` are those of `Column.encode`."""
        if isinstance(column, Categorical):
            return self._categories_sql(column)
        source = source_sql(column)
        if isinstance(column, Boolean):
            return f"{source} IN ({column.sql_spellings(self.spans[0][0])})"
        return " OR ".join(_span_sql(column, source, span) for span in self.spans)

    def _categories_sql(self, column: Categorical) -> str:
        inside, names, name = set(self._cells()), column.names, sql_name(self.column)
        rest = column.other is not None and names.index(column.other) in inside
        texts = [text for text, cell in reading.lookup(names).items() if (cell in inside) != rest]
        if any(text not in names for text in texts):  # other spellings: 1 and 1.0 mean the same category
            name = f"CAST({name} AS VARCHAR)"
        literals = ", ".join("'" + text.replace("'", "''") + "'" for text in texts)
        test = f"{name} {'NOT IN' if rest else 'IN'} ({literals})" if texts else ("TRUE" if rest else "FALSE")
        if column.missing is None:
            return test
        blank = f"{sql_name(self.column)} IS NULL OR TRIM(CAST({sql_name(self.column)} AS VARCHAR)) = ''"
        if names.index(column.missing) in inside:
            return f"{test} OR {blank}"
        return f"({test}) AND NOT ({blank})" if rest else test

    def to_json(self) -> dict[str, object]:
        """Cells as text: they may exceed what other readers of JSON take for an integer."""
        spans = [[str(first), str(last)] for first, last in self.spans]
        return {"column": self.column, "size": str(self.size), "cells": spans}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> CellSet:
        """What `to_json` wrote, read back; refused if a field is missing, strange or out of range."""
        record(tree, "column", "size", "cells")
        pairs = [as_list(span) for span in as_list(tree["cells"])]
        require(all(len(span) == 2 for span in pairs), "a span has two ends")
        spans = [(written_whole(first), written_whole(last)) for first, last in pairs]
        return cls.of(text(tree["column"]), written_whole(tree["size"]), spans)


def reachable(column: Column, cell: int) -> int:
    """The first cell at or after `cell` that some raw value lies in; `size` if there is none.

    A fine grid far from zero has cells between two neighbouring doubles; cuts next to them mean the same.
    """
    if not 0 < cell < column.size:
        return min(max(cell, 0), column.size)
    if isinstance(column, Numeric) and not column.integer:
        return column.cell(column.value(cell))
    return cell


def name_text(name: str) -> str:
    """A column's name as predicates write it: in backticks unless it is a plain identifier."""
    plain = name.isidentifier() and not keyword.iskeyword(name)
    if plain and unicodedata.normalize("NFKC", name) == name:  # Python reads identifiers in that form
        return name
    return f"`{name.replace('`', '``')}`"


def _literal(column: Column, cell: int) -> str:
    return column.show(cell) if isinstance(column, Numeric) else repr(column.value(cell))


def _single(column: Column, span: Span) -> bool:
    return reachable(column, span[0] + 1) == span[1] + 1


def _span_text(column: Column, name: str, span: Span) -> str:
    first, last = span
    if _single(column, span):
        return f"{name} == {_literal(column, first)}"
    low = edge(column, first, (">=", ">")) if first > 0 else None
    high = edge(column, last + 1, ("<", "<=")) if last < column.size - 1 else None
    if low is None or high is None:
        return " ".join((name, *(low or high or ())))
    return f"{low[1]} {low[0].replace('>', '<')} {name} {' '.join(high)}"


FINE = 1000
"""Cells of a column from which on nobody tells a value from its neighbour: `> 1` may stand for `>= 1.001`."""


def edge(column: Column, cut: int, signs: tuple[str, str]) -> tuple[str, str]:
    """A comparison with the first cell after the cut, or the last before it if that is shorter on a grid."""
    at = _literal(column, cut)
    fine = isinstance(column, Numeric) and not column.integer and column.resolution >= FINE
    if fine and reachable(column, cut - 1) == cut - 1:
        before = _literal(column, cut - 1)
        if len(before) < len(at):
            return signs[1], before
    return signs[0], at


def _exclusion(name: str, literals: list[str]) -> str:
    return f"{name} != {literals[0]}" if len(literals) == 1 else f"{name} not in [{', '.join(literals)}]"


def sql_name(name: str) -> str:
    """The name of a column as SQL quotes it."""
    return '"' + name.replace('"', '""') + '"'


def source_sql(column: Column) -> str:
    """The raw column with empty cells replaced as the schema says."""
    name = sql_name(column.name)
    missing = column.missing
    if isinstance(column, Boolean):
        name = f"LOWER(CAST({name} AS VARCHAR))"
        name = name if missing is None else f"NULLIF(TRIM({name}), '')"
    if missing is None:
        return name
    default = column.sql_value(column.cell(missing))
    if isinstance(column, Date | Boolean):
        return f"COALESCE({name}, {default})"
    return f"(CASE WHEN {number_sql(column)} THEN {name} ELSE {default} END)"


def number_sql(column: Column) -> str:
    """Whether a raw cell is a number: neither NULL nor NaN nor an infinity, nor the text that SQLite may keep among
    numbers, which is larger than all of them."""
    name = sql_name(column.name)
    return f"{name} - {name} = 0 AND {name} + 0 = {name}"


def _span_sql(column: Column, source: str, span: Span) -> str:
    """The first and the last cell also hold what lies beyond the bounds."""
    first, last = span
    low = f"{source} >= {column.sql_value(first)}" if first > 0 else ""
    high = f"{source} < {column.sql_value(last + 1)}" if last < column.size - 1 else ""
    return f"({low} AND {high})" if low and high else low or high


def cell_sql(column: Column) -> str:
    """The cell number of a numeric column as an SQL expression: the same operations in the same order as `encode`."""
    assert isinstance(column, Numeric)
    source = source_sql(column)
    if column.integer:
        inside = f"LEAST(GREATEST({source}, {column.lower}), {column.upper})"
        return f"CAST(FLOOR({inside}) - {column.lower} AS HUGEINT)"
    low, high, scale = (
        _double(x)
        for x in (
            float(column.lower),
            float(column.upper),
            column.resolution / (float(column.upper) - float(column.lower)),
        )
    )
    inside = f"(LEAST(GREATEST({source}, {low}), {high}) - {low}) * {scale}"
    return f"CAST(LEAST(FLOOR({inside}), {column.resolution - 1}) AS HUGEINT)"


def _double(x: float) -> str:
    text = repr(x)
    return text if "e" in text else f"{text}e0"
