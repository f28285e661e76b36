"""`privpac schema`: a draft of the public description of a table."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination
from privpac.cli.options import Force, argument, file, flag, option
from privpac.errors import PrivpacError

if TYPE_CHECKING:
    from privpac.data.schema import Schema

__all__ = ["schema"]


def schema(
    data: Annotated[
        str, argument("DATA", "CSV, CSV.gz or Parquet file; with --check a schema or model file.")
    ],
    *,
    check: Annotated[
        bool, flag("--check", "Describe a schema in words, and ask whether it is right.")
    ] = False,
    yes: Annotated[bool, flag("--yes", "With --check: do not ask.")] = False,
    label: Annotated[str | None, option("COLUMN", "The label column.")] = None,
    out: Annotated[str | None, file("Write the draft there.")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Draft a schema file from a table, or check one.

    A draft holds the names and types of the columns; no value of theirs is written down. The types of a CSV
    file are guessed from its first records (number, date, truth value or text). A column of 0 and 1 is taken for
    truth values; where other numbers may follow, write "kind": "numeric" with its bounds instead.

    Every null in it is for a person to fill in with what is publicly known. Afterwards `--check` says what was
    written, column by column: bounds that are too narrow cannot be noticed privately, so a person has to look.
    """
    if check:
        _check(data, ask=not yes, as_json=as_json)
        return
    destination = Destination.of(out, owner="schema", option="out", keep=(data,), force=force)
    with console.working("Reading", as_json=as_json):
        from privpac.data.drafting import draft

        draft_tree = draft(Path(data), label=label)
    text = _text(draft_tree)
    if destination is None:
        console.show(text)
        return
    destination.write(text + "\n")
    blanks = _blanks(draft_tree)
    if as_json:
        console.show_json({"out": str(destination.path), "blanks": blanks})
    console.note(
        f"Wrote {destination.path}; {len(blanks)} blanks are left to fill in. If it is publicly known how common the"
        ' second class is, write it as "base_rate" too.',
        as_json=as_json,
    )


def _check(path: str, *, ask: bool, as_json: bool) -> None:
    """Say everything that the file declares, from the file alone, and let a person confirm it."""
    from privpac.report.meaning import shares_in_words

    description = _schema_of(path)
    lines = [column.in_words() for column in description.columns]
    title = "" if description.label_title is None else f" ({description.label_title})"
    label = f"{description.label}{title} (to be predicted): one of {', '.join(description.classes_in_words)}."
    shares = shares_in_words(description)
    guess = description.attainable
    tree = {"label": label, "base_rate": shares or None, "attainable": guess, "columns": lines}
    rate = [
        f"Base rate of {description.label}, published with the model: {shares}. It must be known from elsewhere."
    ]
    expected = [
        f"Expected without privacy, published with the model: an AUC of {guess}. It must be a guess from elsewhere."
    ]
    known = [*(rate if shares else ()), *(expected if guess is not None else ())]
    console.show_result(tree, "\n".join([label, *known, *lines]), as_json=as_json)
    if ask and not as_json and sys.stdin.isatty() and not typer.confirm("Is every line right?", err=True):
        raise PrivpacError(
            "The schema was not confirmed.", remedy=f"Correct {path}, then run this command again."
        )


def _schema_of(path: str) -> Schema:
    """The schema of the file, or the one inside a model, a released table or a bundle."""
    from privpac.checker.document import KINDS, is_bundle, read_at
    from privpac.data.schema import Schema
    from privpac.data.schema_reading import entries_of

    if is_bundle(path) or entries_of(Path(path)).get("format") in KINDS:
        return Schema.from_stored(read_at(path)["schema"])
    return Schema.from_json(Path(path))


def _text(tree: dict[str, Any]) -> str:
    """JSON with a column per line, as people edit it."""
    heads = [f"{json.dumps(key)}: {json.dumps(tree[key])}" for key in tree if key != "columns"]
    columns = ",\n".join(json.dumps(column) for column in tree["columns"])
    return "{\n" + ",\n".join([*heads, f'"columns": [\n{columns}\n]']) + "\n}"


MAY_STAY = ("base_rate", "attainable")
"""What nobody has to know; a forecast, and costs that balance the classes, follow from it."""


def _blanks(tree: dict[str, Any]) -> list[str]:
    """What is still null, as name or column.name."""
    empty = [key for key, value in tree.items() if value is None]
    empty = [key for key in empty if key not in MAY_STAY]
    return empty + [
        f"{column['name']}.{key}"
        for column in tree["columns"]
        for key, value in column.items()
        if value is None
    ]
