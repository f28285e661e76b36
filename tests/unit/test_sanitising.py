"""Released tables: from a table to synthetic records in a file, with a certificate that is checked and made anew."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import privpac
from privpac import Ledger, MemorySample, Schema, load_table, release_table, verify
from privpac.checker.document import digest
from privpac.cli import main
from privpac.constructions.release.methods import METHODS
from privpac.errors import BudgetExceeded, NotCertified, ParameterError, SizeError, TooFewRecords

SCHEMA: dict[str, Any] = {
    "label": "ill",
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
        {"name": "weight", "kind": "numeric", "lower": 0, "upper": 300},
        {"name": "town", "kind": "categorical", "categories": ["here", "there"]},
        {"name": "born", "kind": "date", "lower": "1900-01-01", "upper": "2030-01-01"},
        {"name": "smokes", "kind": "boolean"},
    ],
}


def table(n: int = 3000) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    ages = np.clip(rng.normal(50, 15, n), 0, 120).astype(int)
    return {
        "age": ages,
        "weight": rng.uniform(40, 120, n).round(1),
        "town": rng.choice(["here", "there"], n, p=[0.7, 0.3]),
        "born": [f"{2020 - age}-05-17" for age in ages],
        "smokes": rng.random(n) < 0.2,
        "ill": (ages > 60).astype(int),
    }


@pytest.mark.parametrize("method", [m for m in METHODS if m != "points"])
@pytest.mark.parametrize("column", ["age", "weight", "born"])
def test_ranges_are_answered_in_the_columns_own_units(column: str, method: str) -> None:
    data = table()
    spent = {"delta": "0.000001"} if METHODS[method].uses_delta else {}
    released = release_table(
        data, schema=SCHEMA, columns=column, epsilon=4, method=method, random_state=1, **spent
    )
    low, high = {"age": (30, 60), "weight": (60.0, 90.0), "born": ("1960-01-01", "1990-01-01")}[column]
    true = np.mean([low <= value < high for value in data[column]])
    promised = {fact.queries.value: float(fact.error) for fact in released.promises}
    assert abs(released.query(low, high) - true) <= promised["ranges"]
    assert released.query() == 1
    assert (
        abs(released.query(high=high) - np.mean([v < high for v in data[column]])) <= promised["thresholds"]
    )


def test_combinations_are_answered_and_written_with_the_label() -> None:
    data = table()
    released = release_table(
        data, schema=SCHEMA, columns=["town", "smokes", "ill"], epsilon=2, random_state=1
    )
    error = float(released.promises[0].error)
    rows = zip(data["town"], data["smokes"], data["ill"], strict=True)
    true = np.mean([row == ("here", True, 1) for row in rows])
    assert abs(released.share(town="here", smokes=True, ill=1) - true) <= error
    records = released.records()
    assert set(records) == {"town", "smokes", "ill"}
    again = MemorySample.of(records, released.schema)
    assert again.size.labelled == len(records["ill"])


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_records_are_written_in_the_same_schema(tmp_path: Path, ending: str) -> None:
    for columns in ("age", "weight", "born", ["town", "smokes", "age", "ill"]):
        released = release_table(table(500), schema=SCHEMA, columns=columns, epsilon=5, random_state=1)
        count = released.write(tmp_path / f"made{ending}")
        labelled = "ill" in released.columns
        again = MemorySample.of(str(tmp_path / f"made{ending}"), released.schema, labelled=labelled)
        assert again.size.total == count
        for name in set(released.columns) - {"ill"}:
            cells = released.table.records(released.schema).block().cells[name]
            assert again.block().cells[name].tolist() == cells.tolist()
    with pytest.raises(ParameterError) as refused:
        released.write(tmp_path / "made.xlsx")
    assert refused.value.parameter == "out"


def test_whole_numbers_beyond_64_bits_are_written_as_text(tmp_path: Path) -> None:
    wide = {
        "label": "y",
        "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 2**70, "integer": True}],
    }
    released = release_table(
        {"x": [2**69] * 2000}, schema=wide, columns="x", method="blr", epsilon=5, random_state=1
    )
    released.write(tmp_path / "x.parquet")
    found = duckdb.sql(f"SELECT DISTINCT x FROM '{tmp_path / 'x.parquet'}'").fetchall()
    assert found == [(str(2**69),)]


def test_saved_loaded_and_verified(tmp_path: Path) -> None:
    for columns, method in (
        ("age", "tree"),
        ("age", "quantiles"),
        ("age", "blr"),
        (["town", "ill"], "points"),
    ):
        released = release_table(
            table(),
            schema=SCHEMA,
            columns=columns,
            method=method,
            epsilon="0.7",
            records_per_person=2,
            random_state=4,
        )
        released.save(tmp_path / "t.json")
        assert load_table(tmp_path / "t.json") == released
        found = verify(tmp_path / "t.json")
        assert found.rebuilt
        assert found.epsilon == "0.7"
        assert not found.for_release
        assert "no person stands behind more than 2 records" in found.assumptions
        assert "Privacy" in released.explain()


def _edited(path: Path, change: Any) -> Path:
    tree = json.loads(path.read_text(encoding="utf-8"))
    change(tree)
    tree["digest"] = digest(tree)
    path.write_text(json.dumps(tree), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree["certificate"]["request"].update(method="quantiles"),
        lambda tree: tree["certificate"]["request"].update(epsilon="0.1"),
        lambda tree: tree["certificate"].update(unlabelled=5),
        lambda tree: tree["table"].update(extra=1),
        lambda tree: tree["table"].update(buckets=[["0", "999", 3]]),
        lambda tree: tree["table"].update(kind="other"),
        lambda tree: tree.update(version=3),
        lambda tree: tree["schema"]["columns"].clear(),
    ],
)
def test_an_edited_table_is_refused(tmp_path: Path, change: Any) -> None:
    released = release_table(table(), schema=SCHEMA, columns="age", method="tree", random_state=1)
    released.save(tmp_path / "t.json")
    with pytest.raises(NotCertified):
        verify(_edited(tmp_path / "t.json", change))


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    released = release_table(table(), schema=SCHEMA, columns="age", random_state=1)
    released.save(tmp_path / "t.json")
    text = (tmp_path / "t.json").read_text(encoding="utf-8")
    (tmp_path / "t.json").write_text(text.replace('"column": "age"', '"column": "eye"'), encoding="utf-8")
    with pytest.raises(NotCertified, match="changed after"):
        load_table(tmp_path / "t.json")


@pytest.mark.long
def test_a_table_too_small_is_refused_before_anything_is_spent() -> None:
    ledger = Ledger(epsilon=3)
    with pytest.raises(TooFewRecords, match=r"records would do") as refused:
        release_table(table(), schema=SCHEMA, columns="weight", error="0.001", ledger=ledger)
    assert ledger.spent.epsilon == 0
    assert refused.value.needed > 100_000
    assert Fraction(1, 1000) < refused.value.reachable < 1
    # Of three methods the one that needs fewest records is named.
    for method in ("tree", "quantiles", "blr"):
        with pytest.raises(TooFewRecords) as other:
            release_table(table(), schema=SCHEMA, columns="weight", error="0.001", method=method)
        assert other.value.needed >= refused.value.needed


def test_the_ledger_is_charged_once_and_refuses() -> None:
    ledger = Ledger(epsilon=1)
    release_table(table(), schema=SCHEMA, columns="age", epsilon="0.8", ledger=ledger)
    assert ledger.spent.epsilon == Fraction(4, 5)
    assert [entry.note for entry in ledger.entries()] == ["release age"]
    with pytest.raises(BudgetExceeded):
        release_table(table(), schema=SCHEMA, columns="age", epsilon="0.8", ledger=ledger)


def test_auto_takes_the_best_promise() -> None:
    few = release_table(table(), schema=SCHEMA, columns="age", random_state=1)
    assert few.certificate["learner"]["name"] == "tree-counts"
    wide = release_table(table(9000), schema=SCHEMA, columns="weight", random_state=1)
    assert wide.certificate["learner"]["name"] in ("threshold-blr", "quantiles")
    asked = release_table(table(), schema=SCHEMA, columns="age", error="0.2", random_state=1)
    assert asked.promises[0].error <= Fraction(1, 5)
    assert release_table(table(), schema=SCHEMA, columns="town", random_state=1).columns == ("town",)


def test_a_schema_from_data_marks_the_certificate() -> None:
    released = release_table(
        table(), schema="from_data", columns="age", label="ill", method="tree", random_state=1
    )
    assert any("read from the data" in text for text in released.certificate["assumptions"])


def test_wrong_wishes_are_told() -> None:
    make = lambda **wishes: release_table(table(50), schema=SCHEMA, anyway=True, **wishes)  # noqa: E731
    with pytest.raises(ParameterError) as refused:
        make(columns="age", method="forest")
    assert refused.value.parameter == "method"
    with pytest.raises(ParameterError) as refused:
        make(columns=["age", "weight"], method="tree")
    assert refused.value.parameter == "columns"
    with pytest.raises(ParameterError) as refused:
        make(columns="age", records_per_person=0)
    assert refused.value.parameter == "records_per_person"
    with pytest.raises(privpac.PrivpacError) as refused:
        make(columns="eye")
    assert refused.value.column == "eye"
    with pytest.raises(SizeError, match="at least one record"):
        release_table({"age": []}, schema=SCHEMA, columns="age")
    released = make(columns=["town"], random_state=1)
    with pytest.raises(ParameterError) as refused:
        released.query(1, 2)
    assert refused.value.parameter == "query"
    with pytest.raises(ParameterError) as refused:
        released.share(age=3)
    assert refused.value.parameter == "share"
    with pytest.raises(ParameterError) as refused:
        make(columns="age", method="tree", random_state=1).share(age=3)
    assert refused.value.parameter == "share"


def test_streamed_files_are_counted_too(tmp_path: Path) -> None:
    data = table(400)
    for part in range(2):
        with (tmp_path / f"part{part}.csv").open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(data)
            writer.writerows(list(zip(*data.values(), strict=True))[part::2])
    for columns in ("age", ["age", "ill"]):
        streamed, held = (
            release_table(source, schema=SCHEMA, columns=columns, random_state=1, epsilon=3)
            for source in (str(tmp_path / "*.csv"), data)
        )
        assert streamed.table == held.table


class TestCommand:
    @pytest.fixture
    def place(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        data = table(1500)
        with (tmp_path / "data.csv").open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(data)
            writer.writerows(zip(*data.values(), strict=True))
        (tmp_path / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        return tmp_path

    def run(self, *options: str, column: str = "age", out: str = "made.csv") -> int:
        base = ["release", "data.csv", "--schema", "schema.json", "--epsilon", "1", "--column", column]
        return main([*base, "--out", out, *options])

    def test_records_and_certificate(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert self.run() == 0
        said = capsys.readouterr()
        assert "1,500 synthetic records of age, by tree-counts." in said.out
        assert "All ranges are answered within" in said.out
        assert "Wrote the records to made.csv and the certificate to made.json." in said.err
        assert len((place / "made.csv").read_text(encoding="utf-8").splitlines()) == 1501
        assert main(["verify", "made.json"]) == 0

    def test_json_parquet_and_full(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert self.run("--json", "--random-state", "1", column="town,ill", out="made.parquet") == 0
        tree = json.loads(capsys.readouterr().out)
        assert tree["promises"][0]["queries"] == "points"
        assert tree["columns"] == ["town", "ill"]
        assert tree["warnings"]
        assert self.run("--full", "--certificate", "why.json") == 0
        assert "[geometric noise]" in capsys.readouterr().out
        assert (place / "why.json").exists()

    def test_refusals_spend_nothing(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["ledger", "create", "budget.db", "--epsilon", "5"]) == 0
        capsys.readouterr()
        assert self.run("--error", "0.0001", "--ledger", "budget.db") == 2
        assert "records would do" in capsys.readouterr().err
        assert self.run(out="made.txt") == 2
        assert ".csv or .parquet" in capsys.readouterr().err
        assert self.run("--certificate", "schema.json") == 2
        capsys.readouterr()
        assert self.run("--ledger", "budget.db", "--epsilon", "9") == 3
        assert not (place / "made.csv").exists()
        assert Ledger.open(place / "budget.db").spent.epsilon == 0

    def test_too_few_records_for_any_promise(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["ledger", "create", "budget.db", "--epsilon", "5"]) == 0
        assert self.run("--epsilon", "0.001", "--ledger", "budget.db") == 2
        assert "promise nothing" in capsys.readouterr().err
        assert Ledger.open(place / "budget.db").spent.epsilon == 0
        assert self.run("--epsilon", "0.001", "--anyway") == 0
        assert "Nothing is promised" in capsys.readouterr().out


def test_schemas_are_narrowed() -> None:
    released = release_table(
        table(60), schema=Schema.from_json(SCHEMA), columns="ill", epsilon=3, random_state=1
    )
    assert released.columns == ("ill",)
    assert set(released.records()) == {"ill"}


def test_without_columns_the_whole_table_is_released(tmp_path: Path) -> None:
    few = {
        **SCHEMA,
        "columns": [column for column in SCHEMA["columns"] if column["name"] in ("town", "smokes")],
    }
    released = release_table(table(), schema=few, epsilon=2, random_state=1)
    assert released.columns == ("town", "smokes", "ill")
    assert released == release_table(
        table(), schema=few, columns=["town", "smokes", "ill"], epsilon=2, random_state=1
    )
    asked = ["release", "x.csv", "--schema", "s.json", "--epsilon", "1", "--column", ","]
    assert main([*asked, "--out", str(tmp_path / "o.csv")]) == 2
