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

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.constructions.release import rules as release_rules
from privpac.constructions.release.buckets import Buckets
from privpac.constructions.release.sanitiser import (
    FAILURE,
    OrderedColumn,
    Released,
)
from privpac.constructions.release.tree_formulas import TreePlan, plan_tree
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.errors import SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.mechanisms.geometric import noisy_counts

__all__ = ["TreeCounts", "TreeWalk"]

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
            lambda: release_rules.tree_answers(plan, records=size.total, failure=self.failure),
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
