"""`privpac reproduce`: named tables of results, made anew. A new one is one row of `REPRODUCTIONS`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from privpac import __version__
from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination
from privpac.errors import ParameterError

__all__ = ["REPRODUCTIONS", "Reproduction", "reproduce"]

OWNER = "reproduce"
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Reproduction:
    """A table: `module` has `rows(quick=...)`, a list of mappings from column to value with the same keys."""

    title: str
    module: str

    def rows(self, *, quick: bool) -> list[Row]:
        made: list[Row] = import_module(self.module).rows(quick=quick)
        return made


REPRODUCTIONS: Mapping[str, Reproduction] = {
    "sizes": Reproduction(
        "Records needed for points and thresholds: promised, exact in the hardest known case, floor",
        "privpac.cli.reproductions.sizes",
    ),
}
"""Every reproduction by name."""


def reproduce(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Left out: list them.")] = None,
    *,
    quick: Annotated[bool, typer.Option("--quick", help="A smaller table, in seconds.")] = False,
    out: Annotated[str | None, typer.Option(metavar="DIR", help="Write NAME.json there as well.")] = None,
    as_json: Json = False,
) -> None:
    """Make a table of results anew, from the code that ships."""
    if name is None:
        _list(as_json=as_json)
        return
    if name not in REPRODUCTIONS:
        raise ParameterError(OWNER, "name", name, allowed="one of " + ", ".join(REPRODUCTIONS))
    destination = None
    if out is not None:
        destination = Destination.of(str(Path(out) / f"{name}.json"), owner=OWNER, option="out")
    with console.working(f"Reproducing {name}", as_json=as_json):
        rows = REPRODUCTIONS[name].rows(quick=quick)
    tree = {
        "name": name,
        "title": REPRODUCTIONS[name].title,
        "version": __version__,
        "quick": quick,
        "rows": [dict(row) for row in rows],
    }
    if destination is not None:
        destination.write(json.dumps(tree, indent=1) + "\n")
        console.note(f"Wrote {destination.path}.", as_json=as_json)
    if as_json:
        console.show_json(tree)
    else:
        console.show(f"{REPRODUCTIONS[name].title}\n\n{_table(rows)}")


def _list(*, as_json: bool) -> None:
    if as_json:
        console.show_json({"reproductions": {name: entry.title for name, entry in REPRODUCTIONS.items()}})
    else:
        rows = [[name, entry.title] for name, entry in REPRODUCTIONS.items()]
        console.show(console.table_text(("name", "table"), rows))


def _table(rows: list[Row]) -> str:
    keys = list(rows[0])
    numbers = [key for key in keys if all(isinstance(row[key], int | float | None) for row in rows)]
    cells = [["–" if row[key] is None else str(row[key]) for key in keys] for row in rows]
    heads = {key: key.replace("_", " ") for key in keys}
    return console.table_text(list(heads.values()), cells, right=[heads[key] for key in numbers])
