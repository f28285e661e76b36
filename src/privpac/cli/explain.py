"""`privpac explain`: a model file in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination
from privpac.cli.options import Force, argument, file, option
from privpac.errors import ParameterError

if TYPE_CHECKING:
    from privpac.guarantee.ledger.account import Entry
    from privpac.guarantee.ledger.ledger import Ledger
    from privpac.report.statement import Findings
    from privpac.signing.checking import Signer
    from privpac.signing.keys import Trusted

__all__ = ["explain"]

OWNER = "explain"


def explain(
    model: Annotated[
        str, argument("MODEL", "A model file; with --statement or --certificate also a table or a bundle.")
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
        str | None, option("LEDGER", "With --statement or --report: say the total of this budget.")
    ] = None,
    trusted: Annotated[str | None, file("With --statement: keys you trust, to name who signed.")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Print the rule, the estimate and the whole derivation.

    It says what is stored; `privpac verify` says whether that follows. Of a released table or a bundle it writes the
    statement and the certificate. A file that was made with a seed, or does not follow, has no statement (exit code 4).
    """
    _require_with("trusted", trusted, statement, requirement="given together with --statement")
    _require_with("ledger", ledger, statement or report, requirement="given with --statement or --report")
    if statement is not None and Path(statement).suffix not in (".html", ".md", ".txt"):
        requirement = "a file that ends in .html, .md or .txt"
        raise ParameterError(OWNER, "statement", statement, allowed=requirement)
    paths = {"report": report, "picture": picture, "onnx": onnx, "sql": sql}
    places = _places(model, {**paths, "certificate": certificate, "statement": statement}, force=force)
    if places and not places.keys() & paths and _is_table_or_bundle(model):  # no rule that could be printed
        _write_documents(places, model, ledger, trusted)
        _note(places, as_json=as_json)
        if as_json:
            console.show_json({name: str(place.path) for name, place in places.items()})
        return
    with console.working("Reading", as_json=as_json):
        from privpac.fields import refusing
        from privpac.model import load
        from privpac.report.page import report_html
        from privpac.report.sql import sql_query
        from privpac.report.summary import summary_json, summary_sections

        loaded_model = load(model)
        malformed = f"{model!r} is incomplete or malformed."
        with refusing(malformed):  # reading is not verifying: anybody may have written what is told here
            told = summary_json(loaded_model) if as_json else summary_sections(loaded_model, full=True)
        if "report" in places:
            budget = _budget(ledger, model)
            with refusing(malformed):
                page = report_html(loaded_model, budget=budget)
            places["report"].write(page)
        if "picture" in places:
            loaded_model.save_picture(places["picture"].path)
        if "onnx" in places:
            loaded_model.save_onnx(places["onnx"].path)
        if "sql" in places:
            places["sql"].write(sql_query(loaded_model) + "\n")
        _write_documents(places, model, ledger, trusted)
    if isinstance(told, dict):
        console.show_json(told)
    else:
        console.show_sections(told)
    _note(places, as_json=as_json)


def _places(model: str, paths: Mapping[str, str | None], *, force: bool) -> dict[str, Destination]:
    """Where each file goes that is asked for, checked before anything is read; none replaces another or the model."""
    places: dict[str, Destination] = {}
    for name, path in paths.items():
        keep = (model, *(str(place.path) for place in places.values()))
        place = Destination.of(path, owner=OWNER, option=name, keep=keep, force=force)
        if place is not None:
            places[name] = place
    return places


def _note(places: Mapping[str, Destination], *, as_json: bool) -> None:
    for place in places.values():
        console.note(f"Wrote {place.path}.", as_json=as_json)


def _write_documents(
    places: Mapping[str, Destination], path: str, ledger: str | None, trusted: str | None
) -> None:
    """What a table or a bundle has as well as a model."""
    if "certificate" in places:
        _write_certificate(places["certificate"], path)
    if "statement" in places:
        _write_statement(places["statement"], path, ledger, trusted)


def _write_certificate(out: Destination, path: str) -> None:
    """The stored certificate as it is: what is handed over without the rule, and checked without it."""
    import json

    from privpac.checker.document import read_at
    from privpac.verification import look_at

    tree = read_at(path)
    look_at(path)  # whoever gets it alone cannot ask the file it was taken from
    out.write(json.dumps(tree["certificate"], indent=1, ensure_ascii=False) + "\n")


def _require_with(name: str, value: str | None, other: str | None, *, requirement: str) -> None:
    if value is not None and other is None:
        raise ParameterError(OWNER, name, value, allowed=requirement)


def _budget(ledger: str | None, path: str) -> tuple[tuple[str, str], ...]:
    from privpac.checker.document import read_at
    from privpac.guarantee.ledger.ledger import Ledger
    from privpac.guarantee.ledger.total import budget_rows
    from privpac.signing.checking import signers_of

    if ledger is None:
        return ()
    book, tree = Ledger.open(ledger), read_at(path)
    return (("Paid for by", _paid_by(book, signers_of(tree), tree, path)), *budget_rows(book))


def _is_table_or_bundle(path: str) -> bool:
    from privpac.checker.document import BUNDLE, TABLE, read_at

    return read_at(path)["format"] in (TABLE, BUNDLE)


def _write_statement(out: Destination, path: str, ledger: str | None, trusted: str | None) -> None:
    from privpac.checker.document import read_at
    from privpac.fields import refusing
    from privpac.guarantee.ledger.ledger import Ledger
    from privpac.report.statement import statement_of
    from privpac.signing.keys import Trusted
    from privpac.verification import look_at

    tree = read_at(path)
    found = look_at(path)  # an annex is believed: none is written of what does not follow
    names = None if trusted is None else Trusted.read(trusted)
    book = None if ledger is None else Ledger.open(ledger)
    with refusing(f"{path!r} is incomplete or malformed."):
        statement = statement_of(tree, _findings(path, tree, names, book, found.not_rebuilt))
    out.write(statement.html() if out.path.suffix == ".html" else statement.text())


def _findings(
    path: str, tree: Mapping[str, Any], names: Trusted | None, book: Ledger | None, not_rebuilt: str
) -> Findings:
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
        not_rebuilt,
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
