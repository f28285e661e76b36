"""The majority of three public tests, each taken as it is or the other way round: two classes.

A sum of evidence where a tree asks one question after the other: a record is put where two of three signs point. All
8·(p choose 3) rules are equally likely beforehand. Counts of sets of three tests say all that is needed, so the law
costs one pass over them, and a majority is written as a tree of depth 3, like everything else a mixture draws. Tested
by tests/unit/concepts/trees/test_majority.py and tests/exact/ (row `majorities`).

Write a test as +1 where it holds and -1 where it does not, and a record as +w or -w by its class, w being its cost.
A majority is (a + b + c - abc)/2, so with S_f the sum of record · f over all records

    right - wrong = (±S_a ± S_b ± S_c ∓ S_abc) / 2,   price of mistakes = (all - (right - wrong)) / 2,

integers both. Opposite signs give the opposite rule, so the four sums of a set of tests make eight rules: rule 2k has
sign -1 at test k - 1 (none for k = 0), rule 2k + 1 answers the opposite. Sets come in colexicographic order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import plainly
from privpac.concepts.base import Costs, Hypothesis, Stored
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.concepts.literals.cooccurrence import (
    THREADS,
    Cooccurrence,
    CooccurrenceTensor,
    Estimate,
    offsets,
)
from privpac.concepts.trees.kernels.gains import count_gains, find_gain, largest_gain, list_gains
from privpac.concepts.trees.kernels.sums import signed_counts
from privpac.concepts.trees.parts import UniformTrees
from privpac.concepts.trees.prior import refuse_beyond
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.mechanisms.scores import Histogram

__all__ = ["Majorities"]

Longs = NDArray[np.int64]

VOTERS = 3
RULES = 8
"""Majorities a set of three tests."""
RULE_COST = 4.0
"""Nanoseconds a rule costs in one draw (benchmarks/trees.py)."""
PLAIN_COST = 60
"""Operations of numpy per set of tests."""
DENSE = 2**24
"""Prices up to which a table has a slot for each."""
NEAR = 2**17
"""Prices up to which such a table stays in a processor's cache, so that one pass over all rules is enough."""


@dataclass(frozen=True)
class Majorities(UniformTrees, Stored):
    """Rules that follow two of three signed tests; uniform over the sets of tests and their signs."""

    schema: Schema
    binarisation: Binarisation | None = None
    threads: int = THREADS

    def __post_init__(self) -> None:
        if (classes := len(self.schema.classes)) != 2:
            raise ParameterError(
                "Majorities", "schema", f"{classes} classes", allowed="a label of two classes"
            )
        if len(self.tests.tests) < VOTERS:
            raise ParameterError("Majorities", "tests", len(self.tests.tests), allowed="three tests or more")
        self.require(None)

    @property
    def word(self) -> str:
        return "majorities"

    @property
    def size(self) -> int:
        return RULES * comb(len(self.tests.tests), VOTERS)

    @property
    def vc(self) -> int:
        """A class of N functions shatters at most log2 N points."""
        return self.size.bit_length() - 1

    @property
    def statistic(self) -> CooccurrenceTensor:
        return CooccurrenceTensor(self.tests, VOTERS, 2, self.threads)

    def estimate(self, n: int) -> Estimate:
        """Public estimate of time and memory for n records."""
        return self._cost(VOTERS, n)

    def _cost(self, levels: int, n: int) -> Estimate:
        tensor = CooccurrenceTensor(self.tests, levels, 2, self.threads)
        counting = tensor.estimate(n)
        rules = RULES * comb(len(self.tests.tests), levels)
        return Estimate(counting.seconds + RULE_COST * 1e-9 * rules, counting.bytes + 8 * tensor.sets)

    def require(self, n: int | None) -> None:
        refuse_beyond("Majorities", "tests", VOTERS, len(self.tests.tests), self._cost, n=n)

    def scores(self, evidence: Cooccurrence, *, costs: Costs) -> MajorityScores:
        sets = int(offsets(len(self.tests.tests), VOTERS)[-1])
        if len(evidence.counts) < sets:  # the kernels do not check their indices
            raise ParameterError(
                "Majorities", "evidence", len(evidence.counts), allowed=f"{sets} sets or more"
            )
        everything = sum(cost * count for cost, count in zip(costs, evidence.counts[0].tolist(), strict=True))
        prices: NDArray[Any] = np.array(costs, dtype=np.int32 if everything < 2**30 else np.int64)
        return MajorityScores(self, signed_counts(evidence, prices)[:sets], everything)

    def member(self, chosen: tuple[int, int, int], rule: int) -> Tree:
        """The tree of a rule, as the kernels number them."""
        place, opposite = divmod(rule, 2)
        holds = [(position + 1 != place) != bool(opposite) for position in range(VOTERS)]
        first, second, third = (
            partial(_answered, self.tests.tests[test], yes) for test, yes in zip(chosen, holds, strict=True)
        )
        last = third(Leaf(0), Leaf(1))
        return first(second(Leaf(0), last), second(last, Leaf(1)))

    def contains(self, hypothesis: Hypothesis) -> bool:
        return isinstance(hypothesis, Tree) and any(hypothesis == member for member in self._near(hypothesis))

    def contains_merged(self, hypothesis: Hypothesis) -> bool:
        return isinstance(hypothesis, Tree) and any(
            hypothesis == member.merged() for member in self._near(hypothesis)
        )

    def _near(self, tree: Tree) -> Iterator[Tree]:
        """Members among which this tree, or one that is this tree once merged, must be if there is any.

        A majority depends on each of its tests unless the answers to the others are tied to it, which needs tests of
        one column. So what merging left out lies in a column of the tree, or all three in any one column if nothing
        is left; and of the tests between two that the tree asks, any three stand for all.
        """
        inner_tests = set(tree.tests())
        number = {test: place for place, test in enumerate(self.tests.tests)}
        if not inner_tests <= number.keys() or len(inner_tests) > VOTERS:
            return
        pools = [self._unasked(inner_tests, tree.columns)]
        if not inner_tests:
            pools = [self._unasked(inner_tests, (group.column,)) for group in self.tests.groups]
        for more in (tests for pool in pools for tests in combinations(pool, VOTERS - len(inner_tests))):
            first, second, third = sorted(number[test] for test in (*inner_tests, *more))
            for rule in range(RULES):
                yield self.member((first, second, third), rule)

    def _unasked(self, tests: set[Test], columns: tuple[str, ...]) -> list[Test]:
        """Tests of these columns that a tree does not ask, at most three between two that it does."""
        pool: list[Test] = []
        run = 0
        for test in (test for test in self.tests.tests if test.column in columns):
            run = 0 if test in tests else run + 1
            if 0 < run <= VOTERS:
                pool.append(test)
        return pool


def _answered(test: Test, yes: bool, low: Tree, high: Tree) -> Tree:
    """`high` where the test's answer is `yes`."""
    return Split(test, low, high) if yes else Split(test, high, low)


@dataclass(frozen=True, eq=False, repr=False)
class MajorityScores:
    """All majorities by price. Private, like all scores."""

    concepts: Majorities
    signed: Longs
    everything: int
    """The price of all records."""

    @property
    def _tests(self) -> int:
        return len(self.concepts.tests.tests)

    @cached_property
    def _plain(self) -> NDArray[Any] | None:
        """The price of every other rule, where listing them is quicker than to load the kernels."""
        if self.everything >= DENSE or not plainly(PLAIN_COST * comb(self._tests, VOTERS)):
            return None
        return _plain_prices(self.signed, self._tests, self.everything)

    @cached_property
    def _counted(self) -> Longs | None:
        """How many rules have the prices 0, 1, …, where one table is enough: one of two opposites, and the other."""
        if self._plain is not None:
            counts = np.bincount(self._plain.ravel(), minlength=self.everything + 1)
        elif self.everything < NEAR:
            better = self.everything // 2 + 1
            counts = np.zeros(self.everything + 1, np.int64)
            everything, width = np.int64(self.everything), np.int64(better)
            counts[:better] = count_gains(self.signed, self._tests, everything, width)[:better]
        else:
            return None
        both: Longs = counts + counts[::-1]
        return both

    @cached_property
    def _furthest(self) -> int:
        """What the best rule gets right more than it gets wrong."""
        if self._counted is not None:
            return self.everything - 2 * int(np.flatnonzero(self._counted)[0])
        return int(largest_gain(self.signed, self._tests))

    @property
    def _best(self) -> int:
        return (self.everything - self._furthest) // 2

    def histogram(self, span: int | None) -> Histogram:
        furthest = self._furthest  # the opposite of the best rule is the worst
        width = (furthest if span is None else min(furthest, span)) + 1
        if self._counted is not None:
            counts = self._counted[self._best :]
            steps = np.flatnonzero(counts[:width])
            return Histogram(self._best, steps, counts[steps].tolist(), int(counts[width:].sum()))
        if width > DENSE:
            gains = np.empty(self.concepts.size, np.int64)
            list_gains(self.signed, self._tests, gains)
            steps, counts = np.unique((furthest - gains) // 2, return_counts=True)
            near = steps < width
            return Histogram(self._best, steps[near], counts[near].tolist(), int(counts[~near].sum()))
        better = min(furthest // 2 + 1, width)  # of two opposite rules one lies in this half
        halves = count_gains(self.signed, self._tests, np.int64(furthest), np.int64(better))
        counts = np.zeros(width, np.int64)
        counts[:better] += halves[:better]
        mirrored = furthest - np.arange(better)
        counts[mirrored[mirrored < width]] += halves[:better][mirrored < width]
        steps = np.flatnonzero(counts)
        return Histogram(self._best, steps, counts[steps].tolist(), self.concepts.size - int(counts.sum()))

    def locate(self, score: int, index: int) -> Tree:
        if self._plain is not None:
            return self.concepts.member(*self._find(self._plain.ravel(), score, index))
        gain = self.everything - 2 * score
        a, b, c, rule = find_gain(self.signed, self._tests, np.int64(gain), index)
        if rule < 0:
            raise IndexError("no majority with this price and index")
        return self.concepts.member((a, b, c), rule)

    def _find(self, prices: NDArray[Any], score: int, index: int) -> tuple[tuple[int, int, int], int]:
        """The tests and the number of the index-th rule of this price."""
        equal = 2 * np.flatnonzero(prices == score)
        opposite = 2 * np.flatnonzero(prices == self.everything - score) + 1
        place, rule = divmod(int(np.sort(np.concatenate([equal, opposite]))[index]), RULES)
        c, place = _largest(place, 3)
        b, a = _largest(place, 2)
        return (a, b, c), rule


def _largest(place: int, size: int) -> tuple[int, int]:
    """The largest test of the set at this place among those of a size, and the place of the others."""
    test = size - 1
    while comb(test + 1, size) <= place:
        test += 1
    return test, place - comb(test, size)


def _plain_prices(signed: Longs, p: int, everything: int) -> NDArray[Any]:
    """[set, k]: the price of rule 2k of every set, by numpy alone; that of rule 2k + 1 is the rest of everything."""
    kind = np.int32 if 32 * everything < 2**31 else np.int64
    levels: list[NDArray[Any]] = np.split(signed.astype(kind), offsets(p, 3)[1:4])
    everyone, one, two, three = levels
    larger, smaller = np.tril_indices(p, -1)
    pairs, alone = 4 * two, 2 * one - everyone
    both = alone[smaller] + alone[larger]
    prices = np.empty((len(three), 4), kind)
    for c in range(2, p):
        place, many = comb(c, 3), comb(c, 2)
        a, b = smaller[:many], larger[:many]
        with_c = pairs[many : many + c]  # of c and each smaller test
        total = both[:many] + alone[c]
        product = (
            8 * three[place : place + many] - (pairs[:many] + with_c[a] + with_c[b]) + (total + 2 * everyone)
        )
        out = prices[place : place + many]
        out[:, 0] = (everything - (total - product) // 2) // 2
        for k, one_alone in enumerate((alone[a], alone[b], alone[c])):
            out[:, k + 1] = (everything - (total - 2 * one_alone + product) // 2) // 2
    return prices
