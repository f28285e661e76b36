"""Rules that compute with the number of a cell: how SQL gets that number, and what to do where it cannot."""

from __future__ import annotations

import numpy as np

from privpac.concepts.base import Hypothesis
from privpac.concepts.literals.cell_sets import CellSet, source_sql
from privpac.data.columns import Column, Numeric
from privpac.data.schema import Schema
from privpac.errors import NoSqlForm

__all__ = ["HUGEINT_BITS", "members_sql", "number_sql"]

HUGEINT_BITS = 126
"""Products below 2^126 are safe in the 128-bit integers of DuckDB and in the decimals of other databases."""

_MOST_LISTED = 4096
"""Columns up to this many cells are written out cell by cell."""


def number_sql(column: Column) -> str | None:
    """The number of the cell a raw value lies in, as SQL; None where it takes more than arithmetic."""
    if not isinstance(column, Numeric) or column.size.bit_length() > HUGEINT_BITS:
        return None
    source = source_sql(column)
    if column.integer:
        lower, upper = int(column.lower), int(column.upper)
        inside = f"LEAST(GREATEST({source}, {lower}), {upper})"
        whole = f"CAST({inside} AS HUGEINT)"  # rounds a fraction; FLOOR would turn long integers into doubles
        return f"({whole} - CASE WHEN {whole} > {inside} THEN 1 ELSE 0 END - ({lower}))"
    low, high = (repr(float(end)) for end in (column.lower, column.upper))
    scale = column.resolution / (float(column.upper) - float(column.lower))
    cell = f"CAST(FLOOR((LEAST(GREATEST({source}, {low}), {high}) - ({low})) * {scale!r}) AS HUGEINT)"
    return f"LEAST({cell}, {column.resolution - 1})"


def members_sql(rule: Hypothesis, name: str, schema: Schema, *, why: str) -> str:
    """The rule as a list of cells where the column is short, else a refusal that says why."""
    column = schema.column(name)
    if column.size > _MOST_LISTED:
        raise NoSqlForm(f"{why}.", remedy="Predict with Model.predict or `privpac predict`.")
    cells = np.arange(column.size, dtype=column.dtype)
    inside = np.flatnonzero(rule.predict({name: cells}))
    if len(inside) in (0, column.size):
        return "1" if len(inside) else "0"
    spans = CellSet.of(name, column.size, [(int(cell), int(cell)) for cell in inside])
    return f"CASE WHEN {spans.sql(column)} THEN 1 ELSE 0 END"
