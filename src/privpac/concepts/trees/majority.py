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
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled, plainly
from privpac.concepts.base import Costs, Hypothesis, Stored
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.concepts.literals.cooccurrence import (
    THREADS,
    Cooccurrence,
    CooccurrenceTensor,
    Estimate,
    offsets,
)
from privpac.concepts.trees.kernels.plain import majority_prices
from privpac.concepts.trees.kernels.sums import signed_counts
from privpac.concepts.trees.parts import UniformTrees
from privpac.concepts.trees.prior import CountedBySets
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
class Majorities(CountedBySets, UniformTrees, Stored):
    """Rules that follow two of three signed tests; uniform over the sets of tests and their signs."""

    schema: Schema
    binarisation: Binarisation | None = None
    threads: int = THREADS
    levels_name: ClassVar[str] = "tests"

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
    def levels(self) -> int:
        return VOTERS

    @property
    def size(self) -> int:
        return RULES * comb(len(self.tests.tests), VOTERS)

    @property
    def statistic(self) -> CooccurrenceTensor:
        return CooccurrenceTensor(self.tests, VOTERS, 2, self.threads)

    def _cost(self, levels: int, n: int) -> Estimate:
        tensor = CooccurrenceTensor(self.tests, levels, 2, self.threads)
        counting = tensor.estimate(n)
        rules = RULES * comb(len(self.tests.tests), levels)
        return Estimate(counting.seconds + RULE_COST * 1e-9 * rules, counting.bytes + 8 * tensor.sets)

    def scores(self, evidence: Cooccurrence, *, costs: Costs) -> MajorityScores:
        sets = int(offsets(len(self.tests.tests), VOTERS)[-1])
        if len(evidence.counts) < sets:  # the kernels do not check their indices
            raise ParameterError(
                "Majorities", "evidence", len(evidence.counts), allowed=f"{sets} sets or more"
            )
        everything = sum(cost * count for cost, count in zip(costs, evidence.counts[0].tolist(), strict=True))
        prices: NDArray[Any] = np.array(costs, dtype=np.int32 if everything < 2**30 else np.int64)
        return MajorityScores(self, signed_counts(evidence, prices)[:sets], everything)

    def member(self, tests: tuple[int, int, int], rule: int) -> Tree:
        """The tree of a rule, as the kernels number them."""
        place, opposite = divmod(rule, 2)
        holds = [(position + 1 != place) != bool(opposite) for position in range(VOTERS)]
        first, second, third = (
            partial(_split, self.tests.tests[test], yes) for test, yes in zip(tests, holds, strict=True)
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
        pools = [self._other_tests(inner_tests, tree.columns)]
        if not inner_tests:
            pools = [self._other_tests(inner_tests, (group.column,)) for group in self.tests.groups]
        for more in (tests for pool in pools for tests in combinations(pool, VOTERS - len(inner_tests))):
            first, second, third = sorted(number[test] for test in (*inner_tests, *more))
            for rule in range(RULES):
                yield self.member((first, second, third), rule)

    def _other_tests(self, tests: set[Test], columns: tuple[str, ...]) -> list[Test]:
        """Tests of these columns that a tree does not ask, at most three between two that it does."""
        pool: list[Test] = []
        run = 0
        for test in (test for test in self.tests.tests if test.column in columns):
            run = 0 if test in tests else run + 1
            if 0 < run <= VOTERS:
                pool.append(test)
        return pool


def _split(test: Test, yes: bool, low: Tree, high: Tree) -> Tree:
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
        return majority_prices(self.signed, self._tests, self.everything)

    @cached_property
    def _counts_by_price(self) -> Longs | None:
        """How many rules have the prices 0, 1, …, where one table is enough: one of two opposites, and the other."""
        if self._plain is not None:
            counts = np.bincount(self._plain.ravel(), minlength=self.everything + 1)
        elif self.everything < NEAR:
            better = self.everything // 2 + 1
            counts = np.zeros(self.everything + 1, np.int64)
            everything, width = np.int64(self.everything), np.int64(better)
            counts[:better] = _count_gains(self.signed, self._tests, everything, width)[:better]
        else:
            return None
        both: Longs = counts + counts[::-1]
        return both

    @cached_property
    def _furthest(self) -> int:
        """What the best rule gets right more than it gets wrong."""
        if self._counts_by_price is not None:
            return self.everything - 2 * int(np.flatnonzero(self._counts_by_price)[0])
        return int(_largest_gain(self.signed, self._tests))

    @property
    def _best(self) -> int:
        return (self.everything - self._furthest) // 2

    def histogram(self, span: int | None) -> Histogram:
        furthest = self._furthest  # the opposite of the best rule is the worst
        width = (furthest if span is None else min(furthest, span)) + 1
        if self._counts_by_price is not None:
            counts = self._counts_by_price[self._best :]
            steps = np.flatnonzero(counts[:width])
            return Histogram(self._best, steps, counts[steps].tolist(), int(counts[width:].sum()))
        if width > DENSE:
            gains = np.empty(self.concepts.size, np.int64)
            _list_gains(self.signed, self._tests, gains)
            steps, counts = np.unique((furthest - gains) // 2, return_counts=True)
            near = steps < width
            return Histogram(self._best, steps[near], counts[near].tolist(), int(counts[~near].sum()))
        better = min(furthest // 2 + 1, width)  # of two opposite rules one lies in this half
        halves = _count_gains(self.signed, self._tests, np.int64(furthest), np.int64(better))
        counts = np.zeros(width, np.int64)
        counts[:better] += halves[:better]
        mirror = furthest - np.arange(better)
        counts[mirror[mirror < width]] += halves[:better][mirror < width]
        steps = np.flatnonzero(counts)
        return Histogram(self._best, steps, counts[steps].tolist(), self.concepts.size - int(counts.sum()))

    def locate(self, score: int, index: int) -> Tree:
        if self._plain is not None:
            return self.concepts.member(*self._find(self._plain.ravel(), score, index))
        gain = self.everything - 2 * score
        a, b, c, rule = _find_gain(self.signed, self._tests, np.int64(gain), index)
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


@compiled
def _gains(signed: Longs, p: int, b: int, c: int, place: int, out: Longs) -> None:
    """right - wrong of the four rules that are not opposites of each other, of every set {a, b, c} with a < b.

    In the type of the sums: what a rule gains fits, so what overflows on the way comes back.
    """
    kind = signed.dtype.type
    low, high = 1 + p + b * (b - 1) // 2, 1 + p + c * (c - 1) // 2
    everyone, left, right = signed[0], signed[1 + b], signed[1 + c]
    offset = kind(2 * (np.int64(left) + right) - 4 * np.int64(signed[high + b]) - everyone)
    together = kind(2 * (np.int64(left) + right) - 2 * np.int64(everyone))  # S_b + S_c
    between = kind(2 * (np.int64(right) - left))  # S_c - S_b
    ones, lower, upper, threes = signed[1:], signed[low:], signed[high:], signed[place:]
    first, second, third, fourth = out[0], out[1], out[2], out[3]
    for a in range(b):
        pairs = kind(lower[a] + upper[a])
        product = kind(kind(8 * threes[a]) - kind(4 * pairs) + kind(2 * ones[a]) + offset)
        alone = kind(2 * ones[a] - everyone)
        first[a] = kind(alone + together - product) >> 1
        second[a] = kind(together - alone + product) >> 1
        third[a] = kind(alone + between + product) >> 1
        fourth[a] = kind(alone - between + product) >> 1


@compiled
def _largest_gain(signed: Longs, p: int) -> np.int64:
    """right - wrong of the best rule."""
    best, gains = signed.dtype.type(0), np.empty((4, p), signed.dtype)
    place = 1 + p + p * (p - 1) // 2
    for c in range(2, p):
        for b in range(1, c):
            _gains(signed, p, b, c, place, gains)
            for k in range(4):
                for a in range(b):
                    best = max(best, abs(gains[k, a]))
            place += b
    return np.int64(best)


@compiled
def _count_gains(signed: Longs, p: int, best: np.int64, width: np.int64) -> Longs:
    """How many pairs of opposite rules gain best, best - 2, … in size; the last entry counts all the others.

    No rule gains more than `best`. The places of a row of sets are made first, side by side, and then counted, apart
    for each rule, so that no addition waits for another.
    """
    kind = signed.dtype.type
    counts, total = np.zeros((4, width + 1), np.int32), np.empty(width + 1, np.int64)
    places, top, end = np.empty((4, p), signed.dtype), kind(best), kind(width)
    place = 1 + p + p * (p - 1) // 2
    for c in range(2, p):
        for b in range(1, c):
            _gains(signed, p, b, c, place, places)
            for k in range(4):
                for a in range(b):
                    size = max(places[k, a], kind(-places[k, a]))
                    places[k, a] = min(kind(kind(top - size) >> 1), end)
            for a in range(b):
                counts[0, np.uint32(places[0, a])] += 1
                counts[1, np.uint32(places[1, a])] += 1
                counts[2, np.uint32(places[2, a])] += 1
                counts[3, np.uint32(places[3, a])] += 1
            place += b
    for i in range(width + 1):
        total[i] = np.int64(counts[0, i]) + counts[1, i] + counts[2, i] + counts[3, i]
    return total


@compiled
def _list_gains(signed: Longs, p: int, out: Longs) -> None:
    """right - wrong of every rule, in order."""
    place, gains = 1 + p + p * (p - 1) // 2, np.empty((4, p), signed.dtype)
    rule = 0
    for c in range(2, p):
        for b in range(1, c):
            _gains(signed, p, b, c, place, gains)
            for a in range(b):
                for k in range(4):
                    out[rule], out[rule + 1] = gains[k, a], -np.int64(gains[k, a])
                    rule += 2
            place += b


@compiled
def _find_gain(signed: Longs, p: int, gain: np.int64, index: int) -> tuple[int, int, int, int]:
    """The tests and the number of the index-th rule of this gain; tests of -1 if there are fewer."""
    kind = signed.dtype.type
    place, gains, size = 1 + p + p * (p - 1) // 2, np.empty((4, p), signed.dtype), kind(abs(gain))
    left = index
    for c in range(2, p):
        for b in range(1, c):
            _gains(signed, p, b, c, place, gains)
            matches = kind(0)  # without branches first; one by one only where the rule is among them
            for k in range(4):
                for a in range(b):
                    matches += kind(max(gains[k, a], kind(-gains[k, a])) == size)
            # A rule that gains nothing does so the other way round as well.
            many = int(matches) * (2 if gain == 0 else 1)
            if left < many:
                return _find_in_row(gains, b, c, gain, left)
            left -= many
            place += b
    return -1, -1, -1, -1


@compiled
def _find_in_row(gains: Longs, b: int, c: int, gain: np.int64, index: int) -> tuple[int, int, int, int]:
    """The same among the sets whose larger tests are b and c."""
    left = index
    for a in range(b):
        for k in range(4):
            for opposite in range(2):
                if (-np.int64(gains[k, a]) if opposite else np.int64(gains[k, a])) == gain:
                    if left == 0:
                        return a, b, c, 2 * k + opposite
                    left -= 1
    return -1, -1, -1, -1
