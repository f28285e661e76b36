"""`privpac verify`: re-derive every number of a model file, the certificate first and without the library."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from privpac.checker.document import read_at
from privpac.checker.promise import check_document
from privpac.cli import console
from privpac.cli.console import Json

if TYPE_CHECKING:
    from privpac.verification import Verified

__all__ = ["verify"]


def verify(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model file, a released table, or a bundle.")
    ],
    *,
    certificate_only: Annotated[
        bool,
        typer.Option(
            "--certificate-only",
            help="Check digest and derivation only, in a moment; a bare certificate will do.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Check digest, derivation and parameters of a model file. Exit code 0, or 4 with the reason."""
    tree = read_at(model)
    promise = check_document(tree)
    if certificate_only:
        result, lines = promise.to_json(), promise.lines()
    else:
        with console.working("Verifying", as_json=as_json):
            from privpac.verification import rebuild

            verified = rebuild(model, tree, promise)
        result, lines = {**promise.to_json(), **asdict(verified)}, _lines(verified)
    if as_json:
        console.show_json(result)
    else:
        console.show("\n".join(lines))


def _lines(verified: Verified) -> list[str]:
    lines = [
        f"Verified: epsilon {verified.epsilon}, delta {verified.delta}; {verified.steps} steps re-derived,"
        " and the digest matches."
    ]
    if verified.rebuilt:
        lines.append("The same certificate follows anew from the stored parameters and schema.")
    return [*lines, *verified.warnings]
