"""The table of a plan: its cells, the heads of its columns, and what each of them means in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from privpac.numbers.exact import plain
from privpac.planning.answer import Answer
from privpac.planning.table import PlanTable

__all__ = [
    "PLAIN",
    "SETTINGS",
    "Heading",
    "VisibleTable",
    "headings",
    "name_in_words",
    "number_text",
    "rows",
    "visible_answers",
    "visible_table",
]

SETTINGS = {"realizable": "a perfect fit", "agnostic": "any records"}
"""What a row takes for granted, in the table: some rule of the class never errs, or nothing."""

PLAIN = {"occam": "one draw", "auto": "the default"}
"""Names of methods that mean nothing to most readers; the others are those of the papers."""

NOTHING = "–"


@dataclass(frozen=True)
class Heading:
    """The head of a column, what stands below it in plain words, and whether those are numbers."""

    head: str
    meaning: str
    is_number: bool = False


@dataclass(frozen=True)
class VisibleTable:
    """The columns that say something, and their cells row by row."""

    headings: tuple[Heading, ...]
    cells: tuple[tuple[str, ...], ...]

    @property
    def heads(self) -> tuple[str, ...]:
        """The first line."""
        return tuple(heading.head for heading in self.headings)

    @property
    def right(self) -> tuple[str, ...]:
        """The heads of columns of numbers, which end below one another."""
        return tuple(heading.head for heading in self.headings if heading.is_number)

    @property
    def meanings(self) -> list[str]:
        """A line per column: how to read it."""
        return [f"{heading.head}: {heading.meaning}" for heading in self.headings]


def headings(plan: PlanTable) -> tuple[Heading, ...]:
    """All columns, in the order of `rows`."""
    question = plan.question
    delta = f", with delta {plain(question.asked.delta)} or without," if question.asked.delta else ""
    return (
        Heading("method", f"how the answer is found. {_methods(plan)}"),
        _kind_heading(plan),
        Heading("holds for", _holds_for(plan)),
        Heading("protects", _protects(plan)),
        Heading("gives", "a rule of that kind, or one that may be of another"),
        Heading(*_proved_heading(plan), is_number=True),
        Heading(
            "impossible below",
            f"proved; no method{delta} that protects, holds for and gives the same can promise it with less."
            " Rounded down; all other numbers are rounded up",
            is_number=True,
        ),
        Heading(
            "gap",
            "how many times the proved number is the impossible one: a better method or proof saves at most that",
            is_number=True,
        ),
    )


def _kind_heading(plan: PlanTable) -> Heading:
    if plan.question.asked.release:
        return Heading("queries", "what the released table answers, as --concepts names it")
    return Heading("kind of rule", "what the method chooses from, as --concepts names it")


def _holds_for(plan: PlanTable) -> str:
    noise = plan.question.asked.noise
    anything = (
        "nothing is assumed" if noise is None else f"the best rule errs at most {float(noise):g} of the time"
    )
    return f"any records: {anything}; or a perfect fit: only if some rule of that kind makes no mistake"


def _methods(plan: PlanTable) -> str:
    titles = {
        PLAIN.get(row.option.learner, row.option.learner): row.option.title for row in visible_answers(plan)
    }
    return "; ".join(f"{name} = {title}" for name, title in titles.items())


def _protects(plan: PlanTable) -> str:
    answers = {"records", "predictions"} <= {row.option.protects for row in visible_answers(plan)}
    price = ". Epsilon is that of one answer where predictions are protected, and of all together elsewhere"
    return "what of a person stays hidden: the whole record, its label, or its part in an answer" + (
        price if answers else ""
    )


def _proved_heading(plan: PlanTable) -> tuple[str, str]:
    """The number that was asked for."""
    chance = f"proved, but for a chance of {float(plan.question.asked.failure):g}"
    off = "how far above the error of the best rule of that kind"
    if plan.question.asked.release:
        off = "by what share of the records an answer may be off"
    return {
        "needed": ("records enough", f"{chance}; from so many records on the error is what was asked for"),
        "reachable": ("error at most", f"{chance}; {off}"),
        "smallest_epsilon": ("epsilon enough", f"{chance}; the smallest privacy loss that will do"),
    }[plan.question.kind]


def name_in_words(row: Answer) -> str:
    """A row by its method and what it holds for, as the table writes them."""
    option = row.option
    return f"{PLAIN.get(option.learner, option.learner)}, {SETTINGS.get(option.setting, option.setting)}"


def rows(plan: PlanTable) -> Iterator[tuple[str, ...]]:
    """The cells of `visible_answers`, in the order of `headings`."""
    for row in visible_answers(plan):
        yield (
            PLAIN.get(row.option.learner, row.option.learner),
            row.concepts.word,
            SETTINGS.get(row.option.setting, row.option.setting),
            row.option.protects,
            "such a rule" if row.option.proper else "any rule",
            _proof_text(row),
            NOTHING if row.floor is None else number_text(row.floor, up=False),
            NOTHING if row.ratio is None else f"{math.ceil(row.ratio * 10) / 10:g}",
        )


def visible_table(plan: PlanTable) -> VisibleTable:
    """The table without columns that are empty, and without what all rows protect if they protect the same."""
    all_rows = tuple(rows(plan))
    places = [
        place
        for place, heading in enumerate(headings(plan))
        if _says_something(plan, heading, [row[place] for row in all_rows])
    ]
    return VisibleTable(
        tuple(headings(plan)[place] for place in places),
        tuple(tuple(row[place] for place in places) for row in all_rows),
    )


def _says_something(plan: PlanTable, heading: Heading, cells: Sequence[str]) -> bool:
    if heading.head == "protects":
        return len(set(cells)) > 1
    if plan.question.asked.release and heading.head in ("holds for", "gives"):
        return False  # what is released is no rule, and its promise holds for all records
    return any(cell != NOTHING for cell in cells)


def visible_answers(plan: PlanTable) -> list[Answer]:
    """What a table shows: the default before its parts, and nothing that needs records without labels where nobody has
    spoken of any."""
    word, answers = plan.question.asked.concepts, list(plan.answers)
    if word != "auto":
        return answers
    if plan.question.asked.unlabelled is None:
        answers = [row for row in answers if not row.need.unlabelled] or answers
    return sorted(answers, key=lambda row: row.concepts.word != word)


def _proof_text(row: Answer) -> str:
    text = number_text(row.proved)
    if row.need.unlabelled:  # without them the number is not proved, whatever was asked
        text += f" {'+' if row.asks == 'needed' else 'with'} {row.need.unlabelled:,} unlabelled"
    return text


def number_text(value: int | Fraction, *, up: bool = True) -> str:
    """A promise is rounded up, a floor down."""
    if isinstance(value, int):
        return f"{value:,}"
    places = math.ceil(value * 10_000) if up else math.floor(value * 10_000)
    return f"{places / 10_000:.4f}".rstrip("0").rstrip(".")
