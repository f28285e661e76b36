"""The rows of a plan: all options that answer a question, cheapest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privpac.errors import ParameterError
from privpac.plan.answer import Answer
from privpac.plan.question import Question

__all__ = ["PlanTable"]


@dataclass(frozen=True)
class PlanTable:
    """All that answers one question, in the order of `Answer.order`."""

    question: Question
    answers: tuple[Answer, ...]
    advice: tuple[str, ...] = ()
    ranking: str | None = None
    """What a card can be expected to reach, where one was asked for and simulated: the first of the advice."""

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
        alone = [row for row in alone if row.concepts.word == self.question.word] or alone
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
        }
