"""Titles and units of columns: plain text for people, which changes no cell, no rule and no name that programs use."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from privpac import Model, Schema, learn, load, verify
from privpac.data.columns import KINDS
from privpac.data.schema_reading import OPTIONS
from privpac.data.words import LONGEST_TITLE, LONGEST_UNIT
from privpac.errors import SchemaError
from privpac.pictures.tree import picture
from privpac.report.page import report_html

PRESSURE = {"name": "sysBP", "kind": "numeric", "lower": 80, "upper": 300, "integer": True}
SMOKES = {"name": "smoker", "kind": "boolean"}
WORDS = {"title": "Systolic <b>pressure</b>", "unit": "mm & Hg"}
TITLED = [{**PRESSURE, **WORDS}, {**SMOKES, "title": 'Smokes "now"'}]
TABLE = {
    "sysBP": [80 + i % 200 for i in range(600)],
    "smoker": [i % 3 == 0 for i in range(600)],
    "ill": [int((i % 200 >= 60 and i % 3 == 0) or i % 200 > 120) for i in range(600)],
}


def _schema(*columns: dict[str, Any]) -> Schema:
    return Schema.from_json({"label": "ill", "columns": list(columns)})


def _model(columns: list[dict[str, Any]], word: str) -> Model:
    schema = {"label": "ill", "columns": columns}
    return learn(TABLE, schema=schema, concepts=word, epsilon=3, random_state=1)


def _refusal(**words: object) -> str:
    with pytest.raises(SchemaError) as refused:
        _schema({**PRESSURE, **words})
    return str(refused.value)


@pytest.mark.parametrize(
    "word", ["trees:2", "card:3", "stumps", "intervals:sysBP", "lists:2", "scorecards:2"]
)
def test_people_read_titles_and_programs_names(word: str, tmp_path: Path) -> None:
    plain, titled = _model([PRESSURE, SMOKES], word), _model(TITLED, word)
    assert plain.hypothesis == titled.hypothesis  # the same draw
    assert plain.to_sql() == titled.to_sql()
    assert plain.hypothesis.to_json() == titled.hypothesis.to_json()
    assert plain.certificate == titled.certificate
    shown = [
        title
        for title, name in ((WORDS["title"], "sysBP"), ('Smokes "now"', "smoker"))
        if name in plain.describe()
    ]
    assert shown, plain.describe()
    for text in (titled.describe(), str(titled), titled.explain()):
        assert all(title in text for title in shown)
    assert "sysBP" not in titled.describe()
    assert "smoker" not in titled.describe()
    for page in (report_html(titled), titled._repr_html_(), picture(titled.hypothesis, titled.schema).svg()):
        assert "<b>pressure" not in page  # text from a file is no markup
    ElementTree.fromstring(picture(titled.hypothesis, titled.schema).svg())
    titled.save(tmp_path / "model.json")
    assert verify(tmp_path / "model.json").epsilon == plain.certificate["epsilon"]
    assert load(tmp_path / "model.json").describe() == titled.describe()


def test_a_schema_keeps_them_and_another_title_describes_the_same_table() -> None:
    titled = _schema(*TITLED)
    assert titled == _schema(PRESSURE, SMOKES)
    assert titled.to_json()["columns"] == titled.stored()["columns"]
    assert [column.get("title") for column in titled.stored()["columns"]] == [
        column["title"] for column in TITLED
    ]
    assert Schema.from_json(titled.stored()).columns[0].heading == f"{WORDS['title']} ({WORDS['unit']})"
    assert "title" not in _schema(PRESSURE).stored()["columns"][0]
    assert titled.digest() != _schema(PRESSURE, SMOKES).digest()  # of what a released file holds


def test_every_kind_may_have_a_title_and_numbers_a_unit() -> None:
    assert {kind for kind in KINDS if "title" in OPTIONS[kind]} == set(KINDS)
    assert {kind for kind in KINDS if "unit" in OPTIONS[kind]} == {"numeric"}
    note = _schema({**SMOKES, "unit": "packs"})  # as files of 0.2.0 may hold it
    assert note.columns[0].unit is None
    assert note.to_json()["columns"][0] == {**SMOKES, "unit": "packs"}


@pytest.mark.parametrize(
    ("letter", "code"),
    [
        ("\n", "000A"),
        ("\x1b", "001B"),
        ("\x7f", "007F"),
        ("\u202e", "202E"),  # what follows is written from right to left
        ("\u2066", "2066"),
        ("\u200f", "200F"),
        ("\u200b", "200B"),
        ("\u2028", "2028"),
        ("\ufeff", "FEFF"),
    ],
)
@pytest.mark.parametrize("key", ["title", "unit"])
def test_what_is_not_plain_text_is_refused(key: str, letter: str, code: str) -> None:
    text = _refusal(**{key: f"a{letter}b"})
    assert f"Column 'sysBP': {key} holds the invisible character U+{code}" in text
    assert letter not in text


def test_what_is_too_long_or_no_text_is_refused() -> None:
    for key, longest in (("title", LONGEST_TITLE), ("unit", LONGEST_UNIT)):
        _schema({**PRESSURE, key: "é" * longest})
        assert f"{key} has {longest + 1} letters, more than {longest}" in _refusal(
            **{key: "é" * (longest + 1)}
        )
        for wrong in ("", "   ", 5, ["a"], True):
            assert f"{key} is not a text" in _refusal(**{key: wrong})
        assert f"{key} begins or ends with a blank" in _refusal(**{key: " a"})
        assert _schema({**PRESSURE, key: None}).stored() == _schema(PRESSURE).stored()


@pytest.mark.parametrize("other", [{"title": "Pressure"}, {"name": "Pressure"}, {}])
def test_two_columns_that_look_the_same_are_refused(other: dict[str, str]) -> None:
    label = "ill" if other else "Pressure"
    schema = {"label": label, "columns": [{**PRESSURE, "title": "Pressure"}, {**SMOKES, **other}]}
    with pytest.raises(SchemaError) as refused:
        Schema.from_json(schema)
    assert refused.value.column == "sysBP"
