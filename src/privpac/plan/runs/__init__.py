"""How every row of a plan is tried on simulated records.

What is run is what ships: the printed command, or, where it does not describe a row completely (`Option.run`), the same
objects with the parameters of the row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import cast

from privpac.constructions.class_facts import can_list
from privpac.constructions.option import Option
from privpac.plan.answer import Answer
from privpac.plan.runs.base import Supply
from privpac.plan.trials import Experiment, Unsimulated

__all__ = ["Supply", "experiment_for", "run_of"]


def experiment_for(answer: Answer, supply: Supply) -> Experiment:
    """What to try for a row; raises `Unsimulated` where there is nothing to run."""
    if answer.concepts.kind == "any":
        raise Unsimulated("any stands for every class of its dimension: name one")
    by_vote = answer.option.labellings == "voted"
    if answer.option.labellings and not can_list(answer.concepts, voted=by_vote):
        raise Unsimulated(
            "boxes are not voted on" if by_vote else "there are too many boxes to list all of them"
        )
    if answer.concepts.groups and answer.option.learner == "occam" and answer.command is None:
        raise Unsimulated("sums over all boxes of so fine a grid take too long for so many records")
    experiment = run_of(answer.option)(answer, supply)
    if (answer.concepts.cells or 0) <= WORD:
        return experiment
    return replace(experiment, seconds=lambda n: WIDE * experiment.seconds(n))


def run_of(option: Option) -> Callable[[Answer, Supply], Experiment]:
    """What its row names in this folder, or the printed command."""
    module, _, name = (option.run or "rules.by_command").partition(".")
    return cast(Callable[[Answer, Supply], Experiment], getattr(import_module(f"{__name__}.{module}"), name))


WORD, WIDE = 2**64, 3.0
"""Keys beyond the words of a machine are whole numbers of any length, and take so many times as long."""
