"""Formulas of private prediction: known numbers, and what is wrong in print."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from privpac.constructions.prediction import fresh_draws
from privpac.constructions.prediction.fresh_draws import (
    excess_flipped,
    flip_for,
    plan_flipped,
    plan_flipped_printed,
    records_flipped,
    records_flipped_printed,
)
from privpac.constructions.prediction.vote import error_vote, records_vote
from privpac.errors import ParameterError, RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.facts import Loss, Privacy, Release
from privpac.numbers.exact import exp_down, exp_up, ratio_for
from tests.statistical.claims import claims, field, first, scaled


def answer(epsilon: Fraction, delta: Fraction):
    """Some (epsilon, delta) answer, as a premise."""
    proof = rules.declared(
        rules.exponential_mechanism(ratio=ratio_for(epsilon / 2)), epsilon=epsilon, delta=delta
    )
    return rules.post_processing(proof, what="an answer", release=Release.ANSWER)


def test_flip_for_reproduces_the_reference_values():
    assert float(flip_for(exp_down(Fraction(1, 10), 30), delta=Fraction(1, 10**6))) == pytest.approx(
        9.50815e-6
    )
    assert flip_for(Fraction(2), delta=Fraction(0)) == 0
    # cor1_q(1, .025) = .0452179: the delta that this flip removes
    assert float(flip_for(exp_up(Fraction(1), 30), delta=Fraction(452179, 10**7))) == pytest.approx(
        0.025, abs=1e-7
    )
    assert flip_for(Fraction(1), delta=Fraction(1, 2)) == Fraction(1, 2)


def test_delta_removal_is_tight_and_refuses_what_is_no_answer():
    flip = Fraction(1, 40)
    proof = fresh_draws.delta_removal(answer(Fraction(1), Fraction(1, 100)), classes=2, flip=flip)
    assert proof.fact == Privacy(Loss(log=Fraction(1)), release=Release.ANSWER)
    few = fresh_draws.delta_removal(answer(Fraction(1), Fraction(1, 100)), classes=2, flip=Fraction(1, 1000))
    assert few.fact.epsilon == Loss(factor=1 + Fraction(1, 100) * Fraction(998, 1000) * 1000)
    # the worst pair of probabilities: p' = 0, p = delta
    turned = [Fraction(1, 1000) + (1 - 2 * Fraction(1, 1000)) * p for p in (Fraction(0), Fraction(1, 100))]
    assert turned[1] / turned[0] == few.fact.epsilon.factor
    with pytest.raises(RuleRefused, match="only an answer"):
        fresh_draws.delta_removal(rules.exponential_mechanism(ratio=Fraction(1, 2)), classes=2, flip=flip)
    for wrong in (Fraction(0), Fraction(3, 5)):
        with pytest.raises(RuleRefused, match="flip"):
            fresh_draws.delta_removal(answer(Fraction(1), Fraction(0)), classes=2, flip=wrong)


@claims({"epsilon": "1"}, flip_for=scaled(0.9))
@pytest.mark.parametrize("epsilon", ["0.05", "0.3", "1", "3"])
def test_delta_removal_holds_for_all_pairs_of_probabilities(epsilon: str):
    e, delta = math.exp(float(epsilon)), 0.02
    flip = float(flip_for(exp_down(Fraction(epsilon), 30), delta=Fraction(1, 50)))
    grid = np.linspace(0, 1, 301)
    p, q = np.meshgrid(grid, grid)
    allowed = (p <= e * q + delta) & (1 - q <= e * (1 - p) + delta) & (q <= e * p + delta)
    turned_p, turned_q = flip + (1 - 2 * flip) * p, flip + (1 - 2 * flip) * q
    worst = np.max(np.where(allowed, np.maximum(turned_p / turned_q, (1 - turned_q) / (1 - turned_p)), 0))
    assert worst <= e * (1 + 1e-9)
    assert worst > e * (1 - 0.02)


@claims({"epsilon": "1", "vc": 1, "known": 18_434}, records_flipped=scaled(0.99))
@pytest.mark.parametrize(
    ("epsilon", "vc", "known"), [("1", 1, 18_434), ("0.1", 1, 115_478), ("1", 2, 29_559)]
)
def test_records_flipped_is_at_most_what_a_coarser_search_found(epsilon: str, vc: int, known: int):
    found = records_flipped(0.1, failure=0.05, epsilon=Fraction(epsilon), vc=vc)
    assert 0.97 * known < found <= known
    assert plan_flipped(found, epsilon=Fraction(epsilon), failure=0.05, vc=vc).excess <= Fraction(1, 10)
    assert plan_flipped(known, epsilon=Fraction(epsilon), failure=0.05, vc=vc).excess <= Fraction(1, 10)
    assert plan_flipped(found - 40, epsilon=Fraction(epsilon), failure=0.05, vc=vc).excess > Fraction(1, 10)


@claims(
    {"epsilon": "1", "vc": 1, "known": 129_510},
    records_flipped_printed=scaled(0.9),
    plan_flipped_printed=first(scaled(0.9)),
)
@pytest.mark.parametrize(
    ("epsilon", "vc", "known"), [("1", 1, 129_510), ("0.1", 1, 986_598), ("1", 2, 228_243)]
)
def test_the_printed_parameters_need_seven_times_the_records(epsilon: str, vc: int, known: int):
    printed = records_flipped_printed(0.1, failure=0.05, epsilon=Fraction(epsilon), vc=vc)
    assert 0.97 * known < printed <= known
    assert printed > 7 * records_flipped(0.1, failure=0.05, epsilon=Fraction(epsilon), vc=vc)
    flip, kept, drawing = plan_flipped_printed(
        printed, error="0.1", failure="0.05", epsilon=Fraction(epsilon), vc=vc
    )
    assert drawing == Fraction(epsilon) * flip / 6
    assert kept == int(drawing * printed)
    wanted = {"kept": kept, "ratio": ratio_for(drawing / 2), "flip": flip, "slip": Fraction(1, kept)}
    assert excess_flipped(printed, failure="0.05", vc=vc, **wanted) <= Fraction("0.1001")
    assert excess_flipped(printed // 2, failure="0.05", vc=vc, **wanted) > Fraction("0.1")


@claims(plan_flipped=field("flip", scaled(0.9)))
def test_a_plan_is_pure_and_at_its_epsilon():
    for n, epsilon in ((50, "1"), (5000, "0.1"), (20_000, "2")):
        plan = plan_flipped(n, epsilon=Fraction(epsilon), failure=0.05, vc=1)
        drawn = answer(Fraction(epsilon), Fraction(plan.kept, n))
        pure = fresh_draws.delta_removal(drawn, classes=2, flip=plan.flip)
        assert pure.fact.delta == 0
        assert pure.fact.epsilon <= Loss(log=Fraction(epsilon))
        assert 0 < plan.flip < Fraction(1, 2)
        assert 1 <= plan.kept <= n


@claims(excess_flipped=scaled(0.999))
def test_excess_flipped_is_its_formula():
    n, kept, ratio, flip, slip = 20_000, 800, ratio_for(Fraction(1, 2)), Fraction(1, 50), Fraction(1, 800)
    tau, tau_k = math.log(n + 1), math.log(kept + 1)
    wanted = math.sqrt(2 * tau / n) + 2 * math.sqrt(math.log(40) / (2 * n))
    wanted += (tau + math.log(800)) / kept + 1 / 800 + 2 * tau_k / n + 0.02
    found = excess_flipped(n, kept=kept, ratio=ratio, flip=flip, slip=slip, failure=0.05, vc=1)
    assert float(found) == pytest.approx(wanted, abs=1e-9)


def test_a_vote_that_cannot_reach_an_error_says_so():
    with pytest.raises(ParameterError, match="the noise alone"):
        records_vote(0.1, failure=0.05, epsilon=0.01, vc=1, models=3)
    assert error_vote(100, models=51, ratio=ratio_for(Fraction(1)), failure=0.05, vc=1) == 1


# --- what is wrong in print ---


def test_the_overview_and_the_text_of_corollary_1_name_different_stabilities_and_neither_is_exact():
    """Overview gamma = eps·alpha, text eps·alpha/2; flips of alpha remove alpha·(e^eps - 1)/(1 - 2·alpha)."""
    alpha, epsilon = Fraction(1, 40), Fraction(1)
    exact = alpha * (exp_down(epsilon, 30) - 1) / (1 - 2 * alpha)
    assert epsilon * alpha / 2 < epsilon * alpha < exact
    above = exact * Fraction(101, 100)
    assert 1 + exact * (1 - 2 * alpha) / alpha <= exp_up(epsilon, 30) < 1 + above * (1 - 2 * alpha) / alpha


@pytest.mark.long_cases(
    "0.1",
    "0.5",
)
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 3.0])
def test_private_answers_are_more_stable_than_printed(epsilon: float):
    e = math.exp(epsilon)
    grid = np.linspace(0, 1, 2001)
    p, q = np.meshgrid(grid, grid)
    private = (p <= e * q) & (1 - q <= e * (1 - p))
    moved = np.max(np.where(private, p - q, 0))
    assert moved <= math.tanh(epsilon / 2) + 1e-12
    assert moved == pytest.approx(math.tanh(epsilon / 2), abs=2e-3)
    assert moved < math.exp(epsilon) - 1
