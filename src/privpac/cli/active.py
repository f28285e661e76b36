"""`privpac active`: ask for a few labels, come back with the answers, learn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination, paid_for, require_out, seed_advice
from privpac.cli.options import Force, Seed, argument, asks, file, flag, option, verbs
from privpac.errors import DataError, ParameterError
from privpac.request import AskRequest

if TYPE_CHECKING:
    from privpac.asking import Asking

__all__ = ["active"]

OWNER = "active"

active = verbs("active", "Ask for the labels of a random few, and learn from them.")

Folder = Annotated[str, argument("FOLDER", "The session: a folder that `ask` made.")]


@active.command()
@asks(AskRequest)
def ask(
    asked: AskRequest,
    data: Annotated[str, argument("DATA", "CSV, CSV.gz or Parquet file; labels are not read.")],
    folder: Annotated[str, argument("FOLDER", "A new folder for the session.")],
    *,
    schema: Annotated[str, file("Public description of the table.")],
    random_state: Seed = None,
    as_json: Json = False,
) -> None:
    """Draw whom to ask, and write the list: FOLDER/ask.csv. Nothing is spent, and no value is read.

    The list numbers records from 1, the first line after a CSV's header. FOLDER/secret.json says who else was kept:
    only its owner may read it.
    """
    if (Path(folder) / "session.json").exists():
        raise ParameterError(
            OWNER, "folder", folder, allowed="a folder without a session", remedy="Go on with tell or learn."
        )
    with console.working("Choosing", as_json=as_json):
        from privpac.asking import Asking
        from privpac.data.schema import schema_for
        from privpac.data.tables import read

        description = schema_for(schema, data)
        records = read(data, columns=description.names).n
        session = Asking.drawn(asked, records, schema=description, random_state=random_state)
        session.save(folder)
    _show(session, folder, as_json=as_json)


@active.command()
def tell(
    folder: Folder,
    answers: Annotated[str, argument("ANSWERS", "CSV with the columns record and label, as in ask.csv.")],
    *,
    as_json: Json = False,
) -> None:
    """Take in answers, all of them or some.

    Afterwards ask.csv lists those who are still waited for.
    """
    with console.working("Reading", as_json=as_json):
        from privpac.asking import Asking

        session = Asking.load(folder).tell(_answers(answers))
        session.save(folder)
    _show(session, folder, as_json=as_json)


@active.command("learn")
def learn_active(
    folder: Folder,
    data: Annotated[str, argument("DATA", "The same table, in the same order.")],
    *,
    ledger: Annotated[str | None, option("LEDGER", "Charge this budget first: a file or URL.")] = None,
    out: Annotated[str | None, file("Write the model file.")] = None,
    force: Force = False,
    random_state: Seed = None,
    full: Annotated[bool, flag("--full", "Print the whole derivation.")] = False,
    as_json: Json = False,
) -> None:
    """Learn from the answers and from everybody else's records."""
    place = Destination.of(out, owner=OWNER, option="out", keep=(data, ledger), force=force)
    require_out(out, ledger, owner=OWNER, as_json=as_json)
    with console.working("Learning", as_json=as_json):
        from privpac.asking import Asking
        from privpac.guarantee.ledger.ledger import Ledger
        from privpac.report.summary import summary_json, summary_sections

        book = None if ledger is None else Ledger.open(ledger).writing_to(out)
        model = Asking.load(folder).learn(data, ledger=book, random_state=random_state)
        if place is not None:
            with paid_for(model.to_json()):
                model.save(place.path)
    console.warn(*seed_advice(model.certificate["coins"]), as_json=as_json)
    if as_json:
        console.show_json({**summary_json(model), "model": model.to_json()})
    else:
        console.show_sections(summary_sections(model, full=full))
    if place is not None:
        console.note(f"Wrote the model to {place.path}.", as_json=as_json)


def _answers(path: str) -> dict[int, object]:
    """Labels by position from 0; rows without a label are left for later."""
    from privpac.data.raw import is_empty
    from privpac.data.tables import read

    table = read(path, columns=("record", "label"))
    records, labels = table.array("record").tolist(), table.array("label").tolist()
    try:
        numbers = [int(str(record)) - 1 for record in records]
    except ValueError:
        raise DataError(
            "Column 'record' of the answers has something that is no number.", column="record"
        ) from None
    return {number: label for number, label in zip(numbers, labels, strict=True) if not is_empty(label)}


def _show(session: Asking, folder: str, *, as_json: bool) -> None:
    from privpac.guarantee.parts import parts_of

    certificate = session.certificate
    console.warn(*seed_advice(session.coins), as_json=as_json)
    tree = certificate.to_json()
    report: dict[str, Any] = {
        proof["fact"]["release"]: {part: str(fact) for part, fact in parts_of(proof).items()}
        for proof in tree["also"]
    }
    facts = [str(proof.fact) for proof in certificate.accuracy]
    if as_json:
        console.show_json(
            {
                "folder": folder,
                "asked": len(session.asked),
                "waiting": len(session.waiting),
                "method": session.recipe.settings.method,
                "privacy": str(certificate.privacy.fact),
                "known": report,
                "accuracy": facts,
                "for_release": certificate.for_release,
            }
        )
        return
    lines = [f"{text}" for parts in report.values() for text in parts.values()]
    console.show_sections(
        [
            (
                "Labels",
                f"{len(session.asked)} asked, {len(session.waiting)} still waited for:"
                f" {(Path(folder) / 'ask.csv').as_posix()} (it numbers records from 1)",
            ),
            ("Privacy", str(certificate.privacy.fact)),
            ("For those who know who was asked, or, if secret.json leaks, who was kept", "\n".join(lines)),
            ("Accuracy, if the records are independent draws", "\n".join(facts) or "Nothing is proved."),
        ]
    )
