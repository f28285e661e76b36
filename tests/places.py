"""Where temporary files of the tests are: in memory if there is room, for ledgers wait for the disk at each charge."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

__all__ = ["TEMPORARY", "WORKER"]

WORKER = "PYTEST_XDIST_WORKER"
"""Set in the processes that a run shares its tests among."""
IN_MEMORY = Path("/dev/shm")
ROOM = 2**30
"""Bytes that must be free there; a run needs a tenth of that."""


def _use_memory() -> None:
    """From now on, and in the processes that a run starts; not where somebody chose a place."""
    if "TMPDIR" not in os.environ and _has_room(IN_MEMORY):
        os.environ["TMPDIR"] = str(IN_MEMORY)
        tempfile.tempdir = None  # look again


def _has_room(place: Path) -> bool:
    return place.is_dir() and os.access(place, os.W_OK) and shutil.disk_usage(place).free >= ROOM


_use_memory()
TEMPORARY = Path(tempfile.gettempdir())
"""Below it, pytest makes folders that only one user may enter."""
