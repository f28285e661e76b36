"""A plan, the forecast and the certificate speak of one epsilon: with default options all of them count the share that
the verdict takes, through every door."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privpac import learn, plan
from privpac.cli import main
from privpac.constructions.recipe import Recipe
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.planning.table import Row
from privpac.report.forecast import forecast_of
from privpac.request import LearnRequest
from privpac.service.pages.learn.making import RuleMaking

TREE: dict[str, Any] = {
    "label": "ill",
    "base_rate": 0.4,
    "attainable": 0.85,
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True},
        {"name": "pulse", "kind": "numeric", "lower": 0, "upper": 199, "integer": True},
    ],
}
SCHEMA = Schema.from_json(TREE)
NUMBERS = [(300, "1"), (640, "1"), (5_000, "1"), (3_000, "0.3"), (20_000, "3")]
"""Without a share, with less than a tenth, and with a tenth of epsilon."""


def recipe(word: str, records: int, epsilon: str, **wishes: Any) -> Recipe:
    return Recipe.of(
        LearnRequest.read(epsilon=epsilon, concepts=word, **wishes), schema=SCHEMA, size=Size(records)
    )


def proved(rows: tuple[Row, ...], word: str) -> dict[str, float]:
    """The least that a plan proves with labelled records alone, by what it takes for granted."""
    found: dict[str, float] = {}
    for row in rows:
        if row.word == word and not row.unlabelled:
            found.setdefault(row.setting, float(row.proved))
    return found


@pytest.mark.parametrize(("records", "epsilon"), NUMBERS)
@pytest.mark.parametrize("word", ["auto", "trees:2", "thresholds:age", "stumps"])
def test_a_plan_proves_what_the_certificate_does(word: str, records: int, epsilon: str) -> None:
    certificate = recipe(word, records, epsilon).certify()
    assert str(certificate.epsilon) == str(LearnRequest.read(epsilon=epsilon).epsilon), (
        "the total is what was asked"
    )
    facts = [proof.fact for proof in certificate.accuracy]
    found = proved(plan.reachable(word, schema=TREE, records=records, epsilon=epsilon).rows, word)
    assert found
    for setting, error in found.items():
        certified = [float(fact.error) for fact in facts if fact.against.value == setting]
        assert any(one - 1e-9 <= error <= one * 1.011 + 1e-4 for one in certified), (setting, certified)


@pytest.mark.parametrize(("records", "epsilon"), NUMBERS)
@pytest.mark.parametrize(
    ("word", "aim"), [("auto", "label"), ("trees:2", "label"), ("auto", "rank"), ("card", "label")]
)
def test_a_plan_expects_what_learning_does(word: str, aim: str, records: int, epsilon: str) -> None:
    asked = plan.reachable(word, schema=TREE, records=records, epsilon=epsilon, aim=aim).expected
    made = recipe(word, records, epsilon, aim=aim)
    assert asked is not None
    assert asked.to_json() == forecast_of(made).to_json()
    assert asked.to_json()["epsilon"] == float(epsilon)
    assert asked.to_json()["rule_epsilon"] == float(made.request.epsilon)


def test_commands_and_pages_say_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("schema.json").write_text(json.dumps(TREE))
    ages = np.arange(2_000) % 100
    table = {"age": ages, "pulse": ages + 50, "ill": (ages >= 60).astype(int)}
    rows = "".join(f"{age},{age + 50},{int(age >= 60)}\n" for age in ages)
    Path("data.csv").write_text(f"age,pulse,ill\n{rows}")

    def shown(*words: str) -> dict[str, Any]:
        assert main([*words, "--schema", "schema.json", "--epsilon", "1", "--json"]) == 0
        tree: dict[str, Any] = json.loads(capsys.readouterr().out)
        return tree

    planned = shown("plan", "--records", "2000")
    dry = shown("learn", "data.csv", "--dry-run")
    done = shown("learn", "data.csv", "--out", "model.json")
    page = RuleMaking.of(lambda name, usual: {"epsilon": "1"}.get(name, usual)).quote(
        SCHEMA, 2_000, coins="system"
    )
    model = learn(table, schema=TREE, epsilon=1)
    assert page.expected is not None
    assert planned["forecast"] == done["forecast"] == page.expected.to_json()
    assert dry["forecast"] == {**planned["forecast"], "refused": False}
    assert planned["forecast"]["rule_epsilon"] == 0.9
    assert json.loads(Path("model.json").read_text())["certificate"]["request"]["epsilon"] == "0.9"
    assert str(model.certificate["request"]["epsilon"]) == "0.9"
    assert page.certificate.to_json()["request"]["epsilon"] == "0.9"
