"""What several checks ask of the sources, worked out once."""

from __future__ import annotations

import ast
from functools import cache

__all__ = ["nodes", "syntax"]


@cache
def syntax(text: str) -> ast.Module:
    """The syntax of a module. It is shared: look, and change nothing."""
    return ast.parse(text)


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """Everything in a module, as `ast.walk` meets it."""
    return tuple(ast.walk(tree))
