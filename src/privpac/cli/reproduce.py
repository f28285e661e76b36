"""`privpac reproduce`: named tables and figures of results, made anew. A new one is one row of `TITLES`.

The code that makes them is no part of the package: it stands in the folder `reproductions` of the source, where this
verb finds it. Its module has `rows(*, quick, progress)`, a list of mappings from column to plain value with the same
keys, and may have `figure(rows)`, which returns `pictures.curves.Curves`. `progress(done, of)` may be called at any
time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

from privpac import __version__
from privpac.cli import console
from privpac.cli.cache import Cache
from privpac.cli.console import Json, Progress
from privpac.cli.destination import Destination
from privpac.cli.options import argument, flag, option
from privpac.errors import ParameterError, PrivpacError
from privpac.pictures.curves import Curves, require_matplotlib

__all__ = ["REPRODUCTIONS", "Reproduction", "reproduce"]

OWNER = "reproduce"
ALL = "all"
FOLDER = Path(__file__).resolve().parents[3] / "reproductions"
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Reproduction:
    """A table, with a figure if its module has one."""

    title: str
    module: str

    @property
    def _module(self) -> ModuleType:
        _require_folder()
        return import_module(self.module)

    def rows(self, *, quick: bool, progress: Progress) -> list[Row]:
        """The table, one mapping per row; `quick` takes a small part of it."""
        rows: list[Row] = self._module.rows(quick=quick, progress=progress)
        return rows

    @property
    def has_figure(self) -> bool:
        """Whether its module draws one."""
        return hasattr(self._module, "figure")

    def figure(self, rows: Sequence[Row]) -> Curves:
        """The curves of these rows."""
        curves: Curves = self._module.figure(rows)
        return curves


TITLES = {
    "sizes": "Records needed for points and thresholds: promised, exact in the hardest known case, floor",
    "separations": "Records each learner of points and thresholds needs, by the bits of a key: promised, measured,"
    " floor",
    "separations-table": "Points found with and without privacy, by kind of learner: a printed table in numbers",
    "agnostic": "From clean labels to noisy ones: records the transformation and a direct draw need as epsilon shrinks",
    "few-labels": "Labels needed when records without labels abound: promised by every method, measured on thresholds",
    "few-labels-tables": "Records private learners need by kind of privacy and answer: two printed tables in numbers",
    "predictions": "Private answers: records each construction needs for an error, printed and ours, and which needs"
    " fewest",
    "continuous": "Thresholds on a continuum: failures as the data concentrate, for whole records and for labels only",
}
"""What is made anew; the module of the same name, with `_` for `-`, makes it."""

REPRODUCTIONS: Mapping[str, Reproduction] = {
    name: Reproduction(title, f"reproductions.{name.replace('-', '_')}") for name, title in TITLES.items()
}
"""Every reproduction by name."""


def _require_folder() -> None:
    """Make the folder of reproductions importable, if this package is used from its source."""
    if not (FOLDER / "__init__.py").is_file():
        raise PrivpacError(
            "The reproductions are not installed with the package.",
            remedy=f"Take the source of privpac {__version__} (the sdist, or a checkout) and run the command there.",
        )
    if str(FOLDER.parent) not in sys.path:
        sys.path.append(str(FOLDER.parent))


def reproduce(
    name: Annotated[str | None, argument("[NAME]", "Or 'all'. Left out: list them.")] = None,
    *,
    quick: Annotated[bool, flag("--quick", "A smaller table, in seconds.")] = False,
    fresh: Annotated[bool, flag("--fresh", "Compute again what was kept from earlier.")] = False,
    out: Annotated[
        str | None, option("DIR", "Write NAME.json there and, if it has a figure, NAME.svg and NAME.png.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a table of results anew, and its figure.

    All numbers come from the code that ships.
    """
    if name is None:
        _list(as_json=as_json)
        return
    if name != ALL and name not in REPRODUCTIONS:
        raise ParameterError(OWNER, "name", name, allowed="one of " + ", ".join((*REPRODUCTIONS, ALL)))
    names = list(REPRODUCTIONS) if name == ALL else [name]
    places = {each: _places(each, out) for each in names}
    trees = []
    for each in names:
        trees.append(_result(each, quick=quick, fresh=fresh, as_json=as_json))
        _write(trees[-1], places[each], as_json=as_json)
        if not as_json:
            gap = "\n" if each != names[-1] else ""
            console.show(f"{trees[-1]['title']}\n\n{_table(trees[-1]['rows'])}{gap}")
    if as_json:
        console.show_json({"results": trees} if name == ALL else trees[0])


def _places(name: str, out: str | None) -> dict[str, Destination]:
    """The files to write by their ending, all of them checked before any work."""
    if out is None:
        return {}
    endings = ["json"]
    if REPRODUCTIONS[name].has_figure:
        require_matplotlib()
        endings += ["svg", "png"]
    places = {
        end: Destination.of(str(Path(out) / f"{name}.{end}"), owner=OWNER, option="out", force=True)
        for end in endings
    }
    return {end: place for end, place in places.items() if place is not None}


def _result(name: str, *, quick: bool, fresh: bool, as_json: bool) -> dict[str, Any]:
    """The result as plain data: kept from an earlier run of the same code, or computed."""
    entry, cache, options = (
        REPRODUCTIONS[name],
        Cache("reproductions", code=FOLDER),
        "quick" if quick else "whole",
    )
    tree: dict[str, Any] | None = None if fresh else cache.get(name, options=options)
    if tree is not None:
        note = f"{name}: kept from an earlier run of the same code; --fresh computes it again."
        console.note(note, as_json=as_json)
        return tree
    with console.progress(f"Reproducing {name}", as_json=as_json) as progress:
        rows = entry.rows(quick=quick, progress=progress)
    result = {"name": name, "title": entry.title, "version": __version__, "quick": quick, "rows": rows}
    tree = json.loads(json.dumps(result))  # what is shown, drawn, written and kept is the same plain data
    cache.put(name, tree, options=options)
    return tree


def _write(tree: Mapping[str, Any], places: Mapping[str, Destination], *, as_json: bool) -> None:
    if not places:
        return
    places["json"].write(json.dumps(tree, indent=1) + "\n")
    if "svg" in places:
        figure = REPRODUCTIONS[tree["name"]].figure(tree["rows"])
        for end in ("svg", "png"):
            figure.save(places[end].path)
    paths = ", ".join(str(place.path) for place in places.values())
    console.note(f"Wrote {paths}.", as_json=as_json)


def _list(*, as_json: bool) -> None:
    titles = {name: entry.title for name, entry in REPRODUCTIONS.items()}
    text = console.table_text(("name", "table"), [list(row) for row in titles.items()])
    console.show_result({"reproductions": titles}, text, as_json=as_json)


def _table(rows: list[Row]) -> str:
    keys = list(rows[0])
    numbers = [key for key in keys if all(isinstance(row[key], int | float | None) for row in rows)]
    cells = [["–" if row[key] is None else str(row[key]) for key in keys] for row in rows]
    heads = {key: key.replace("_", " ") for key in keys}
    return console.table_text(list(heads.values()), cells, right=[heads[key] for key in numbers])
