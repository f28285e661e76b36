"""Few labels, many records: labels drawn for a group of points before a private learner sees them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import ctx

from privpac.guarantee.facts import ALL, Accuracy, Against, Loss, Privacy, Release
from privpac.guarantee.parts import LABELLED, QUERIED, UNLABELLED, UNQUERIED
from privpac.guarantee.proof import (
    SEAL,
    Proof,
    Value,
    need,
    need_ratio,
    need_record,
    need_two_classes,
    parameters,
)
from privpac.numbers.exact import ball, shortened, written
from privpac.theory.vc import growth

__all__ = [
    "Carried",
    "DrawBound",
    "label_boost_accuracy",
    "label_boost_labelled",
    "label_boost_unlabelled",
    "positions_known",
    "ssl_relabel_accuracy",
]


def _relabelling(
    rule: str,
    premise: Proof[Privacy],
    cost: Fraction,
    part: str,
    where: dict[str, Value],
) -> Proof[Privacy]:
    old = premise.fact
    need_record(rule, old)
    need(rule, old.part in (ALL, LABELLED), "the premise must speak of the records whose labels were drawn")
    need(rule, part != ALL, "it is one part whose loss this is")
    loss = Loss(old.epsilon.log, shortened(cost * old.epsilon.factor))
    return Proof(Privacy(loss, old.delta, old.unit, part, old.release), rule, (premise,), where, seal=SEAL)


def label_boost_labelled(
    premise: Proof[Privacy], *, classes: int, ratio: Fraction, part: str = LABELLED
) -> Proof[Privacy]:
    """A labelled record, when all points are relabelled before an (epsilon, delta)-private run.

    The labels are one dichotomy of all points, drawn with weight ratio^(mistakes on labelled records):
    e^eps' = e^eps·(1 + 1/ratio)², delta' = delta. Source: Beimel–Nissim–Stemmer Lemma 4.1, tight constant; register
    `label-boost-labelled`. Refused unless there are two `classes`. Holds if every dichotomy is drawn from, scores are
    not clamped, and sizes are public.
    """
    rule = "label-boost-labelled"
    need_two_classes(rule, classes)
    need_ratio(rule, ratio, 1)
    return _relabelling(rule, premise, (1 + 1 / ratio) ** 2, part, {"ratio": written(ratio), "part": part})


def label_boost_unlabelled(
    premise: Proof[Privacy], *, classes: int, part: str = UNLABELLED
) -> Proof[Privacy]:
    """A record without label, relabelled together with the labelled ones: e^eps' = 4·e^eps, delta' = delta.

    Source: Beimel–Nissim–Stemmer Lemma 4.1, tight constant; register `label-boost-unlabelled`. Holds as
    `label_boost_labelled`.
    """
    rule = "label-boost-unlabelled"
    need_two_classes(rule, classes)
    return _relabelling(rule, premise, Fraction(4), part, {"part": part})


_ROLES = {QUERIED: LABELLED, UNQUERIED: UNLABELLED}
"""Who is who in the inner run."""

_WIDER = (Release.WITH_LIST, Release.WITH_COINS)


def positions_known(premise: Proof[Privacy], *, part: str, release: Release) -> Proof[Privacy]:
    """What a part of the records is promised by those who also know positions that coins alone have chosen.

    Given the positions, the run is the premise's on fixed people, and positions do not depend on any record: the loss
    stays. Source: Beimel–Nissim–Stemmer Theorem 5.5; register `positions-known`. Holds if the positions are drawn
    without looking at records, and the premise speaks of the people who have this role given the positions.
    """
    rule = "positions-known"
    old = premise.fact
    need(rule, release in _WIDER, "it must be said what is known besides the hypothesis")
    need(rule, old.release is Release.HYPOTHESIS, "the premise must speak of a released hypothesis")
    need(rule, part in _ROLES, "there is no such role")
    need(rule, old.part in (ALL, _ROLES[part]), "the premise must speak of the people in this role")
    fact = Privacy(old.epsilon, old.delta, old.unit, part, release)
    return Proof(fact, rule, (premise,), {"part": part, "release": release.value}, seal=SEAL)


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

    def where(self, name: str) -> dict[str, Value]:
        """The parameters of the step, as a certificate stores them."""
        parts = parameters(odds=written(self.odds), ratio=self.ratio, most=self.most, failure=self.failure)
        return {f"{name}_{part}": value for part, value in parts.items()}


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

    def where(self, name: str) -> dict[str, Value]:
        """The parameters of the step, as a certificate stores them."""
        return {
            f"{name}_points": self.points,
            f"{name}_basis": self.basis,
            f"{name}_failure": written(self.failure),
            f"{name}_of": written(self.vc if self.basis == "growth" else self.size),
            f"{name}_square": written(self.square),
            f"{name}_uniform": written(self.uniform),
            f"{name}_single": written(self.single),
        }


def label_boost_accuracy(
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
) -> Proof[Accuracy]:
    """One round of relabelling, then a base learner, then from the points to their distribution.

    The draw among odds + 1 labellings with `kept` labelled records is wrong at a rate above `drawn` on the points
    (above the best) with probability at most odds·base^kept <= draw_failure, as in `occam`; the base's rule leaves the
    drawn labels at base.most points, or at the rate of its own accuracy, which is proved for these very points
    (empirical) or, if it was run on independent draws from them, for every distribution (realizable, assuming nothing);
    `carried` does the rest. Register `label-boost-realizable` and `label-boost-agnostic`.
    Holds if labelled and unlabelled records are independent draws from one distribution.
    """
    rule = f"label-boost-{against.value}"
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
    premises, base_numbers = _of_base(base)
    draw = parameters(
        kept=kept, odds=written(odds), ratio=ratio, tilt=tilt, drawn=drawn, draw_failure=draw_failure
    )
    where = {**draw, **base_numbers, **carried.where("carried")}
    return Proof(Accuracy(error, failure, against, labelled), rule, premises, where, seal=SEAL)


def _of_base(base: DrawBound | Proof[Accuracy]) -> tuple[tuple[Proof[Accuracy], ...], dict[str, Value]]:
    """The base as a premise, or as parameters of the step."""
    return ((), base.where("base")) if isinstance(base, DrawBound) else ((base,), {})


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


def ssl_relabel_accuracy(
    *,
    labelled: int,
    change: int,
    mistake: int,
    draw: DrawBound,
    base: DrawBound | Proof[Accuracy],
    near: Carried,
    apart: Carried,
    parts: tuple[Fraction, Fraction],
    failure: Fraction,
) -> Proof[Accuracy]:
    """SSL-Relabel where some concept makes no error: near the concept behind the drawn labels, and it near the truth.

    Scores above draw.most are not drawn; then some concept errs on at most most/mistake labelled records and differs
    from the drawn labels at most/change points. `near` carries the first rate over to the distribution, `apart` the
    second together with the base's own mistakes, for pairs of concepts; these are its draw's, or what is proved of it
    on these very points. The error is the sum of both `parts`. Register `ssl-relabel-accuracy`.
    Holds if labelled and unlabelled records are independent draws from one distribution.
    """
    rule = "ssl-relabel-accuracy"
    need(rule, change >= 1 and mistake >= 1 and labelled >= 1, "prices and sizes must be positive")
    need(rule, sum(parts) <= 1, "an error is at most 1")
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
    premises, base_numbers = _of_base(base)
    prices = parameters(change=change, mistake=mistake, near=parts[0], apart=parts[1])
    where = {**prices, **draw.where("draw"), **base_numbers, **near.where("near"), **apart.where("apart")}
    fact = Accuracy(sum(parts, Fraction(0)), failure, Against.REALIZABLE, labelled)
    return Proof(fact, rule, premises, where, seal=SEAL)
