"""Prices from a declared share of each class: their size, who declares it, and what they do to a rare class."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privpac
from privpac import PrivateClassifier
from privpac.constructions.request import TOLERANCE, balanced_costs, costs_for
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SchemaError
from privpac.report.summary import summary_sections

X = {"name": "x", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}


def _schema(rate: Any, classes: tuple[str, ...] = ("0", "1")) -> Schema:
    return Schema.from_json({"label": "y", "classes": list(classes), "base_rate": rate, "columns": [X]})


@pytest.mark.parametrize("rate", [0.5, 0.4, 0.35, 0.3, 0.15, 0.06, 0.01, 0.9, 0.001])
def test_costs_follow_the_inverse_shares(rate: float) -> None:
    low, high = balanced_costs(_schema(rate))
    ratio = Fraction(high, low) / ((1 - Fraction(rate)) / Fraction(rate))
    assert (1 - TOLERANCE) / (1 + TOLERANCE) <= ratio <= (1 + TOLERANCE) / (1 - TOLERANCE)
    assert min(low, high) <= 20


def test_small_numbers_where_they_suffice() -> None:
    assert [balanced_costs(_schema(rate)) for rate in (0.5, 0.4, 0.06, 0.8)] == [
        (1, 1),
        (2, 3),
        (1, 16),
        (4, 1),
    ]
    assert balanced_costs(_schema([0.5, 0.25, 0.25], ("a", "b", "c"))) == (1, 2, 2)


def test_the_rate_is_public_and_stored() -> None:
    schema = _schema(0.06)
    assert schema.base_rate == (0.94, 0.06)
    assert Schema.from_json(schema.stored()) == schema
    assert schema.digest() != _schema(None).digest()


@pytest.mark.parametrize("rate", [0, 1, -0.1, [0.5, 0.4], [0.2, 0.3, 0.5], "0.1", True, [0.5, "0.5"]])
def test_what_is_no_share_is_refused(rate: Any) -> None:
    with pytest.raises(SchemaError, match="base_rate"):
        _schema(rate)


def test_without_a_declared_rate_nothing_is_balanced() -> None:
    with pytest.raises(ParameterError) as refused:
        balanced_costs(_schema(None))
    assert refused.value.parameter == "costs"
    with pytest.raises(ParameterError) as refused:
        costs_for("even", _schema(0.1))
    assert refused.value.parameter == "costs"
    assert costs_for(None, _schema(0.1)) is None
    assert costs_for((1, 3), _schema(0.1)) == (1, 3)


def _table(n: int = 3_000) -> dict[str, Any]:
    """A class of 6 % that a cut finds, among three times as many others: plain accuracy never names it."""
    rng = np.random.default_rng(4)
    x = rng.integers(0, 100, n)
    return {"x": x, "y": ((x >= 76) & (rng.random(n) < 0.25)).astype(int)}


def test_a_rare_class_is_found(tmp_path: Any) -> None:
    table, schema = _table(), _schema(0.06)
    plain, balanced = (
        privpac.learn(table, schema=schema, epsilon=1, costs=costs, random_state=2)
        for costs in (None, "balanced")
    )
    found = [model.classify(table)[table["y"] == 1].mean() for model in (plain, balanced)]
    assert found[0] < 0.1 < 0.9 < found[1]
    assert balanced.certificate["request"]["costs"] == [1, 16]
    (priced,) = (
        text for title, text in summary_sections(balanced, full=False) if title.startswith("Price of")
    )
    assert priced.startswith("0: 1, 1: 16 (balanced")
    assert len(summary_sections(plain, full=False)) == len(summary_sections(balanced, full=False)) - 1
    balanced.save(tmp_path / "model.json")
    assert privpac.verify(tmp_path / "model.json").rebuilt


def test_the_estimator_takes_the_word() -> None:
    table = _table()
    fitted = PrivateClassifier(schema=_schema(0.06), epsilon=1, costs="balanced", random_state=2)
    fitted.fit({"x": table["x"]}, table["y"].astype(str))
    predicted = fitted.predict({"x": table["x"]})
    assert (predicted[table["y"] == 1].astype(str) == "1").mean() > 0.9
