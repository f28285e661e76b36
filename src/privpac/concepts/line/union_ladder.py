"""The sums of `union_sums` in exact or enclosing arithmetic: fractions to enumerate, balls for doubtful
draws.

Slow and simple on purpose: it is what the float kernel is checked against. States are kept at the start of
each block only and recomputed inside one block at a time: memory grows with the square root of the records.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from privpac.concepts.line.union_sums import UnionSums
from privpac.concepts.trees.powers import Arithmetic, Number

__all__ = ["Ladder"]


class Ladder(Arithmetic):
    """The forward pass of these sums in a given arithmetic."""

    def __init__(self, sums: UnionSums, *, exact: bool) -> None:
        super().__init__(sums.ratio, exact=exact)
        self._walk, self._states, self._block = sums.walk, sums.states, sums.block
        self._starts: list[tuple[list[Number], Number, Number]] = []
        self._added: list[list[Number]] = []
        self._final = self._climb()

    def totals(self) -> list[Number]:
        """Weight of each number of changes."""
        return [self._final[j] * self._power(self._walk.stays[j & 1]) for j in range(self._states)]

    def blocks(self, state: int, stop: int) -> list[Number]:
        """Weight of each block for the last of `state` changes, all of them in gaps before `stop`."""
        last = (stop - 1) // self._block
        weights = [row[state] for row in self._added[: last + 1]]
        weights[last] = sum(self.terms(last, state, stop), self._number(0))
        return weights

    def terms(self, block: int, state: int, stop: int) -> list[Number]:
        """Weight of each (gap, number of changes in it) of a block, flattened."""
        terms: list[Number] = []
        for increments, _ in self._block_gaps(block, stop):
            terms += increments[state]
        return terms

    def _climb(self) -> list[Number]:
        """Fill the rows of all blocks; returns the states after the last gap."""
        zero, one = self._number(0), self._number(1)
        values, up, down = [one] + [zero] * (self._states - 1), one, one
        for block in range(-(-self._walk.gaps // self._block)):
            self._starts.append((values, up, down))
            row = [zero] * self._states
            for increments, (values_after, up_after, down_after) in self._block_gaps(block, self._walk.gaps):
                for j in range(1, self._states):
                    for term in increments[j]:
                        row[j] = row[j] + term
                values, up, down = values_after, up_after, down_after
            self._added.append(row)
        return values

    def _block_gaps(
        self, block: int, stop: int
    ) -> Iterator[tuple[list[list[Number]], tuple[list[Number], Number, Number]]]:
        """For each gap of a block before `stop`: what it adds to each state, and where that leads."""
        values, up, down = self._starts[block]
        first, last = block * self._block, min((block + 1) * self._block, self._walk.gaps)
        steps = [int(step) for step in self._walk.steps(first, last)]
        for gap in range(first, min(last, stop)):
            increments = self._increments(self._walk.length(gap), values, up, down)
            values = [sum(terms, value) for value, terms in zip(values, increments, strict=True)]
            step = steps[gap - first]
            up, down = up * self._power(step), down * self._power(-step)
            yield increments, (values, up, down)

    def _increments(self, length: int, values: list[Number], up: Number, down: Number) -> list[list[Number]]:
        """Entry [j][c - 1]: state j, reached from j - c by c changes here; `up` is ratio^D, `down` its
        inverse."""
        ways = [self._number(math.comb(length, c)) for c in range(min(length, self._states - 1) + 1)]
        increments: list[list[Number]] = []
        for j in range(self._states):
            turn = up if j & 1 else down
            terms = [self._number(0)] * j
            for c in range(1, min(j, length) + 1):
                term = values[j - c] * ways[c]
                terms[c - 1] = term * turn if c & 1 else term
            increments.append(terms)
        return increments
