"""Nothing is checked by `assert` alone, which Python leaves out when it is told to."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.contracts.sources import nodes, syntax

ROOT = Path(__file__).resolve().parents[2] / "src" / "privpac"


def _narrows(test: ast.expr) -> bool:
    """Whether it tells a type checker what is known, and nothing that a person or a file could get wrong."""
    if isinstance(test, ast.BoolOp):
        return all(map(_narrows, test.values))
    if isinstance(test, ast.Compare):
        return all(isinstance(sign, ast.IsNot) for sign in test.ops)
    return isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "isinstance"


def test_nothing_is_checked_by_assert_which_python_may_leave_out() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        for node in nodes(syntax(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assert):
                assert _narrows(node.test), f"{path}:{node.lineno}: raise an error"


@pytest.mark.parametrize("text", ["x > 0", "x is None", "f(x)", "x is not None and x > 0"])
def test_an_assert_that_checks_is_noticed(text: str) -> None:
    assert not _narrows(ast.parse(text, mode="eval").body)
