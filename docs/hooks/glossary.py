"""The first use of a term on a page leads to its entry in the glossary, with the definition to hover over.

Done on the finished HTML, so that pages stay plain Markdown. Words that also have an everyday meaning that does no harm
are left alone; headings, code, formulas and links are too.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

__all__ = ["EVERYDAY", "Term", "anchored", "linked", "on_page_content", "terms"]

PAGE = "understand/glossary.md"
ADDRESS = "understand/glossary.html"
ENTRY = re.compile(r"^\*\*(?P<name>[^*]+)\.\*\* (?P<text>.+?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
ANCHOR = re.compile(r"<p><strong>(?P<name>[^<]+)\.</strong>")
TAG = re.compile(r"<(?P<end>/?)(?P<name>[a-zA-Z][\w-]*)[^>]*>|<!--.*?-->", re.DOTALL)
CLOSED = frozenset(
    {"a", "button", "code", "h1", "h2", "h3", "h4", "h5", "h6", "kbd", "label", "math", "pre"}
) | {
    "script",
    "style",
    "summary",
    "svg",
    "textarea",
    "th",
}
"""Elements in which nothing is linked."""
EVERYDAY = frozenset({"class", "error", "fact", "failure", "label", "person", "prior", "pure", "record"}) | {
    "release",
    "rule",
    "score",
    "word",
}
UNTOUCHED = (
    "reference/",
    "changelog",
    "contributing",
    "security",
    "theorems",
    "architecture",
    "gallery/",
    PAGE,
)
"""Pages made from the code, and the glossary itself."""


@dataclass(frozen=True)
class Term:
    """An entry of the glossary: its anchor, the words that stand for it, and its first sentence."""

    anchor: str
    names: tuple[str, ...]
    meaning: str


def _anchor(heading: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", heading.partition(" (")[0].lower()).strip("-") + (
        "-of-a-record" if heading.startswith("Class (") else ""
    )


def terms(markdown: str) -> list[Term]:
    """The entries of the glossary, the longest names first: `class of concepts` before `class`."""
    found = []
    for entry in ENTRY.finditer(markdown):
        names = tuple(name.strip().lower() for name in entry["name"].partition(" (")[0].split(","))
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[*`]", r"\1", " ".join(entry["text"].split()))
        meaning = re.split(r"(?<=[.:;]) ", plain)[0].rstrip(":;")
        found.append(Term(_anchor(entry["name"]), names, meaning))
    return sorted(found, key=lambda term: -max(map(len, term.names)))


def anchored(html: str) -> str:
    """The glossary with an address for each entry."""
    return ANCHOR.sub(
        lambda entry: f'<p id="{_anchor(entry["name"])}"><strong>{entry["name"]}.</strong>', html
    )


def linked(html: str, glossary: list[Term], address: str) -> str:
    """The page with the first use of each term linked to `address`."""
    left = {name: term for term in glossary for name in term.names if name not in EVERYDAY}
    return "".join(_text_linked(part, left, address) if open_ else part for part, open_ in _parts(html))


def _parts(html: str) -> Iterator[tuple[str, bool]]:
    """The page in pieces, each with whether it is text in which something may be linked."""
    place, closed = 0, 0
    for tag in TAG.finditer(html):
        yield html[place : tag.start()], closed == 0
        yield tag[0], False
        place = tag.end()
        if tag["name"] is not None and tag["name"].lower() in CLOSED:
            closed = max(0, closed + (-1 if tag["end"] else 1))
    yield html[place:], closed == 0


def _text_linked(text: str, left: dict[str, Term], address: str) -> str:
    """A piece of text; terms that were linked are taken off the list."""
    if not left or not text.strip():
        return text
    names = "|".join(re.escape(name) for name in sorted(left, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w\-/.])(?:{names})s?(?![\w\-]|\.\w)", re.IGNORECASE)

    def link(use: re.Match[str]) -> str:
        word = use[0].lower()
        term = left.get(word) or left.get(word.removesuffix("s"))
        if term is None:
            return use[0]
        for name in term.names:
            left.pop(name, None)
        return f'<a class="term" href="{address}#{term.anchor}" title="{escape(term.meaning)}">{use[0]}</a>'

    return pattern.sub(link, text)


@cache
def _glossary(path: Path) -> list[Term]:
    return terms(path.read_text(encoding="utf-8"))


def on_page_content(html: str, page: Any, config: Mapping[str, Any], **_: Any) -> str:
    source = page.file.src_uri
    if source == PAGE:
        return anchored(html)
    if source.startswith(UNTOUCHED):
        return html
    address = posixpath.relpath(ADDRESS, posixpath.dirname(page.url) or ".")
    return linked(html, _glossary(Path(config["docs_dir"]) / PAGE), address)
