"""`verify` asks whether a stored rule can be an outcome at all: what is drawn can, what is of another class cannot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from privpac import Model, NotCertified, Schema, learn, verify
from privpac.checker.document import digest
from privpac.data.columns import Categorical, Numeric
from privpac.sanitising import release_table
from privpac.verification import verify_document

SCHEMA = Schema(
    (
        Numeric("a", lower=0, upper=7, integer=True),
        Numeric("b", lower=0, upper=7, integer=True),
        Categorical("kind", ("u", "v", "w")),
    ),
    label="y",
    classes=("no", "yes"),
)
WIDE = Schema((Numeric("k", lower=0, upper=2**20 - 1, integer=True),), label="y", classes=("no", "yes"))
N = 40
TABLE = {
    "a": [i % 8 for i in range(N)],
    "b": [3 * i % 8 for i in range(N)],
    "kind": ["u", "v", "w", "u"] * 10,
}
LABELS = ["yes" if i % 8 > 3 else "no" for i in range(N)]

WORDS = [
    "points:a",
    "points:a:clipped",
    "points:a:improper",
    "points:a:gibbs",
    "points:a:keyed",
    "thresholds:a",
    "thresholds:a:down",
    "thresholds:a:either",
    "intervals:a",
    "unions:a:2",
    "rectangles:a,b",
    "generated:a:2",
    "switches:a:1",
    "stumps",
    "trees:2",
    "lists:2",
    "conjunctions:2",
    "disjunctions:2",
    "clauses:1",
    "scorecards:2",
    "halfspaces:a,b",
    "one-test",
    "auto",
]
LABEL_WORDS = [
    "thresholds:a",
    "intervals:a",
    "unions:a:2",
    "rectangles:a,b",
    "points:a",
    "stumps",
    "trees:2",
    "halfspaces:a,b",
    "auto",
]
WIDE_WORDS = ["points:k:improper", "points:k:cover", "points:k:sampled", "points:k:keyed"]


def asked(column: str = "a", cell: int = 4) -> dict[str, Any]:
    return {"column": column, "cell": str(cell), "kind": "at least"}


def learnt(word: str, *, seed: int = 1, schema: Schema = SCHEMA, **wishes: Any) -> Model:
    table = TABLE if schema is SCHEMA else {"k": [i % 2 * 77 for i in range(N)]}
    wishes = {"epsilon": 1, "random_state": seed, **wishes}
    return learn(table, y=LABELS, schema=schema, concepts=word, **wishes)


def renewed(tree: dict[str, Any]) -> dict[str, Any]:
    return {**tree, "digest": digest(tree)}


def plain(model: Any) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(json.dumps(model.to_json()))
    return tree


@pytest.mark.parametrize("word", WORDS)
def test_whatever_is_drawn_is_accepted(word: str) -> None:
    for seed in range(4):
        assert verify_document(plain(learnt(word, seed=seed, epsilon="0.5"))).rebuilt


@pytest.mark.parametrize("word", LABEL_WORDS)
def test_whatever_is_drawn_under_label_privacy_is_accepted(word: str) -> None:
    for seed in range(3):
        assert verify_document(plain(learnt(word, seed=seed, epsilon="0.5", protect="labels"))).rebuilt


@pytest.mark.parametrize("word", WIDE_WORDS)
def test_whatever_set_is_drawn_is_accepted(word: str) -> None:
    for seed in range(3):
        assert verify_document(plain(learnt(word, seed=seed, schema=WIDE))).rebuilt


def test_cuts_of_very_long_keys_and_no_answer_are_accepted() -> None:
    for seed in range(6):
        assert verify_document(plain(learnt("recconcave:a", seed=seed, delta="0.000001"))).rebuilt
        assert verify_document(plain(learnt("blocks:a", seed=seed, delta="0.000001"))).rebuilt


RULES: tuple[dict[str, Any], ...] = (
    {"kind": "point", "column": "a", "cell": "3"},
    {"kind": "point", "column": "b", "cell": "3"},
    {"kind": "threshold", "column": "a", "cut": "3", "up": True},
    {"kind": "threshold", "column": "a", "cut": "3", "up": False},
    {"kind": "threshold", "column": "b", "cut": "3", "up": True},
    {"kind": "union", "column": "a", "intervals": [["1", "3"]], "inside": 1},
    {"kind": "union", "column": "a", "intervals": [["1", "3"]], "inside": 0},
    {"kind": "union", "column": "a", "intervals": [["0", "1"], ["2", "3"], ["4", "5"]], "inside": 1},
    {"kind": "union", "column": "a", "intervals": [["0", "1"]], "inside": 1},
    {"kind": "box", "columns": ["a", "b"], "low": ["1", "1"], "high": ["2", "2"], "inside": 1},
    {"kind": "box", "columns": ["b", "a"], "low": ["1", "1"], "high": ["2", "2"], "inside": 1},
    {"kind": "lookup", "column": "a", "bits": "01010101"},
    {"kind": "constant", "label": 1},
    {"kind": "match", "column": "kind", "category": 1, "equal": True},
    {"kind": "no-answer", "column": "a"},
    {"kind": "sparse-set", "column": "a", "cells": [1, 5]},
    {"kind": "code-set", "column": "a", "prime": 3, "digits": 2, "place": 1, "value": 1},
    {"kind": "hashed-set", "column": "a", "prime": "11", "a": "1", "b": "2", "below": "3"},
    {
        "kind": "keyed-set",
        "column": "a",
        "key": "0" * 64,
        "shift": "1",
        "modulus": str(2**64),
        "below": "5",
    },
    {"kind": "halfspace", "columns": ["a", "b"], "weights": ["1", "-1"], "cutoff": "0"},
    {"kind": "halfspace", "columns": ["a", "b"], "weights": ["2", "-2"], "cutoff": "1"},
    {
        "kind": "scorecard",
        "top": 31,
        "items": [{"column": "a", "cells": "8", "category": None, "points": 50}],
        "cutoff": 31,
    },
    {"kind": "tree", "root": {"test": asked(), "low": {"label": 0}, "high": {"label": 1}}},
    {
        "kind": "tree",
        "root": {
            "test": asked(cell=4),
            "low": {"test": asked("b", 4), "low": {"label": 0}, "high": {"label": 1}},
            "high": {
                "test": asked("b", 3),
                "low": {"test": asked(cell=6), "low": {"label": 1}, "high": {"label": 0}},
                "high": {"label": 1},
            },
        },
    },
    {"kind": "list", "rules": [{"test": asked(), "positive": True, "label": 1}], "default": 0},
    {"kind": "conjunction", "literals": [{"test": asked(), "positive": True}]},
    {"kind": "disjunction", "literals": [{"test": asked(), "positive": True}]},
    {"kind": "predicate", "formula": {"column": "a", "size": "8", "cells": [["0", "3"]]}},
    {
        "kind": "card",
        "drawn": [
            {"test": asked(column="b", cell=cell), "points": points}
            for cell, points in enumerate((2, 1, 1, 2, 1, 1, 1), start=1)
        ],
        "ones": 19,
        "records": 40,
        "counts": [[4, 15], [5, 8], [0, 0], [0, 0], [4, 0], [11, 0], [0, 3], [0, 9]],
        "count_epsilon": "0.08",
        "table_epsilon": "0.12",
        "costs": [1, 1],
        "fifth": 3,
        "risks": [2764, 3181, 3630, 4104, 4595, 5094, 5591, 6077, 6542, 6979],
    },
    {"kind": "exceptions", "exceptions": [[{"test": asked(), "positive": False}]]},
)
"""A rule or more of every kind, each about this schema."""

ALLOWED: dict[str, set[int]] = {
    "points:a": {0},
    "thresholds:a": {2},
    "thresholds:a:down": {3},
    "thresholds:a:either": {2, 3},
    "intervals:a": {5, 8},
    "unions:a:2": {5, 8},
    "card:1": {28},
    "clauses:1": set(),  # so few records prove nothing: always 0
    "rectangles:a,b": {9},
    "stumps": {2, 3, 4, 12, 13},
    "trees:1": {22},
    "lists:1": {24},
    "conjunctions:1": {25},
    "disjunctions:1": {26},
    "one-test": {22},
    "scorecards:1": set(),
    "points:a:gibbs": {15},
    "points:a:clipped": {0},
    "switches:a:1": {2},
}


@pytest.mark.parametrize("word", ALLOWED)
def test_a_rule_of_another_kind_is_refused(word: str) -> None:
    tree = plain(learnt(word))
    for number, rule in enumerate(RULES):
        forged = renewed({**tree, "hypothesis": rule})
        if number in ALLOWED[word]:
            assert verify_document(forged).rebuilt, rule
        else:
            with pytest.raises(NotCertified, match=r"ever release|no room"):
                verify_document(forged)


def test_every_kind_of_rule_stands_in_the_list() -> None:
    from privpac.concepts.catalogue import stored_rules

    assert {rule["kind"] for rule in RULES} == set(stored_rules())


def test_a_tree_deeper_than_its_class_is_refused(tmp_path: Path) -> None:
    tree = plain(learnt("trees:2"))
    deep = next(rule for rule in RULES if "label" not in str(rule.get("root", {}).get("high", "label"))[:10])
    path = tmp_path / "model.json"
    path.write_text(json.dumps(renewed({**tree, "hypothesis": deep})))
    with pytest.raises(NotCertified, match="ever release"):
        verify(path)


@pytest.mark.parametrize(
    "spot",
    [
        (),
        ("schema",),
        ("schema", "columns", 0),
        ("hypothesis",),
        ("certificate",),
        ("certificate", "request"),
    ],
    ids=str,
)
@pytest.mark.parametrize("version", [None, "0.0.9"])
def test_an_unknown_field_is_refused_anywhere(spot: tuple[Any, ...], version: str | None) -> None:
    tree = plain(learnt("thresholds:a"))
    here: Any = tree
    for key in spot:
        here = here[key]
    here["note"] = "approved"
    if version is not None and spot != ("certificate", "request"):
        tree["version"] = version
    with pytest.raises(NotCertified):
        verify_document(renewed(tree))


@pytest.mark.parametrize(
    ("word", "spot", "value"),
    [
        ("thresholds:a", ("certificate", "request", "records_per_person"), True),
        ("thresholds:a", ("certificate", "request", "records_per_person"), 1.0),
        ("trees:2", ("certificate", "learner", "stages"), [2.0]),
        ("thresholds:a", ("certificate", "labelled"), float(N)),
        ("thresholds:a", ("certificate", "unlabelled"), False),
        ("thresholds:a", ("hypothesis", "cut"), "03"),
        ("thresholds:a", ("hypothesis", "up"), 1),
        ("thresholds:a", ("schema", "columns", 0, "lower"), 0.0),
        ("thresholds:a", ("schema", "columns", 0, "integer"), 1),
        ("thresholds:a", ("certificate", "request", "delta"), "-1"),
    ],
)
def test_equal_numbers_of_another_type_are_refused(word: str, spot: tuple[Any, ...], value: object) -> None:
    tree = plain(learnt(word))
    here: Any = tree
    for key in spot[:-1]:
        here = here[key]
    here[spot[-1]] = value
    with pytest.raises(NotCertified):
        verify_document(renewed(tree))


def test_where_a_schema_came_from_cannot_be_washed_away() -> None:
    wishes: dict[str, Any] = {"schema": "from_data", "concepts": "stumps", "random_state": 1, "label": "y"}
    tree = plain(learn(TABLE, y=LABELS, **wishes))
    declared = plain(learnt("stumps", epsilon=1))
    for version in (tree["version"], "0.0.9"):
        washed = {**tree, "schema": {k: v for k, v in tree["schema"].items() if k != "origin"}}
        with pytest.raises(NotCertified, match="read from the data"):
            verify_document(renewed({**washed, "version": version}))
        blamed = {**declared, "schema": {**declared["schema"], "origin": "from_data"}}
        with pytest.raises(NotCertified, match="read from the data"):
            verify_document(renewed({**blamed, "version": version}))
        swapped = {**tree, "certificate": declared["certificate"], "version": version}
        with pytest.raises(NotCertified):
            verify_document(renewed(swapped))


def test_an_estimate_counts_the_classes_there_are() -> None:
    tree = plain(learnt("thresholds:a", estimate_epsilon=1))
    for counts in ([[1, 2, 3]] * 3, [[1, 2]], [[-1, 2], [3, 4]], [[N + 1, 2], [3, 4]]):
        forged = {**tree, "estimate": {**tree["estimate"], "counts": counts}}
        with pytest.raises(NotCertified):
            verify_document(renewed(forged))


def released(method: str, columns: str | list[str]) -> dict[str, Any]:
    made = release_table(
        {**TABLE, "y": LABELS}, schema=SCHEMA, columns=columns, epsilon=4, method=method, random_state=1
    )
    return plain(made)


@pytest.mark.parametrize("method", ["points", "tree", "quantiles", "blr"])
def test_released_tables_are_accepted_and_others_are_not(method: str) -> None:
    tree = released(method, "a")
    assert verify_document(tree).rebuilt
    for at in (-1, 0):
        for more in (-1, 1, N):
            forged = json.loads(json.dumps(tree))
            rows = forged["table"]["counts" if method == "points" else "buckets"]
            rows[at][-1] += more
            if method in ("quantiles", "blr"):
                with pytest.raises(NotCertified):
                    verify_document(renewed(forged))
    forged = json.loads(json.dumps(tree))
    forged["certificate"]["labelled"], forged["certificate"]["unlabelled"] = N, 0
    with pytest.raises(NotCertified):
        verify_document(renewed(forged))


def test_a_count_below_the_cut_is_refused() -> None:
    tree = released("points", ["a", "kind"])
    cut = tree["certificate"]["learner"]["above"]
    assert cut >= 1
    for count in (cut, 1, 0, N + 1):
        forged = json.loads(json.dumps(tree))
        forged["table"]["counts"] = [["0", count]]
        with pytest.raises(NotCertified):
            verify_document(renewed(forged))
    forged = json.loads(json.dumps(tree))
    forged["table"]["counts"] = [["0", cut + 1]]
    assert verify_document(renewed(forged)).rebuilt


def test_released_labels_count_as_labelled_records() -> None:
    tree = released("points", ["a", "y"])
    assert (tree["certificate"]["labelled"], tree["certificate"]["unlabelled"]) == (N, 0)
    forged = json.loads(json.dumps(tree))
    forged["certificate"]["labelled"], forged["certificate"]["unlabelled"] = 0, N
    with pytest.raises(NotCertified):
        verify_document(renewed(forged))
