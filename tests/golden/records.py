"""The public records every case learns from, their schemas, and the engines that may hold them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.csv as pc
import pyarrow.parquet as pq

from privpac.data.engines.database import database_sample
from privpac.data.engines.files import files_at, files_sample
from privpac.data.engines.memory import MemorySample
from privpac.data.engines.opening import EngineSample
from privpac.data.engines.sharded import ShardedSample
from privpac.data.schema import Schema

__all__ = ["ENGINES", "RECORDS", "SCHEMAS", "Place"]

HERE = Path(__file__).parent
RECORDS = HERE / "records.csv"
"""240 made-up records with gaps, values outside of the bounds and unknown categories. Never edited: stored predictions
are about them."""

_COLUMNS: Mapping[str, Mapping[str, Any]] = {
    "age": {"kind": "numeric", "lower": 0, "upper": 120, "integer": True, "missing": 40},
    "dose": {"kind": "numeric", "lower": -1.5, "upper": 3.25, "missing": 0.0},
    "key": {"kind": "numeric", "lower": 0, "upper": 2**40 - 1, "integer": True},
    "code": {"kind": "numeric", "lower": 0, "upper": 2**16 - 1, "integer": True},
    "ward": {"kind": "categorical", "categories": ["a", "b", "ü", "other"], "other": "other"},
    "smokes": {"kind": "boolean", "missing": False},
    "seen": {"kind": "date", "lower": "2020-01-01", "upper": "2024-12-31"},
}


def _schema(label: str, classes: Sequence[str], *names: str, **options: Any) -> Schema:
    columns = [{"name": name, **_COLUMNS[name], **options} for name in names]
    return Schema.from_json({"label": label, "classes": list(classes), "columns": columns})


def _titled(label: str, classes: Sequence[str]) -> Schema:
    """Columns that people call otherwise than tables do."""
    words = {
        "dose": {"title": "Dose of the <first> day", "unit": "mg/kg"},
        "smokes": {"title": "Raucht täglich"},
        "seen": {"title": "Seen on"},
    }
    columns = [{"name": name, **_COLUMNS[name], **words[name]} for name in words]
    return Schema.from_json({"label": label, "classes": list(classes), "columns": columns})


def _worded(label: str, classes: Sequence[str]) -> Schema:
    """Codes that mean something to people."""
    words = {
        "ward": {"a": "Surgery & <wounds>", "ü": "Übergang"},
        "smokes": {"yes": "smokes daily", "no": "smokes not"},
    }
    columns = [{"name": name, **_COLUMNS[name], "meanings": words[name]} for name in words]
    said = {"label_title": "Ill within a year", "meanings": {"no": "healthy"}}
    return Schema.from_json({"label": label, "classes": list(classes), **said, "columns": columns})


_TWO = ("no", "yes")

SCHEMAS: Mapping[str, Schema] = {
    "clinic": _schema("ill", _TWO, "age", "dose", "ward", "smokes", "seen"),
    "short": _schema("ill", _TWO, "age", "ward", "smokes"),
    "age": _schema("ill", _TWO, "age"),
    "dose": _schema("ill", _TWO, "dose"),
    "two": _schema("ill", _TWO, "age", "dose"),
    "square": _schema("ill", _TWO, "age", "dose", integer=False, resolution=2**20),
    "marks": _schema("ill", _TWO, "ward", "smokes"),
    "wards": _schema("outcome", ("home", "ward", "icu"), "age", "ward", "smokes"),
    "keys": _schema("hit", _TWO, "key"),
    "codes": _schema("hit", _TWO, "code"),
    "titled": _titled("ill", _TWO),
    "worded": _worded("ill", _TWO),
}
"""Few columns each, so that a stored document stays small."""

ENGINES = ("memory", "files", "database", "shards")


@dataclass(frozen=True)
class Place:
    """The records where one engine finds them."""

    engine: str
    folder: Path
    """Holds what `Place.prepare` wrote."""

    @classmethod
    def prepare(cls, folder: Path) -> None:
        """Write the records as a folder of Parquet files, unequal in length, and as a database."""
        whole = pc.read_csv(RECORDS)
        parts = folder / "parts"
        parts.mkdir()
        for number, (start, stop) in enumerate(pairwise((0, 71, 150, whole.num_rows))):
            path = parts / f"part-{number}.parquet"
            pq.write_table(whole.slice(start, stop - start), path, row_group_size=37)
        with duckdb.connect(str(folder / "clinic.duckdb")) as connection:
            connection.execute("CREATE TABLE visits AS SELECT * FROM whole")

    @property
    def table(self) -> str:
        """What a person gives to `learn` or `release_table`; nobody can name shards that way."""
        tables = {
            "memory": str(RECORDS),
            "files": str(self.folder / "parts"),
            "database": f"duckdb:///{self.folder / 'clinic.duckdb'}#visits",
        }
        return tables[self.engine]

    def sample(self, schema: Schema) -> EngineSample:
        openers: Mapping[str, Callable[[], EngineSample]] = {
            "memory": lambda: MemorySample.of(self.table, schema),
            "files": lambda: files_sample(self.table, schema),
            "database": lambda: database_sample(self.table, schema),
            "shards": lambda: ShardedSample.of(files_at(self.folder / "parts"), schema, run=map),
        }
        return openers[self.engine]()
