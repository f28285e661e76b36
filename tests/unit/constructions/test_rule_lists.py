"""Listed rules: read where a person names a file, kept in the word, never read for anybody else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from privpac import learn, plan, verify
from privpac.answering.predictor import PrivatePredictor
from privpac.constructions.rule_lists import MOST_RULES, rules_of, short_word, with_rules
from privpac.errors import DataError, ParameterError
from privpac.guarantee.ledger.ledger import Ledger

RULES = ["age >= 30", "age >= 60", "age < 20 or age >= 90"]
AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
SCHEMA = {"label": "ill", "columns": [AGE]}
TABLE = {"age": [i % 120 for i in range(3600)], "ill": [int(i % 120 >= 60) for i in range(3600)]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rules: of ours.json"
    path.write_text(json.dumps(RULES), encoding="utf-8")
    return path


@pytest.mark.parametrize("before", ["", "agnostic:", "subsampled:1000:", "confident:"])
def test_a_file_becomes_part_of_the_word_and_the_model_is_verified_without_it(
    file: Path, before: str, tmp_path: Path
) -> None:
    model = learn(TABLE, schema=SCHEMA, concepts=f"{before}finite:{file}", epsilon=4, random_state=1)
    file.unlink()
    model.save(tmp_path / "model.json")
    verify(tmp_path / "model.json")
    assert (
        model.certificate["request"]["concepts"]
        == f"{before}finite:{json.dumps(RULES, separators=(',', ':'))}"
    )
    assert model.describe() == "1 if age >= 60, else 0"


def test_a_ledger_names_how_many_rules_there_were(file: Path, tmp_path: Path) -> None:
    ledger = Ledger(epsilon=10)
    learn(TABLE, schema=SCHEMA, concepts=f"finite:{file}", epsilon=1, ledger=ledger)
    assert "finite:3 rules" in str(ledger.entries()[-1])
    assert "age >=" not in str(ledger.entries()[-1])


def test_a_predictor_reads_the_file_too(file: Path) -> None:
    predictor = PrivatePredictor(f"predict-by-vote:finite:{file}", 1, 10, schema=SCHEMA)
    predictor.fit(TABLE)
    assert predictor.certificate.epsilon == 1


def test_a_plan_counts_the_rules(file: Path) -> None:
    made = plan.needed(with_rules(f"finite:{file}"), schema=SCHEMA, error=0.1, epsilon=1)
    assert "age >= 30" not in str(made)
    assert str(made).startswith("Records needed for finite:3 rules: ")
    assert all("--concepts finite:FILE" in row.command for row in made.rows if row.learner == "occam")


def test_a_word_from_elsewhere_reads_no_file(file: Path) -> None:
    with pytest.raises(ParameterError) as refused:
        plan.needed(f"finite:{file}", schema=SCHEMA, error=0.1, epsilon=1)
    assert refused.value.parameter == "concepts"


@pytest.mark.parametrize(
    "written", ["", "{}", "[1, 2]", '["age >= 30"]', "[" * 10_000, '"age >= 30"', "[null, null]"]
)
def test_what_is_no_list_of_rules_is_refused(written: str) -> None:
    with pytest.raises(ParameterError):
        rules_of(written)


def test_too_many_rules_are_refused() -> None:
    with pytest.raises(ParameterError) as refused:
        rules_of(json.dumps(["age >= 30"] * (MOST_RULES + 1)))
    assert refused.value.parameter == "concepts"


def test_a_file_that_is_not_there_is_said() -> None:
    with pytest.raises(DataError, match="cannot be read"):
        with_rules("finite:no-such-file.json")


def test_only_a_word_of_its_own_names_a_file() -> None:
    assert with_rules("thresholds:infinite:up") == "thresholds:infinite:up"
    assert short_word("thresholds:infinite:up") == "thresholds:infinite:up"
