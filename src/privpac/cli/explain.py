"""`privpac explain`: a model file in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination
from privpac.cli.options import Force, file
from privpac.errors import ParameterError

if TYPE_CHECKING:
    from privpac.guarantee.ledger.account import Entry
    from privpac.guarantee.ledger.ledger import Ledger
    from privpac.report.statement import Findings
    from privpac.signing.checking import Signer
    from privpac.signing.keys import Trusted

__all__ = ["explain"]


def explain(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="A model file; with --statement or --certificate also a table or a bundle."
        ),
    ],
    *,
    report: Annotated[str | None, file("Write an HTML report.")] = None,
    picture: Annotated[str | None, file("Draw the rule: a file that ends in .svg or .png.")] = None,
    onnx: Annotated[str | None, file("Write the rule as an ONNX graph (needs privpac[onnx]).")] = None,
    sql: Annotated[str | None, file("Write the rule as a query in SQL.")] = None,
    certificate: Annotated[
        str | None, file("Write the certificate alone, for privpac verify --certificate-only.")
    ] = None,
    statement: Annotated[
        str | None, file("Write what an annex to a data-protection assessment needs: .html, .md or .txt.")
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option(
            metavar="LEDGER",
            help="With --statement or --report: say the total of this budget.",
        ),
    ] = None,
    trusted: Annotated[str | None, file("With --statement: keys you trust, to name who signed.")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Print the rule, the estimate and the whole derivation.

    It says what is stored; `privpac verify` says whether that follows. Of a released table or a bundle it writes the
    statement and the certificate. A file that was made with a seed, or does not follow, has no statement (exit code 4).
    """
    destination = Destination.of(report, owner="explain", option="report", keep=(model,), force=force)
    drawing = Destination.of(picture, owner="explain", option="picture", keep=(model, report), force=force)
    graph = Destination.of(onnx, owner="explain", option="onnx", keep=(model, report, picture), force=force)
    query = Destination.of(
        sql, owner="explain", option="sql", keep=(model, report, picture, onnx), force=force
    )
    _require_with("trusted", trusted, statement, requirement="given together with --statement")
    _require_with("ledger", ledger, statement or report, requirement="given with --statement or --report")
    names = (model, report, picture, onnx, sql)
    bare = Destination.of(certificate, owner="explain", option="certificate", keep=names, force=force)
    statement_place = _statement_place(statement, keep=(*names, certificate), force=force)
    others = (destination, drawing, graph, query)
    if (statement_place or bare) and not any(others) and _is_table_or_bundle(model):
        _write_alone(model, statement_place, bare, ledger, trusted, as_json=as_json)
        return
    with console.working("Reading", as_json=as_json):
        from privpac.model import load
        from privpac.report.page import report_html
        from privpac.report.sql import sql_query
        from privpac.report.summary import summary_json, summary_sections

        loaded_model = load(model)
        if destination is not None:
            destination.write(report_html(loaded_model, budget=_budget(ledger, model)))
        if drawing is not None:
            loaded_model.save_picture(drawing.path)
        if graph is not None:
            loaded_model.save_onnx(graph.path)
        if query is not None:
            query.write(sql_query(loaded_model) + "\n")
        if bare is not None:
            _write_certificate(bare, model)
        if statement_place is not None:
            _write_statement(statement_place, model, ledger, trusted)
    if as_json:
        console.show_json(summary_json(loaded_model))
    else:
        console.show_sections(summary_sections(loaded_model, full=True))
    for place in (*others, bare, statement_place):
        if place is not None:
            console.note(f"Wrote {place.path}.", as_json=as_json)


def _write_alone(
    path: str,
    statement_place: Destination | None,
    bare: Destination | None,
    ledger: str | None,
    trusted: str | None,
    *,
    as_json: bool,
) -> None:
    """What there is of a table or a bundle, which is no rule that could be printed."""
    if bare is not None:
        _write_certificate(bare, path)
    if statement_place is not None:
        _write_statement(statement_place, path, ledger, trusted)
    places = {"certificate": bare, "statement": statement_place}
    for place in filter(None, places.values()):
        console.note(f"Wrote {place.path}.", as_json=as_json)
    if as_json:
        console.show_json({name: str(place.path) for name, place in places.items() if place is not None})


def _write_certificate(out: Destination, path: str) -> None:
    """The stored certificate as it is: what is handed over without the rule, and checked without it."""
    import json

    from privpac.checker.check import check_document
    from privpac.checker.document import read_at

    tree = read_at(path)
    check_document(tree)  # whoever gets it alone cannot ask the file it was taken from
    out.write(json.dumps(tree["certificate"], indent=1, ensure_ascii=False) + "\n")


def _require_with(name: str, value: str | None, other: str | None, *, requirement: str) -> None:
    if value is not None and other is None:
        raise ParameterError("explain", name, value, allowed=requirement)


def _budget(ledger: str | None, path: str) -> tuple[tuple[str, str], ...]:
    from privpac.checker.document import read_at
    from privpac.guarantee.ledger.ledger import Ledger
    from privpac.guarantee.ledger.total import budget_rows
    from privpac.signing.checking import signers_of

    if ledger is None:
        return ()
    book, tree = Ledger.open(ledger), read_at(path)
    return (("Paid for by", _paid_by(book, signers_of(tree), tree, path)), *budget_rows(book))


def _statement_place(path: str | None, *, keep: tuple[str | None, ...], force: bool) -> Destination | None:
    if path is not None and Path(path).suffix not in (".html", ".md", ".txt"):
        requirement = "a file that ends in .html, .md or .txt"
        raise ParameterError("explain", "statement", path, allowed=requirement)
    return Destination.of(path, owner="explain", option="statement", keep=keep, force=force)


def _is_table_or_bundle(path: str) -> bool:
    from privpac.checker.document import BUNDLE, FORMER_BUNDLE, TABLE, read_at

    return read_at(path)["format"] in (TABLE, BUNDLE, FORMER_BUNDLE)


def _write_statement(out: Destination, path: str, ledger: str | None, trusted: str | None) -> None:
    from privpac.checker.check import check_document
    from privpac.checker.document import read_at
    from privpac.fields import refusing
    from privpac.guarantee.ledger.ledger import Ledger
    from privpac.report.statement import statement_of
    from privpac.signing.keys import Trusted

    tree = read_at(path)
    check_document(tree)  # an annex is believed: none is written of what does not follow
    names = None if trusted is None else Trusted.read(trusted)
    book = None if ledger is None else Ledger.open(ledger)
    with refusing(f"{path!r} is incomplete or malformed."):
        statement = statement_of(tree, _findings(path, tree, names, book))
    out.write(statement.html() if out.path.suffix == ".html" else statement.text())


def _findings(path: str, tree: Mapping[str, Any], names: Trusted | None, book: Ledger | None) -> Findings:
    """Who signed, and what the ledger says; refused if the ledger contradicts a receipt of its own."""
    import hashlib
    from datetime import UTC, datetime

    from privpac.checker.document import MANIFEST, is_bundle
    from privpac.guarantee.ledger.total import budget_rows
    from privpac.report.statement import Findings
    from privpac.signing.checking import signers_of

    signers = signers_of(tree, trusted=names)
    file = Path(path) / MANIFEST if is_bundle(path) else Path(path)
    return Findings(
        tuple(signer.line() for signer in signers),
        "" if book is None else _paid_by(book, signers, tree, path),
        () if book is None else budget_rows(book),
        hashlib.sha256(file.read_bytes()).hexdigest(),
        datetime.now(UTC).date().isoformat(),
    )


def _paid_by(book: Ledger, signers: Sequence[Signer], tree: Mapping[str, Any], path: str) -> str:
    """The charge that receipts name, as the ledger says it; or else the charges that name its certificate."""
    from privpac.checker.document import digest
    from privpac.signing.checking import check_charge

    book.verify()
    entries, payment = book.entries(), ""
    for receipt in (signer.signature.receipt for signer in signers):
        if receipt is not None and receipt.ledger == book.id:
            check_charge(entries, receipt, tree)
            entry = entries[receipt.entry - 1]
            payment = (
                f"charge {entry.number} of ledger {book.id}, {entry.time}: {entry.purchase or entry.note}"
            )
    if payment:
        return payment
    certificate = digest(tree["certificate"])
    charges = [entry for entry in entries if entry.purchase and entry.purchase.certificate == certificate]
    if not charges:
        return (
            f"not found: no charge of ledger {book.id} names this certificate. Either it was paid for elsewhere,"
            " or by an entry without a name, or not at all"
        )
    return _named_by(charges, book.id, path)


def _named_by(charges: Sequence[Entry], ledger: str, path: str) -> str:
    """What charges show that name the same certificate: it exists before the draw, and says nothing of the file."""
    one, files = len(charges) == 1, [entry.purchase.file for entry in charges if entry.purchase]
    listing = "; ".join(f"charge {entry.number}, {entry.time}: {entry.purchase}" for entry in charges)
    like = "names a certificate like this one" if one else "name certificates like this one"
    several = "" if one else "; only one of them can have paid for it"
    text = f"{listing} (of ledger {ledger}; no receipt was signed{several}). {'It' if one else 'They'} {like}: any run"
    text += " with the same settings has it"
    # A table is written as t.csv and described in t.json, so that only the stems can be compared.
    if not all(files) or Path(path).stem in (Path(file).stem for file in files):
        return text
    return f"{text}. This file is called {Path(path).name}: ask which of {'the two' if one else 'them'} was paid for"
