"""Records in Parquet and CSV files larger than memory, streamed by DuckDB as Arrow batches.

Files are read in the order of their names, each from its first record to its last. All of them are looked at before
the first record is read: a missing column, another type, a damaged file is named then.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from privpac.data.arrow import arrow_installed, raw_column
from privpac.data.engines.streamed import Batch, Progress, StreamedSample
from privpac.data.files import (
    CSV_ENDINGS,
    PARQUET_ENDINGS,
    ask,
    column_sql,
    csv_call,
    file_reader,
    header,
    is_csv,
    parquet_columns,
    place,
    simple,
)
from privpac.data.raw import Array, near
from privpac.data.schema import Schema
from privpac.errors import DataError, SchemaError, SizeError

__all__ = ["FileSource", "files_at", "files_sample", "is_many"]

ROWS = 2**18
"""Records per batch: a few megabytes per column, large enough that calls cost nothing."""

REPETITIONS = 8
"""How often a value must occur on average for grouping in the database to beat counting here."""


def is_many(text: str) -> bool:
    """Whether a path names several files: a folder, or a pattern."""
    return (glob.has_magic(text) and not Path(text).is_file()) or Path(text).is_dir()


def files_at(text: str | Path) -> tuple[Path, ...]:
    """The files a path, a folder or a pattern names, by name."""
    whole = str(text)
    folder = Path(whole)
    if folder.is_dir():
        paths = [path for path in folder.rglob("*") if path.is_file() and _is_table(path)]
    elif is_many(whole):
        paths = [Path(name) for name in glob.glob(whole, recursive=True) if Path(name).is_file()]
    else:
        paths = [folder]
    if not paths:
        raise DataError(
            f"There is no file at {whole!r}.",
            remedy="Check the path; a pattern looks like 'folder/*.parquet'.",
        )
    strange = [path for path in paths if path.is_file() and not _is_table(path)]
    if strange:
        raise DataError(
            f"The file {strange[0]} has an ending that is not known.",
            remedy=f"Use one of {', '.join(CSV_ENDINGS + PARQUET_ENDINGS)}.",
        )
    return tuple(sorted(paths))


def _is_table(path: Path) -> bool:
    return path.name.lower().endswith(CSV_ENDINGS + PARQUET_ENDINGS)


def files_sample(
    text: str | Path, schema: Schema, *, labelled: bool = True, progress: Progress | None = None
) -> StreamedSample:
    """The records of one or many files under a schema."""
    arrow_installed()  # before anything is charged; counting records alone does not need it
    columns = (*schema.names, schema.label) if labelled else schema.names
    source = FileSource(files_at(text), columns)
    return StreamedSample.of(source, schema, labelled=labelled, progress=progress)


@dataclass(frozen=True)
class _File:
    """One file: how to select each column, what it holds, and how many records there are."""

    path: Path
    call: str
    keys: dict[str, tuple[str, str]]
    n: int


class FileSource:
    """Files with the same columns, one after the other."""

    def __init__(self, paths: Sequence[Path], columns: tuple[str, ...]) -> None:
        self._columns = columns
        self._connection = file_reader()
        self._files = [self._open(path) for path in paths]
        self._agree()
        if self.n == 0:
            raise SizeError("The files have no records.", remedy="Give at least one record.")

    @cached_property
    def n(self) -> int:
        """The number of rows in all files."""
        return sum(file.n for file in self._files)

    @property
    def columnar(self) -> bool:
        return not any(is_csv(file.path) for file in self._files)

    @property
    def counts(self) -> tuple[int, ...]:
        """How many records each file has."""
        return tuple(file.n for file in self._files)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files, in the order they are read."""
        return tuple(file.path for file in self._files)

    def batches(self, columns: tuple[str, ...]) -> Iterator[Batch]:
        for file in self._files:
            yield from self._file_batches(file, columns)

    def grouped(self, columns: tuple[str, ...]) -> Iterator[tuple[Batch, Array]] | None:
        """Every different record of some columns, and how many there are of it, file by file.

        None where that would not be shorter, because the first records hardly ever repeat a value. Only the time taken
        depends on that.
        """
        return self._groups(columns) if self._repeats(columns[0]) else None

    def _groups(self, columns: tuple[str, ...]) -> Iterator[tuple[Batch, Array]]:
        for file in self._files:
            query = f"SELECT {_select_list(file, columns)}, count(*) AS total FROM {file.call} GROUP BY ALL"
            for batch in self._read(file, query):
                yield _raw_batch(batch, file, columns), batch.column(len(columns)).to_numpy()

    def _repeats(self, name: str) -> bool:
        first = self._files[0]
        some = f"SELECT {_select_list(first, (name,))} FROM {first.call} LIMIT {ROWS}"
        query = f"SELECT count(*), count(DISTINCT c0) FROM ({some})"
        rows, different = ask(first.path, lambda: self._connection.execute(query).fetchone())
        return bool(different * REPETITIONS <= rows)

    def _file_batches(self, file: _File, columns: tuple[str, ...]) -> Iterator[Batch]:
        for batch in self._read(file, f"SELECT {_select_list(file, columns)} FROM {file.call}"):
            if columns:
                yield _raw_batch(batch, file, columns)
            else:
                yield {"": np.empty(batch.num_rows, dtype=np.uint8)}

    def _read(self, file: _File, query: str) -> Iterator[Any]:
        cursor = self._connection.cursor()  # of its own: passes may run side by side
        reader = ask(file.path, lambda: cursor.sql(query).to_arrow_reader(ROWS))
        while (batch := ask(file.path, lambda: next(reader, None))) is not None:
            yield batch

    def _open(self, path: Path) -> _File:
        if not path.is_file():
            raise DataError(f"There is no file {path}.", remedy="Check the path.")
        if is_csv(path):
            names, delimiter = header(path)
            keys = {name: (f"c{i}", "VARCHAR") for i, name in enumerate(names)}
            call = csv_call(path, names, delimiter)
        else:
            # Values in the names of folders stay text, as in CSV: a guessed type would depend on the other characters.
            hive = ", hive_partitioning = true, hive_types_autocast = false" if "=" in str(path) else ""
            call = f"read_parquet({place(path)}{hive})"
            keys = {name: (key, kind) for name, key, kind in parquet_columns(self._connection, path, call)}
        self._require(path, keys)
        count = f"SELECT count(*) FROM {call}"
        n = int(ask(path, lambda: self._connection.execute(count).fetchone())[0])
        return _File(path, call, keys, n)

    def _require(self, path: Path, keys: dict[str, tuple[str, str]]) -> None:
        for name in self._columns:
            if name not in keys:
                raise SchemaError(
                    f"The file {path} has no column '{name}'.", column=name, remedy=near(name, tuple(keys))
                )
            if simple(keys[name][1]) is None:
                raise DataError(
                    f"Column '{name}' of {path} has the type {keys[name][1]}, which no kind of column can hold.",
                    column=name,
                    remedy="Store numbers, text, booleans or dates.",
                )

    def _agree(self) -> None:
        """Files of one table hold the same kind of thing in a column; text in one of them is an accident."""
        first = self._files[0]
        for file in self._files[1:]:
            for name in self._columns:
                here, there = simple(file.keys[name][1]), simple(first.keys[name][1])
                if here != there:
                    raise SchemaError(
                        f"Column '{name}' holds {here} in {file.path} and {there} in {first.path}.",
                        column=name,
                        remedy="Write both files with the same type.",
                    )


def _select_list(file: _File, columns: tuple[str, ...]) -> str:
    return ", ".join(f"{column_sql(*file.keys[name])} AS c{i}" for i, name in enumerate(columns)) or "1 AS c0"


def _raw_batch(batch: Any, file: _File, columns: tuple[str, ...]) -> Batch:
    return {name: raw_column(batch.column(i), file.keys[name][1]) for i, name in enumerate(columns)}
