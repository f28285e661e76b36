"""Options that several verbs share, so that they are called and explained alike."""

from __future__ import annotations

from typing import Annotated

import typer
from typer.models import ArgumentInfo, OptionInfo

__all__ = [
    "Aim",
    "Force",
    "KeyFile",
    "LabelColumn",
    "LedgerPlace",
    "Protect",
    "RecordsPerPerson",
    "Seed",
    "SignerName",
    "argument",
    "count",
    "file",
    "flag",
    "number",
    "option",
    "schema_file",
    "table_place",
    "verbs",
]


def argument(metavar: str, text: str) -> ArgumentInfo:
    """What is typed without the name of an option."""
    info: ArgumentInfo = typer.Argument(metavar=metavar, help=text)
    return info


def option(metavar: str, text: str) -> OptionInfo:
    """An option that takes a value, called `metavar` in its explanation."""
    info: OptionInfo = typer.Option(metavar=metavar, help=text)
    return info


def flag(name: str, text: str) -> OptionInfo:
    """An option that is given or not."""
    info: OptionInfo = typer.Option(name, help=text)
    return info


def number(text: str) -> OptionInfo:
    """An option that takes a number, read exactly as it is written."""
    return option("NUMBER", text)


def count(text: str) -> OptionInfo:
    """An option that takes a whole number."""
    return option("N", text)


def file(text: str) -> OptionInfo:
    """An option that takes the path of a file."""
    return option("FILE", text)


def table_place(metavar: str) -> ArgumentInfo:
    """The table, which is read once or streamed."""
    return argument(
        metavar, "CSV, CSV.gz or Parquet file, a folder of them, or a pattern such as 'data/*.parquet'."
    )


def schema_file(metavar: str) -> OptionInfo:
    """An option that takes the schema of that table."""
    return file(
        f"Public description of the table (privpac schema {metavar} drafts it), or from_data to read it"
        " from the records, which the certificate then says."
    )


Aim = Annotated[
    str,
    option(
        "AIM",
        "What the rule is for: label (a class for every record) or rank (records in order of their risk).",
    ),
]

Force = Annotated[bool, flag("--force", "Overwrite files that exist already.")]

LabelColumn = Annotated[str | None, option("COLUMN", "The label column, with --schema from_data.")]

Protect = Annotated[str, option("WHAT", "What is private: records, labels or predictions.")]

RecordsPerPerson = Annotated[int, option("K", "How many records one person may have.")]

Seed = Annotated[int | None, count("Reproducible coins, to try things out: not for release.")]

LedgerPlace = Annotated[
    str | None, option("LEDGER", "Charge this budget first: a file or URL (see privpac ledger).")
]

KeyFile = Annotated[
    str | None, typer.Option("--sign", metavar="KEY", help="Sign the model with this key file.")
]

SignerName = Annotated[str, option("NAME", "Whose signature it is, for readers.")]


def verbs(name: str, text: str) -> typer.Typer:
    """A verb with verbs of its own."""
    return typer.Typer(
        name=name,
        help=text,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
