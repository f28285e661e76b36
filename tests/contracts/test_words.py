"""The words of names: what a module offers is called by a noun or a verb, not by a bare participle.

`found`, `made` or `told` say that something happened to a thing, not what the thing is. A participle before a noun
(`kept_counts`) says both, and is fine.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from privpac.constructions.catalogue import REGISTER
from tests.contracts.sources import nodes, syntax

ROOT = Path(__file__).resolve().parents[2] / "src" / "privpac"
PARTICIPLES = frozenset(
    re.split(
        r"\s+",
        "asked bought built caught chosen done drawn dropped found given gone grown held kept known learnt made named"
        " own paid said seen sent shown sought taken thought told tried wanted written",
    )
)
JOINED = frozenset({"and", "apart", "not", "or"})
"""Words that make no noun of a participle: `told_apart`, `made_or_found`."""
EMPTY = frozenset(
    {
        "asked",
        "done",
        "found",
        "given",
        "gone",
        "gotten",
        "kept",
        "made",
        "own",
        "said",
        "taken",
        "told",
        "tried",
    }
    | {"used", "wanted"}
)
"""Participles that say nothing at all of a value: no variable, parameter, attribute or function may be called so."""
STORED = frozenset({"asked", "kept", "taken"})
"""How many records there were of a kind, as certificates and settings call it (docs/reference/formats.md)."""
STORED_IN = (
    "checker/steps/",
    "constructions/few_labels/",
    "constructions/prediction/",
    "constructions/stable/",
    "constructions/wrappers/",
    "estimators/stable.py",
    "guarantee/price.py",
    "guarantee/rules/",
    "plan/runs/",
)
"""Where such a number is written, checked or reckoned with, under the name that it has in files."""
PUBLIC = {
    "answering/predictor.py": {"given"},  # how many answers were given, as the error says
    "asking.py": {"asked"},  # the records whose labels are asked for
    "errors.py": {"given"},  # the same of a refusal
    "service/pages/learn/schema_form.py": {"used"},  # a field of the page's form
}
"""What people call by these names. Entries are only ever removed."""


def _names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def _bare(name: str) -> bool:
    words = set(name.strip("_").lower().split("_"))
    return words <= PARTICIPLES | JOINED and bool(words & PARTICIPLES)


def _participles(path: Path) -> set[str]:
    names = {path.stem, *_names(syntax(path.read_text(encoding="utf-8")))}
    return {name for name in names if _bare(name)}


def test_modules_and_what_they_offer_are_not_called_by_bare_participles() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        assert not _participles(path), f"{path}: say what it is, or what it does"


def _all_names(tree: ast.Module) -> Iterator[str]:
    """Every name that a module gives to anything: what it computes, takes, stores in objects and defines."""
    for node in nodes(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler):
            yield node.name or ""


def _empty(text: str) -> set[str]:
    return EMPTY & {name.strip("_").lower() for name in _all_names(syntax(text))}


def test_nothing_is_called_by_the_emptiest_participles() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        names = _empty(path.read_text(encoding="utf-8")) - (STORED if place.startswith(STORED_IN) else set())
        assert names == PUBLIC.get(place, set()), f"{path}: say what it is; or take it off the list"


IRREGULAR = PARTICIPLES | {"felt", "hidden", "laid", "lost", "meant", "met", "spoken", "won"}
NOUNS = frozenset({"bed", "feed", "need", "red", "seed", "speed"})  # what ends in "ed" and is no participle
TERMS = frozenset(
    {
        "kept",  # so many records of each kind, as in files
        "labelled",
        "taken",
        "unlabelled",
        "nested",  # whether the tests of each column are: each implies the next
        "prepared",  # a `Prepared`: a predictor with its records
        "saved",  # by how many losses a composition declared in advance is cheaper, as in files
        "tolerated",  # the error of a good hypothesis, as in files and proofs
        "trusted",  # keys or types that somebody vouches for
    }
)
"""Participles that are words of the theory or of stored files; they may name what they name there."""
MIGRATIONS = "service/store/migrations/"  # what has run somewhere is not written again
IN_FILES = {"checker/steps/carried.py": {"held"}, "checker/steps/release.py": {"hidden"}}
"""Numbers that are called so in stored derivations."""


def _is_participle(word: str) -> bool:
    return (word in IRREGULAR or bool(re.fullmatch("[a-z]+ed", word))) and word not in NOUNS | TERMS


def _variables(tree: ast.Module) -> set[str]:
    """Every name that a function gives to what it computes."""
    functions = [n for n in nodes(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = (node for function in functions for part in function.body for node in _own(part))
    return {node.id for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in a statement, without the fields of classes."""
    yield node
    if not isinstance(node, ast.ClassDef):
        for child in ast.iter_child_nodes(node):
            yield from _own(child)


def test_variables_are_called_by_what_they_are() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        if not place.startswith(MIGRATIONS):
            names = set(filter(_is_participle, _variables(syntax(path.read_text(encoding="utf-8")))))
            assert names == IN_FILES.get(place, set()), f"{path}: say what it is"


@pytest.mark.parametrize(
    "text",
    [
        "def f(): drawn = 1",
        "def f():\n    for seen in x: pass",
        "class A:\n    def f(self): return [x for named in y]",
        "async def f():\n    async with x as held: pass",
        "def f(): allowed = 1",
    ],
)
def test_such_a_variable_is_noticed(text: str) -> None:
    assert any(map(_is_participle, _variables(ast.parse(text))))


@pytest.mark.parametrize(
    "text",
    [
        "def f(drawn): pass",
        "class A:\n    drawn: int",
        "f(drawn=1)",
        "def shown(): pass",
        "def f(): need, labelled, drawn_tests = x",
    ],
)
def test_what_others_call_so_is_not(text: str) -> None:
    assert not any(map(_is_participle, _variables(ast.parse(text))))


COPIES = frozenset({"clamped", "flipped", "floored", "halved", "relabelled", "rounded", "scaled", "shifted"})
"""What private functions may be called that return a changed copy, in the manner of `sorted`."""


def _private_functions(tree: ast.Module) -> set[str]:
    functions = (n for n in nodes(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    return {function.name for function in functions if function.name.startswith("_")}


def _empty_functions(text: str) -> set[str]:
    names = {name.strip("_") for name in _private_functions(syntax(text))}
    return set(filter(_is_participle, names)) - COPIES


def test_private_functions_are_called_by_what_they_do_or_return() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        assert not _empty_functions(path.read_text(encoding="utf-8")), f"{path}: say what it does, or returns"


@pytest.mark.parametrize(
    "text", ["def _listed(): pass", "class A:\n    def _opened(self): pass", "async def _entered(): pass"]
)
def test_a_private_function_that_is_called_by_a_participle_is_noticed(text: str) -> None:
    assert _empty_functions(text)


@pytest.mark.parametrize(
    "text", ["def _open(): pass", "def _listed_names(): pass", "def _rounded(x): pass", "def merged(): pass"]
)
def test_other_functions_are_not(text: str) -> None:
    assert not _empty_functions(text)


def test_numbers_that_are_stored_under_such_a_name_are_documented() -> None:
    formats = (PROJECT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    for name in STORED:
        assert f"`{name}`" in formats


@pytest.mark.parametrize(
    "text",
    [
        "found = 1",
        "def f(kept): pass",
        "def f(*, kept): pass",
        "f = lambda own: own",
        "def made(): pass",
        "class A:\n    used: int",
        "self._said = 1",
        "GIVEN = 1",
        "try: f()\nexcept E as taken: pass",
        "[asked for asked in x]",
    ],
)
def test_an_empty_participle_is_noticed_wherever_it_stands(text: str) -> None:
    assert _empty(text)


@pytest.mark.parametrize("name", ["_found", "_made_or_found", "told", "_told_apart", "KNOWN"])
def test_a_bare_participle_is_noticed(name: str) -> None:
    assert _bare(name)


@pytest.mark.parametrize("name", ["kept_counts", "read_file", "seal", "known_vc", "or_else"])
def test_a_noun_or_a_verb_is_not(name: str) -> None:
    assert not _bare(name)


# The distributive "a"

THINGS = (
    "answer|axis|batch|block|call|case|cell|charge|class|column|concept|construction|draw|family|feature|file|group|label"
    "|leaf|learner|level|line|member|model|node|page|part|person|point|question|record|request|round|row|rule|run|second"
    "|side|stage|statement|table|test|theorem|value|verb"
)
COUNTED = (
    "(?:answer|bit|byte|cell|charge|coin|column|count|cut|digit|file|folder|integer|key|label|limit|line|model|number"
    "|page|point|price|question|record|row|run|second|set|step|task|term|test|value|verb|vote|word)s?|class|entry|MB"
)
"""What there are so many of per thing; "draws" and "shares" are verbs too often."""
NUMBER = r"(?:one|two|three|four|five|six|eight|ten|twelve|\d[\d,]*)"
DISTRIBUTIVE = re.compile(
    rf"\b(?:one an? (?:{THINGS})|(?:{NUMBER}|a) (?:{COUNTED}) an? (?:{THINGS})"
    rf"|{NUMBER} [a-z]+ (?:{COUNTED}) an? (?:{THINGS})|epsilon an answer|(?:{COUNTED}) a second)\b(?! time)",
    re.IGNORECASE,
)
PROJECT = ROOT.parents[1]
TEXTS = [
    *ROOT.rglob("*.py"),
    *(PROJECT / "benchmarks").rglob("*.py"),
    *(PROJECT / "docs").rglob("*.md"),
    *(PROJECT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "tests/README.md")),
]


def test_so_many_of_one_thing_belong_to_another_is_said_with_per() -> None:
    texts = {path: " ".join(path.read_text(encoding="utf-8").split()) for path in TEXTS}
    matches = {path: match[0] for path, text in texts.items() if (match := DISTRIBUTIVE.search(text))}
    assert not matches, "say 'per'"


@pytest.mark.parametrize(
    "text",
    [
        "one file a class",
        "One row a charge",
        "two records a person",
        "one a file",
        "31 cuts a column",
        "one positive integer a class",
    ],
)
def test_the_distributive_a_is_noticed(text: str) -> None:
    assert DISTRIBUTIVE.search(text)


def test_statements_are_written_in_words_not_in_names_of_constants() -> None:
    texts = {
        key: " ".join([entry.title, entry.says, *entry.conditions, entry.erratum or ""])
        for key, entry in REGISTER.items()
    }
    shouted = {key: match[0] for key, text in texts.items() if (match := re.search(r"\b[A-Z]{8,}\b", text))}
    assert not shouted
