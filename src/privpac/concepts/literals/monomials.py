"""Scores of all conjunctions of a few literals, from co-occurrence counts.

With d(A) = price of the class-0 records that pass all tests of A minus that of the class-1 records, the region of any
signs has its own d by inclusion and exclusion, and predicting 1 exactly on a region costs a constant plus d. Members
are laid out by number of literals, then by set of tests, then by signs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.literals.cooccurrence import Cooccurrence, binomials, offsets, sets_of
from privpac.concepts.trees.law import Answer
from privpac.errors import SizeError
from privpac.mechanisms.scores import Histogram

M = TypeVar("M")

WIDEST = 2**27
"""Different scores counted at most: a gigabyte of counters."""

BLOCK = 2**14
"""Sets of tests looked at together."""


@dataclass(frozen=True, eq=False, repr=False)
class RegionScores(Generic[M]):
    """Scores of the regions made by `sizes` literals: constant + d, or constant - d when `outside`.

    `outside` predicts 1 everywhere else: the negation of a conjunction. `member` turns a region into a hypothesis.
    """

    evidence: Cooccurrence
    tests: int
    sizes: tuple[int, ...]
    costs: tuple[int, ...]
    outside: bool
    member: Callable[[tuple[Answer, ...]], M]

    @cached_property
    def _differences(self) -> NDArray[np.int64]:
        """±d of every set of tests."""
        counts = self.evidence.counts.astype(np.int64)
        prices = counts[:, 0] * self.costs[0] - counts[:, 1] * self.costs[1]
        return -prices if self.outside else prices

    @property
    def _constant(self) -> int:
        label = 0 if self.outside else 1
        return self.costs[label] * int(self.evidence.counts[0, label])

    def _regions(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Some sets of tests, a column each, and the scores of their regions by set and signs; bit i is test i."""
        for size in self.sizes:
            sets, ways = sets_of(self.tests, size), binomials(self.tests)
            for first in range(0, sets.shape[1], BLOCK):
                part = sets[:, first : first + BLOCK]
                d = np.empty((part.shape[1], 1 << size), np.int64)
                for mask in range(1 << size):
                    chosen = [part[i] for i in range(size) if mask >> i & 1]
                    begin = int(offsets(self.tests, len(chosen))[len(chosen)])
                    d[:, mask] = self._differences[
                        sum((ways[i + 1, row] for i, row in enumerate(chosen)), begin)
                    ]
                for bit in range(size):  # from 'passes at least these' to 'passes exactly these'
                    for mask in range(1 << size):
                        if not mask >> bit & 1:
                            d[:, mask] -= d[:, mask | 1 << bit]
                yield part, d + self._constant

    def histogram(self, span: int | None) -> Histogram:
        worst, best = int(self.evidence.counts[0].sum()) * max(self.costs), 0
        if (
            worst > WIDEST and span is not None
        ):  # what lies further than `span` from the best needs no counter
            best = min(int(scores.min()) for _, scores in self._regions())
            worst = min(worst, best + span + 1)
        if worst - best > WIDEST:
            raise SizeError(
                f"Costs up to {max(self.costs):,} make too many different scores for counting monomials.",
                remedy="Use smaller costs, or trees.",
            )
        counts = np.zeros(worst - best + 1, np.int64)
        for _, scores in self._regions():
            found = np.bincount(np.minimum(scores.ravel(), worst) - best)
            counts[: len(found)] += found
        steps = np.flatnonzero(counts)
        return Histogram.within(best + int(steps[0]), steps - steps[0], counts[steps], span)

    def locate(self, score: int, index: int) -> M:
        for sets, scores in self._regions():
            places = np.flatnonzero(scores.ravel() == score)
            if index < len(places):
                column, signs = divmod(int(places[index]), scores.shape[1])
                return self.member(
                    tuple((int(test), bool(signs >> i & 1)) for i, test in enumerate(sets[:, column]))
                )
            index -= len(places)
        raise IndexError("no member with this score and index")
