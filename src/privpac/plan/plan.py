"""A plan: all options that answer a question, cheapest first, with advice in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape

from privpac.plan.advice import advise
from privpac.plan.answer import answer
from privpac.plan.curves import PlanDisplay
from privpac.plan.optimum import OptimumTable, optimum_table
from privpac.plan.question import Question
from privpac.plan.simulation import Simulation
from privpac.plan.table import PlanTable
from privpac.plan.words import plan_text

__all__ = ["Plan", "make"]

REST = 0.5
"""The part of the seconds that the rows may take where cards were tried first."""


@dataclass(frozen=True, repr=False)
class Plan(PlanTable):
    """The answer to one question. `str` and `to_json` for people and programs, `curves` for pictures."""

    def curves(self, against: str = "epsilon", *, learner: str | None = None) -> PlanDisplay:
        """Records against epsilon, error or bits: proved, simulated and floor (see `privpac.plan.curves`)."""
        return PlanDisplay.of(self, against, learner=learner)

    def optimum(self) -> OptimumTable:
        """The best private learner there is, for thresholds or points on a few cells (see `privpac.plan.optimum`)."""
        return optimum_table(self.question)

    def __repr__(self) -> str:
        return f"<Plan for {self.question.word}: {len(self.answers)} rows; print it for the numbers>"

    def __str__(self) -> str:
        return plan_text(self)

    def _repr_html_(self) -> str:
        """The same for a notebook, where lines keep their columns."""
        return f"<pre>{escape(str(self))}</pre>"


def make(question: Question, simulation: Simulation | None = None) -> Plan:
    """Ask every option, simulate if wanted, and say what follows."""
    rows = [
        row
        for concepts in question.classes
        for option in question.options(concepts)
        if (row := answer(question, option, concepts)) is not None
    ]
    ranking = None
    if simulation is not None:
        from privpac.plan.ranking import expected_ranking  # which loads what it runs
        from privpac.plan.runner import simulated

        ranking = expected_ranking(question, simulation)
        rows = simulated(question, simulation, rows, share=1.0 if ranking is None else REST)
    in_order = tuple(sorted(rows, key=lambda row: row.order))
    plan = Plan(question, in_order)
    first = () if ranking is None else (ranking,)
    return replace(plan, advice=(*first, *advise(plan)), ranking=ranking)
