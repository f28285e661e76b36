"""The Gibbs law over all trees (or decision lists): its public prior, and its weights in three readings.

A tree is grown from the root: stop with probability `stop` and draw a label, or else draw a test and grow
both children with one level less. The prior of a tree is the product of these probabilities, its weight is
prior · ratio^score, and the sum over all trees below a region S with d levels left is

    Z(S, d) = stop · leaf(S) + (1 - stop) · sum over tests f of weight(f) · Z(S: not f, d-1) · Z(S: f, d-1),
    leaf(S) = sum over labels y of prior(y) · ratio^(cost of the records of S whose class is not y).

A decision list asks literals; where one holds the answer is final: leaf(S with l) · Z(S without l, d-1).
Statement: drawing each decision in proportion to its term, top down, draws a tree with probability exactly
proportional to prior · ratio^score. Source: derived here (sums of products over independent subtrees).
Holds if: prior, ratio and costs are public (assumed); the counts are those of the same tests, and scores fit in
64 bits (checked here). Proof and error bound: docs/proofs/tree-sums.md.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.concepts.base import Costs
from privpac.concepts.literals.cooccurrence import Cooccurrence, offsets
from privpac.concepts.trees.powers import Arithmetic, Number
from privpac.concepts.trees.prior import Prior
from privpac.concepts.trees.sums import TreeSums, region_counts, restrict
from privpac.errors import ParameterError
from privpac.mechanisms.gibbs import power_table, reach
from privpac.numbers.exact import fraction_of

__all__ = ["Answer", "Law", "Region", "narrowed"]

Answer = tuple[int, bool]
"""(number of the test, whether it holds)."""
Region = tuple[Answer, ...] | None
"""Literals in ascending order of tests; None: no record can be there."""

MOST_COST = 2**60
"""Scores are 64-bit integers."""


@dataclass(frozen=True)
class Law:
    """Trees weighted by prior · ratio^score, given the counts."""

    prior: Prior
    evidence: Cooccurrence
    ratio: Fraction
    costs: Costs

    def __post_init__(self) -> None:
        sets, classes = self.evidence.counts.shape
        least_sets = int(offsets(self.prior.tests, self.prior.depth)[-1])
        if sets < least_sets or classes != len(self.prior.labels):  # a kernel does not check its indices
            requirement = f"counts of at least {least_sets} sets and {len(self.prior.labels)} classes"
            raise ParameterError("Law", "evidence", (sets, classes), allowed=requirement)
        if len(self.costs) != classes or min(self.costs) < 1:
            raise ParameterError("Law", "costs", self.costs, allowed=f"{classes} positive integers")
        if max(self.costs) * int(self.evidence.counts[0].sum()) >= MOST_COST:
            requirement = "such that the largest times the number of records is below 2^60"
            raise ParameterError("Law", "costs", self.costs, allowed=requirement)

    @cached_property
    def _sums(self) -> TreeSums:
        """In floats; the table has powers of the ratio as far as a score can reach, then a 0 for all smaller ones."""
        worst = sum(cost * int(n) for cost, n in zip(self.costs, self.evidence.counts[0], strict=True))
        far = reach(self.ratio)
        table = np.append(power_table(self.ratio, worst if far is None else min(far, worst)), 0.0)
        costs = np.array(self.costs, dtype=np.int32 if worst < 2**30 else np.int64)
        sets = int(offsets(self.prior.tests, self.prior.depth)[-1])
        return TreeSums(self.evidence.counts[:sets], self.prior, costs, table)

    @property
    def total(self) -> tuple[int, float]:
        """The sum over all trees as ratio^score · mass, the score the smallest in the class. Private, like all sums."""
        scores, masses = self._sums.tables[self.prior.depth]
        return int(scores[0]), float(masses[0])

    def at_root(self) -> NDArray[np.int64]:
        """The counts a sum over all trees needs."""
        return self.restricted((), self.prior.depth)

    def node(self, region: Region, depth: int) -> NodeWeights:
        """The first decision at a node: index 0 stops, 1 + i takes option i."""
        return NodeWeights(self, region, depth)

    def label(self, region: Region) -> LabelWeights:
        """The label of a leaf."""
        return LabelWeights(self, region)

    def node_floats(self, region: Region, depth: int) -> NDArray[np.float64]:
        if region is not None:
            return self._sums.node(region, depth)
        options = (
            self.prior.repeat * self.prior.tests
        )  # nobody is there: every tree weighs what it did beforehand
        return self._sums.weigh(np.zeros(options, np.int64), np.ones(options), depth, (0, 1.0))

    def label_floats(self, region: Region) -> NDArray[np.float64]:
        labels, table = self.prior.floats[0], self._sums.table
        correct = self.counts(region) * np.array(self.costs, dtype=np.int64)
        support = labels > 0
        gaps = np.minimum(np.where(support, correct[support].max() - correct, 0), len(table) - 1)
        values: NDArray[np.float64] = labels * table[gaps]
        return values

    def counts(self, region: Region) -> NDArray[np.int64]:
        """Records of each class in a region."""
        if region is None:
            return np.zeros(len(self.costs), dtype=np.int64)
        return region_counts(self.evidence.counts, self.prior.tests, region)

    def restricted(self, region: Region, depth: int) -> NDArray[np.int64]:
        """Counts of all sets of at most `depth` tests among the records of a region."""
        p = self.prior.tests
        if region is None:
            return np.zeros((int(offsets(p, depth)[-1]), len(self.costs)), dtype=np.int64)
        levels = depth + len(region)
        counts = self.evidence.counts[: int(offsets(p, levels)[-1])].astype(np.int64)
        for test, holds in region:
            counts = restrict(counts, p, levels, test, holds)
            levels -= 1
        return counts

    def balls(self) -> _Recursion:
        """Recursion in ball arithmetic of the current precision."""
        return _Recursion(self.prior, self.costs, self.ratio, exact=False)

    @cached_property
    def rationals(self) -> _Recursion:
        """Recursion in exact rationals."""
        return _Recursion(self.prior, self.costs, self.ratio, exact=True)


def narrowed(region: Region, test: int, holds: bool) -> Region:
    """The part of a region where a test holds, or does not."""
    if region is None or (test, not holds) in region:
        return None
    if (test, holds) in region:
        return region
    return tuple(sorted((*region, (test, holds))))


@dataclass(frozen=True)
class NodeWeights:
    """Stop, or which option, at a node of a region with `depth` levels left."""

    law: Law
    region: Region
    depth: int

    @property
    def key(self) -> Hashable:
        counts = self.law.restricted(self.region, self.depth)
        return ("node", self.law.prior, self.law.ratio, self.law.costs, self.depth, counts.tobytes())

    def floats(self) -> tuple[NDArray[np.float64], float]:
        return self.law.node_floats(self.region, self.depth), self.law.prior.errors[self.depth]

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits):
            return self.law.balls().options(self.law.restricted(self.region, self.depth), self.depth)

    def exact(self) -> Sequence[Fraction]:
        options = self.law.rationals.options(self.law.restricted(self.region, self.depth), self.depth)
        return [*map(fraction_of, options)]


@dataclass(frozen=True)
class LabelWeights:
    """Which label, at a leaf of a region."""

    law: Law
    region: Region

    @property
    def key(self) -> Hashable:
        counts = self.law.counts(self.region)
        return ("label", self.law.prior.labels, self.law.ratio, self.law.costs, counts.tobytes())

    def floats(self) -> tuple[NDArray[np.float64], float]:
        return self.law.label_floats(self.region), self.law.prior.errors[0]

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits):
            return self.law.balls().labels(self.law.counts(self.region))

    def exact(self) -> Sequence[Fraction]:
        return [*map(fraction_of, self.law.rationals.labels(self.law.counts(self.region)))]


class _Recursion(Arithmetic):
    """The defining sums, literally, in exact or enclosing arithmetic; numbers are remembered.

    Slow, and the measure of all that is fast: draws that floats leave in doubt are decided here, and audits use nothing
    else.
    """

    def __init__(self, prior: Prior, costs: Costs, ratio: Fraction, *, exact: bool) -> None:
        super().__init__(ratio, exact=exact)
        self._prior = prior
        self._costs = costs
        self._known: dict[tuple[int, bytes], Number] = {}
        self._weights: dict[int, list[Number]] = {}

    def labels(self, counts: NDArray[np.int64]) -> list[Number]:
        """The weight of each label of a leaf."""
        correct = [cost * int(count) for cost, count in zip(self._costs, counts, strict=True)]
        total = sum(correct)
        return [
            self._number(label) * self._power(total - right)
            for label, right in zip(self._prior.labels, correct, strict=True)
        ]

    def _known_weights(self, depth: int) -> list[Number]:
        if depth not in self._weights:
            options = (self._prior.option(test, depth) for test in range(self._prior.tests))
            self._weights[depth] = [*map(self._number, options)]
        return self._weights[depth]

    def leaf(self, counts: NDArray[np.int64]) -> Number:
        key = (0, counts.tobytes())
        if key not in self._known:
            self._known[key] = _total(self.labels(counts))
        return self._known[key]

    def sum(self, counts: NDArray[np.int64], depth: int) -> Number:
        """The sum over all trees with `depth` levels."""
        if depth == 0:
            return self.leaf(counts[0])
        key = (depth, counts.tobytes())
        if key not in self._known:
            self._known[key] = _total(self.options(counts, depth))
        return self._known[key]

    def options(self, counts: NDArray[np.int64], depth: int) -> list[Number]:
        """The weights of a node's first decision: stop, then every option."""
        stop = self._prior.stop_at(depth)
        values = [self._number(stop) * self.leaf(counts[0])]
        p = self._prior.tests
        for test, weight in enumerate(self._known_weights(depth)):
            low, high = (restrict(counts, p, depth, test, holds) for holds in (False, True))
            if self._prior.shape == "tree":
                values.append(weight * self.sum(low, depth - 1) * self.sum(high, depth - 1))
            else:
                values.append(weight * self.leaf(low[0]) * self.sum(high, depth - 1))
                values.append(weight * self.leaf(high[0]) * self.sum(low, depth - 1))
        return values


def _total(values: Sequence[Number]) -> Number:
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total
