"""Sums over all unions of at most k intervals, without listing them.

A subset of the positions 0..N-1 is a string of labels that starts outside and changes side at most 2k
times. A gap is the stretch of positions after one data value up to and including the next; c changes fit
into a gap of t positions in C(t, c) ways, and no record tells these ways apart. With S_0(g), S_1(g) the
price of staying outside or inside at the values before gap g, and D = S_0 - S_1, the sums

    F_g[j] = F_(g-1)[j] + sum over c of F_(g-1)[j - c] · C(t_g, c) · ratio^(D, -D or 0)

count every subset with j changes in the first g gaps once, with weight ratio^(price - S_(j mod 2)). All
terms are positive, so a sum is as accurate as its terms. The terms that make up F[j] are also the odds for
the place of the last change, and none of them depends on what follows: one pass serves every decision of
every draw.

Claim: relative error at most `UnionSums.error`. Proof: docs/proofs/union-sums.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.line.union_kernels import scan
from privpac.concepts.trees.powers import SMALLEST_BITS, Floats, Integers, Powers
from privpac.numbers.exact import UNIT_ROUNDOFF

__all__ = ["UnionSums", "Walk"]

_DROPPED_BITS = 80
"""What is dropped from a sum is below 2^-80 of it: far less than its rounding errors."""

_LARGEST_SLACK = 64
"""A factor may exceed 1 by this many bits before its state is rescaled: the more, the rarer that is."""

_CHUNK_BLOCKS = 64
"""Blocks of gaps turned into floats at a time, to keep memory small beside the records."""


@dataclass(frozen=True, eq=False, repr=False)
class Walk:
    """Evidence on one column as gaps with change positions, and what each value adds to the price of a side.

    `values` are the sorted distinct cells of the records, `counts` their numbers by class, `positions` the
    size of the column. Gap g ends at value g; the last gap runs to the end of the column.
    """

    values: NDArray[Any]
    counts: NDArray[Any]
    positions: int
    prices: tuple[int, int]
    """Price of a record of class 0 and of class 1 when misjudged."""
    inside: int

    @property
    def gaps(self) -> int:
        """The number of gaps between values, both ends included."""
        return len(self.values) + 1

    def origin(self, gap: int) -> int:
        """The first position of a gap."""
        return int(self.values[gap - 1]) + 1 if gap else 0

    def length(self, gap: int) -> int:
        """How many positions of a gap can hold a change."""
        end = int(self.values[gap]) + 1 if gap < len(self.values) else self.positions
        return end - self.origin(gap)

    def lengths(self, first: int, last: int) -> Floats:
        """The lengths of gaps first..last-1, each rounded once."""
        if self.values.dtype == object:
            return np.array([float(self.length(gap)) for gap in range(first, last)])
        result = np.empty(last - first)
        a, b = max(first, 1), min(last, len(self.values))
        if a < b:
            result[a - first : b - first] = self.values[a:b] - self.values[a - 1 : b - 1]
        for gap in (0, len(self.values)):
            if first <= gap < last:
                result[gap - first] = float(self.length(gap))
        return result

    def steps(self, first: int, last: int) -> Integers:
        """What the values that end gaps first..last-1 add to D; the last gap of all is ended by no value."""
        out, inn = 1 - self.inside, self.inside
        part = self.counts[first:last].astype(np.int64, copy=False)
        moves = self.prices[inn] * part[:, inn] - self.prices[out] * part[:, out]
        if last <= len(self.values):
            return np.ascontiguousarray(moves)
        return np.append(moves, 0)

    @cached_property
    def stays(self) -> tuple[int, int]:
        """The price of staying outside, and of staying inside, at all values."""
        totals = [int(self.counts[:, label].sum(dtype=np.int64)) for label in (0, 1)]
        out, inn = 1 - self.inside, self.inside
        return self.prices[inn] * totals[inn], self.prices[out] * totals[out]


class _Pass:
    """A forward pass over some blocks: its state, and what it leaves behind in a row per block."""

    def __init__(self, blocks: int, exponent: Integers, value: Floats) -> None:
        states = len(value)
        self.walks = np.zeros(blocks, np.int64)
        self.first_exponents = np.zeros((blocks, states), np.int64)
        self.first_values = np.zeros((blocks, states))
        self.last_exponents = np.zeros((blocks, states), np.int64)
        self.added = np.zeros((blocks, states))
        self.exponent = exponent
        self.value = value
        self.rescales = np.zeros(states, np.int64)

    def run(
        self,
        rows: slice,
        lengths: Floats,
        steps: Integers,
        *,
        block: int,
        walk: int,
        powers: Powers,
        target: int = 0,
        terms: tuple[Integers, Floats] | None = None,
    ) -> int:
        """Go through the gaps of some rows from D = walk on; returns D after them."""
        return scan(
            lengths,
            steps,
            block,
            walk,
            self.exponent,
            self.value,
            self.rescales,
            powers.table,
            powers.below,
            self.walks[rows],
            self.first_exponents[rows],
            self.first_values[rows],
            self.last_exponents[rows],
            self.added[rows],
            target,
            *(terms or (np.zeros((0, 0), np.int64), np.zeros((0, 0)))),
        )


@dataclass(frozen=True, eq=False, repr=False)
class UnionSums:
    """The sums of one law in three arithmetics: floats with a proven error, balls, fractions."""

    walk: Walk
    states: int
    """2k + 1: numbers of changes from 0 to 2k."""
    ratio: Fraction
    members: int

    @cached_property
    def block(self) -> int:
        """The number of gaps per block: about the square root of all."""
        return math.isqrt(self.walk.gaps - 1) + 1

    @property
    def _spare_bits(self) -> int:
        """What the range of powers leaves when the class and the dropped terms have had their share."""
        return SMALLEST_BITS - _DROPPED_BITS - self.members.bit_length()

    @property
    def fits(self) -> bool:
        """Whether floats can hold the sums; classes beyond 2^820 members are left to balls."""
        return self._spare_bits >= 0

    @cached_property
    def powers(self) -> Powers:
        """Exponents of F lie between -W and W for W the price of everything, their differences within 2W."""
        largest = 2 * sum(self.walk.stays) if self.ratio < 1 else 0
        slack = min(_LARGEST_SLACK, self._spare_bits // (2 * self.states))
        return Powers.of(self.ratio, largest=largest, slack=slack)

    @cached_property
    def forward(self) -> _Pass:
        """The pass over all blocks, a few of them turned into floats at a time."""
        blocks, block = -(-self.walk.gaps // self.block), self.block
        value = np.zeros(self.states)
        value[0] = 1.0  # before the first gap: the empty string, without changes
        result = _Pass(blocks, np.zeros(self.states, np.int64), value)
        at = 0
        for first in range(0, blocks, _CHUNK_BLOCKS):
            last = min(first + _CHUNK_BLOCKS, blocks)
            lengths, steps = self._gaps(first * block, min(last * block, self.walk.gaps))
            at = result.run(slice(first, last), lengths, steps, block=block, walk=at, powers=self.powers)
        return result

    def _gaps(self, first: int, last: int) -> tuple[Floats, Integers]:
        steps = self.walk.steps(first, last)
        # At ratio 1 prices do not matter; without them the table of powers needs one entry only.
        return self.walk.lengths(first, last), steps if self.ratio < 1 else np.zeros_like(steps)

    @cached_property
    def error(self) -> float:
        """Relative error of every term, state, block sum and total; see docs/proofs/union-sums.md."""
        changes, blocks = self.states - 1, len(self.forward.walks)
        a_change = 2 * self.block + blocks + changes + 20
        roundings = changes * a_change + 4 * int(self.forward.rescales.sum()) + 8
        return 1.01 * (roundings * UNIT_ROUNDOFF + (self.states + 2) * 2.0 ** (1 - _DROPPED_BITS))

    def totals(self) -> Floats:
        """Weight of each number of changes."""
        stays = np.array([self.walk.stays[j & 1] for j in range(self.states)])
        exponents = self.forward.exponent + (stays if self.ratio < 1 else 0)
        return self.powers.aligned(exponents, self.forward.value)

    def blocks(self, state: int, stop: int) -> Floats:
        """Weight of each block for the last of `state` changes, all of them in gaps before `stop`."""
        last = (stop - 1) // self.block
        exponents = self.forward.last_exponents[: last + 1, state].copy()
        mantissas = self.forward.added[: last + 1, state].copy()
        if stop < min((last + 1) * self.block, self.walk.gaps):
            inner_exponents, inner_mantissas = self._block_terms(last, state, stop)
            present = inner_mantissas > 0.0
            exponents[last] = inner_exponents[present].min() if present.any() else 0
            mantissas[last] = self.powers.aligned(inner_exponents, inner_mantissas).sum()
        return self.powers.aligned(exponents, mantissas)

    def terms(self, block: int, state: int, stop: int) -> Floats:
        """Weight of each (gap, number of changes in it) of a block, flattened."""
        return self.powers.aligned(*self._block_terms(block, state, stop))

    def _block_terms(self, block: int, state: int, stop: int) -> tuple[Integers, Floats]:
        first = block * self.block
        lengths, steps = self._gaps(first, min(first + self.block, stop))
        terms = np.zeros((len(lengths), state), np.int64), np.zeros((len(lengths), state))
        again = _Pass(1, self.forward.first_exponents[block].copy(), self.forward.first_values[block].copy())
        again.run(
            slice(0, 1),
            lengths,
            steps,
            block=self.block,
            walk=int(self.forward.walks[block]),
            powers=self.powers,
            target=state,
            terms=terms,
        )
        return terms[0].ravel(), terms[1].ravel()
