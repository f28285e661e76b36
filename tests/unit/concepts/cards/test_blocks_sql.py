"""The SQL of a card: one condition with one end per cut, no number that is not of the card, and the card's points."""

from __future__ import annotations

import re
import sqlite3

import duckdb
import pytest

from privpac.concepts.cards.card import Card
from tests.unit.concepts.cards.sql_answers import SCHEMA, learnt, points, records


@pytest.fixture(scope="module")
def card() -> Card:
    return learnt()


def test_no_condition_has_two_ends(card: Card) -> None:
    text = card.points_sql(SCHEMA)
    assert "BETWEEN" not in text
    assert "e308" not in text
    assert not re.search(r"<[^>]*AND", text)


def test_duckdb_gives_the_points_of_strange_records(card: Card) -> None:
    rows = records()
    with duckdb.connect() as base:
        base.execute("CREATE TABLE t (place INT, age DOUBLE, dose DOUBLE, ward VARCHAR)")
        base.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        found = base.execute(f"SELECT {card.points_sql(SCHEMA)} FROM t ORDER BY place").fetchall()
    assert [row[0] for row in found] == points(card, rows)


def test_sqlite_gives_the_points_of_strange_records_and_of_blank_text(card: Card) -> None:
    """An imported CSV file has blank text where cells are empty, also in columns of numbers."""
    rows = records()
    blank = [(len(rows) + i, *row) for i, row in enumerate([("", 1.0, "north"), (30.0, " ", "")])]
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE t (place INT, age NUMERIC, dose REAL, ward TEXT)")
        base.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [*rows, *blank])
        found = base.execute(f"SELECT {card.points_sql(SCHEMA)} FROM t ORDER BY place").fetchall()
    assert [row[0] for row in found] == points(card, [*rows, *blank])
