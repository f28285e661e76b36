"""The navigation, made from the folders of docs/: nobody edits a list of pages.

A folder is a section. Its index page (index.md, or README.md) links to the pages of the section, and that order is
theirs here, in the groups that the index page has. A page that no index mentions is an orphan and fails the build.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from docs.hooks import outside, pages

__all__ = ["Orphan", "navigation", "on_config", "placed"]

SECTIONS = {
    "Tutorials": "tutorials",
    "Gallery": "gallery",
    "How-to": "how-to",
    "Understand": "understand",
    "Theory": "theory",
    "Proofs": "proofs",
    "Reproductions": "reproductions",
    "Reference": "reference",
    "Compare": "compare",
}
LINK = re.compile(r"\]\(([^)\s#]+\.md)(?:#[^)\s]*)?\)")

GROUP = re.compile(r"^(## [^\n]+|[A-Z][^\n.:;|*`\[\]()]*(?=\n\n\* ))$", re.MULTILINE)
"""A heading, or a line that stands alone above a list."""


class Orphan(Exception):
    """A page that is in no section's index."""


def navigation(docs: Path) -> list[dict[str, Any]]:
    """The sections with their pages, in the order of their index pages."""
    known = pages.written(docs) | set(pages.generated())
    entries: list[dict[str, Any]] = [{"Start": ["index.md", "start.md"]}]
    for title, folder in SECTIONS.items():
        if found := _section(docs, folder, known):
            entries.append({title: found})
    entries.append({"Changelog": ["changelog.md", "contributing.md", "security.md"]})
    if lost := sorted(known - set(placed(entries))):
        raise Orphan(f"No index page of a section links to {', '.join(lost)}: add one line there.")
    return entries


def placed(entries: list[Any]) -> Iterator[str]:
    """All pages of a navigation."""
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        else:
            yield from placed([page for found in entry.values() for page in found])


def _section(docs: Path, folder: str, known: set[str]) -> list[Any]:
    """The index page, then what it links to: pages of its folder and of folders in it, and pages of docs/ itself.

    Pages stand in groups as they do on the index page. A group that would hold all of them is left out.
    """
    index = next((f"{folder}/{name}" for name in pages.INDEXES if f"{folder}/{name}" in known), None)
    if index is None:
        return []
    groups: dict[str, list[Any]] = {}
    placed_pages = {index}
    for group, link in _linked(outside.inside(pages.text(docs, index), index, known)):
        page = posixpath.normpath(posixpath.join(folder, link))
        if page in placed_pages or page not in known or not _belongs(page, folder):
            continue
        placed_pages.add(page)
        groups.setdefault(group, []).append(_entry(docs, folder, page, known))
    if len(groups) == 1:
        return [index, *next(iter(groups.values()))]
    loose = groups.pop("", [])
    return [index, *loose, *({group: entries} for group, entries in groups.items())]


def _linked(markdown: str) -> Iterator[tuple[str, str]]:
    """Links to pages, each with the heading or the line above the list that it stands below; "" before the first."""
    group = ""
    for number, part in enumerate(GROUP.split(markdown)):
        if number % 2:
            group = part.removeprefix("## ")
        else:
            yield from ((group, link) for link in LINK.findall(part))


def _entry(docs: Path, folder: str, page: str, known: set[str]) -> Any:
    inner, name = posixpath.split(page)
    if inner.startswith(f"{folder}/") and name in pages.INDEXES:
        return {pages.heading(pages.text(docs, page)): _section(docs, inner, known)}
    return page


def _belongs(page: str, folder: str) -> bool:
    home = posixpath.dirname(page)
    inner = home.startswith(f"{folder}/") and posixpath.basename(page) in pages.INDEXES
    return home == folder or inner or pages.PLACES.get(page) == folder


def on_config(config: Any) -> Any:
    from mkdocs.exceptions import PluginError

    try:
        config.nav = navigation(Path(config.docs_dir))
    except Orphan as problem:
        raise PluginError(str(problem)) from None
    return config
