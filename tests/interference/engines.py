"""A table in every place where records may live: in memory, in files, in a database, in shards that workers count."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privpac.data.engines import opening
from privpac.data.engines.files import files_at
from privpac.data.engines.sharded import ShardedSample
from privpac.data.schema import Schema
from tests.interference.tables import Table

__all__ = ["ENGINES", "Engine", "arrow"]

TYPES: Mapping[str, pa.DataType] = {
    "age": pa.int64(),
    "dose": pa.float64(),
    "key": pa.int64(),
    "ward": pa.string(),
    "flag": pa.bool_(),
    "seen": pa.string(),
    "ill": pa.string(),
}
"""Declared, so that no cell decides about the type of its column."""


def arrow(table: Table) -> pa.Table:
    return pa.table({name: pa.array(column, TYPES[name]) for name, column in table.items()})


@dataclass
class Engine:
    """How a table is handed to `learn`, and what is said besides; every table is written once."""

    place: Callable[[Table, Path], object]
    wishes: Mapping[str, Any] = field(default_factory=dict)
    shards: bool = False
    _places: dict[int, tuple[Table, object]] = field(default_factory=dict)
    _folder: tempfile.TemporaryDirectory[str] | None = None

    def of(self, table: Table) -> object:
        if id(table) not in self._places:
            self._folder = self._folder or tempfile.TemporaryDirectory(prefix="privpac-interference-")
            folder = Path(self._folder.name) / str(len(self._places)) / "data"
            folder.mkdir(parents=True)
            self._places[id(table)] = (table, self.place(table, folder))
        return self._places[id(table)][1]

    @contextmanager
    def working(self) -> Iterator[None]:
        """While this engine reads; shards take the place of streamed files, as they do on a cluster."""
        with pytest.MonkeyPatch.context() as patch:
            if self.shards:
                patch.setattr(opening, "files_sample", _sharded)
            yield


def _sharded(path: str, schema: Schema, **_: object) -> ShardedSample:
    return ShardedSample.of(files_at(path), schema, run=map)


def _memory(table: Table, folder: Path) -> object:
    return dict(table)


def _files(table: Table, folder: Path) -> object:
    whole = arrow(table)
    half = whole.num_rows // 2
    pq.write_table(whole.slice(0, half), folder / "1.parquet", row_group_size=7)
    pq.write_table(whole.slice(half), folder / "2.parquet")
    return str(folder)


def _database(table: Table, folder: Path) -> object:
    whole = arrow(table)  # noqa: F841
    with duckdb.connect(str(folder / "clinic.duckdb")) as connection:
        connection.execute("CREATE TABLE visits AS SELECT * FROM whole")
    return f"duckdb:///{folder / 'clinic.duckdb'}#visits"


ENGINES: Mapping[str, Engine] = {
    "memory": Engine(_memory),
    "files": Engine(_files, {"engine": "files"}),
    "database": Engine(_database, {"engine": "files"}),
    "shards": Engine(_files, {"engine": "files"}, shards=True),
}
