"""A box as a rule: words, SQL, JSON, and what is refused."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pytest

from privpac.concepts.boxes.box import Box
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.data.columns import Numeric
from privpac.data.schema import Schema


def test_text_sql_and_json() -> None:
    described = Schema(
        (Numeric("age", 0, 120, integer=True), Numeric("dose", 0, 9, integer=True)), "y", ("no", "yes")
    )
    member = Box(("age", "dose"), (30, 0), (45, 5))
    assert member.describe(described) == "yes if 30 <= age < 45 and dose < 5, else no"
    expected = 'CASE WHEN ("age" >= 30 AND "age" < 45) AND "dose" < 5 THEN 1 ELSE 0 END'
    assert member.to_sql(described) == expected
    assert Box.from_json(member.to_json()) == member
    assert member.to_json()["kind"] == "box"
    empty, full = Box(("age", "dose"), (0, 0), (0, 0)), Box(("age", "dose"), (0, 0), (121, 10))
    assert (empty.describe(described), full.describe(described)) == ("always no", "always yes")
    assert (empty.to_sql(described), full.to_sql(described)) == ("0", "1")
    assert Box(("age",), (30,), (121,), inside=0).describe(described) == "no if age >= 30, else yes"
    assert hash(member) == hash(Box(("age", "dose"), (30, 0), (45, 5)))
    huge = Box(("age",), (2**127,), (2**128,))
    assert Box.from_json(huge.to_json()) == huge


def test_sql_agrees_with_predict_on_raw_values() -> None:
    rng = np.random.default_rng(3)
    raw = {"whole": rng.integers(-5, 40, 200), "real": rng.normal(0, 2, 200)}
    described = Schema(
        (Numeric("whole", 0, 30, integer=True), Numeric("real", -3.0, 3.0, resolution=500)), "y"
    )
    cells = {name: described.column(name).encode(values) for name, values in raw.items()}
    connection = duckdb.connect()
    connection.execute('CREATE TABLE t ("row" INT, "whole" INT, "real" DOUBLE)')
    rows = list(zip(range(200), *(values.tolist() for values in raw.values()), strict=True))
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    concepts = Rectangles(described, ("whole", "real"), (8, 50))
    for inside in (0, 1):
        for _ in range(20):
            a, b = sorted(rng.integers(0, 8, 2).tolist())
            c, d = sorted(rng.integers(0, 50, 2).tolist())
            drawn = concepts.member([(a, b), (c, d)])
            member = Box(drawn.columns, drawn.low, drawn.high, inside)
            answer = connection.execute(f'SELECT {member.to_sql(described)} FROM t ORDER BY "row"').fetchall()
            assert [value for (value,) in answer] == member.predict(cells).tolist()


@pytest.mark.parametrize("change", [{"low": ["1"]}, {"columns": []}, {"low": ["-1", "0"]}, {"inside": "1"}])
def test_malformed_stored_boxes_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Box.from_json({**Box(("x0", "x1"), (1, 2), (3, 4)).to_json(), **change})
