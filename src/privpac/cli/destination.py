"""A file a command will write: checked before any work, written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privpac.cli import console
from privpac.drafts import draft_of, whole_file
from privpac.errors import ParameterError, PrivpacError

__all__ = ["UNCOUNTED", "Destination", "paid_for", "require_out", "seed_advice", "warn_uncounted"]

UNCOUNTED = (
    "Nobody will count what this run reveals, because no --ledger is given; runs on the same records add up. To have"
    " them counted, stop this one (Ctrl-C), make a budget once with `privpac ledger create budget.sqlite --epsilon"
    " TOTAL`, and add --ledger budget.sqlite."
)


def require_out(out: str | None, ledger: str | None, *, owner: str, as_json: bool) -> None:
    """Refuse to charge a budget for a model that nobody keeps: it is neither written to a file nor printed whole."""
    if ledger is not None and out is None and not as_json:
        raise ParameterError(
            owner,
            "out",
            None,
            allowed="a file for the model when a ledger is charged for it",
            remedy="Add --out model.json.",
        )


def warn_uncounted(ledger: str | None, random_state: int | None, *, as_json: bool) -> None:
    """Say before the draw that no budget is charged for it; what is drawn from a seed is not for release anyway."""
    if ledger is None and random_state is None:
        console.note(UNCOUNTED, as_json=as_json)


def seed_advice(coins: str) -> list[str]:
    """What to say of a release by the origin of its coins: those of a seed are not for release."""
    from privpac.guarantee.certificate import SEED_WARNING

    return [] if coins == "system" else [f"{SEED_WARNING}."]


@contextmanager
def paid_for(document: Mapping[str, Any]) -> Iterator[None]:
    """What is written inside is paid for, so it must not be lost with the disk it was meant for: it is printed then."""
    try:
        yield
    except (OSError, PrivpacError) as problem:
        console.show_json(document)
        reason = problem.strerror if isinstance(problem, OSError) else problem.problem
        raise PrivpacError(
            f"Not every file could be written: {reason}".rstrip(".") + ".",
            remedy="What was paid for was printed instead; keep it.",
        ) from None


@dataclass(frozen=True)
class Destination:
    """Somewhere a file can be written, as found out by trying, before anything is spent."""

    path: Path

    @classmethod
    def of(
        cls,
        text: str | None,
        *,
        owner: str,
        option: str,
        keep: Sequence[str | None] = (),
        force: bool = False,
    ) -> Destination | None:
        """The checked destination, or None if none was asked for. Files in `keep` must not be overwritten.

        Nor is any other file unless `force` says so: a released model was paid for, and cannot be drawn again.
        """
        if text is None:
            return None
        path = Path(text)

        def wrong(requirement: str, remedy: str = "") -> ParameterError:
            return ParameterError(owner, option, text, allowed=requirement, remedy=remedy)

        if not path.parent.is_dir():
            raise wrong("a file in an existing folder", f"Make the folder {str(path.parent)!r} first.")
        if not path.name or path.is_dir():
            raise wrong("the name of a file, not of a folder")
        for other in keep:
            if other is not None and _same(path, _file(other)):
                raise wrong("a file of its own", f"Writing it would destroy {other!r}.")
        if path.exists() and not force:
            raise wrong(
                "a file that does not exist yet", "Choose another name, or overwrite it with --force."
            )
        try:
            probe = draft_of(path)
            probe.touch()
            probe.unlink()
        except OSError as problem:
            raise wrong(f"a place that can be written to ({problem.strerror})") from None
        return cls(path)

    def write(self, text: str) -> None:
        """Put the whole text there, in UTF-8; an older file stays until the new one is complete."""
        try:
            with whole_file(self.path) as draft, draft.open("w", encoding="utf-8", newline="") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as problem:
            raise PrivpacError(
                f"{str(self.path)!r} cannot be written: {problem.strerror}.", remedy="Free the disk or move."
            ) from None


def _file(place: str) -> Path:
    """The file behind a place that may also be the URL of a ledger."""
    from privpac.guarantee.ledger.store import SQLITE, sqlite_file

    return Path(sqlite_file(place) if place.startswith(SQLITE) else place)


def _same(path: Path, other: Path) -> bool:
    try:
        return path.resolve() == other.resolve() or (path.exists() and path.samefile(other))
    except OSError:
        return False
