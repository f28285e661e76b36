"""The reproductions as pages: `python -m benchmarks.reproduction_pages [--render-only] [NAME ...]`.

Runs `privpac reproduce` (results are kept between runs of the same code), puts table, figure and numbers into
docs/reproductions/, and writes a page from each. Building the site only reads.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from privpac.cli import main as privpac
from privpac.cli.reproduce import REPRODUCTIONS
from privpac.theory.statements import REGISTER

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reproductions"
TITLES = {
    "sizes": "Sizes and floors",
    "separations": "Separations, measured",
    "separations-table": "Separations, the table",
    "agnostic": "Noisy labels",
    "few-labels": "Few labels, measured",
    "few-labels-tables": "Few labels, the tables",
    "predictions": "Private answers",
    "continuous": "Continuous columns",
}
FEW = 12
"""Rows of a table that a screen holds."""
KEY = re.compile(r"`([a-z][a-z-]+)`")


def page(tree: Mapping[str, Any], *, made: str) -> str:
    """The Markdown of one result; its text is the docstring of the module that computed it."""
    name = tree["name"]
    about, statement, finding, source = _docstring(name)
    figure = f"![{tree['title']}]({name}.svg)\n\n" if REPRODUCTIONS[name].has_figure else ""
    return (
        f"# {TITLES.get(name, name)}\n\n{about}.\n\n{_emphasised(finding)}\n\n{figure}## The numbers\n\n{statement}\n\n"
        f"Made on {made} by privpac {tree['version']} with `privpac reproduce {name}`; the numbers are also in\n"
        f"[{name}.json]({name}.json). – means that there is none.\n\n"
        f"{_folded(_table(tree['rows']), len(tree['rows']))}\n\n## Source\n\n{source}\n"
    )


def _emphasised(finding: str) -> str:
    """What the paper says in bold, and what was found after it."""
    said, found, rest = finding.partition(" Here")
    return f"**{said}**{found}{rest}"


def _folded(table: str, rows: int) -> str:
    """A table that is longer than a screen opens when it is asked for."""
    if rows <= FEW:
        return table
    lines = "\n".join(f"    {line}" for line in table.splitlines())
    return f'??? note "All {rows} rows"\n\n{lines}'


def _docstring(name: str) -> tuple[str, str, str, str]:
    """Title, statement, what the paper says and what was found, and source."""
    text = inspect.getdoc(import_module(REPRODUCTIONS[name].module)) or ""
    head, _, rest = text.partition("Statement:")
    statement, _, rest = rest.partition("Found:")
    finding, _, source = rest.partition("Source:")
    joined = [" ".join(part.split()) for part in (head, statement, finding, source)]
    return joined[0].rstrip("."), _sentence(joined[1]), _sentence(joined[2]), _linked(_sentence(joined[3]))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _linked(text: str) -> str:
    """Keys of the register lead to their statements."""
    return KEY.sub(
        lambda key: f"[`{key[1]}`](../theorems.md#{key[1]})" if key[1] in REGISTER else key[0], text
    )


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    keys = list(rows[0])
    numbers = [all(isinstance(row[key], int | float | None) for row in rows) for key in keys]
    lines = [
        "| " + " | ".join(key.replace("_", " ") for key in keys) + " |",
        "|" + "|".join("--:" if right else ":--" for right in numbers) + "|",
    ]
    lines += ["| " + " | ".join(_cell(row[key]) for key in keys) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None or value == "":
        return "–"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value).replace("|", "\\|")


def _made(name: str, tree: Mapping[str, Any]) -> str:
    """Today, or the day in the old page if nothing else has changed."""
    path, today = FOLDER / f"{name}.md", datetime.now(UTC).date().isoformat()
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    found = re.search(r"Made on (\S+) by", old)
    return found[1] if found and old == page(tree, made=found[1]) else today


def write(name: str) -> None:
    """The page of a result that lies in the folder, and its figure."""
    tree = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    if REPRODUCTIONS[name].has_figure:
        REPRODUCTIONS[name].figure(tree["rows"]).save(FOLDER / f"{name}.svg")
    (FOLDER / f"{name}.md").write_text(page(tree, made=_made(name, tree)), encoding="utf-8")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("names", nargs="*", metavar="NAME")
    arguments.add_argument(
        "--render-only", action="store_true", help="write pages and figures from numbers made before"
    )
    given = arguments.parse_args()
    for name in given.names or REPRODUCTIONS:
        if not given.render_only and privpac(["reproduce", name, "--out", str(FOLDER)]):
            raise SystemExit(f"{name} could not be made")
        (FOLDER / f"{name}.png").unlink(missing_ok=True)  # the site shows the drawing
        write(name)


if __name__ == "__main__":
    main()
