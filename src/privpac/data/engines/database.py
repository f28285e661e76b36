"""Records in a database, read once and kept as cells: PostgreSQL and whatever else SQLAlchemy reaches, DuckDB files.

The rows of a table or a query have no order that a second reading could rely on. So they are read once, through a
cursor of the server, encoded, and spooled to a private temporary folder; positions are places in what was spooled.
A place is written as URL#TABLE or URL#SELECT ...
"""

from __future__ import annotations

import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from privpac.data.arrow import arrow_installed, raw_column
from privpac.data.engines.streamed import Batch, Progress, StreamedSample, block_of
from privpac.data.files import column_sql, connect, simple
from privpac.data.raw import Array, near, objects
from privpac.data.sample import Block, Size
from privpac.data.schema import Schema
from privpac.errors import DataError, MissingExtra, SchemaError, SizeError

__all__ = ["database_count", "database_sample", "is_database"]

ROWS = 2**16
"""Records fetched at a time: Python objects on their way, a few dozen megabytes."""

_PLACE = re.compile(r"^[a-z][a-z0-9+]*://[^#]*#.+", re.DOTALL)


def is_database(text: str) -> bool:
    """Whether a text names records in a database.

    >>> is_database("postgresql+psycopg://localhost/clinic#visits"), is_database("visits.csv")
    (True, False)
    """
    return _PLACE.match(text) is not None


def database_sample(
    text: str, schema: Schema, *, labelled: bool = True, progress: Progress | None = None
) -> StreamedSample:
    """The records of a table or of a query, spooled."""
    arrow_installed()
    url, _, what = text.partition("#")
    columns = (*schema.names, schema.label) if labelled else schema.names
    batches = (_duckdb if url.startswith("duckdb://") else _sqlalchemy)(url, what.strip(), columns)
    return _spool(batches, schema, labelled=labelled, progress=progress)


def database_count(text: str, columns: tuple[str, ...]) -> int:
    """How many records a table or query has, if it has these columns; none of them is read."""
    url, _, what = text.partition("#")
    count = _duckdb_count if url.startswith("duckdb://") else _sqlalchemy_count
    return count(url, what.strip(), columns)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _source(what: str) -> str:
    """A query in brackets, or a table by its name, which may have a schema of the database before it."""
    if re.match(r"(?is)\s*(select|with)\b", what):
        return f"({what.rstrip().rstrip(';')}) AS records"
    return ".".join(_quote(part) for part in what.split("."))


def _failure(problem: Exception) -> DataError:
    """One sentence; the database's own message may quote records."""
    return DataError(
        f"The database could not answer: {type(problem).__name__}.",
        remedy="Check address, rights, and the name of the table or the query.",
    )


def _require(columns: tuple[str, ...], names: tuple[str, ...]) -> None:
    for name in columns:
        if name not in names:
            raise SchemaError(f"The table has no column '{name}'.", column=name, remedy=near(name, names))


@contextmanager
def _attach(url: str) -> Iterator[Any]:
    """A connection that sees a DuckDB file, for reading only."""
    import duckdb

    path = Path(url.removeprefix("duckdb:///"))
    if not path.is_file():
        raise DataError(f"There is no file {path}.", remedy="Write duckdb:///FILE#TABLE.")
    connection = connect()
    try:
        connection.execute(f"ATTACH '{str(path).replace(chr(39), chr(39) * 2)}' AS source (READ_ONLY)")
        connection.execute("USE source")
        yield connection
    except duckdb.Error as problem:
        raise _failure(problem) from None
    finally:
        connection.close()


def _kinds(connection: Any, what: str, columns: tuple[str, ...]) -> dict[str, str]:
    """The types of the columns, all of which must be there and of a kind that a schema knows."""
    rows = connection.execute(f"DESCRIBE SELECT * FROM {_source(what)}").fetchall()
    kinds = {row[0]: row[1] for row in rows}
    _require(columns, tuple(kinds))
    strange = [name for name in columns if simple(kinds[name]) is None]
    if strange:
        raise DataError(f"Column '{strange[0]}' has a type no kind of column can hold.", column=strange[0])
    return kinds


def _duckdb(url: str, what: str, columns: tuple[str, ...]) -> Iterator[Batch]:
    with _attach(url) as connection:
        kinds = _kinds(connection, what, columns)
        fields = ", ".join(f"{column_sql(name, kinds[name])} AS c{i}" for i, name in enumerate(columns))
        reader = connection.sql(f"SELECT {fields} FROM {_source(what)}").to_arrow_reader(ROWS)
        for batch in reader:
            yield {name: raw_column(batch.column(i), kinds[name]) for i, name in enumerate(columns)}


def _duckdb_count(url: str, what: str, columns: tuple[str, ...]) -> int:
    with _attach(url) as connection:
        _kinds(connection, what, columns)
        return int(connection.execute(f"SELECT COUNT(*) FROM {_source(what)}").fetchone()[0])


@contextmanager
def _connect(
    url: str, what: str, columns: tuple[str, ...]
) -> Iterator[tuple[Any, str, Callable[[str], str]]]:
    """A connection, the table as SQL writes it, and how names are quoted; all columns are there."""
    try:
        import sqlalchemy
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError:
        raise MissingExtra("Reading a database", "database") from None
    try:
        engine = sqlalchemy.create_engine(url)
        quote = engine.dialect.identifier_preparer.quote_identifier
        table = _source(what) if "(" in _source(what) else ".".join(quote(part) for part in what.split("."))
        with engine.connect() as connection:
            result = connection.execute(sqlalchemy.text(f"SELECT * FROM {table} LIMIT 0"))
            _require(columns, tuple(result.keys()))
            yield connection, table, quote
        engine.dispose()
    except (SQLAlchemyError, ImportError) as problem:
        raise _failure(problem) from None


def _sqlalchemy(url: str, what: str, columns: tuple[str, ...]) -> Iterator[Batch]:
    with _connect(url, what, columns) as (connection, table, quote):
        from sqlalchemy import text

        fields = ", ".join(quote(name) for name in columns)
        cursor = connection.execution_options(stream_results=True, yield_per=ROWS).execute(
            text(f"SELECT {fields} FROM {table}")
        )
        for rows in cursor.partitions(ROWS):
            yield {name: objects([row[i] for row in rows]) for i, name in enumerate(columns)}


def _sqlalchemy_count(url: str, what: str, columns: tuple[str, ...]) -> int:
    with _connect(url, what, columns) as (connection, table, _):
        from sqlalchemy import text

        return int(connection.execute(text(f"SELECT COUNT(*) FROM {table}")).scalar_one())


def _spool(
    batches: Iterator[Batch], schema: Schema, *, labelled: bool, progress: Progress | None
) -> StreamedSample:
    """Write the cells of every batch to a folder of its own; the records come from there from then on."""
    folder = Path(tempfile.mkdtemp(prefix="privpac-"))  # readable by its owner only
    counts: list[int] = []
    try:
        for batch in batches:
            block = block_of(batch, schema, schema.names, labelled=labelled)
            if block.n:
                _write(folder / f"{len(counts):08}.parquet", block, schema)
                counts.append(block.n)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    n = sum(counts)
    if n == 0:
        shutil.rmtree(folder, ignore_errors=True)
        raise SizeError("The table has no records.", remedy="Give at least one record.")
    size = Size(n) if labelled else Size(0, unlabelled=n)
    sample = StreamedSample(
        schema, stream=_stream(folder, schema, counts, labelled, progress), size=lambda: size, passes=[1]
    )
    weakref.finalize(sample, shutil.rmtree, folder, ignore_errors=True)
    return sample


def _stream(
    folder: Path, schema: Schema, counts: list[int], labelled: bool, progress: Progress | None
) -> Callable[[tuple[str, ...]], Iterator[Block]]:
    def stream(columns: tuple[str, ...]) -> Iterator[Block]:
        count = 0
        for i, n in enumerate(counts):
            yield _read(folder / f"{i:08}.parquet", schema, columns, labelled, n)
            count += n
            if progress is not None:
                progress(count, sum(counts))

    return stream


def _write(path: Path, block: Block, schema: Schema) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {f"c{i}": _storable(block.cells[name]) for i, name in enumerate(schema.names)}
    if block.labels is not None:
        columns["label"] = block.labels
    pq.write_table(pa.table(columns), path)


def _storable(cells: Array) -> Any:
    """Cells beyond 64 bits as decimal text."""
    return [str(cell) for cell in cells] if cells.dtype.kind == "O" else cells


def _read(path: Path, schema: Schema, columns: tuple[str, ...], labelled: bool, n: int) -> Block:
    import pyarrow.parquet as pq

    keys = {name: f"c{schema.names.index(name)}" for name in columns}
    table = pq.read_table(path, columns=[*keys.values(), *(["label"] if labelled else [])])
    cells: dict[str, Array] = {}
    for name, key in keys.items():
        dtype = schema.column(name).dtype
        values = table[key].to_numpy()
        cells[name] = objects([int(text) for text in values]) if dtype.kind == "O" else values.astype(dtype)
    return Block(cells=cells, labels=table["label"].to_numpy() if labelled else None, n=n)
