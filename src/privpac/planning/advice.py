"""Advice in words: five rules, each of which speaks or is silent.

A rule sees a finished plan and may ask the same options with other numbers; it never invents one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from privpac.planning.alternatives import halvers
from privpac.planning.columns import SETTINGS
from privpac.planning.commands import run, run_perfect, run_unlabelled
from privpac.planning.table import PlanTable
from privpac.request import warning_of_large

__all__ = ["RULES", "advise"]


def _halving(plan: PlanTable) -> str | None:
    """The cheapest single change that halves the records."""
    best = plan.headline
    if best is None or best.asks != "needed" or best.need.labelled < 4:
        return None
    changes = [text for _, text in halvers(plan.question, best)]
    if not changes:
        return None
    more = f" (or {', or '.join(changes[1:])})" if changes[1:] else ""
    return f"Half as many suffice with {changes[0]}{more}."


def _labels(plan: PlanTable) -> str | None:
    """Where labels are dear and records without them are not."""
    if plan.question.asked.unlabelled:
        return run_unlabelled(plan)
    if plan.question.kind != "needed":
        return None
    for setting in ("realizable", "agnostic"):
        rows = [row for row in plan.answers if row.option.setting == setting]
        few = next((row for row in rows if row.need.unlabelled), None)
        alike = [row for row in rows if few is not None and row.concepts == few.concepts]
        labelled = [row.need.labelled for row in alike if not row.need.unlabelled]
        if labelled and few is not None and few.need.labelled < min(labelled):
            kind = f" for {few.concepts.word}" * (plan.question.asked.concepts == "auto")
            return (
                f"Labels can be saved: {few.option.learner} needs {few.need.labelled:,} labelled records instead of"
                f" {min(labelled):,}{kind}, with {few.need.unlabelled:,} unlabelled ones ({SETTINGS[setting]})."
            )
    return None


def _large(plan: PlanTable) -> str | None:
    """An epsilon that protects hardly anybody."""
    return (
        None if plan.question.asked.epsilon is None else warning_of_large(plan.question.asked.epsilon) or None
    )


RULES: Mapping[str, Callable[[PlanTable], str | None]] = {
    "large": _large,
    "run": run,
    "run_perfect": run_perfect,
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
