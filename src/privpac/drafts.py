"""Files that appear complete or not at all: new ones, and ones that take the place of another."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from privpac.errors import ParameterError

__all__ = ["draft_of", "new_file", "whole_file"]


def draft_of(place: Path) -> Path:
    """A path beside the place that nobody else uses."""
    return place.with_name(f".{place.name}.{uuid.uuid4().hex}")


@contextmanager
def whole_file(place: Path) -> Iterator[Path]:
    """A path beside the place; what was written there takes the place once it is complete, and is gone otherwise."""
    draft = draft_of(place)
    try:
        yield draft
        os.replace(draft, place)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def new_file(place: Path) -> Iterator[Path]:
    """A draft beside the place, which gets its name once it is complete; `FileExistsError` if that is taken.

    It exists already, empty, and only its owner may read it, whatever files usually look like: it will hold hashes of
    keys and answers. What SQLite writes beside a file has the same rights.
    """
    if place.exists():
        raise FileExistsError(str(place))
    if not place.parent.is_dir():
        raise ParameterError("Ledger", "path", str(place), allowed="in an existing folder")
    draft = draft_of(place)
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        yield draft
        _publish(draft, place)
    finally:
        draft.unlink(missing_ok=True)


def _publish(draft: Path, place: Path) -> None:
    """Give the finished draft its name, unless the name is taken; then make the name itself durable."""
    try:
        os.link(draft, place)
    except FileExistsError:
        raise
    except OSError:  # a drive without hard links: reserve the name, then fill it
        with place.open("xb"):
            pass
        os.replace(draft, place)
    with suppress(OSError):  # Windows cannot open a folder, and needs no such step
        folder = os.open(place.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
