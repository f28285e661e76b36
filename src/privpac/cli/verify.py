"""`privpac verify`: re-derive every number of a model file, the certificate first and without the library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.checker.check import NOT_CHECKED, check_document, proof_again
from privpac.checker.document import SIGNATURES, read_at
from privpac.checker.signature import UNSIGNED
from privpac.cli import console
from privpac.cli.console import Json
from privpac.errors import Untrusted

if TYPE_CHECKING:
    from privpac.signing.checking import Signer
    from privpac.verification import Verified

__all__ = ["verify"]


def verify(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A model file, a released table, or a bundle; with --certificate-only also a certificate.",
        ),
    ],
    *,
    certificate_only: Annotated[
        bool,
        typer.Option(
            "--certificate-only",
            help="Check digest and derivation only, in a moment; a bare certificate will do.",
        ),
    ] = False,
    trusted: Annotated[
        str | None, typer.Option(metavar="FILE", help="Keys you trust, each with a name: says who signed.")
    ] = None,
    signature: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="A detached signature of the document.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a certificate: every number is derived again.

    Digest, derivation, parameters and signatures are checked. Exit code 0, or 4 with the reason. Of a file that
    was made with a seed it prints NOT FOR RELEASE, and the exit code is 0 ("for_release" is false with --json).

    With --trusted it is 5 if all of that is right, but nobody on the list has signed. What is printed is the same.
    """
    tree = read_at(model)
    promise = check_document(tree)
    # Signatures are looked at by more of the library than the certificate of an unsigned file needs.
    has_signatures = trusted is not None or signature or SIGNATURES in tree
    signers = _signers(tree, trusted, signature or []) if has_signatures else ()
    if certificate_only:
        result, lines = promise.to_json(), promise.lines()
    else:
        with console.working("Verifying", as_json=as_json):
            from privpac.verification import rebuild

            verification = rebuild(model, tree, promise)
        result = {**promise.to_json(), **asdict(verification)}
        lines = [*_lines(verification), *promise.digest_lines()]
    result = {**result, "signers": [signer.to_json() for signer in signers]}
    lines = [*lines, *([signer.line() for signer in signers] or [UNSIGNED]), NOT_CHECKED]
    if trusted is not None:
        result["trusted"] = any(signer.trusted for signer in signers)
    console.show_result(result, "\n".join(lines), as_json=as_json)
    if trusted is not None:
        _require_trusted(signers)


def _require_trusted(signers: Sequence[Signer]) -> None:
    """Whoever names the keys that count wants to hear of it, in a script too, if none of them signed."""
    if not any(signer.trusted for signer in signers):
        raise Untrusted(
            "The certificate follows, but nobody on your list has signed the document.",
            remedy="Ask for one that is signed, or add the signer's key to the list if you know whose it is.",
        )


def _signers(tree: Mapping[str, Any], trusted: str | None, beside: Sequence[str]) -> tuple[Signer, ...]:
    from privpac.signing.checking import read_signature, signers_of
    from privpac.signing.keys import Trusted

    names = None if trusted is None else Trusted.read(trusted)
    return signers_of(tree, trusted=names, beside=[read_signature(path) for path in beside])


def _lines(verification: Verified) -> list[str]:
    lines = [
        f"Verified: epsilon {verification.epsilon}, delta {verification.delta}; {proof_again(verification.steps)},"
        " and the digest matches."
    ]
    if verification.rebuilt:
        lines.append("The same certificate follows anew from the stored parameters and schema.")
    return [*lines, *verification.warnings]
