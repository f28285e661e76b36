"""Options of verbs: those that several share, and one for each field of a request."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Annotated, Any, TypeVar

import typer
from typer.models import ArgumentInfo, OptionInfo

from privpac.request import Requested, option_of

__all__ = [
    "Force",
    "KeyFile",
    "LabelColumn",
    "LedgerPlace",
    "Seed",
    "SignerName",
    "argument",
    "asks",
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


Force = Annotated[bool, flag("--force", "Overwrite files that exist already.")]

LabelColumn = Annotated[str | None, option("COLUMN", "The label column, with --schema from_data.")]

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


R = TypeVar("R", bound=Requested)


def asks(request: type[R]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A verb with one option for each field of a request, which is read and handed to it first."""

    def decorate(verb: Callable[..., None]) -> Callable[..., None]:
        _, *own = inspect.signature(verb, eval_str=True).parameters.values()
        names = [one.name for one in fields(request)]

        def command(**given: Any) -> None:
            asked = request.read({name: given.pop(name) for name in names})
            verb(asked, **given)

        arguments = [one for one in own if _is_argument(one)]
        others = [one for one in own if one not in arguments]
        parameters = [*arguments, *map(_option, fields(request)), *others]
        parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what typer reads
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        command.__doc__, command.__name__ = verb.__doc__, verb.__name__
        return command

    return decorate


def _is_argument(parameter: inspect.Parameter) -> bool:
    return any(isinstance(one, ArgumentInfo) for one in getattr(parameter.annotation, "__metadata__", ()))


def _option(one: Field[Any]) -> inspect.Parameter:
    """The option of a field: required if nothing else stands for it."""
    said, written = one.metadata, one.metadata["written"]
    name = option_of(one.name, said)
    kind = str if written is None else type(written)
    metavar = None if kind is bool else said["metavar"]
    info: OptionInfo = typer.Option(name, help=said["help"], metavar=metavar)
    default = inspect.Parameter.empty if one.default is MISSING else written
    typed = kind if written is not None or one.default is MISSING else kind | None
    return inspect.Parameter(
        one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[typed, info]
    )
