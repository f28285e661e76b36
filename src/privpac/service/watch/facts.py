"""What a route tells those who watch it: counts and names, never rows, answers or keys."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

__all__ = ["FACTS", "Facts", "facts_of"]

FACTS = "privpac.facts"


@dataclass
class Facts:
    """What a route adds to the line of its request."""

    key: str | None = None
    rows: int | None = None
    epsilon: Fraction | None = None
    code: str | None = None
    fault: Exception | None = None
    """Only its type and place are told."""


def facts_of(scope: MutableMapping[str, Any]) -> Facts:
    """Those of a request."""
    facts: Facts = scope.setdefault(FACTS, Facts())
    return facts
