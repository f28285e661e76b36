"""`privpac explain`: a model file in words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination
from privpac.cli.options import Force, file
from privpac.errors import ParameterError

__all__ = ["explain"]


def explain(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model file; with --statement also a table or a bundle.")
    ],
    *,
    report: Annotated[str | None, file("Write an HTML report.")] = None,
    picture: Annotated[str | None, file("Draw the rule: a file that ends in .svg or .png.")] = None,
    onnx: Annotated[str | None, file("Write the rule as an ONNX graph (needs privpac[onnx]).")] = None,
    statement: Annotated[
        str | None, file("Write what an annex to a data-protection assessment needs: .html, .md or .txt.")
    ] = None,
    ledger: Annotated[
        str | None, typer.Option(metavar="LEDGER", help="With --statement: say what this budget has left.")
    ] = None,
    trusted: Annotated[str | None, file("With --statement: keys you trust, to name who signed.")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Print the rule, the estimate and the whole derivation.

    It says what is stored; `privpac verify` says whether that follows. Of a released table or a bundle it writes the
    statement alone.
    """
    destination = Destination.of(report, owner="explain", option="report", keep=(model,), force=force)
    drawn = Destination.of(picture, owner="explain", option="picture", keep=(model, report), force=force)
    graph = Destination.of(onnx, owner="explain", option="onnx", keep=(model, report, picture), force=force)
    stated = _stated(statement, ledger, trusted, keep=(model, report, picture, onnx), force=force)
    others = (destination, drawn, graph)
    if stated is not None and not any(others) and _is_table_or_bundle(model):
        _write_statement(stated, model, ledger, trusted)
        console.note(f"Wrote {stated.path}.", as_json=as_json)
        if as_json:
            console.show_json({"statement": str(stated.path)})
        return
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
        if stated is not None:
            _write_statement(stated, model, ledger, trusted)
    if as_json:
        console.show_json(summary_json(loaded))
    else:
        console.show_sections(summary_sections(loaded, full=True))


def _stated(
    path: str | None, ledger: str | None, trusted: str | None, *, keep: tuple[str | None, ...], force: bool
) -> Destination | None:
    for name, value in (("ledger", ledger), ("trusted", trusted)):
        if path is None and value is not None:
            raise ParameterError("explain", name, value, allowed="given together with --statement")
    if path is not None and Path(path).suffix not in (".html", ".md", ".txt"):
        allowed = "a file that ends in .html, .md or .txt"
        raise ParameterError("explain", "statement", path, allowed=allowed)
    return Destination.of(path, owner="explain", option="statement", keep=keep, force=force)


def _is_table_or_bundle(path: str) -> bool:
    from privpac.checker.document import BUNDLE, FORMER_BUNDLE, TABLE, read_at

    return read_at(path)["format"] in (TABLE, BUNDLE, FORMER_BUNDLE)


def _write_statement(out: Destination, path: str, ledger: str | None, trusted: str | None) -> None:
    from privpac.checker.document import read_at
    from privpac.checker.promise import check_document
    from privpac.fields import refusing
    from privpac.guarantee.ledger.ledger import Ledger
    from privpac.report.statement import statement_of
    from privpac.signing.checking import signers_of
    from privpac.signing.keys import Trusted

    tree = read_at(path)
    check_document(tree)  # an annex is believed: none is written of what does not follow
    signers = signers_of(tree, trusted=None if trusted is None else Trusted.read(trusted))
    left = None if ledger is None else str(Ledger.open(ledger).account().remainder)
    with refusing(f"{path!r} is incomplete or malformed."):
        made = statement_of(tree, signers=[signer.line() for signer in signers], left=left)
    out.write(made.html() if out.path.suffix == ".html" else made.text())
