"""Rules as ONNX graphs: onnxruntime gives the answers of `predict` and `predict_proba`, record by record."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from privpac import Model, learn
from privpac.errors import PrivpacError

onnxruntime = pytest.importorskip("onnxruntime")

SCHEMA = {
    "label": "ill",
    "classes": ["no", "yes"],
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True},
        {"name": "bmi", "kind": "numeric", "lower": 10.0, "upper": 60.0, "missing": 22.5},
        {"name": "smoker", "kind": "boolean"},
        {
            "name": "ward",
            "kind": "categorical",
            "categories": ["a", "b", "1"],
            "other": "else",
            "missing": "none",
        },
        {"name": "seen", "kind": "date", "lower": "2020-01-01", "upper": "2024-12-31"},
    ],
}


def records(count: int, seed: int) -> dict[str, Any]:
    chance = np.random.default_rng(seed)
    table: dict[str, Any] = {
        "age": chance.integers(-5, 110, count),
        "bmi": chance.uniform(5, 70, count),
        "smoker": chance.integers(0, 2, count).astype(bool),
        "ward": chance.choice(["a", "b", "1", "1.0", "unheard of", ""], count).tolist(),
        "seen": (np.datetime64("2020-01-01") + chance.integers(-100, 2000, count)).tolist(),
    }
    table["bmi"][chance.random(count) < 0.1] = np.nan
    ill = (table["age"] > 60) | (np.array(table["ward"]) == "b") & table["smoker"]
    table["ill"] = np.where(ill ^ (chance.random(count) < 0.1), "yes", "no").tolist()
    return table


def answers(model: Model, table: dict[str, Any]) -> dict[str, Any]:
    session = onnxruntime.InferenceSession(model.to_onnx())
    days = np.array([np.datetime64(day) for day in table["seen"]]).astype("datetime64[D]").astype(np.int64)
    given = {
        "age": table["age"].astype(np.float64),
        "bmi": table["bmi"],
        "smoker": table["smoker"],
        "ward": np.array(table["ward"], dtype=object),
        "seen": days,
    }
    names = [one.name for one in session.get_outputs()]
    wanted = {one.name: given[one.name] for one in session.get_inputs()}
    return dict(zip(names, session.run(None, wanted), strict=True))


@pytest.mark.parametrize(
    ("concepts", "more"),
    [
        ("trees:2", {"leaf_epsilon": 1}),
        ("trees:3", {"leaf_epsilon": 1}),
        ("lists:3", {}),
        ("card:12", {}),
        ("card", {}),
        ("thresholds:bmi", {}),
        ("thresholds:seen", {}),
        ("stumps", {}),
    ],
)
def test_onnxruntime_answers_as_predict_does(concepts: str, more: dict[str, Any]) -> None:
    model = learn(records(3000, 1), schema=SCHEMA, concepts=concepts, epsilon=20, random_state=7, **more)
    table = records(2000, 2)
    found = answers(model, table)
    assert (found["label"] == model.predict(table)).all()
    if "probabilities" in found:
        assert np.allclose(found["probabilities"], model.predict_proba(table), rtol=0, atol=1e-15)
    assert ("probabilities" in found) == (bool(more) or concepts.startswith("card"))


@pytest.mark.parametrize("classes", [[0, 1], [0.5, 1.5], [False, True], ["no", "yes"]])
def test_labels_have_the_type_that_predictions_have(classes: list[Any]) -> None:
    schema = {"label": "ill", "classes": classes, "columns": [SCHEMA["columns"][0]]}
    table = {"age": list(range(100)) * 10, "ill": [classes[i % 100 > 50] for i in range(1000)]}
    model = learn(table, schema=schema, concepts="trees:1", epsilon=9, random_state=1)
    session = onnxruntime.InferenceSession(model.to_onnx())
    (label,) = session.run(None, {"age": np.arange(100.0)})
    predictions = model.predict({"age": list(range(100))})
    assert label.dtype == predictions.dtype
    assert (label == predictions).all()


def test_a_constant_rule_answers_every_record() -> None:
    from dataclasses import replace

    from privpac.concepts.trees.tree import Leaf

    model = learn(records(300, 1), schema=SCHEMA, concepts="trees:1", epsilon=1, random_state=1)
    session = onnxruntime.InferenceSession(replace(model, hypothesis=Leaf(1)).to_onnx())
    (label,) = session.run(None, {"age": np.zeros(3)})
    assert label.tolist() == ["yes"] * 3


def test_other_rules_are_refused() -> None:
    table = records(300, 1)
    model = learn(table, schema=SCHEMA, concepts="halfspaces:age,bmi", epsilon=1, random_state=1)
    with pytest.raises(PrivpacError, match="cannot be written as ONNX"):
        model.to_onnx()
