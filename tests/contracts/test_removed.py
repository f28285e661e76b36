"""What was removed: one table, the same in the changelog, and the command line answers from it."""

from __future__ import annotations

import re
from pathlib import Path
from pydoc import locate

import pytest

from privpac.cli.app import VERBS, run
from privpac.constructions.words import WORDS
from privpac.removed import REMOVED, replacement_of

CHANGELOG = (Path(__file__).resolve().parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
SCHEMA = '{"label":"ill","columns":[{"name":"age","kind":"numeric","lower":0,"upper":9,"integer":true}]}'


def _typed(name: str) -> bool:
    """Whether somebody types it, at the command line or as a word; other names are imported."""
    return not name.startswith("privpac.")


def test_the_changelog_has_the_same_table() -> None:
    rows = dict(re.findall(r"^\| `([^`]+)` \| (.+?) \|$", CHANGELOG, re.MULTILINE))
    assert {name: rows.get(name) for name in REMOVED} == dict(REMOVED)


@pytest.mark.parametrize("name", REMOVED)
def test_what_was_removed_is_gone(name: str) -> None:
    if not _typed(name):
        assert locate(name) is None
    elif " " not in name and not name.startswith("-"):
        assert name not in WORDS
        assert name not in VERBS


@pytest.mark.parametrize("name", [name for name in REMOVED if _typed(name)])
def test_the_command_line_answers_with_the_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "schema.json").write_text(SCHEMA, encoding="utf-8")
    (tmp_path / "data.csv").write_text("age,ill\n" + "3,1\n7,0\n" * 50, encoding="utf-8")
    table = [str(tmp_path / "data.csv"), "--schema", str(tmp_path / "schema.json")]
    head = name.split(" ")[0]
    if head in VERBS:
        typed = [*name.split(" "), "x"]
    elif name.startswith("-"):
        typed = ["learn", *table, name, "x"]
    else:
        typed = ["learn", *table, "--concepts", name, "--epsilon", "1"]
    assert run(typed) == 2
    assert replacement_of(name) in capsys.readouterr().err


def test_what_was_never_there_has_no_line() -> None:
    assert replacement_of("auto") == replacement_of("") == replacement_of("xyz:ledger migrate") == ""
