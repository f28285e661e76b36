"""`privpac predict --proba`: the risks of every record beside its class."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from privpac import learn
from privpac.cli.app import run
from privpac.data.raw import require
from privpac.errors import SchemaError

AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}


def test_risks_are_written_beside_the_classes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    table = {"age": [i % 100 for i in range(2000)], "ill": [int(i % 100 >= 60) for i in range(2000)]}
    schema = {"label": "ill", "columns": [AGE]}
    tree = learn(table, schema=schema, concepts="trees:1", epsilon=2, leaf_epsilon=1, random_state=1)
    tree.save("tree.json")
    learn(table, schema=schema, concepts="thresholds:age", epsilon=2, random_state=1).save("cut.json")
    Path("new.csv").write_text("age\n1\n99\n")
    assert run(["predict", "tree.json", "new.csv", "--proba", "--out", "p.csv"]) == 0
    rows = list(csv.DictReader(Path("p.csv").read_text().splitlines()))
    risks = tree.predict_proba({"age": [1, 99]}).tolist()
    assert [row["prediction"] for row in rows] == ["0", "1"]
    assert [[float(row[f"risk of {name}"]) for name in "01"] for row in rows] == risks
    capsys.readouterr()
    assert run(["predict", "tree.json", "new.csv", "--proba", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["risks"] == risks
    assert run(["predict", "cut.json", "new.csv", "--proba"]) == 2
    assert "leaf counts" in capsys.readouterr().err


def test_the_risks_of_a_card_have_at_most_four_decimals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = {"age": [i % 100 for i in range(2000)], "ill": [int(i % 100 >= 60) for i in range(2000)]}
    schema = {"label": "ill", "columns": [AGE]}
    learn(table, schema=schema, concepts="card", epsilon=2, random_state=1).save("card.json")
    Path("new.csv").write_text("\n".join(["age", *map(str, range(100))]) + "\n")
    assert run(["predict", "card.json", "new.csv", "--proba", "--out", "p.csv"]) == 0
    cells = [cell for line in Path("p.csv").read_text().splitlines()[1:] for cell in line.split(",")[1:]]
    assert max(map(len, cells)) == len("0.1234")


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (["a", "height", "weight"], "No column of the table has a name like one of these; it has 2."),
        (["a", "smokes", "weight"], "Did you mean 'smoker' for 'smokes'?"),
        (["a", "weight"], "None of the 2 columns has a name like it."),
    ],
)
def test_a_remedy_fits_the_number_of_missing_columns(columns: list[str], said: str) -> None:
    with pytest.raises(SchemaError) as refusal:
        require(columns, names=["a", "smoker"])
    assert said in str(refusal.value)
