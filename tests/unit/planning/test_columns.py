"""The table of a plan: heads that a newcomer understands, each explained, and no column that says nothing."""

from __future__ import annotations

from typing import Any

import pytest

from privpac import plan
from privpac.planning import Plan
from privpac.planning.text import READING, headings, rows, visible_table

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
