"""What one draw from a mixture of trees promises against each of the rivals it names, and which handicaps keep it.

Parts behind the rivals are drawn from without a promise against their own members. These are so many that they are
counted apart, and may have a handicap, like the refinements of an earlier draw.
Statement: register `occam-realizable`, `occam-agnostic`, `refined-draw-realizable`, `refined-draw-agnostic`.
Proof: docs/proofs/refined-draw.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from privpac.concepts.trees.mixture import TreeMixture
from privpac.guarantee import rules
from privpac.guarantee.facts import Accuracy, Against, Privacy
from privpac.guarantee.proof import Proof, rational
from privpac.numbers.exact import about_log, exp_down, exp_up, first_whole, ln_up, power_up
from privpac.theory.occam import GRID, error_occam, excess_agnostic, first_error, tilt_agnostic, within
from privpac.theory.refined import (
    Kind,
    error_refined,
    excess_counted,
    failure_left,
    mean_agnostic,
    refined_within,
)

__all__ = ["Draw", "Earlier", "agnostic_numbers", "handicaps_for"]


def agnostic_numbers(
    odds: Fraction, size: int | None, records: int, ratio: Fraction, failure: Fraction
) -> tuple[Fraction, Fraction, Fraction]:
    """The factor, excess and tilt of the agnostic bound.

    With members that nothing is promised against there may be more of them, `others`, than the odds say. The factor
    is then others^(1 - theta)·odds^theta for any theta up to ln(tilt)/ln(ratio) (docs/proofs/occam.md).

    >>> factor, excess, tilt = agnostic_numbers(
    ...     Fraction(10**3), 10**15, 1000, Fraction(3, 5), Fraction(1, 20))
    >>> 10**3 < factor < 10**15, float(excess), tilt > Fraction(3, 5)
    (True, 0.2171, True)
    """
    others = 0 if size is None else size - 1
    if others <= odds:
        excess = excess_agnostic(records, size=odds + 1, failure=failure, ratio=ratio)
        return odds, excess, tilt_agnostic(excess, ratio=ratio) if excess < 1 else ratio
    logs = ln_up(Fraction(others)), ln_up(max(Fraction(1), odds))
    theta, near = _best_exponent(
        (float(logs[0]), float(logs[1])), records, -about_log(ratio), about_log(failure)
    )
    factor = Fraction(math.ceil(exp_up((1 - theta) * logs[0] + theta * logs[1])))
    tilt = max(ratio, exp_down(-theta * ln_up(1 / ratio)))  # so that theta is at most ln(tilt)/ln(ratio)
    start = Fraction(min(1.0, near))
    excess = first_error(
        lambda worse: within(factor, mean_agnostic(worse, tilt=tilt), records, failure), start=start
    )
    return (factor, excess, tilt) if excess < 1 else (odds, Fraction(1), ratio)


MILLIONTHS = 10**6
"""Exponents are looked for as such parts of 1: the bound is flat around the best of them."""


def _best_exponent(
    logs: tuple[float, float], records: int, rate: float, failure: float
) -> tuple[Fraction, float]:
    """The exponent theta that proves the least excess, and about that excess: which is tried, not what is promised.

    `logs` are those of the members' number and of the odds, `rate` and `failure` logarithms as well. Solved for the
    excess, the bound is tanh(t/2) + (1 - left)/sinh(t) with t = theta·rate.
    """

    def excess(theta: float) -> float:
        left = (failure - (1 - theta) * logs[0] - theta * logs[1]) / max(records, 1)
        return math.tanh(theta * rate / 2) - math.expm1(left) / math.sinh(theta * rate)

    near = min((2.0 ** (-step / 4) for step in range(80)), key=excess)
    low, high = near / 2**0.25, min(1.0, near * 2**0.25)
    while high - low > 1 / MILLIONTHS:  # a third off at every step, on the side that proves less
        left, right = (2 * low + high) / 3, (low + 2 * high) / 3
        low, high = (low, right) if excess(left) <= excess(right) else (left, high)
    theta = Fraction(max(1, round(high * MILLIONTHS)), MILLIONTHS)
    return theta, excess(float(theta))


class Afresh(NamedTuple):
    """The numbers of the bound for what is drawn afresh, and the least excess that it proves with the whole failure."""

    odds: Fraction
    excess: Fraction
    tilt: Fraction


@dataclass(frozen=True)
class Earlier:
    """A draw before this one: its privacy, and the refinements of what it drew."""

    first: Proof[Privacy]
    refinements: Callable[[Fraction], Sequence[Kind]]
    """Given the prior of a member in the mixture; handicaps counted."""
    afresh: Fraction
    """The prior of all that is not a refinement."""

    @property
    def growth(self) -> Fraction:
        """e^epsilon of the draw before."""
        return rational("refined-draw", self.first.fact.epsilon)


@dataclass(frozen=True)
class Draw:
    """One draw from a mixture that names its rivals, after an earlier one or by itself.

    `unit` is the weight of one unit of score, which handicaps are counted in, `ratio` that of the largest price.
    """

    mixture: TreeMixture
    records: int
    ratio: Fraction
    unit: Fraction
    failure: Fraction
    earlier: Earlier | None = None

    def promises(self) -> tuple[Proof[Accuracy], ...]:
        """What is proved where a rival makes no error, and for any records; nothing where that is void."""
        if self.ratio == 1:  # an epsilon so small that every member is equally likely
            return ()
        proofs = [self._without_errors(name, rarest) for name, rarest in self.mixture.promises]
        proofs += [self._any_records(name, rarest) for name, rarest in self.mixture.promises]
        return tuple(proof for proof in proofs if proof is not None)

    def _without_errors(self, name: str, rarest: Fraction) -> Proof[Accuracy] | None:
        n, ratio, failure, before = self.records, self.ratio, self.failure, self.earlier
        against = Against.REALIZABLE
        if before is None:
            odds = 1 / rarest - 1
            error = error_occam(n, size=odds + 1, failure=failure, ratio=ratio)
            if error >= 1:
                return None
            return rules.occam(
                odds=odds, records=n, ratio=ratio, tilt=ratio, error=error, failure=failure, against=against,
                rivals=name,
            )  # fmt: skip
        odds = 1 / (before.afresh * rarest) - 1
        error = error_refined(n, odds=odds, ratio=ratio, growth=before.growth, failure=failure)
        if error >= 1:
            return None
        return rules.refined_draw(
            before.first, odds=odds, records=n, ratio=ratio, error=error, failure=failure, against=against,
            rivals=name,
        )  # fmt: skip

    def _any_records(self, name: str, rarest: Fraction) -> Proof[Accuracy] | None:
        """The least of what is proved, in whichever way."""
        proofs = sorted(self._ways(name, rarest), key=lambda proof: proof.fact.error)
        return proofs[0] if proofs else None

    @property
    def _shallow(self) -> int:
        """How many parts come before those that nothing is promised against."""
        return max(count for _, count in self.mixture.named)

    def _prior(self, first: int, last: int) -> Fraction:
        """Of these parts together, handicaps counted."""
        mixture = self.mixture
        pairs = list(zip(mixture.shares, mixture.charged, strict=True))[first:last]
        return sum((share * power_up(self.unit, handicap) for share, handicap in pairs), Fraction(0)) / sum(
            mixture.shares
        )

    def kinds(self, rarest: Fraction) -> list[Kind]:
        """All that is counted apart: parts without a promise, and refinements."""
        parts = self.mixture.parts
        deep = [Kind(self._prior(i, i + 1) / rarest, parts[i].size) for i in range(self._shallow, len(parts))]
        return deep + ([] if self.earlier is None else list(self.earlier.refinements(rarest)))

    def afresh(self, rarest: Fraction) -> Afresh:
        """What is proved of the parts that come first."""
        size = sum(part.size for part in self.mixture.parts[: self._shallow])
        odds = self._prior(0, self._shallow) / rarest - 1
        return Afresh(*agnostic_numbers(odds, size, self.records, self.ratio, self.failure))

    def left(self, fresh: Afresh, excess: Fraction) -> Fraction:
        """What these leave of the failure to the others."""
        return failure_left(
            self.records, odds=fresh.odds, tilt=fresh.tilt, excess=excess, failure=self.failure
        )

    def _either(self, fresh: Afresh, kinds: Sequence[Kind], growth: Fraction | None) -> Fraction:
        """The least excess at which both bounds together keep the failure; without a growth, by counting."""
        n, ratio = self.records, self.ratio

        def proves(excess: Fraction) -> bool:
            left = self.left(fresh, excess)
            if left <= 0:
                return False
            if growth is None:
                return excess_counted(n, kinds=kinds, ratio=ratio, failure=left) <= excess
            odds = kinds[0].odds
            return refined_within(n, odds=odds, ratio=ratio, growth=growth, excess=excess, failure=left)

        return first_error(proves, start=fresh.excess)

    def _ways(self, name: str, rarest: Fraction) -> Iterator[Proof[Accuracy]]:
        n, ratio, failure, before = self.records, self.ratio, self.failure, self.earlier
        kinds, against = self.kinds(rarest), Against.AGNOSTIC
        if before is None:
            odds = self._prior(0, len(self.mixture.parts)) / rarest - 1
            factor, excess, tilt = agnostic_numbers(odds, self.mixture.size, n, ratio, failure)
            if excess < 1:
                yield rules.occam(
                    odds=factor, records=n, ratio=ratio, tilt=tilt, error=excess, failure=failure,
                    against=against, rivals=name,
                )  # fmt: skip
        if not kinds:
            return
        fresh = self.afresh(rarest)
        ways: list[tuple[Proof[Privacy] | None, list[Kind]]] = [(None, kinds)]
        if before is not None:
            ways.append((before.first, [Kind(sum((kind.odds for kind in kinds), Fraction(0)), 1)]))
        for first, others in ways:
            error = self._either(fresh, others, None if first is None or before is None else before.growth)
            if error < 1:
                yield rules.refined_draw(
                    first, odds=fresh.odds, records=n, ratio=ratio, error=error, failure=failure,
                    against=against, tilt=fresh.tilt, kinds=others, rivals=name,
                )  # fmt: skip


def handicaps_for(draw: Draw, limits: dict[str, Fraction]) -> tuple[int, ...]:
    """The fewest mistakes that each kind must be charged in addition so that no promise is above its limit, or above
    what is proved of the members that come first, if that is more; the largest over the rivals. `draw` has none yet."""
    largest: tuple[int, ...] = ()
    for name, rarest in draw.mixture.promises:
        kinds = draw.kinds(rarest)
        fresh = draw.afresh(rarest)
        limit = max(limits.get(name, Fraction(1)), fresh.excess)
        left = draw.left(fresh, limit)
        if left <= 0:  # a tie: what is drawn afresh needs the whole failure
            limit += GRID
            left = draw.left(fresh, limit)
        mistakes = (0,) * len(kinds) if limit >= 1 else _fewest(draw, kinds, limit, left)
        largest = tuple(map(max, largest or mistakes, mistakes))
    return largest


def _fewest(draw: Draw, kinds: Sequence[Kind], limit: Fraction, failure: Fraction) -> tuple[int, ...]:
    """By counting, or by the privacy of the earlier draw, whichever charges less in all: counting often leaves shallow
    refinements as they are, while privacy charges all alike."""
    n, ratio = draw.records, draw.ratio

    def counted(kind: Kind, handicap: int) -> Fraction:
        harder = kind._replace(odds=kind.odds * power_up(ratio, handicap))
        same = [harder] * len(kinds)
        return excess_counted(n, kinds=same, ratio=ratio, failure=failure)

    def first(holds: Callable[[int], bool], near: float) -> int:
        """As many as there are records at most: more mistakes nobody makes."""
        start = max(0, min(n, math.ceil(near)))
        return first_whole(lambda a: a >= n or holds(a), start=start, step=1)

    def by_count(kind: Kind) -> int:
        return first(lambda a: counted(kind, a) <= limit, float(n * (counted(kind, 0) - limit)))

    each = tuple(map(by_count, kinds))
    if draw.earlier is None:
        return each
    odds, growth = sum((kind.odds for kind in kinds), Fraction(0)), draw.earlier.growth

    def by_privacy(handicap: int) -> bool:
        harder = odds * power_up(ratio, handicap)
        return refined_within(n, odds=harder, ratio=ratio, growth=growth, excess=limit, failure=failure)

    alike = first(by_privacy, sum(each) / len(kinds))
    return each if sum(each) <= alike * len(kinds) else (alike,) * len(kinds)
