"""Advice in words: five rules, each of which speaks or is silent.

A rule sees a finished plan and may ask the same ways with other numbers; it never invents one.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

from privpac.numbers.exact import first_whole, plain
from privpac.planning.search import ANY_ERROR, promise
from privpac.planning.table import PlanTable, Row
from privpac.planning.text import SETTINGS, no_bound, number_text
from privpac.request import FAILURE, warning_of_large

__all__ = ["RULES", "advise"]

T = TypeVar("T")

MOST = {"error": Fraction(1, 2), "epsilon": Fraction(40)}
USUAL_FACTOR = 2
"""Half the records mostly take about this much more error or epsilon: searches begin there."""
STEP = 1.05
"""Changes are looked for in steps of five percent: finer ones would be false precision."""


def _large(plan: PlanTable) -> str | None:
    """An epsilon that protects hardly anybody."""
    epsilon = plan.question.asked.epsilon
    return None if epsilon is None else warning_of_large(epsilon) or None


def _run(plan: PlanTable) -> str | None:
    """The command that the first paragraph speaks of: what it promises, this one certifies."""
    row, asked = _row_to_run(plan), plan.question.asked
    failure = "" if asked.failure == FAILURE else f" --failure {plain(asked.failure)}"
    if asked.epsilon is not None and no_bound(plan.question) is not None:
        spent = f"--epsilon {plain(asked.epsilon)}{failure}"
        return f"Run: privpac learn DATA --schema SCHEMA --concepts {asked.concepts} {spent}"
    if row is None:
        return None
    if plan.question.word == "auto" and asked.aim == "rank" and asked.epsilon is not None:
        spent = f"--epsilon {plain(asked.epsilon)}{failure}"
        return f"Run: privpac learn DATA --schema SCHEMA --aim rank {spent}"
    return f"Run: {row.command}"


def _row_to_run(plan: PlanTable) -> Row | None:
    """The headline where its records are at hand, then its perfect fit, then what else can be run with them."""
    rows = [row for row in (plan.headline, plan.perfect, *plan.rows) if row is not None]
    return next((row for row in rows if row.enough is not False), plan.headline)


def _run_perfect(plan: PlanTable) -> str | None:
    """The command of the other number of the first paragraph, where it is another one."""
    row, perfect = _row_to_run(plan), plan.perfect
    if perfect is None or row is None or row is not plan.headline or row.enough:
        return None
    if plan.question.asked.aim == "rank" or perfect.command == row.command:
        return None
    return f"If some rule never errs, run for the smaller number: {perfect.command}"


def _halving(plan: PlanTable) -> str | None:
    """The cheapest single change that halves the records."""
    best = plan.headline
    if best is None or best.asks != "needed" or best.records < 4 or best.way.planned.aims:
        return None
    changes = [
        (
            larger / getattr(best, name),
            f"{name} {float(larger):.3g} instead of {float(getattr(best, name)):.3g}",
        )
        for name in ("error", "epsilon")
        if (larger := _first_larger(best, name)) is not None
    ]
    changes = sorted([*changes, *_smaller_tables(best)])
    if not changes:
        return None
    more = f" (or {', or '.join(text for _, text in changes[1:])})" if changes[1:] else ""
    return f"Half as many suffice with {changes[0][1]}{more}."


def _smaller_tables(best: Row) -> Iterator[tuple[Fraction, str]]:
    """Fewer bits or columns of an invented table with which half the records do."""
    question = best.way.question
    for name in ("bits", "columns") if question.invented else ():
        size = getattr(question.asked, name)
        if size is None:
            continue

        def meets(trial: int, name: str = name) -> bool:
            way = best.way.of(question.at(name, trial))
            reached = promise(way, best.setting, best.records // 2, best.epsilon, best.error)
            return reached is not None and reached.error <= best.error

        row = range(size - 1, 0, -1)
        smaller = _first(row, meets, start=len(row) // 2)
        if smaller is not None:
            unit = name if smaller > 1 else name[:-1]
            yield Fraction(size, smaller), f"{smaller} {unit} instead of {size}"


def _first_larger(best: Row, name: str) -> Fraction | None:
    """The first of a geometric row of values, of two digits each, at which half the records do."""
    value: Fraction = getattr(best, name)
    steps = math.ceil(math.log(float(MOST[name] / value), STEP)) if value < MOST[name] else 0
    row = sorted({Fraction(f"{float(value) * STEP**step:.2g}") for step in range(1, steps + 1)})
    row = [trial for trial in row if value < trial < MOST[name]]

    def meets(trial: Fraction) -> bool:
        numbers = {"error": best.error, "epsilon": best.epsilon, name: trial}
        aimed = numbers["error"] if best.way.planned.aims else ANY_ERROR
        reached = promise(best.way, best.setting, best.records // 2, numbers["epsilon"], aimed)
        return reached is not None and reached.error <= numbers["error"]

    return _first(row, meets, start=bisect_left(row, USUAL_FACTOR * value))


def _first(row: Sequence[T], meets: Callable[[T], bool], *, start: int) -> T | None:
    """The first of a row of ever easier trials that meets a goal; None if none does."""
    place = first_whole(lambda k: k >= len(row) or meets(row[k]), start=min(start, len(row)), step=1)
    return row[place] if place < len(row) else None


def _labels(plan: PlanTable) -> str | None:
    """What the records without labels are good for, where there are any."""
    first = plan.headline
    if first is None or first.unlabelled:
        return None
    for row in plan.rows:
        if row.unlabelled and row.enough is not False and row.proved < first.proved:
            return (
                f"With {row.unlabelled:,} records without labels {number_text(row.proved)} is proved instead of"
                f" {number_text(first.proved)} (for {SETTINGS[row.setting]}): {row.command}"
            )
    return None


RULES: Mapping[str, Callable[[PlanTable], str | None]] = {
    "large": _large,
    "run": _run,
    "run_perfect": _run_perfect,
    "halving": _halving,
    "labels": _labels,
}
"""All rules, in the order in which they are said."""


def advise(plan: PlanTable) -> Iterator[str]:
    """What the rules have to say."""
    for rule in RULES.values():
        text = rule(plan)
        if text is not None:
            yield text
