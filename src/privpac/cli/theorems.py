"""`privpac theorems`: every statement the library relies on or refutes, its status, and where it is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, Any

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination
from privpac.cli.options import argument
from privpac.errors import ParameterError
from privpac.theory.machine import said_of
from privpac.theory.statements import PAPERS, REGISTER, Statement, found, statement

__all__ = ["page", "theorems", "uses"]


def theorems(
    key: Annotated[
        str | None, argument("[KEY]", "One statement in full, or a number in a paper: 'Theorem 4.16', 001.")
    ] = None,
    *,
    out: Annotated[
        str | None, typer.Option("--page", metavar="FILE", help="Write all of them as a Markdown page.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List every statement that the guarantees rest on.

    With a key: its status, its source, and where it is used. With a number such as "Theorem 4.16", a paper from 000 to
    004, or both: what stands there.
    """
    destination = Destination.of(out, owner="theorems", option="page", force=True)
    if destination is not None:
        destination.write(page(list(REGISTER.values())))
        console.note(f"Wrote {destination.path}.", as_json=as_json)
    entries = list(REGISTER.values()) if key is None else found(key) or [_named(key)]
    places = uses([entry.key for entry in entries])
    if as_json:
        trees = [_json(entry, places[entry.key]) for entry in entries]
        console.show_json(trees[0] if _is_one(key, entries) else {"statements": trees})
    elif _is_one(key, entries):
        console.show(_text(entries[0], places[entries[0].key]))
    else:
        rows = [[entry.key, entry.status, entry.title, str(len(places[entry.key]))] for entry in entries]
        console.show(console.table_text(("key", "status", "statement", "uses"), rows, right=("uses",)))


def _is_one(key: str | None, entries: Sequence[Statement]) -> bool:
    return key is not None and len(entries) == 1


def _named(text: str) -> Statement:
    """The statement with this key, as a derivation, or code, may write it."""
    key = text.replace(" ", "-").replace("_", "-")
    try:
        return statement(key)
    except ParameterError as problem:
        near = problem.remedy if problem.remedy.startswith("Did you mean") else ""
        raise ParameterError(
            "theorems",
            "key",
            key,
            allowed=f"{problem.allowed}, a number such as 'Theorem 4.16', or a paper from 000 to 004",
            remedy=near or "Without a key, all are listed.",
        ) from None


def _constants(entry: Statement, *, printed: bool) -> dict[str, str]:
    """The paper's constants are those whose name says that they are printed; the others are ours."""
    return {
        name: str(value)
        for name, value in entry.constants.items()
        if name.startswith(("printed", "from the printed")) is printed
    }


def _json(entry: Statement, places: list[str]) -> dict[str, Any]:
    return {
        "key": entry.key,
        "title": entry.title,
        "status": entry.status,
        "source": entry.source,
        "says": entry.says,
        "conditions": list(entry.conditions),
        "constants": _constants(entry, printed=False),
        "paper_constants": _constants(entry, printed=True),
        "erratum": entry.erratum,
        "proof": entry.proof,
        "proved": said_of(entry.key),
        "used_by": places,
    }


def lines_of(entry: Statement) -> Iterator[tuple[str, str]]:
    """What there is to say, heading by heading."""
    yield "Source", entry.source
    for condition in entry.conditions:
        yield "Holds if", condition
    for name, value in _constants(entry, printed=False).items():
        yield "Constant", f"{name} = {value}"
    for name, value in _constants(entry, printed=True).items():
        yield "Constant of the paper", f"{name} = {value}"
    if entry.erratum:
        yield "Erratum", entry.erratum
    if (machine := said_of(entry.key)) is not None:
        yield "Proved", machine


def _text(entry: Statement, places: list[str]) -> str:
    lines = [f"{entry.title}  [{entry.key}, {entry.status}]", "", entry.says, ""]
    lines += [f"{heading}: {text}" for heading, text in lines_of(entry)]
    lines += [f"Proof: {entry.proof}"] if entry.proof else []
    lines += [f"Used by: {name}" for name in places]
    return "\n".join(lines)


STATUSES = {
    "printed": "as in the source",
    "derived": "our proof, often with a better constant",
    "repaired": "the printed form is wrong or incomplete, ours is not",
    "shape": "an order of growth, never a number in a guarantee",
    "false": "refuted by a counterexample that a test shows",
}


def page(entries: Sequence[Statement]) -> str:
    """A page of the documentation that lists all statements, with links to where they are written."""
    counts = {status: sum(entry.status == status for entry in entries) for status in STATUSES}
    rows = [
        f'| <a id="{entry.key}"></a>[`{entry.key}`](theory/{entry.page}#{entry.key}) | {entry.title} | {entry.status}'
        f" | {entry.source} |"
        for entry in sorted(entries, key=lambda entry: entry.key)
    ]
    return "\n".join(
        [
            "# Every statement the guarantees rest on",
            "",
            "Written by `python -m docs.listed` from the theory pages, where each statement stands with its conditions,"
            " its constants and what is wrong in print. `privpac theorems KEY` prints one of them with the code that"
            ' uses it, `privpac theorems "Theorem 4.16"` those of that number, `privpac theorems 001` those of a'
            " paper.",
            "",
            "| Number | Paper |",
            "|---|---|",
            *(f"| {number} | {paper} |" for number, paper in PAPERS.items()),
            "",
            "| Status | Statements | Meaning |",
            "|---|---|---|",
            *(f"| {status} | {counts[status]} | {meaning} |" for status, meaning in STATUSES.items()),
            "",
            "| Key | Statement | Status | Source |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def uses(keys: list[str]) -> dict[str, list[str]]:
    """The functions and classes that name each key, found in the code so as never to go stale."""
    places: dict[str, list[str]] = {key: [] for key in keys}
    either = re.compile("[\"'`](" + "|".join(re.escape(key) for key in keys) + ")[\"'`]")
    for name, source in _sources(files("privpac"), ""):
        if either.search(source) is None:
            continue
        module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for place, text in _pieces(module, source):
            for key in dict.fromkeys(either.findall(text)):
                if place not in places[key]:
                    places[key].append(place)
    return places


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
        has_name = isinstance(node, ast.FunctionDef | ast.ClassDef)
        first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", ()))])
        text = "\n".join(lines[first - 1 : node.end_lineno])
        yield (f"{module}.{node.name}" if has_name else module), text  # type: ignore[attr-defined]
