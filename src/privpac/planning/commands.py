"""The commands that a plan ends in: what runs its headline, its perfect fit, or learns from records without labels.

Rules of advice, as in `advice`.
"""

from __future__ import annotations

from privpac.constructions.commands import coarser_word, default_command, failure_option, learn_command
from privpac.numbers.exact import plain
from privpac.planning.alternatives import epsilon_of
from privpac.planning.answer import Answer
from privpac.planning.columns import SETTINGS, number_text
from privpac.planning.table import PlanTable
from privpac.planning.unproved import bound_missing, ranking_command

__all__ = ["run", "run_perfect", "run_unlabelled"]


def run(plan: PlanTable) -> str | None:
    """The command that the first paragraph speaks of: what it promises, this one certifies."""
    row, asked = _row_to_run(plan), plan.question.asked
    if bound_missing(plan.question) is not None and asked.epsilon is not None:
        spent = f"--epsilon {plain(asked.epsilon)}{failure_option(asked.failure)}"
        return f"Run: privpac learn DATA --schema SCHEMA --concepts {asked.concepts} {spent}"
    if row is None:
        return None
    if asked.concepts == "auto" and asked.aim == "rank" and asked.epsilon is not None:
        return f"Run: {ranking_command(plan.question)}"
    command = _command(plan, row)
    if command is not None:
        return f"Run: {command}"
    if row.python is None:
        return None
    lines = row.python.replace("\n", "\n    ")
    return f"Run in Python, where `schema` is yours:\n    {lines}"


def _row_to_run(plan: PlanTable) -> Answer | None:
    """The headline where its records are at hand, then its perfect fit, then what else can be run: with records that
    are at hand first, and a command before lines of Python."""
    if plan.question.asked.concepts == "auto" and plan.headline is not None:
        first = (row for row in (plan.headline, plan.perfect) if row is not None and row.enough is not False)
        return next(first, plan.headline)
    at_hand = [row for row in plan.answers if plan.question.asked.unlabelled or not row.need.unlabelled]
    rows = [row for row in (plan.headline, plan.perfect, *at_hand, *plan.answers) if row is not None]
    enough = [row for row in rows if row.enough is not False]
    with_command = next((row for row in enough if _command(plan, row) is not None), None)
    return with_command or next((row for row in enough if row.python is not None), None)


def _command(plan: PlanTable, row: Answer) -> str | None:
    """What runs a row, with the epsilon that its number is proved with."""
    if row.option.learner == "default":
        return default_command(epsilon_of(plan.question, row), row.wish.failure)
    if row.command is None and _is_draw_of_boxes(row):
        return learn_command(row.wish, row.need, concepts=coarser_word(row.concepts, row.need.labelled))
    return row.command


def run_perfect(plan: PlanTable) -> str | None:
    """The command of the other number of the first paragraph, where it is another one."""
    row, perfect = _row_to_run(plan), plan.perfect
    if perfect is None or row is None or row is not plan.headline or row.enough:
        return None
    if plan.question.asked.aim == "rank":
        return None
    command = _command(plan, perfect)
    if command is None or command == _command(plan, row):
        return None
    return f"If some rule never errs, run for the smaller number: {command}"


def run_unlabelled(plan: PlanTable) -> str | None:
    """What the records without labels are good for, where there are any."""
    first = plan.headline
    if not plan.question.asked.unlabelled or first is None or first.need.unlabelled:
        return None
    for row in plan.answers:
        command = row.command if row.need.unlabelled and row.enough is not False else None
        if command is not None and row.proved < first.proved:
            fits = SETTINGS[row.option.setting]
            return (
                f"With {row.need.unlabelled:,} records without labels {number_text(row.proved)} is proved instead of"
                f" {number_text(first.proved)} (for {fits}): {command}"
            )
    return None


def _is_draw_of_boxes(row: Answer) -> bool:
    """One draw from boxes, beyond what sums over the whole grid reach."""
    return row.option.learner == "occam" and bool(row.concepts.groups) and row.command is None
