"""What one draw over the labellings of public features promises, from public numbers alone.

As of a draw from the whole class, whose members represent the labellings; for a perfect fit also by counting
labellings, where that proves a smaller error. A learner certifies by it, and a plan asks it.
Statement: register `labellings-realizable`, `labellings-agnostic`, `label-thresholds`, `label-cover`.
Proof: docs/proofs/label-cover.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil

from privpac.concepts.chains import Chains
from privpac.constructions.covers import rules as covers_rules
from privpac.constructions.draw.chained import chained_draw
from privpac.constructions.draw.promises import agnostic_numbers
from privpac.errors import RuleRefused
from privpac.guarantee.facts import Accuracy, Against
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import first_whole
from privpac.theory.occam import error_occam
from privpac.theory.vc import growth

__all__ = ["Labellings"]

MOST_FEW = 2**16
"""Mistakes up to which the tail of a binomial is summed; more are never needed for a promise worth having."""

LAST = 1000
STEP = Fraction(1, LAST)
"""Errors that are proved by counting labellings are multiples of this."""

Prover = Callable[[Fraction], Proof[Accuracy] | None]
"""Proves an error, or answers None, or raises RuleRefused."""


@dataclass(frozen=True)
class Labellings:
    """A draw over labellings, or over the class that represents them, in the numbers that accuracy follows from."""

    records: int
    odds: Fraction
    """Prior of all others over prior of one member of the class."""
    size: int | None
    """Members, where each stands for no more than one labelling; None where members are drawn by their prior."""
    vc: int | None
    is_chain: bool
    """Whether the class is thresholds of one direction."""
    ratio: Fraction
    failure: Fraction
    chains: Callable[[int], Chains] | None = None
    """How bad members are covered, where the class says so."""

    @property
    def _members(self) -> int:
        """Members of the class at least, as many as its prior makes: a draw from it promises nothing better."""
        return ceil(self.odds) + 1

    def promises(self) -> tuple[Proof[Accuracy], ...]:
        """One proof for a perfect fit and one for any records, as far as there are any."""
        if self.ratio == 1:  # an epsilon so small that every labelling is equally likely
            return ()
        perfect = sorted([*self._perfect_fit(), *self._counted()], key=lambda proof: proof.fact.error)
        return (*perfect[:1], *self._any_records())

    def _of_class(self, error: Fraction, tilt: Fraction, against: Against) -> tuple[Proof[Accuracy], ...]:
        if error >= 1:
            return ()
        return (
            covers_rules.labellings(
                members=self._members,
                records=self.records,
                ratio=self.ratio,
                tilt=tilt,
                error=error,
                failure=self.failure,
                against=against,
            ),
        )

    def _perfect_fit(self) -> tuple[Proof[Accuracy], ...]:
        members = Fraction(self._members)
        error = error_occam(self.records, size=members, failure=self.failure, ratio=self.ratio)
        return self._of_class(error, self.ratio, Against.REALIZABLE)

    def _any_records(self) -> tuple[Proof[Accuracy], ...]:
        odds = Fraction(self._members - 1)
        _, excess, tilt = agnostic_numbers(odds, None, self.records, self.ratio, self.failure)
        chained = self.chains and chained_draw(
            self.records,
            chains=self.chains,
            odds=self.odds,
            ratio=self.ratio,
            failure=self.failure,
            below=excess,
        )
        if chained:
            bound, error = chained
            return (bound.proof(self.records, error=error, failure=self.failure),)
        return self._of_class(excess, tilt, Against.AGNOSTIC)

    def _counted(self) -> tuple[Proof[Accuracy], ...]:
        """The proof of the smallest error on the grid that the number of labellings gives, if any is below 1."""
        prove = self._prover()
        if prove is None:
            return ()
        step = first_whole(
            lambda k: k >= LAST or _proof_at(prove, k) is not None, start=LAST // 8, smallest=1
        )
        proof = _proof_at(prove, step)
        return () if proof is None else (proof,)

    def _prover(self) -> Prover | None:
        if self.vc is None:
            return None
        size = self._members if self.size is None else min(self.size, growth(self.records, vc=self.vc))
        if self.is_chain:
            return partial(self._threshold, size)
        rule = partial(covers_rules.label_cover, records=self.records, vc=self.vc, candidates=size)
        return lambda error: rule(ratio=self.ratio, level=Fraction(0), error=error, failure=self.failure)

    def _threshold(self, cuts: int, error: Fraction) -> Proof[Accuracy] | None:
        mean = int(self.records * error)
        for few in _nearest(min(mean // 4, MOST_FEW), max(mean, 1), 0.6 * mean):
            try:
                return covers_rules.label_thresholds(
                    records=self.records,
                    cuts=cuts,
                    spacing=0,
                    few=few,
                    ratio=self.ratio,
                    error=error,
                    failure=self.failure,
                )
            except RuleRefused:
                continue
        return None


def _proof_at(prove: Prover, step: int) -> Proof[Accuracy] | None:
    """A proof of this many steps of the grid of errors, if there is one."""
    try:
        return prove(step * STEP) if 0 < step < LAST else None
    except RuleRefused:
        return None


def _nearest(first: int, end: int, goal: float, *, count: int = 40) -> list[int]:
    """The whole numbers from `first` up to `end` next to a goal, nearest first; none where their sums are too long."""
    middle = min(max(first, int(min(goal, MOST_FEW))), end - 1)
    around = range(max(first, middle - count - 1), min(end, middle + count + 2))
    return sorted(around, key=lambda k: abs(k - goal))[:count] if first <= MOST_FEW else []
