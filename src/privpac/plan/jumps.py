"""Why the default proves more with less: what it chooses from grows with records times epsilon, in jumps.

`jumps` is a rule of advice, as in `advice`. Tested by tests/unit/plan/test_advice.py.
"""

from __future__ import annotations

from fractions import Fraction

from privpac.numbers.exact import plain
from privpac.plan.alternatives import again, count
from privpac.plan.answer import Answer
from privpac.plan.columns import number_text
from privpac.plan.expectations import condition
from privpac.plan.table import PlanTable

__all__ = ["jumps"]

LESS = (Fraction(1, 5), Fraction(1, 20), Fraction(1, 50))
"""Parts of epsilon with which rules are smaller, of which more may be proved."""


def jumps(plan: PlanTable) -> str | None:
    """Where a smaller epsilon or fewer records prove more: why, what it means, and which kind of rule has no jumps."""
    row = plan.headline
    if row is None or row.option.sooner is None:
        return None
    if row.asks == "reachable":
        return _of_smaller_rules(plan, row)
    rows = [each for each in (row, plan.perfect) if each is not None and each.asks == "needed"]
    runs = [text for each in rows for text in _sooner(each)]
    if any(each.spent < each.wish.epsilon for each in rows):
        return " ".join([_less_epsilon(row), *runs, *_steady(plan, row)])
    return " ".join([*runs, _more_records(row), *_steady(plan, row)]) if runs else None


def _less_epsilon(row: Answer) -> str:
    return (
        f"Why a smaller epsilon proves more: as long as records times epsilon is small, {row.concepts.word} chooses"
        " from smaller trees, and of fewer rules more is proved. That is about the proof, not about how good the rule"
        f" will be: learnt with epsilon {plain(row.wish.epsilon)} it is usually better."
    )


def _more_records(row: Answer) -> str:
    return (
        f"With somewhat more of them {row.concepts.word} chooses from larger trees, and of more rules less is proved."
        " That is about the proof, not about how good the rule will be: more records make it better."
    )


def _sooner(row: Answer) -> list[str]:
    """The fewer records that are enough, before somewhat more of them are not."""
    run = None if row.option.sooner is None else row.option.sooner(row.wish)
    if run is None or run[0] >= row.need.labelled:
        return []
    epsilon = plain(row.wish.epsilon)
    return [f"With epsilon {epsilon}, {run[0]:,} to {count(run[1])} are enough too, {condition(row)}."]


def _steady(plan: PlanTable, row: Answer) -> list[str]:
    """The largest kind of rule in the table of which fewer records prove as much with the whole epsilon."""
    rows = [
        each
        for each in plan.answers
        if each.option.learner == "occam"
        and each.option.setting == row.option.setting
        and each.need.labelled < row.need.labelled
    ]
    if not rows:
        return []
    steady = max(rows, key=lambda each: each.concepts.bits)
    return [
        f"A fixed kind of rule has no such jumps: with --concepts {steady.concepts.word} and epsilon"
        f" {plain(steady.wish.epsilon)}, {count(steady.need.labelled)} are enough, {condition(steady)}."
    ]


def _of_smaller_rules(plan: PlanTable, row: Answer) -> str | None:
    """Why more records, or more of epsilon, may prove less: what is chosen from grows with them."""
    less = [again(plan.question.at("epsilon", part * row.wish.epsilon), row) for part in LESS]
    better = [each for each in less if each is not None and each.proved < row.proved]
    if not better:
        return None
    best = min(better, key=lambda each: each.proved)
    return (
        f"With epsilon {plain(best.wish.epsilon)} {row.concepts.word} would choose from smaller trees, and of fewer"
        f" rules more is proved: {number_text(best.proved)}. That is about the proof, not about how good the rule will"
        f" be: learnt with epsilon {plain(row.wish.epsilon)} it is usually better."
    )
