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
    parts = []
    if asked.kind != "needed" and asked.records is not None:
        parts.append(f"{asked.records:,} records")
    if asked.error is not None:
        parts.append(f"error {plain(asked.error)}")
    if asked.epsilon is not None:
        parts.append(f"epsilon {plain(asked.epsilon)}")
    parts.append(f"failure {plain(asked.failure)}")
    if asked.delta:
        parts.append(f"delta {plain(asked.delta)}")
    if asked.noise is not None:
        parts.append(f"best error at most {plain(asked.noise)}")
    what = {
        "needed": "Records needed",
        "reachable": "Error that is proved",
        "smallest_epsilon": "Smallest epsilon",
    }[asked.kind]
    return f"{what} for {asked.word}: {', '.join(parts)}"


def rows(plan: PlanTable) -> Iterator[tuple[str, ...]]:
    """One row an option, in the order of `HEADINGS`."""
    for row in plan.answers:
        yield (
            row.option.learner,
            row.concepts.word,
            row.option.setting,
            row.option.protects,
            "yes" if row.option.proper else "no",
            _proved(row),
            "–" if row.simulated is None else _estimate(row.simulated),
            "–" if row.floor is None else _number(row.floor, up=False),
            "–" if row.ratio is None else f"{math.ceil(row.ratio * 10) / 10:g}",
        )


def _proved(row: Answer) -> str:
    text = _number(row.proved)
    if row.need.unlabelled:  # without them the number is not proved, whatever was asked
        text += f" {'+' if row.asks == 'needed' else 'with'} {row.need.unlabelled:,} unlabelled"
    return text


def _number(value: int | Fraction, *, up: bool = True) -> str:
    """A promise is rounded up, a floor down."""
    if isinstance(value, int):
        return f"{value:,}"
    shown = math.ceil(value * 10_000) if up else math.floor(value * 10_000)
    return f"{shown / 10_000:.4f}".rstrip("0").rstrip(".")


def _estimate(estimate: Estimate) -> str:
    text = _number(estimate.value)
    if estimate.exact:
        return text
    high = "?" if estimate.high is None else _number(estimate.high)
    return f"{text} ({_number(estimate.low)} to {high})"


def notes(plan: PlanTable) -> list[str]:
    """How large classes of many tests are; what was simulated on what, and what was not and why: a line each."""
    return _sizes(plan) + _simulations(plan)


def _sizes(plan: PlanTable) -> list[str]:
    """Trees and lists are as many as their tests allow, which nobody has in mind."""
    grown = {row.concepts.word: row.concepts for row in plan.answers if row.concepts.tests}
    if not grown:
        return []
    tests = max(facts.tests or 0 for facts in grown.values())
    each = ", ".join(f"2^{facts.bits:.1f} ({word})" for word, facts in sorted(grown.items()))
    return [f"Rules to choose from, on {tests:,} yes-or-no tests: {each}"]


def _simulations(plan: PlanTable) -> list[str]:
    # Rows of one learner on several classes are named once.
    on: dict[str, dict[str, None]] = {}
    why: dict[str, dict[str, None]] = {}
    for row in plan.answers:
        if row.simulated is not None:
            on.setdefault(row.simulated.on, {})[_name(plan, row)] = None
        elif row.unsimulated is not None:
            why.setdefault(row.unsimulated.rstrip("."), {})[_name(plan, row)] = None
    several = len(on) > 1
    lines = [f"Simulated on {what}" + (f" ({', '.join(who)})" if several else "") for what, who in on.items()]
    return lines + [f"Not simulated: {', '.join(who)}, since {what}" for what, who in why.items()]


def _name(plan: PlanTable, answer: Answer) -> str:
    """A row by its learner, and by its setting if there are two of that name."""
    same = [row for row in plan.answers if row.option.learner == answer.option.learner]
    return answer.option.learner if len(same) == 1 else f"{answer.option.learner} ({answer.option.setting})"


def plan_text(plan: PlanTable) -> str:
    """For `print` in Python; the command line lays its table out by itself."""
    lines = [question_text(plan), ""]
    table = [HEADINGS, *rows(plan)]
    widths = [max(len(row[i]) for row in table) for i in range(len(HEADINGS))]
    lines += [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    if remarks := notes(plan):
        lines += ["", *remarks]
    if plan.advice:
        lines += ["", *plan.advice]
    return "\n".join(lines)
