"""Every name people meet is documented: public names, words, verbs and options, and the fields of files."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import typer
from docs.hooks.reference import EXITS

import privpac
from privpac.cli.app import app
from privpac.constructions.prediction.forms import FORMS
from privpac.constructions.words import WORDS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = "\n".join(
    path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
)
TABLE = (ROOT / "docs" / "reference" / "words.md").read_text(encoding="utf-8")
VERBS = typer.main.get_command(app()).commands  # type: ignore[attr-defined]
NAMES = [name for name in privpac.__all__ if name != "__version__"]


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_can_be_imported_and_is_documented(name: str) -> None:
    value = getattr(privpac, name)
    assert value.__doc__
    assert value.__name__ == name
    assert re.search(rf"`(?:privpac\.)?{name}[`(]|privpac\.{name}\b|import .*\b{name}\b", DOCUMENTS)


def test_the_table_of_names_and_the_imports_for_type_checkers_agree() -> None:
    tree = ast.parse(Path(privpac.__file__).read_text(encoding="utf-8"))
    checking = next(node for node in tree.body if isinstance(node, ast.If))
    imported = {
        alias.asname: f"{node.module}"
        for node in checking.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == {name: f"privpac.{module}" for name, module in privpac._NAMES.items()}


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'forest'"):
        _ = privpac.forest
    assert set(NAMES) <= set(dir(privpac))


def _table_of_words() -> dict[str, str]:
    """The forms in docs/reference/words.md, with what stands beside them."""
    return dict(re.findall(r"^\| `([a-z-]+(?::[^`]+)?)` \| (.+) \|$", TABLE, re.MULTILINE))


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_in_the_table_if_and_only_if_it_can_be_learnt(word: str) -> None:
    entry = WORDS[word]
    assert (entry.form in _table_of_words()) == (entry.build is not None)
    assert f"`{entry.form}`" in TABLE


def test_the_tables_have_all_words_for_answers_and_no_others() -> None:
    answers = {form.partition(":")[0] for form in FORMS} - {"auto", "CLASS"}
    table = set(_table_of_words())
    assert answers <= {form.partition(":")[0] for form in table}
    rules = {form for form in table if form.partition(":")[0] not in answers}
    assert rules <= {entry.form for entry in WORDS.values()}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_documented(verb: str) -> None:
    assert re.search(rf"`privpac {verb}\b|^\$ privpac {verb}\b", DOCUMENTS, re.MULTILINE)
    for name, command in getattr(VERBS[verb], "commands", {verb: VERBS[verb]}).items():
        assert command.help
        for option in command.params:
            assert option.help, f"privpac {name}: {option.name} has no help"
        assert any("--json" in option.opts for option in command.params), f"privpac {name} has no --json"


def test_exit_codes_are_documented() -> None:
    for code, meaning in ((0, "done"), (2, "wrong input"), (3, "budget refused"), (4, "guarantee not met")):
        assert f"{code} {meaning}" in DOCUMENTS
        assert EXITS[code] == meaning
