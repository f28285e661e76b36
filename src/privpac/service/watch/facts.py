"""What a route tells those who watch it: counts and names, never rows, answers or keys."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privpac.faults import place_of
from privpac.service.watch.causes import cause_of

__all__ = ["FACTS", "Facts", "facts_of"]

FACTS = "privpac.facts"


@dataclass
class Facts:
    """What a route adds to the line of its request."""

    key: str | None = None
    rows: int | None = None
    epsilon: Fraction | None = None
    code: str | None = None
    fault: str | None = None
    """Its type and its place: all that is told of it."""
    cause: str | None = None
    """What the ledger's database had against it."""

    def failed(self, fault: BaseException) -> None:
        """Remember a fault. At once: the framework takes its trace away when it has been handled."""
        self.fault = f"{type(fault).__name__} in {place_of(fault)}"
        self.cause = cause_of(fault)


def facts_of(scope: MutableMapping[str, Any]) -> Facts:
    """Those of a request."""
    facts: Facts = scope.setdefault(FACTS, Facts())
    return facts
