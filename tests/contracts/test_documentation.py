"""The site is complete: every name, command, error, statement and rule has its place; links and anchors lead there.

Works on the Markdown of written and generated pages; `make docs` then builds the very same pages, strictly.
"""

from __future__ import annotations

import importlib
import inspect
import re
from functools import cache
from pathlib import Path

import pytest
from docs import listed
from docs.hooks import http, outside, pages, reference
from typer.main import get_command

import privpac
from privpac import errors
from privpac.cli.app import app
from privpac.constructions.catalogue import rules
from privpac.constructions.words import WORDS
from privpac.theory.statements import REGISTER
from tests.together import together

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMES = [name for name in privpac.__all__ if name != "__version__"]
# Pages of the gallery run their scripts; their links are those of the docstrings, which `make docs` checks.
GENERATED = {page: write for page, write in pages.generated().items() if not page.startswith("gallery/")}


@cache
def _markdown(page: str) -> str:
    known = pages.written(DOCS) | set(pages.generated())
    text = GENERATED[page]() if page in GENERATED else (DOCS / page).read_text(encoding="utf-8")
    return outside.inside(text, page, known)


@cache
def _anchors(page: str) -> frozenset[str]:
    """Headings as the site names them, paths of described names, and anchors somebody set."""
    text = FENCE.sub("", _markdown(page))
    found: list[str] = []
    for words in re.findall(r"^#{1,6} (.+?)(?: \{.*\})?$", text, re.MULTILINE):
        plain = re.sub(r"\]\([^)]*\)|[`*\[]", "", words).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found.append(slug if slug not in found else f"{slug}_{found.count(slug)}")
    found += re.findall(r"^::: (\S+)$", text, re.MULTILINE)
    found += re.findall(r"\{[^}\n]*#([\w.-]+)[^}\n]*\}", text) + re.findall(r"id=\"([\w.-]+)\"", text)
    return frozenset(found)


BESIDE = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
AS_HTML = re.compile(r"<a\b[^>\n]*\bhref=\"([^\"\n]+)\"")


@together(sorted({*BESIDE, "tests/README.md", *(f"docs/{page}" for page in pages.written(DOCS))}))
def test_every_link_of_a_file_leads_somewhere_in_the_repository(name: str) -> None:
    """Where the sources are read and no site is built: a page that only a build makes is not there."""
    text = FENCE.sub("", (ROOT / name).read_text(encoding="utf-8"))
    targets = (target.partition("#")[0] for target in LINK.findall(text) + AS_HTML.findall(text))
    lost = [
        target
        for target in targets
        if target and not re.match(r"[a-z]+:", target) and not (ROOT / name).parent.joinpath(target).exists()
    ]
    assert not lost


@pytest.mark.parametrize("name", BESIDE)
def test_every_anchor_of_a_file_beside_the_docs_resolves(name: str) -> None:
    text = FENCE.sub("", (ROOT / name).read_text(encoding="utf-8"))
    for target in LINK.findall(text):
        address, _, anchor = target.partition("#")
        if anchor and address.startswith("docs/"):
            assert anchor in _anchors(address.removeprefix("docs/")), target


QUOTED = re.compile(r"`(privpac(?:\.[A-Za-z_]\w*)+)[`(]")


def _exists(name: str) -> bool:
    """Whether a name of a module, or of something in one, can be imported; a field of a class counts too."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            place = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            if not hasattr(place, part):
                return part in getattr(place, "__annotations__", {})
            place = getattr(place, part)
        return True
    return False


@together(sorted(pages.written(DOCS)))
def test_every_name_that_a_page_quotes_exists(page: str) -> None:
    assert [name for name in QUOTED.findall(FENCE.sub("", _markdown(page))) if not _exists(name)] == []


@together(NAMES)
def test_a_public_name_has_its_line_and_its_description(name: str) -> None:
    value = getattr(privpac, name)
    path = f"{value.__module__}.{value.__qualname__}"
    link = re.search(
        rf"\[`{name}`\]\(([\w-]+\.md)#{re.escape(path)}\)", _markdown("reference/python/index.md")
    )
    assert link
    assert path in _anchors(f"reference/python/{link[1]}")


def test_every_group_of_modules_has_a_title_and_every_title_a_group() -> None:
    assert {module.split(".")[1] for module in reference.api_modules()} == set(reference.GROUPS)
    assert len(set(reference.GROUPS.values())) == len(reference.GROUPS)


@together(reference.api_modules())
def test_what_a_document_imports_is_described(module: str) -> None:
    page = _markdown(f"reference/python/{module.split('.')[1]}.md")
    for name in reference.described_names(module):
        value = getattr(__import__(module, fromlist=[name]), name)
        assert inspect.getdoc(value), f"{module}.{name} says nothing about itself"
        assert f"::: {value.__module__}.{value.__qualname__}\n" in page


def _commands(command: object, name: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for word, inner in getattr(command, "commands", {}).items():
        found |= (
            _commands(inner, f"{name} {word}") if hasattr(inner, "commands") else {f"{name} {word}": inner}
        )
    return found


@pytest.mark.parametrize(("name", "command"), _commands(get_command(app()), "privpac").items())
def test_a_command_is_described_with_all_its_options(name: str, command: object) -> None:
    text = _markdown("reference/commands.md")
    section = text.split(f"\n## {name}\n")[1].split("\n## ")[0]
    for option in command.params:  # type: ignore[attr-defined]
        if getattr(option, "hidden", False):  # answered with a sentence, and not offered
            continue
        for flag in [*option.opts, *option.secondary_opts]:
            written = flag if flag.startswith("-") else re.findall(r"\w+", option.metavar or flag.upper())[0]
            assert re.search(rf"(?<![\w-]){re.escape(written)}(?![\w-])", section), f"{name}: {written}"
        assert " ".join(option.help.split())[:30].replace("|", "\\|") in section


def test_every_request_of_the_service_is_described() -> None:
    text = _markdown("reference/http.md")
    for path, methods in http.document()["paths"].items():
        for method, entry in methods.items():
            section = text.split(f"\n## {method.upper()} {path}\n")[1].split("\n## ")[0]
            assert all(f"| {status} |" in section for status in entry["responses"])


@together(errors.__all__)
def test_an_error_is_described_with_its_exit_code(name: str) -> None:
    text, kind = _markdown("reference/errors.md"), getattr(errors, name)
    row = next(line for line in text.splitlines() if line.startswith(f"| [`{name}`]"))
    assert str(getattr(kind, "exit_code", "a warning")) in row
    assert f"\n## {name}\n" in text
    assert inspect.getdoc(kind)


@together(REGISTER)
def test_a_statement_has_its_section(key: str) -> None:
    assert key in _anchors("theorems.md")


@together(rules())
def test_a_rule_is_described_with_statement_and_proof(name: str) -> None:
    section = _markdown("reference/rules.md").split(f"\n### {name}\n")[1].split("\n### ")[0]
    assert re.search(r"\]\(\.\./theorems\.md#[\w-]+\)", section)
    assert re.search(r"\]\(\.\./proofs/[\w-]+\.md\)", section)


def test_no_row_that_follows_from_the_catalogue_is_missing() -> None:
    for path, text in listed.pages().items():
        assert path.read_text(encoding="utf-8") == text, "run python -m docs.listed"


@together(WORDS)
def test_a_word_is_described(word: str) -> None:
    assert f"`{WORDS[word].form}`" in _markdown("reference/words.md")


CITED = re.compile(r"[A-Z][\w'’-]+(?:(?:–|, | and )[A-Z][\w'’-]+)* (?:19|20)\d\d")


@together(REGISTER)
def test_every_source_of_a_statement_is_in_the_bibliography(key: str) -> None:
    listed = re.findall(r"^\| ([^|]+?) \|", _markdown("reference/bibliography.md"), re.MULTILINE)
    assert set(CITED.findall(REGISTER[key].source)) <= set(listed)
