"""Every name people meet is documented: public names, words, verbs and options, and the fields of files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
from docs.hooks.reference import EXITS

import privpac
from privpac.checker.book import book
from privpac.cli.app import app
from privpac.concepts.catalogue import stored_rules
from privpac.constructions.words import WORDS
from privpac.data.schema_reading import OPTIONS
from privpac.errors import ParameterError
from tests.contracts.test_register_complete import EXAMPLES
from tests.forms import written_out

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = "\n".join(
    path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
)
TABLE = (ROOT / "docs" / "reference" / "words.md").read_text(encoding="utf-8")
FORMATS = (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
PARAMETERS = {name for forms in book().rules.values() for rule in forms for name in rule.where}
"""Those of rules, which the rule book describes."""
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


def test_the_architecture_names_what_stays() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    paragraph = text.split("## Public names\n")[1].split("These stay")[0]
    assert set(re.findall(r"`(\w+)`", paragraph)) == {"privpac", *NAMES}


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


def test_the_table_has_no_other_words() -> None:
    assert set(_table_of_words()) <= {entry.form for entry in WORDS.values()}


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


def _keys(tree: Any) -> Iterator[str]:
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield key
            yield from _keys(value)
    elif isinstance(tree, list | tuple):
        for value in tree:
            yield from _keys(value)


def _described(key: str) -> bool:
    return key in PARAMETERS or bool(re.search(rf'[`"{{\s]{re.escape(key)}["`]', FORMATS))


def _model(concepts: str, **wishes: Any) -> dict[str, Any]:
    columns = [
        {"name": "a", "kind": "numeric", "lower": 0, "upper": 7, "integer": True},
        {"name": "b", "kind": "numeric", "lower": 0, "upper": 1, "resolution": 8, "missing": 0},
        {"name": "c", "kind": "categorical", "categories": ["u", "v"], "other": "w", "missing": "x"},
    ]
    table = {
        "a": [i % 8 for i in range(80)],
        "b": [i % 3 / 2 for i in range(80)],
        "c": ["u", "v", "z", ""] * 20,
    }
    labels = [int(i % 8 > 3) for i in range(80)]
    schema = {"label": "y", "columns": columns}
    model = privpac.learn(
        table, y=labels, schema=schema, concepts=concepts, epsilon=10, random_state=0, **wishes
    )
    return model.to_json()


OTHER_FORMS = {"card": "card", "clauses": "clauses:1"}
OTHER_WISHES: dict[str, dict[str, Any]] = {
    "card": {"delta": 0},
    "stable": {"delta": "0.1", "records_per_person": 1},
}


def _with_costs_or_without(concepts: str, **wishes: Any) -> dict[str, Any]:
    """Where mistakes have one price, that is what is refused."""
    try:
        return _model(concepts, costs=(1, 2), **wishes)
    except ParameterError as refusal:
        if refusal.parameter != "costs":
            raise
        return _model(concepts, **wishes)


@pytest.mark.parametrize("word", [word for word, entry in WORDS.items() if entry.build is not None])
def test_every_field_of_a_model_file_is_described(word: str) -> None:
    form = OTHER_FORMS.get(word, written_out(WORDS[word].form, "a", "b"))
    wishes: dict[str, Any] = {"estimate_epsilon": 1, "records_per_person": 2}
    wishes |= {"delta": "0.001" if WORDS[word].takes_delta else 0, **OTHER_WISHES.get(word, {})}
    tree = _with_costs_or_without(form, **wishes)
    missing = {key for key in _keys(tree) if not _described(key)}
    assert not missing


def test_every_field_of_other_wishes_is_described() -> None:
    trees = [
        _model("trees:1", protect="labels", holdout="0.25", estimate_epsilon=1),
        _model("trees:1", leaf_epsilon=1),
    ]
    missing = {key for key in _keys(trees) if not _described(key)}
    assert not missing


def test_every_field_of_a_derivation_and_every_kind_is_described() -> None:
    steps = [make().to_json() for make in EXAMPLES.values()]
    missing = {key for key in _keys(steps) if not _described(key)}
    missing |= {key for options in OPTIONS.values() for key in options if not _described(key)}
    missing |= {kind for kind in [*stored_rules(), *OPTIONS] if f"`{kind}`" not in FORMATS}
    missing |= EXAMPLES.keys() - book().rules.keys()
    assert not missing
