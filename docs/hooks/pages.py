"""Which pages there are: those somebody wrote in docs/, and those made while the site is built."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from docs.hooks import http, reference, scripts

from privpac.theory.machine import machine_checked, said_of

__all__ = ["INDEXES", "MADE_FROM", "PLACES", "ROOT", "for_source", "generated", "heading", "text", "written"]

ROOT = Path(__file__).resolve().parents[2]
INDEXES = ("index.md", "README.md")
PLACES = {"architecture.md": "reference", "audit.md": "reference", "theorems.md": "reference"}
"""Pages that stay in docs/ itself, and the section they belong to."""

OUTSIDE = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md"}
"""Files of the project that are pages of the site."""


MADE_FROM = {
    "src/privpac": "reference/python/index.md",
    "src/privpac/cli": "reference/commands.md",
    "src/privpac/service/api": "reference/http.md",
    "src/privpac/errors.py": "reference/errors.md",
    "src/privpac/guarantee/rules": "reference/rules.md",
    "src/privpac/checker/rules.txt": "reference/book.md",
    "src/privpac/service/pages/verify": "verify/index.html",
    "examples/gallery": "gallery/index.md",
}
"""What a reader of the repository finds where the site has a page that is made while it is built."""


def for_source(place: str) -> str | None:
    """The page of the site for a file or folder of the repository, if there is one."""
    script = re.fullmatch(r"examples/(gallery/\w+)\.py", place)
    return OUTSIDE.get(place) or MADE_FROM.get(place) or (f"{script[1]}.md" if script else None)


def written(docs: Path) -> set[str]:
    """Pages that exist as files, as addresses relative to docs/."""
    return {path.relative_to(docs).as_posix() for path in docs.rglob("*.md") if "hooks" not in path.parts}


def generated() -> Mapping[str, Callable[[], str]]:
    """Pages that exist in the site only, each with the function that writes it."""
    found: dict[str, Callable[[], str]] = {}
    for name, page in OUTSIDE.items():
        found[page] = lambda name=name: (ROOT / name).read_text(encoding="utf-8")
    found |= {"reference/http.md": http.page, "reference/book.md": _book}
    return {**found, **reference.pages(), **scripts.pages()}


def _book() -> str:
    """The rule book as it is."""
    text = (ROOT / "src" / "privpac" / "checker" / "rules.txt").read_text(encoding="utf-8")
    told = "Every condition that a checker knows. [How to read the rule book](rule-book.md) explains it."
    proved = "\n".join(f"| `{rule}` | {said} |" for rule in machine_checked() if (said := said_of(rule)))
    how = (
        "## How the rules about privacy were proved\n\n"
        "[What is machine-checked, and what is not](../proofs/machine-checked.md)."
        f" Rules about accuracy are proved on paper.\n\n| Rule | Proved |\n|---|---|\n{proved}\n"
    )
    return f"# The rule book\n\n{told}\n\n```text\n{text}```\n\n{how}"


def text(docs: Path, page: str) -> str:
    """The Markdown of a page of either kind."""
    path = docs / page
    return path.read_text(encoding="utf-8") if path.exists() else generated()[page]()


def heading(markdown: str) -> str:
    """The first heading."""
    found = re.search(r"^# (.+)$", markdown, re.MULTILINE)
    return found[1] if found else ""
