"""JSON documents with a format and a digest: read strictly, or refused.

The digest shows accidental edits; it does not authenticate (docs/understand/limits.md). Whoever reads or writes such a
document does it through here, so that the checker on its own refuses what the whole library refuses.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from privpac.errors import DataError, NotCertified

__all__ = [
    "BUNDLE",
    "CERTIFICATE",
    "FROM_DATA",
    "KINDS",
    "LAST_READER",
    "MANIFEST",
    "MODEL",
    "MOST_DIGITS",
    "MOST_SIGNATURES",
    "SIGNATURE",
    "SIGNATURES",
    "TABLE",
    "Kind",
    "Malformed",
    "canonical",
    "digest",
    "is_bundle",
    "parsed",
    "parsed_json",
    "read_at",
    "read_document",
    "refuse_earlier",
    "require",
    "require_bounded",
    "require_document",
    "same",
    "unsigned",
]

MOST_BYTES = 2**28
"""Of a file; the largest released tables have some ten million bytes."""

MOST_VALUES = 2**23
"""Values in a document, those inside of others included: as Python keeps them, below a gigabyte."""

MOST_DIGITS = 4300
"""Decimal digits of an integer in a file: as many as Python reads and writes without being asked to do more."""

DEEPEST = 256
"""Values inside of each other: a derivation of a hundred steps takes two levels for each."""

MODEL, TABLE, CERTIFICATE = "privpac-model/2", "privpac-table/2", "privpac-certificate/2"
BUNDLE = "privpac-bundle/2"
SIGNATURE = "privpac-signature/2"

_EARLIER = re.compile(r"privpac-[a-z-]+/1")
LAST_READER = "0.2.0"
"""The last version that reads formats numbered 1: this one refuses them, and says so."""

SIGNATURES = "signatures"
SIGNATURE_FIELDS = frozenset({"format", "document", "signer", "key", "receipt", "rebuilt", "signature"})
MOST_SIGNATURES = 100

FROM_DATA = "the schema is public; it was read from the data"
"""The assumption that stands for bounds and names nobody protected; readers are told what it means."""

MANIFEST = "bundle.json"
"""The file of a bundle, which is a folder, that describes it."""


@dataclass(frozen=True)
class Kind:
    """A kind of document that holds a certificate."""

    name: str
    """For people."""
    fields: frozenset[str] | None
    """Those it holds, and no others; None for a bare certificate, which has no digest and whose check names them."""
    asks: str = ""
    """What the request of its certificate names, and that of no other kind."""


_SEALED = frozenset({"format", "version", "schema", "certificate", "digest"})

KINDS = {
    MODEL: Kind("model file", _SEALED | {"hypothesis", "leaf_counts", "estimate"}, "concepts"),
    TABLE: Kind("released table", _SEALED | {"table"}, "columns"),
    BUNDLE: Kind("description of a bundle", _SEALED | {"id"}, "predictor"),
    CERTIFICATE: Kind("certificate", None),
}


_TEXT = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_VERSION = re.compile(r"[0-9A-Za-z.+!_-]{1,64}")


class Malformed(ValueError):
    """A stored document does not have the shape that is written."""


def require(condition: bool, reason: str) -> None:
    """Raise `Malformed` with this reason unless the condition holds."""
    if not condition:
        raise Malformed(reason)


def canonical(tree: object) -> str:
    """The one text of JSON data: sorted keys, no spaces. It tells true from 1 and 2.0 from 2."""
    return json.dumps(tree, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def same(a: object, b: object) -> bool:
    """Whether two documents are the same text, not merely equal numbers."""
    return canonical(a) == canonical(b)


def digest(tree: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical form without the digest itself, and without signatures, which vouch for it."""
    bare = canonical(unsigned({key: value for key, value in tree.items() if key != "digest"}))
    return "sha256:" + hashlib.sha256(bare.encode("ascii")).hexdigest()


def unsigned(tree: Mapping[str, Any]) -> dict[str, Any]:
    """The document without its signatures."""
    return {key: value for key, value in tree.items() if key != SIGNATURES}


def is_bundle(path: str | os.PathLike[str]) -> bool:
    """Whether this is the folder of a bundle."""
    return (Path(path) / MANIFEST).is_file()


def read_at(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The document at a path: a file of any known format, or the description in the folder of a bundle."""
    if is_bundle(path):
        return read_document(Path(path) / MANIFEST, BUNDLE)
    return read_document(path)


def read_document(path: str | os.PathLike[str], *formats: str) -> dict[str, Any]:
    """The JSON of a file of one of these formats, or of any that is known, whose digest matches."""
    name = repr(str(path))
    try:
        tree = parsed(Path(path))
    except FileNotFoundError:
        raise DataError(f"There is no file {name}.") from None
    except (OSError, ValueError, RecursionError):
        if _is_page(Path(path)):
            raise NotCertified(
                f"{name} looks like a report (HTML), which nobody can check.",
                remedy="Verify the model file (JSON) that it was made from, and make the report anew from that:"
                " privpac explain MODEL --report REPORT.",
            ) from None
        raise NotCertified(
            f"{name} is not a complete {_names_of(formats)}: it cannot be read as JSON.",
            remedy="Copy it again from where it was made.",
        ) from None
    return require_document(tree, *formats, name=name)


def _is_page(path: Path) -> bool:
    """Whether a file begins as web pages do."""
    try:
        with path.open("rb") as stream:
            beginning = stream.read(100)
    except OSError:
        return False
    return beginning.removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith((b"<!doctype html", b"<html"))


def require_document(tree: object, *formats: str, name: str = "The document") -> dict[str, Any]:
    """The same of JSON in memory: its format, its digest, and the fields of its format with no others."""
    choices = formats or tuple(KINDS)
    format_name = tree.get("format") if isinstance(tree, dict) else None
    refuse_earlier(format_name, name)
    if not isinstance(tree, dict) or format_name not in choices:
        raise NotCertified(f"{name} is not a {_names_of(formats)} of format {' or '.join(choices)}.")
    kind = KINDS[str(format_name)]
    if kind.fields is None:
        return tree
    if "digest" not in tree:
        raise NotCertified(
            f"{name} has no digest, which every {kind.name} is written with: part of it was taken out.",
            remedy="Copy it again from where it was made.",
        )
    if tree["digest"] != digest(tree):
        raise NotCertified(
            f"{name} was changed after it was written: its digest does not match.",
            remedy="Copy it again from where it was made.",
        )
    fits = unsigned(tree).keys() == kind.fields and _is_version(tree["version"])
    if not fits or not _are_signatures(tree.get(SIGNATURES, []), tree["digest"]):
        raise NotCertified(f"The {kind.name} holds something that this version does not write.")
    return tree


def refuse_earlier(format_name: object, name: str) -> None:
    """Refuse what an earlier version wrote, in a sentence that names the last version that reads it."""
    if isinstance(format_name, str) and _EARLIER.fullmatch(format_name):
        raise NotCertified(
            f"{name} has the format {format_name} of an earlier version, which privpac {LAST_READER} reads.",
            remedy=f"Make it anew with this version, or read it with: pip install privpac=={LAST_READER}.",
        )


def _are_signatures(rows: object, digest_text: str) -> bool:
    """Whether they have the form of signatures of this document. Whether they are any is for a library to say."""
    return (
        isinstance(rows, list)
        and len(rows) <= MOST_SIGNATURES
        and all(
            isinstance(row, dict)
            and row.keys() == SIGNATURE_FIELDS
            and row["format"] == SIGNATURE
            and row["document"] == digest_text
            for row in rows
        )
    )


def _is_version(value: object) -> bool:
    """As versions are written: it is shown to whoever reads the document."""
    return isinstance(value, str) and _VERSION.fullmatch(value) is not None


def _names_of(formats: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(KINDS[name].name for name in formats)) or "document"


def parsed(path: Path) -> object:
    """The JSON of a file, within public limits; a ValueError where it is none."""
    with path.open("rb") as stream:
        return parsed_json(stream.read(MOST_BYTES + 1))


def parsed_json(raw: bytes) -> object:
    """JSON as it is written down, within public limits; a ValueError or RecursionError where it is none."""
    require(len(raw) <= MOST_BYTES, "the file is too large")
    # Before every value but the first stands one of these, so what Python would build is bounded by what is read.
    require(sum(map(raw.count, (b",", b"[", b"{"))) < MOST_VALUES, "there are too many values")
    # Before it is parsed, since a parser that calls itself may end with its process where the stack is small.
    require(_depth(raw) <= DEEPEST, "values are nested too deeply")
    tree: object = json.loads(
        raw.decode("utf-8"),
        object_pairs_hook=_once,
        parse_constant=_no_constant,
        parse_int=_integer,
        parse_float=_finite,
    )
    require_bounded(tree)
    return tree


def _depth(raw: bytes) -> int:
    """How deeply brackets are nested, those in texts aside; exact for JSON, and as far as something else is JSON."""
    if sum(map(raw.count, (b"[", b"{"))) <= DEEPEST:
        return 0
    brackets = _TEXT.sub(b"", raw).translate(None, _NO_BRACKETS)
    return max(accumulate(1 if byte in b"[{" else -1 for byte in brackets), default=0)


def require_bounded(tree: object) -> None:
    """Refuse data too deep or too many to be walked through; without recursion, so that depth itself does no harm."""
    level, count = [tree], 0
    for _ in range(DEEPEST):
        count += len(level)
        require(count <= MOST_VALUES, "there are too many values")
        inner: list[object] = []
        for value in level:
            if isinstance(value, Mapping):
                inner += value.values()
            elif isinstance(value, (list, tuple)):
                inner += value
        if not inner:
            return
        level = inner
    require(False, "values are nested too deeply")


def _integer(digits: str) -> int:
    require(len(digits) <= MOST_DIGITS, "an integer is too long")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    require(math.isfinite(number), "a number is out of range")
    return number


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object in which no name stands twice: of two values a digest would cover only the last."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise Malformed(f"it has the key '{twice[:40]}' twice in one entry")
    return entries


def _no_constant(name: str) -> Any:
    raise Malformed(f"{name} is not JSON")
