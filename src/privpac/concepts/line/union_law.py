"""The Gibbs law over unions of intervals: how one is drawn from its sums.

A draw takes the last change of side first, then the one before it, and so on: a handful of coins a change, however many
records there are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from flint import arb, ctx

from privpac.coins import Coins
from privpac.concepts.line.union_ladder import Ladder
from privpac.concepts.line.union_sums import UnionSums
from privpac.concepts.trees.powers import Floats

__all__ = ["Range", "UnionGibbs"]

Range = tuple[int, int]
"""Cells low <= cell < high."""

M = TypeVar("M")
W_co = TypeVar("W_co", covariant=True)

_MEMORY = 64
"""Weight lists kept between draws; each has at most 2k·sqrt(records) numbers."""


@dataclass(frozen=True, eq=False, repr=False)
class UnionGibbs(Generic[M]):
    """The law Pr[h] ∝ ratio^price(h) over unions of intervals, each called what `name` makes of its ranges."""

    sums: UnionSums
    name: Callable[[tuple[Range, ...]], M]

    def draw(self, coins: Coins) -> M:
        walk, block = self.sums.walk, self.sums.block
        changes: list[int] = []
        stop = walk.gaps
        state = coins.choose(_Choice(self, "totals"))
        while state:
            # Where the last of `state` changes lies, all of them before gap `stop`: its block, then its gap
            # and how many changes share that gap; these are any positions of it.
            last = (stop - 1) // block
            row = coins.choose(_Choice(self, "blocks", state, stop)) if last else 0
            place = coins.choose(_Choice(self, "terms", row, state, stop))
            stop, common = row * block + place // state, place % state + 1
            first = walk.origin(stop)
            changes += [first + offset for offset in coins.subset(walk.length(stop), common)]
            state -= common
        ends = [*sorted(changes), walk.positions]
        return self.name(tuple((ends[i], ends[i + 1]) for i in range(0, len(changes), 2)))

    @cached_property
    def weights(self) -> Callable[..., Floats]:
        """Float weights of a decision; those asked for last are kept, because further draws ask for them
        again."""

        def compute(question: str, *place: int) -> Floats:
            values = _weights(self.sums, question, place)
            values.setflags(write=False)
            return values

        return lru_cache(maxsize=_MEMORY)(compute)

    @cached_property
    def _ladders(self) -> dict[int | None, Ladder]:
        return {}

    def ladder(self, bits: int | None) -> Ladder:
        """The sums as fractions (None) or as balls; of the balls only the last precision is kept."""
        if bits not in self._ladders:
            build = Ladder.exact if bits is None else Ladder.in_balls
            sums = self.sums
            fresh = build(sums.walk, states=sums.states, block=sums.block, ratio=sums.ratio)
            for other in [other for other in self._ladders if other is not None]:
                del self._ladders[other]
            self._ladders[bits] = fresh
        return self._ladders[bits]


class _Sums(Protocol[W_co]):
    """What a draw asks of its sums, whatever they are computed in."""

    def totals(self) -> W_co: ...

    def blocks(self, state: int, stop: int) -> W_co: ...

    def terms(self, block: int, state: int, stop: int) -> W_co: ...


def _weights(sums: _Sums[W_co], question: str, place: tuple[int, ...]) -> W_co:
    match question:
        case "totals":
            return sums.totals()
        case "blocks":
            return sums.blocks(*place)
    return sums.terms(*place)


class _Choice:
    """Weights of one decision of a draw, in any arithmetic."""

    def __init__(self, law: UnionGibbs[Any], question: str, *place: int) -> None:
        self._law = law
        self._question = question
        self._place = place

    @property
    def key(self) -> Hashable:
        sums = self._law.sums
        stop = self._place[-1] if self._place else sums.walk.gaps
        steps = tuple(int(step) for step in sums.walk.steps(0, stop))
        lengths = tuple(sums.walk.length(gap) for gap in range(stop))
        # Gaps from `stop` on and the step that ends the gap before it do not matter to the earlier changes.
        summary = (lengths, steps[:-1]) if self._place else (lengths, steps, sums.states)
        return ("union", self._question, self._place, sums.ratio, sums.block, summary)

    def floats(self) -> tuple[Floats, float]:
        sums = self._law.sums
        if not sums.fits:
            return np.ones(1), 1.0
        return self._law.weights(self._question, *self._place), sums.error

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits):
            return _weights(self._law.ladder(bits), self._question, self._place)

    def exact(self) -> Sequence[Fraction]:
        return _weights(self._law.ladder(None), self._question, self._place)
