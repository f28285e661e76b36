"""`privpac verify`: re-derive every number of a model file."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.errors import DataError, NotCertified, PrivpacError

if TYPE_CHECKING:
    from privpac.verification import Verified

__all__ = ["verify"]


def verify(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file, or a bundle.")],
    *,
    as_json: Json = False,
) -> None:
    """Check digest, derivation and parameters of a model file. Exit code 0, or 4 with the reason."""
    with console.working("Verifying", as_json=as_json):
        found = _verify(model)
    if as_json:
        console.show_json({"verified": True, **asdict(found)})
    else:
        console.show("\n".join(_lines(found)))


def _verify(path: str) -> Verified:
    from privpac.verification import verify as verify_model

    try:
        return verify_model(path)
    except (NotCertified, DataError):  # DataError: there is no such file
        raise
    except PrivpacError as problem:  # stored parameters that nobody could have asked for
        raise NotCertified(f"{path!r} contradicts itself: {problem.problem}") from None
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
        # Whatever a forged file trips over, the answer is the same.
        raise NotCertified(f"{path!r} holds a certificate that is incomplete or malformed.") from None


def _lines(found: Verified) -> list[str]:
    lines = [
        f"Verified: epsilon {found.epsilon}, delta {found.delta}; {found.steps} steps re-derived,"
        " and the digest matches."
    ]
    if found.rebuilt:
        lines.append("The same certificate follows anew from the stored parameters and schema.")
    return [*lines, *found.warnings]
