"""JSON documents with a format and a digest: read strictly, or refused.

The digest shows accidental edits; it does not authenticate (docs/understand/limits.md).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from privpac.errors import DataError, NotCertified
from privpac.fields import MOST_DIGITS, require

__all__ = ["canonical", "digest", "parsed", "read_document", "require_bounded", "same"]

MOST_BYTES = 2**28
"""Of a file; the largest released tables have some ten million bytes."""

MOST_VALUES = 2**24
"""Values in a document, those inside of others included."""

DEEPEST = 256
"""Values inside of each other: a derivation of a hundred steps takes two levels for each."""


def canonical(tree: object) -> str:
    """The one text of JSON data: sorted keys, no spaces. It tells true from 1 and 2.0 from 2."""
    return json.dumps(tree, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def same(a: object, b: object) -> bool:
    """Whether two documents are the same text, not merely equal numbers."""
    return canonical(a) == canonical(b)


def digest(tree: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical form without the digest itself."""
    bare = canonical({key: value for key, value in tree.items() if key != "digest"})
    return "sha256:" + hashlib.sha256(bare.encode("ascii")).hexdigest()


def read_document(
    path: str | os.PathLike[str],
    *,
    format: str,  # noqa: A002
    what: str,
    older: Collection[str] = (),
) -> dict[str, Any]:
    """The JSON of a file of this format, or an `older` one, whose digest matches; `what` is its name for people."""
    try:
        tree = parsed(Path(path))
    except FileNotFoundError:
        raise DataError(f"There is no file {str(path)!r}.") from None
    except (OSError, ValueError, RecursionError):
        raise NotCertified(
            f"{str(path)!r} is not a complete {what}: it cannot be read as JSON.",
            remedy="Copy it again from where it was made.",
        ) from None
    if not isinstance(tree, dict) or tree.get("format") not in (format, *older):
        raise NotCertified(f"{str(path)!r} is not a {what} of format {format}.")
    if tree.get("digest") != digest(tree):
        raise NotCertified(
            f"{str(path)!r} was changed after it was written: its digest does not match.",
            remedy="Copy it again from where it was made.",
        )
    return tree


def parsed(path: Path) -> object:
    """The JSON of a file, within public limits; a ValueError where it is none."""
    with path.open("rb") as stream:
        raw = stream.read(MOST_BYTES + 1)
    require(len(raw) <= MOST_BYTES, "the file is too large")
    tree: object = json.loads(
        raw.decode("utf-8"),
        object_pairs_hook=_once,
        parse_constant=_no_constant,
        parse_int=_integer,
        parse_float=_finite,
    )
    require_bounded(tree)
    return tree


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
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name stands twice")
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
