"""Notebooks, and how their outputs are made: `python -m examples.notebooks` runs them and writes what they show."""

from __future__ import annotations

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "executed", "notebooks", "text_of"]

FOLDER = Path(__file__).parent


def notebooks() -> list[Path]:
    """All of them, in the order in which they are read."""
    return sorted(FOLDER.glob("*.ipynb"))


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The same notebook with every code cell run, in one namespace and in order, and its outputs in place.

    No Jupyter is needed: what is printed is a stream, and the last expression of a cell is shown as a notebook would.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, count = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            outputs = _outputs("".join(cell["source"]), names, count)
            cell = {**cell, "execution_count": count, "outputs": outputs}
        cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None:
        outputs.append(
            {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": _shown(value)}
        )
    return outputs


def _shown(value: Any) -> dict[str, list[str]]:
    data = {"text/plain": _lines(repr(value))}
    for kind, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_")):
        show = getattr(value, method, None)
        if callable(show):
            data[kind] = _lines(show())
    return data


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def text_of(notebook: dict[str, Any]) -> str:
    """The file, as `jq` and git like it."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
