"""What to expect from public numbers: formulas beside brute force, and constants beside what was stored of them."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from privpac.theory.forecast import BETTER, CONSTANTS, LIKELY, Expected, Given, best_gain

STORED = json.loads(
    (Path(__file__).parents[3] / "benchmarks" / "results" / "forecast.json").read_text(encoding="utf-8")
)
HOSPITAL = Given(5_000, 1.0, 0.12, 0.70)


@pytest.mark.parametrize(("auc", "rate"), [(0.6, 0.4), (0.7, 0.12), (0.8, 0.3), (0.95, 0.05), (0.75, 0.5)])
def test_the_best_gain_is_that_of_the_best_threshold_on_two_normal_scores(auc: float, rate: float) -> None:
    apart = NormalDist().inv_cdf(auc) * 2**0.5
    cuts = np.linspace(-30, 30, 200_001)
    upper = np.array([1 - NormalDist().cdf(cut) for cut in cuts[::200]])
    shifted = np.array([1 - NormalDist().cdf(cut - apart) for cut in cuts[::200]])
    right = rate * shifted + (1 - rate) * (1 - upper)
    assert best_gain(auc, rate) == pytest.approx(max(right.max() - (1 - rate), 0), abs=2e-3)


def test_a_coin_gains_nothing() -> None:
    assert best_gain(0.5, 0.3) == 0.0


def test_more_records_more_epsilon_and_a_better_guess_promise_no_less() -> None:
    for measure in ("gain", "auc", "found"):
        values = [
            getattr(Expected(replace(HOSPITAL, rate=0.3, records=n)), measure).middle
            for n in (500, 1_000, 9_000, 10**6)
        ]
        assert values == sorted(values)
        guesses = [
            getattr(Expected(replace(HOSPITAL, rate=0.3, attainable=auc)), measure).middle
            for auc in (0.6, 0.7, 0.8, 0.9)
        ]
        assert guesses == sorted(guesses)
    twice = Expected(replace(HOSPITAL, epsilon=2.0)).auc.middle
    assert twice == Expected(replace(HOSPITAL, records=10_000)).auc.middle


def test_ranges_hold_their_middle_and_alarms_mirror_what_is_found() -> None:
    expected = Expected(HOSPITAL)
    for range_ in (expected.gain, expected.accuracy, expected.found, expected.alarms, expected.auc):
        assert range_.low < range_.middle < range_.high
    assert expected.alarms.middle == pytest.approx(1 - expected.found.middle)
    assert expected.accuracy.middle == pytest.approx(expected.constant + expected.gain.middle)


def test_a_rare_class_with_weak_signs_is_hopeless_and_a_common_one_is_not() -> None:
    assert Expected(HOSPITAL).is_hopeless
    assert Expected(HOSPITAL).rule_evidence() is None
    assert not Expected(replace(HOSPITAL, rate=0.45)).is_hopeless


@pytest.mark.parametrize("rate", [0.3, 0.15])
def test_hopeless_is_a_chance_of_one_half_of_being_no_better(rate: float) -> None:
    for records in (100, 300, 1_000, 3_000, 10_000):
        expected = Expected(Given(records, 1.0, rate, 0.8))
        assert expected.is_hopeless == (expected.no_better >= 0.5)


def test_what_would_do_does() -> None:
    given = Given(600, 1.0, 0.2, 0.8)
    enough = Expected(given).rule_evidence()
    assert enough is not None
    with_enough = Expected(replace(given, records=int(enough) + 1))
    assert with_enough.no_better < LIKELY
    assert with_enough.gain.middle > BETTER
    assert Expected(replace(given, records=int(enough * 0.9))).no_better >= LIKELY
    card = Expected(given).card_evidence()
    assert card is not None
    assert Expected(replace(given, records=round(card))).auc.middle == pytest.approx(0.70, abs=1e-3)


def test_the_constants_are_those_that_were_judged() -> None:
    assert STORED["constants"] == asdict(CONSTANTS)


def test_what_ships_is_what_was_fitted() -> None:
    for name, fit in STORED["fitted"].items():
        assert fit["shipped"] == pytest.approx(fit["fitted"], rel=0.02, abs=0.011), name
        assert fit.get("least_left_out", 0) <= fit["shipped"] <= fit.get("most_left_out", 1), name


def test_on_tables_that_were_left_out() -> None:
    """With the AUC of the best column, and what can be said without it."""
    twelve, kept = STORED["left_out"]["twelve"], STORED["kept_out"]
    for found in (twelve, kept):
        assert found["accuracy"]["within_03"] >= 0.85
        assert found["accuracy, column known"]["within_03"] >= 0.90
        assert found["AUC, column known"]["within_05"] >= 0.80
    assert twelve["AUC"]["within_05"] >= 0.70
    assert STORED["kept_out_warnings"]["of_these_useless"] >= 0.9
    assert STORED["warnings"]["of_these_useless"] >= 0.9


def test_ranges_hold_eight_runs_in_ten_on_tables_that_were_kept_out() -> None:
    for name in ("accuracy", "found", "false alarms", "AUC"):
        for known in ("", ", column known"):
            assert 0.70 <= STORED["kept_out"][name + known]["covered"] <= 0.90, name + known


def test_a_strong_column_is_found_sooner_than_many_weak_ones() -> None:
    strong, weak = (replace(HOSPITAL, rate=0.4, attainable=0.8, one_column=one) for one in (0.78, 0.58))
    for records in (300, 3_000):
        first, second = (Expected(replace(given, records=records)) for given in (strong, weak))
        assert first.auc.middle > second.auc.middle + 0.05
        assert first.gain.middle > second.gain.middle
