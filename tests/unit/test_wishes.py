"""Wishes are read once: numbers as they were written, in one range, refused alike at every boundary and uncharged."""

from __future__ import annotations

import json
from collections.abc import Callable
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
from privpac.wishes import (
    LEAST_EPSILON,
    MOST_EPSILON,
    FewLabelWishes,
    RuleWishes,
    read_delta,
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
        "answers": lambda e: PrivatePredictor("consistent:stumps", e, ledger, schema=SCHEMA),
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
        "predictions": ["learn", data, "--protect", "predictions", "--concepts", "consistent:stumps"],
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
    assert read_delta("1e-6", owner="x") == Fraction(1, 10**6)
    wishes = RuleWishes.read(epsilon="0.3", holdout=0.2, costs=[1, 5], estimate_epsilon="0.1")
    assert wishes == RuleWishes(
        Fraction(3, 10), costs=(1, 5), estimate_epsilon=Fraction(1, 10), holdout=Fraction(1, 5)
    )


@pytest.mark.parametrize(
    ("name", "value"), [("delta", "1"), ("delta", -0.1), ("holdout", 1), ("holdout", "x")]
)
def test_shares_lie_between_0_and_1(name: str, value: object) -> None:
    with pytest.raises(ParameterError, match=f"{name} is .*at least 0 and below 1"):
        RuleWishes.read(epsilon=1, **{name: value})  # type: ignore[arg-type]


def test_an_error_is_positive() -> None:
    assert FewLabelWishes.read(method="auto", error=None) == FewLabelWishes()
    with pytest.raises(ParameterError, match="error is 0"):
        FewLabelWishes.read(method="auto", error=0)


def test_a_large_epsilon_is_said_to_be_large() -> None:
    assert warning_of_large(Fraction(10)) == ""
    assert "factor of about 162,755," in warning_of_large(Fraction(12))
    assert "factor of about 10^434294," in warning_of_large(Fraction(10**6))
