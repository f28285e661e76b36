"""`Any` is rare: it switches the type checker off, so it stands only where nothing else can be said."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.contracts.sources import syntax

SOURCE = Path(__file__).resolve().parents[2] / "src"
MOST = 7.4
"""Uses of `Any` per 1,000 lines of source, the boundary to JSON aside. It may only be lowered."""

TREES = ("dict", "Mapping")
"""`dict[str, Any]` and `Mapping[str, Any]`: what a tree of JSON is, and what a heap of options would be too."""
DOCUMENTS = frozenset({"certificate", "document", "tree"})
"""What a tree of JSON is called wherever it is handed on."""


def _parents(tree: ast.Module) -> dict[ast.AST, ast.AST]:
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def _is_tree(use: ast.Name, parents: dict[ast.AST, ast.AST]) -> bool:
    pair = parents[use]
    outer = parents[pair]
    return (
        isinstance(pair, ast.Tuple)
        and isinstance(outer, ast.Subscript)
        and isinstance(outer.value, ast.Name)
        and outer.value.id in TREES
        and len(pair.elts) == 2
        and isinstance(pair.elts[0], ast.Name)
        and pair.elts[0].id == "str"
        and pair.elts[1] is use
    )


def _is_at_boundary(use: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether it stands in a function that reads or writes JSON, and says so in its name, or tells of a document."""
    node: ast.AST | None = use
    while (node := parents.get(node)) is not None:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if "json" in name:
                return True
            case ast.arg(arg=name) | ast.AnnAssign(target=ast.Name(id=name)) if name in DOCUMENTS:
                return True
    return False


def uses(text: str) -> Iterator[bool]:
    """For every use of the name `Any`, imports aside, whether it stands for JSON where JSON is read or written."""
    tree = syntax(text)
    parents = _parents(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "Any":
            yield _is_tree(node, parents) and _is_at_boundary(node, parents)


def test_uses_are_told_apart() -> None:
    json = "def _from_json(x: Mapping[str, Any]): ...\ndef check(tree: dict[str, Any]): ...\ntree: dict[str, Any]\n"
    heaps = "wishes: dict[str, Any]\ndef ask(settings: Mapping[str, Any]) -> dict[str, Any]: ...\n"
    others = "def to_json(a: Any, b: list[Any]) -> dict[int, Any]: ...\n"
    assert Counter(uses(json)) == {True: 3}
    assert Counter(uses(heaps)) == {False: 3}
    assert Counter(uses(others)) == {False: 3}


def test_any_is_rare() -> None:
    texts = [path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")]
    lines = sum(text.count("\n") for text in texts)
    others = sum(1 for text in texts if "Any" in text for is_json in uses(text) if not is_json)
    assert 1000 * others / lines <= MOST, f"{others} uses in {lines} lines"
