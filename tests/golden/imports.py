"""What the documents of a release import: `python -m tests.golden.imports` writes the list of the present version.

A release does it once. The list is stored, because a clone need not hold the documents of earlier versions.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from privpac import __version__
from tests.golden.corpus import HERE

__all__ = ["LIST", "printed_imports"]

LIST = "imports.json"
ROOT = HERE.parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def printed_imports(root: Path = ROOT) -> list[str]:
    """Every import from privpac in a `python` block of a document, one statement per name."""
    pages = [*root.glob("*.md"), *root.glob("docs/**/*.md")]
    blocks = (block for page in pages for block in BLOCK.findall(page.read_text(encoding="utf-8")))
    return sorted({line for block in blocks for line in _imports(block)})


def _imports(block: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(block)):
        if isinstance(node, ast.ImportFrom):
            lines = [f"from {node.module} import {alias.name}" for alias in node.names]
        else:
            lines = [f"import {alias.name}" for alias in node.names] if isinstance(node, ast.Import) else []
        yield from (line for line in lines if re.match(r"(from|import) privpac\b", line))


if __name__ == "__main__":
    text = json.dumps(printed_imports(), indent=1) + "\n"
    (HERE / __version__ / LIST).write_text(text, encoding="utf-8")
