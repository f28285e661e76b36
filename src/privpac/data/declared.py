"""The schema a person gave, in any of the ways a person gives one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from privpac.data.schema import Schema
from privpac.errors import ParameterError, SchemaError

__all__ = ["schema_for"]


def schema_for(source: object, table: object, *, label: str | None = None, y: object = None) -> Schema:
    """The schema a person gave: itself, a file, a mapping, or the wish to read it from the records."""
    if isinstance(source, Schema):
        return source
    if source is None:
        raise SchemaError(
            "No schema was given, so nothing is known about the table without looking at private records.",
            remedy="Write one (`privpac schema DATA` drafts it), or accept schema='from_data'.",
        )
    if isinstance(source, str) and source == "from_data":
        return Schema.from_data(table, label=label or "label", y=y)
    if isinstance(source, (str, Mapping)):
        return Schema.from_json(source)
    if isinstance(source, os.PathLike):
        return Schema.from_json(Path(source))
    allowed = "a Schema, the path of a schema file, a mapping, or 'from_data'"
    raise ParameterError("learn", "schema", type(source).__name__, allowed=allowed)
