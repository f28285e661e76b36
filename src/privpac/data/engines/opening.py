"""Which engine holds the records somebody names: memory for what fits, streams for files that do not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, get_args

from privpac.data.engines.files import files_sample, is_many
from privpac.data.engines.memory import MemorySample
from privpac.data.engines.streamed import Progress, StreamedSample
from privpac.data.schema import Schema
from privpac.errors import DataError, ParameterError

__all__ = ["Engine", "chosen_engine", "open_sample"]

Engine = Literal["auto", "memory", "files"]

LARGE = 2**29
"""Bytes of files from which on records are streamed: in memory they take several times as much."""


def chosen_engine(table: object, engine: str = "auto") -> Engine:
    """What `auto` means for a table: files if there are several of them, or much in one."""
    if engine not in get_args(Engine):
        raise ParameterError("learn", "engine", engine, allowed="one of " + ", ".join(get_args(Engine)))
    if engine != "auto":
        if engine == "files" and not isinstance(table, str | os.PathLike):
            raise ParameterError(
                "learn", "engine", engine, allowed="auto or memory for a table that is in memory already"
            )
        return "files" if engine == "files" else "memory"
    if not isinstance(table, str | os.PathLike):
        return "memory"
    text = str(table)
    if is_many(text):
        return "files"
    path = Path(text)
    return "files" if path.is_file() and path.stat().st_size >= LARGE else "memory"


def open_sample(
    table: object, schema: Schema, *, y: object = None, engine: str = "auto", progress: Progress | None = None
) -> MemorySample | StreamedSample:
    """The records of a table under a schema, with their labels, in the engine chosen for it."""
    chosen = chosen_engine(table, engine)
    if not isinstance(table, str | os.PathLike) or not (chosen == "files" or is_many(str(table))):
        return MemorySample.of(table, schema, y=y)
    if y is not None:
        raise DataError(
            "Labels apart from the records need records in memory.", remedy="Put them into the files."
        )
    streamed = files_sample(str(table), schema, progress=progress)
    return streamed if chosen == "files" else streamed.gathered()
