"""The statement for a data-protection assessment: what it says is in the file, in every form."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from privpac import Ledger, Model, learn
from privpac.checker.check import check_document
from privpac.cli import main
from privpac.errors import NotCertified
from privpac.report.statement import Findings, statement_of
from privpac.report.summary import summary_sections
from tests.golden.corpus import CURRENT

SCHEMA: dict[str, Any] = {
    "label": "ill",
    "columns": [{"name": "a|ge", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}],
}


@pytest.fixture(scope="module")
def model() -> Model:
    table = {"a|ge": list(range(100)) * 4, "ill": [int(i % 100 > 50) for i in range(400)]}
    return learn(table, schema=SCHEMA, concepts="trees:1", epsilon=1, records_per_person=2)


def test_it_says_what_was_released_and_what_it_may_reveal(model: Model) -> None:
    found = Findings(
        ("Signed by the office.",), "charge 1", (("Spent so far", "epsilon 2"),), "ab", "2026-11-17"
    )
    made = statement_of(model.to_json(), found)
    rows = dict(made.rows)
    assert rows["Epsilon, delta"] == "1, 0"
    assert rows["Records per person"] == "at most 2: assumed, not checked"
    assert rows["Spent so far"] == "epsilon 2"
    assert rows["Signature"] == "Signed by the office."
    assert rows["privpac digest"].startswith(model.to_json()["digest"])
    assert rows["SHA-256 of the file"] == "ab"
    assert rows["Is it of use"].startswith(
        ("Unclear, not measured: no private counts", "No. It always says ")
    )
    assert "all releases from the same records: spent so far: epsilon 2." in made.paragraphs[1]
    assert "400 records" in made.paragraphs[0]
    assert "73.2 %" in made.paragraphs[0]  # e/(1 + e), rounded up
    assert "a\\|ge" in made.text()
    assert "<script" not in made.html()
    assert "a|ge" in made.html()


def test_nothing_is_claimed_that_nobody_looked_at(model: Model) -> None:
    rows = dict(statement_of(model.to_json()).rows)
    assert rows["The total"].startswith("not looked at")
    assert rows["Signature"] == "None: nobody has signed it."
    assert not {"Paid for by", "SHA-256 of the file", "Base rate"} & rows.keys()


def test_it_lists_what_is_assumed_and_what_it_does_not_mean(model: Model) -> None:
    made = statement_of(model.to_json())
    for shown in (made.text(), made.html()):
        assert "No person has more than 2 records." in shown
        assert "It does not hide what is true of people in general." in shown
        assert "nothing is taken for granted" not in shown
        assert "without trusting" not in shown
    assert [len(items) for _, items in made.lists] == [
        7,
        6,
    ]  # the certificate's own assumption is the second of them


def test_whoever_weighs_need_against_risk_reads_what_the_rule_gains_and_the_base_rate() -> None:
    table = {"x": list(range(10)) * 40, "y": [0] * 400}
    schema = {**SCHEMA, "label": "y", "base_rate": 0.15, "columns": [{**SCHEMA["columns"][0], "name": "x"}]}
    rule = learn(table, schema=schema, concepts="thresholds:x", epsilon=1, estimate_epsilon=10)
    rows = dict(statement_of(rule.to_json()).rows)
    assert rows["Is it of use"].startswith(("No. ", "Unclear. "))
    assert rows["Base rate"] == "0: 0.85, 1: 0.15: declared, and must be public knowledge"


def test_a_seed_has_no_statement() -> None:
    for name in ("tables/tree.json", "bundles/declared/bundle.json"):
        with pytest.raises(NotCertified, match="must not be released and promises nothing"):
            statement_of(json.loads((CURRENT / name).read_text()))


def test_the_command_writes_it(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model.save("model.json")
    Ledger.create("ledger.db", epsilon=3)
    Path("trusted").write_text("")
    explain = ["explain", "model.json", "--json", "--statement"]
    assert main([*explain, "s.html", "--ledger", "ledger.db", "--trusted", "trusted"]) == 0
    assert "epsilon 3: right guesses at most 95.3 %" in Path("s.html").read_text(encoding="utf-8")
    sha = hashlib.sha256(Path("model.json").read_bytes()).hexdigest()
    assert sha in Path("s.html").read_text(encoding="utf-8")
    assert main(["explain", "model.json", "--report", "r.html", "--ledger", "ledger.db"]) == 0
    assert "right guesses at most 95.3 %" in Path("r.html").read_text(encoding="utf-8")
    assert main([*explain, "s.md"]) == 0
    assert Path("s.md").read_text(encoding="utf-8").startswith("# Privacy of a released rule for ill")
    assert main([*explain, "s.pdf"]) == 2
    assert main(["explain", "model.json", "--ledger", "ledger.db"]) == 2
    assert json.loads(Path("model.json").read_text())["digest"] == model.to_json()["digest"]


def test_it_says_whether_the_ledger_knows_this_release(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{age},{int(age > 50)}\n" for age in range(100))
    Path("data.csv").write_text(f"a|ge,ill\n{rows}")
    Path("schema.json").write_text(json.dumps(SCHEMA))
    Ledger.create("own.db", epsilon=3)
    Ledger.create("other.db", epsilon=3).charge(epsilon=1, note="something else")
    wish = ["learn", "data.csv", "--schema", "schema.json", "--epsilon", "1", "--concepts", "trees:1"]
    assert main([*wish, "--ledger", "own.db", "--out", "m.json"]) == 0

    def paid(ledger: str, form: str) -> str:
        assert main(["explain", "m.json", f"--{form}", "s.html", "--force", "--ledger", ledger]) == 0
        return Path("s.html").read_text(encoding="utf-8").partition("Paid for by")[2][:300]

    for form in ("statement", "report"):
        assert "charge 1, " in paid("own.db", form)
        assert "not found: no charge of ledger" in paid("other.db", form)
    assert main([*wish, "--ledger", "own.db", "--out", "again.json"]) == 0
    assert "only one of them can have paid for it" in paid("own.db", "statement")


def test_a_charge_names_a_certificate_and_not_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{age},{int(age > 50)}\n" for age in range(100))
    Path("data.csv").write_text(f"a|ge,ill\n{rows}")
    Path("schema.json").write_text(json.dumps(SCHEMA))
    Ledger.create("own.db", epsilon=3)
    wish = ["learn", "data.csv", "--schema", "schema.json", "--epsilon", "1", "--concepts", "trees:1"]
    assert main([*wish, "--ledger", "own.db", "--out", "model.json"]) == 0
    assert main([*wish, "--out", "unpaid.json"]) == 0
    doubt = "This file is called unpaid.json: ask which of the two was paid for"
    for form in ("statement", "report"):
        for name in ("model", "unpaid"):
            assert (
                main(["explain", f"{name}.json", f"--{form}", "s.html", "--force", "--ledger", "own.db"]) == 0
            )
            text = Path("s.html").read_text(encoding="utf-8")
            assert "names a certificate like this one: any run with the same settings has it" in text
            assert (doubt in text) == (name == "unpaid")


def test_several_records_of_one_person_are_spoken_of_once_and_as_several(model: Model) -> None:
    made = statement_of(model.to_json())
    assumed = dict(made.lists)["Taken for granted; no file can show it, and privpac cannot check it"]
    assert [text for text in assumed if "erson" in text] == ["No person has more than 2 records."]
    assert "finds two possibilities for them equally likely" in made.paragraphs[0]
    privacy = dict(summary_sections(model, full=False))["Privacy"]
    assert "(1, 0)-DP, up to 2 records of one person replaced, the rule is released" in privacy
    assert "one record replaced" not in privacy
    derivation = model.explain().split("\nPrivacy\n")[1]
    assert derivation.startswith(
        "(1, 0)-DP, up to 2 records of one person replaced, the rule is released   ["
    )
    assert (
        check_document(model.to_json())
        .lines()[0]
        .startswith("Promised: epsilon 1, delta 0 for up to 2 records of one person, by a model file")
    )


def test_an_estimate_comes_with_its_interval() -> None:
    table = {"a|ge": list(range(100)) * 4, "ill": [int(i % 100 > 50) for i in range(400)]}
    rule = learn(table, schema=SCHEMA, concepts="trees:1", epsilon=1, estimate_epsilon=1, holdout=0.2)
    use = dict(statement_of(rule.to_json()).rows)["Is it of use"]
    assert use.endswith(f" Private estimate: {rule.estimate}.")


def test_counts_that_were_released_say_whether_it_is_of_use(model: Model) -> None:
    table = {"a|ge": list(range(100)) * 4, "ill": [int(i % 100 > 50) for i in range(400)]}
    for wishes in ({"concepts": "card"}, {"concepts": "trees:1", "leaf_epsilon": 5}):
        rule = learn(table, schema=SCHEMA, epsilon=5, **wishes)
        use = dict(statement_of(rule.to_json()).rows)["Is it of use"]
        assert use.startswith(("Yes. AUC about ", "Yes. Right about "))
        assert "By private counts of the records it was learnt from" in use


def test_a_table_and_a_bundle_have_one_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{age},{int(age > 50)}\n" for age in range(100))
    Path("data.csv").write_text(f"a|ge,ill\n{rows}")
    Path("schema.json").write_text(json.dumps(SCHEMA))
    told = ["data.csv", "--schema", "schema.json"]
    assert main(["release", *told, "--epsilon", "1", "--column", "a|ge", "--out", "t.csv"]) == 0
    votes = ["--protect", "predictions", "--concepts", "thresholds:a|ge", "--answers", "5", "--models", "5"]
    assert main(["learn", *told, "--epsilon", "0.5", *votes, "--out", "bundle"]) == 0
    for name, words in (("t.json", "synthetic records with"), ("bundle", "answers about")):
        assert main(["explain", name, "--statement", "s.txt", "--force"]) == 0
        annex = Path("s.txt").read_text(encoding="utf-8")
        assert words in annex
        assert "| What it promises | " in annex
        assert main(["explain", name]) != 0


def test_names_from_the_file_add_no_paragraph_and_a_wish_protects_nobody(model: Model) -> None:
    tree = json.loads(json.dumps(model.to_json()))
    tree["schema"]["label"] = "ill\n\n# Approved"
    tree["certificate"]["request"]["records_per_person"] = 1000
    made = statement_of(tree)
    assert "\n# Approved" not in made.text().split("\n", 1)[1]
    assert dict(made.rows)["Records per person"] == "at most 2: assumed, not checked"  # as derived


def test_a_delta_counts_among_the_odds(model: Model) -> None:
    tree = json.loads(json.dumps(model.to_json()))
    tree["certificate"]["delta"] = "0.5"
    assert "86.6 %" in statement_of(tree).paragraphs[0]
