"""`privpac theorems`: every statement the library relies on, its status and where it is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.errors import ParameterError

if TYPE_CHECKING:
    from privpac.theory.statement import Statement

__all__ = ["theorems", "uses"]

NOT_USES = ("theory/statements/",)  # where statements are written down


def theorems(
    key: Annotated[str | None, typer.Argument(metavar="[KEY]", help="One statement, in full.")] = None,
    *,
    as_json: Json = False,
) -> None:
    """List every statement the guarantees rest on: its status, its source, and the code that uses it."""
    from privpac.theory.register import REGISTER, statement

    try:
        chosen = list(REGISTER.values()) if key is None else [statement(key)]
    except ParameterError as problem:
        near = problem.remedy if problem.remedy.startswith("Did you mean") else ""
        raise ParameterError(
            "theorems", "key", key, allowed=problem.allowed, remedy=near or "Without a key, all are listed."
        ) from None
    found = uses([entry.key for entry in chosen])
    if as_json:
        trees = [_json(entry, found[entry.key]) for entry in chosen]
        console.show_json({"statements": trees} if key is None else trees[0])
    elif key is None:
        rows = [[entry.key, entry.status, entry.title, str(len(found[entry.key]))] for entry in chosen]
        console.show(console.table_text(("key", "status", "statement", "uses"), rows, right=("uses",)))
    else:
        console.show(_text(chosen[0], found[chosen[0].key]))


def _json(entry: Statement, used: list[str]) -> dict[str, Any]:
    return {
        "key": entry.key,
        "title": entry.title,
        "status": entry.status,
        "source": entry.source,
        "says": entry.says,
        "conditions": list(entry.conditions),
        "constants": {name: str(value) for name, value in entry.constants.items()},
        "erratum": entry.erratum,
        "proof": entry.proof,
        "used_by": used,
    }


def _text(entry: Statement, used: list[str]) -> str:
    lines = [f"{entry.title}  [{entry.key}, {entry.status}]", "", entry.says, "", f"Source: {entry.source}"]
    lines += [f"Holds if: {condition}" for condition in entry.conditions]
    lines += [f"Constant: {name} = {value}" for name, value in entry.constants.items()]
    lines += [f"Erratum: {entry.erratum}"] if entry.erratum else []
    lines += [f"Proof: {entry.proof}"] if entry.proof else []
    lines += [f"Used by: {name}" for name in used]
    return "\n".join(lines)


def uses(keys: list[str]) -> dict[str, list[str]]:
    """The functions and classes that name each key, found in the code itself so as never to go stale."""
    found: dict[str, list[str]] = {key: [] for key in keys}
    either = re.compile("[\"'`](" + "|".join(re.escape(key) for key in keys) + ")[\"'`]")
    for name, source in _sources(files("privpac"), ""):
        if either.search(source) is None or name.startswith(NOT_USES):
            continue
        module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for place, text in _pieces(module, source):
            for key in dict.fromkeys(either.findall(text)):
                if place not in found[key]:
                    found[key].append(place)
    return found


def _sources(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.is_dir():
            yield from _sources(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".py"):
            yield prefix + entry.name, entry.read_text(encoding="utf-8")


def _pieces(module: str, source: str) -> Iterator[tuple[str, str]]:
    """Every top-level definition with its decorators; anything else belongs to the module."""
    lines = source.splitlines()
    for node in ast.parse(source).body:
        named = isinstance(node, ast.FunctionDef | ast.ClassDef)
        first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", ()))])
        text = "\n".join(lines[first - 1 : node.end_lineno])
        yield (f"{module}.{node.name}" if named else module), text  # type: ignore[attr-defined]
