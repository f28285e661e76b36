"""`StableClassifier`: scikit-learn's conventions, the promise, and what one bad record does."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from privpac import Schema, Size, StableClassifier, Thresholds
from privpac.checker.check import check_derivation

SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "classes": ["no", "yes"],
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
            {"name": "city", "kind": "categorical", "categories": ["north", "south", "west"]},
        ],
    }
)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    random = np.random.default_rng(4)
    age = random.integers(0, 121, 4000)
    ill = np.where((age >= 60) ^ (random.random(4000) < 0.1), "yes", "no")
    return pd.DataFrame({"age": age, "city": random.choice(["north", "south", "west"], 4000), "ill": ill})


def test_scikit_learn_accepts_it() -> None:
    found = check_estimator(
        StableClassifier(stability=0.2, schema="from_data", random_state=0), on_fail=None, on_skip=None
    )
    assert [entry["check_name"] for entry in found if entry["status"] == "failed"] == []


@pytest.mark.parametrize(
    "concepts", ["stumps", "thresholds:age", "intervals:age", "trees:2", "lists:2", Thresholds(SCHEMA, "age")]
)
def test_it_learns_and_says_how_stable_it_is(frame: pd.DataFrame, concepts: Any) -> None:
    kept = frame.iloc[:1500]
    classifier = StableClassifier(concepts, stability=0.1, schema=SCHEMA, random_state=1).fit(kept)
    assert (classifier.predict(frame) == frame["ill"]).mean() > 0.6
    gamma = classifier.stability_.fact.gamma
    assert Fraction(1, 10) - Fraction(1, 10**9) <= gamma <= Fraction(1, 10)
    assert check_derivation(classifier.stability_.to_json()) == 3
    assert classifier.learner_.stability(Size(1500)) == classifier.stability_
    assert "0.1-stable" in classifier.explain()
    assert classifier.describe()


def test_more_records_a_better_rule(frame: pd.DataFrame) -> None:
    scores = cross_val_score(
        StableClassifier("thresholds:age", stability=0.2, schema=SCHEMA, random_state=0),
        frame[["age", "city"]],
        frame["ill"],
        cv=3,
    )
    assert scores.mean() > 0.75


def test_one_bad_record_moves_predictions_by_less_than_promised() -> None:
    """Two hundred fits with and without a record that says the opposite of everyone: frequencies stay close."""
    ages = np.repeat([20, 80], 10)
    ill = (ages > 50).astype(int)
    schema = Schema.from_json(
        {
            "label": "ill",
            "classes": [0, 1],
            "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}],
        }
    )
    bad = ill.copy()
    bad[-1] = 0
    runs, promised = 200, 0.3
    yes = [
        np.mean(
            [
                StableClassifier("thresholds:age", stability=promised, schema=schema, random_state=seed)
                .fit(ages.reshape(-1, 1), labels)
                .predict([[80]])[0]
                for seed in range(runs)
            ]
        )
        for labels in (ill, bad)
    ]
    # Two binomial means of 200: five standard deviations are 0.25; the promise is about the worst case.
    assert abs(yes[0] - yes[1]) <= promised + 0.25
    assert yes[0] > 0.55
