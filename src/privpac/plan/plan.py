"""A plan: all options that answer a question, cheapest first, with advice in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from privpac.errors import ParameterError
from privpac.plan.answer import Answer, answer
from privpac.plan.question import Question

if TYPE_CHECKING:
    from privpac.plan.curves import PlanDisplay

__all__ = ["SECONDS", "Keep", "Plan", "Simulation", "make"]

Progress = Callable[[str, int, int], None]
"""(what, done, of)."""


SECONDS = 40.0
"""A minute, with room for estimates that are too low."""


class Keep(Protocol):
    """Somewhere to keep what simulations found."""

    def get(self, name: str, *, options: str) -> Any | None: ...

    def put(self, name: str, value: Any, *, options: str) -> None: ...


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
        return self.table is not None or self.marginals is not None


@dataclass(frozen=True)
class Plan:
    """The answer to one question. `str` and `to_json` for people and programs, `curves` for pictures."""

    question: Question
    answers: tuple[Answer, ...]
    advice: tuple[str, ...] = ()

    @property
    def best(self) -> Answer | None:
        """The cheapest answer; None where nothing can be promised."""
        return self.answers[0] if self.answers else None

    def option(self, learner: str, setting: str | None = None) -> Answer:
        """The first answer of a learner, in a setting if given."""
        for found in self.answers:
            if found.option.learner == learner and setting in (None, found.option.setting):
                return found
        offered = ", ".join(sorted({f"{row.option.learner} ({row.option.setting})" for row in self.answers}))
        raise ParameterError(
            "Plan.option", "learner", learner, allowed=f"one of {offered or 'none: nothing is promised'}"
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "question": self.question.to_json(),
            "options": [found.to_json() for found in self.answers],
            "advice": list(self.advice),
        }

    def curves(self, against: str = "epsilon", *, learner: str | None = None) -> PlanDisplay:
        """Records against epsilon, error or bits: proved, simulated and floor (see `privpac.plan.curves`)."""
        from privpac.plan.curves import PlanDisplay

        return PlanDisplay.of(self, against, learner=learner)

    def __str__(self) -> str:
        from privpac.plan.words import plan_text

        return plan_text(self)


def make(question: Question, simulation: Simulation | None = None) -> Plan:
    """Ask every option, simulate if wanted, and say what follows."""
    from privpac.plan.advice import advise

    found = [
        made
        for concepts in question.classes
        for option in question.options(concepts)
        if (made := answer(question, option, concepts)) is not None
    ]
    if simulation is not None:
        from privpac.plan.runner import simulated

        found = simulated(question, simulation, found)
    ordered = tuple(sorted(found, key=lambda made: made.order))
    plan = Plan(question, ordered)
    return replace(plan, advice=tuple(advise(plan)))
