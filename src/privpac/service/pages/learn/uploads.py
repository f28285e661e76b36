"""An upload is looked over before anything else reads it: what it holds once unpacked, and that it can be read.

A small file may stand for a large one: gzip and Parquet write the same bytes, or the same value, a million times in a
few. So the limits are on what is unpacked, and they are checked while it is unpacked, not after.
"""

from __future__ import annotations

import gzip
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any

from privpac.data.files import (
    ask,
    column_sql,
    connect,
    csv_call,
    header,
    is_csv,
    parquet_columns,
    place,
    simple,
)
from privpac.errors import DataError
from privpac.service.pages.guards import Refusal

__all__ = ["MOST_COLUMNS", "MOST_SECONDS", "MOST_UNPACKED", "UploadLimits", "count_upload"]

MOST_UNPACKED = 128 << 20
"""Bytes of one uploaded table once it is unpacked: twice what may be sent."""
MOST_SECONDS = 60.0
"""For looking over one upload."""
MOST_COLUMNS = 2000
"""Of one table: more than a form can show."""
MOST_FOOTER = 16 << 20
"""Bytes of the description at the end of a Parquet file."""
MEMORY = "1GB"
"""For DuckDB while it looks an upload over: a page of a Parquet file may claim any size."""
CELL = 4
"""Bytes of a cell in memory, however few of them a file needs."""
PIECE = 1 << 20
REMEDY = "Learn from larger tables with privpac learn, which streams them."


@dataclass(frozen=True)
class UploadLimits:
    """What is public about uploads: how much one may hold and how long it may take to find out."""

    unpacked: int = MOST_UNPACKED
    seconds: float = MOST_SECONDS
    columns: int = MOST_COLUMNS


def count_upload(path: Path, limits: UploadLimits) -> int:
    """The number of records of an upload; refused as soon as it is larger or slower than it may be."""
    look = _Look(path, limits, time.monotonic() + limits.seconds)
    return look.csv() if is_csv(path) else look.parquet()


@dataclass(frozen=True)
class _Look:
    path: Path
    limits: UploadLimits
    end: float

    def csv(self) -> int:
        if self.path.name.lower().endswith(".gz"):
            self._unpack()
        names, delimiter = header(self.path)
        self._few(len(names))
        return self._scan(
            csv_call(self.path, names, delimiter), [_length(f"c{i}") for i in range(len(names))]
        )

    def parquet(self) -> int:
        self._small_footer()
        connection = self._connection()
        try:
            query = f"SELECT sum(num_rows) FROM parquet_file_metadata({place(self.path)})"
            records = int(ask(self.path, lambda: connection.execute(query).fetchone())[0])
            columns = parquet_columns(connection, self.path)
            self._few(len(columns))
            query = f"SELECT sum(total_uncompressed_size) FROM parquet_metadata({place(self.path)})"
            size = int(ask(self.path, lambda: connection.execute(query).fetchone())[0] or 0)
        finally:
            connection.close()
        self._not_more(max(size, records * len(columns) * CELL))
        lengths = [
            f"0 * count({column_sql(key, kind)})"
            if simple(kind) not in (None, "text")
            else _length(column_sql(key, kind))
            for _, key, kind in columns
        ]
        return self._scan(f"read_parquet({place(self.path)})", lengths)

    def _unpack(self) -> None:
        """Count what gzip writes, and stop where it is too much."""
        length, is_damaged = 0, False
        try:
            with gzip.open(self.path, "rb") as stream:
                while piece := stream.read(PIECE):
                    length += len(piece)
                    self._not_more(length)
                    self._in_time()
        except (OSError, EOFError, zlib.error):
            is_damaged = True
        if is_damaged:
            raise DataError(
                f"The file {self.path} cannot be read as text.", remedy="Write it again, in UTF-8."
            )

    def _small_footer(self) -> None:
        """The last eight bytes say how long the description before them is."""
        with self.path.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(0, size - 8))
            length = int.from_bytes(stream.read(4), "little")
        if size >= length > MOST_FOOTER:
            raise Refusal(413, "The description of the Parquet file is too long.", REMEDY)

    def _scan(self, call: str, lengths: list[str]) -> int:
        """Read every cell once without keeping any: how many records there are, and how long all texts are together.

        One long text in a dictionary may be meant by every record, so the file itself says nothing about that.
        """
        self._in_time()
        connection = self._connection()
        timer = Timer(max(0.0, self.end - time.monotonic()), connection.interrupt)
        timer.daemon = True
        timer.start()
        # One sum per column: a sum of two thousand terms would be nested more deeply than DuckDB goes.
        query = f"SELECT count(*), {', '.join(lengths)} FROM {call}"
        try:
            row = ask(self.path, lambda: connection.execute(query).fetchone())
        except DataError:
            self._in_time()
            raise
        finally:
            timer.cancel()
            connection.close()
        self._in_time()
        self._not_more(sum(int(length) for length in row[1:]))
        return int(row[0])

    @staticmethod
    def _connection() -> Any:
        connection = connect()
        connection.execute(f"SET memory_limit = '{MEMORY}'")
        return connection

    def _few(self, columns: int) -> None:
        if columns > self.limits.columns:
            raise Refusal(
                413, f"The table has more than {self.limits.columns} columns.", "Use privpac learn."
            )

    def _not_more(self, length: int) -> None:
        if length > self.limits.unpacked:
            most = self.limits.unpacked >> 20
            raise Refusal(
                413, f"Unpacked, the table is larger than {most} MB, the most these pages take.", REMEDY
            )

    def _in_time(self) -> None:
        if time.monotonic() >= self.end:
            most = f"{self.limits.seconds:g}"
            raise Refusal(413, f"The table takes longer than {most} seconds to look over.", REMEDY)


def _length(column: str) -> str:
    """The bytes of a column as text, in SQL."""
    return f"coalesce(sum(strlen(CAST({column} AS VARCHAR))), 0)"
