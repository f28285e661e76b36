"""The Gibbs law over all unions of at most k intervals of a column, without listing them.

A subset of the positions 0..N-1 is a string of labels that starts outside and changes side at most 2k times. A gap is
the stretch of positions after one data value up to and including the next; c changes fit into a gap of t positions in
C(t, c) ways, and no record tells these ways apart. With S_0, S_1 the price of staying outside or inside at the values
before a gap, and D = S_0 - S_1, the sums

    F[j] += sum over c of F[j - c] · C(t, c) · ratio^(D, -D or 0)

count every subset with j changes so far once, with weight ratio^(price - S_(j mod 2)). The terms of F[j] are also the
odds for the place of the last change, and none of them depends on what follows: one pass serves every decision of every
draw. A draw takes the last change first, then the one before it: its block of gaps, then its gap.

Claim: relative error at most `UnionLaw.error`. Proof: docs/proofs/union-sums.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.compiled import compiled
from privpac.concepts.trees.powers import (
    SMALLEST_BITS,
    Arithmetic,
    Choice,
    Floats,
    Integers,
    Number,
    Powers,
    plus,
)
from privpac.numbers.exact import UNIT_ROUNDOFF

Range = tuple[int, int]
"""Cells low <= cell < high."""

M = TypeVar("M")

_DROPPED_BITS = 80
"""What is dropped from a sum is below 2^-80 of it: far less than its rounding errors."""

_MEMORY = 64
"""Weight lists kept between draws; each has at most 2k·sqrt(records) numbers."""


@dataclass(frozen=True, eq=False, repr=False)
class Walk:
    """The evidence as gaps and prices: sorted distinct `values`, their `counts` by class, and `positions` cells. Gap g
    ends at value g, the last one at the end of the column."""

    values: NDArray[Any]
    counts: NDArray[Any]
    positions: int
    prices: tuple[int, int]
    """Price of a record of class 0 and of class 1 when misjudged."""
    inside: int

    @property
    def gaps(self) -> int:
        return len(self.values) + 1

    def origin(self, gap: int) -> int:
        """The first position of a gap."""
        return int(self.values[gap - 1]) + 1 if gap else 0

    def length(self, gap: int) -> int:
        """How many positions of a gap can hold a change."""
        end = int(self.values[gap]) + 1 if gap < len(self.values) else self.positions
        return end - self.origin(gap)

    @cached_property
    def lengths(self) -> Floats:
        """The lengths of all gaps, each rounded once."""
        lengths = np.empty(self.gaps)
        lengths[1:-1] = self.values[1:] - self.values[:-1]
        lengths[0], lengths[-1] = float(self.length(0)), float(self.length(self.gaps - 1))
        return lengths

    @cached_property
    def drift(self) -> Integers:
        """D before every gap, and behind the last: what staying outside costs more than staying inside."""
        inn, out = self.inside, 1 - self.inside
        counts = self.counts.astype(np.int64, copy=False)
        moves = self.prices[inn] * counts[:, inn] - self.prices[out] * counts[:, out]
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(moves)])

    @cached_property
    def stays(self) -> tuple[int, int]:
        """The price of staying outside, and of staying inside, at all values."""
        zeros, ones = (int(self.counts[:, label].sum(dtype=np.int64)) for label in (0, 1))
        wrong = (self.prices[0] * zeros, self.prices[1] * ones)
        return wrong[self.inside], wrong[1 - self.inside]


@compiled
def _through(
    lengths: Floats, drift: Integers, table: Floats, exponent: Integers, value: Floats, target: int,
    term_exponents: Integers, term_values: Floats,
) -> tuple[Integers, Floats]:  # fmt: skip
    """Take all states ratio^exponent[j] · value[j] through a block of gaps, in place; returns what it adds to them.

    The terms that each gap adds to state `target` are noted by number of changes in the gap. What a block adds is
    summed by itself before it meets the states, so that roundings grow with the square root of the gaps.
    """
    states = len(value)
    first, start = exponent.copy(), value.copy()
    power, added, ways = np.zeros(states, np.int64), np.zeros(states), np.ones(states)
    for gap in range(len(lengths)):
        for c in range(1, states):
            ways[c] = ways[c - 1] * max(lengths[gap] - (c - 1), 0.0) / c
        for j in range(states - 1, 0, -1):  # downwards: state j reads the states below it as they were before
            turn = drift[gap] if j & 1 else -drift[gap]
            for c in range(1, j + 1):
                term, at = value[j - c] * ways[c], exponent[j - c] + (turn if c & 1 else 0)
                if term > 0.0:
                    power[j], added[j] = plus(power[j], added[j], at, term, table)
                    if j == target:
                        term_exponents[gap, c - 1], term_values[gap, c - 1] = at, term
            exponent[j], value[j] = plus(first[j], start[j], power[j], added[j], table)
    return power, added


@dataclass(frozen=True, eq=False, repr=False)
class UnionLaw(Generic[M]):
    """Pr[h] ∝ ratio^price(h) over unions of at most (states - 1)/2 intervals; `name` makes a member of its ranges."""

    walk: Walk
    states: int
    """2k + 1: numbers of changes from 0 to 2k."""
    ratio: Fraction
    members: int
    name: Callable[[tuple[Range, ...]], M]

    def draw(self, coins: Coins) -> M:
        walk, block = self.walk, self.block
        changes: list[int] = []
        stop, state = walk.gaps, coins.choose(Choice(self, "totals"))
        while state:
            # Where the last of `state` changes lies, all of them before gap `stop`: its block, then its gap and how
            # many changes share that gap; these are any positions of it.
            row = coins.choose(Choice(self, "blocks", state, stop)) if stop > block else 0
            place = coins.choose(Choice(self, "terms", row, state, stop))
            stop, common = row * block + place // state, place % state + 1
            changes += [walk.origin(stop) + offset for offset in coins.subset(walk.length(stop), common)]
            state -= common
        ends = [*sorted(changes), walk.positions]
        return self.name(tuple((ends[i], ends[i + 1]) for i in range(0, len(changes), 2)))

    # In floats

    @cached_property
    def block(self) -> int:
        """Gaps per block: about the square root of all."""
        return math.isqrt(self.walk.gaps - 1) + 1

    @property
    def fits(self) -> bool:
        """Whether floats can hold the sums; classes beyond 2^820 members are left to balls."""
        return self.members.bit_length() <= SMALLEST_BITS - _DROPPED_BITS

    @cached_property
    def _powers(self) -> Powers:
        """Exponents lie between -W and W for W the price of everything, their differences within 2W."""
        return Powers.of(self.ratio, largest=2 * sum(self.walk.stays) if self.ratio < 1 else 0)

    @cached_property
    def _rows(self) -> tuple[Integers, Floats, Integers, Floats]:
        """The states before every block and behind the last, and what each block adds to them."""
        rows = -(-self.walk.gaps // self.block)
        exponents, values = np.zeros((rows + 1, self.states), np.int64), np.zeros((rows + 1, self.states))
        powers, added = exponents[1:].copy(), values[1:].copy()
        values[0, 0] = 1.0  # before the first gap: the empty string, without changes
        for row in range(rows):
            exponents[row + 1], values[row + 1] = exponents[row], values[row]
            powers[row], added[row] = self._pass(row, self.walk.gaps, exponents[row + 1], values[row + 1])
        return exponents, values, powers, added

    def _pass(
        self, row: int, stop: int, exponent: Integers, value: Floats, target: int = 0, terms: Any = None
    ) -> tuple[Integers, Floats]:
        part = slice(row * self.block, min((row + 1) * self.block, stop))
        drift = self.walk.drift[part] if self.ratio < 1 else np.zeros(part.stop - part.start, np.int64)
        noted = terms or (np.zeros((0, 0), np.int64), np.zeros((0, 0)))
        through: tuple[Integers, Floats] = _through(
            self.walk.lengths[part], drift, self._powers.table, exponent, value, target, *noted
        )
        return through

    @cached_property
    def error(self) -> float:
        """Relative error of every term, state, block sum and total; see docs/proofs/union-sums.md."""
        changes, rows = self.states - 1, -(-self.walk.gaps // self.block)
        roundings = changes * (4 * self.block * changes + 4 * rows + self.block + 16) + 16
        return 1.01 * (roundings * UNIT_ROUNDOFF + (self.states + 2) * 2.0 ** (1 - _DROPPED_BITS))

    def totals(self) -> Floats:
        """Weight of each number of changes."""
        exponents, values, _, _ = self._rows
        stays = [self.walk.stays[j & 1] if self.ratio < 1 else 0 for j in range(self.states)]
        return self._powers.aligned(exponents[-1] + np.array(stays), values[-1])

    def blocks(self, state: int, stop: int) -> Floats:
        """Weight of each block for the last of `state` changes, all of them in gaps before `stop`."""
        exponents, values, powers, added = self._rows
        last = (stop - 1) // self.block
        power, sums = powers[: last + 1, state].copy(), added[: last + 1, state].copy()
        part, rest = self._pass(last, stop, exponents[last].copy(), values[last].copy())
        power[last], sums[last] = part[state], rest[state]
        return self._powers.aligned(power, sums)

    def terms(self, row: int, state: int, stop: int) -> Floats:
        """Weight of each (gap, number of changes in it) of a block, flattened."""
        exponents, values, _, _ = self._rows
        shape = (min((row + 1) * self.block, stop) - row * self.block, state)
        terms = np.zeros(shape, np.int64), np.zeros(shape)
        self._pass(row, stop, exponents[row].copy(), values[row].copy(), state, terms)
        return self._powers.aligned(terms[0].ravel(), terms[1].ravel())

    # For coins

    @cached_property
    def weights(self) -> Callable[..., Floats]:
        """Float weights of a decision; those asked for last are kept, because further draws ask for them again."""

        def compute(question: str, *place: int) -> Floats:
            values: Floats = getattr(self, question)(*place)
            values.setflags(write=False)
            return values

        return lru_cache(maxsize=_MEMORY)(compute)

    def key(self, question: str, place: tuple[int, ...]) -> Hashable:
        """Gaps from `stop` on and the step that ends the gap before it do not matter to the earlier changes."""
        stop = place[-1] if place else self.walk.gaps
        lengths = tuple(self.walk.length(gap) for gap in range(stop))
        behind = () if place else (int(self.walk.stays[0]), int(self.walk.stays[1]), self.states)
        return (
            "union",
            question,
            place,
            self.ratio,
            self.block,
            lengths,
            *self.walk.drift[:stop].tolist(),
            behind,
        )

    @cached_property
    def slowly(self) -> Callable[[int | None], _Slowly]:
        """The sums as fractions (None) or as balls of this many bits; the last two are kept."""
        return lru_cache(maxsize=2)(lambda bits: _Slowly(self, exact=bits is None))


class _Slowly(Arithmetic):
    """The same sums by their definition, in fractions or in balls: what the floats are checked against."""

    def __init__(self, law: UnionLaw[Any], *, exact: bool) -> None:
        super().__init__(law.ratio, exact=exact)
        self._law, self._walk = law, law.walk
        self._zero = self._number(0)
        states = [self._number(1)] + [self._zero] * (law.states - 1)
        self._starts, self._added = [states], []
        for row in range(-(-self._walk.gaps // law.block)):
            added = [self._zero] * law.states
            for terms in self._gaps(row, self._walk.gaps):
                added = [sum(of, total) for of, total in zip(terms, added, strict=True)]
            self._added.append(added)
            self._starts.append([a + b for a, b in zip(self._starts[-1], added, strict=True)])

    def totals(self) -> list[Number]:
        return [total * self._power(self._walk.stays[j & 1]) for j, total in enumerate(self._starts[-1])]

    def blocks(self, state: int, stop: int) -> list[Number]:
        last = (stop - 1) // self._law.block
        return [*(row[state] for row in self._added[:last]), sum(self.terms(last, state, stop), self._zero)]

    def terms(self, row: int, state: int, stop: int) -> list[Number]:
        return [term for terms in self._gaps(row, stop) for term in terms[state]]

    def _gaps(self, row: int, stop: int) -> Iterator[list[list[Number]]]:
        """For each gap of a block before `stop`, entry [j][c - 1]: what c changes there add to state j."""
        states, block = self._starts[row], self._law.block
        for gap in range(row * block, min((row + 1) * block, stop)):
            length, drift = self._walk.length(gap), int(self._walk.drift[gap])
            ways = [self._number(math.comb(length, c)) for c in range(len(states))]
            turns = self._power(-drift), self._power(drift)
            terms = [
                [states[j - c] * ways[c] * (turns[j & 1] if c & 1 else 1) for c in range(1, j + 1)]
                for j in range(len(states))
            ]
            yield terms
            states = [sum(of, state) for of, state in zip(terms, states, strict=True)]
