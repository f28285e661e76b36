"""How every row of a plan is tried on simulated records.

What is run is what ships: the printed command, or, for the rows in `RUNS`, which it does not describe completely, the
same objects with the parameters of the row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from privpac.constructions.class_facts import can_list
from privpac.constructions.release.block_quantiles import BlockQuantiles
from privpac.constructions.release.blr import ThresholdBLR
from privpac.constructions.release.quantiles import Quantiles
from privpac.constructions.release.tree_counts import TreeCounts
from privpac.plan.answer import Answer
from privpac.plan.runs import answers, covers, pools, rules, tables
from privpac.plan.runs.base import Supply
from privpac.plan.trials import Experiment, Unsimulated

__all__ = ["RUNS", "Supply", "experiment_for"]


def experiment_for(answer: Answer, supply: Supply) -> Experiment:
    """What to try for a row; raises `Unsimulated` where there is nothing to run."""
    if answer.concepts.kind == "any":
        raise Unsimulated("any stands for every class of its dimension: name one")
    by_vote = answer.option.learner in VOTERS
    if (by_vote or answer.option.learner in LISTERS) and not can_list(answer.concepts, voted=by_vote):
        raise Unsimulated(
            "boxes are not voted on" if by_vote else "there are too many boxes to list all of them"
        )
    if answer.concepts.groups and answer.option.learner == "occam" and answer.command is None:
        raise Unsimulated("sums over all boxes of so fine a grid take too long for so many records")
    experiment = RUNS.get(answer.option.learner, rules.by_command)(answer, supply)
    if (answer.concepts.cells or 0) <= WORD:
        return experiment
    return replace(experiment, seconds=lambda n: WIDE * experiment.seconds(n))


VOTERS = ("agnostic", "ssl-relabel", "relabelled-vote")
LISTERS = ("label-boost", "vote", "flipped-answers", "net-relabelled")
"""Rows that vote on all labellings of some points, and rows that list them."""

WORD, WIDE = 2**64, 3.0
"""Keys beyond the words of a machine are whole numbers of any length, and take so many times as long."""


RUNS: Mapping[str, Callable[[Answer, Supply], Experiment]] = {
    "noisy-cuts": rules.noisy,
    "denoised-cuts": rules.denoised,
    "agnostic": rules.agnostic,
    "active": rules.active,
    "generic-learner": pools.with_pool("generic"),
    "ssl-relabel": pools.with_pool("relabel"),
    "label-boost": pools.with_pool("boost"),
    "reference-cover": covers.reference,
    "vote": answers.vote,
    "flipped-answers": answers.flipped,
    "relabelled-vote": answers.relabelled_vote,
    "net-relabelled": answers.net_relabelled,
    "histogram": tables.histogram,
    "tree-counts": tables.of_line(TreeCounts),
    "quantiles": tables.of_line(Quantiles),
    "block-quantiles": tables.of_line(BlockQuantiles),
    "threshold-blr": tables.of_line(ThresholdBLR),
    "listed-blr": tables.listed,
}
"""Rows that a command does not describe, by the name of the learner."""
