"""Levels below the leaves of a tree: a test and a sign for every leaf, drawn on what the leaves so far do not explain.

Statement: one level is one round of `weighted-rounds`. The weight of a record follows from its label, from a public or
released share of class 1 in its leaf, and from the signed points of what was drawn above it.
Proof: docs/proofs/weighted-rounds.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.literals.binarise import Binarisation, Facts, Test, implied
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.constructions.card.pairs import scores_alone
from privpac.constructions.card.spending import LARGEST_ROUNDS
from privpac.constructions.card.weights import UNITS, weights_at
from privpac.constructions.draw.occam import LARGEST_PRICE
from privpac.data.sample import Block, Counted, Size
from privpac.errors import SizeError
from privpac.mechanisms.gibbs import draw_index
from privpac.numbers.exact import ratio_for

__all__ = [
    "TREE_CAP",
    "Growth",
    "LeafWeights",
    "Stem",
    "asks_anew",
    "level_ratio",
    "require_few",
    "require_summable",
]

TREE_CAP = 26
"""Weights are cut at this many units, about .4: what trees were measured with (benchmarks/risks.py)."""

MOST_TESTS = 20_000
"""Tests that each leaf chooses from: a level holds a sum of weights for every one of them in every leaf."""


def level_ratio(epsilon: Fraction, levels: int) -> Fraction:
    """Weight of one unit of score, where this many levels share epsilon."""
    return ratio_for(min(epsilon, LARGEST_ROUNDS) / levels / (4 * TREE_CAP))


def require_few(tests: Binarisation) -> None:
    """Refuse more tests than a leaf can choose from."""
    if len(tests.tests) > MOST_TESTS:
        raise SizeError(
            f"A leaf chooses from at most {MOST_TESTS} tests, and this schema has {len(tests.tests)}.",
            remedy="Leave out a column of very many categories.",
        )


def require_summable(size: Size) -> None:
    """Refuse more records than sums of weights in 64 bits hold."""
    if size.labelled * UNITS >= LARGEST_PRICE:
        raise SizeError(
            f"Graded leaves: {size.labelled} records are beyond 64-bit scores.", remedy="Take a sample."
        )


@dataclass(frozen=True)
class LeafWeights:
    """The additive statistic: sums of weights by leaf of a tree (row) and code of each column. The weight of a record
    depends on its label and on its leaf: `weights[label][leaf]`."""

    tests: Binarisation
    tree: Tree
    weights: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.tests.columns, *self.tree.columns)))

    @property
    def _ends(self) -> tuple[int, ...]:
        """Where the codes of each column end in one long row of them."""
        return tuple(accumulate(len(group.cells) + 1 for group in self.tests.groups))

    def zero(self) -> NDArray[np.int64]:
        return np.zeros((len(self.weights[0]), self._ends[-1]), dtype=np.int64)

    def absorb(self, state: NDArray[np.int64], block: Block) -> NDArray[np.int64]:
        if block.labels is None:
            raise SizeError("Weights in leaves need labelled records.")
        leaves = self.tree.leaf_numbers(block.cells, n=block.n).astype(np.int64)
        weights = np.array(self.weights, dtype=np.float64)[block.labels, leaves]
        start = 0
        for codes, end in zip(self.tests.codes(block), self._ends, strict=True):
            size = end - start
            # Whole numbers far below 2^53: their sums in doubles are exact.
            sums = np.bincount(leaves * size + codes, weights=weights, minlength=len(state) * size)
            state[:, start:end] += sums.reshape(len(state), size).astype(np.int64)
            start = end
        return state

    def merge(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
        return a + b


class Stem(NamedTuple):
    """A leaf that a level grows on."""

    facts: Facts
    """The answers that lead there."""
    label: int
    start: Fraction
    """The share of class 1 that its weights start from."""
    points: int = 0
    """Signed points of what was drawn above it, a fifth of log-odds each."""


@dataclass(frozen=True)
class Growth:
    """A tree and its leaves, in order."""

    tree: Tree
    stems: tuple[Stem, ...]

    @classmethod
    def on(cls, tree: Tree, starts: Iterator[Fraction]) -> Growth:
        """A tree that is already there, with the share of class 1 that each of its leaves starts from."""
        return cls(tree, tuple(_stems(tree, (), starts)))

    def level(
        self, sample: Counted, tests: Binarisation, *, points: int, ratio: Fraction, coins: Coins
    ) -> Growth:
        """One more level: in every leaf a test, drawn with `ratio` per unit of its score, that is worth `points`."""
        zeros, ones = zip(
            *(weights_at(stem.start, stem.points, TREE_CAP) for stem in self.stems), strict=True
        )
        sums = sample.reduce(LeafWeights(tests, self.tree, (zeros, ones)))
        grafts = [
            _grow(stem, *_draw(row, tests, points, ratio, coins))
            for stem, row in zip(self.stems, sums, strict=True)
        ]
        tree = self.tree.with_leaves(iter([subtree for subtree, _ in grafts]))
        return Growth(tree, tuple(stem for _, stems in grafts for stem in stems))


def _stems(tree: Tree, facts: Facts, starts: Iterator[Fraction]) -> Iterator[Stem]:
    if isinstance(tree, Split):
        yield from _stems(tree.low, (*facts, (tree.test, False)), starts)
        yield from _stems(tree.high, (*facts, (tree.test, True)), starts)
    elif isinstance(tree, Leaf):
        yield Stem(facts, tree.label, next(starts))


def _draw(
    by_code: NDArray[np.int64], tests: Binarisation, points: int, ratio: Fraction, coins: Coins
) -> tuple[Test, int]:
    """A test and a sign for one leaf, by how much weight lies on the right side of it."""
    test, negative = divmod(draw_index(scores_alone(by_code, tests), ratio, coins), 2)
    return tests.tests[test], -points if negative else points


def _grow(stem: Stem, test: Test, points: int) -> tuple[Tree, tuple[Stem, ...]]:
    """What grows on a leaf, and its leaves.

    A test whose answer is known there splits nothing: all records of the leaf get the points of that answer.
    """
    leaf = Leaf(stem.label)
    low, high = (
        stem._replace(facts=(*stem.facts, (test, answer)), points=stem.points + sign * points)
        for answer, sign in ((False, -1), (True, 1))
    )
    answer = implied(test, stem.facts)
    if answer is None:
        return Split(test, leaf, leaf), (low, high)
    return leaf, ((high if answer else low)._replace(facts=stem.facts),)


def asks_anew(tree: Tree, facts: Facts = ()) -> bool:
    """Whether no test's answer follows from those above it."""
    if not isinstance(tree, Split):
        return True
    below = ((tree.low, False), (tree.high, True))
    return implied(tree.test, facts) is None and all(
        asks_anew(child, (*facts, (tree.test, answer))) for child, answer in below
    )
