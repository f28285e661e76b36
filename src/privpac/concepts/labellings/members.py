"""A finite public class as its own labellings: a member stands for how it labels points, whatever these are.

Statement: trees, lists, monomials and scorecards are drawn with weight prior · ratio^mistakes by sums over the class,
so a labelling is named by a member and drawn with it. Which members there are does not depend on records: a kept record
changes no weight at all, and a record that is counted changes it as in any exponential mechanism. So everything that is
proved for labellings of kept points holds, with less lost. What is paid: as many candidates as the prior makes,
1 + odds, where other classes have as many as the points have labellings (`labellings.base.dimension`).
Source: Kasiviswanathan et al. 2011 for the draw; that the losses of relabelling cover it is ours.
Holds if: class and prior are public.
Proof: docs/proofs/members-as-labellings.md.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins, Weights
from privpac.concepts.base import ConceptClass, Hypothesis, Scored
from privpac.concepts.labellings.base import (
    BySums,
    Dichotomous,
    VotedDichotomies,
)
from privpac.data.sample import Sample

__all__ = ["MemberDichotomies", "MemberPrices", "Members", "voted_on"]

E = TypeVar("E")
T = TypeVar("T", bound=Hashable)

CLOSE = 2.0**-30
"""Error of floats up to which the heaviest of them holds a best member: with fewer than 2^28 choices it has more than
2^-29 of the sum, and one without a best member at most a quarter of that."""

BALLS = 256
"""Bits at which weights are compared whose floats say less."""


class Members(BySums):
    """A class from which members are drawn in place of labellings, of any number of points."""

    voted_as_members: ClassVar[bool] = True
    members_from: ClassVar[int] = 0

    def require_listed(self: ConceptClass[E], points: int, *, elsewhere: int = 0) -> None:
        """What a draw from this many records is refused for."""
        self.require(points + elsewhere)

    def require_relabelled(self: ConceptClass[E], records: int, *, voters: int) -> None:
        """Only voters are counted."""
        self.require(voters)

    def dichotomies(self: ConceptClass[E], *points: Sample) -> MemberDichotomies[E]:
        """The class itself: the points do not matter."""
        return MemberDichotomies(self)


def voted_on(concepts: Dichotomous, sample: Sample) -> VotedDichotomies[Any]:
    """What other records vote on for these: labellings, or members where nearest concepts are not found quickly."""
    if getattr(concepts, "voted_as_members", False):
        return MemberDichotomies(concepts)
    return cast(VotedDichotomies[Any], concepts.dichotomies(sample))


@dataclass(frozen=True, eq=False, repr=False)
class MemberDichotomies(VotedDichotomies[Hypothesis], Generic[E]):
    """Members in place of labellings, each with its public prior."""

    concepts: ConceptClass[E]

    def member(self, labelling: Hypothesis) -> Hypothesis:
        return labelling

    def mistakes(self, sample: Sample) -> MemberPrices[E]:
        return MemberPrices(self.concepts, sample.reduce(self.concepts.statistic))

    def relabelling(self, sample: Sample, rest: Sample, *, change: int, mistake: int) -> MemberPrices[E]:
        """The nearest member to a member is that member: only mistakes of the rest count."""
        return MemberPrices(self.concepts, rest.reduce(self.concepts.statistic), mistake)


@dataclass(frozen=True, eq=False, repr=False)
class MemberPrices(Generic[E]):
    """`unit` for every mistake of a member on the records that the evidence is of."""

    concepts: ConceptClass[E]
    evidence: E
    unit: int = 1

    def draw(self, ratio: Fraction, coins: Coins) -> Hypothesis:
        """One member, with probability exactly proportional to prior · ratio^price."""
        return self.concepts.gibbs(self.evidence, ratio=ratio**self.unit, costs=(1, 1)).draw(coins)

    def cheapest(self) -> Hypothesis:
        """One with the fewest mistakes, from the weights that a draw would use.

        With a ratio of at most 1/(4·(odds + 1)), a part of the class that holds a best member weighs four times as much
        as all that hold none: so the heaviest part, taken at every step of a draw, ends at a best one.
        """
        if isinstance(self.concepts, Scored):
            scores = self.concepts.scores(self.evidence, costs=(1, 1))
            best: Hypothesis = scores.locate(scores.histogram(0).best, 0)
            return best
        steep = Fraction(1, 4 << ceil(self.concepts.odds).bit_length())
        return self.concepts.gibbs(self.evidence, ratio=steep, costs=(1, 1)).draw(_Heaviest())


class _Heaviest:
    """Takes the heaviest of all choices, the first of equal ones: no chance at all."""

    origin = "none"

    def choose(self, weights: Weights) -> int:
        values, error = weights.floats()
        if error < CLOSE:
            return int(np.argmax(values))
        exact = [ball.mid() for ball in weights.balls(BALLS)]
        return max(range(len(exact)), key=lambda place: (exact[place], -place))

    def choose_many(self, weights: Weights, count: int) -> NDArray[np.int64]:
        return np.full(count, self.choose(weights), dtype=np.int64)

    def below(self, n: int) -> int:
        return 0

    def flip(self, p: Fraction) -> bool:
        return p > Fraction(1, 2)

    def flips(self, chances: Sequence[Fraction], picks: Sequence[int] | NDArray[Any]) -> NDArray[np.bool_]:
        return np.array([self.flip(chances[pick]) for pick in picks], dtype=np.bool_)

    def subset(self, n: int, k: int) -> tuple[int, ...]:
        return tuple(range(k))

    def each(self, runs: Sequence[Callable[[Coins], T]]) -> list[T]:
        return [run(self) for run in runs]
