"""Options that several verbs share, so that they are called and explained alike."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Force", "KeyFile", "LedgerPlace", "RecordsPerPerson", "Seed", "SignerName"]

Force = Annotated[bool, typer.Option("--force", help="Overwrite files that exist already.")]

RecordsPerPerson = Annotated[int, typer.Option(metavar="K", help="How many records one person may have.")]

Seed = Annotated[
    int | None, typer.Option(metavar="N", help="Reproducible coins, for trying out: not for release.")
]

LedgerPlace = Annotated[
    str | None,
    typer.Option(metavar="LEDGER", help="Charge this budget first: a file or URL (see privpac ledger)."),
]

KeyFile = Annotated[
    str | None, typer.Option("--sign", metavar="KEY", help="Sign the model with this key file.")
]

SignerName = Annotated[str, typer.Option(metavar="NAME", help="Whose signature it is, for readers.")]
