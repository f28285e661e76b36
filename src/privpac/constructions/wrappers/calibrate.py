"""Hit a target: the largest inner epsilon whose whole stack keeps a declared (epsilon, delta), and the best split.

Everything is decided by certificates: a stack is built, certified, and kept if what it proves implies the target. So it
works for any nesting, and what is charged is the declared decimal, exactly.
Proof: docs/proofs/declared.md. Tested by tests/unit/constructions/wrappers/test_calibrate.py.
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
from privpac.errors import ParameterError, RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Loss
from privpac.numbers.exact import decimal_text, plain

__all__ = ["Declared", "calibrate", "calibrate_agnostic", "relabelled_records"]

STEP = Fraction(1, 10**9)
"""Inner epsilons are decimals of nine places."""

LARGEST = 2**40
"""Steps at which the search for an inner epsilon ends: an epsilon above a thousand."""


@dataclass(frozen=True)
class Declared(Around):
    """A learner whose loss is charged as the decimals that were asked for."""

    learner: Learner
    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def certify(self, size: Size) -> Certificate:
        inner = self.learner.certify(size)
        return replace(inner, privacy=rules.declared(inner.privacy, epsilon=self.epsilon, delta=self.delta))

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.learner.releases(hypothesis, size)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        return self.learner.learn(sample, coins)


def _keeps(learner: Learner, size: Size, epsilon: Fraction, delta: Fraction) -> bool:
    try:
        fact = learner.certify(size).privacy.fact
    except RuleRefused:
        return False
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
) -> Declared:
    """The stack `build(inner)` with the largest inner epsilon, to nine decimals, that keeps the target.

    `build` must lose more for a larger inner epsilon, as every transform does. Raises `ParameterError` if even the
    smallest one loses too much.
    """
    positive_number("calibrate", "epsilon", epsilon)

    def holds(steps: int) -> bool:
        return _keeps(build(steps * STEP), size, epsilon, delta)

    if not holds(1):
        _refuse_delta(build(STEP), size, epsilon, delta)
        raise ParameterError(
            "calibrate",
            "epsilon",
            str(epsilon),
            allowed="more than the outer parts of the stack lose by themselves",
            remedy="Give the vote a smaller epsilon, or keep fewer records.",
        )
    low, high = 1, 2
    while high < LARGEST and holds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return Declared(build(low * STEP), epsilon, delta)


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
    own = kept or relabelled_records(size, epsilon=epsilon, weight=weight, ranks=ranks)
    if kept is None:
        vote = best_split(epsilon, weight=weight, ranks=ranks).vote
    else:
        share = Fraction(kept, size.labelled)
        vote = best_vote(epsilon, share=share, weight=weight, ranks=ranks) or epsilon

    def build(inner: Fraction) -> Agnostic:
        return Agnostic(make(inner), own, vote, weight, ranks, failure=failure)

    return calibrate(build, size=size, epsilon=epsilon, delta=delta)
