"""What `privpac learn` says when something is odd: in the words of the command line, with the word that was meant."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from privpac import Ledger
from privpac.cli.app import run
from privpac.cli.destination import UNCOUNTED
from privpac.errors import PrivpacError

COLUMNS = [
    {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True},
    {"name": "smoker", "kind": "boolean"},
]


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 100},{i % 2 == 0},{int(i % 100 >= 60)}" for i in range(400)]
    (tmp_path / "data.csv").write_text("\n".join(["age,smoker,ill", *rows]) + "\n")
    (tmp_path / "schema.json").write_text(json.dumps({"label": "ill", "columns": COLUMNS}))


def learn(*more: str, epsilon: str = "1") -> int:
    return run(["learn", "data.csv", "--schema", "schema.json", "--epsilon", epsilon, *more])


@pytest.mark.parametrize(
    ("options", "words", "strange"),
    [
        (("--concepts", "tree:3"), "Did you mean trees:3?", "trees:3 or"),
        (("--concepts", "stump"), "Did you mean stumps?", "stumps:"),
        (("--concepts", "neural"), "must be one of auto", "Did you mean"),
        (("--costs", "1"), "--costs is 1, but must be 2 positive integers", "Occam"),
        (("--costs", "1", "--concepts", "trees:2"), "--costs is 1", "Occam"),
        (("--ledger", "none.db", "--out", "m.json"), "privpac ledger create FILE --epsilon TOTAL", "Ledger("),
        (("--concepts", "thresholds:agee"), "Did you mean 'age'?", "smoker"),
        (("--concepts", "trees:2", "--delta", "1e-6"), "0 for trees:2, which has no use for it", "Request"),
        (("--failure", "0"), "--failure is 0, but must be at least 1e-12 and below 1", "Request"),
        (
            ("--failure", "0.01", "--protect", "predictions", "--out", "b"),
            "--failure is 0.01, but must be",
            "Occam",
        ),
        (("--concepts", "thresholds:xyz"), "None of the 2 columns has a name like it.", "smoker"),
    ],
)
def test_a_refusal_is_in_the_words_of_the_command_line(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], words: str, strange: str
) -> None:
    assert learn(*options) == 2
    said = capsys.readouterr().err
    assert words in said
    assert strange not in said


def test_a_card_of_three_classes_is_refused_before_anything_is_charged(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    classes = {"label": "ill", "classes": [0, 1, 2], "columns": COLUMNS}
    (tmp_path / "schema.json").write_text(json.dumps(classes))
    assert run(["ledger", "create", "ledger.db", "--epsilon", "3"]) == 0
    assert learn("--concepts", "card", "--ledger", "ledger.db", "--out", "card.json") == 2
    said = capsys.readouterr().err
    assert "Label 'ill' has 3 classes, but card separates two." in said
    assert "--concepts trees:3" in said
    assert not (tmp_path / "card.json").exists()
    assert Ledger.open(tmp_path / "ledger.db").left.epsilon == 3


def test_a_failure_is_certified_and_stored(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--concepts", "thresholds:age", "--failure", "0.01")
    assert learn(*asked, "--dry-run") == 0
    assert learn(*asked, "--out", "model.json") == 0
    assert "except with probability 0.01," in capsys.readouterr().out
    assert json.loads(Path("model.json").read_text())["certificate"]["request"]["failure"] == "0.01"
    assert run(["verify", "model.json"]) == 0


def test_an_epsilon_above_10_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert learn("--concepts", "stumps", epsilon="10") == 0
    assert "Epsilon" not in capsys.readouterr().err
    assert learn("--concepts", "stumps", epsilon="12") == 0
    assert "\nWarning: Epsilon 12 is large: one record may change the odds" in capsys.readouterr().err
    assert learn("--concepts", "stumps", "--json", epsilon="12") == 0
    assert json.loads(capsys.readouterr().out)["warnings"][0].startswith("Epsilon 12 is large")


def test_a_dry_run_needs_no_more_than_the_run_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # as if it were not installed
    assert learn("--concepts", "stumps", "--dry-run") == 0
    assert capsys.readouterr().out.startswith("400 records in 1 file")
    assert learn("--concepts", "stumps") == 0
    assert learn("--concepts", "stumps", "--engine", "files") == 2
    assert "privpac[arrow]" in capsys.readouterr().err


def test_a_dry_run_warns_of_a_large_epsilon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    column = {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}
    Path("schema.json").write_text(json.dumps({"label": "ill", "columns": [column]}))
    Path("t.csv").write_text("age,ill\n1,0\n2,1\n")
    for epsilon, warned in (("20", True), ("1", False)):
        wishes = ["--concepts", "thresholds:age", "--epsilon", epsilon, "--dry-run"]
        assert run(["learn", "t.csv", "--schema", "schema.json", *wishes]) == 0
        assert (f"Epsilon {epsilon} is large" in capsys.readouterr().err) == warned


@pytest.mark.parametrize("ledger", [False, True])
def test_that_nobody_counts_is_said_before_anything_is_drawn(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, ledger: bool
) -> None:
    said: list[str] = []

    def look(*wishes: object, **more: object) -> None:
        said.append(capsys.readouterr().err)
        raise PrivpacError("Stopped before the draw.")

    monkeypatch.setattr("privpac.learning.learn_as", look)
    assert run(["ledger", "create", "budget.sqlite", "--epsilon", "3"]) == 0
    learn("--out", "model.json", *(("--ledger", "budget.sqlite") if ledger else ()))
    assert [UNCOUNTED in text for text in said] == [not ledger]
    assert run(["ledger", "create", "budget.sqlite"]) != 0  # the command that is advised names a total
    assert "privpac ledger create budget.sqlite --epsilon TOTAL" in UNCOUNTED
