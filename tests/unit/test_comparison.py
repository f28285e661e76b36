"""Two released models, one noisy difference."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import privpac
from privpac.cli import main
from privpac.errors import BudgetExceeded, ParameterError, SchemaError

SCHEMA = {
    "label": "y",
    "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}],
}


def _table(n: int = 2000) -> dict[str, np.ndarray]:
    x = np.arange(n) % 100
    return {"x": x, "y": (x >= 50).astype(int)}


@pytest.fixture(scope="module")
def models() -> tuple[privpac.Model, privpac.Model]:
    good = privpac.learn(_table(), schema=SCHEMA, epsilon=5, concepts="thresholds:x", random_state=1)
    bad = privpac.learn(_table(), schema=SCHEMA, epsilon=5, concepts="points:x", random_state=1)
    return good, bad


def test_the_better_model_is_named(models: tuple[privpac.Model, privpac.Model]) -> None:
    good, bad = models
    found = privpac.compare_models(_table(), good, bad, epsilon="0.5", random_state=2)
    table = _table()
    truth = int((good.classify(table) == table["y"]).sum()) - int((bad.classify(table) == table["y"]).sum())
    assert found.better == "first"
    assert abs(found.difference - truth) <= found.half_width
    assert privpac.compare_models(_table(), bad, good, epsilon="0.5", random_state=2).better == "second"
    assert privpac.compare_models(_table(), good, good, epsilon="0.5", random_state=2).better is None


def test_the_interval_holds_as_often_as_promised(models: tuple[privpac.Model, privpac.Model]) -> None:
    good, _ = models
    misses = sum(
        abs(found.difference) > found.half_width
        for found in (
            privpac.compare_models(_table(200), good, good, epsilon=1, random_state=seed)
            for seed in range(300)
        )
    )
    assert misses <= 30  # expected at most 15; more than 30 has probability below 0.001


@pytest.mark.parametrize("people", [0, -1, True, 0.5])
def test_records_per_person_are_a_positive_integer(
    models: tuple[privpac.Model, privpac.Model], people: int
) -> None:
    ledger = privpac.Ledger(epsilon=1)
    with pytest.raises(ParameterError) as refused:
        privpac.compare_models(_table(), *models, epsilon=1, records_per_person=people, ledger=ledger)
    assert refused.value.parameter == "records_per_person"
    assert not ledger.entries()


def test_the_charge_comes_first(models: tuple[privpac.Model, privpac.Model]) -> None:
    ledger = privpac.Ledger(epsilon="0.3")
    privpac.compare_models(_table(), *models, epsilon="0.2", ledger=ledger)
    with pytest.raises(BudgetExceeded):
        privpac.compare_models(_table(), *models, epsilon="0.2", ledger=ledger)
    assert ledger.spent.epsilon == privpac.Ledger(epsilon="0.2").total.epsilon


def test_another_schema_is_refused(models: tuple[privpac.Model, privpac.Model]) -> None:
    other = {**SCHEMA, "columns": [{**SCHEMA["columns"][0], "upper": 100}]}  # type: ignore[dict-item]
    stranger = privpac.learn(_table(), schema=other, epsilon=5, concepts="points:x", random_state=1)
    with pytest.raises(SchemaError, match="different schemas"):
        privpac.compare_models(_table(), models[0], stranger, epsilon=1)


def test_people_with_several_records_cost_no_more(models: tuple[privpac.Model, privpac.Model]) -> None:
    one = privpac.compare_models(_table(), *models, epsilon=1, random_state=1)
    three = privpac.compare_models(_table(), *models, epsilon=1, records_per_person=3, random_state=1)
    assert one.certificate["epsilon"] == three.certificate["epsilon"] == "1"
    assert three.half_width > 2 * one.half_width
    assert "3 records" in three.certificate["assumptions"][0]


def test_a_schema_read_from_the_data_marks_the_comparison() -> None:
    drawn = privpac.learn(_table(), schema="from_data", label="y", epsilon=5, concepts="thresholds:x")
    found = privpac.compare_models(_table(), drawn, drawn, epsilon=1)
    assert any("schema" in text for text in found.certificate["assumptions"])
    assert set(drawn.certificate["assumptions"]) <= set(found.certificate["assumptions"])


def test_command_line(
    tmp_path: Path, models: tuple[privpac.Model, privpac.Model], capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [str(tmp_path / name) for name in ("a.json", "b.json")]
    for model, path in zip(models, paths, strict=True):
        model.save(path)
    data = tmp_path / "data.csv"
    table = _table()
    data.write_text("x,y\n" + "\n".join(f"{a},{b}" for a, b in zip(table["x"], table["y"], strict=True)))
    assert main(["compare", *paths, str(data), "--epsilon", "0.5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["better"] == "first"
    assert found["certificate"]["epsilon"] == "0.5"
