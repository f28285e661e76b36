"""`privpac predict`: the class of every record of a table."""

from __future__ import annotations

import csv
import io
from typing import Annotated

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination

__all__ = ["predict"]

HEADER = "prediction"


def predict(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file.")],
    data: Annotated[str, typer.Argument(metavar="DATA", help="CSV, CSV.gz or Parquet file.")],
    *,
    out: Annotated[str | None, typer.Option(metavar="FILE", help="Write a CSV file.")] = None,
    as_json: Json = False,
) -> None:
    """Predict the class of every record: a CSV with the header `prediction` and one line a record."""
    destination = Destination.of(out, owner="predict", option="out", keep=(model, data))
    with console.working("Predicting", as_json=as_json):
        from privpac.model import load

        classes = [str(name) for name in load(model).predict(data)]
        if destination is not None:
            destination.write(_csv(classes))
    if destination is not None:
        if as_json:
            console.show_json({"records": len(classes), "out": str(destination.path)})
        console.note(f"Wrote {len(classes)} predictions to {destination.path}.", as_json=as_json)
    elif as_json:
        console.show_json({"records": len(classes), "predictions": classes})
    else:
        console.show(_csv(classes).rstrip("\n"))


def _csv(classes: list[str]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([HEADER])
    writer.writerows([name] for name in classes)
    return text.getvalue()
