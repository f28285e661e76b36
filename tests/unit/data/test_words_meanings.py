"""What codes mean: words for values and classes, which people read and programs do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from privpac import Model, Schema, learn, load, verify
from privpac.data.columns import KINDS
from privpac.data.schema_reading import OPTIONS
from privpac.data.words import LONGEST_MEANING
from privpac.errors import SchemaError
from privpac.pictures.tree import picture
from privpac.report.page import report_html

SEX = {"name": "sex", "kind": "categorical", "categories": [1, 2, 9]}
SMOKES = {"name": "smokes", "kind": "boolean"}
WORDS = {"1": "<b>male", "2": "fem&le"}
HABITS = {"0": "never smoked", "1": "smokes now"}
CLASSES = {"0": "<i>healthy", "1": "coronary"}
BARE: dict[str, Any] = {"label": "chd", "columns": [SEX, SMOKES]}
WORDED: dict[str, Any] = {
    "label": "chd",
    "label_title": "Heart <disease>",
    "meanings": CLASSES,
    "columns": [{**SEX, "meanings": WORDS}, {**SMOKES, "meanings": HABITS}],
}
TABLE = {
    "sex": [1 + i % 2 for i in range(600)],
    "smokes": [i % 3 == 0 for i in range(600)],
    "chd": [int(i % 2 == 1 and i % 3 == 0) for i in range(600)],
}


def _model(schema: dict[str, Any], word: str, **wishes: Any) -> Model:
    return learn(TABLE, schema=schema, concepts=word, epsilon=3, random_state=1, **wishes)


@pytest.mark.parametrize("word", ["trees:2", "card:3", "stumps", "lists:2", "scorecards:2", "points:sex"])
def test_people_read_words_and_programs_codes(word: str, tmp_path: Path) -> None:
    bare, worded = _model(BARE, word), _model(WORDED, word)
    assert bare.hypothesis == worded.hypothesis  # the same draw
    assert bare.to_sql() == worded.to_sql()
    assert bare.hypothesis.to_json() == worded.hypothesis.to_json()
    assert bare.certificate == worded.certificate
    assert bare.predict(TABLE).tolist() == worded.predict(TABLE).tolist()
    text = worded.describe()
    assert any(meaning in text for meaning in CLASSES.values())
    assert not any(f" {code}" in bare_part for code in ("is 1", "is 2") for bare_part in text.splitlines())
    for page in (report_html(worded), worded._repr_html_(), picture(worded.hypothesis, worded.schema).svg()):
        assert not any(mark in page for mark in ("<b>male", "<i>healthy", "Heart <disease>", "fem&le"))
    ElementTree.fromstring(picture(worded.hypothesis, worded.schema).svg())
    worded.save(tmp_path / "model.json")
    assert verify(tmp_path / "model.json").epsilon == bare.certificate["epsilon"]
    assert load(tmp_path / "model.json").describe() == text


def test_a_schema_keeps_them_and_other_words_describe_the_same_table() -> None:
    worded = Schema.from_json(WORDED)
    assert worded == Schema.from_json(BARE)
    assert worded.digest() != Schema.from_json(BARE).digest()  # of what a released file holds
    assert "meanings" not in str(Schema.from_json(BARE).stored())
    assert Schema.from_json(worded.stored()).stored() == worded.stored() == worded.to_json()
    assert worded.stored()["columns"][1]["meanings"] == {"false": "never smoked", "true": "smokes now"}
    assert [column.in_words() for column in worded.columns] == [
        "sex: one of 1 (<b>male), 2 (fem&le), 9; any other value is refused. An empty cell is refused.",
        "smokes: true (smokes now) or false (never smoked). An empty cell is refused.",
    ]


def test_values_without_numbers_may_have_them() -> None:
    assert {kind for kind in KINDS if "meanings" in OPTIONS[kind]} == {"categorical", "boolean"}
    age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 9, "meanings": {"1": "one"}}
    with pytest.raises(SchemaError) as refused:
        Schema.from_json({"label": "chd", "columns": [age]})
    assert refused.value.column == "age"


@pytest.mark.parametrize(
    ("stated", "problem"),
    [
        (["male"], "meanings is not an object of values and words"),
        ({"3": "other"}, "meanings has '3', which is none of the values"),
        ({"1": "male", "1.0": "man"}, "meanings says twice what '1' means"),
        ({"1": 5}, "the meaning of '1' is not a text"),
        ({"1": "a\u202eb"}, "the meaning of '1' holds the invisible character U+202E"),
        ({"1": " male"}, "the meaning of '1' begins or ends with a blank"),
        ({"1": "m" * (LONGEST_MEANING + 1)}, f"has 61 letters, more than {LONGEST_MEANING}"),
        ({"1": "one", "2": "one"}, "the meaning of '1', 'one', is also what another value is called"),
        ({"1": "2"}, "the meaning of '1', '2', is also what another value is called"),
    ],
)
def test_what_cannot_be_shown_is_refused(stated: object, problem: str) -> None:
    for schema in (
        {"label": "chd", "columns": [{**SEX, "meanings": stated}]},
        {"label": "chd", "classes": [1, 2, 9], "meanings": stated, "columns": [SMOKES]},
    ):
        with pytest.raises(SchemaError) as refused:
            Schema.from_json(schema)
        assert problem in str(refused.value)
        assert str(refused.value).startswith(("Column 'sex': ", "Label 'chd': "))
