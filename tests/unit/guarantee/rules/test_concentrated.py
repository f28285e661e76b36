"""Concentrated privacy in numbers: what is known from elsewhere to all digits, refusals, and rounding outwards."""

from __future__ import annotations

from fractions import Fraction

import pytest

from privpac.checker.book import book
from privpac.errors import RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.facts import (
    BoundedRange,
    Concentrated,
    Loss,
    Privacy,
    Range,
    Release,
    Unit,
    fact_from_json,
)
from privpac.guarantee.proof import Proof
from privpac.numbers.concentrated import (
    approximate_epsilon,
    log_odds_rho,
    noise_rho,
    order_epsilon,
    pure_rho,
    range_rho,
    rho_up,
    subsampled_range,
)

RATIO = Fraction(3, 5)
CURVES = book().scope.functions
"""The same numbers, as the rule book works them out."""
MILLIONTH, BILLIONTH = Fraction(1, 10**6), Fraction(1, 10**9)


def _epsilon(ratio: Fraction, times: int) -> Fraction:
    return Loss(factor=ratio**-times).upper


def _draw() -> Proof[Privacy]:
    return rules.exponential_mechanism(ratio=RATIO)


def _price() -> Proof[Concentrated]:
    return rules.range_concentrated(rules.draw_range(_draw()))


def test_prices_are_those_of_the_note() -> None:
    assert float(pure_rho(_epsilon(RATIO, 1))) == pytest.approx(0.127706406, abs=6e-10)
    assert float(noise_rho(_epsilon(RATIO, 2), counts=1, largest=2)) == pytest.approx(0.408660499, abs=6e-10)
    assert float(noise_rho(_epsilon(RATIO, 2), counts=2, largest=1)) == pytest.approx(0.255412812, abs=6e-10)
    assert float(range_rho(_epsilon(RATIO, 2))) == pytest.approx(0.130471409, abs=6e-10)
    assert float(log_odds_rho(Fraction(1))) == pytest.approx(0.163953414, abs=6e-10)


def test_conversions_are_those_of_the_note() -> None:
    for rho, delta, order, epsilon in (
        (Fraction(1, 8), MILLIONTH, "10.57", 2.419093370),
        (Fraction(1, 8), BILLIONTH, "13.05", 3.058122186),
        (Fraction(1, 2), MILLIONTH, "5.91", 5.221535387),
    ):
        assert float(order_epsilon(rho, delta, Fraction(order))) == pytest.approx(epsilon, abs=6e-10)
        assert approximate_epsilon(rho, delta) <= order_epsilon(rho, delta, Fraction(order))


@pytest.mark.long
def test_the_checker_has_the_same_numbers_by_another_way() -> None:
    for i in range(1, 120):
        epsilon, share = Fraction(7**i % 10**13, 10**12) or Fraction(1), Fraction(i % 50 + 1, 51)
        order = 1 + Fraction(7**i % 5003, 100)
        assert CURVES["pure_rho"](epsilon) == pure_rho(epsilon)
        assert CURVES["log_odds_rho"](epsilon) == log_odds_rho(epsilon)
        assert CURVES["noise_rho"](epsilon, 2, 2) == noise_rho(epsilon, counts=1, largest=2)
        assert CURVES["noise_rho"](epsilon, i, 1) == noise_rho(epsilon, counts=i, largest=1)
        assert CURVES["subsampled"](epsilon, share) == subsampled_range(epsilon, share)
        assert CURVES["conversion"](epsilon, BILLIONTH, order) == order_epsilon(epsilon, BILLIONTH, order)


def test_far_epsilons_are_priced_by_epsilon_itself() -> None:
    for epsilon in (Fraction(0), Fraction(60), Fraction(5000)):
        assert noise_rho(epsilon, counts=1, largest=2) == CURVES["noise_rho"](epsilon, 2, 2) == epsilon
        assert log_odds_rho(epsilon) == CURVES["log_odds_rho"](epsilon) <= epsilon
        assert (
            subsampled_range(epsilon, Fraction(1, 2))
            == CURVES["subsampled"](epsilon, Fraction(1, 2))
            == epsilon
        )


def test_curves_are_below_their_powers() -> None:
    for epsilon in (Fraction(1, 1000), Fraction(1), Fraction(4)):
        square = epsilon * epsilon
        assert range_rho(epsilon) == square / 8
        assert square / 8 < log_odds_rho(epsilon) <= rho_up(square / 6) < pure_rho(epsilon) <= square / 2
        assert noise_rho(epsilon, counts=1, largest=2) <= pure_rho(epsilon)


def test_a_conversion_that_is_a_fraction_is_still_rounded_up() -> None:
    assert order_epsilon(Fraction(1), Fraction(1, 4), Fraction(2)) >= 2
    assert CURVES["conversion"](Fraction(1), Fraction(1, 4), Fraction(2)) == order_epsilon(
        Fraction(1), Fraction(1, 4), Fraction(2)
    )


def test_facts_are_read_back_and_imply_what_is_weaker() -> None:
    one = Loss(log=Fraction(1))
    range_ = Range(one, Unit.LABEL, release=Release.ANSWER)
    cost = Concentrated(Fraction(1, 8), MILLIONTH, Unit.LABEL, "one part", Release.NUMBERS)
    for fact in (range_, cost):
        assert fact_from_json(fact.to_json()) == fact
        assert fact.implies(fact)
    assert range_.implies(BoundedRange(one, Unit.LABEL))
    assert range_.implies(Privacy(one, unit=Unit.LABEL, release=Release.ANSWER))
    assert not range_.implies(Range(one))
    assert not BoundedRange(one, Unit.LABEL).implies(range_)
    assert not Range(one, part="one part").implies(BoundedRange(one))
    assert not Concentrated(Fraction(1, 4)).implies(cost)
    assert not cost.implies(Privacy(one))
    assert str(cost) == "0.125-zCDP but for 1e-6, one label of the one part replaced"
    assert str(range_) == "quotients of chances within a range of 1, one label replaced"


def test_only_exponential_draws_have_a_range() -> None:
    for other in (
        rules.permute_and_flip(ratio=RATIO),
        rules.geometric_noise(ratio=RATIO, change=1),
        rules.sequential(_draw(), _draw()),
        rules.declared(_draw(), epsilon=Fraction(2)),
    ):
        with pytest.raises(RuleRefused) as refused:
            rules.draw_range(other)
        assert refused.value.owner == "draw-range"


def test_what_rules_refuse() -> None:
    one = rules.concentrated_on_part(_price(), part="one part")
    noise = rules.geometric_noise(ratio=RATIO, change=4)
    rough = rules.pure_concentrated(rules.k_fold(_draw(), times=3, saved=1))
    label = rules.pure_concentrated(rules.exponential_mechanism(ratio=RATIO, unit=Unit.LABEL))
    range_ = rules.draw_range(_draw())
    part = rules.draw_range(rules.exponential_mechanism(ratio=RATIO, part="one part"))
    for refused in (
        lambda: rules.noise_concentrated(_draw(), largest=1),
        lambda: rules.noise_concentrated(noise, largest=2),
        lambda: rules.noise_concentrated(noise, largest=5),
        lambda: rules.noise_concentrated(noise, largest=0),
        lambda: rules.subsampled_concentrated(range_, kept=3, of=2),
        lambda: rules.range_log_odds(part),
        lambda: rules.concentrated_sum(),
        lambda: rules.concentrated_sum(_price(), one),
        lambda: rules.concentrated_sum(_price(), label),
        lambda: rules.concentrated_sum(_price(), times=0),
        lambda: rules.concentrated_post_processing(_price(), what=""),
        lambda: rules.concentrated_on_part(one, part="another part"),
        lambda: rules.concentrated_on_part(_price(), part=""),
        lambda: rules.concentrated_parts(one, one),
        lambda: rules.concentrated_parts(_price()),
        lambda: rules.concentrated_mixture(_price(), one),
        lambda: rules.concentrated_group(rough, size=2),
        lambda: rules.concentrated_group(_price(), size=0),
        lambda: rules.concentrated_privacy(_price(), delta=Fraction(0), order=Fraction(2)),
        lambda: rules.concentrated_privacy(_price(), delta=MILLIONTH, order=Fraction(1)),
        lambda: rules.concentrated_privacy(_price(), delta=MILLIONTH, order=Fraction(10**9 + 1)),
    ):
        with pytest.raises(RuleRefused):
            refused()
