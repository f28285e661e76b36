"""What the conditions of spread labels say of stored numbers, written a second time for steps that makers compute.

`LabelBoostAccuracy` and `RelabelAccuracy` compute the numbers of their steps and are never handed any, so of a step
with other numbers they cannot be asked. These functions are: they refuse with `RuleRefused` what does not follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import ctx

from privpac.guarantee.facts import Accuracy, Against
from privpac.guarantee.proof import Proof, need, need_ratio
from privpac.numbers.exact import ball
from privpac.theory.vc import growth

__all__ = ["Carried", "DrawBound", "label_boost", "ssl_relabel"]


@dataclass(frozen=True)
class DrawBound:
    """A draw of one among `odds` + 1, and how much worse than the best it is, but for `failure`."""

    odds: int | Fraction
    ratio: Fraction
    most: int
    """Mistakes above the best on the very records."""
    failure: Fraction

    def check(self, rule: str) -> None:
        """Refuse the step unless so many mistakes are as unlikely as it says."""
        need_ratio(rule, self.ratio, 1)
        need(rule, self.most >= 0 and self.odds >= 0, "odds and mistakes must not be negative")
        below = self.odds == 0 or _at_most(self.odds, self.ratio, self.most + 1, self.failure)
        need(rule, below, "more mistakes are too likely")


def _at_most(odds: Fraction | int, base: Fraction, count: int, limit: Fraction) -> bool:
    with ctx.workprec(192):
        return bool(ball(Fraction(odds)).log() + count * ball(base).log() <= ball(limit).log())


def _exponential_at_most(odds: Fraction | int, exponent: Fraction, limit: Fraction) -> bool:
    """odds·e^(-exponent) <= limit."""
    with ctx.workprec(192):
        return bool(ball(Fraction(odds)).log() - ball(exponent) <= ball(limit).log())


@dataclass(frozen=True)
class Carried:
    """What carries rates on `points` independent points over to their distribution, but for `failure`.

    Realizable: true <= rate + square/2 + sqrt(square·(rate + square/4)). Agnostic: + uniform + single. By the growth of
    a class of VC dimension `vc`, or by its `size`.
    """

    points: int
    basis: str
    failure: Fraction
    size: int
    vc: int
    square: Fraction = Fraction(0)
    uniform: Fraction = Fraction(0)
    single: Fraction = Fraction(0)
    pairs: bool = False

    def _labellings(self, points: int) -> int:
        count = growth(points, vc=self.vc) if self.basis == "growth" else self.size
        return count**2 if self.pairs else count

    def check(self, rule: str) -> None:
        """Refuse numbers that are no points, members or deviations."""
        need(rule, self.basis in ("growth", "size"), "there is no such basis")
        need(rule, self.points >= 1, "there must be a point")
        members = self.vc if self.basis == "growth" else self.size - 1
        need(rule, members >= 0, "a class has a member at least")
        least = min(self.square, self.uniform, self.single)
        need(rule, least >= 0, "a deviation must not be negative")

    def check_square(self, rule: str, rate: Fraction, error: Fraction) -> None:
        """Refuse the step unless the realizable bound carries `rate` over to `error`."""
        need(rule, self.uniform == self.single == 0, "rates that are squared have no other deviations")
        if self.basis == "growth":
            odds, exponent = 4 * self._labellings(2 * self.points), self.points * self.square / 4
        else:
            odds, exponent = self._labellings(0), self.points * self.square / 2
        fits = _exponential_at_most(odds, exponent, self.failure)
        need(rule, fits, "larger deviations are too likely")
        room = error - rate - self.square / 2
        above = room >= 0 and room**2 >= self.square * (rate + self.square / 4)
        need(rule, above, "the error is below what the deviation allows")

    def check_spread(self, rule: str, excess: Fraction, error: Fraction) -> None:
        """Refuse the step unless the agnostic bound carries `excess` over to `error`."""
        need(rule, self.square == 0, "rates that are spread have no squared deviation")
        half = self.failure / 2
        fits = _exponential_at_most(1, 2 * self.points * self.single**2, half)
        if self.basis == "size":
            fits = fits and _exponential_at_most(self.size, 2 * self.points * self.uniform**2, half)
        else:
            mean = self.uniform - self.single
            fits = fits and mean >= 0
            fits = fits and _exponential_at_most(
                self._labellings(self.points), self.points * mean**2 / 2, Fraction(1)
            )
        need(rule, fits, "larger deviations are too likely")
        need(
            rule, error >= excess + self.uniform + self.single, "the error is below what the deviation allows"
        )


def label_boost(
    *,
    against: Against,
    labelled: int,
    kept: int,
    odds: int,
    ratio: Fraction,
    tilt: Fraction,
    drawn: Fraction,
    draw_failure: Fraction,
    base: DrawBound | Proof[Accuracy],
    carried: Carried,
    error: Fraction,
    failure: Fraction,
) -> None:
    """A round of relabelling, then a base learner, then from the points to their distribution."""
    rule = "label-boost"
    need(rule, 0 < ratio <= tilt <= 1, "the tilt must lie between the ratio and 1")
    need(rule, 0 < drawn < 1 and 0 < error <= 1 and 0 < failure < 1, "errors and failure must lie in (0, 1)")
    need(rule, odds >= 0 and 1 <= kept <= labelled, "odds or sizes are out of range")
    worst = 1 - drawn * (1 - tilt) if against is Against.REALIZABLE else _worst(drawn, tilt)
    need(rule, odds == 0 or _at_most(odds, worst, kept, draw_failure), "wrong labels are too likely")
    carried.check(rule)
    rate = drawn + _distance(rule, base, carried.points)
    spent = draw_failure + carried.failure + _own_failure(base)
    need(rule, spent <= failure, "the failure probabilities add up to more than is promised")
    need(rule, not carried.pairs, "pairs are not needed here")
    if against is Against.REALIZABLE:
        carried.check_square(rule, rate, error)
    else:
        carried.check_spread(rule, rate, error)


def _worst(error: Fraction, tilt: Fraction) -> Fraction:
    return ((1 - error) / tilt + (1 + error) * tilt) / 2


def _own_failure(base: DrawBound | Proof[Accuracy]) -> Fraction:
    return base.failure if isinstance(base, DrawBound) else base.fact.failure


def _distance(rule: str, base: DrawBound | Proof[Accuracy], points: int) -> Fraction:
    """At which rate of the points the base's rule leaves the labels it was given."""
    if isinstance(base, DrawBound):
        base.check(rule)
        return Fraction(base.most, points)
    fact = base.fact
    if fact.against is Against.EMPIRICAL:
        need(rule, fact.records == points, "the base must be accurate on these very points")
    else:
        need(rule, fact.against is Against.REALIZABLE, "the base must be accurate on labels of its own class")
        need(rule, not base.assumptions, "draws from points follow these, of which nothing can be assumed")
    need(rule, fact.proper, "the base must release a concept of the class")
    return fact.error


def ssl_relabel(
    *,
    labelled: int,
    change: int,
    mistake: int,
    draw: DrawBound,
    base: DrawBound | Proof[Accuracy],
    near: Carried,
    apart: Carried,
    parts: tuple[Fraction, Fraction],
    error: Fraction,
    failure: Fraction,
) -> None:
    """The vote on labels where some concept makes no error: near that concept, and it near the truth."""
    rule = "ssl-relabel-accuracy"
    need(rule, change >= 1 and mistake >= 1 and labelled >= 1, "prices and sizes must be positive")
    need(rule, sum(parts) == error <= 1, "an error is at most 1")
    need(
        rule,
        near.points == labelled and apart.pairs and not near.pairs,
        "the points are not those of the run",
    )
    draw.check(rule)
    near.check(rule)
    apart.check(rule)
    empirical = isinstance(base, DrawBound) or base.fact.against is Against.EMPIRICAL
    need(rule, empirical, "the base must be accurate on these very points")
    distance = Fraction(draw.most // change, apart.points) + _distance(rule, base, apart.points)
    near.check_square(rule, Fraction(draw.most // mistake, labelled), parts[0])
    apart.check_square(rule, distance, parts[1])
    spent = draw.failure + _own_failure(base) + near.failure + apart.failure
    need(rule, spent <= failure < 1, "the failure probabilities add up to more than is promised")
