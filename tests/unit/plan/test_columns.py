"""The table of a plan: heads that a newcomer understands, each explained, and no column that says nothing."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from privpac import plan
from privpac.plan import Plan
from privpac.plan.answer import Estimate
from privpac.plan.columns import headings, rows, visible_table
from privpac.plan.words import READING

ASKED: dict[str, dict[str, Any]] = {
    "records enough": {"error": "0.1", "epsilon": 1},
    "error at most": {"records": 3_000, "epsilon": 1},
    "epsilon enough": {"records": 3_000, "error": "0.1"},
}


def _plan(**asked: Any) -> Plan:
    ask = {
        frozenset(("error", "epsilon")): plan.needed,
        frozenset(("records", "epsilon")): plan.reachable,
        frozenset(("records", "error")): plan.smallest_epsilon,
    }[frozenset(asked)]
    return ask("thresholds", bits=16, **asked)


@pytest.mark.parametrize("head", ASKED)
def test_the_column_of_numbers_is_named_after_what_was_asked(head: str) -> None:
    table = visible_table(_plan(**ASKED[head]))
    assert head in table.right


def test_every_column_is_explained_below_the_table() -> None:
    found = _plan(error="0.1", epsilon=1)
    text, table = str(found), visible_table(found)
    explained = text.partition(READING)[2]
    assert all(f"\n{head}: " in explained for head in table.heads)


def test_every_method_is_explained() -> None:
    found = _plan(error="0.1", epsilon=1)
    (method,) = [line for line in visible_table(found).meanings if line.startswith("method: ")]
    assert all(f"{row[0]} = " in method for row in rows(found))


def test_a_column_that_says_nothing_is_left_out() -> None:
    found = _plan(error="0.1", epsilon=1)
    assert [
        heading.head for heading in headings(found) if heading.head not in visible_table(found).heads
    ] == [
        "protects",
        "simulated",
    ]
    answers = plan.needed("thresholds", bits=16, error="0.1", epsilon=1, protect="predictions")
    assert "protects" in visible_table(answers).heads


def test_the_price_of_an_answer_is_said_where_answers_are_protected() -> None:
    answers = plan.needed("thresholds", bits=16, error="0.1", epsilon=1, protect="predictions")
    price = "Epsilon is that of one answer where predictions are protected"
    assert price in str(answers)
    assert price not in str(_plan(error="0.1", epsilon=1))


def test_rows_have_a_cell_per_heading() -> None:
    found = _plan(error="0.1", epsilon=1)
    assert {len(row) for row in rows(found)} == {len(headings(found))}


def test_whose_numbers_stand_beside_each_other_is_said_of_a_simulated_column() -> None:
    found = _plan(records=3_000, epsilon=1)
    proved = max(row.proved for row in found.answers)
    below, proofs = "about the worst ones, so it may lie below that", "that end is the proof's"

    def meaning(high: Fraction, *, floor: bool = True) -> str:
        trial = Estimate(Fraction(0), Fraction(0), high, "invented records")
        answers = tuple(
            replace(row, simulated=trial, floor=row.floor if floor else None) for row in found.answers
        )
        (line,) = [
            line
            for line in visible_table(replace(found, answers=answers)).meanings
            if line.startswith("simulated: ")
        ]
        return line

    assert below in meaning(Fraction(proved))
    assert below not in meaning(Fraction(proved), floor=False), (
        "where nothing is impossible, nothing is below it"
    )
    assert proofs in meaning(Fraction(proved))
    assert proofs not in meaning(Fraction(proved) / 1_000)
