"""The navigation, made from the folders of docs/: nobody edits a list of pages.

A folder is a section. Its index page (index.md, or README.md) links to the pages of the section, and that order is
theirs here. A page that no index mentions is an orphan and fails the build.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from docs.hooks import pages

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
    """The index page, then what it links to: pages of its folder and of folders in it, and pages of docs/ itself."""
    index = next((f"{folder}/{name}" for name in pages.INDEXES if f"{folder}/{name}" in known), None)
    if index is None:
        return []
    linked = [
        posixpath.normpath(posixpath.join(folder, link)) for link in LINK.findall(pages.text(docs, index))
    ]
    found: list[Any] = [index]
    for page in dict.fromkeys(linked):
        if page == index or page not in known or not _belongs(page, folder):
            continue
        inner, name = posixpath.split(page)
        if inner.startswith(f"{folder}/") and name in pages.INDEXES:
            found.append({pages.heading(pages.text(docs, page)): _section(docs, inner, known)})
        else:
            found.append(page)
    return found


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
