"""`privpac verify`: re-derive every number of a model file, the certificate first and without the library."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.checker.check import NOT_CHECKED, check_document, proof_again
from privpac.checker.document import SIGNATURES, read_at
from privpac.checker.signature import UNSIGNED
from privpac.cli import console
from privpac.cli.console import Json
from privpac.errors import NotRebuilt, ParameterError, PrivpacError, Untrusted

if TYPE_CHECKING:
    from privpac.signing.checking import Signer
    from privpac.verification import Verified

__all__ = ["verify"]

OWNER = "verify"


def verify(
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="MODEL",
            help="A model file, a released table, or a bundle; with --certificate-only also a certificate.",
        ),
    ] = None,
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
    own: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="MODULE:NAME",
            help="The class or learner of its author's own that the model names; its code is run.",
        ),
    ] = None,
    page: Annotated[
        str | None,
        typer.Option(
            metavar="OUT", help="Write a page that checks files in a browser into this folder instead."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a certificate: every number is derived again.

    Digest, derivation, parameters and signatures are checked. Exit code 0: all of it was rebuilt from the stored
    parameters. 4: something does not follow, with the reason. 6: not rebuilt; the steps follow, but the file names
    another version or is not whole, and nothing shows here that they belong to it. Of a file that was made with
    a seed it prints NOT FOR RELEASE, and the exit code is 0
    ("for_release" is false with --json).

    With --trusted it is 5 if all of that is right, but nobody on the list has signed. What is printed is the same.

    With --page and no MODEL it writes a folder with a page that checks certificates, for people who install nothing:
    open its index.html in a browser, or put the folder on any web server. What is dropped on it does not leave the
    browser.
    """
    if page is not None:
        _write_page(page, model, as_json=as_json)
        return
    if model is None:
        raise ParameterError(OWNER, "MODEL", model, allowed="a file, or left out with --page OUT")
    tree = read_at(model)
    promise = check_document(tree)
    # Signatures are looked at by more of the library than the certificate of an unsigned file needs.
    has_signatures = trusted is not None or signature or SIGNATURES in tree
    signers = _signers(tree, trusted, signature or []) if has_signatures else ()
    not_rebuilt = ""
    if certificate_only:
        result, lines = promise.to_json(), promise.lines()
    else:
        with console.working("Verifying", as_json=as_json):
            from privpac.verification import rebuild

            verification = rebuild(model, tree, promise, concepts=None if own is None else _own(own))
            not_rebuilt = verification.not_rebuilt
        result = {**promise.to_json(), **asdict(verification), "verified": verification.rebuilt}
        lines = [*_lines(verification), *promise.digest_lines()]
    result = {**result, "signers": [signer.to_json() for signer in signers]}
    lines = [*lines, *([signer.line() for signer in signers] or [UNSIGNED]), NOT_CHECKED]
    if trusted is not None:
        result["trusted"] = any(signer.trusted for signer in signers)
    console.show_result(result, "\n".join(lines), as_json=as_json)
    if not_rebuilt:
        from privpac.verification import REMEDY

        raise NotRebuilt(not_rebuilt, remedy=REMEDY)
    if trusted is not None:
        _require_trusted(signers)


def _own(path: str) -> Any:
    """What the author of a model brings: a name in a module, looked for in the working folder first."""
    module, _, name = path.partition(":")
    allowed = "MODULE:NAME, such as majority:Majority for a class in majority.py"
    if not (module and name.isidentifier()):
        raise ParameterError(OWNER, "--with", path, allowed=allowed)
    sys.path.insert(0, os.getcwd())
    try:
        found = getattr(import_module(module), name, None)
    except ImportError as problem:
        raise ParameterError(OWNER, "--with", path, allowed=allowed, remedy=f"{problem}.") from None
    finally:
        sys.path.pop(0)
    if found is None:
        raise ParameterError(OWNER, "--with", path, allowed=f"a name that {module} has")
    return found


def _write_page(out: str, model: str | None, *, as_json: bool) -> None:
    """A new folder, or one that holds such a page and nothing else."""
    from privpac.service.pages.verify.folder import contents, write_page

    if model is not None:
        raise ParameterError(OWNER, "MODEL", model, allowed="left out where --page writes a page")
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise ParameterError(OWNER, "--page", out, allowed="a folder")
    if folder.is_dir() and not {path.name for path in folder.iterdir()} <= contents().keys():
        raise ParameterError(OWNER, "--page", out, allowed="a new folder, or one with such a page alone")
    try:
        names = write_page(folder)
    except OSError as problem:
        raise PrivpacError(f"{out!r} cannot be written: {problem.strerror}.") from None
    text = f"Wrote {len(names)} files to {out}. Open {folder / 'index.html'} in a browser."
    console.show_result({"folder": out, "files": names}, text, as_json=as_json)


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
    verdict = "Verified" if verification.rebuilt else "Not rebuilt"
    lines = [
        f"{verdict}: epsilon {verification.epsilon}, delta {verification.delta}; {proof_again(verification.steps)},"
        " and the digest matches."
    ]
    if verification.rebuilt:
        lines.append("The same certificate follows anew from the stored parameters and schema.")
    return [*lines, *verification.warnings]
