"""The bundle: a folder that answers. Everything a predictor needs, for `privpac predict` and for a service.

`bundle.json` is the public description (`privpac-bundle/1`): schema, certificate, and the digests of the other files.
The models or records beside it are secret, so every file is readable by its owner only. A number of answers declared
beforehand is counted in the bundle's own ledger; otherwise whoever asks names one. Answers that were given are kept, by
digests of their questions.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privpac import __version__
from privpac.coins import Coins, SystemCoins
from privpac.data.schema import Schema
from privpac.errors import NotCertified, ParameterError, PrivpacError
from privpac.guarantee import document
from privpac.guarantee.ledger import Ledger
from privpac.guarantee.store import close_connections
from privpac.prediction.answers import FileAnswers
from privpac.prediction.base import Prepared
from privpac.prediction.offer import Offer
from privpac.prediction.private_predictor import PrivatePredictor
from privpac.prediction.storage import files_of, prepared_from
from privpac.prediction.stored import offer_from_json

__all__ = ["FORMAT", "Bundle", "is_bundle", "load", "read", "write"]

FORMAT = "privpac-bundle/1"
OWNER = "bundle"
MANIFEST, METER, ANSWERS = "bundle.json", "meter.sqlite", "answers.sqlite"


@dataclass(frozen=True, repr=False)
class Bundle:
    """A loaded bundle: what is offered, and what answers. Private."""

    path: Path
    offer: Offer
    prepared: Prepared
    certificate: dict[str, Any]
    """As it is stored; `privpac verify` derives it again."""
    digest: str = ""
    """Of the whole description: which bundle this is."""

    @property
    def schema(self) -> Schema:
        return self.offer.schema

    def predictor(self, ledger: Ledger | None = None, *, coins: Coins | None = None) -> PrivatePredictor:
        """What answers from this bundle: charging `ledger`, or the bundle's own if answers were declared."""
        if (ledger is None) == (self.offer.answers is None):
            raise ParameterError(
                OWNER,
                "ledger",
                None if ledger is None else ledger.path,
                allowed="left out, since the answers of this bundle are declared and paid for"
                if self.offer.answers
                else "a ledger, since every answer of this bundle is charged",
                remedy=""
                if self.offer.answers
                else "Make one with: privpac ledger create FILE --epsilon TOTAL.",
            )
        meter = Ledger.open(self.path / METER) if ledger is None else ledger
        return PrivatePredictor.serving(
            self.offer,
            self.prepared,
            ledger=meter,
            answers=FileAnswers(self.path / ANSWERS),
            coins=coins or SystemCoins(),
        )


def is_bundle(path: str | os.PathLike[str]) -> bool:
    return (Path(path) / MANIFEST).is_file()


def check_target(path: str | os.PathLike[str]) -> Path:
    """The folder to make, refused before any work if it cannot be."""
    target = Path(path)
    if target.exists():
        raise ParameterError(
            OWNER, "out", str(path), allowed="a folder that does not exist yet", remedy="Choose another name."
        )
    if not target.parent.is_dir():
        raise ParameterError(OWNER, "out", str(path), allowed="in an existing folder")
    return target


def write(path: str | os.PathLike[str], offer: Offer, prepared: Prepared) -> Path:
    """Make the folder, whole or not at all."""
    target = check_target(path)
    secret, types = files_of(prepared)
    tree: dict[str, Any] = {
        "format": FORMAT,
        "version": __version__,
        "schema": offer.schema.to_json(),
        "certificate": offer.certify().to_json(),
        "files": {name: _sha(content) for name, content in secret.items()},
        "types": types,
    }
    tree["digest"] = document.digest(tree)
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        os.mkdir(draft, 0o700)
        manifest = (json.dumps(tree, indent=1, ensure_ascii=False) + "\n").encode()
        for name, content in {**secret, MANIFEST: manifest}.items():
            _write_secret(draft / name, content)
        if offer.answers is not None:
            _make_meter(draft / METER, offer)
        os.rename(draft, target)
    except OSError as problem:
        raise PrivpacError(
            f"The bundle {str(target)!r} cannot be written: {problem.strerror}.",
            remedy="What was charged for its answers stays charged.",
        ) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def _make_meter(path: Path, offer: Offer) -> None:
    Ledger(epsilon=(offer.answers or 0) * offer.price, path=path)
    os.chmod(path, 0o600)  # until then nobody else can enter the folder
    close_connections()  # an open file cannot be renamed everywhere


def _write_secret(path: Path, content: bytes) -> None:
    """Made with its mode: between making and changing it others could look."""
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _sha(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The description and the secret files of a bundle, none of them changed since it was written."""
    folder = Path(path)
    tree = document.read_document(folder / MANIFEST, format=FORMAT, what="description of a bundle")
    files: dict[str, bytes] = {}
    for name, expected in _listed(tree).items():
        try:
            files[name] = (folder / name).read_bytes()
        except OSError:
            raise NotCertified(f"The bundle {str(folder)!r} is not complete: {name!r} is missing.") from None
        if _sha(files[name]) != expected:
            raise NotCertified(f"{name!r} of the bundle {str(folder)!r} was changed after it was written.")
    return tree, files


def _listed(tree: dict[str, Any]) -> dict[str, str]:
    files = tree.get("files")
    if not isinstance(files, dict) or any(Path(str(name)).name != name for name in files):
        raise NotCertified("The description of the bundle names files outside of it.")
    return files


def load(path: str | os.PathLike[str], *, trusted: Collection[str] = ()) -> Bundle:
    """Read a bundle; a damaged one, or one with models of a type nobody vouched for, is refused.

    `trusted` names further types of models, such as those of another package; those of scikit-learn are known.
    """
    tree, files = read(path)
    try:
        schema = Schema.from_json(tree["schema"])
        stored = tree["certificate"]
        offer = offer_from_json(stored["request"], schema=schema, coins=stored["coins"])
        prepared = prepared_from(offer.predictor, files, named=tree["types"], trusted=trusted)
    except NotCertified:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise NotCertified(f"The bundle {str(path)!r} is incomplete or malformed.") from None
    return Bundle(Path(path), offer, prepared, stored, str(tree["digest"]))
