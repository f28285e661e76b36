"""Results that take minutes, kept between runs: in the user's cache folder, by version, code and options.

A kept result is used only for the very code that made it: its key holds a digest of the package's source.
Where the folder cannot be written, nothing is kept and nothing fails.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from privpac import __version__
from privpac.drafts import whole_file

__all__ = ["Cache", "fingerprint", "folder"]

VARIABLE = "PRIVPAC_CACHE"
"""Environment variable that names another folder."""


def folder() -> Path:
    """Where this system keeps what can be made anew."""
    if path := os.environ.get(VARIABLE):
        return Path(path)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "privpac"


@lru_cache(maxsize=2)
def fingerprint(further: Path | None = None) -> str:
    """Version and a digest of every source file, those of a further folder among them: what was computed by other code
    is not the same result."""
    digest = hashlib.blake2b(digest_size=12)
    for root in (Path(__file__).resolve().parent.parent, *([] if further is None else [further])):
        for path in sorted(root.rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{__version__}-{digest.hexdigest()}"


class Cache:
    """Plain data by name and options, made by the package and perhaps by the `code` in another folder."""

    def __init__(self, kind: str, *, code: Path | None = None) -> None:
        self._folder, self._code = folder() / kind, code

    def _path(self, name: str, options: str) -> Path:
        return self._folder / f"{name}-{options}-{fingerprint(self._code)}.json"

    def get(self, name: str, *, options: str) -> Any | None:
        """What was kept, or None."""
        with suppress(OSError, ValueError):
            return json.loads(self._path(name, options).read_text(encoding="utf-8"))
        return None

    def put(self, name: str, value: object, *, options: str) -> None:
        """Keep it, whole or not at all, instead of what older code left under the same name and options."""
        path = self._path(name, options)
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            for older in self._folder.glob(f"{name}-{options}-*.json"):
                older.unlink(missing_ok=True)
            with whole_file(path) as draft:
                draft.write_text(json.dumps(value), encoding="utf-8", newline="\n")
