"""What a person has going on or has made lately, so that somebody who closed the page finds it again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from privpac.service.pages.drawers import Drawer
from privpac.service.pages.jobs import BUSY

__all__ = ["Work", "made_of", "works_of"]

NOUNS = {"rule": "a rule", "answers": "a bundle that answers", "table": "synthetic records"}


@dataclass(frozen=True)
class Work:
    """One line of the list: what it is, of which table, and the page that leads on."""

    what: str
    source: str
    address: str
    age: str
    paid: bool


def works_of(drawers: Sequence[Drawer]) -> list[Work]:
    """What is being made, and what is done; forms that were only begun are left out."""
    lines = [_line(drawer) for drawer in drawers]
    return [line for line in lines if line is not None]


def made_of(drawer: Drawer, others: Sequence[Drawer]) -> Drawer | None:
    """What the order of this drawer made, if it is done and still here."""
    state = drawer.state
    if state.get("job") != "done":
        return None
    return next((other for other in others if other.name == state.get("made")), None)


def _line(drawer: Drawer) -> Work | None:
    state = drawer.state
    if state.get("job") in BUSY:
        return Work("being learnt", state["shown"], f"learn/{drawer.name}", _age(state["since"]), False)
    if "command" in state and state.get("made") in NOUNS and "since" in state:
        address = f"learn/model/{drawer.name}"
        return Work(
            NOUNS[state["made"]], state["source"], address, _age(state["since"]), bool(state["charged"])
        )
    return None


def _age(since: float) -> str:
    """How long ago, in the largest unit that has passed.

    >>> _age(time.time() - 200), _age(time.time() - 7300)
    ('3 minutes ago', '2 hours ago')
    """
    seconds = max(0, int(time.time() - since))
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if count := seconds // length:
            return f"{count} {unit}{'s' * (count > 1)} ago"
    return "just now"
