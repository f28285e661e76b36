"""The learner that follows relabelling: how far it may be from the labels it is given, without a delta and with one.

Without one it draws from the class itself; with one it draws a cut among occupied blocks, so that the size of the
column hardly matters. Only the kept points lose its delta, so it may be larger than what everybody is promised.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from privpac.constructions.cuts.blocks_formulas import mistakes_of_blocks, plan_blocks
from privpac.constructions.few_labels.transfer_formulas import Family
from privpac.errors import ParameterError
from privpac.numbers.exact import about_log, ln_up, plain, ratio_for
from privpac.numbers.parameters import Number, chance, rational
from privpac.numbers.rough import Floats
from privpac.theory.register import formula

__all__ = ["mistakes_of_draw"]

LARGEST_SHARE = Fraction(1, 4)
"""Of its epsilon a base spends at most so much as delta: more would leave nothing to draw with."""


@formula("empirical-draw")
def mistakes_of_draw(odds: Number, *, ratio: Fraction, failure: Number) -> int:
    """How many more mistakes than the best a drawn member makes on the very records it was drawn with, at most.

    Statement: the smallest j with odds·ratio^(j + 1) <= failure. Source: register `empirical-draw`
    (McSherry–Talwar 2007; Beimel–Nissim–Stemmer 2015, Proposition A.1).
    Holds if: the draw is the exponential mechanism on a public class. Proof: docs/proofs/label-boost.md.

    >>> mistakes_of_draw(2**32 - 1, ratio=Fraction(1, 2), failure=Fraction(1, 100))
    38
    """
    owner = "mistakes_of_draw"
    others, miss = rational(odds, owner=owner, name="odds"), chance(failure, owner=owner, name="failure")
    if others < 0:
        raise ParameterError(owner, "odds", plain(others), allowed="at least 0")
    if others <= miss:
        return 0
    return max(0, math.ceil(ln_up(others / miss) / -ln_up(ratio)) - 1)


def mistakes_of_base(family: Family, *, epsilon: Fraction, delta: Fraction, failure: Fraction) -> int | None:
    """The most mistakes of the base on labels of its class, but for `failure`; None if nothing is proved."""
    if delta == 0:
        return mistakes_of_draw(family.odds, ratio=ratio_for(epsilon / 2), failure=failure)
    if family.levels is None:
        raise ParameterError("few labels", "delta", plain(delta), allowed="0 for a class that is no cut")
    plan = plan_blocks(2**family.levels, failure=failure, epsilon=epsilon, delta=delta)
    return mistakes_of_blocks(plan, failure=failure)


def float_mistakes(family: Family, epsilon: Floats, delta: Floats | float, failure: float) -> Floats:
    """`mistakes_of_base` in floats; a delta of 0 stands for a draw from the class."""
    if np.all(np.asarray(delta) == 0):
        return np.asarray(2 * (about_log(family.odds) - math.log(failure)) / epsilon)
    depth, pull = family.levels or 1, epsilon / 2 - delta
    stake = np.maximum(1.0, (depth - 1) * (1 - delta) * np.exp(pull) / delta)
    reach = np.maximum(1.0, np.log(3 * stake / failure) / (2 * pull))
    rivals = 2 * (2 * depth / -np.expm1(-pull) + 1)
    return np.maximum(0.0, reach - 2 + np.log(1.5 * rivals / failure) / pull)


def spare_delta(delta: Fraction, *, epsilon: Fraction, shares: tuple[Fraction, ...]) -> Fraction:
    """The delta of a base of which random shares of the records lose no more than `delta`, to three digits.

    >>> spare_delta(Fraction(1, 10**6), epsilon=Fraction(1, 10), shares=(Fraction(1, 30), Fraction(1, 12)))
    Fraction(3, 250000)
    """
    most = min(delta / max(shares), epsilon * LARGEST_SHARE, LARGEST_SHARE)
    step = Fraction(1, 1000)
    while most < 100 * step:
        step /= 10
    return math.floor(most / step) * step
