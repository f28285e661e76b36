"""Records in a database file: spooled once, the same as in memory, and gone when nobody needs them."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from privpac.cli import main
from privpac.data.engines import database
from privpac.data.engines.database import database_count, database_sample
from privpac.data.sample import Sample
from privpac.errors import DataError, SchemaError, SizeError
from tests.contracts.engine_conformance import SCHEMA, EngineConformance, written


def stored(folder: Path) -> str:
    path = folder / "clinic.duckdb"
    whole = pq.read_table([str(file) for file in sorted(folder.glob("*.parquet"))])  # noqa: F841
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE OR REPLACE TABLE visits AS SELECT * FROM whole")
    return f"duckdb:///{path}"


class TestDuckDB(EngineConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def opened(cls) -> Iterator[Callable[[Path], Sample]]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(database, "ROWS", 2048)
            yield lambda folder: database_sample(f"{stored(folder)}#visits", SCHEMA)


def test_the_spool_is_private_and_goes_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, n=100)
    place, spools = stored(tmp_path), tmp_path / "spools"
    spools.mkdir()
    monkeypatch.setenv("TMPDIR", str(spools))
    monkeypatch.setattr("tempfile.tempdir", None)
    sample = database_sample(f"{place}#SELECT * FROM visits", SCHEMA)
    (folder,) = spools.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    assert sample.size.total == 100
    del sample
    gc.collect()
    assert list(spools.iterdir()) == []


def test_wrong_places_and_records(tmp_path: Path) -> None:
    written(tmp_path, n=100)
    place = stored(tmp_path)
    with pytest.raises(DataError, match="There is no file"):
        database_sample("duckdb:///nowhere.duckdb#visits", SCHEMA)
    with pytest.raises(DataError, match="could not answer"):
        database_sample(f"{place}#nothing", SCHEMA)
    with pytest.raises(SchemaError) as refused:
        database_sample(f"{place}#SELECT * EXCLUDE seen FROM visits", SCHEMA)
    assert refused.value.column == "seen"
    with pytest.raises(SizeError, match="no records"):
        database_sample(f"{place}#SELECT * FROM visits WHERE false", SCHEMA)
    with pytest.raises(DataError) as refused:
        database_sample(f"{place}#SELECT * REPLACE ('perhaps' AS ill) FROM visits", SCHEMA)
    assert refused.value.column == "ill"


def test_a_dry_run_counts_and_reads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, n=100)
    place = stored(tmp_path)
    monkeypatch.setattr(database, "_duckdb", None)  # what reads records
    columns = (*SCHEMA.names, SCHEMA.label)
    assert database_count(f"{place}#visits", columns) == 100
    assert database_count(f"{place}#SELECT * FROM visits WHERE ill = 'yes'", columns) < 100
    with pytest.raises(SchemaError) as refused:
        database_count(f"{place}#SELECT * EXCLUDE seen FROM visits", columns)
    assert refused.value.column == "seen"
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(SCHEMA.to_json()))
    assert main(["learn", f"{place}#visits", "--schema", str(schema), "--epsilon", "1", "--dry-run"]) == 0
