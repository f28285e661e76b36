"""Links of a page that lead out of docs/: to another page of the site if there is one, else to plain text.

Files of the project name each other as they lie in the repository (docs/start.md from CHANGELOG.md,
../tests/README.md from docs/, ../src/privpac/cli where the site describes all commands). On GitHub such links work; in
the site they would lead nowhere.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from docs.hooks import pages

__all__ = ["inside", "on_page_markdown"]

LINK = re.compile(r"(?<!!)\[([^\]\[]*)\]\(([^)\s]+)\)")
BUTTON = re.compile(r"(<a\b[^>\n]*\bhref=\")([^\"\n]+)(?=\")")
"""A link that Markdown cannot write."""
CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)


def inside(markdown: str, page: str, known: set[str]) -> str:
    """The page with every link to a file outside docs/ replaced."""

    def replaced(link: re.Match[str]) -> str:
        words, target = link[1], link[2]
        there = _in_site(target, page, known)
        return words if there is None else f"[{words}]({there})"

    def moved(link: re.Match[str]) -> str:
        return f"{link[1]}{_in_site(link[2], page, known) or '#'}"

    parts = CODE.split(markdown)
    return "".join(
        part if index % 2 and part.startswith("```") else BUTTON.sub(moved, LINK.sub(replaced, part))
        for index, part in enumerate(_rejoined(parts))
    )


def _in_site(target: str, page: str, known: set[str]) -> str | None:
    """Where a link of a page leads in the site; None if there is nothing."""
    address, _, anchor = target.partition("#")
    if "://" in target or not address or target.startswith("mailto:"):
        return target
    place = posixpath.normpath(posixpath.join(posixpath.dirname(_home(page)), address))
    inner = pages.for_source(place) or place.removeprefix("docs/")
    if inner not in known and inner not in pages.MADE_FROM.values():
        return target if place.startswith("docs/") else None
    there = posixpath.relpath(inner, posixpath.dirname(page) or ".")
    return f"{there}{'#' + anchor if anchor else ''}"


def _rejoined(parts: list[str]) -> list[str]:
    """Prose and fenced blocks in turn; code within a line stays with its prose, as links may contain it."""
    joined, prose = [], ""
    for index, part in enumerate(parts):
        if index % 2 and part.startswith("```"):
            joined += [prose, part]
            prose = ""
        else:
            prose += part
    return [*joined, prose]


def _home(page: str) -> str:
    """Where the text of a page lies in the repository."""
    outside = {inner: name for name, inner in pages.OUTSIDE.items()}
    return outside.get(page, f"docs/{page}")


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    known = {file.src_uri for file in files}
    return inside(markdown, page.file.src_uri, known)
