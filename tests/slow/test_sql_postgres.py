"""The SQL of a card gives in PostgreSQL what the card itself gives, also of empty, NaN and infinite cells."""

from __future__ import annotations

import math

import psycopg

from privpac.data.numeric import Numeric
from tests.slow.postgres import postgres
from tests.unit.concepts.cards.sql_answers import SCHEMA, learnt, points, records


def test_postgresql_gives_the_points_of_strange_records() -> None:
    card, rows = learnt(), records()
    with postgres() as address, psycopg.connect(address.replace("+psycopg", "")) as base:
        base.execute("CREATE TABLE t (place INT, age FLOAT8, dose FLOAT8, ward TEXT)")
        base.cursor().executemany("INSERT INTO t VALUES (%s, %s, %s, %s)", rows)
        found = base.execute(f"SELECT {card.points_sql(SCHEMA)} FROM t ORDER BY place").fetchall()
        exact = base.execute(
            f"SELECT {card.points_sql(SCHEMA)} FROM (SELECT place, age::numeric AS age, dose::numeric AS dose, ward"
            " FROM t) AS numbers WHERE abs(age) < 200 AND abs(dose) < 10 ORDER BY place"
        ).fetchall()
    expected = points(card, rows)
    assert [row[0] for row in found] == expected
    kept = [
        place
        for place, age, dose, _ in rows
        if age is not None and dose is not None and abs(age) < 200 and abs(dose) < 10
    ]
    assert [row[0] for row in exact] == [expected[place] for place in kept]


def test_postgresql_compares_with_a_cut_as_the_cells_do() -> None:
    column = Numeric("x", 10, 60)
    cuts = range(1, 2**32, 2**27 + 12345)
    with postgres() as address, psycopg.connect(address.replace("+psycopg", "")) as base:
        base.execute("CREATE TABLE cuts (place INT, x FLOAT8)")
        values = [(cut, x) for cut in cuts for x in (column.value(cut), math.nextafter(column.value(cut), 0))]
        base.cursor().executemany("INSERT INTO cuts VALUES (%s, %s)", [(c % 2**31, x) for c, x in values])
        for cut in cuts:
            found = base.execute(
                f"SELECT x >= {column.sql_value(cut)} FROM cuts WHERE place = {cut % 2**31} ORDER BY x"
            ).fetchall()
            assert found == [(False,), (True,)]
