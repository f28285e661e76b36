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
from functools import cached_property, partial
from math import comb
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.compiled import plainly
from privpac.concepts.base import Costs
from privpac.concepts.literals.cooccurrence import Cooccurrence, binomials, offsets, run_parts
from privpac.concepts.trees.kernels import plain, threes
from privpac.concepts.trees.kernels import regions as tree_regions
from privpac.concepts.trees.kernels import sums as tree_sums
from privpac.concepts.trees.kernels.leaves import bottom_entries, leaf
from privpac.concepts.trees.kernels.pairs import pair_sums
from privpac.concepts.trees.prior import Prior
from privpac.concepts.trees.recursion import Recursion
from privpac.errors import ParameterError
from privpac.mechanisms.gibbs import power_table, reach
from privpac.numbers.exact import fraction_of

__all__ = ["Answer", "Law", "Region", "narrowed"]

Answer = tuple[int, bool]
"""(number of the test, whether it holds)."""
Region = tuple[Answer, ...] | None
"""Literals in ascending order of tests; None: no record can be there."""
Table = tuple[NDArray[np.int64], NDArray[np.float64]]


MOST_COST = 2**60
"""Scores are 64-bit integers in the kernels."""
PAIR, THREE = 2, 3
ENOUGH_POWERS = 64
"""With fewer powers in the table, half of them do not reach far enough for `pair_sums` (docs/proofs/tree-sums.md)."""
WORTH_THREADS = 1 << 24
"""Pairs of leaves from which on starting threads costs less than it saves."""


@dataclass(frozen=True)
class Law:
    """Trees weighted by prior · ratio^score, given the counts."""

    prior: Prior
    evidence: Cooccurrence
    ratio: Fraction
    costs: Costs
    threads: int = 1
    columns: tuple[tuple[int, bool], ...] = ()
    """Of every column, in order, how many tests it has and whether they are nested, or else exclude each other; none
    where that is not known."""

    def __post_init__(self) -> None:
        sets, classes = self.evidence.counts.shape
        least_sets = int(offsets(self.prior.tests, self.prior.depth)[-1])
        if sets < least_sets or classes != len(self.prior.labels):  # the kernels do not check their indices
            requirement = f"counts of at least {least_sets} sets and {len(self.prior.labels)} classes"
            raise ParameterError("Law", "evidence", (sets, classes), allowed=requirement)
        if len(self.costs) != classes or min(self.costs) < 1:
            raise ParameterError("Law", "costs", self.costs, allowed=f"{classes} positive integers")
        if max(self.costs) * int(self.evidence.counts[0].sum()) >= MOST_COST:
            requirement = "such that the largest times the number of records is below 2^60"
            raise ParameterError("Law", "costs", self.costs, allowed=requirement)

    @cached_property
    def _table(self) -> NDArray[np.float64]:
        """Powers of the ratio as far as a score can reach, then a 0 that stands for all smaller ones."""
        far = reach(self.ratio)
        longest = self._worst + 2  # `pair_table` wants two more than the largest score
        return np.append(power_table(self.ratio, longest if far is None else min(far, longest)), 0.0)

    @property
    def _by_pairs(self) -> bool:
        """Whether `pair_sums` and `three_sums` may stand for `bottom_sums`: two classes, enough powers."""
        both = len(self.prior.labels) == 2 and min(self.prior.labels) > 0
        far = reach(self.ratio)
        return self.prior.shape == "tree" and both and (far is None or far >= ENOUGH_POWERS)

    @cached_property
    def _worst(self) -> int:
        """No score is larger than this."""
        totals = self.evidence.counts[0].tolist()
        return sum(cost * total for cost, total in zip(self.costs, totals, strict=True))

    @cached_property
    def _public(self) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]]:
        """Costs, label priors and test weights for the kernels."""
        costs = np.array(self.costs, dtype=np.int32 if self._worst < 2**30 else np.int64)
        return costs, *self.prior.floats

    @cached_property
    def _layout(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Start of the sets of each size among the counts, start of the regions of each size, binomials."""
        p, depth = self.prior.tests, self.prior.depth
        regions = np.cumsum([0] + [comb(p, size) << size for size in range(depth)]).astype(np.int64)
        return offsets(p, depth), regions, binomials(p)

    @cached_property
    def _plain(self) -> plain.PlainSums | None:
        """The same sums by numpy, where that is quicker than to load the kernels."""
        p, regions = self.prior.tests, self._layout[1]
        if not 0 < self.prior.depth <= plain.DEEPEST or p == 0:
            return None
        if not plainly(plain.PAIR_COST * int(regions[-1]) * p * len(self.costs)):
            return None
        sets = int(offsets(p, self.prior.depth)[-1])
        lists = self.prior.shape == "list"
        return plain.PlainSums(self.evidence.counts[:sets], regions, lists, *self._public, self._table)

    @cached_property
    def _sums(self) -> list[Table]:
        """_sums[d]: the sums with d levels left of every region that can be met then; _sums[0]: of leaves."""
        regions, depth = self._layout[1], self.prior.depth
        tables = [_empty(int(regions[-1])), _empty(int(regions[-1]))]
        tables += [_empty(int(regions[depth - level + 1])) for level in range(2, depth + 1)]
        if self._plain is None:
            self._fill(tables)
            return tables
        for size in range(min(depth, self.prior.tests + 1)):
            self._plain.bottom(size, *self.prior.factors[1], tables[0], tables[1])
        for level in range(2, depth + 1):
            for size in range(min(depth - level, self.prior.tests) + 1):
                self._plain.inner(
                    size, *self.prior.factors[level], tables[0], tables[level - 1], tables[level]
                )
        return tables

    def _fill(self, tables: list[Table]) -> None:
        """By the kernels."""
        begin, regions, binomial = self._layout
        costs, labels, weights = self._public
        depth = self.prior.depth
        threads = self.threads if int(regions[-1]) * len(weights) >= WORTH_THREADS else 1
        for size in range(min(depth, self.prior.tests + 1)):
            out = self._parts(tables, size)
            if size in (PAIR, THREE) and self._by_pairs:
                self._fill_by_pairs(size, tables, threads)
                continue
            run_parts(
                partial(
                    tree_sums.bottom_sums, self.evidence.counts, begin, binomial, size, costs, labels, weights,
                    *self.prior.factors[1], self._table, *out,
                ),
                threads,
            )  # fmt: skip
        for level in range(2, depth + 1):
            scale, stop = self.prior.factors[level]
            for size in range(min(depth - level, self.prior.tests) + 1):
                tree_sums.inner_sums(
                    size, regions, binomial, self.prior.shape == "list", weights, scale, stop,
                    self._table, tables[0], tables[level - 1], tables[level],
                )  # fmt: skip

    def _parts(self, tables: list[Table], size: int) -> tuple[Table, Table]:
        """Of the leaves and of the sums with one level: the regions of this many tests."""
        regions = self._layout[1]
        part = slice(int(regions[size]), int(regions[size + 1]))
        return _part(tables[0], part), _part(tables[1], part)

    def _fill_by_pairs(self, size: int, tables: list[Table], threads: int) -> None:
        """The sums with one level of all regions of two tests, or of three once those of two are there."""
        begin, (costs, labels, weights), p = self._layout[0], self._public, self.prior.tests
        counts = self.evidence.counts
        signed_counts = tree_sums.signed_counts(self.evidence, costs)[: int(begin[size + 2])]
        prices = tree_sums.prices(counts[: int(begin[size + 1])], costs)
        common = labels, weights, *self.prior.factors[1], self._table
        if size == PAIR:
            work = partial(pair_sums, signed_counts, prices, *common, *self._parts(tables, size))
        else:
            cube = np.empty((p * p, p), signed_counts.dtype)
            run_parts(partial(threes.cube_of, signed_counts, cube), threads)
            pairs = self._parts(tables, PAIR)
            work = partial(
                threes.three_sums,
                signed_counts,
                prices,
                cube,
                self._columns,
                *common,
                pairs,
                *self._parts(tables, size),
            )
        run_parts(work, threads)

    @cached_property
    def _columns(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The column of every test, and whether the tests of that are nested; each has its own if none are known."""
        groups = self.columns or ((1, False),) * self.prior.tests
        sizes, nested = zip(*groups, strict=True)
        return np.repeat(np.arange(len(sizes)), sizes), np.repeat(np.array(nested), sizes)

    @property
    def total(self) -> tuple[int, float]:
        """The sum over all trees as ratio^score · mass, the score the smallest in the class. Private, like all sums."""
        scores, masses = self._sums[self.prior.depth]
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
        if self._plain is not None:
            return self._plain_floats(self._plain, region, depth)
        p, repeat = self.prior.tests, self.prior.repeat
        costs, labels, weights = self._public
        begin, regions, binomial = self._layout
        entries, masses = np.zeros(repeat * p, dtype=np.int64), np.ones(repeat * p)
        base, mass = np.int64(0), 1.0
        if region is not None:
            tests, signs = _split(region)
            if depth == 1:
                pairs = np.empty(p, dtype=costs.dtype), np.empty((2, p))
                bottom_entries(
                    self.evidence.counts, begin, binomial, tests, signs, costs, labels, self._table, *pairs
                )
                entries, masses = np.repeat(pairs[0], repeat).astype(np.int64), np.repeat(pairs[1][0], repeat)
            else:
                tree_sums.inner_entries(
                    tests, signs, regions, binomial, repeat == 2,
                    self._sums[0], self._sums[depth - 1], entries, masses,
                )  # fmt: skip
            base, mass = leaf(self.counts(region).astype(costs.dtype), costs, labels, self._table)
        scale, stop = self.prior.factors[depth]
        return tree_sums.weigh(entries, masses, weights, repeat, scale, stop, base, mass, self._table)

    def _plain_floats(self, sums: plain.PlainSums, region: Region, depth: int) -> NDArray[np.float64]:
        p, repeat = self.prior.tests, self.prior.repeat
        entries, masses, stay = np.zeros(repeat * p, dtype=np.int64), np.ones(repeat * p), (0, 1.0)
        if region is not None:
            tests, signs = _split(region)
            totals = self.counts(region)[:, None]
            if depth == 1:
                begin, _, binomial = self._layout
                rows = tree_regions.region_rows(self.evidence.counts, begin, binomial, tests, signs)
                pairs = sums.pairs(rows, totals)
                entries, masses = np.repeat(pairs[0], repeat), np.repeat(pairs[1], repeat)
            else:
                number = 0 if not region else 2 * region[0][0] + signs
                children = sums.children(len(region), self._sums[0], self._sums[depth - 1])
                entries, masses = children[0][:, number], children[1][:, number]
            base, mass = sums.leaves(totals)
            stay = int(base[0]), float(mass[0])
        return sums.weigh(entries, masses, *self.prior.factors[depth], stay)

    def label_floats(self, region: Region) -> NDArray[np.float64]:
        correct = self.counts(region) * self._public[0]
        support = self._public[1] > 0
        gaps = np.minimum(np.where(support, correct[support].max() - correct, 0), len(self._table) - 1)
        values: NDArray[np.float64] = self._public[1] * self._table[gaps]
        return values

    def counts(self, region: Region) -> NDArray[np.int64]:
        """Records of each class in a region."""
        if region is None:
            return np.zeros(len(self.costs), dtype=np.int64)
        begin, _, binomial = self._layout
        return tree_regions.region_counts(self.evidence.counts, begin, binomial, *_split(region))

    def restricted(self, region: Region, depth: int) -> NDArray[np.int64]:
        """Counts of all sets of at most `depth` tests among the records of a region."""
        p, binomial = self.prior.tests, self._layout[2]
        rows = int(offsets(p, depth)[-1])
        if region is None:
            return np.zeros((rows, len(self.costs)), dtype=np.int64)
        levels = depth + len(region)
        counts = self.evidence.counts[: int(offsets(p, levels)[-1])].astype(np.int64)
        for test, holds in region:
            counts = tree_regions.restrict(counts, p, levels, test, holds, binomial)
            levels -= 1
        return counts

    def balls(self) -> Recursion:
        """Recursion in ball arithmetic of the current precision."""
        return Recursion(self.prior, self.costs, self.ratio, exact=False)

    @cached_property
    def rationals(self) -> Recursion:
        """Recursion in exact rationals."""
        return Recursion(self.prior, self.costs, self.ratio, exact=True)


def _empty(rows: int) -> Table:
    return np.empty(rows, dtype=np.int64), np.empty(rows)


def _part(table: Table, part: slice) -> Table:
    return table[0][part], table[1][part]


def _split(region: tuple[Answer, ...]) -> tuple[NDArray[np.int64], int]:
    tests = np.array([test for test, _ in region], dtype=np.int64)
    return tests, sum(1 << i for i, (_, holds) in enumerate(region) if holds)


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
