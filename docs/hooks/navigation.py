"""The navigation, made from the folders of docs/: nobody edits a list of pages.

A folder is a section. Its index page (index.md, or README.md) links to the pages of the section, and that order is
theirs here. A page that no index mentions is an orphan and fails the build.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from docs.hooks import pages

__all__ = ["Orphan", "navigation", "on_config"]

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
    written = pages.written(docs) | set(pages.generated())
    entries: list[dict[str, Any]] = [{"Start": ["index.md", "start.md"]}]
    for title, folder in SECTIONS.items():
        found = _section(docs, folder, written)
        if found:
            entries.append({title: found})
    entries.append({"Changelog": ["changelog.md"]})
    entries[-1]["Changelog"] += [page for page in ("contributing.md", "security.md") if page in written]
    placed = {page for entry in entries for found in entry.values() for page in found}
    if lost := sorted(written - placed):
        raise Orphan(f"No index page of a section links to {', '.join(lost)}: add one line there.")
    return entries


def _section(docs: Path, folder: str, written: set[str]) -> list[str]:
    """The index page, then what it links to: pages of its own folder, and pages of docs/ itself."""
    index = next((f"{folder}/{name}" for name in pages.INDEXES if f"{folder}/{name}" in written), None)
    if index is None:
        return []
    found = [index]
    for target in LINK.findall(pages.text(docs, index)):
        page = posixpath.normpath(posixpath.join(folder, target))
        if page in written and page not in found and _belongs(page, folder):
            found.append(page)
    return found


def _belongs(page: str, folder: str) -> bool:
    return page.startswith(f"{folder}/") or pages.PLACES.get(page) == folder


def on_config(config: Any) -> Any:
    config.nav = navigation(Path(config.docs_dir))
    return config
