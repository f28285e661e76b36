"""The pages of formats and of the rule book are complete: every function of the book, and a schema for every document.

Every document that must be accepted fits its schema, and other forms do not.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, Registry

from privpac.checker.document import BUNDLE, CERTIFICATE, MODEL, SIGNATURE, TABLE
from privpac.checker.functions import FUNCTIONS
from tests.vectors.frozen import Vector, accepted, vectors
from tests.vectors.judging import UNREADABLE

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"
SCHEMAS = REFERENCE / "schemas"
FILES = {
    MODEL: "model",
    TABLE: "table",
    BUNDLE: "bundle",
    CERTIFICATE: "certificate",
    SIGNATURE: "signature",
}


@cache
def _schema(name: str) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_bytes())
    return tree


@cache
def _validator(known: str) -> Draft202012Validator:
    trees = [_schema(name) for name in FILES.values()]
    return Draft202012Validator(
        _schema(FILES[known]), registry=Registry([(tree["$id"], tree) for tree in trees])
    )


def _documents() -> list[Vector]:
    """Those of present formats."""
    return [
        file for file in accepted() if file.kind == "document" and json.loads(file.text)["format"] in FILES
    ]


def test_every_accepted_document_fits_its_schema() -> None:
    seen = set()
    for file in _documents():
        tree = json.loads(file.text)
        problems = [
            f"{error.instance_path} {error.message}" for error in _validator(tree["format"]).iter_errors(tree)
        ]
        assert problems == [], file.name
        seen |= {tree["format"], *(row["format"] for row in tree.get("signatures", ()))}
    assert seen == set(FILES)


def test_there_is_a_schema_for_every_format_that_is_written() -> None:
    assert {path.name for path in SCHEMAS.iterdir()} == {f"{name}.schema.json" for name in FILES.values()}
    for known, name in FILES.items():
        assert _schema(name)["title"] == known
        assert _schema(name)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_many_forged_documents_do_not_even_have_the_form() -> None:
    caught = formed = 0
    for file in vectors():
        if file.kind == "document" and file.expected == "refused" and file.reason != UNREADABLE:
            tree = json.loads(file.text)
            if isinstance(tree, dict) and tree.get("format") in tuple(FILES):
                formed += 1
                caught += not _validator(tree["format"]).is_valid(tree)
    assert formed > 2000
    assert caught > formed / 3


@pytest.mark.parametrize("name", FILES.values())
def test_a_field_too_many_and_one_too_few_do_not_fit(name: str) -> None:
    known = next(key for key, value in FILES.items() if value == name)
    trees = (json.loads(file.text) for file in accepted() if file.kind == "document")
    rows = [row for tree in trees for row in (tree, *tree.get("signatures", ())) if row["format"] == known]
    tree, check = rows[0], _validator(known).is_valid
    assert check(tree)
    assert not check({**tree, "more": 1})
    for field in tree:
        if field not in ("also", "signatures"):
            assert not check({key: value for key, value in tree.items() if key != field}), field


def test_every_function_of_the_book_is_described_and_no_other() -> None:
    page = (REFERENCE / "rule-book.md").read_text(encoding="utf-8")
    start = page.index("| Function | What it is |")
    rows = re.findall(r"^\| (`[^|]+) \| .+ \|$", page[start : page.index("\n\n", start)], re.MULTILINE)
    assert sorted(name for names in rows for name in re.findall(r"`([^`]+)`", names)) == sorted(FUNCTIONS)
