"""`privpac release`: synthetic records of some columns, with the error that every query is promised."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination, paid_for, seed_advice, warn_uncounted
from privpac.cli.options import (
    Force,
    LabelColumn,
    LedgerPlace,
    Seed,
    asks,
    file,
    flag,
    option,
    schema_file,
    table_place,
)
from privpac.errors import ParameterError
from privpac.request import ReleaseRequest, warning_of_large

if TYPE_CHECKING:
    from privpac.constructions.release.table import ReleasedTable

__all__ = ["release"]

OWNER = "release"
ENDINGS = (".csv", ".parquet")


@asks(ReleaseRequest)
def release(
    asked: ReleaseRequest,
    data: Annotated[str, table_place("TABLE")],
    *,
    schema: Annotated[str, schema_file("TABLE")],
    out: Annotated[str, file("Where the synthetic records go: .csv or .parquet.")],
    label: LabelColumn = None,
    ledger: LedgerPlace = None,
    certificate: Annotated[
        str | None, file("Where the certificate goes; if left out, beside the records.")
    ] = None,
    engine: Annotated[str, option("WORD", "Where records are counted: auto, memory or files.")] = "auto",
    random_state: Seed = None,
    force: Force = False,
    full: Annotated[bool, flag("--full", "Print the whole derivation.")] = False,
    as_json: Json = False,
) -> None:
    """Release synthetic records, with a certificate.

    They have the table's own schema, so that they can stand in for it.

    Example: privpac release patients.csv --schema schema.json --epsilon 1 --column age --out synthetic.csv
    """
    records, beside = _destinations(out, certificate, keep=(data, schema, ledger), force=force)
    warn_uncounted(ledger, random_state, as_json=as_json)
    with console.reading("Releasing", data, engine, as_json=as_json) as progress:
        from privpac.data.schema import schema_for
        from privpac.guarantee.ledger.ledger import Ledger
        from privpac.releasing import Payment
        from privpac.sanitising import release_as

        account = None if ledger is None else Ledger.open(ledger).writing_to(out)
        table = release_as(
            asked,
            data,
            schema=schema_for(schema, data, label=label),
            engine=engine,
            progress=progress,
            payment=Payment.by(account, random_state=random_state, owner=OWNER),
        )
        count = _write(table, records, beside)
    delta_is_unused = asked.delta > 0 and Fraction(table.certificate["delta"]) == 0
    _show(table, count, (records, beside), unused=delta_is_unused, full=full, as_json=as_json)


def _destinations(
    out: str, certificate: str | None, *, keep: tuple[str | None, ...], force: bool
) -> tuple[Destination, Destination]:
    """Where both files go, checked before any record is read."""
    if Path(out).suffix not in ENDINGS:
        raise ParameterError(OWNER, "out", out, allowed="a file that ends in .csv or .parquet")
    place = certificate or str(Path(out).with_suffix(".json"))
    records = Destination.of(out, owner=OWNER, option="out", keep=(*keep, place), force=force)
    beside = Destination.of(place, owner=OWNER, option="certificate", keep=(*keep, out), force=force)
    assert records is not None
    assert beside is not None
    return records, beside


def _write(table: ReleasedTable, records: Destination, beside: Destination) -> int:
    with paid_for(table.to_json()):
        table.save(beside.path)
        return table.write(records.path)


def _too_wide(table: ReleasedTable) -> str:
    """A count per possible row says something of rows that many share; from public numbers alone."""
    if len(table.columns) < 2:
        return ""
    columns = [table.schema.column(name) for name in table.columns if name != table.schema.label]
    rows = math.prod(column.size for column in columns)
    if rows <= table.certificate["labelled"] + table.certificate["unlabelled"]:
        return ""
    return (
        "There are more possible rows of these columns than records, so that hardly any two records are alike: the"
        " table keeps rows that many share, and little else, neither averages nor how columns go together. Name one"
        " to three columns of few values with --column."
    )


def _show(
    table: ReleasedTable,
    count: int,
    files: tuple[Destination, Destination],
    *,
    unused: bool,
    full: bool,
    as_json: bool,
) -> None:
    records, beside = files
    advice = seed_advice(table.certificate["coins"])
    if unused:
        name = table.certificate["learner"]["name"]
        advice.append(f"The delta is not spent: {name} promises more without it, by public numbers.")
    advice += filter(None, [warning_of_large(Fraction(table.certificate["epsilon"])), _too_wide(table)])
    console.warn(*advice, as_json=as_json)
    if as_json:
        console.show_json(
            {
                "records": count,
                "columns": list(table.columns),
                "epsilon": table.certificate["epsilon"],
                "delta": table.certificate["delta"],
                "promises": [fact.to_json() for fact in table.promises],
                "learner": table.certificate["learner"],
                "warnings": advice,
                "out": str(records.path),
                "certificate": str(beside.path),
            }
        )
        return
    promises = [f"{str(fact)[0].upper()}{str(fact)[1:]}." for fact in table.promises]
    lines = [
        f"{count:,} synthetic records of {', '.join(table.columns)}, by {table.certificate['learner']['name']}.",
        *(promises or ["Nothing is promised about queries: there are too few records for this epsilon."]),
        f"Privacy: epsilon {table.certificate['epsilon']}, delta {table.certificate['delta']}.",
    ]
    console.show("\n".join(lines))
    if full:
        console.show("\n" + table.explain())
    console.note(
        f"Wrote the records to {records.path} and the certificate to {beside.path}.", as_json=as_json
    )
