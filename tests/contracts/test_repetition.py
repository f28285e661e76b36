"""What is said twice: no dozen lines of the sources stand in two places, and nothing is checked by `assert` alone.

Blank lines, comments, imports and lone brackets do not count, and neither does white space.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.sources import nodes, syntax

ROOT = Path(__file__).resolve().parents[2] / "src" / "privpac"
MOST = 12
"""So many lines that say the same are a function that two places should share."""
THIN = re.compile(r"[\W_]*|#.*|(?:from|import) .*|return|else:|try:|pass")
LISTS = re.compile(r"^(?:from [^\n]+ import \(.*?^\)|__all__ = \[.*?\])$", re.DOTALL | re.MULTILINE)
"""Names that are imported, or offered to others."""


def _runs(text: str, length: int) -> Iterator[tuple[str, ...]]:
    """Every so many lines that follow each other."""
    lines = [" ".join(line.split()) for line in LISTS.sub("", text).splitlines()]
    lines = [line for line in lines if not THIN.fullmatch(line)]
    yield from zip(*(lines[start:] for start in range(length)), strict=False)


def _repeats(texts: dict[str, str], length: int) -> dict[str, str]:
    """Where a run stands that stood somewhere before, and where."""
    places: dict[tuple[str, ...], str] = {}
    again: dict[str, str] = {}
    for place, text in texts.items():
        for run in _runs(text, length):
            if run in places:
                again[f"{place}: {run[0]}"] = places[run]
            places[run] = place
    return again


def test_no_dozen_lines_stand_in_two_places() -> None:
    paths = sorted(ROOT.rglob("*.py"))
    assert not _repeats({path.as_posix(): path.read_text(encoding="utf-8") for path in paths}, MOST)


def test_lines_that_stand_twice_are_noticed() -> None:
    text = "\n".join(f"value_{number} = {number}" for number in range(4))
    assert _repeats({"a": text, "b": f"x = 1\n\n{text}\n"}, 4) == {"b: value_0 = 0": "a"}
    assert _repeats({"a": f"{text}\n{text}"}, 4)
    assert not _repeats({"a": text, "b": text.replace("value_3", "other")}, 4)


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
