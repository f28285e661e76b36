"""`privpac explain`: a model file in words."""

from __future__ import annotations

from typing import Annotated

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination
from privpac.cli.options import Force, file

__all__ = ["explain"]


def explain(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file.")],
    *,
    report: Annotated[str | None, file("Write an HTML report.")] = None,
    picture: Annotated[str | None, file("Draw the rule: a file that ends in .svg or .png.")] = None,
    onnx: Annotated[str | None, file("Write the rule as an ONNX graph (needs privpac[onnx]).")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Print the rule, the estimate and the whole derivation.

    It says what is stored; `privpac verify` says whether that follows.
    """
    destination = Destination.of(report, owner="explain", option="report", keep=(model,), force=force)
    drawn = Destination.of(picture, owner="explain", option="picture", keep=(model, report), force=force)
    graph = Destination.of(onnx, owner="explain", option="onnx", keep=(model, report, picture), force=force)
    with console.working("Reading", as_json=as_json):
        from privpac.model import load
        from privpac.report.page import report_html
        from privpac.report.summary import summary_json, summary_sections

        loaded = load(model)
        if destination is not None:
            destination.write(report_html(loaded))
        if drawn is not None:
            loaded.save_picture(drawn.path)
        if graph is not None:
            loaded.save_onnx(graph.path)
    if as_json:
        console.show_json(summary_json(loaded))
    else:
        console.show_sections(summary_sections(loaded, full=True))
