"""All verbs together, and how their errors become sentences and exit codes.

Nothing heavy is imported here or at the top of a verb, so that `--help` and `--version` answer at once.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.main import get_command

from privpac import __version__
from privpac.cli import console
from privpac.cli.refusals import in_options, options_of
from privpac.errors import PrivpacError, UnverifiedRelease
from privpac.interrupts import current
from privpac.numbers.spelling import spelled

__all__ = ["app", "run"]

PIPE_CLOSED = 141  # what shells report for a program whose reader went away, such as `| head`
FAULT = 1
INTERRUPTED = 130  # what typer makes of an interrupt
TRACEBACK = "PRIVPAC_TRACEBACK"

# typer does not export it, and older releases take it from click.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]

VERBS = (
    "schema",
    "plan",
    "learn",
    "predict",
    "compare",
    "explain",
    "verify",
    "sign",
    "release",
    "serve",
    "ui",
    "theorems",
    "reproduce",
    "audit",
    "active",
    "ledger",
    "keys",
    "warm",
)
"""Each is a module of this package and in it a function, or a group of them, of the same name (`-` becomes `_`)."""


def _version(show: bool) -> None:
    if show:
        console.show(f"privpac {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Learn readable classifiers from sensitive records, with guarantees you can print and re-check.

    Begin with privpac schema DATA, which drafts the public description of your table. Fill it in; privpac plan then
    says what to expect, privpac learn makes the rule, privpac verify checks it. In a browser: privpac ui.

    Exit codes: 0 done, 2 wrong input, 3 budget refused, 4 guarantee not met, 5 not signed by a key you trust,
    6 not rebuilt.
    """


def app(verbs: Sequence[str] = VERBS) -> typer.Typer:
    """The command line with some verbs only: reading what one of them takes is quicker than what all take."""
    application = typer.Typer(
        name="privpac",
        add_completion=False,
        no_args_is_help=True,
        # Plain help: the rich one loads a Markdown parser and takes as long as everything else together.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    application.callback()(_root)
    for name in verbs:
        module = name.replace("-", "_")
        verb = getattr(import_module(f"privpac.cli.{module}"), module)
        if isinstance(verb, typer.Typer):
            application.add_typer(verb)
        else:
            application.command()(verb)
    return application


@cache
def _command(verbs: tuple[str, ...]) -> Callable[..., object]:
    """What reads the words and runs a verb; made once, for a program that runs many commands."""
    command = get_command(app(verbs))
    _read_as_written(command)
    return command


def _read_as_written(command: Any) -> None:
    """Numbers of all options, as people write them: typer leaves them to Python, for which '1_0' is 10."""
    for verb in getattr(command, "commands", {}).values():
        _read_as_written(verb)
    for parameter in command.params:
        if parameter.type.name.startswith(("int", "float")):
            parameter.type = _written(parameter.type)


def _written(kind: Any) -> Any:
    read, strict = kind.convert, copy(kind)

    def convert(value: object, parameter: Any, context: Any) -> object:
        if isinstance(value, str):
            try:
                spelled(value)
            except ValueError:
                strict.fail(f"{value!r} is not a number as people write it.", parameter, context)
        return read(value, parameter, context)

    strict.convert = convert
    return strict


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; an interruption is for the caller."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in words
    console.prepare_streams()
    verbs = words[:1] if words and words[0] in VERBS else VERBS
    try:
        with console.hearing(as_json=as_json):
            code = _command(tuple(verbs))(words, prog_name="privpac", standalone_mode=False)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except PrivpacError as problem:
        problem.remedy = f"{problem.remedy} {_charged()}".strip()
        if isinstance(problem, UnverifiedRelease):  # it is paid for, and needed for a report
            console.show_json(problem.document.to_json())
        console.fail(in_options(problem, options_of(_command(tuple(verbs)))), as_json=as_json)
        return problem.exit_code
    except _UsageError as problem:
        if getattr(problem, "message", None) == _help_of(
            problem
        ):  # nothing was asked, so it says what can be
            sys.stderr.write(_help_of(problem) + "\n")
            return PrivpacError.exit_code
        console.fail(_usage(problem), as_json=as_json)
        return PrivpacError.exit_code
    except (BrokenPipeError, SystemExit):  # typer turns a closed pipe into an exit of its own
        _hush()
        return PIPE_CLOSED
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as problem:
        console.fail(_fault(problem), as_json=as_json)
        return FAULT


def _help_of(problem: Exception) -> str:
    context = getattr(problem, "ctx", None)
    return "" if context is None else str(context.get_help())


def _usage(problem: Exception) -> PrivpacError:
    """A misspelt option or verb, as a sentence of our own shape."""
    sentence = " ".join(problem.format_message().split()).replace("?.", "?")  # type: ignore[attr-defined]
    context = getattr(problem, "ctx", None)
    from privpac.removed import replacement_of

    verb = getattr(context, "command_path", "privpac")
    stop = "" if sentence.endswith((".", "?")) else "."
    option = getattr(problem, "option_name", None)
    gone = replacement_of(option or f"{verb} {_unknown_verb(sentence)}".removeprefix("privpac "))
    if gone:
        return PrivpacError(gone, remedy=f"See {verb} --help.")
    others = _verbs_with(option)
    elsewhere = f"privpac {' and '.join(others)} {'has' if len(others) == 1 else 'have'} it. "
    return PrivpacError(
        sentence + stop, remedy=f"{elsewhere if 1 <= len(others) <= FEW else ''}See {verb} --help."
    )


def _unknown_verb(sentence: str) -> str:
    """The verb that a sentence says there is not."""
    found = re.match(r"No such command '([^']*)'", sentence)
    return found[1] if found else ""


FEW = 2
"""Verbs with an option that another one lacks, as long as it helps to name them."""


def _verbs_with(option: str | None) -> list[str]:
    """The verbs that have an option of this name."""
    commands = {} if option is None else getattr(_command(VERBS), "commands", {})
    return [
        verb
        for verb, command in commands.items()
        if any(option in parameter.opts for parameter in command.params)
    ]


def _fault(problem: Exception) -> PrivpacError:
    """A bug. Its own message may quote records, so only the place is told."""
    import traceback

    from privpac.faults import place_of

    if os.environ.get(TRACEBACK):
        traceback.print_exception(problem, file=sys.stderr)
    what, charged = f"{type(problem).__name__} in {place_of(problem)}", _charged()
    return PrivpacError(
        f"An unexpected {what}: this is a fault of privpac, not of your input.",
        remedy=f"Please report it; {TRACEBACK}=1 prints the whole trace, which may quote records. {charged}".rstrip(),
    )


def _charged() -> str:
    """What was spent on what failed; an interrupt that a library turned into a failure is one again."""
    interrupts = current()
    if interrupts is None:
        return ""
    if interrupts.raised:
        raise KeyboardInterrupt
    return interrupts.standing


def _hush() -> None:
    """Keep the interpreter from complaining about a closed pipe when it flushes at exit."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
