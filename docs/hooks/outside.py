"""Links of a page that lead out of docs/: to another page of the site if there is one, else to plain text.

Files of the project name each other as they lie in the repository (docs/start.md from CHANGELOG.md,
../tests/README.md from docs/). On GitHub such links work; in the site they would lead nowhere.
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
CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)


def inside(markdown: str, page: str, known: set[str]) -> str:
    """The page with every link to a file outside docs/ replaced."""
    home = _home(page)

    def replaced(link: re.Match[str]) -> str:
        words, target = link[1], link[2]
        address, _, anchor = target.partition("#")
        if "://" in target or not address or target.startswith("mailto:"):
            return link[0]
        place = posixpath.normpath(posixpath.join(posixpath.dirname(home), address))
        inner = pages.OUTSIDE.get(place) or place.removeprefix("docs/")
        if inner not in known:
            return words if not place.startswith("docs/") else link[0]
        there = posixpath.relpath(inner, posixpath.dirname(page) or ".")
        return f"[{words}]({there}{'#' + anchor if anchor else ''})"

    parts = CODE.split(markdown)
    return "".join(
        part if index % 2 and part.startswith("```") else LINK.sub(replaced, part)
        for index, part in enumerate(_rejoined(parts))
    )


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
