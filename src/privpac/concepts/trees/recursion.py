"""The sums over all trees or decision lists by their definition, in exact or enclosing arithmetic.

Slow, and the measure of all that is fast: draws that floats leave in doubt are decided here, and audits use nothing
else. Proof: docs/proofs/tree-sums.md, section 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Costs
from privpac.concepts.literals.cooccurrence import binomials
from privpac.concepts.trees.kernels.regions import restrict
from privpac.concepts.trees.powers import Arithmetic, Number
from privpac.concepts.trees.prior import Prior

__all__ = ["Recursion"]


class Recursion(Arithmetic):
    """The defining sums, literally, in exact or enclosing arithmetic; numbers are remembered."""

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
            low, high = (restrict(counts, p, depth, test, holds, binomials(p)) for holds in (False, True))
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
