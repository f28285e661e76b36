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
from privpac.constructions.wrappers.formulas import best_split
from privpac.constructions.wrappers.nested import positive_number
from privpac.data.sample import Sample, Size
from privpac.errors import ParameterError, RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Loss

__all__ = ["Declared", "calibrate", "calibrate_agnostic"]

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


def calibrate_agnostic(
    make: Callable[[Fraction], Learner],
    *,
    size: Size,
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
    weight: Fraction = Fraction(1),
    ranks: bool = False,
    failure: Fraction = FAILURE,
) -> Declared:
    """`Agnostic` over `make(inner epsilon)` at exactly this target, split where vote and learner suffer least.

    The split minimises 1/(vote·(1 - share)) + 1/(share·inner): the errors of the vote and of the learner inside shrink
    like these. Register `relabelling` has the loss, `constructions.wrappers.formulas.best_split` the search.
    """
    split = best_split(epsilon, weight=weight, ranks=ranks)
    kept = min(size.labelled - 1, max(1, round(split.share * size.labelled)))

    def build(inner: Fraction) -> Agnostic:
        return Agnostic(make(inner), kept, split.vote, weight, ranks, failure=failure)

    return calibrate(build, size=size, epsilon=epsilon, delta=delta)
