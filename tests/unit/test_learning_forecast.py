"""What is said before a charge: a refusal that spends nothing, a way to go on, a warning, and lines at every door."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privpac import Ledger, PrivateClassifier, Schema, learn
from privpac.cli import main
from privpac.errors import MostLikelyUseless, SmallEvidence

X = {"name": "x", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}
WEAK = {"label": "y", "classes": [0, 1], "base_rate": 0.12, "attainable": 0.7, "columns": [X]}
N = 3_000


def table(n: int = N) -> dict[str, Any]:
    chances = np.random.default_rng(5)
    x = chances.integers(0, 100, n)
    return {"x": x, "y": (chances.random(n) < 0.04 + 0.0016 * x).astype(int)}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = table()
    lines = [f"{x},{y}" for x, y in zip(rows["x"], rows["y"], strict=True)]
    (tmp_path / "data.csv").write_text("\n".join(["x,y", *lines]) + "\n", encoding="utf-8")
    (tmp_path / "schema.json").write_text(json.dumps(WEAK), encoding="utf-8")
    unknown = {key: value for key, value in WEAK.items() if key != "attainable"}
    (tmp_path / "unknown.json").write_text(json.dumps(unknown), encoding="utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


def test_a_rule_that_will_hardly_gain_anything_is_refused_and_nothing_is_spent() -> None:
    ledger = Ledger(epsilon=2)
    with pytest.raises(MostLikelyUseless, match="--costs balanced"):
        learn(table(), schema=WEAK, epsilon=1, ledger=ledger)
    assert ledger.entries() == ()
    with pytest.warns(SmallEvidence, match="most likely return a rule that is no better"):
        learn(table(), schema=WEAK, epsilon=1, ledger=ledger, anyway=True)
    assert ledger.spent.epsilon == 1


@pytest.mark.parametrize("wish", [{"costs": "balanced"}, {"aim": "rank"}, {"attainable": 0.95}])
def test_what_is_of_use_is_learnt(wish: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallEvidence)
        learn(table(), schema=WEAK, epsilon=1, **wish)


def test_without_a_guess_it_only_warns() -> None:
    schema = Schema.from_json({key: value for key, value in WEAK.items() if key != "attainable"})
    with pytest.warns(SmallEvidence, match="may well return a rule"):
        learn(table(500), schema=schema, epsilon="0.3")


def test_the_estimator_warns_since_a_search_goes_on() -> None:
    rows = table()
    classifier = PrivateClassifier(schema=WEAK, epsilon=1)
    with pytest.warns(SmallEvidence, match="no better"):
        classifier.fit(rows["x"].reshape(-1, 1), rows["y"])


def test_the_command_line_says_it_before_the_charge(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    learning = ("learn", "data.csv", "--schema", "schema.json", "--epsilon", "1", "--out", "model.json")
    run(capsys, "ledger", "create", "budget.sqlite", "--epsilon", "2")
    code, out, err = run(capsys, *learning, "--ledger", "budget.sqlite")
    assert (code, out) == (2, "")
    assert "no better than always saying" in err
    assert err.rstrip().endswith("To go on all the same: --anyway.")
    assert not (place / "model.json").exists()
    _, out, _ = run(capsys, "ledger", "show", "budget.sqlite", "--json")
    assert json.loads(out)["spent"]["epsilon"] in ("0", 0)
    code, _, err = run(capsys, *learning, "--ledger", "budget.sqlite", "--anyway")
    assert code == 0
    assert err.startswith("Expected, not proved, 3,000 records, epsilon 1")


def test_a_dry_run_and_a_plan_print_the_same_lines(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dry = ("learn", "data.csv", "--schema", "schema.json", "--epsilon", "1", "--dry-run")
    _, out, _ = run(capsys, *dry)
    line = 'a gain of about 0.000 over always saying "0"'
    assert line in out
    assert out.rstrip().endswith("It would be refused without --anyway.")
    planning = ("plan", "--schema", "schema.json", "--records", "3000", "--epsilon", "1")
    code, out, _ = run(capsys, *planning)
    assert code == 0
    assert line in out
    code, out, _ = run(capsys, *planning, "--json")
    rows = json.loads(out)["forecast"]["rows"]
    _, out, _ = run(capsys, *dry, "--json")
    assert json.loads(out)["forecast"]["rows"] == rows
    assert json.loads(out)["forecast"]["refused"] is True
    _, out, _ = run(capsys, *planning, "--attainable", "0.95", "--json")
    assert json.loads(out)["forecast"]["most_likely_no_better"] is False


def test_a_rare_class_is_asked_about_in_one_line(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strong = ("learn", "data.csv", "--schema", "unknown.json", "--epsilon", "1", "--attainable", "0.95")
    code, _, err = run(capsys, *strong)
    assert code == 0
    assert 'Only 12 % are "1"' in err
    code, out, _ = run(capsys, *strong, "--json")
    assert json.loads(out)["forecast"]["attainable_named"] is True


@pytest.mark.parametrize("guess", ["0.5", "1", "0.2", "high"])
def test_a_guess_that_is_no_auc_is_refused(
    guess: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(
        capsys, "plan", "--schema", "schema.json", "--records", "10", "--epsilon", "1", "--attainable", guess
    )
    assert code == 2
    assert "--attainable" in err


def test_what_is_not_forecast_is_said_at_the_command_line(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = (place / "data.csv").read_text(encoding="utf-8").splitlines()
    (place / "more.csv").write_text("\n".join(["x", *(row.split(",")[0] for row in rows[1:])]) + "\n")
    few = ("learn", "data.csv", "--schema", "schema.json", "--epsilon", "1", "--concepts", "thresholds:x")
    for more, reason in ((("--unlabelled", "more.csv"), "without labels"), ((), "thresholds:x")):
        code, _, err = run(capsys, *few, *more)
        assert code == 0
        assert err.startswith("Not forecast: ")
        assert reason in err.splitlines()[0]
