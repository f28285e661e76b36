"""The bundle: a folder that answers. Everything a predictor needs, for `privpac predict` and for a service.

`bundle.json` is the public description (`privpac-bundle/2`): schema, certificate, and a random number that names the
bundle. No byte of it depends on a record. Beside it lies one secret file of models or records, whose name follows from
the certificate, and `secret.json`: a random key, and a tag of the secret file under that key, so that a changed file is
noticed. A plain digest of the file would let anybody test a guess of what stands in it. Every file is readable by its
owner only. A number of answers declared beforehand is counted in the bundle's own ledger; otherwise whoever asks names
one. Answers that were given are kept, by digests of their questions.
"""

from __future__ import annotations

import hmac
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privpac.answering.answers import FileAnswers
from privpac.answering.bundle.storage import file_of, prepared_from
from privpac.answering.bundle.writing import (
    FORMAT,
    METER,
    OWNER,
    SECRET,
    check_target,
    tag,
    write,
)
from privpac.answering.offer import Offer, offer_from_json
from privpac.answering.predictor import PrivatePredictor
from privpac.checker import document
from privpac.checker.document import MANIFEST, is_bundle
from privpac.coins import Coins, SystemCoins
from privpac.constructions.prediction.predictor import Prepared
from privpac.data.schema import Schema
from privpac.errors import MissingExtra, NotCertified, ParameterError, PrivpacError, SizeError
from privpac.fields import MALFORMED, record
from privpac.guarantee.ledger.ledger import Ledger

__all__ = [
    "FORMAT",
    "MANIFEST",
    "METER",
    "Bundle",
    "check_target",
    "content_beside",
    "describe",
    "is_bundle",
    "load",
    "read",
    "write",
]

ANSWERS = "answers.sqlite"
NAME = "[0-9a-f]{32}"
MOST_BYTES = 4 << 30
"""Of one file of a bundle."""
BROKEN = (
    *MALFORMED,
    EOFError,
    ImportError,
    MemoryError,
    PrivpacError,
    RuntimeError,  # ways of packing that nobody knows are such
    zipfile.BadZipFile,
    zlib.error,
)
"""What a forged or damaged file trips over."""


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
        """The schema of the questions it answers."""
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


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The description in a `bundle.json`, with nothing besides."""
    return document.read_document(path, FORMAT)


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], bytes]:
    """The description of a bundle and the content of its secret file, unchanged since they were written."""
    tree = describe(Path(path) / MANIFEST)
    return tree, content_beside(path, tree)


def content_beside(path: str | os.PathLike[str], tree: Mapping[str, Any]) -> bytes:
    """The content of the secret file that belongs to a description, unchanged since it was written."""
    folder = Path(path)
    try:
        name = file_of(_offer(tree).predictor)
        if not re.fullmatch(NAME, tree["id"]):
            raise NotCertified("The bundle has no name, and answers of another could be taken for its own.")
        secret = record(document.parsed_json(_read_secret(folder, SECRET)), "key", "tags")
        content = _read_secret(folder, name)
        right_tag = tag(secret["key"], tree["digest"], name, content)
        same = hmac.compare_digest(right_tag, secret["tags"][name])
    except NotCertified:
        raise
    except BROKEN:
        raise NotCertified(f"The bundle {str(folder)!r} is incomplete or malformed.") from None
    if not same:
        raise NotCertified(f"{name!r} of the bundle {str(folder)!r} was changed after it was written.")
    return content


def _read_secret(folder: Path, name: str) -> bytes:
    """A file of the bundle: a plain one, and no larger than may be."""
    path = folder / name
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            raise NotCertified(
                f"{name!r} of the bundle {str(folder)!r} is no file of at most {MOST_BYTES} bytes."
            )
        return path.read_bytes()
    except OSError:
        raise NotCertified(f"The bundle {str(folder)!r} is not complete: {name!r} is missing.") from None


def _offer(tree: Mapping[str, Any]) -> Offer:
    certificate = tree["certificate"]
    return offer_from_json(
        certificate["request"], schema=Schema.from_stored(tree["schema"]), coins=certificate["coins"]
    )


def load(path: str | os.PathLike[str], *, trusted: Collection[str] = ()) -> Bundle:
    """Read a bundle; a damaged one, or one with models of a type nobody vouched for, is refused.

    `trusted` names further types of models, such as those of another package; `known_types` lists those that are known.
    """
    tree, content = read(path)
    try:
        offer = _offer(tree)
        _ = offer.one_answer  # refused if an answer would lose more than it is charged
        prepared = prepared_from(offer.predictor, content, records=offer.size.labelled, trusted=trusted)
    except (NotCertified, MissingExtra, SizeError):  # a size beyond a limit of this version is no damage
        raise
    except BROKEN:
        raise NotCertified(f"The bundle {str(path)!r} is incomplete or malformed.") from None
    return Bundle(Path(path), offer, prepared, tree["certificate"], str(tree["digest"]))
