"""Predictions compare equal to the labels they were learnt from: the type of a class is as the schema writes it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privpac import learn, load
from privpac.cli.app import run
from privpac.data.class_values import class_values
from privpac.data.schema import Schema

AGES = [i % 100 for i in range(2000)]
KINDS = [
    ([0, 1], int),
    ([-1, 1], int),
    ([0.5, 1.5], float),
    ([False, True], bool),
    (["no", "yes"], str),
    (["2020-01-01", "2021-01-01"], str),
    (["01", "02"], str),
]


def described(classes: list[Any]) -> dict[str, Any]:
    age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}
    return {"label": "ill", "classes": classes, "columns": [age]}


@pytest.mark.parametrize(("classes", "kind"), KINDS)
def test_predictions_equal_labels_before_and_after_a_file(
    classes: list[Any], kind: type, tmp_path: Path
) -> None:
    labels = [classes[age >= 50] for age in AGES]
    table = {"age": AGES, "ill": labels}
    model = learn(table, schema=described(classes), concepts="thresholds:age", epsilon=5, random_state=1)
    model.save(tmp_path / "model.json")
    for each in (model, load(tmp_path / "model.json")):
        assert np.mean(each.predict({"age": AGES}) == np.array(labels)) > 0.9
        assert {type(value) for value in each.predict({"age": AGES}).tolist()} == {kind}


@pytest.mark.parametrize(("classes", "kind"), KINDS)
def test_the_command_line_writes_the_schema_s_text_and_its_values_in_json(
    classes: list[Any], kind: type, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = {"age": AGES, "ill": [classes[age >= 50] for age in AGES]}
    model = learn(table, schema=described(classes), concepts="thresholds:age", epsilon=5, random_state=1)
    model.save(tmp_path / "model.json")
    (tmp_path / "new.csv").write_text("age\n1\n99\n")
    assert run(["predict", str(tmp_path / "model.json"), str(tmp_path / "new.csv"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["predictions"] == classes
    out = tmp_path / "out.csv"
    assert run(["predict", str(tmp_path / "model.json"), str(tmp_path / "new.csv"), "--out", str(out)]) == 0
    written = [row["prediction"] for row in csv.DictReader(out.open())]
    assert written == list(Schema.from_json(described(classes)).classes)


def test_numbers_too_long_for_64_bits_stay_text() -> None:
    assert class_values(["0", "9" * 30]).tolist() == ["0", "9" * 30]


def test_decimals_that_may_be_codes_stay_text() -> None:
    assert class_values(["1.1", "1.10"]).tolist() == ["1.1", "1.10"]
    assert class_values(["0.1", "no"]).tolist() == ["0.1", "no"]
    assert class_values(["0", "-0.5"]).tolist() == [0.0, -0.5]
