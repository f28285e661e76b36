"""Every word, learnt from raw records: the file, the SQL and Python say the same of records as people have them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from privpac import learn, load, verify
from privpac.constructions.words import WORDS
from privpac.errors import NoSqlForm
from tests.forms import written_out
from tests.interference.engines import arrow
from tests.interference.tables import SCHEMA, TABLES, sized

HEADS = [head for head, word in WORDS.items() if word.build and head != "finite"]
DELTAS = {"stable": "0.1"}
ODD = ("another record", "a new value", "an empty cell", "an unknown category", "outside the bounds")


@pytest.mark.parametrize("head", HEADS)
def test_python_sql_and_the_file_say_the_same_of_raw_records(head: str, tmp_path: Path) -> None:
    word = WORDS[head]
    delta = {"delta": DELTAS.get(head, "0.000001")} if word.takes_delta else {}
    many = sized(20)
    model = learn(
        many["base"],
        schema=SCHEMA,
        concepts=written_out(word.form, "age", "dose"),
        epsilon=2,
        random_state=3,
        anyway=True,
        **delta,
    )
    file = tmp_path / "model.json"
    model.save(file)
    assert verify(file).rebuilt
    again = load(file)
    assert again.to_json() == model.to_json()
    for name in ODD:
        table = {key: column for key, column in TABLES[name].items() if key != SCHEMA.label}
        answers = list(model.predict(table))
        assert list(again.predict(table)) == answers
        try:
            rule = model.to_sql()
        except NoSqlForm:
            continue
        records = arrow(TABLES[name])  # noqa: F841
        found = duckdb.sql(f"SELECT {rule} FROM records").fetchall()
        assert [SCHEMA.classes[one] for (one,) in found] == answers
