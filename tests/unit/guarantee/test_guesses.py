"""A loss as a guess: a ceiling at every epsilon, and honest where it promises nothing."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, fmpq

from privpac.guarantee.guesses import CERTAIN, guessed_at_most, suspected_at_most


def _exactly(epsilon: Fraction) -> arb:
    return arb(fmpq(epsilon.numerator, epsilon.denominator)).exp()


@pytest.mark.parametrize("tenths", range(1, 300, 7))
def test_no_percentage_is_below_the_truth_or_far_above_it(tenths: int) -> None:
    epsilon = Fraction(tenths, 10)
    factor = _exactly(epsilon)
    for shown, truth in (
        (guessed_at_most(epsilon), factor / (1 + factor)),
        (suspected_at_most(epsilon, Fraction(1, 100)), factor / (99 + factor)),
    ):
        percent = arb(shown.removesuffix(" %"))
        assert percent >= 100 * truth
        assert percent <= 100 * truth + arb("0.1")


def test_a_delta_counts_as_certainty() -> None:
    assert guessed_at_most(Fraction(1), Fraction(1, 2)) == "86.6 %"
    assert guessed_at_most(Fraction(1), Fraction(1)) == CERTAIN
