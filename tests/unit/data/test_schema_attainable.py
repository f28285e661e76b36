"""A guess of what is attainable without privacy: where it may stand, that it is kept, and what is no such guess."""

from __future__ import annotations

from typing import Any

import pytest

from privpac.data.drafting import draft
from privpac.data.schema import Schema
from privpac.errors import SchemaError

X = {"name": "x", "kind": "boolean"}


def _schema(**more: Any) -> Schema:
    return Schema.from_json({"label": "y", "columns": [X], **more})


def test_it_is_kept_and_stored() -> None:
    schema = _schema(attainable=0.7, attainable_one_column=0.6)
    assert (schema.attainable, schema.attainable_one_column) == (0.7, 0.6)
    assert Schema.from_stored(schema.stored()) == schema
    assert Schema.from_json(schema.to_json()) == schema
    assert _schema(attainable=None) == _schema()


@pytest.mark.parametrize("value", [0.5, 1, 0, 1.2, "0.7", True, [0.7]])
def test_what_is_no_auc_is_refused(value: Any) -> None:
    with pytest.raises(SchemaError, match="attainable"):
        _schema(attainable=value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"attainable_one_column": 0.6},
        {"attainable": 0.6, "attainable_one_column": 0.7},
        {"attainable": 0.7, "classes": [0, 1, 2]},
    ],
)
def test_what_contradicts_itself_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SchemaError, match="attainable"):
        _schema(**wrong)


def test_a_draft_asks_for_how_common_classes_are_and_what_the_rule_is_for() -> None:
    tree = draft({"x": [0, 1], "y": [0, 1]}, label="y")
    assert tree["base_rate"] is None
    assert tree["attainable"] is None
    assert "--costs balanced" in tree["about"]
    assert "--aim rank" in tree["about"]
