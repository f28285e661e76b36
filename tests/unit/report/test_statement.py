"""The statement for a data-protection assessment: what it says is in the file, in every form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from privpac import Ledger, Model, learn
from privpac.cli import main
from privpac.report.statement import statement_of
from tests.golden.corpus import HERE

SCHEMA = {
    "label": "ill",
    "columns": [{"name": "a|ge", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}],
}


@pytest.fixture(scope="module")
def model() -> Model:
    table = {"a|ge": list(range(100)) * 4, "ill": [int(i % 100 > 50) for i in range(400)]}
    return learn(table, schema=SCHEMA, concepts="trees:1", epsilon=1, records_per_person=2)


def test_it_says_what_was_released_and_what_it_may_reveal(model: Model) -> None:
    made = statement_of(model.to_json(), signers=["Signed by the office."], left="epsilon 2")
    rows = dict(made.rows)
    assert rows["Epsilon, delta"] == "1, 0"
    assert rows["Records per person"] == "2"
    assert rows["Left in the budget"] == "epsilon 2"
    assert rows["Signed by"] == "Signed by the office."
    assert rows["Digest of the file"] == model.to_json()["digest"]
    assert "400 records" in made.paragraphs[0]
    assert "73.2 %" in made.paragraphs[0]  # e/(1 + e), rounded up
    assert "a\\|ge" in made.text()
    assert "<script" not in made.html()
    assert "a|ge" in made.html()


def test_nothing_is_claimed_that_nobody_looked_at(model: Model) -> None:
    rows = dict(statement_of(model.to_json()).rows)
    assert rows["Left in the budget"] == "not looked at"
    assert rows["Signed by"] == "nobody"


def test_the_command_writes_it(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model.save("model.json")
    Ledger.create("ledger.db", epsilon=3)
    Path("trusted").write_text("")
    explain = ["explain", "model.json", "--json", "--statement"]
    assert main([*explain, "s.html", "--ledger", "ledger.db", "--trusted", "trusted"]) == 0
    assert "epsilon 3" in Path("s.html").read_text(encoding="utf-8")
    assert main([*explain, "s.md"]) == 0
    assert Path("s.md").read_text(encoding="utf-8").startswith("# Privacy of a released rule for ill")
    assert main([*explain, "s.pdf"]) == 2
    assert main(["explain", "model.json", "--ledger", "ledger.db"]) == 2
    assert json.loads(Path("model.json").read_text())["digest"] == model.to_json()["digest"]


def test_a_table_and_a_bundle_have_one_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, words in (
        ("tables/tree.json", "synthetic records with"),
        ("bundles/declared", "answers about"),
    ):
        assert main(["explain", str(HERE / "0.1.0" / name), "--statement", "s.txt", "--force"]) == 0
        text = Path("s.txt").read_text(encoding="utf-8")
        assert words in text
        assert "SEEDED: not for release" in text
        assert main(["explain", str(HERE / "0.1.0" / name)]) != 0


def test_names_from_the_file_add_no_paragraph_and_a_wish_protects_nobody(model: Model) -> None:
    tree = json.loads(json.dumps(model.to_json()))
    tree["schema"]["label"] = "ill\n\n# Approved"
    tree["certificate"]["request"]["records_per_person"] = 1000
    made = statement_of(tree)
    assert "\n# Approved" not in made.text().split("\n", 1)[1]
    assert dict(made.rows)["Records per person"] == "2"  # as derived


def test_a_delta_counts_among_the_odds(model: Model) -> None:
    tree = json.loads(json.dumps(model.to_json()))
    tree["certificate"]["delta"] = "0.5"
    assert "86.6 %" in statement_of(tree).paragraphs[0]
