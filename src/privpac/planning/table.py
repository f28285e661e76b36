"""The rows of a plan: all options that answer a question, cheapest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privpac.errors import ParameterError
from privpac.planning.answer import Answer
from privpac.planning.question import Question
from privpac.report.forecast import Forecast, NoForecast

if TYPE_CHECKING:
    from privpac.planning.simulation import NotSimulated, Simulation

__all__ = ["PlanTable"]


@dataclass(frozen=True)
class PlanTable:
    """All that answers one question, in the order of `Answer.order`."""

    question: Question
    answers: tuple[Answer, ...]
    advice: tuple[str, ...] = ()
    expected: Forecast | NoForecast | None = None
    """What to expect of a rule that is learnt with these numbers; None where they are not all known."""
    simulated: Simulation | NotSimulated | None = None
    """What it gave on invented records, where that was asked."""

    @property
    def best(self) -> Answer | None:
        """The cheapest answer; None where nothing can be promised."""
        return self.answers[0] if self.answers else None

    @property
    def headline(self) -> Answer | None:
        """The answer to plan with: the cheapest that needs no records without labels, and of these the cheapest that
        holds whatever the records are like; where there is none, the cheapest of all."""
        alone = [row for row in self.answers if not row.need.unlabelled]
        # Of several classes, the one that was asked about: the default, where it promises something.
        alone = [row for row in alone if row.concepts.word == self.question.asked.concepts] or alone
        anything = (row for row in alone if row.option.setting == "agnostic")
        return next(anything, alone[0] if alone else self.best)

    @property
    def perfect(self) -> Answer | None:
        """The answer that promises more than the headline does, if some rule of its class never errs."""
        first = self.headline
        if first is None or first.option.setting == "realizable":
            return None
        rows = (
            row
            for row in self.answers
            if row.option.setting == "realizable"
            and row.concepts == first.concepts
            and not row.need.unlabelled
            and row.proved < first.proved
        )
        return next(rows, None)

    def option(self, learner: str, setting: str | None = None) -> Answer:
        """The first answer of a learner, in a setting if given."""
        for answer in self.answers:
            if answer.option.learner == learner and setting in (None, answer.option.setting):
                return answer
        choices = ", ".join(sorted({f"{row.option.learner} ({row.option.setting})" for row in self.answers}))
        raise ParameterError(
            "Plan.option", "learner", learner, allowed=f"one of {choices or 'none: nothing is promised'}"
        )

    def to_json(self) -> dict[str, Any]:
        """The question, its rows and the advice, as JSON."""
        return {
            "question": self.question.to_json(),
            "options": [row.to_json() for row in self.answers],
            "advice": list(self.advice),
            "forecast": None if self.expected is None else self.expected.to_json(),
            "simulation": None if self.simulated is None else self.simulated.to_json(),
        }
