"""A plan in words: the question, a table of options, and the advice."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from privpac.numbers.exact import plain
from privpac.plan.answer import Answer, Estimate
from privpac.plan.table import PlanTable

__all__ = ["HEADINGS", "notes", "plan_text", "question_text", "rows"]

HEADINGS = (
    "learner",
    "chooses from",
    "setting",
    "protects",
    "proper",
    "proved",
    "simulated",
    "floor",
    "ratio",
)


def question_text(plan: PlanTable) -> str:
    """The question as a sentence."""
    asked = plan.question
    given = []
    if asked.kind != "needed" and asked.records is not None:
        given.append(f"{asked.records:,} records")
    if asked.error is not None:
        given.append(f"error {plain(asked.error)}")
    if asked.epsilon is not None:
        given.append(f"epsilon {plain(asked.epsilon)}")
    given.append(f"failure {plain(asked.failure)}")
    if asked.delta:
        given.append(f"delta {plain(asked.delta)}")
    if asked.noise is not None:
        given.append(f"best error at most {plain(asked.noise)}")
    what = {
        "needed": "Records needed",
        "reachable": "Error that is proved",
        "smallest_epsilon": "Smallest epsilon",
    }[asked.kind]
    return f"{what} for {asked.word}: {', '.join(given)}"


def rows(plan: PlanTable) -> Iterator[tuple[str, ...]]:
    """One row an option, in the order of `HEADINGS`."""
    for found in plan.answers:
        yield (
            found.option.learner,
            found.concepts.word,
            found.option.setting,
            found.option.protects,
            "yes" if found.option.proper else "no",
            _proved(found),
            "–" if found.simulated is None else _estimate(found.simulated),
            "–" if found.floor is None else _number(found.floor, up=False),
            "–" if found.ratio is None else f"{math.ceil(found.ratio * 10) / 10:g}",
        )


def _proved(found: Answer) -> str:
    text = _number(found.proved)
    if found.need.unlabelled:  # without them the number is not proved, whatever was asked
        text += f" {'+' if found.asks == 'needed' else 'with'} {found.need.unlabelled:,} unlabelled"
    return text


def _number(value: int | Fraction, *, up: bool = True) -> str:
    """A promise is rounded up, a floor down."""
    if isinstance(value, int):
        return f"{value:,}"
    shown = math.ceil(value * 10_000) if up else math.floor(value * 10_000)
    return f"{shown / 10_000:.4f}".rstrip("0").rstrip(".")


def _estimate(found: Estimate) -> str:
    text = _number(found.value)
    if found.exact:
        return text
    high = "?" if found.high is None else _number(found.high)
    return f"{text} ({_number(found.low)} to {high})"


def notes(plan: PlanTable) -> list[str]:
    """How large classes of many tests are; what was simulated on what, and what was not and why: a line each."""
    return _sizes(plan) + _simulations(plan)


def _sizes(plan: PlanTable) -> list[str]:
    """Trees and lists are as many as their tests allow, which nobody has in mind."""
    grown = {found.concepts.word: found.concepts for found in plan.answers if found.concepts.tests}
    if not grown:
        return []
    tests = max(facts.tests or 0 for facts in grown.values())
    each = ", ".join(f"2^{facts.bits:.1f} ({word})" for word, facts in sorted(grown.items()))
    return [f"Rules to choose from, on {tests:,} yes-or-no tests: {each}"]


def _simulations(plan: PlanTable) -> list[str]:
    # Rows of one learner on several classes are named once.
    on: dict[str, dict[str, None]] = {}
    why: dict[str, dict[str, None]] = {}
    for found in plan.answers:
        if found.simulated is not None:
            on.setdefault(found.simulated.on, {})[_name(plan, found)] = None
        elif found.unsimulated is not None:
            why.setdefault(found.unsimulated.rstrip("."), {})[_name(plan, found)] = None
    several = len(on) > 1
    lines = [f"Simulated on {what}" + (f" ({', '.join(who)})" if several else "") for what, who in on.items()]
    return lines + [f"Not simulated: {', '.join(who)}, since {what}" for what, who in why.items()]


def _name(plan: PlanTable, found: Answer) -> str:
    """A row by its learner, and by its setting if there are two of that name."""
    same = [row for row in plan.answers if row.option.learner == found.option.learner]
    return found.option.learner if len(same) == 1 else f"{found.option.learner} ({found.option.setting})"


def plan_text(plan: PlanTable) -> str:
    """For `print` in Python; the command line lays its table out by itself."""
    lines = [question_text(plan), ""]
    table = [HEADINGS, *rows(plan)]
    widths = [max(len(row[i]) for row in table) for i in range(len(HEADINGS))]
    lines += [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    if told := notes(plan):
        lines += ["", *told]
    if plan.advice:
        lines += ["", *plan.advice]
    return "\n".join(lines)
