"""Which engine holds the records somebody names: memory for what fits, streams for files that do not, or a cluster;
and what a charge for their use says they are called."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args

from privpac.data.engines.database import database_sample, is_database
from privpac.data.engines.files import files_sample, is_many
from privpac.data.engines.memory import MemorySample
from privpac.data.engines.sharded import ShardedSample
from privpac.data.engines.spark import session, spark_sample
from privpac.data.engines.streamed import Progress, StreamedSample
from privpac.data.schema import Schema
from privpac.data.tables import is_spark_frame
from privpac.errors import DataError, ParameterError
from privpac.guarantee.ledger.account import Purchase

__all__ = ["Engine", "EngineSample", "chosen_engine", "open_sample", "purchase_of", "unread_records"]

Engine = Literal["auto", "memory", "files", "spark"]
EngineSample = MemorySample | StreamedSample | ShardedSample

LARGE = 2**29
"""Bytes of files from which on records are streamed: in memory they take several times as much."""

LOCAL = "local[2]"
"""The cluster that is started if none is named: two threads of this machine."""


def chosen_engine(table: object, engine: str = "auto") -> Engine:
    """What `auto` means for a table: Spark for its frames, files if there are several of them, or much in one."""
    if engine not in get_args(Engine):
        raise ParameterError("learn", "engine", engine, allowed="one of " + ", ".join(get_args(Engine)))
    has_name = isinstance(table, str | os.PathLike)
    if is_spark_frame(table):
        if engine not in ("auto", "spark"):
            raise ParameterError("learn", "engine", engine, allowed="auto or spark for a Spark DataFrame")
        return "spark"
    if engine in ("files", "spark"):
        if not has_name:
            raise ParameterError(
                "learn", "engine", engine, allowed="auto or memory for a table that is in memory already"
            )
        return "files" if engine == "files" else "spark"
    if engine == "memory" or not has_name:
        return "memory"
    if is_database(str(table)):
        return "files"
    path = Path(str(table))
    large = path.is_file() and path.stat().st_size >= LARGE
    return "files" if large or is_many(str(table)) else "memory"


def unread_records(sample: EngineSample) -> Callable[[], None] | None:
    """What reads the records that no pass has read so far; None for records in memory, which were read as a whole."""
    return None if isinstance(sample, MemorySample) else sample.validate


def open_sample(
    table: object,
    schema: Schema,
    *,
    y: object = None,
    engine: str = "auto",
    spark: Any = None,
    progress: Progress | None = None,
    load: bool = True,
) -> EngineSample:
    """The records of a table under a schema, with their labels, in the engine chosen for it.

    `spark` is a session, or the address of a cluster. Without `load`, records of several files stay there for now.
    """
    kind = chosen_engine(table, "spark" if spark is not None and engine == "auto" else engine)
    several = isinstance(table, str | os.PathLike) and (is_many(str(table)) or is_database(str(table)))
    if kind == "memory" and not several:
        return MemorySample.of(table, schema, y=y)
    if y is not None:
        raise DataError(
            "Labels apart from the records need records in memory.", remedy="Put them into the files."
        )
    if kind == "spark" and isinstance(table, str) and is_database(table):
        raise DataError(
            "Spark reads files and its own frames.",
            remedy="Make a DataFrame of the table, or use engine='files'.",
        )
    if kind == "spark":
        running = spark if spark is not None and not isinstance(spark, str) else None
        if running is None and is_spark_frame(table):
            running = table.sparkSession  # type: ignore[attr-defined]
        return spark_sample(table, schema, spark=running or session(spark or LOCAL))
    reader = database_sample if is_database(str(table)) else files_sample
    stream = reader(str(table), schema, progress=progress)
    return stream.gathered() if load and kind == "memory" else stream


def purchase_of(word: str, schema: Schema, *, table: object = None) -> Purchase:
    """Paid for `word`, under this schema, from this table if it has a name.

    A schema that was read from the records has no digest here: that would be one of them.
    """
    digest = "" if schema.origin == "from_data" else schema.digest()
    return Purchase.of(table=_table_name(table), schema=digest, word=word, label=schema.label)


def _table_name(table: object) -> str:
    """The name of a file without its folders; an address may hold a password, and a frame has no name."""
    if not isinstance(table, str | os.PathLike) or "://" in str(table):
        return ""
    return Path(table).name
