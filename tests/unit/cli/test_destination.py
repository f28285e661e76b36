"""What was paid for is never lost: no file is overwritten unasked, and nothing is charged for what nobody keeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from privpac import Ledger
from privpac.cli.app import run

AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}
LEARN = ("learn", "data.csv", "--schema", "schema.json", "--concepts", "thresholds:age", "--epsilon", "1")
RELEASE = ("release", "data.csv", "--schema", "schema.json", "--column", "age", "--epsilon", "1")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 100},{int(i % 100 >= 60)}" for i in range(400)]
    (tmp_path / "data.csv").write_text("\n".join(["age,ill", *rows]) + "\n")
    (tmp_path / "schema.json").write_text(json.dumps({"label": "ill", "columns": [AGE]}))
    assert run([*LEARN, "--out", "made.json"]) == 0
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        (*LEARN, "--out", "FILE"),
        (*LEARN, "--report", "FILE"),
        ("explain", "made.json", "--report", "FILE"),
        ("explain", "made.json", "--picture", "FILE"),
        ("predict", "made.json", "data.csv", "--out", "FILE"),
        ("schema", "data.csv", "--out", "FILE"),
        (*RELEASE, "--method", "tree", "--out", "FILE"),
        (*RELEASE, "--method", "tree", "--out", "other.csv", "--certificate", "FILE"),
    ],
)
def test_a_file_is_overwritten_only_by_force(
    place: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    name = "old.svg" if "--picture" in command else "old.csv"
    (place / name).write_text("precious")
    arguments = [name if word == "FILE" else word for word in command]
    capsys.readouterr()
    assert run(arguments) == 2
    assert "--force" in capsys.readouterr().err
    assert (place / name).read_text() == "precious"
    assert run([*arguments, "--force"]) == 0
    assert (place / name).read_text() != "precious"


def test_a_ledger_is_not_charged_for_a_model_that_nobody_keeps(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = Ledger.create("book.sqlite", epsilon=5)
    assert run([*LEARN, "--ledger", "book.sqlite"]) == 2
    assert "--out model.json" in capsys.readouterr().err
    assert ledger.spent.epsilon == 0
    assert run([*LEARN, "--ledger", "book.sqlite", "--dry-run"]) == 0  # spends nothing
    assert "would charge epsilon 1, delta 0; the ledger has epsilon 5 left" in capsys.readouterr().out
    assert run([*LEARN, "--ledger", "book.sqlite", "--json"]) == 0  # prints the model itself
    assert ledger.spent.epsilon == 1
