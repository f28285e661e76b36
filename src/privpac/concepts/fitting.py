"""Whether a hypothesis is about the table its schema describes: its columns, their cells, the classes.

Every kind answers for itself (`Hypothesis.misfit`); here are the questions they share. A kind that does not answer
cannot be stored, so nothing is taken for fitting because nobody thought of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from privpac.data.schema import Schema

__all__ = ["cells_misfit", "edges_misfit", "labels_misfit", "misfit", "order_misfit", "two_classes_misfit"]

OUTSIDE = "it names a cell outside of a column"


class Rule(Protocol):
    """What is asked here of a hypothesis."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    def misfit(self, schema: Schema) -> str | None: ...


def misfit(hypothesis: Rule, schema: Schema) -> str | None:
    """Why the hypothesis cannot have been drawn under this schema, or None."""
    if not set(hypothesis.columns) <= set(schema.names):
        return "it looks at a column that the schema does not have"
    return hypothesis.misfit(schema)


def two_classes_misfit(schema: Schema) -> str | None:
    """Why a rule for two classes cannot speak about the schema; None if it can."""
    if len(schema.classes) == 2:
        return None
    return "it separates two classes, and the schema has another number"


def labels_misfit(schema: Schema, labels: Iterable[int]) -> str | None:
    """Why a rule with these labels cannot speak about the schema; None if it can."""
    if all(0 <= label < len(schema.classes) for label in labels):
        return None
    return "it names a class that the schema does not have"


def order_misfit(schema: Schema, columns: Iterable[str]) -> str | None:
    """Why a rule that compares values of these columns cannot; None if all of them have an order."""
    if all(schema.column(name).ordered for name in columns):
        return None
    return "it compares categories, which have no order"


def cells_misfit(schema: Schema, column: str, cells: Iterable[int]) -> str | None:
    """Cells of a column."""
    size = schema.column(column).size
    return None if all(0 <= cell < size for cell in cells) else OUTSIDE


def edges_misfit(schema: Schema, column: str, edges: Iterable[int]) -> str | None:
    """Places between cells: one more than there are cells."""
    size = schema.column(column).size
    return None if all(0 <= edge <= size for edge in edges) else OUTSIDE
