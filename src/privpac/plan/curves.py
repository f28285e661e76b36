"""Pictures of a plan: records against epsilon, error or domain bits, proved, simulated and the floor."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privpac.constructions.rule_lists import short_word
from privpac.errors import ParameterError
from privpac.numbers.exact import plain
from privpac.pictures.curves import Curves, Series
from privpac.plan.answer import Answer, answer, hard_estimate
from privpac.plan.columns import name_in_words
from privpac.plan.question import Question
from privpac.plan.table import PlanTable

__all__ = ["PlanDisplay"]

OWNER = "curves"
AXES = {
    "epsilon": "privacy loss epsilon",
    "error": "error",
    "bits": "bits of the domain",
}
FACTORS = tuple(2 ** Fraction(k, 2) for k in range(-7, 8))
ERRORS = tuple(Fraction(k, 100) for k in (1, 2, 3, 5, 7, 10, 14, 20, 28, 40))
BITS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
MOST_OPTIONS = 4
"""More curves than this cannot be told apart."""


@dataclass(frozen=True)
class PlanDisplay:
    """Records needed along one axis; `plot` draws on matplotlib axes, `save` writes an SVG or PNG file.

    As displays of scikit-learn do, it keeps the numbers, so that a picture can be made again in another style.
    """

    against: str
    x: tuple[float, ...]
    rows: tuple[Series, ...]
    curves: Curves

    @classmethod
    def of(
        cls, plan: PlanTable, against: str = "epsilon", *, learner: str | None = None, simulated: bool = True
    ) -> PlanDisplay:
        """The curves of a plan's options around the numbers it was asked with; without what is `simulated`, sooner."""
        if against not in AXES:
            raise ParameterError(OWNER, "against", against, allowed="one of " + ", ".join(AXES))
        centre = _as_needed(plan)
        if against == "bits" and centre.subject.bits is None:
            raise ParameterError(
                OWNER, "against", against, allowed="epsilon or error", remedy="Only --bits can vary the bits."
            )
        chosen = [row for row in plan.answers if learner in (None, row.option.learner)][:MOST_OPTIONS]
        if not chosen:
            raise ParameterError(
                OWNER,
                "learner",
                learner,
                allowed="a learner of the plan",
                remedy="Ask for a larger error or epsilon.",
            )
        xs = _places(centre, against)
        rows = tuple(
            series for row in chosen for series in _series(centre, row, against, xs, simulated=simulated)
        )
        x = tuple(float(value) for value in xs)
        return cls(against, x, rows, _curves(centre, against, rows))

    def plot(self, ax: object = None) -> PlanDisplay:
        """Draw on the given axes, or on new ones of pyplot."""
        if ax is None:
            from privpac.pictures.curves import require_matplotlib

            require_matplotlib()
            import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        self.curves._draw(ax)
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an .svg or .png file."""
        self.curves.save(path)


def _as_needed(plan: PlanTable) -> Question:
    """Every picture shows records: other questions are turned around at what was found."""
    question = plan.question
    if question.kind == "needed":
        return question
    best = plan.best
    error = Fraction(1, 10) if best is None else best.wish.error
    epsilon = Fraction(1) if best is None else best.wish.epsilon
    return question.with_(kind="needed", error=error, epsilon=epsilon, records=None)


def _places(question: Question, against: str) -> tuple[Any, ...]:
    if against == "error":
        return ERRORS
    if against == "bits":
        return BITS
    assert question.epsilon is not None
    return tuple(Fraction(f"{float(question.epsilon * factor):.3g}") for factor in FACTORS)


def _at(question: Question, against: str, value: Any) -> Question:
    if against == "bits":
        return question.with_(subject=question.subject.at("bits", int(value)))
    return question.with_(**{against: value})


def _same_row(question: Question, like: Answer) -> Answer | None:
    concepts = next(
        facts
        for facts in question.classes
        if facts.kind == like.concepts.kind and facts.parts == like.concepts.parts
    )
    return answer(question, like.option, concepts)


def _series(
    question: Question, like: Answer, against: str, xs: tuple[Any, ...], *, simulated: bool
) -> list[Series]:
    """Proved, simulated on the built-in hard distribution, and the floor of one option."""
    questions = [_at(question, against, x) for x in xs]
    rows = [_same_row(each, like) for each in questions]
    hard = [
        None if row is None or not simulated else hard_estimate(each, row)
        for each, row in zip(questions, rows, strict=True)
    ]
    name = name_in_words(like)
    if question.word == "auto":
        name = f"{name}, {like.concepts.word}"
    x = [float(value) for value in xs]
    proved = [None if row is None else float(row.need.labelled) for row in rows]
    lines = [Series(f"{name}: proved", x, proved, group=name)]
    if any(estimate is not None for estimate in hard):
        values = [None if estimate is None else float(estimate.value) for estimate in hard]
        lines.append(Series(f"{name}: hard distribution", x, values, kind="points", group=name))
    if any(row is not None and row.floor for row in rows):
        values = [None if row is None or not row.floor else float(row.floor) for row in rows]
        lines.append(Series(f"{name}: floor", x, values, dashed=True, group=name))
    return lines


def _curves(question: Question, against: str, rows: tuple[Series, ...]) -> Curves:
    fixed = [
        f"{name} {plain(value)}"
        for name, value in (
            ("error", question.error),
            ("epsilon", question.epsilon),
            ("failure", question.failure),
        )
        if value is not None and name != against
    ]
    if question.subject.bits is not None and against != "bits":
        fixed.insert(0, f"{question.subject.bits} bits")
    return Curves(
        title=f"Records needed for {short_word(question.word)} ({', '.join(fixed)})",
        x_label=AXES[against],
        y_label="labelled records",
        series=_distinct(rows),
        log_x=True,
        log_y=True,
        x_ticks=BITS if against == "bits" else None,
        note="Below a floor no algorithm of that kind can; from the proved number on the promise holds.",
    )


def _distinct(rows: tuple[Series, ...]) -> tuple[Series, ...]:
    """A floor that two options share is drawn once."""
    seen: set[tuple[float | None, ...]] = set()
    different = []
    for series in rows:
        values = tuple(series.y)
        if values not in seen:
            different.append(series)
        seen.add(values)
    return tuple(different)
