"""Distil: a model trained on private answers carries their composed certificate."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from privpac import Ledger, PrivatePredictor, Schema
from privpac.answering.distil import distil
from privpac.checker.check import check_certificate

SCHEMA = Schema.from_json(
    {"label": "y", "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 999, "integer": True}]}
)
XS = list(range(0, 1000, 2))


def fitted(price: str, budget: Ledger, **wishes: object) -> PrivatePredictor:
    predictor = PrivatePredictor(LogisticRegression(), price, budget, schema=SCHEMA, models=9, **wishes)  # type: ignore[arg-type]
    return predictor.fit({"x": XS}, y=[int(x >= 500) for x in XS])


def test_a_distilled_model_predicts_and_costs_what_its_answers_cost() -> None:
    budget = Ledger(epsilon=200)
    public = {"x": [5, 905, 100, 800, 300, 700, 5]}
    made = distil(fitted("20", budget), public, DecisionTreeClassifier(max_depth=2))
    assert budget.spent.epsilon == 6 * 20
    assert made.answers == 6
    assert made.predict({"x": [0, 999]}).tolist() == [0, 1]
    assert made.certificate.epsilon == 7 * 20  # at least what was paid: a row asked twice is counted twice
    assert made.certificate.privacy.fact.release.value == "hypothesis"
    assert check_certificate(made.certificate.to_json()) >= 4


def test_declared_answers_carry_their_optimal_composition() -> None:
    budget = Ledger(epsilon=30, delta="1e-6", reserved_delta="1e-6")
    predictor = fitted("0.5", budget, answers=60, delta="1e-6")
    made = distil(predictor, {"x": np.arange(0, 1000, 20)}, LogisticRegression())
    assert made.certificate.epsilon == budget.spent.epsilon
    assert made.certificate.delta == budget.spent.delta > 0
    assert made.certificate.epsilon < 60 * Fraction(1, 2)
