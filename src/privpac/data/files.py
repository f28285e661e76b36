"""CSV and Parquet files as raw tables, read by DuckDB.

CSV cells stay text until the schema says what they mean, so that long keys and categories survive. The
dialect comes from the header line alone: a parser that guesses it from the records could read one record
differently because of another.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import IO, Any

from privpac.data.arrow import ZONED, aware, has_arrow, raw_column
from privpac.data.raw import Array, RawTable, no_repeats, require
from privpac.data.texts import Raw
from privpac.errors import DataError, SizeError

__all__ = [
    "CSV_ENDINGS",
    "PARQUET_ENDINGS",
    "ask",
    "column_sql",
    "connect",
    "csv_call",
    "file_reader",
    "file_types",
    "header",
    "is_csv",
    "parquet_columns",
    "place",
    "read_file",
    "simple",
]

DELIMITERS = (",", ";", "\t", "|")
CSV_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")
PARQUET_ENDINGS = (".parquet", ".pq")
BY_COLUMNS = 2**18
"""Bytes of a file up to which its cells are fetched as objects of Python: loading pyarrow takes as long as those."""
FIRST = 20_480  # records from which DuckDB guesses the types of a CSV file
LONGEST_HEADER = 2**20  # characters: a file without line ends is not read whole in search of one

_AS_STORED = {
    "BOOLEAN": "boolean",
    **dict.fromkeys(["TINYINT", "SMALLINT", "INTEGER", "BIGINT"], "integer"),
    **dict.fromkeys(["UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"], "integer"),
    **dict.fromkeys(["FLOAT", "DOUBLE"], "real"),
    "DATE": "date",
    **dict.fromkeys(["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"], "datetime"),
    "VARCHAR": "text",
}
_AS_TEXT = {"HUGEINT": "integer", "UHUGEINT": "integer", "DECIMAL": "real", "UUID": "text", "ENUM": "text"}


def read_file(source: str | Path, *, columns: Sequence[str] | None = None) -> RawTable:
    """The records of a file; with `columns`, only those."""
    path = _existing(source)
    return _read_csv(path, columns) if is_csv(path) else _read_parquet(path, columns)


def file_types(source: str | Path) -> dict[str, str]:
    """What each column of a file holds: integer, real, boolean, date, datetime or text.

    Parquet states it. For CSV it is DuckDB's reading of the first records; numbers that are all 0 or 1 there, some of
    either, are taken for truth values.
    """
    path = _existing(source)
    connection = file_reader()
    if is_csv(path):
        names, delimiter = header(path)
        query = f"DESCRIBE SELECT * FROM {csv_call(path, names, delimiter, typed=True)}"
        rows = ask(path, lambda: connection.execute(query).fetchall())
        types = {name: simple(row[1]) or "text" for name, row in zip(names, rows, strict=True)}
        numbers = [name for name in names if types[name] in ("integer", "real")]
        return types | dict.fromkeys(_zeros_and_ones(path, numbers), "boolean")
    return {name: simple(kind) or "text" for name, _, kind in parquet_columns(connection, path)}


TRUTHS = "# #0 1 0.0 1.0"
"""Where a cell is found in this: at 0 not at all, at 1 or 2 as a gap, else as a zero or a one, perhaps spaced."""
ZERO, ONE, NO_OTHER = 1 << 4 | 1 << 7 | 1 << 8 | 1 << 9, 1 << 5 | 1 << 6 | 1 << 11 | 1 << 12, 1
GLANCE = 40
"""Records that tell of nearly every column that it holds other numbers, before a question about all columns is put."""


def _zeros_and_ones(path: Path, numbers: Sequence[str]) -> list[str]:
    """Those of these columns of a CSV file that hold both 0 and 1 in the first records, and nothing else but gaps.

    One short expression a column: with thousands of them, most of the time goes into reading the question."""
    names, delimiter = header(path)
    numeric = set(numbers)
    places = _without_others(path, delimiter, [place for place, name in enumerate(names) if name in numeric])
    if not places:
        return []
    facts = ", ".join(f"bit_or(1 << instr({_text(TRUTHS)}, c{place}))" for place in places)
    query = f"SELECT {facts} FROM (SELECT * FROM {csv_call(path, names, delimiter)} LIMIT {FIRST})"
    answers = ask(path, lambda: file_reader().execute(query).fetchone())
    sets = zip(places, (0 if answer is None else answer for answer in answers), strict=True)
    return [names[place] for place, bits in sets if bits & ZERO and bits & ONE and not bits & NO_OTHER]


def _without_others(path: Path, delimiter: str, places: list[int]) -> list[int]:
    """Of these places of columns, those where the very first records hold nothing but zeros, ones and gaps."""
    try:
        with _open(path) as stream:
            lines = islice(iter(lambda: stream.readline(LONGEST_HEADER), ""), 1, 1 + GLANCE)
            records = list(csv.reader(lines, delimiter=delimiter))
    except (OSError, EOFError, UnicodeDecodeError, csv.Error):
        return places  # who reads all of it says what is wrong
    return [
        place for place in places if all(record[place] in TRUTHS for record in records if place < len(record))
    ]


def _existing(source: str | Path) -> Path:
    path = Path(source)
    if path.is_dir():
        raise DataError(f"One file is needed here, and {path} is a folder.", remedy="Name one file of it.")
    if not path.is_file():
        raise DataError(f"There is no file {path}.", remedy="Check the path.")
    if not path.name.lower().endswith(CSV_ENDINGS + PARQUET_ENDINGS):
        raise DataError(
            f"The file {path} has an ending that is not known.",
            remedy=f"Use one of {', '.join(CSV_ENDINGS + PARQUET_ENDINGS)}.",
        )
    return path


def is_csv(path: Path) -> bool:
    """Whether the ending of the name is that of a CSV file, compressed or not."""
    return path.name.lower().endswith(CSV_ENDINGS)


def connect() -> Any:
    """A DuckDB database in memory, of one's own, that downloads nothing."""
    import duckdb  # here, because most uses of a schema never open a file

    # Nothing is downloaded: readers of both formats are built in. Nothing of a file is kept once it has been read.
    quiet = {"autoinstall_known_extensions": "false", "enable_external_file_cache": "false"}
    return _without_a_bar(duckdb.connect(config=quiet))


def file_reader() -> Any:
    """A connection for reading files: of a database that a process makes once, for that takes as long as a small file.

    Temporary tables are its own, and go with it. Attach nothing: what is attached is seen by every other connection.
    """
    return _without_a_bar(_shared_connection(os.getpid()).cursor())


@lru_cache(maxsize=1)
def _shared_connection(process: int) -> Any:
    """By process: threads of a database do not live on in a forked one."""
    return connect()


def _without_a_bar(connection: Any) -> Any:
    connection.execute("SET enable_progress_bar = false")
    return connection


_LINE = re.compile(r"CSV Error on Line: (\d+)")


def ask(path: Path, question: Callable[[], Any]) -> Any:
    """The answer, or one sentence: of DuckDB's own message, which may quote records, only the number of the line."""
    import duckdb

    try:
        return question()
    except duckdb.Error as problem:
        line = _LINE.search(str(problem))
    why = "it is truncated, damaged, or not of the format its name says"
    if line is not None:
        why = f"line {line[1]} has more or fewer cells than the header, or a quote that does not end"
    raise DataError(
        f"The file {path} cannot be read: {why}.",
        remedy="Write it again; in a CSV file every record needs as many cells as the header, in UTF-8.",
    )


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def place(path: Path) -> str:
    """A path as an SQL text that no wildcard in it can widen."""
    return _text(re.sub(r"([*?\[])", r"[\1]", str(path)))


# CSV


def header(path: Path) -> tuple[tuple[str, ...], str]:
    """The column names and the delimiter that splits the header into most of them."""
    line = None
    try:
        with _open(path) as stream:
            line = stream.readline(LONGEST_HEADER).rstrip("\r\n")
    except (OSError, EOFError, UnicodeDecodeError):
        pass
    if line is None:
        raise DataError(f"The file {path} cannot be read as text.", remedy="Write it again, in UTF-8.")
    if not line.strip():
        raise SizeError(f"The file {path} has no header line.", remedy="Start it with the column names.")
    split = [next(csv.reader([line], delimiter=delimiter)) for delimiter in DELIMITERS]
    best = max(range(len(split)), key=lambda index: len(split[index]))
    names = tuple(name.strip() for name in split[best])
    no_repeats(names)
    return names, DELIMITERS[best]


def _open(path: Path) -> IO[str]:
    if path.name.lower().endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def csv_call(path: Path, names: Sequence[str], delimiter: str, *, typed: bool = False) -> str:
    """The SQL call that reads a CSV file with columns c0, c1, …: as text or, if `typed`, as DuckDB reads them."""
    # Columns go by position: DuckDB does not tell 'A' from 'a'.
    dialect = f"delim = {_text(delimiter)}, quote = '\"', escape = '\"', header = true"
    if typed:
        fields = ", ".join(f"'c{index}'" for index in range(len(names)))
        return f"read_csv({place(path)}, {dialect}, names = [{fields}])"
    fields = ", ".join(f"'c{index}': 'VARCHAR'" for index in range(len(names)))
    return f"read_csv({place(path)}, {dialect}, auto_detect = false, columns = {{{fields}}})"


def _by_columns(path: Path) -> bool:
    return has_arrow() and path.stat().st_size > BY_COLUMNS


def _in_one_go(path: Path, connection: Any, call: str, keys: Mapping[str, tuple[str, str]]) -> RawTable:
    """All columns of a file, read together, as Arrow holds them."""
    places = {name: i for i, name in enumerate(name for name in keys if simple(keys[name][1]))}
    fields = ", ".join(f"{column_sql(*keys[name])} AS c{i}" for name, i in places.items())
    table = ask(path, lambda: connection.sql(f"SELECT {fields or '1'} FROM {call}").to_arrow_table())

    def fetch(name: str) -> Raw:
        kind = _readable(name, keys[name][1])
        return raw_column(table.column(places[name]), kind)

    return RawTable(names=tuple(keys), n=table.num_rows, fetch=fetch)


def _read_csv(path: Path, columns: Sequence[str] | None) -> RawTable:
    names, delimiter = header(path)
    wish = tuple(names if columns is None else columns)
    require(wish, names=names)
    fields = ", ".join(f"c{names.index(name)}" for name in wish)
    connection = file_reader()
    call = csv_call(path, names, delimiter)
    if _by_columns(path):
        keys = {name: (f"c{names.index(name)}", "VARCHAR") for name in wish}
        return _in_one_go(path, connection, call, keys)
    ask(path, lambda: connection.execute(f"CREATE TEMP TABLE records AS SELECT {fields} FROM {call}"))
    n = int(connection.execute("SELECT count(*) FROM records").fetchone()[0])

    def fetch(name: str) -> Array:
        key = f"c{names.index(name)}"
        values: Array = connection.execute(f"SELECT {key} FROM records").fetchnumpy()[key]
        return values

    return RawTable(names=wish, n=n, fetch=fetch)


# Parquet


def parquet_columns(connection: Any, path: Path, call: str | None = None) -> list[tuple[str, str, str]]:
    """(name in the file, DuckDB's name for it, stored type) of each top-level column; those that `call` takes from the
    path of the file come last."""
    nodes = ask(
        path,
        lambda: connection.execute(
            f"SELECT name, num_children FROM parquet_schema({place(path)})"
        ).fetchall(),
    )
    query = f"DESCRIBE SELECT * FROM {call or f'read_parquet({place(path)})'}"
    rows = connection.execute(query).fetchall()
    names, below = [], 0
    for name, children in nodes[1:]:  # the first node is the root; a nested column is followed by its parts
        if below == 0:
            names.append(name)
        else:
            below -= 1
        below += children or 0
    names += [row[0] for row in rows[len(names) :]]
    no_repeats(names)
    return [(name, row[0], row[1]) for name, row in zip(names, rows, strict=True)]


def _read_parquet(path: Path, columns: Sequence[str] | None) -> RawTable:
    connection = file_reader()
    in_file = {name: (key, kind) for name, key, kind in parquet_columns(connection, path)}
    wish = tuple(in_file if columns is None else columns)
    require(wish, names=tuple(in_file))
    call = f"read_parquet({place(path)})"
    if _by_columns(path):
        return _in_one_go(path, connection, call, {name: in_file[name] for name in wish})
    n = int(ask(path, lambda: connection.execute(f"SELECT count(*) FROM {call}").fetchone())[0])

    def fetch(name: str) -> Array:
        key, kind = in_file[name][0], _readable(name, in_file[name][1])
        query = f"SELECT {column_sql(key, kind)} AS cells FROM {call}"
        cells: Array = ask(path, lambda: connection.execute(query).fetchnumpy()["cells"])
        return aware(cells) if kind == ZONED else cells

    return RawTable(names=wish, n=n, fetch=fetch)


def _readable(name: str, kind: str) -> str:
    """The stored type of a column, if some kind of column can hold it; asked of a column that is needed only."""
    if simple(kind) is None:
        raise DataError(
            f"Column '{name}' has the type {kind}, which no kind of column can hold.",
            column=name,
            remedy="Store numbers, text, booleans or dates.",
        )
    return kind


def simple(kind: str) -> str | None:
    """The plain word for a DuckDB type, or None for nested and other types."""
    base = kind.split("(")[0]
    if kind.endswith("]"):
        return None
    if kind == ZONED:
        return "datetime with zone"
    return _AS_STORED.get(base) or _AS_TEXT.get(base)


def column_sql(key: str, kind: str) -> str:
    """The SQL expression that reads a column without losing digits."""
    name = '"' + key.replace('"', '""') + '"'
    if kind == ZONED:
        return f"epoch_us({name})"
    # Through a double, numpy would lose digits of these.
    return f"CAST({name} AS VARCHAR)" if kind.split("(")[0] in _AS_TEXT else name
