"""A private folder in which every piece of work has a drawer of its own; names are drawn, never taken from anybody.

What people upload and what is made of it lies on disk, not in memory, so that several worker processes see the same.
Only the person who opened a drawer can open it again, and after an hour it is emptied. What was charged for is kept
for a week, and left on disk when the server ends: it cannot be made a second time without paying again.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from privpac.coins import SystemCoins
from privpac.drafts import whole_file
from privpac.errors import DataError, SizeError

__all__ = ["Drawer", "Drawers", "drawn_name"]

KEEP_SECONDS = 3600
"""How long a drawer is kept after it was last used: a lunch break."""
KEEP_PAID_SECONDS = 7 * 24 * 3600
"""How long what was charged for is kept: over a weekend, for somebody who closed the page too soon."""
MOST_DRAWERS = 500
BITS = 128
NAME = re.compile(r"[0-9a-f]{32}")
STATE = "state.json"
PIECE = 1 << 20


def drawn_name() -> str:
    """A name nobody can guess."""
    return f"{SystemCoins().below(1 << BITS):032x}"


def _nameless(root: Path, sentence: str) -> str:
    """Errors name the file they are about; of one that lies in a drawer nobody needs to know where."""
    roots = "|".join(re.escape(str(path)) for path in (root, root.resolve()))
    inside = rf"(\bfile )?'?(?:{roots})[/\\]+{NAME.pattern}[/\\]+[\w-]+(?:\.\w+)*'?"
    return re.sub(inside, lambda match: "file" if match[1] else "the upload", sentence)


@dataclass(frozen=True)
class Drawer:
    """One folder, readable by the server's own user only. File names in it are ours."""

    path: Path

    @property
    def name(self) -> str:
        """The secret name under which it is found again."""
        return self.path.name

    def file(self, name: str) -> Path:
        """The path of a file in it."""
        return self.path / name

    @property
    def state(self) -> dict[str, Any]:
        """Small facts about the work: who owns it, what was asked, how far it is."""
        with suppress(OSError, ValueError):
            facts: dict[str, Any] = json.loads(self.file(STATE).read_text(encoding="utf-8"))
            return facts
        return {}

    @property
    def is_paid(self) -> bool:
        """Whether a ledger was charged for what lies in it."""
        return bool(self.state.get("charged"))

    @property
    def last_used(self) -> float:
        """When it was last opened or written to, in seconds."""
        return self.path.stat().st_mtime

    def note(self, **facts: object) -> None:
        """Remember more facts; whoever reads meanwhile sees the old ones or the new ones."""
        self.write(STATE, json.dumps({**self.state, **facts}))

    def write(self, name: str, text: str) -> Path:
        """A small file, whole or not at all."""
        with whole_file(self.file(name)) as draft:
            draft.write_text(text, encoding="utf-8", newline="\n")
        return self.file(name)

    def take(self, name: str, stream: IO[bytes], *, most: int) -> Path:
        """Copy an upload into the drawer, refused beyond `most` bytes."""
        path, length = self.file(name), 0
        with path.open("xb") as out:
            while piece := stream.read(PIECE):
                length += len(piece)
                if length > most:
                    break
                out.write(piece)
        if not 0 < length <= most:
            path.unlink()
            if length:
                raise SizeError(
                    f"The file is larger than {most >> 20} MB, the most these pages take.",
                    remedy="Learn from larger tables with privpac learn, which streams them.",
                )
            raise DataError("The file is empty, or none was chosen.", remedy="Choose a file.")
        return path

    def nameless(self, sentence: str) -> str:
        """The same sentence without the place where an upload is kept."""
        return _nameless(self.path.parent, sentence)

    def remove(self) -> None:
        """Delete the drawer with all its files."""
        shutil.rmtree(self.path, ignore_errors=True)


class Drawers:
    """All drawers of a server. Without a `root` the folder is a temporary one; `close` removes a `temporary` one."""

    def __init__(
        self, root: Path | None = None, *, temporary: bool = False, keep_seconds: float = KEEP_SECONDS
    ) -> None:
        self._temporary = temporary or root is None
        self._root = Path(tempfile.mkdtemp(prefix="privpac-pages-")) if root is None else root
        self._root.mkdir(mode=0o700, exist_ok=True)
        self._keep = keep_seconds

    @property
    def root(self) -> Path:
        """The folder that holds all drawers."""
        return self._root

    def new(self, owner: str) -> Drawer:
        """An empty drawer of this person."""
        if self._sweep() >= MOST_DRAWERS:
            raise SizeError("Too much is being worked on at once.", remedy="Try again in a few minutes.")
        drawer = Drawer(self._root / drawn_name())
        drawer.path.mkdir(mode=0o700)
        drawer.note(owner=owner)
        return drawer

    @contextmanager
    def filling(self, owner: str) -> Iterator[Drawer]:
        """An empty drawer of this person, which is gone again if what is put into it fails."""
        drawer = self.new(owner)
        try:
            yield drawer
        except BaseException:
            drawer.remove()
            raise

    def open(self, name: str, owner: str) -> Drawer:
        """The drawer of that name, if this person opened it; nothing else about it is told to others."""
        drawer = Drawer(self._root / name) if NAME.fullmatch(name) else None
        if drawer is None or drawer.state.get("owner") != owner:
            raise DataError(
                "What you were working on is not here any more.",
                remedy="Uploads are removed after an hour, or once learnt from: begin again.",
            )
        os.utime(drawer.path)
        return drawer

    def owned(self, owner: str) -> list[Drawer]:
        """The drawers of this person, the last one used first."""
        drawers = [drawer for drawer in self._all() if drawer.state.get("owner") == owner]
        return sorted(drawers, key=lambda drawer: drawer.last_used, reverse=True)

    def nameless(self, sentence: str) -> str:
        """The same sentence without the place where an upload is kept."""
        return _nameless(self._root, sentence)

    def _all(self) -> Iterator[Drawer]:
        for path in self._root.iterdir():
            yield Drawer(path)

    def _sweep(self) -> int:
        """Empty what nobody used for long; how many are left."""
        count = 0
        for drawer in self._all():
            with suppress(OSError):
                keep = KEEP_PAID_SECONDS if drawer.is_paid else self._keep
                if time.time() - drawer.last_used > keep:
                    drawer.remove()
                else:
                    count += 1
        return count

    def close(self) -> list[Drawer]:
        """Delete the folder, if it was made for this run of the service, but for what was paid for, which is told."""
        if not self._temporary or not self._root.exists():
            return []
        orders = [drawer for drawer in self._all() if drawer.is_paid]
        for drawer in self._all():
            if drawer not in orders:
                drawer.remove()
        if not orders:
            shutil.rmtree(self._root, ignore_errors=True)
        return orders
