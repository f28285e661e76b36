"""A tree of noisy counts over an ordered column: every threshold and every range is nearly right.

Statement: each level of the tree holds each record once, so a replaced record changes 2·levels counts by 1 and noise at
`ratio` per unit is epsilon-DP with e^epsilon = ratio^(-2·levels). In a large domain children are counted only below
nodes whose noisy count exceeds a public height: what is released decides what is released next, so it is a part of the
full tree. Sums of few nodes, made monotone, are synthetic records.
Source: Dwork–Naor–Pitassi–Rothblum 2010, Chan–Shi–Song 2011 (binary trees); registers `geometric-noise`,
`tree-answers`.
Holds if: empty nodes get noise and are expanded by the same rule; the number of records is public.
Proof: docs/proofs/tree-answers.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.constructions.release.sanitiser import FAILURE, OrderedColumn, Released, answers_fact, need_sizes
from privpac.constructions.release.tables import Buckets
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.errors import SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Answers, Queries
from privpac.guarantee.proof import SEAL, Proof, need, parameters
from privpac.mechanisms.geometric import noisy_counts
from privpac.numbers.binomial import rounded_up
from privpac.numbers.exact import (
    PRECISIONS,
    ball,
    first_power,
    first_whole,
    ratio_for,
    written,
)
from privpac.theory.register import formula

__all__ = [
    "FULL",
    "TreeCounts",
    "TreePlan",
    "TreeWalk",
    "failure_tree",
    "plan_tree",
    "tree_answers",
    "tree_levels",
]


# --- accuracy ---


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


def tree_answers(plan: TreePlan, *, records: int, failure: Fraction) -> Proof[Answers]:
    """Thresholds from a tree of noisy counts are right within the number of records the plan says.

    Register `tree-answers`. Holds if noise is independent between nodes, and a node is expanded if and only if its
    noisy count exceeds `above`.
    """
    rule = "tree-answers"
    need_sizes(rule, plan.cells, records, plan.ratio, failure)
    need(rule, plan.branching >= 2, "a node needs at least two children")
    need(
        rule, plan.levels == tree_levels(plan.cells, plan.branching), "the levels are not those of the domain"
    )
    need(rule, 1 < plan.tilt < 1 / plan.ratio, "the tilt must lie between 1 and 1/ratio")
    need(rule, min(plan.steps, plan.hidden) >= 0, "an error cannot be negative")
    fits = plan.hidden == 0 if plan.above is None else 0 <= plan.above <= plan.hidden
    need(rule, fits, "the height does not fit what it hides")
    bound = failure_tree(plan, records=records)
    need(rule, bound <= failure, "the bound is larger than the failure probability asked for")
    where = parameters(
        cells=written(plan.cells),
        branching=plan.branching,
        levels=plan.levels,
        ratio=plan.ratio,
        above="never" if plan.above is None else plan.above,
        steps=plan.steps,
        hidden=plan.hidden,
        tilt=plan.tilt,
    )
    fact = answers_fact(rule, Fraction(plan.off, records), failure, Queries.THRESHOLDS, records)
    return Proof(fact, rule, where=where, seal=SEAL)


# --- the sanitiser ---


OWNER = "TreeCounts"


Integers = NDArray[np.int64]


@dataclass(frozen=True)
class TreeCounts(OrderedColumn):
    """Counts of a tree with `branching` children a node (by default the number with the best promise)."""

    schema: Schema
    column: str
    epsilon: Fraction
    error: Fraction | None = None
    failure: Fraction = FAILURE
    branching: int | None = None
    full: bool | None = None
    """Whether every node is counted, or only below full ones; by default the size of the domain decides."""

    def plan(self, records: int) -> TreePlan | None:
        """The tree, from public numbers; None when so few records prove nothing."""
        return plan_tree(
            records,
            cells=self.cells,
            epsilon=self.epsilon,
            failure=self.failure,
            branching=self.branching,
            full=self.full,
        )

    def promise(self, records: int) -> Fraction | None:
        plan = self.plan(records)
        return None if plan is None else Fraction(plan.off, records)

    def _tree_plan(self, records: int) -> TreePlan:
        """The tree that is counted, whether or not anything can be promised of it."""
        plan = self.plan(records) or self.plan(_MANY)
        if plan is None:
            raise SizeError(f"{OWNER}: an epsilon so small proves nothing for any number of records.")
        return plan

    def synthetic(self, records: int) -> int:
        """How many synthetic records there will be."""
        return records

    def require(self, size: Size) -> None:
        super().require(size)
        self._tree_plan(size.total)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        plan = self._tree_plan(size.total)
        return self.certificate(
            rules.geometric_noise(ratio=plan.ratio, change=2 * plan.levels, single=True),
            lambda: tree_answers(plan, records=size.total, failure=self.failure),
            what="monotone counts",
            size=size,
            name="tree-counts",
            branching=plan.branching,
            levels=plan.levels,
            above="never" if plan.above is None else plan.above,
        )

    def releases(self, table: Released, size: Size) -> bool:
        """Ranges between edges of the tree, that hold no more records than there are."""
        if not isinstance(table, Buckets) or table.column != self.column:
            return False
        inside = all(end <= self.cells for _, end, _ in table.buckets)
        return inside and table.total <= size.total

    def release(self, sample: Sample, coins: Coins) -> Buckets:
        n = sample.size.total
        plan = self._tree_plan(n)
        evidence = sample.reduce(CellCounts(self.schema.column(self.column), classes=1))
        starts, below, _ = TreeWalk(plan, n, evidence).run(coins)
        edges = [*starts, self.cells]
        return Buckets.of(self.column, edges, np.diff(_monotone(below, n)).tolist())


_MANY = 10**9
"""Records that every tree is worth counting for."""


def _monotone(below: Integers, n: int) -> Integers:
    """Counts below each edge that never fall, between 0 and n: the mean of running maximum and running minimum.

    Both lie as near to every monotone truth as the given counts do at their worst edge.
    """
    highest = np.maximum.accumulate(below)
    lowest = np.minimum.accumulate(below[::-1])[::-1]
    return np.append(np.clip((highest + lowest) // 2, 0, n), n)


@dataclass(frozen=True, eq=False, repr=False)
class _Level:
    """Nodes of one level that are to be looked into, in order: their numbers, the estimated records before their two
    edges, and of how many noisy counts these are sums."""

    numbers: NDArray[Any]
    left: Integers
    right: Integers
    left_terms: Integers
    right_terms: Integers

    def chosen(self, which: NDArray[np.bool_]) -> _Level:
        arrays = (self.numbers, self.left, self.right, self.left_terms, self.right_terms)
        return _Level(*(array[which] for array in arrays))


@dataclass(frozen=True, eq=False, repr=False)
class TreeWalk:
    """From the root down, a level at a time. Private: it has no repr."""

    plan: TreePlan
    n: int
    evidence: ColumnCounts

    @property
    def _whole(self) -> Any:
        """What node numbers and edges are held in: Python integers where 63 bits do not do."""
        plan = self.plan
        return np.int64 if plan.branching**plan.levels * plan.branching < 2**63 else object

    def run(self, coins: Coins) -> tuple[list[int], Integers, list[Integers]]:
        """The left edges of all nodes that are not looked into, ascending, the estimated records below them, and the
        noisy counts everything was made from, level by level."""
        zero, all_ = np.zeros(1, dtype=np.int64), np.full(1, self.n, dtype=np.int64)
        level = _Level(np.zeros(1, dtype=self._whole), zero, all_, zero, zero)
        values = self.evidence.values.astype(self._whole)
        sums = np.concatenate([[0], np.cumsum(self.evidence.counts[:, 0], dtype=np.int64)])
        starts: list[int] = []
        below: list[Integers] = []
        noise: list[Integers] = []
        for depth in range(1, self.plan.levels + 1):
            width = self.plan.branching ** (self.plan.levels - depth)
            level, noisy = self._children(level, width, values, sums, coins)
            noise.append(noisy)
            expand = np.full(len(noisy), depth < self.plan.levels)
            if self.plan.above is not None:
                expand &= noisy > self.plan.above
            leaves = level.chosen(~expand)
            starts += (leaves.numbers * width).tolist()
            below.append(leaves.left)
            level = level.chosen(expand)
        order = np.argsort(np.array(starts, dtype=self._whole), kind="stable")
        return [starts[i] for i in order.tolist()], np.concatenate(below)[order], noise

    def _children(
        self, level: _Level, width: int, values: NDArray[Any], sums: Integers, coins: Coins
    ) -> tuple[_Level, Integers]:
        """The children that lie in the domain, and their noisy counts."""
        b = self.plan.branching
        numbers = (level.numbers[:, None] * b + np.arange(b + 1).astype(self._whole)).astype(self._whole)
        edges = numbers * width
        inside = np.asarray(edges[:, :-1] < self.plan.cells, dtype=bool)
        at = sums[np.searchsorted(values, edges.ravel()).reshape(edges.shape)]
        noisy = np.zeros(inside.shape, dtype=np.int64)
        noisy[inside] = noisy_counts(
            np.diff(at, axis=1)[inside], ratio=self.plan.ratio, low=-self.n, high=2 * self.n, coins=coins
        )
        counts, terms = _edges(level, noisy, inside.astype(np.int64))
        flat = (numbers[:, :-1], counts[:, :-1], counts[:, 1:], terms[:, :-1], terms[:, 1:])
        return _Level(*(array[inside] for array in flat)), noisy[inside]


def _edges(level: _Level, noisy: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """Records before every edge between children: from the parent's left edge or back from its right one, whichever
    adds up fewer noisy counts. A child outside of the domain is empty and adds none."""
    zeros = np.zeros((len(noisy), 1), dtype=np.int64)
    sums = np.concatenate([zeros, np.cumsum(noisy, axis=1)], axis=1)
    before = np.concatenate([zeros, np.cumsum(counts, axis=1)], axis=1)
    forth_terms = level.left_terms[:, None] + before
    back_terms = level.right_terms[:, None] + before[:, -1:] - before
    back = back_terms < forth_terms
    forth_counts = level.left[:, None] + sums
    back_counts = level.right[:, None] - (sums[:, -1:] - sums)
    return np.where(back, back_counts, forth_counts), np.where(back, back_terms, forth_terms)
