"""Hit a target: the largest inner epsilon whose whole stack keeps a declared (epsilon, delta), and the best split.

Everything is decided by certificates: a stack is built, certified, and kept if what it proves implies the target. So it
works for any nesting, and what is charged is the declared decimal, exactly.
Proof: docs/proofs/declared.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.constructions.base import Around, Learner
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.wrappers.agnostic import Agnostic
from privpac.constructions.wrappers.formulas import best_split, best_vote
from privpac.constructions.wrappers.nested import positive_number
from privpac.data.sample import Sample, Size
from privpac.errors import ParameterError, RuleRefused, SizeError, TooFewRecords
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Loss
from privpac.numbers.exact import decimal_text, first_whole, plain
from privpac.numbers.parameters import below_one, positive

__all__ = ["Declared", "calibrate", "calibrate_agnostic", "relabelled_records"]

STEP = Fraction(1, 10**9)
"""Inner epsilons are decimals of nine places."""

LARGEST = 2**40
"""Steps at which the search for an inner epsilon ends: an epsilon above a thousand."""

LINES = 12
"""Straight lines tried at most on the way there: each gains half as many digits again."""


@dataclass(frozen=True)
class Declared(Around):
    """A learner whose loss is charged as the decimals that were asked for."""

    learner: Learner
    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        positive(self.epsilon, owner="Declared", name="epsilon")
        below_one(self.delta, owner="Declared", name="delta")

    def certify(self, size: Size) -> Certificate:
        inner = self.learner.certify(size)
        return replace(inner, privacy=rules.declared(inner.privacy, epsilon=self.epsilon, delta=self.delta))

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.learner.releases(hypothesis, size)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        return self.learner.learn(sample, coins)


def _keeps(learner: Learner, size: Size, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether it does not lose more; so too where the epsilon inside is too small for anything to be certified."""
    try:
        fact = learner.certify(size).privacy.fact
    except RuleRefused:
        return False
    except (
        TooFewRecords
    ):  # of a learner that refuses to promise less: at a larger epsilon these may be enough
        return True
    return fact.epsilon <= Loss(log=epsilon) and fact.delta <= delta


def _refuse_delta(learner: Learner, size: Size, epsilon: Fraction, delta: Fraction) -> None:
    """Where not epsilon but delta is too small for what is inside: say which delta would do."""
    try:
        fact = learner.certify(size).privacy.fact
    except RuleRefused:
        return
    if fact.epsilon <= Loss(log=epsilon):
        raise ParameterError(
            "calibrate",
            "delta",
            plain(delta),
            allowed=f"at least {decimal_text(fact.delta)}, which the learner inside loses",
            remedy="Ask for that much, or give the learner inside a smaller delta.",
        )


def calibrate(
    build: Callable[[Fraction], Learner],
    *,
    size: Size,
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
    start: Fraction | None = None,
) -> Declared:
    """The stack `build(inner)` with the largest inner epsilon, to nine decimals, that keeps the target.

    `build` must lose more for a larger inner epsilon, as every transform does. Raises `ParameterError` if even the
    smallest one loses too much, and `SizeError` if the records are too few for every one that keeps the target.
    `start` is a guess of the inner epsilon, by default the target: the better it is, the fewer stacks are certified.
    """
    positive_number("calibrate", "epsilon", epsilon)

    def loses_more(steps: int) -> bool:
        return steps >= LARGEST or not _keeps(build(steps * STEP), size, epsilon, delta)

    near = _near(build, int((start or epsilon) / STEP), size, epsilon)
    above = first_whole(loses_more, start=near, smallest=1, step=1)
    if above == 1:
        _refuse_delta(build(STEP), size, epsilon, delta)
        raise ParameterError(
            "calibrate",
            "epsilon",
            str(epsilon),
            allowed="more than the outer parts of the stack lose by themselves",
            remedy="Give the vote a smaller epsilon, or keep fewer records.",
        )
    return Declared(_require_certifiable(build((above - 1) * STEP), size), epsilon, delta)


def _near(build: Callable[[Fraction], Learner], steps: int, size: Size, epsilon: Fraction) -> int:
    """About how many steps lose epsilon, by straight lines through what is certified; only a place to begin."""

    def too_much(place: int) -> float:
        return float(build(place * STEP).certify(size).privacy.fact.epsilon.upper - epsilon)

    place, other = min(max(2, steps), LARGEST - 1), min(max(1, steps // 2), LARGEST // 2)
    try:
        here, there = too_much(place), too_much(other)
        for _ in range(LINES):
            if here == there or abs(place - other) <= 1:
                break
            meets = place - here * (place - other) / (here - there)
            nearer = min(max(1, int(meets)), 4 * place, LARGEST - 1)
            place, other, here, there = nearer, place, too_much(nearer), here
    except (RuleRefused, TooFewRecords):
        return max(1, steps)
    return place


def _require_certifiable(learner: Learner, size: Size) -> Learner:
    """The learner; refused if even the largest epsilon inside is too small for so few records."""
    try:
        learner.certify(size)
    except TooFewRecords as few:
        raise SizeError(
            "calibrate: the learner inside promises nothing for so few records at any epsilon that keeps the target.",
            remedy="Give it more records, or ask for a larger epsilon.",
        ) from few
    return learner


def relabelled_records(
    size: Size, *, epsilon: Fraction, weight: Fraction = Fraction(1), ranks: bool = False
) -> int:
    """How many records `calibrate_agnostic` hands to the learner inside, where nobody says."""
    share = best_split(epsilon, weight=weight, ranks=ranks).share
    return min(size.labelled - 1, max(1, round(share * size.labelled)))


def calibrate_agnostic(
    make: Callable[[Fraction], Learner],
    *,
    size: Size,
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
    weight: Fraction = Fraction(1),
    ranks: bool = False,
    kept: int | None = None,
    failure: Fraction = FAILURE,
) -> Declared:
    """`Agnostic` over `make(inner epsilon)` at exactly this target.

    Where `kept` is not given, vote and learner get what makes them suffer least: the split minimises
    1/(vote·(1 - share)) + 1/(share·inner), since the errors of the vote and of the learner inside shrink like these.
    Register `relabelling` has the loss, `constructions.wrappers.formulas.best_split` the search. A delta belongs to
    the learner inside, whose records are a random `kept` of all n: a learner of delta·n/kept keeps the target.
    """
    records = kept or relabelled_records(size, epsilon=epsilon, weight=weight, ranks=ranks)
    if kept is None:
        vote = best_split(epsilon, weight=weight, ranks=ranks).vote
    else:
        share = Fraction(kept, size.labelled)
        vote = best_vote(epsilon, share=share, weight=weight, ranks=ranks) or epsilon

    def build(inner: Fraction) -> Agnostic:
        return Agnostic(make(inner), records, vote, weight, ranks, failure=failure)

    return calibrate(build, size=size, epsilon=epsilon, delta=delta)
