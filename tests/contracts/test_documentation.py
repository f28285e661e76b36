"""The site is complete: every name, command, error, statement and rule has its place; links and anchors lead there.

Works on the Markdown of written and generated pages; `make docs` then builds the very same pages, strictly.
"""

from __future__ import annotations

import importlib
import inspect
import posixpath
import re
from functools import cache
from pathlib import Path

import pytest
from docs import listed
from docs.hooks import http, navigation, outside, pages, reference
from docs.hooks.finished import dead_links, loaded_from_elsewhere
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
PAGES = sorted(pages.written(DOCS) | set(GENERATED))


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


def _leads_somewhere(page: str, target: str) -> bool:
    address, _, anchor = target.partition("#")
    place = posixpath.normpath(posixpath.join(posixpath.dirname(page), address)) if address else page
    if place.startswith("gallery/") and place in pages.generated():
        return True
    if place in PAGES:
        return not anchor or anchor in _anchors(place)
    return (DOCS / place).is_file()


@together(PAGES)
def test_every_link_and_anchor_of_a_page_resolves(page: str) -> None:
    links = LINK.findall(FENCE.sub("", _markdown(page)))
    lost = [target for target in links if "://" not in target and not _leads_somewhere(page, target)]
    assert not lost


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


@pytest.mark.parametrize(("source", "page"), pages.MADE_FROM.items())
def test_a_link_to_a_source_is_one_to_its_page(source: str, page: str) -> None:
    assert (ROOT / source).exists()
    assert page in set(pages.generated()) | {"verify/index.html"}
    assert outside.inside(f"[a](../../{source}#b)", "how-to/tour.md", set()) == f"[a](../{page}#b)"
    button = f'<a class="x" href="../../{source}">'
    assert outside.inside(button, "how-to/tour.md", set()) == f'<a class="x" href="../{page}">'


def test_a_link_to_a_script_is_one_to_its_page() -> None:
    script = "[a](../../examples/gallery/05_boxes.py)"
    known = {"gallery/05_boxes.md"}
    assert outside.inside(script, "how-to/tour.md", known) == "[a](../gallery/05_boxes.md)"
    assert outside.inside(script, "how-to/tour.md", set()) == "a"


@pytest.mark.parametrize("name", BESIDE)
def test_every_anchor_of_a_file_beside_the_docs_resolves(name: str) -> None:
    text = FENCE.sub("", (ROOT / name).read_text(encoding="utf-8"))
    for target in LINK.findall(text):
        address, _, anchor = target.partition("#")
        if anchor and address.startswith("docs/"):
            assert anchor in _anchors(address.removeprefix("docs/")), target


def test_a_link_or_anchor_that_leads_nowhere_is_noticed() -> None:
    assert _leads_somewhere("index.md", "start.md")
    assert not _leads_somewhere("index.md", "stop.md")
    assert not _leads_somewhere("reference/index.md", "../theorems.md#no-such-statement")


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


def test_a_name_that_nothing_has_is_noticed() -> None:
    assert _exists("privpac.model.Model.predict")
    assert _exists("privpac.model.Model.schema")
    assert not _exists("privpac.transforms")
    assert not _exists("privpac.model.Model.guess")


def test_pages_stand_in_the_groups_of_their_index() -> None:
    sections = {title: entries for entry in navigation.navigation(DOCS) for title, entries in entry.items()}
    how_to = {group: pages for entry in sections["How-to"][2:] for group, pages in entry.items()}
    assert sections["How-to"][:2] == ["how-to/index.md", "how-to/tour.md"]
    assert list(how_to) == ["Before you start", "Learning", "Releasing", "Checking", "Extending"]
    assert how_to["Checking"][0] == "how-to/check-in-a-browser.md"
    assert "Few labels" in [group for entry in sections["Theory"][1:] for group in entry]
    assert all(isinstance(entry, str) for entry in sections["Tutorials"])  # one list, no groups


def test_every_page_has_one_place_in_the_navigation() -> None:
    placed = list(navigation.placed(navigation.navigation(DOCS)))
    assert sorted(placed) == sorted(set(placed))
    assert set(PAGES) <= set(placed)


def test_a_page_that_no_index_names_is_an_orphan(tmp_path: Path) -> None:
    for page in PAGES:
        if page not in GENERATED:
            (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / page).write_text((DOCS / page).read_text(encoding="utf-8"), encoding="utf-8")
    assert navigation.navigation(tmp_path)
    (tmp_path / "how-to" / "forgotten.md").write_text("# Forgotten\n", encoding="utf-8")
    with pytest.raises(navigation.Orphan, match=r"how-to/forgotten\.md"):
        navigation.navigation(tmp_path)


@together(PAGES)
def test_every_page_has_one_title(page: str) -> None:
    assert len(re.findall(r"^# \S", FENCE.sub("", _markdown(page)), re.MULTILINE)) == 1


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
        assert path.read_text(encoding="utf-8") == text, "run make catalogue"


@together(WORDS)
def test_a_word_is_described(word: str) -> None:
    assert f"`{WORDS[word].form}`" in _markdown("reference/words.md")


def test_what_would_be_loaded_from_elsewhere_is_noticed() -> None:
    assert loaded_from_elsewhere('<script src="https://cdn.example/x.js"></script>') == [
        "https://cdn.example/x.js"
    ]
    assert loaded_from_elsewhere('<link rel="stylesheet" href="//fonts.example/a.css">') == [
        "//fonts.example/a.css"
    ]
    assert loaded_from_elsewhere("body { background: url(http://x.example/y.png) }") == [
        "http://x.example/y.png"
    ]
    assert not loaded_from_elsewhere('<a href="https://example.org">a link is followed by people</a>')


def test_a_link_that_is_dead_on_a_disk_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a b.html").write_text('<h1 id="top">A</h1><a href="../index.html#rules">all</a>')
    good = '<h1 id="rules">R</h1><a href="#rules">here</a><a href="deep/a%20b.html#top">there</a>'
    index = tmp_path / "index.html"
    index.write_text(
        f'{good}<a href="https://example.org/nowhere">elsewhere</a><img src="data:image/png;base64,AA">'
    )
    (tmp_path / "404.html").write_text('<a href="/anything/">served under any address</a>')
    assert list(dead_links(tmp_path)) == []
    for link in ("deep/", ".", "deep/b.html", "#nothing", "deep/a%20b.html#nothing", "/index.html"):
        index.write_text(f'{good}<a href="{link}">dead</a>')
        assert list(dead_links(tmp_path)) == [f"index.html: {link}"]


CITED = re.compile(r"[A-Z][\w'’-]+(?:(?:–|, | and )[A-Z][\w'’-]+)* (?:19|20)\d\d")


@together(REGISTER)
def test_every_source_of_a_statement_is_in_the_bibliography(key: str) -> None:
    listed = re.findall(r"^\| ([^|]+?) \|", _markdown("reference/bibliography.md"), re.MULTILINE)
    assert set(CITED.findall(REGISTER[key].source)) <= set(listed)


def test_a_source_is_recognised() -> None:
    text = "Chaudhuri–Hsu 2011, Lemma 14 (Gupta, Krauthgamer and Lee 2003)"
    assert CITED.findall(text) == ["Chaudhuri–Hsu 2011", "Gupta, Krauthgamer and Lee 2003"]
