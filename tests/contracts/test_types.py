"""`Any` is rare: it switches the type checker off, so it stands only where nothing else can be said."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.contracts.sources import syntax

SOURCE = Path(__file__).resolve().parents[2] / "src"
MOST = 7.0
"""Uses of `Any` per 1,000 lines of source, the boundary to JSON aside. It may only be lowered."""

JSON = ("dict", "Mapping")
"""`dict[str, Any]` and `Mapping[str, Any]`: trees that were read from JSON or are about to be written as such."""


def _parents(tree: ast.Module) -> dict[ast.AST, ast.AST]:
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def _is_json(use: ast.Name, parents: dict[ast.AST, ast.AST]) -> bool:
    pair = parents[use]
    outer = parents[pair]
    return (
        isinstance(pair, ast.Tuple)
        and isinstance(outer, ast.Subscript)
        and isinstance(outer.value, ast.Name)
        and outer.value.id in JSON
        and len(pair.elts) == 2
        and isinstance(pair.elts[0], ast.Name)
        and pair.elts[0].id == "str"
        and pair.elts[1] is use
    )


def uses(text: str) -> Iterator[bool]:
    """For every use of the name `Any`, imports aside, whether it stands for JSON."""
    tree = syntax(text)
    parents = _parents(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "Any":
            yield _is_json(node, parents)


def test_uses_are_told_apart() -> None:
    text = "x: dict[str, Any]\ny: Mapping[str, Any]\ndef f(a: Any, b: list[Any]) -> dict[int, Any]: ...\n"
    assert Counter(uses(text)) == {True: 2, False: 3}


def test_any_is_rare() -> None:
    texts = [path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")]
    lines = sum(text.count("\n") for text in texts)
    others = sum(1 for text in texts if "Any" in text for is_json in uses(text) if not is_json)
    assert 1000 * others / lines <= MOST, f"{others} uses in {lines} lines"
