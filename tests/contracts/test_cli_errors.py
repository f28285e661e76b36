"""Bad input at the command line: one sentence that names it, no private value, nothing written or spent.

Every case runs with a ledger and with --out, and both are looked at afterwards.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from privpac import Ledger
from privpac.cli import main
from privpac.constructions import words

SECRETS = ("41.73", "Zanzibar", "Quetzal", "1987-06-05")
"""Values that only occur in records."""

HEADER = "age,weight,town,born,ill"
ROWS = [f"{30 + i},41.73,here,1987-06-05,{i % 2}" for i in range(20)]
SCHEMA: dict[str, Any] = {
    "label": "ill",
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 0, "upper": 100, "integer": True},
        {"name": "weight", "kind": "numeric", "lower": 0, "upper": 300},
        {"name": "town", "kind": "categorical", "categories": ["here", "there"]},
        {"name": "born", "kind": "date", "lower": "1900-01-01", "upper": "2030-01-01"},
    ],
}


PYTHON = re.compile(r"\bis None\b|\bTrue\b|\b[a-z]+_[a-z]+(?= is\b|=)|\b[a-z]+=|^[A-Za-z]+: |\(\d+,\)")
"""What Python writes and nobody types: values, parameters with underscores, assignments, the name of a function."""


@dataclass(frozen=True)
class Case:
    """What is wrong, what the sentence must name, and how the input is spoilt."""

    name: str
    mentions: tuple[str, ...]
    options: tuple[str, ...] = ()
    spoil: Callable[[Path], object] = lambda place: None
    data: str = "data.csv"
    schema: str | None = "schema.json"
    code: int = 2


def table(*rows: str, header: str = HEADER, name: str = "data.csv") -> Callable[[Path], object]:
    return lambda place: (place / name).write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")


def with_row(row: str) -> Callable[[Path], object]:
    return table(*ROWS, row)


def schema(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    def spoil(place: Path) -> None:
        tree = json.loads(json.dumps(SCHEMA))
        change(tree)
        (place / "schema.json").write_text(json.dumps(tree))

    return spoil


def column(index: int, **entries: object) -> Callable[[Path], object]:
    return schema(lambda tree: tree["columns"][index].update(entries))


def raw_schema(text: str) -> Callable[[Path], object]:
    return lambda place: (place / "schema.json").write_text(text)


def cut_short(place: Path) -> None:
    packed = gzip.compress(("\n".join([HEADER, *ROWS * 50])).encode())
    (place / "data.csv.gz").write_bytes(packed[: len(packed) // 2])


TWICE = json.dumps(SCHEMA).replace('"weight"', '"age"')
SINGLE = [row[:-1] + "1" for row in ROWS]

CASES = [
    Case("no schema", ("schema", "privpac schema DATA"), schema=None),
    Case("schema file absent", ("nowhere.json",), schema="nowhere.json"),
    Case("schema not json", ("schema.json", "JSON"), spoil=raw_schema('{"label": "ill"')),
    Case("schema without label", ("label",), spoil=schema(lambda tree: tree.pop("label"))),
    Case("schema bounds contradict", ("'age'", "lower", "upper"), spoil=column(0, lower=200)),
    Case("schema bound blank", ("'age'", "lower"), spoil=column(0, lower=None)),
    Case("schema column twice", ("'age'", "twice"), spoil=raw_schema(TWICE)),
    Case("schema kind unknown", ("'age'", "kind"), spoil=column(0, kind="number")),
    Case("schema key of another kind", ("'town'", "lower"), spoil=column(2, lower=3)),
    Case("label among the columns", ("'age'", "label"), spoil=schema(lambda tree: tree.update(label="age"))),
    Case("class twice", ("'ill'", "twice"), spoil=schema(lambda tree: tree.update(classes=["0", 0]))),
    Case("one class declared", ("'ill'", "class"), spoil=schema(lambda tree: tree.update(classes=["0"]))),
    Case("column of the schema absent", ("'height'",), spoil=column(0, name="height")),
    Case("label column absent", ("'sick'",), spoil=schema(lambda tree: tree.update(label="sick"))),
    Case("column of the word unknown", ("'height'",), ("--concepts", "thresholds:height")),
    Case("column of the word left out", ("thresholds:COLUMN",), ("--concepts", "thresholds")),
    Case("column without an order", ("town", "order"), ("--concepts", "thresholds:town")),
    Case("NaN cell", ("'weight'", "NaN"), spoil=with_row("30,nan,here,1987-06-05,1")),
    Case("infinite cell", ("'weight'", "infinite"), spoil=with_row("30,inf,here,1987-06-05,1")),
    Case("empty cell", ("'weight'", "missing"), spoil=with_row("30,,here,1987-06-05,1")),
    Case("text in a number", ("'weight'",), spoil=with_row("30,Zanzibar,here,1987-06-05,1")),
    Case("text in an integer", ("'age'",), spoil=with_row("Zanzibar,41.73,here,1987-06-05,1")),
    Case("no date", ("'born'",), spoil=with_row("30,41.73,here,Zanzibar,1")),
    Case("category not declared", ("'town'", "categories"), spoil=with_row("30,1,Zanzibar,1987-06-05,1")),
    Case("label not declared", ("'ill'", "class"), spoil=with_row("30,41.73,here,1987-06-05,Quetzal")),
    Case("label empty", ("'ill'",), spoil=with_row("30,41.73,here,1987-06-05,")),
    Case("ragged row", ("data.csv",), spoil=with_row("30,41.73,Zanzibar")),
    Case("no records", ("no records",), spoil=table()),
    Case("no header", ("header",), spoil=lambda place: (place / "data.csv").write_text("")),
    Case("column name twice", ("'age'", "two columns"), spoil=table(*ROWS, header="age,age,town,born,ill")),
    Case("table absent", ("nowhere.csv",), data="nowhere.csv"),
    Case("no file of a pattern", ("no file", "pattern"), data="nothing-*.parquet"),
    Case("unknown ending", ("data.doc", ".csv"), spoil=table(*ROWS, name="data.doc"), data="data.doc"),
    Case("damaged archive", ("data.csv.gz",), spoil=cut_short, data="data.csv.gz"),
    Case(
        "single class read from the data",
        ("'ill'", "single class", "schema"),
        ("--label", "ill"),
        table(*SINGLE),
        schema="from_data",
    ),
    Case("label not named", ("label",), schema="from_data"),
    Case("label named twice over", ("label", "schema"), ("--label", "ill")),
    *(
        Case(f"epsilon {text}", ("epsilon", "positive"), ("--epsilon", text))
        for text in ("0", "-1", "nan", "inf", "much", "", "1/0", "1e999999999", "0x1")
    ),
    *(Case(f"delta {text}", ("delta",), ("--delta", text)) for text in ("-0.1", "1", "nan", "few")),
    *(
        Case(f"{name} {text}", (f"--{name}",), (f"--{name}", text))
        for name in ("estimate-epsilon", "leaf-epsilon")
        for text in ("0", "-1", "nan", "some")
    ),
    Case("leaves of no tree", ("--leaf-epsilon", "tree"), ("--leaf-epsilon", "1", "--concepts", "stumps")),
    *(
        Case(f"holdout {text}", ("holdout",), ("--estimate-epsilon", "1", "--holdout", text))
        for text in ("1", "-0.1", "nan", "half")
    ),
    Case(
        "holdout without an estimate",
        ("--holdout", "--estimate-epsilon"),
        ("--holdout", "0.5", "--estimate-epsilon", "none"),
    ),
    Case("holdout of no record", ("hold-out",), ("--estimate-epsilon", "1", "--holdout", "0.01")),
    *(
        Case(f"costs {text}", ("costs",), ("--costs", text, "--concepts", "stumps"))
        for text in ("1,0", "1", "1,-2", "1,2,3", "a,b", "1.5,2", "")
    ),
    Case("records per person 0", ("--records-per-person",), ("--records-per-person", "0")),
    Case("records per person text", ("--records-per-person",), ("--records-per-person", "two")),
    Case("random state text", ("--random-state",), ("--random-state", "x")),
    Case("unknown option", ("--epsilom",), ("--epsilom", "1")),
    Case(
        "unknown word", ("concepts", *(word.form for word in words.WORDS.values())), ("--concepts", "forests")
    ),
    Case("unknown protection", ("protect", "records", "labels"), ("--protect", "everybody")),
    Case(
        "protection not built yet",
        ("protect", "does not exist yet"),
        ("--protect", "labels", "--concepts", "clauses:2"),
    ),
    Case(
        "bundle of an unknown base",
        ("base", "vote:logistic"),
        ("--protect", "predictions", "--answers", "5", "--concepts", "forests", "--out", "bundle"),
    ),
    Case(
        "bundle over a folder",
        ("out", "does not exist yet"),
        ("--protect", "predictions", "--answers", "5", "--out", "."),
    ),
    Case(
        "bundle with costs",
        ("costs", "left out"),
        ("--protect", "predictions", "--costs", "1,2", "--out", "bundle"),
    ),
    Case(
        "bundle charged at once",
        ("ledger", "privpac predict"),
        ("--protect", "predictions", "--ledger", "ledger.db", "--out", "bundle"),
    ),
    Case("answers without a bundle", ("answers", "--protect predictions"), ("--answers", "5")),
    Case("out in no folder", ("out", "folder"), ("--out", "nowhere/model.json")),
    Case("out is a folder", ("out", "folder"), ("--out", ".")),
    Case("out over the table", ("out", "data.csv"), ("--out", "data.csv")),
    Case("out over the schema", ("out", "schema.json"), ("--out", "./schema.json")),
    Case("out over the ledger", ("out", "ledger.db"), ("--out", "ledger.db")),
    Case(
        "out over the ledger's URL",
        ("out", "ledger.db"),
        ("--ledger", "sqlite:///ledger.db", "--out", "ledger.db"),
    ),
    Case("ledger at a strange URL", ("mysql://...",), ("--ledger", "mysql://me:secret@host/db")),
    Case("report over the model", ("report", "model.json"), ("--report", "model.json")),
    Case("report in no folder", ("report", "folder"), ("--report", "nowhere/report.html")),
    Case("ledger absent", ("nowhere.db",), ("--ledger", "nowhere.db")),
    Case("ledger is no ledger", ("data.csv",), ("--ledger", "data.csv")),
    Case("budget refused", ("epsilon 7", "epsilon 5"), ("--epsilon", "7", "--concepts", "stumps"), code=3),
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    table(*ROWS)(tmp_path)
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    Ledger(epsilon=5, path="ledger.db")
    return tmp_path


def arguments(case: Case) -> list[str]:
    listed = ["learn", case.data, "--out", "model.json", "--ledger", "ledger.db"]
    if "--epsilon" not in case.options:
        listed += ["--epsilon", "1"]
    if case.schema is not None:
        listed += ["--schema", case.schema]
    return [*listed, *case.options]


def contents(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(place.iterdir()) if path.name != "ledger.db"}


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_one_sentence_nothing_written_nothing_spent(
    case: Case, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case.spoil(place)
    before = contents(place)
    code = main(arguments(case))
    out, err = capsys.readouterr()
    assert (code, out) == (case.code, "")
    assert len(err.splitlines()) == 1
    for text in case.mentions:
        assert text in err
    assert PYTHON.search(err) is None
    code = main([*arguments(case), "--json"])
    out, document = capsys.readouterr()
    assert (code, out) == (case.code, "")
    tree = json.loads(document)
    assert set(tree) <= {"error", "remedy", "kind", "parameter", "column"}
    assert " ".join(f"{tree['error']} {tree['remedy']}".split()) == err.strip()
    for secret in (*SECRETS, "Traceback"):
        assert secret not in err + document
    assert contents(place) == before
    assert Ledger.open("ledger.db").entries() == ()


def test_the_good_case_is_good(place: Path) -> None:
    assert main(arguments(Case("good", ()))) == 0
    assert main(["verify", "model.json"]) == 0
    assert Ledger.open("ledger.db").spent.epsilon == 1


def good_model(place: Path) -> str:
    assert main([*arguments(Case("good", ())), "--concepts", "thresholds:age"]) == 0
    return (place / "model.json").read_text(encoding="utf-8")


VERBS = (
    ["verify", "bad.json"],
    ["explain", "bad.json"],
    ["predict", "bad.json", "data.csv", "--out", "p.csv"],
)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.99])
def test_a_truncated_model_is_refused_by_every_verb(
    share: float, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = good_model(place)
    (place / "bad.json").write_text(text[: int(share * len(text))])
    for verb in VERBS:
        capsys.readouterr()
        assert main(verb) == 4
        out, err = capsys.readouterr()
        assert out == ""
        assert "bad.json" in err
        assert len(err.splitlines()) == 1
    assert not (place / "p.csv").exists()


def test_an_edited_model_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "bad.json").write_text(good_model(place).replace('"epsilon": "1"', '"epsilon": "0.5"', 1))
    for verb in VERBS:
        capsys.readouterr()
        assert main(verb) == 4
        assert "digest" in capsys.readouterr().err


def forged(tree: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    from privpac.model import digest

    node: Any = tree
    for key in path[:-1]:
        node = node[key]
    if value is None:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return {**tree, "digest": digest(tree)}


FORGERIES: list[tuple[tuple[Any, ...], Any]] = [
    (("certificate", "epsilon"), "0.5"),
    (("certificate", "epsilon"), None),
    (("certificate", "epsilon"), "cheap"),
    (("certificate", "delta"), []),
    (("certificate", "assumptions"), ["nothing"]),
    (("certificate", "coins"), None),
    (("certificate", "labelled"), 10**9),
    (("certificate", "request"), None),
    (("certificate", "request"), []),
    (("certificate", "request", "epsilon"), "0.5"),
    (("certificate", "request", "concepts"), 7),
    (("certificate", "request", "labelled"), "many"),
    (("certificate", "privacy"), None),
    (("certificate", "privacy"), "trust me"),
    (("certificate", "privacy", "rule"), "because"),
    (("certificate", "privacy", "fact", "epsilon", "log"), "1/0"),
    (("certificate", "privacy", "premises"), []),
    (("certificate", "accuracy"), {}),
    (("certificate", "accuracy"), [1]),
    (("certificate", "format"), "privpac-certificate/0"),
    (("certificate",), None),
    (("certificate",), 3),
    (("hypothesis",), None),
    (("hypothesis", "kind"), "oracle"),
    (("hypothesis", "cut"), None),
    (("hypothesis", "column"), "height"),
    (("schema",), None),
    (("schema", "columns"), "none"),
    (("estimate",), {"counts": 1}),
    (("version",), None),
]


@pytest.mark.parametrize(("path", "value"), FORGERIES, ids=[str(number) for number in range(len(FORGERIES))])
def test_a_forged_model_does_not_verify(
    path: tuple[Any, ...], value: Any, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The digest is recomputed, so only the content can give the forgery away."""
    tree = forged(json.loads(good_model(place)), path, value)
    (place / "bad.json").write_text(json.dumps(tree))
    capsys.readouterr()
    assert main(["verify", "bad.json"]) == 4
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1


def test_predicting_needs_the_columns_and_shows_no_value(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good_model(place)
    table("41.73,1", header="weight,ill", name="less.csv")(place)
    capsys.readouterr()
    assert main(["predict", "model.json", "less.csv", "--out", "p.csv"]) == 2
    assert "'age'" in capsys.readouterr().err
    table("Zanzibar,41.73,here,1987-06-05", header="age,weight,town,born", name="odd.csv")(place)
    assert main(["predict", "model.json", "odd.csv", "--out", "p.csv"]) == 2
    err = capsys.readouterr().err
    assert "'age'" in err
    assert "Zanzibar" not in err
    assert not (place / "p.csv").exists()


def test_files_that_are_not_there(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for verb in (["verify", "no.json"], ["explain", "no.json"], ["predict", "no.json", "data.csv"]):
        assert main(verb) == 2
        assert "no.json" in capsys.readouterr().err
    assert main(["schema", "no.csv"]) == 2
    assert "no.csv" in capsys.readouterr().err
    assert main(["ledger", "show", "no.db"]) == 2
    assert "--epsilon" in capsys.readouterr().err
    assert main(["schema", "data.csv", "--label", "sick"]) == 2
    assert "'sick'" in capsys.readouterr().err
    assert not (place / "no.db").exists()
