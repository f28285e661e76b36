"""`privpac release` says when a table of all columns would keep next to nothing of the records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from privpac.cli import main

COLUMNS = [
    {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True},
    {"name": "dose", "kind": "numeric", "lower": 0, "upper": 999, "integer": True},
    {"name": "smoker", "kind": "boolean"},
]


@pytest.mark.parametrize(("columns", "warned"), [("age,dose", True), ("age,smoker", False), ("age", False)])
def test_more_possible_rows_than_records_are_warned_of(
    columns: str,
    warned: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("schema.json").write_text(json.dumps({"label": "ill", "columns": COLUMNS}))
    rows = [f"{k % 100},{k * 7 % 1000},{k % 2},{k % 3 % 2}" for k in range(400)]
    Path("t.csv").write_text("age,dose,smoker,ill\n" + "\n".join(rows) + "\n")
    wishes = ["--schema", "schema.json", "--epsilon", "1", "--column", columns, "--out", "new.csv"]
    assert main(["release", "t.csv", *wishes]) == 0
    assert ("more possible rows of these columns than records" in capsys.readouterr().err) == warned
