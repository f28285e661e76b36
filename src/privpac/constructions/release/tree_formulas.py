"""How far the counts of a b-ary tree lie from the truth, for every threshold at once."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from privpac.numbers.binomial import rounded_up
from privpac.numbers.exact import PRECISIONS, ball, first_power, first_whole, ratio_for
from privpac.theory.register import formula

__all__ = ["FULL", "TreePlan", "failure_tree", "plan_tree", "tree_levels"]

FULL = 2**17
"""Domains up to which every node is counted, empty or not; beyond, only below nodes with many records."""

BRANCHINGS = (2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
"""Children a node that are tried; the best lies between 10 and 24 for all domains."""

SPURIOUS = Fraction(1, 4)
"""Children of an empty node that are expanded in turn, on average: the tree then ends by itself."""


@dataclass(frozen=True)
class TreePlan:
    """A tree of `levels` levels below the root; `above`: what a noisy count must exceed for its node to be expanded
    (None: all are). Thresholds at the edges of nodes are right within `steps` records; a node that was not expanded
    hides at most `hidden` more."""

    cells: int
    branching: int
    levels: int
    ratio: Fraction
    above: int | None
    steps: int
    hidden: int
    tilt: Fraction

    @property
    def off(self) -> int:
        """Records by which a threshold's count may be off."""
        return self.steps + self.hidden


@formula("tree-answers")
def tree_levels(cells: int, branching: int) -> int:
    """How many levels a tree has below its root.

    Statement: the smallest h of at least 1 with branching^h at least `cells`. Source: register `tree-answers`.
    Holds if: branching is at least 2. Proof: docs/proofs/tree-answers.md.

    >>> tree_levels(2**16, 16), tree_levels(3, 2)
    (4, 2)
    """
    levels, cells_below = 1, branching
    while cells_below < cells:
        levels, cells_below = levels + 1, cells_below * branching
    return levels


def _moment(ratio: arb, tilt: arb) -> arb:
    """E[tilt^X] of two-sided geometric noise X, for tilt below 1/ratio."""
    return (1 - ratio) / (1 + ratio) * (1 / (1 - ratio * tilt) + ratio / (tilt - ratio))


@formula("tree-answers")
def failure_tree(plan: TreePlan, *, records: int) -> Fraction:
    """The chance that some threshold is off by more than the plan says, rounded up.

    Statement: with m = floor(levels·branching/2) and M the moment of the noise at `tilt`: 2·cells·M^m·tilt^-(steps+1),
    plus, if nodes are expanded on demand, levels·floor(records/(hidden+1))·ratio^(hidden-above+1)/(1 + ratio) for nodes
    of more than `hidden` records that are not, plus 4·branching·cells·ratio^(records+1)/(1 + ratio) for noise beyond
    its clamp.
    Source: register `tree-answers` (Dwork–Naor–Pitassi–Rothblum 2010 and Chan–Shi–Song 2011 for b = 2).
    Holds if: 1 < tilt < 1/ratio. Proof: docs/proofs/tree-answers.md.
    """
    with ctx.workprec(PRECISIONS[1]):
        a, x = ball(plan.ratio), ball(plan.tilt)
        moment = _moment(a, x)
        total = 2 * plan.cells * moment ** (plan.levels * plan.branching // 2) * x ** -(plan.steps + 1)
        total += 4 * plan.branching * plan.cells * a ** (records + 1) / (1 + a)
        if plan.above is not None:
            large = plan.levels * (records // (plan.hidden + 1))
            total += large * a ** (plan.hidden - plan.above + 1) / (1 + a)
        return rounded_up(total)


@formula("tree-answers")
@lru_cache(maxsize=256)
def plan_tree(
    records: int,
    *,
    cells: int,
    epsilon: Fraction,
    failure: Fraction,
    branching: int | None = None,
    full: bool | None = None,
) -> TreePlan | None:
    """The tree with the smallest provable error; None when nothing can be proved.

    Statement: as `failure_tree`, at ratio e^(-epsilon/(2·levels)). Source: register `tree-answers`.
    Holds if: as `failure_tree`. Proof: docs/proofs/tree-answers.md.
    """
    every = cells <= FULL if full is None else full
    branchings = BRANCHINGS if branching is None else (branching,)
    plans = [_plan_at(records, cells, b, epsilon, failure, every) for b in branchings]
    candidates = [plan for plan in plans if plan is not None]
    return min(candidates, key=lambda plan: plan.off) if candidates else None


def _plan_at(
    records: int, cells: int, branching: int, epsilon: Fraction, failure: Fraction, every: bool
) -> TreePlan | None:
    levels = tree_levels(cells, branching)
    ratio = ratio_for(epsilon / (2 * levels))
    if ratio == 1:
        return None
    share = failure * (Fraction(2**20 - 1, 2**20) if every else Fraction(3, 4))
    tilt = _best_tilt(ratio, levels * branching // 2, _log(2 * cells / share))
    plan = TreePlan(cells, branching, levels, ratio, None, 0, 0, tilt)
    plan = replace(plan, steps=_steps(plan, share))
    if not every:
        plan = _lazy(plan, records, failure)
    return plan if failure_tree(plan, records=records) <= failure else None


def _steps(plan: TreePlan, failure: Fraction) -> int:
    terms = plan.levels * plan.branching // 2

    def limit() -> arb:
        moment = _moment(ball(plan.ratio), ball(plan.tilt))
        return ball(failure / (2 * plan.cells)).log() - terms * moment.log()

    return max(0, first_power(1 / plan.tilt, limit) - 1)


def _lazy(plan: TreePlan, records: int, failure: Fraction) -> TreePlan:
    """An eighth of the failure is for nodes that should have been expanded and were not."""
    a = plan.ratio
    above = max(0, first_power(a, lambda: (ball(SPURIOUS / plan.branching) * (1 + ball(a))).log()) - 1)

    def enough(extra: int) -> bool:
        large = plan.levels * (records // (above + extra + 1))
        with ctx.workprec(PRECISIONS[0]):
            return bool(large * ball(a) ** (extra + 1) / (1 + ball(a)) <= ball(failure / 8))

    extra = first_whole(enough, start=int(8 / (1 - float(a))) + 1)
    return replace(plan, above=above, hidden=above + extra)


def _log(x: Fraction) -> float:
    """About ln x, also where x itself is beyond every double."""
    return math.log(x) if x < 2**1000 else math.log(x.numerator) - math.log(x.denominator)


def _best_tilt(ratio: Fraction, terms: int, log_events: float) -> Fraction:
    """About the tilt with the smallest bound; any tilt between 1 and 1/ratio is valid."""
    a = float(ratio)
    rate = -math.log(a)

    def edge(s: float) -> float:
        x = math.exp(s)
        moment = (1 - a) / (1 + a) * (1 / (1 - a * x) + a / (x - a))
        return (log_events + terms * math.log(moment)) / s

    low, high = rate * 1e-6, rate * (1 - 1e-6)
    for _ in range(80):
        one, two = low + (high - low) * 0.382, low + (high - low) * 0.618
        low, high = (low, two) if edge(one) < edge(two) else (one, high)
    return Fraction(math.exp((low + high) / 2))
