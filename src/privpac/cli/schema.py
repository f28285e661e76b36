"""`privpac schema`: a draft of the public description of a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination
from privpac.cli.options import Force

__all__ = ["schema"]


def schema(
    data: Annotated[str, typer.Argument(metavar="DATA", help="CSV, CSV.gz or Parquet file.")],
    *,
    label: Annotated[str | None, typer.Option(metavar="COLUMN", help="The label column.")] = None,
    out: Annotated[str | None, typer.Option(metavar="FILE", help="Write the draft there.")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Draft a schema file from the names and types of the columns; no value of theirs is written down.

    The types of a CSV file are guessed from its first records (number, date, truth value or text).

    Every null in it is for a person to fill in with what is publicly known.
    """
    destination = Destination.of(out, owner="schema", option="out", keep=(data,), force=force)
    with console.working("Reading", as_json=as_json):
        from privpac.data.drafting import draft

        drafted = draft(Path(data), label=label)
    text = _text(drafted)
    if destination is None:
        console.show(text)
        return
    destination.write(text + "\n")
    blanks = _blanks(drafted)
    if as_json:
        console.show_json({"out": str(destination.path), "blanks": blanks})
    console.note(f"Wrote {destination.path}; {len(blanks)} blanks are left to fill in.", as_json=as_json)


def _text(tree: dict[str, Any]) -> str:
    """JSON with a column per line, as people edit it."""
    heads = [f"{json.dumps(key)}: {json.dumps(tree[key])}" for key in tree if key != "columns"]
    columns = ",\n".join(json.dumps(column) for column in tree["columns"])
    return "{\n" + ",\n".join([*heads, f'"columns": [\n{columns}\n]']) + "\n}"


def _blanks(tree: dict[str, Any]) -> list[str]:
    """What is still null, as name or column.name."""
    empty = [key for key, value in tree.items() if value is None]
    return empty + [
        f"{column['name']}.{key}"
        for column in tree["columns"]
        for key, value in column.items()
        if value is None
    ]
