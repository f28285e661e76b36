"""SQL to hand over: it says what it is, runs as it stands, and nothing in a file can end its comment."""

from __future__ import annotations

import sqlite3
from typing import Any

import duckdb
import numpy as np
import pytest

from privpac import Model, learn
from privpac.report.sql import DOUBLE, STEPS

BMI = {"name": "bmi", "kind": "numeric", "lower": 10, "upper": 60}
AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}
RNG = np.random.default_rng(4)
TABLE: dict[str, Any] = {"bmi": RNG.uniform(15, 50, 800), "age": RNG.integers(0, 100, 800)}
TABLE["ill"] = ((TABLE["bmi"] > 29) | (TABLE["age"] > 70)).astype(int)


def _model(word: str, columns: tuple[dict[str, Any], ...] = (BMI, AGE), **words: Any) -> Model:
    schema = {"label": "ill", "columns": list(columns), **words}
    return learn(TABLE, schema=schema, concepts=word, epsilon=5, random_state=2)


@pytest.mark.parametrize("word", ["trees:2", "card:4", "thresholds:bmi", "lists:2"])
def test_the_query_runs_as_it_stands_but_for_the_name_of_the_table(word: str) -> None:
    model = _model(word)
    query, expected = model.sql(), model.predict(TABLE).tolist()
    with duckdb.connect() as base:
        base.execute("CREATE TABLE your_table (bmi DOUBLE, age INT)")
        base.executemany("INSERT INTO your_table VALUES (?, ?)", _rows())
        assert [row[0] for row in base.execute(query).fetchall()] == expected
    with sqlite3.connect(":memory:") as lite:
        lite.execute("CREATE TABLE your_table (bmi REAL, age INT)")
        lite.executemany("INSERT INTO your_table VALUES (?, ?)", _rows())
        assert [row[0] for row in lite.execute(query)] == expected
        names = [name for name, *_ in lite.execute(query).description]
        assert names == ["ill", "points", "risk"] if word == "card:4" else names == ["ill"]


def _rows() -> list[tuple[float, int]]:
    return list(zip(TABLE["bmi"].tolist(), TABLE["age"].tolist(), strict=True))


def test_the_comment_says_what_it_is_and_nothing_else() -> None:
    model = _model("trees:2", meanings={"1": "sick"}, label_title="Illness")
    lines = model.sql().splitlines()
    comment = [line for line in lines if line.startswith("-- ")]
    assert lines[: len(comment)] == comment
    assert comment[0] == (
        f"-- A rule for Illness, learnt by privpac {model.version} with differential privacy: epsilon 5, delta 0."
    )
    assert comment[1].endswith(model.to_json()["digest"] + ".")
    assert comment[2] == "-- It gives the number of the class: 0, 1 (sick)."
    assert "your_table" in comment[3]
    assert comment[4] == "-- Made with a known seed: it promises nothing and must not be released."
    assert f"-- {STEPS}" in comment
    assert (f"-- {DOUBLE}" in comment) == ("e0 " in model.to_sql())
    assert lines[-2:][0].startswith("SELECT CASE")
    assert lines[-2:][0].endswith(' AS "ill"')
    assert lines[-1] == "FROM your_table;"


def test_nothing_in_a_file_ends_the_comment() -> None:
    evil = "1\n; DROP TABLE your_table; --"
    table = {**TABLE, "ill": [evil if label else "0" for label in TABLE["ill"]]}
    schema = {"label": "ill", "classes": ["0", evil], "columns": [AGE]}
    model = learn(table, schema=schema, concepts="thresholds:age", epsilon=5, random_state=2)
    comment = [line for line in model.sql().splitlines() if not line.startswith("-- ")]
    assert len(comment) == 2
    assert "DROP" not in "".join(comment)
