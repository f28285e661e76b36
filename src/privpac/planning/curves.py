"""Pictures of a plan: records against epsilon, error or domain bits, proved and the floor."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction

from privpac.constructions.rule_lists import short_word
from privpac.errors import ParameterError, PrivpacError
from privpac.numbers.exact import plain
from privpac.pictures.curves import Curves, Series
from privpac.planning.question import Question
from privpac.planning.search import LARGEST_EPSILON
from privpac.planning.table import PlanTable, Row, row_of
from privpac.planning.text import count, name_in_words, number_text, visible_rows
from privpac.planning.ways import class_asked

__all__ = ["PlanDisplay"]

OWNER = "curves"
AXES = {
    "epsilon": "privacy loss epsilon",
    "error": "error",
    "bits": "bits of the domain",
}
FACTORS = tuple(Fraction(2) ** k for k in range(-3, 4))
"""Around what was asked, or found: it stands in the middle, as far as there is anything on both sides."""
BITS = (4, 8, 16, 32, 64, 128)
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
    def of(cls, plan: PlanTable, against: str = "epsilon", *, learner: str | None = None) -> PlanDisplay:
        """The curves of a plan's options around the numbers it was asked with."""
        if against not in AXES:
            raise ParameterError(OWNER, "against", against, allowed="one of " + ", ".join(AXES))
        centre = _as_needed(plan)
        if against == "bits" and centre.asked.bits is None:
            raise ParameterError(
                OWNER, "against", against, allowed="epsilon or error", remedy="Only --bits can vary the bits."
            )
        choice = _rows_to_draw(plan, learner)
        xs = _places(centre, against, _marked_numbers(plan, choice[0], against))
        rows = tuple(series for row in choice for series in _series(centre, row, against, xs))
        marks = _marks(plan, centre, choice[0], against)
        x = tuple(float(value) for value in xs)
        return cls(against, x, rows, _curves(centre, against, (*rows, *marks), x))

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


def _rows_to_draw(plan: PlanTable, learner: str | None) -> list[Row]:
    """The rows that are drawn: those that the first paragraph speaks of, then the cheapest of those in the table."""
    first = [row for row in (plan.headline, plan.perfect) if row is not None]
    rows = [*first, *(row for row in visible_rows(plan) if row not in first)]
    choice = [row for row in rows if learner in (None, row.learner)][:MOST_OPTIONS]
    if not plan.rows:
        raise PrivpacError(
            "There is nothing to draw: nothing can be promised with these numbers.",
            remedy="Ask for a larger error, a larger epsilon or more records.",
        )
    if not choice:
        raise ParameterError(OWNER, "learner", learner, allowed="a learner of the plan")
    return choice


def _as_needed(plan: PlanTable) -> Question:
    """Every picture shows records: other questions are turned around at what the first paragraph says."""
    question, best = plan.question, plan.headline
    if question.kind == "needed" or best is None:
        return question
    return question.asking(error=best.error, epsilon=best.epsilon, records=None)


def _marked_numbers(plan: PlanTable, row: Row, against: str) -> list[Fraction]:
    """What must lie within the drawn range: the number that was asked or found, and what is impossible."""
    centre = _as_needed(plan)
    if against == "bits":
        assert centre.asked.bits is not None
        return [Fraction(centre.asked.bits)]
    here = centre.asked.error if against == "error" else centre.asked.epsilon
    assert here is not None
    return [here, Fraction(row.floor)] if _is_asked(plan, against) and row.floor else [here]


def _is_asked(plan: PlanTable, against: str) -> bool:
    """Whether the picture goes along the very number that was asked for."""
    return (plan.question.kind, against) in (("reachable", "error"), ("smallest_epsilon", "epsilon"))


def _places(question: Question, against: str, marks: list[Fraction]) -> tuple[int | Fraction, ...]:
    """Where curves have points: around what is marked, and there too."""
    if against == "bits":
        bits = int(marks[0])
        further = [2 * bits, bits + bits // 2] if bits > BITS[-1] // 2 else []
        return tuple(sorted({*BITS, *further, bits}))
    most = Fraction(1, 2) if against == "error" else Fraction(LARGEST_EPSILON)
    around = {Fraction(f"{float(marks[0] * factor):.3g}") for factor in FACTORS}
    return tuple(sorted({value for value in (*around, *marks) if 0 < value < most}))


def _marks(plan: PlanTable, centre: Question, row: Row, against: str) -> list[Series]:
    """The answer, and what is impossible: a point each, named by its number."""
    have = plan.question.asked.records
    here = _marked_numbers(plan, row, against)
    records = row.records if have is None or row.asks == "needed" else have
    marks = [_mark(f"the answer: {_with_unit(row, row.proved)}", here[0], records, "answer")]
    if not row.floor:
        return marks
    if _is_asked(plan, against):
        return [*marks, _mark(f"impossible below: {_with_unit(row, row.floor)}", here[1], records, "floor")]
    same = _same_row(centre, row)
    floor = None if same is None else same.floor
    if floor:
        marks.append(_mark(f"impossible below: {count(int(floor))}", here[0], int(floor), "floor"))
    return marks


def _with_unit(row: Row, value: int | Fraction) -> str:
    """The number that was asked for, with its unit, as the plan says it."""
    number = number_text(value, up=value is row.proved or value == row.proved)
    unit = {"needed": "{} records", "reachable": "error {}", "smallest_epsilon": "epsilon {}"}[row.asks]
    return unit.format(number)


def _mark(label: str, x: Fraction, y: int, group: str) -> Series:
    return Series(label, [float(x)], [float(y)], kind="mark", dashed=group == "floor", group=group)


def _same_row(question: Question, like: Row) -> Row | None:
    """The same way, asked with other numbers."""
    return row_of(like.way.of(question), like.setting, class_asked(question))


def _series(question: Question, like: Row, against: str, xs: tuple[int | Fraction, ...]) -> list[Series]:
    """Proved, and the floor of one option."""
    rows = [_same_row(question.at(against, x), like) for x in xs]
    name = name_in_words(like)
    if question.asked.concepts == "auto":
        name = f"{name}, {like.concepts}"
    x = [float(value) for value in xs]
    needs = [None if row is None else float(row.records) for row in rows]
    lines = [Series(f"{name}: proved", x, needs, group=name)]
    if any(row is not None and row.floor for row in rows):
        values = [None if row is None or not row.floor else float(row.floor) for row in rows]
        lines.append(Series(f"{name}: floor", x, values, dashed=True, group=name))
    return lines


def _curves(question: Question, against: str, rows: tuple[Series, ...], x: tuple[float, ...]) -> Curves:
    constants = [
        f"{name} {plain(value)}"
        for name, value in (
            ("error", question.asked.error),
            ("epsilon", question.asked.epsilon),
            ("failure", question.asked.failure),
            ("delta", question.asked.delta or None),
        )
        if value is not None and name != against
    ]
    if question.asked.bits is not None and against != "bits":
        constants.insert(0, f"{question.asked.bits} bits")
    return Curves(
        title=f"Records needed for {short_word(question.asked.concepts)} ({', '.join(constants)})",
        x_label=AXES[against],
        y_label="labelled records",
        series=_distinct(rows),
        log_x=True,
        log_y=True,
        x_ticks=x if against == "bits" else None,
        note="Below a floor no method of that kind keeps the promise; from the proved number on it is kept.",
    )


def _distinct(rows: tuple[Series, ...]) -> tuple[Series, ...]:
    """A floor that two options share is drawn once."""
    earlier: set[tuple[float | None, ...]] = set()
    different = []
    for series in rows:
        values = tuple(series.y)
        if series.kind == "mark" or values not in earlier:
            different.append(series)
        earlier.add(values)
    return tuple(different)
