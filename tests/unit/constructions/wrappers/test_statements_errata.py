"""What is printed wrongly about sampling, relabelling and stability: claims fail here, and the register says so."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from privpac.constructions.stable.stable import stable_from_some
from privpac.constructions.wrappers.calibrate import best_split, inner_epsilon_relabelled
from privpac.constructions.wrappers.relabelling import relabelling
from privpac.guarantee import rules
from privpac.numbers.exact import ratio_for
from privpac.theory.statements import REGISTER

INNER = rules.declared(rules.exponential_mechanism(ratio=ratio_for(Fraction(1, 2))), epsilon=Fraction(1))


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("relabelling", "no shuffle"),
        ("relabelling", "eps of at most 1/3"),
        ("relabelling", "inequalities twice"),
        ("relabelling-part", "twice as large"),
        ("relabelling-accuracy", "ln(3·size/failure)"),
        ("relabelling-accuracy", "numbers of records it was not promised for"),
        ("listed-from-some", "other records"),
        ("stable-from-some", "tanh(eps/4)"),
        ("stable-from-some", "log(d/alpha)"),
        ("stable-accuracy", "Remark 2"),
        ("resampling-empirical", "not needed"),
    ],
)
def test_the_register_names_the_error(key: str, words: str) -> None:
    erratum = REGISTER[key].erratum
    assert erratum is not None
    assert words in erratum


def test_errors_on_half_of_the_records_can_be_twice_those_on_all() -> None:
    """Lemma 17 bounds the share of disagreements on half of T by that on T."""
    disagrees = [True] * 5 + [False] * 15
    half = disagrees[:10]
    assert Fraction(sum(half), len(half)) == 2 * Fraction(sum(disagrees), len(disagrees))


def test_private_is_more_stable_than_printed_and_one_draw_more_so() -> None:
    """e^eps - 1 is printed: above 1, so empty, where tanh(eps/2) is 0.46 and an exponential mechanism has 0.24."""
    assert math.exp(1) - 1 > 1
    assert math.tanh(0.5) < 0.4622
    q, g = Fraction(1, 20), Fraction(1, 5)
    draw = rules.total_variation(rules.bounded_range(ratio=ratio_for(g / 2)))
    assert stable_from_some(draw, kept=1, of=20).fact.gamma < q + 2 * g
    # Attained: two outcomes in balance, and a record that turns its label round.
    unit = ratio_for(Fraction(1, 2))
    even, odd = 1 / (1 + unit), unit / (1 + unit)
    assert float(even - odd) == pytest.approx(math.tanh(0.25), abs=1e-12)


def test_printed_losses_of_relabelling_are_far_above() -> None:
    """Nominal 0.1: 177·eps in the printed proof, from a factor 6 for rounding and 4e² for groups."""
    printed = math.log(math.exp(0.1) + 6 * 0.1 * 4 * math.e**2)
    assert printed == pytest.approx(2.936, abs=1e-3)
    x = ratio_for(Fraction(1, 20))
    true = relabelling(INNER, classes=2, kept=100, of=1000, ratio=x, change=9, mistake=1).fact.epsilon
    assert float(true.upper) < printed / 2


def test_splitting_the_budget_beats_sampling_the_constants_away() -> None:
    """Theorem 18 removes its constants by keeping a 30th to a 180th of the records; the price at epsilon 1 is 11.5."""
    split = best_split(1)
    assert Fraction(1) / split.vote < 12
    assert Fraction(1) / (split.share * split.inner) < 13
    # From nominal 1/3, the largest the printed proof allows, back to epsilon 1 by sampling alone.
    nominal = math.exp(1 / 3) + 177 / 3
    share = (math.e - 1) / (nominal - 1)
    assert 1 / share > 30


def test_sampling_with_replacement_needs_no_condition_and_is_cheaper() -> None:
    """6·eps·draws/n is printed, for values up to 1; a thousand draws of a thousand records: 6 in print, truly 1.72."""
    for draws, most in ((1000, Fraction(2)), *((d, Fraction(6 * d, 1000)) for d in (1, 10, 160))):
        assert rules.sampling_with_replacement(INNER, draws=draws, of=1000).fact.epsilon.upper < most


def test_a_pure_inner_learner_needs_no_logarithm_of_delta() -> None:
    """Lemma 12 is stated with ln(1/delta) inside and is undefined at delta 0; the rules hold there as everywhere."""
    assert inner_epsilon_relabelled(1, share="0.2", vote="0.09") is not None
