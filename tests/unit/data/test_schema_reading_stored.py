"""The schema of a document has no notes, and shows nobody what it should not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from privpac import Schema, load, verify
from privpac.checker.document import digest
from privpac.errors import NotCertified, SchemaError
from tests.golden.corpus import CURRENT

GOLDEN = CURRENT / "models" / "thresholds-age.json"
AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True}
NOTES: list[dict[str, Any]] = [
    {"title": {"de": "Alter"}},
    {"title": "two\nlines"},
    {"title": "x" * 200},
    {"unit": ["years"]},
    {"units": "years"},
    {"titel": "Alter"},
    {"meanings": {"7": "seven"}},
    {"lowr": 3},
]


def _document(folder: Path, **notes: Any) -> Path:
    """A model with notes in the column of its schema."""
    tree = json.loads(GOLDEN.read_text(encoding="utf-8"))
    tree["schema"]["columns"][0] |= notes
    tree["digest"] = digest(tree)
    (folder / "model.json").write_text(json.dumps(tree), encoding="utf-8")
    return folder / "model.json"


@pytest.mark.parametrize("notes", NOTES)
def test_a_document_with_notes_is_none_of_ours(notes: dict[str, Any], tmp_path: Path) -> None:
    path = _document(tmp_path, **notes)
    for look in (load, verify):
        with pytest.raises(NotCertified, match="holds something that this version does not write"):
            look(path)


@pytest.mark.parametrize("notes", NOTES)
def test_the_same_is_refused_where_a_person_writes_it(notes: dict[str, Any]) -> None:
    with pytest.raises(SchemaError) as refused:
        Schema.from_json({"label": "ill", "columns": [{**AGE, **notes}]})
    assert refused.value.column == "age"


def test_a_stored_title_that_is_a_short_text_is_shown() -> None:
    stored = Schema.from_stored({"label": "ill", "columns": [{**AGE, "title": "Age today"}]})
    assert stored.columns[0].called == "Age today"


def test_what_is_wrong_besides_is_refused() -> None:
    for wrong in ({"lower": 500}, {"lower": None}, {"scale": "huge", "title": "a\nb"}, {"categories": ["a"]}):
        with pytest.raises(SchemaError):
            Schema.from_stored({"label": "ill", "columns": [{**AGE, **wrong}]})
