"""A stored certificate as a page shows it, whatever it is stored in: a model file, a bundle, a released table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privpac.answering.bundle.bundle import FORMAT as BUNDLE
from privpac.answering.bundle.bundle import MANIFEST, is_bundle
from privpac.checker.check import check_file
from privpac.checker.document import parsed, read_document, refuse_earlier
from privpac.constructions.release.table import FORMAT as TABLE
from privpac.data.schema import Schema
from privpac.errors import NotCertified, PrivpacError
from privpac.fields import MALFORMED
from privpac.guarantee.certificate import SEED_WARNING
from privpac.guarantee.parts import parts_of
from privpac.model import FORMAT as MODEL
from privpac.model import model_from
from privpac.report.derivation import Step
from privpac.report.meaning import does_not_mean, means
from privpac.report.page import TITLES, values_of
from privpac.report.summary import no_accuracy
from privpac.verification import Verified, verify

__all__ = ["Checked", "handed_out", "open_document", "recheck", "require_readable"]

KINDS = {MODEL: "model file", BUNDLE: "bundle of answers", TABLE: "released table"}


def open_document(path: Path) -> dict[str, Any]:
    """What there is to read of a file or a bundle, from its public parts alone; a damaged one is refused."""
    file = path / MANIFEST if is_bundle(path) else path
    try:
        return _open(file)
    except PrivpacError as error:
        raise _nameless(error, file) from None
    except MALFORMED:
        raise NotCertified(
            "The file is incomplete or malformed.", remedy="Copy it again from where it was made."
        ) from None


def require_readable(path: Path) -> None:
    """Refuse a file that cannot be opened, without handing over what stands in it."""
    open_document(path)


def _open(file: Path) -> dict[str, Any]:
    document = _read(file)
    tree, schema = document["certificate"], Schema.from_stored(document["schema"])
    records = (tree["request"] or tree).get("labelled", tree["labelled"])
    model = model_from(document) if document["format"] == MODEL else None
    return {
        "kind": KINDS[document["format"]],
        "certificate": tree,
        "schema": schema,
        "version": str(document["version"]),
        "digest": str(document["digest"]),
        "rule": None if model is None else model.describe(),
        "verdict": None if model is None else model.verdict,
        "privacy": Step.of(tree["privacy"], TITLES),
        "accuracy": [Step.of(proof, TITLES) for proof in tree["accuracy"]],
        "also": [(proof["fact"]["release"], Step.of(proof, TITLES)) for proof in tree.get("also", ())],
        "facts": {"epsilon": tree["epsilon"], "delta": tree["delta"], "records": f"{int(records):,}"},
        "parts": [f"{part}: {fact}" for part, fact in parts_of(tree["privacy"]).items()],
        "seeded": None if tree["coins"] == "system" else SEED_WARNING,
        "means": means(tree),
        "does_not_mean": does_not_mean(tree),
        "no_accuracy": no_accuracy(tree),
        "columns": [(column.name, column.kind, values_of(column)) for column in schema.columns],
    }


def _read(file: Path) -> dict[str, Any]:
    """What a file says."""
    return read_document(file, _format(file))


def handed_out(path: Path) -> bytes:
    """The file itself, as it stands; of a bundle its description."""
    file = path / MANIFEST if is_bundle(path) else path
    _read(file)  # refuses a file that holds more than its format says
    return file.read_bytes()


def _format(file: Path) -> str:
    """Which of the formats a file says it has."""
    try:
        form = parsed(file)["format"]  # type: ignore[index]  # what is no object has no format
    except (OSError, *MALFORMED):
        form = None
    refuse_earlier(form, "This file")
    if form not in KINDS:
        documents = "a model file, the bundle.json of a bundle, or a released table"
        raise NotCertified(
            f"This is not {documents}.", remedy="Choose the file that privpac learn wrote with --out."
        )
    return str(form)


@dataclass(frozen=True)
class Checked:
    """What the second look found."""

    verified: Verified | None
    steps: int = 0
    problem: str = ""
    remedy: str = ""
    alone: bool = False
    """The description of a bundle without the files beside it."""


def recheck(path: Path) -> Checked:
    """Derive every number again; the reason if something does not follow."""
    try:
        if not is_bundle(path) and _format(path) == BUNDLE:
            return Checked(None, steps=check_file(path).steps, alone=True)
        verification = verify(path)
        return Checked(verification, steps=verification.steps)
    except PrivpacError as error:
        sentence = _nameless(error, path)
        return Checked(None, problem=sentence.problem, remedy=sentence.remedy)


def _nameless(error: PrivpacError, path: Path) -> PrivpacError:
    """The same sentence without the place where an upload is kept."""
    return NotCertified(
        error.problem.replace(repr(str(path)), "This file").replace(str(path), "this file"),
        remedy=error.remedy,
    )
