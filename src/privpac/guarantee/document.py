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

from privpac.errors import DataError, NotCertified

__all__ = ["digest", "read_document"]


def digest(tree: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical form: sorted keys, no spaces, without the digest itself."""
    bare = {key: value for key, value in tree.items() if key != "digest"}
    canonical = json.dumps(bare, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return "sha256:" + hashlib.sha256(canonical.encode("ascii")).hexdigest()


def read_document(
    path: str | os.PathLike[str],
    *,
    format: str,  # noqa: A002
    what: str,
    older: Collection[str] = (),
) -> dict[str, Any]:
    """The JSON of a file of this format, or an `older` one, whose digest matches; `what` is its name for people."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        tree = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
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


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object in which no name stands twice: of two values a digest would cover only the last."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name stands twice")
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
