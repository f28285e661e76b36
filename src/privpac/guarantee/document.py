"""JSON documents with a format and a digest: read strictly, or refused.

The digest shows accidental edits; it does not authenticate (docs/understand/limits.md).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from privpac import fields
from privpac.errors import DataError, NotCertified
from privpac.fields import parsed_json

__all__ = ["canonical", "digest", "parsed", "read_document", "same"]


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
        return parsed_json(stream.read(fields.MOST_BYTES + 1))
