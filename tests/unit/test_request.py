"""What is asked is read once: numbers as they were written, in one range, and every door makes and refuses the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import MISSING, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privpac import Ledger, PrivateClassifier, PrivatePredictor, learn, release_table
from privpac.asking import Asking
from privpac.cli.app import run
from privpac.comparison import compare_models
from privpac.constructions.words import WORDS
from privpac.data.schema import Schema
from privpac.errors import ParameterError, PrivpacError
from privpac.request import (
    LEAST_EPSILON,
    MOST_EPSILON,
    AskRequest,
    LearnRequest,
    LearnWishes,
    PlanRequest,
    PlanWishes,
    ReleaseRequest,
    ReleaseWishes,
    Requested,
    read_epsilon,
    warning_of_large,
)

COLUMNS = [
    {"name": "a", "kind": "numeric", "lower": 0, "upper": 15, "integer": True},
    {"name": "b", "kind": "numeric", "lower": 0, "upper": 7, "integer": True},
]
SCHEMA = Schema.from_json({"label": "y", "classes": [0, 1], "columns": COLUMNS})
N = 40
TABLE = {
    "a": [i % 16 for i in range(N)],
    "b": [i % 8 for i in range(N)],
    "y": [i % 16 // 8 for i in range(N)],
}
BEYOND = [
    "1e400",
    "1e-400",
    "1e7",
    "1e-13",
    1e300,
    Fraction(1, 10**13),
    "0",
    "-1",
    "nan",
    "1/0",
    "much",
    True,
    None,
]


DELTAS = {"recconcave": Fraction(1, 10**6), "blocks": Fraction(1, 10**6), "stable": Fraction(1, 10)}

REFUSED = {
    ("blocks", LEAST_EPSILON): "at most 1/2 and half of epsilon",
    ("agnostic", LEAST_EPSILON): r"needs at least \d+ records",
    ("agnostic", MOST_EPSILON): "at most 50",
    ("subsampled", LEAST_EPSILON): "lose by themselves",
}


def _words() -> list[tuple[str, str]]:
    parts = {
        "COL,COL": "a,b",
        "COLUMN": "a",
        "BITS": "3",
        "DEPTH": "2",
        "D1+D2": "1+1",
        "ROUNDS": "2",
        "K": "2",
        "RATE": "0.1",
        "WORD": "thresholds:a",
        "FILE": '["a >= 8","b < 4"]',
    }
    words = []
    for entry in WORDS.values():
        word = entry.form.partition(" ")[0].translate({ord("["): "", ord("]"): ""})
        for part, value in parts.items():
            word = word.replace(part, value)
        words += [(word, protect) for protect in entry.protects]
    return words


def boundaries(ledger: Ledger) -> dict[str, Callable[[Any], object]]:
    """Everything that takes an epsilon from a person."""
    table: dict[str, Any] = {"schema": SCHEMA, "ledger": ledger}
    model = learn(TABLE, schema=SCHEMA, concepts="stumps", epsilon=1, random_state=1)
    rows = [list(row) for row in zip(TABLE["a"], TABLE["b"], strict=True)]
    return {
        "learn": lambda e: learn(TABLE, concepts="stumps", epsilon=e, **table),
        "estimate": lambda e: learn(TABLE, concepts="stumps", estimate_epsilon=e or "no", **table),
        "leaves": lambda e: learn(TABLE, concepts="trees:1", leaf_epsilon=e or "no", **table),
        "few labels": lambda e: learn(TABLE, concepts="stumps", epsilon=e, unlabelled=True, **table),
        "release": lambda e: release_table(TABLE, columns="a", epsilon=e, **table),
        "classifier": lambda e: PrivateClassifier(epsilon=e, concepts="stumps", **table).fit(
            rows, TABLE["y"]
        ),
        "answers": lambda e: PrivatePredictor("predict-by-vote:stumps", e, ledger, schema=SCHEMA),
        "ask": lambda e: Asking.start(1000, schema=SCHEMA, concepts="stumps", epsilon=e, labels=100),
        "compare": lambda e: compare_models(TABLE, model, model, epsilon=e, ledger=ledger),
    }


@pytest.mark.parametrize("epsilon", BEYOND)
def test_what_lies_beyond_the_range_is_refused_alike_everywhere_and_never_charged(epsilon: object) -> None:
    ledger = Ledger(epsilon=10**9)
    for name, ask in boundaries(ledger).items():
        with pytest.raises(ParameterError, match="positive number from 1e-12 to 1e6") as refusal:
            ask(epsilon)
        assert "epsilon" in str(refusal.value), name
    assert ledger.spent.epsilon == 0


@pytest.mark.parametrize("epsilon", ["1e400", "1e-400"])
@pytest.mark.parametrize("verb", ["learn", "release", "predictions", "active"])
def test_the_command_line_says_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str, epsilon: str
) -> None:
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA.to_json()))
    lines = [",".join(TABLE), *(",".join(map(str, row)) for row in zip(*TABLE.values(), strict=True))]
    (tmp_path / "data.csv").write_text("\n".join(lines))
    data, common = (
        str(tmp_path / "data.csv"),
        ["--schema", str(tmp_path / "schema.json"), "--epsilon", epsilon],
    )
    command = {
        "learn": ["learn", data],
        "release": ["release", data, "--column", "a", "--out", str(tmp_path / "out.csv")],
        "predictions": ["learn", data, "--protect", "predictions", "--concepts", "predict-by-vote:stumps"],
        "active": ["active", "ask", data, str(tmp_path / "asked"), "--concepts", "stumps", "--labels", "10"],
    }[verb]
    assert run([*command, *common]) == 2
    assert "positive number from 1e-12 to 1e6" in capsys.readouterr().err


@pytest.mark.long_cases("recconcave:a-records")
@pytest.mark.parametrize(("word", "protect"), _words())
def test_both_ends_of_the_range_are_granted_or_refused_with_a_reason(word: str, protect: str) -> None:
    """Whatever the word: no number on the way overflows or vanishes."""
    for epsilon in (LEAST_EPSILON, MOST_EPSILON):
        delta = DELTAS.get(word.partition(":")[0], 0)
        wishes: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "protect": protect, "random_state": 1}
        if word.startswith("reference"):  # it needs more records than these
            with pytest.raises(PrivpacError, match="records prove no error"):
                learn(TABLE, schema=SCHEMA, concepts=word, **wishes)
        elif (word.partition(":")[0], epsilon) in REFUSED:
            with pytest.raises(PrivpacError, match=REFUSED[word.partition(":")[0], epsilon]):
                learn(TABLE, schema=SCHEMA, concepts=word, **wishes)
        else:
            assert learn(TABLE, schema=SCHEMA, concepts=word, **wishes).certificate["request"]


def test_numbers_are_what_was_written() -> None:
    assert read_epsilon(0.1, owner="x") == read_epsilon("1/10", owner="x") == Fraction(1, 10)
    asked = LearnRequest.read(epsilon="0.3", delta="1e-6", holdout=0.2, costs=[1, 5], estimate_epsilon="0.1")
    assert asked == LearnRequest(
        epsilon=Fraction(3, 10),
        delta=Fraction(1, 10**6),
        costs=(1, 5),
        estimate_epsilon=Fraction(1, 10),
        holdout=Fraction(1, 5),
    )
    assert (
        LearnRequest.read(epsilon=1, costs="1, 5").costs == LearnRequest.read(epsilon=1, costs=(1, 5)).costs
    )


@pytest.mark.parametrize(
    ("name", "value"), [("delta", "1"), ("delta", -0.1), ("holdout", 1), ("holdout", "x")]
)
def test_shares_lie_between_0_and_1(name: str, value: object) -> None:
    with pytest.raises(ParameterError, match=f"{name} is .*at least 0 and below 1"):
        LearnRequest.read(epsilon=1, **{name: value})


def test_an_error_is_positive() -> None:
    assert LearnRequest.read(epsilon=1, error=None) == LearnRequest(epsilon=Fraction(1))
    with pytest.raises(ParameterError, match="error is 0"):
        LearnRequest.read(epsilon=1, error=0)


@pytest.mark.parametrize(
    "said",
    [
        {"aim": None},
        {"aim": "win"},
        {"protect": None},
        {"holdout": None},
        {"failure": None},
        {"records_per_person": 1.0},
        {"records_per_person": "two"},
        {"costs": (1.5, 2)},
        {"costs": {0: 1, 1: 5}},
        {"costs": "1.5,2"},
        {"costs": ()},
        {"probabilities": "yes"},
        {"answers": 3},
        {"protect": "predictions", "aim": "rank"},
        {"protect": "predictions", "failure": "0.01"},
    ],
    ids=str,
)
def test_nothing_else_is_taken_for_an_answer(said: dict[str, Any]) -> None:
    with pytest.raises(ParameterError) as refusal:
        LearnRequest.read(epsilon=1, **said)
    assert refusal.value.parameter == list(said)[-1]


def test_what_nobody_knows_is_no_request() -> None:
    with pytest.raises(TypeError, match=r"learn\(\) got an unexpected keyword argument 'depth'"):
        learn(TABLE, schema=SCHEMA, depth=3)  # type: ignore[call-arg]


@pytest.mark.parametrize("request_type", [LearnRequest, ReleaseRequest, AskRequest, PlanRequest])
def test_every_field_is_said_by_a_command_as_it_is_read(request_type: type[Requested]) -> None:
    """What a default looks like on the command line is read as the default; what is `written` is read as it was."""
    required = {one.name: "1" for one in fields(request_type) if one.default is MISSING}
    for one in fields(request_type):
        said = one.metadata
        assert said["help"].endswith(".")
        if one.default is not MISSING and said["written"] is not None:
            assert said["read"](said["written"], one.name, "x") == one.default
    usual = request_type.read(required)
    assert {option for option, _ in usual.written()} <= {f"--{name}" for name in required}
    asked = LearnRequest.read(
        epsilon="0.3", costs=(1, 5), holdout="1/3", probabilities=True, estimate_epsilon=None
    )
    words = asked.written()
    read = {name.removeprefix("--").replace("-", "_"): value or True for name, value in words}
    assert LearnRequest.read(read) == asked


@pytest.mark.parametrize(
    ("wishes", "request_type", "by_name"),
    [
        (LearnWishes, LearnRequest, {"epsilon"}),
        (ReleaseWishes, ReleaseRequest, {"epsilon"}),
        (PlanWishes, PlanRequest, {"concepts", "records", "error", "epsilon"}),
    ],
)
def test_what_may_be_said_in_python_are_the_fields(
    wishes: Any, request_type: type[Requested], by_name: set[str]
) -> None:
    assert {*wishes.__annotations__} | by_name == {one.name for one in fields(request_type)}


DOORS: dict[str, dict[str, Any]] = {
    "--epsilon 1": {"epsilon": 1},
    "--epsilon 2 --concepts thresholds:a --costs 1,5": {
        "epsilon": 2,
        "concepts": "thresholds:a",
        "costs": (1, 5),
    },
    "--epsilon 2 --aim rank": {"epsilon": 2, "aim": "rank"},
    "--epsilon 1 --concepts trees:2 --probabilities --records-per-person 2": {
        "epsilon": "1",
        "concepts": "trees:2",
        "probabilities": True,
        "records_per_person": 2,
    },
    "--epsilon 1 --estimate-epsilon 1 --holdout 0.2": {"epsilon": 1, "estimate_epsilon": 1, "holdout": 0.2},
    "--epsilon 1 --concepts stumps --protect labels": {
        "epsilon": 1,
        "concepts": "stumps",
        "protect": "labels",
    },
    "--epsilon 1 --concepts thresholds:a --failure 0.01": {
        "epsilon": 1,
        "concepts": "thresholds:a",
        "failure": 0.01,
    },
    "--epsilon 2 --concepts thresholds:a --unlabelled missing --method boost --anyway": {
        "epsilon": 2,
        "concepts": "thresholds:a",
        "unlabelled": True,
        "method": "boost",
        "anyway": True,
    },
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    rows = [f"{i % 16},{i % 8},{i % 16 // 8 if i % 3 else ''}" for i in range(900)]
    (tmp_path / "half.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
    rows = [f"{i % 16},{i % 8},{i % 16 // 8}" for i in range(900)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
    (tmp_path / "s.json").write_text(json.dumps(SCHEMA.to_json()))
    return str(tmp_path), str(tmp_path / "s.json")


@pytest.mark.parametrize("words", DOORS)
def test_both_doors_make_the_same_model(
    words: str, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, schema = files
    table = f"{folder}/{'half' if 'unlabelled' in words else 't'}.csv"
    code = run(["learn", table, "--schema", schema, *words.split(), "--random-state", "1", "--json"])
    written = json.loads(capsys.readouterr().out)["model"]
    assert code == 0
    assert written == learn(table, schema=schema, random_state=1, **DOORS[words]).to_json()


@pytest.mark.parametrize(
    ("words", "wishes"),
    [
        ("--epsilon 0", {"epsilon": 0}),
        ("--epsilon 1 --delta 1", {"epsilon": 1, "delta": 1}),
        ("--epsilon 1 --failure 1", {"epsilon": 1, "failure": 1}),
        ("--epsilon 1 --aim win", {"epsilon": 1, "aim": "win"}),
        ("--epsilon 1 --holdout 1", {"epsilon": 1, "holdout": 1}),
        ("--epsilon 1 --answers 3", {"epsilon": 1, "answers": 3}),
        ("--epsilon 1 --concepts tres:3", {"epsilon": 1, "concepts": "tres:3"}),
    ],
)
def test_both_doors_refuse_the_same(
    words: str, wishes: dict[str, Any], files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, schema = files
    assert run(["learn", f"{folder}/t.csv", "--schema", schema, *words.split()]) == 2
    said = capsys.readouterr().err
    with pytest.raises(ParameterError) as refusal:
        learn(f"{folder}/t.csv", schema=schema, **wishes)
    assert words.split()[-2] in said or refusal.value.value in said


def test_a_large_epsilon_is_said_to_be_large() -> None:
    assert warning_of_large(Fraction(10)) == ""
    assert "factor of about 162,755," in warning_of_large(Fraction(12))
    assert "factor of about 10^434294," in warning_of_large(Fraction(10**6))
