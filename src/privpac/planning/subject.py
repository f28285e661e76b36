"""What a question is about, as something that can be learnt: a schema made of its numbers, and words with columns."""

from __future__ import annotations

from privpac.constructions.class_facts import Description
from privpac.data.schema import Schema

__all__ = ["as_schema", "runnable"]

REAL_BITS = 32
"""Columns of more bits than this are whole numbers: a real one has no more cells."""


def as_schema(description: Description, *, columns: int = 1) -> Schema:
    """The schema of a description by numbers: columns between 0 and 1, at least this many; long keys are integers."""
    if description.schema is not None:
        return description.schema
    count = max(columns, description.columns or description.tests or 1)
    if description.bits is not None and description.bits > REAL_BITS:
        shape: dict[str, int | bool] = {"lower": 0, "upper": 2**description.bits - 1, "integer": True}
    else:
        size = {} if description.bits is None else {"resolution": 2**description.bits}
        shape = {"lower": 0, "upper": 1, **size}
    entries = [{"name": f"c{i}", "kind": "numeric", **shape} for i in range(1, count + 1)]
    return Schema.from_json({"label": "y", "columns": entries})


def runnable(word: str) -> str:
    """The word with the columns of `as_schema` where none were named."""
    for number in range(1, word.count("COLUMN") + 1):
        word = word.replace("COLUMN", f"c{number}", 1)
    return word
