"""The layout of the source, read off the tree: what stands in docs/architecture.md, and what a test compares it with.

`python docs/hooks/layout.py` writes it there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "privpac"
PAGE = ROOT / "docs" / "architecture.md"
WIDTH = 118
START, END = "<!-- layout: begin -->", "<!-- layout: end -->"


def layout() -> str:
    """Every module and every folder: what a folder is for, and the files in it."""
    lines = ["```text", "src/privpac/"]
    for path in sorted(PACKAGE.glob("*.py")):
        lines += _entry(f"{path.name}", _says(path), depth=1)
    for folder in _folders(PACKAGE):
        lines += _room(folder, depth=1)
    return "\n".join([*lines, "```"])


def _folders(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.glob("*/__init__.py"))


def _room(folder: Path, *, depth: int) -> Iterator[str]:
    yield from _entry(f"{folder.name}/", _says(folder / "__init__.py"), depth=depth)
    files = [path.stem for path in sorted(folder.glob("*.py")) if path.stem != "__init__"]
    indent = "  " * (depth + 1)
    yield from wrap(" ".join(files), WIDTH, initial_indent=indent, subsequent_indent=indent)
    for inner in _folders(folder):
        yield from _room(inner, depth=depth + 1)


def _entry(name: str, says: str, *, depth: int) -> list[str]:
    head = f"{'  ' * depth}{name:<{22 - 2 * depth}} "
    return wrap(says, WIDTH, initial_indent=head, subsequent_indent=" " * len(head))


def _says(path: Path) -> str:
    """The first paragraph of a docstring, as one line."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def page_with_layout(text: str) -> str:
    """The page with the present layout between its two marks."""
    block = f"{START}\n{layout()}\n{END}"
    return re.sub(f"{re.escape(START)}.*?{re.escape(END)}", lambda _: block, text, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(page_with_layout(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
