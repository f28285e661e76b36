"""Records in a real PostgreSQL, read through a cursor of the server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy

from privpac import learn
from privpac.concepts.literals.cell_sets import CellSet
from privpac.data.engines.database import database_sample
from privpac.data.sample import Sample
from privpac.errors import DataError, SchemaError
from tests.contracts.engine_conformance import SCHEMA, EngineConformance, table
from tests.slow.postgres import postgres

DDL = """CREATE TABLE visits (
    age bigint, dose double precision, key bigint, ward text, smokes boolean, seen date, ill text
)"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with postgres() as url:
        yield url


def filled(address: str, whole: pa.Table) -> str:
    engine = sqlalchemy.create_engine(address)
    names = whole.column_names
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("DROP TABLE IF EXISTS visits"))
        connection.execute(sqlalchemy.text(DDL))
        insert = f"INSERT INTO visits VALUES ({', '.join(':' + name for name in names)})"
        connection.execute(sqlalchemy.text(insert), whole.to_pylist())
    engine.dispose()
    return f"{address}#visits"


class TestPostgres(EngineConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def opened(cls, address: str) -> Callable[[Path], Sample]:
        return lambda folder: database_sample(filled(address, pq.read_table(folder)), SCHEMA)


def test_a_model_from_a_table_a_query_and_memory(address: str) -> None:
    whole = table(800)
    place = filled(address, whole)
    wishes: dict[str, Any] = {"schema": SCHEMA, "epsilon": 1, "random_state": 5, "concepts": "trees:2"}
    expected = learn(whole, **wishes).to_json()
    assert learn(place, **wishes).to_json() == expected
    assert learn(f"{address}#SELECT * FROM visits WHERE key >= 0;", **wishes).to_json() == expected
    assert learn(place, engine="memory", **wishes).to_json() == expected


def test_what_is_wrong_is_said_without_quoting_records(address: str) -> None:
    place = filled(address, table(50))
    with pytest.raises(DataError, match="could not answer"):
        database_sample(f"{address}#SELECT * FROM nowhere", SCHEMA)
    with pytest.raises(SchemaError, match="'dose'"):
        database_sample(f"{address}#SELECT age, key, ward, smokes, seen, ill FROM visits", SCHEMA)
    with pytest.raises(DataError, match="could not answer") as caught:
        database_sample(f"{address}#SELECT * FROM visits WHERE 1/(key - key) > 0", SCHEMA)
    assert "visits" not in str(caught.value)
    with pytest.raises(DataError, match="could not answer"):
        database_sample(place.replace("127.0.0.1", "127.0.0.2"), SCHEMA)


RULES = (
    {"column": "smokes", "size": "2", "cells": [["1", "1"]]},
    {"column": "seen", "size": "1827", "cells": [["100", "700"]]},
    {"column": "dose", "size": "4294967296", "cells": [["1400000000", "4294967295"]]},
    {"column": "ward", "size": "4", "cells": [["1", "1"], ["3", "3"]]},
)


@pytest.mark.parametrize("tree", RULES, ids=[str(tree["column"]) for tree in RULES])
def test_a_rule_in_sql_answers_as_predict_does(address: str, tree: dict[str, Any]) -> None:
    whole, column = table(400), SCHEMA.column(str(tree["column"]))
    filled(address, whole)
    rule = CellSet.from_json({**tree, "size": str(column.size)})
    engine = sqlalchemy.create_engine(address)
    with engine.connect() as connection:
        query = f"SELECT {rule.sql(column)} FROM visits ORDER BY ctid"
        found = [bool(row[0]) for row in connection.execute(sqlalchemy.text(query.replace(":", "\\:")))]
    engine.dispose()
    cells = column.encode(whole.column(column.name).to_pylist())
    assert found == [any(first <= cell <= last for first, last in rule.spans) for cell in cells.tolist()]
    assert {True, False} == set(found)
