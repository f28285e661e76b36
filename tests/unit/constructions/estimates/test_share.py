"""The share of epsilon behind the verdict: what is left for the rule never falls, and so no promise does."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac import Schema, Size
from privpac.constructions.estimates.share import (
    estimate_share,
    left_for_rule,
    whole_for_rule,
)
from privpac.constructions.recipe import Recipe
from privpac.request import LearnRequest

COLUMN = {"name": "x", "kind": "numeric", "lower": 0, "upper": 9, "integer": True}
SCHEMA = Schema.from_json({"label": "y", "classes": [0, 1], "columns": [COLUMN]})
EPSILONS = st.fractions(min_value=Fraction(1, 1000), max_value=10, max_denominator=1000)
SIZES = st.integers(min_value=1, max_value=100_000)


@given(SIZES, SIZES, EPSILONS, EPSILONS)
def test_the_rule_never_has_less_with_more_records_or_epsilon(
    n: int, further: int, epsilon: Fraction, more: Fraction
) -> None:
    before, after = (a * left_for_rule(a, b) for a, b in ((n, epsilon), (n + further, epsilon + more)))
    assert before <= after
    assert before >= min(n * epsilon, 600)
    assert 0 <= estimate_share(n, epsilon) <= Fraction(1, 10)


@given(SIZES, EPSILONS)
def test_the_whole_leaves_what_was_wanted(n: int, epsilon: Fraction) -> None:
    whole = whole_for_rule(n, epsilon)
    assert left_for_rule(n, whole) >= epsilon
    assert whole <= epsilon / Fraction(9, 10)


def recipe(n: int, **more: object) -> Recipe:
    return Recipe.of(LearnRequest.read(epsilon=1, **more), schema=SCHEMA, size=Size(n))  # type: ignore[arg-type]


def test_by_default_the_total_is_what_was_asked_and_no_records_are_kept_aside() -> None:
    made = recipe(5000)
    assert (made.request.epsilon, made.estimate_epsilon, made.holdout) == (
        Fraction(9, 10),
        Fraction(1, 10),
        0,
    )
    tree = made.certify().to_json()
    assert tree["epsilon"] == "1"
    assert (tree["request"]["epsilon"], tree["request"]["estimate_epsilon"]) == ("0.9", "0.1")
    assert recipe(600).estimate_epsilon is None
    between = recipe(640)
    assert between.request.epsilon * 640 == 600
    assert between.certify().to_json()["epsilon"] == "1"


@pytest.mark.parametrize("word", ["stumps", "trees:2", "thresholds:x", "auto", "lists:2"])
def test_more_records_never_promise_less(word: str) -> None:
    errors = []
    for n in (590, 600, 620, 650, 667, 700, 800, 2000):
        facts = [proof.fact for proof in recipe(n, concepts=word).certify().accuracy]
        errors.append({f"{fact.against}{fact.rivals}": fact.error for fact in facts})  # type: ignore[attr-defined]
    for before, after in pairwise(errors):
        assert all(after[name] <= error for name, error in before.items())


def test_leaves_get_their_share_of_what_is_left_and_a_person_counts_once() -> None:
    leaves = recipe(5000, probabilities=True)
    assert leaves.leaf_epsilon == Fraction(9, 50)
    assert leaves.certify().to_json()["epsilon"] == "1"
    people = recipe(5000, records_per_person=10)
    assert people.estimate_epsilon is None, "500 times epsilon, of a person"
