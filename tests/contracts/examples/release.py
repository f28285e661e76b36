"""Examples of released tables and of the learner that rests on one; failures are the bounds themselves, rounded up."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privpac.constructions.few_labels.generic import generic_learner
from privpac.constructions.release.block_quantiles import (
    BlockQuantilePlan,
    block_quantile_answers,
    failure_block_quantiles,
    leafwise_blocks,
)
from privpac.constructions.release.blr import candidate_answers
from privpac.constructions.release.histogram import failure_histogram, histogram_answers
from privpac.constructions.release.quantiles import leafwise_medians, quantile_answers
from privpac.constructions.release.sanitiser import ranges_from_thresholds
from privpac.constructions.release.tree_counts import TreePlan, failure_tree, plan_tree, tree_answers
from privpac.guarantee import rules
from privpac.guarantee.facts import Accuracy, Answers, Fact, Queries
from privpac.guarantee.proof import Proof

RATIO = Fraction(3, 5)
BIG = plan_tree(10**6, cells=2**64, epsilon=Fraction(1), failure=Fraction(1, 20))
assert BIG is not None
NEARLY = 1 + Fraction(1, 10**9)
"""Above equality: the checker rounds outwards."""
ALIASES: dict[str, tuple[str, ...]] = {}


def histogram() -> Proof[Answers]:
    failure = failure_histogram(40, cells=100, records=1000, ratio=RATIO, above=9)
    return histogram_answers(cells=100, records=1000, ratio=RATIO, above=9, steps=40, failure=failure)


def tree(*, lazy: bool = True) -> Proof[Answers]:
    plan = TreePlan(100, 4, 4, RATIO, 9 if lazy else None, 60, 30 if lazy else 0, Fraction(8, 5))
    return tree_answers(plan, records=1000, failure=failure_tree(plan, records=1000))


def quantiles() -> Proof[Answers]:
    failure = 7 * (100 * 250 + 1) * RATIO**40 * NEARLY
    return quantile_answers(
        cells=100, records=1000, ratio=RATIO, levels=3, batch=4, steps=40, failure=failure
    )


BLOCKS = BlockQuantilePlan(3, 17, RATIO, 10**6, 20, 30)


def block_quantiles() -> Proof[Answers]:
    return block_quantile_answers(
        BLOCKS, cells=100, records=1000, failure=failure_block_quantiles(BLOCKS) * NEARLY
    )


def candidates(queries: Queries = Queries.THRESHOLDS) -> Proof[Answers]:
    error = Fraction(1, 50) + Fraction(39, 1000)
    return candidate_answers(
        candidates=10**6,
        records=1000,
        ratio=RATIO,
        radius=Fraction(1, 50),
        error=error,
        failure=(10**6 - 1) * RATIO**40 * NEARLY,
        queries=queries,
    )


def generic(*, two: bool = False) -> Proof[Accuracy]:
    answers = [ranges_from_thresholds(candidates())] * (2 if two else 1)
    ranges = answers[0].fact
    error, tilt, tolerated = Fraction(62, 100), Fraction(4, 5), ranges.error + Fraction(17, 100)
    base = 1 - error * (1 - tilt) + tolerated * (1 / tilt - 1)
    enough = next(m for m in range(1000) if 50 * base**m < Fraction(1, 100))
    return generic_learner(
        *answers,
        gap=Fraction(1, 100),
        slabs=1,
        vc=1,
        hypotheses=51,
        labelled=enough,
        ratio=RATIO,
        tilt=tilt,
        tolerated=tolerated,
        deviation=Fraction(1, 50),
        error=error,
        failure=ranges.failure * len(answers) + Fraction(1, 50) + Fraction(1, 100),
    )


EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {
    "leafwise-medians": lambda: leafwise_medians(ratio=RATIO),
    "leafwise-blocks": lambda: leafwise_blocks(ratio=RATIO, bits=17, stake=10**6),
    "histogram-answers": histogram,
    "tree-answers": tree,
    "quantile-answers": quantiles,
    "block-quantile-answers": block_quantiles,
    "candidate-answers": candidates,
    "ranges-from-thresholds": lambda: ranges_from_thresholds(candidates()),
    "generic-learner": generic,
}

MORE: dict[str, Callable[[], Proof[Fact]]] = {
    "tree, full": lambda: tree(lazy=False),
    "candidates, listed": lambda: candidates(Queries.LISTED),
    "generic learner, two columns": lambda: generic(two=True),
    "medians, one after the other": lambda: rules.sequential(*[leafwise_medians(ratio=RATIO)] * 3),
    "tree over 64 bits": lambda: tree_answers(BIG, records=10**6, failure=Fraction(1, 20)),
}
