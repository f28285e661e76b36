"""What a plan may simulate, how long, and where results are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

__all__ = ["SECONDS", "Keep", "Simulation"]

Progress = Callable[[str, int, int], None]
"""(what, done, of)."""


SECONDS = 40.0
"""A minute, with room for estimates that are too low."""


class Keep(Protocol):
    """Somewhere to keep what simulations found."""

    def get(self, name: str, *, options: str) -> Any | None:
        """What was kept under this name, if it was computed with these options; otherwise None."""

    def put(self, name: str, value: object, *, options: str) -> None:
        """Keep a value under this name, together with the options it was computed with."""


@dataclass(frozen=True)
class Simulation:
    """What to simulate on: nothing given means the built-in hard distributions, or synthetic tables."""

    table: Any = None
    marginals: str | Path | Mapping[str, Any] | None = None
    keep: Keep | None = None
    progress: Progress | None = None
    seconds: float = SECONDS
    """What all rows together may take, by the public estimates of what they run: more seconds, narrower intervals."""

    @property
    def on_tables(self) -> bool:
        """Whether records are drawn from a table, or from marginals, that a person brought."""
        return self.table is not None or self.marginals is not None
