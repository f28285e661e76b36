"""`privpac reproduce few-labels`: numbers that agree with the formulas, a simulation below its promise, a figure."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from reproductions import few_labels, few_labels_tables

from privpac.constructions.request import Request
from privpac.constructions.words import learner_for
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.request import LearnRequest
from privpac.theory import sizes


def silent(done: int, of: int) -> None:
    assert done <= of


def test_promised_and_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(few_labels, "QUICK_RUNS", 2)
    monkeypatch.setattr(few_labels, "QUICK_BITS", (16,))
    monkeypatch.setattr(few_labels, "POOL", 2_000)
    made: list[dict[str, Any]] = few_labels.rows(quick=True, progress=silent)
    assert [row["method"] for row in made] == list(few_labels.METHODS)
    labels = {row["method"]: row["labels"] for row in made}
    assert labels["plain"] == sizes.records_occam(2**16 + 1, error=0.1, failure=0.05, epsilon=1) == 351
    assert labels["active"] < labels["generic"] < labels["plain"] < labels["relabel"] < labels["boost"]
    assert labels["boost, printed constants"] > 10**8
    for row in made:
        assert row["measured"] is None or row["measured"] <= row["labels"]
        assert row["measured"] is None or (row["measured_low"] or 0) <= row["measured"]
        assert row["measured_high"] is None or row["measured"] <= row["measured_high"]
    drawn = few_labels.figure(made)
    # The printed constants would need an axis of their own, and plain is the measure of all.
    assert len(drawn.series) == len(few_labels.METHODS) * 2 - 4
    shares = {series.label: series.y for series in drawn.series if series.panel == few_labels.PROMISED}
    assert shares["active"] == [round(labels["active"] / 351, 4)]
    assert f"{labels[few_labels.PRINTED]:,}" in drawn.note


def test_the_two_printed_tables_in_numbers() -> None:
    made = few_labels_tables.rows(quick=True, progress=silent)
    assert {row["table"] for row in made} == {1, 2}
    assert all(row["too_few"] is None or row["enough"] >= row["too_few"] for row in made)
    pure = [row["enough"] for row in made if row["table"] == 2 and row["privacy"] == "pure"]
    assert pure[0] < pure[-1], "Theta(d) grows with d"
    flat = {row["enough"] for row in made if row["answer"] == "improper" and row["table"] == 1}
    assert flat <= {234, 275}, (
        "the representation dimension of points does not: one number up to 24 bits, one above"
    )


def test_what_is_printed_is_what_the_learners_certify() -> None:
    """At every length of both tables the learner that is named certifies an error of 0.1 with so many records: once 234
    were printed for keys that are refused."""
    made = few_labels_tables.rows(quick=False, progress=silent)
    tried = {(row["bits"], row["learner"], row["enough"]) for row in made if row["learner"] is not None}
    assert len(tried) == 15
    for bits, word, enough in tried:
        column = {"name": "k", "kind": "numeric", "lower": 0, "upper": 2**bits - 1, "integer": True}
        schema = Schema.from_json({"label": "y", "columns": [column]})
        delta = few_labels_tables.DELTA if word.startswith("blocks") else Fraction(0)
        request = Request(schema, Size(enough), LearnRequest(epsilon=few_labels_tables.EPSILON, delta=delta))
        facts = [
            proof.fact
            for proof in learner_for(word.replace("COLUMN", "k"), request).certify(Size(enough)).accuracy
        ]
        assert any(fact.error <= Fraction(1, 10) and fact.failure <= Fraction(1, 20) for fact in facts), word
