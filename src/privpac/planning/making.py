"""A plan: all ways that answer a question, cheapest first, with advice in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING

from privpac.numbers.parameters import Number, positive
from privpac.planning.advice import advise
from privpac.planning.expected import expected_of
from privpac.planning.question import OWNER, Question
from privpac.planning.table import PlanTable, rows_of
from privpac.planning.text import plan_text

if TYPE_CHECKING:
    from privpac.planning.curves import PlanDisplay

__all__ = ["SECONDS", "Plan", "Progress", "make", "read_seconds"]

Progress = Callable[[int, int], None]
"""(done, of)."""

SECONDS = 20.0
"""About how long somebody waits for a simulation."""


@dataclass(frozen=True, repr=False)
class Plan(PlanTable):
    """The answer to one question. `str` and `to_json` for people and programs, `curves` for pictures."""

    def curves(self, against: str = "epsilon", *, learner: str | None = None) -> PlanDisplay:
        """Records against epsilon, error or bits: proved and floor (see `privpac.planning.curves`)."""
        from privpac.planning.curves import PlanDisplay

        return PlanDisplay.of(self, against, learner=learner)

    def __repr__(self) -> str:
        return f"<Plan for {self.question.asked.concepts}: {len(self.rows)} rows; print it for the numbers>"

    def __str__(self) -> str:
        return plan_text(self)

    def _repr_html_(self) -> str:
        """The same for a notebook, where lines keep their columns."""
        return f"<pre>{escape(str(self))}</pre>"


def read_seconds(value: Number) -> float:
    """How long to simulate, as a person wrote it."""
    return float(positive(value, owner=OWNER, name="seconds"))


def make(
    question: Question,
    *,
    seconds: float | None = None,
    table: object = None,
    progress: Progress | None = None,
) -> Plan:
    """Ask every way, and say what follows; in so many `seconds` it is tried on invented records, or on a public
    `table`."""
    simulated = None
    if seconds is not None:
        from privpac.planning.tried import tried  # which loads what it runs

        simulated = tried(question, seconds=seconds, table=table, progress=progress)
    plan = Plan(question, rows_of(question), expected=expected_of(question), simulated=simulated)
    return replace(plan, advice=tuple(advise(plan)))
