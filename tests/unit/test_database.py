"""Records in a database file: spooled once, the same as in memory, and gone when nobody needs them."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from privpac.data.engines import database
from privpac.data.engines.database import database_sample
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
    @pytest.fixture
    def opened(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Sample]:
        monkeypatch.setattr(database, "ROWS", 2048)
        return lambda folder: database_sample(f"{stored(folder)}#visits", SCHEMA)


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
    with pytest.raises(SchemaError, match="no column 'seen'"):
        database_sample(f"{place}#SELECT * EXCLUDE seen FROM visits", SCHEMA)
    with pytest.raises(SizeError, match="no records"):
        database_sample(f"{place}#SELECT * FROM visits WHERE false", SCHEMA)
    with pytest.raises(DataError, match="Label 'ill'"):
        database_sample(f"{place}#SELECT * REPLACE ('perhaps' AS ill) FROM visits", SCHEMA)
