"""A plan: all options that answer a question, cheapest first, with advice in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape

from privpac.constructions.wish import OWNER
from privpac.numbers.parameters import Number, positive
from privpac.planning.advice import advise
from privpac.planning.answer import answer
from privpac.planning.curves import PlanDisplay
from privpac.planning.expected import expected_of
from privpac.planning.question import Question
from privpac.planning.table import PlanTable
from privpac.planning.words import plan_text

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
        return PlanDisplay.of(self, against, learner=learner)

    def __repr__(self) -> str:
        return (
            f"<Plan for {self.question.asked.concepts}: {len(self.answers)} rows; print it for the numbers>"
        )

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
    """Ask every option, and say what follows; in so many `seconds` it is tried on invented records, or on a public
    `table`."""
    simulated = None
    if seconds is not None:
        from privpac.planning.tried import tried  # which loads what it runs

        simulated = tried(question, seconds=seconds, table=table, progress=progress)
    rows = [
        row
        for concepts in question.classes
        for option in question.options(concepts)
        if (row := answer(question, option, concepts)) is not None
    ]
    in_order = tuple(sorted(rows, key=lambda row: row.order))
    plan = Plan(question, in_order, expected=expected_of(question), simulated=simulated)
    return replace(plan, advice=tuple(advise(plan)))
