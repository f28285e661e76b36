"""A schema's mistakes are named, all at once: a misspelt key would be ignored, and its default used unnoticed."""

from __future__ import annotations

from typing import Any

import pytest

from privpac.data.schema import Schema
from privpac.errors import SchemaError

AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 99}
GOOD = {"label": "ill", "classes": [0, 1], "columns": [AGE]}


def refusal(schema: dict[str, Any]) -> str:
    with pytest.raises(SchemaError) as refused:
        Schema.from_json(schema)
    return str(refused.value)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("mising", "missing"),
        ("intger", "integer"),
        ("Missing", "missing"),
        ("resoluton", "resolution"),
        ("titel", "title"),
        ("units", "unit"),
    ],
)
def test_a_misspelt_key_of_a_column_is_an_error_with_the_right_word(wrong: str, right: str) -> None:
    text = refusal({**GOOD, "columns": [{**AGE, wrong: True}]})
    assert text == f'Column \'age\': "{wrong}" is not known. Did you mean "{right}"?'


@pytest.mark.parametrize(("wrong", "right"), [("clases", "classes"), ("orign", "origin"), ("lable", "label")])
def test_a_misspelt_key_of_the_schema(wrong: str, right: str) -> None:
    assert (
        refusal({**GOOD, wrong: ["no", "yes"]})
        == f'The schema: "{wrong}" is not known. Did you mean "{right}"?'
    )


def test_all_problems_are_told_at_once() -> None:
    columns = [
        {"name": "age", "kind": "numeric", "lower": None, "upper": None},
        {"name": "ward", "kind": "categorial"},
        {"name": "days", "kind": "numeric", "lower": 0, "upper": 9, "categories": ["a"]},
        {"name": "good", "kind": "boolean"},
    ]
    text = refusal({"classes": 3, "columns": columns})
    assert text.startswith("The schema has 5 problems. Correct all of them:\n(1) ")
    for part in (
        '"label" is missing',
        "classes is not a list",
        '\'age\': "lower" and "upper" are still blank',
        "'categorial'",
        "'days': \"categories\" has no meaning",
    ):
        assert part in text
