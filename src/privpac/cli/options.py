"""Options that several verbs share, so that they are called and explained alike."""

from __future__ import annotations

from typing import Annotated

import typer
from typer.models import OptionInfo

__all__ = [
    "Force",
    "KeyFile",
    "LedgerPlace",
    "RecordsPerPerson",
    "Seed",
    "SignerName",
    "count",
    "file",
    "number",
    "verbs",
]

Force = Annotated[bool, typer.Option("--force", help="Overwrite files that exist already.")]

RecordsPerPerson = Annotated[int, typer.Option(metavar="K", help="How many records one person may have.")]

Seed = Annotated[
    int | None, typer.Option(metavar="N", help="Reproducible coins, to try things out: not for release.")
]

LedgerPlace = Annotated[
    str | None,
    typer.Option(metavar="LEDGER", help="Charge this budget first: a file or URL (see privpac ledger)."),
]

KeyFile = Annotated[
    str | None, typer.Option("--sign", metavar="KEY", help="Sign the model with this key file.")
]

SignerName = Annotated[str, typer.Option(metavar="NAME", help="Whose signature it is, for readers.")]


def _option(metavar: str, text: str) -> OptionInfo:
    option: OptionInfo = typer.Option(metavar=metavar, help=text)
    return option


def number(text: str) -> OptionInfo:
    """An option that takes a number, read exactly as it is written."""
    return _option("NUMBER", text)


def count(text: str) -> OptionInfo:
    """An option that takes a whole number."""
    return _option("N", text)


def file(text: str) -> OptionInfo:
    """An option that takes the path of a file."""
    return _option("FILE", text)


def verbs(name: str, text: str) -> typer.Typer:
    """A verb with verbs of its own."""
    return typer.Typer(
        name=name,
        help=text,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
