"""The same options asked with other numbers: what would halve the need, and what a smaller epsilon proves."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from privpac.constructions.class_facts import ClassFacts, Description
from privpac.errors import PrivpacError
from privpac.numbers.exact import first_whole
from privpac.planning.answer import Answer, bare_answer, suffices
from privpac.planning.question import Question

__all__ = ["again", "count", "epsilon_of", "halvers"]

MOST_EPSILON, MOST_ERROR = Fraction(40), Fraction(1, 2)
USUAL_FACTOR = 2
"""Half the records mostly take about this much more error or epsilon: searches begin there."""
STEP = 1.05
"""Changes are looked for in steps of five percent: finer ones would be false precision."""
SIZES = ("bits", "columns", "tests")


def count(records: int) -> str:
    """A number of records in words, such as '1,204 records'."""
    return f"{records:,} record" + ("" if records == 1 else "s")


def _short(value: Fraction) -> str:
    """A number with three significant digits."""
    return f"{float(value):.3g}"


def _sized(description: Description) -> Iterator[tuple[str, int]]:
    """The numbers that say how large the domain is; a schema says it by itself."""
    for name in SIZES:
        value = getattr(description, name)
        if value is not None and description.schema is None:
            yield name, value


def again(variant: Question, like: Answer) -> Answer | None:
    """The same option and kind of class, asked with other numbers; None where they promise nothing."""
    concepts = _alike(variant, like)
    return None if concepts is None else bare_answer(variant, like.option, concepts)


def epsilon_of(question: Question, row: Answer) -> Fraction:
    """The epsilon that a row is proved with: that of the question, or a smaller one with which more is proved.

    Where the records at hand are enough with the whole of it, or are not enough at all, it is the whole.
    """
    if row.spent == row.wish.epsilon or row.enough is False:
        return row.wish.epsilon
    reachable = None if row.enough is None else again(question.asking(error=None), row)
    return row.wish.epsilon if reachable is not None and reachable.proved <= row.wish.error else row.spent


def _alike(question: Question, like: Answer) -> ClassFacts | None:
    """The class of the same kind in another question."""
    try:
        same = question.classes
    except PrivpacError:
        return None
    return next((c for c in same if (c.kind, c.parts) == (like.concepts.kind, like.concepts.parts)), None)


def halvers(question: Question, best: Answer) -> list[tuple[float, str]]:
    """Single changes that halve the records, as (by what factor, in words), the smallest first."""
    goal = best.need.labelled // 2
    assert question.asked.error is not None
    assert question.asked.epsilon is not None
    texts = []
    for name, value, most in (
        ("error", question.asked.error, MOST_ERROR),
        ("epsilon", question.asked.epsilon, MOST_EPSILON),
    ):
        larger = _first_larger(question, best, name, value, most, goal)
        if larger is not None:
            texts.append((float(larger / value), f"{name} {_short(larger)} instead of {_short(value)}"))
    for name, size in _sized(question.subject):
        smaller = _first_smaller(question, best, name, size, goal)
        if smaller is not None:
            unit = name if smaller > 1 else name[:-1]
            texts.append((size / smaller, f"{smaller} {unit} instead of {size}"))
    return sorted(texts)


def _meets(variant: Question, best: Answer, goal: int) -> bool:
    concepts = _alike(variant, best)
    return concepts is not None and suffices(variant, best.option, variant.wish(concepts), goal)


def _first_larger(
    question: Question, best: Answer, name: str, value: Fraction, most: Fraction, goal: int
) -> Fraction | None:
    """The first of a geometric row of values, of two digits each, at which the goal is met."""
    steps = math.ceil(math.log(float(most / value), STEP))
    row = sorted({Fraction(f"{float(value) * STEP**step:.2g}") for step in range(1, steps + 1)})
    row = [trial for trial in row if value < trial < most]
    near = bisect_left(row, USUAL_FACTOR * value)
    return _first(row, lambda trial: _meets(question.at(name, trial), best, goal), start=near)


def _first_smaller(question: Question, best: Answer, name: str, size: int, goal: int) -> int | None:
    def meets(trial: int) -> bool:
        return _meets(replace(question, subject=question.subject.at(name, trial)), best, goal)

    row = range(size - 1, 0, -1)
    return _first(row, meets, start=len(row) // 2)


T = TypeVar("T")


def _first(row: Sequence[T], meets: Callable[[T], bool], *, start: int) -> T | None:
    """The first of a row of ever easier trials that meets a goal; None if none does."""
    place = first_whole(lambda k: k >= len(row) or meets(row[k]), start=min(start, len(row)), step=1)
    return row[place] if place < len(row) else None
