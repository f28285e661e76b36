"""Workloads that are declared beforehand: what their certificates must not lose."""

from __future__ import annotations

from fractions import Fraction

import pytest

from privpac.checker.check import check_derivation
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy
from privpac.guarantee.price import concentrated_price
from privpac.guarantee.proof import Proof
from privpac.guarantee.workload import smallest_epsilon, together

DELTA = Fraction(1, 100)
TEXTS = ("labels alone are protected", "the features are public")


def _assumed() -> Proof[Privacy]:
    """One draw that two things are taken for granted of."""
    draw = rules.exponential_mechanism(ratio=Fraction(9, 10))
    return rules.assuming(rules.assuming(draw, TEXTS[1]), TEXTS[0])


@pytest.mark.parametrize(
    "proof",
    [
        together(_assumed(), times=4, epsilon=Fraction(3, 4), delta=DELTA),
        smallest_epsilon(_assumed(), times=4, delta=DELTA),
    ],
    ids=["together", "smallest epsilon"],
)
def test_a_fold_assumes_what_its_draws_do(proof: Proof[Privacy]) -> None:
    assert proof.assumptions == TEXTS
    assert "range-fold" in str(proof.to_json())
    assert check_derivation(proof.to_json())


def test_the_price_of_a_subsampled_draw_assumes_what_the_draw_does() -> None:
    kept = rules.subsampling(_assumed(), kept=1, of=10)
    assert concentrated_price(kept).rule == "subsampled-concentrated"
    assert concentrated_price(kept).assumptions == TEXTS


def test_a_fold_says_nothing_of_a_part() -> None:
    """Log-odds have no part, so what is folded would speak of all records where the draw spoke of some."""
    part = rules.on_part(_assumed(), part="training records")
    assert smallest_epsilon(part, times=4, delta=DELTA) is None
    shown = together(part, times=4, epsilon=Fraction(9, 10), delta=DELTA)
    assert shown.fact.part == "training records"


def test_what_one_way_refuses_another_may_show() -> None:
    """So many draws are out of the range of adding epsilons and of the fold, not of adding rhos."""
    tiny = rules.exponential_mechanism(ratio=Fraction(9999, 10000))
    shown = together(tiny, times=20_000, epsilon=Fraction(1), delta=Fraction(1, 10**6))
    assert shown.premises[0].rule == "concentrated-privacy"
