"""A plan in words: its first paragraph, and what is said of lower bounds."""

from __future__ import annotations

import re
from typing import Any

import pytest

from privpac import plan
from privpac.planning.text import in_short, number_text

SCHEMA = {
    "label": "ill",
    "base_rate": 0.1,
    "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True}],
}
WIDE = {
    "label": "ill",
    "columns": [{"name": name, "kind": "numeric", "lower": 0, "upper": 1} for name in ("a", "b", "c")],
}


def test_a_floor_for_pure_epsilon_is_not_said_of_methods_with_a_delta() -> None:
    asked = {"bits": 1024, "error": "0.1", "epsilon": 1}
    floor = "No private method that answers with such a rule can do it with fewer than 3,751 records"
    assert f"{floor}." in in_short(plan.needed("thresholds", **asked))
    with_delta = plan.needed("thresholds", **asked, delta="1e-6")
    assert "3,751" not in in_short(with_delta)
    limits = {row.limit for row in with_delta.rows if row.promise.proper and row.setting == "realizable"}
    assert {limit.value for limit in limits if limit is not None} == {100}, "the question allows the delta"


@pytest.mark.parametrize("delta", ["0", "1e-6"])
@pytest.mark.parametrize(
    "asked",
    [
        {"concepts": "points", "bits": 34, "error": "0.1", "epsilon": 1},
        {"concepts": "thresholds", "bits": 34, "error": "0.1", "epsilon": 1},
        {"concepts": "points", "bits": 34, "records": 700, "epsilon": 1},
        {"concepts": "points", "bits": 34, "records": 700, "error": "0.1"},
        {"concepts": "trees:2", "columns": 5, "records": 3000, "epsilon": 1},
    ],
)
def test_the_paragraph_and_the_table_name_one_floor(asked: dict[str, Any], delta: str) -> None:
    """Of methods that protect, hold for and give the same, whether or not a row uses the delta."""
    made = plan(**asked, delta=delta)
    row = made.headline
    assert row is not None
    assert row.floor is not None
    assert number_text(row.floor, up=False) in in_short(made)
    same: dict[tuple[str, bool], set[object]] = {}
    for each in made.rows:
        same.setdefault((each.setting, each.promise.proper), set()).add(each.floor)
    assert all(len(floors) == 1 for floors in same.values())


def test_a_smaller_number_for_another_kind_of_rule_does_not_speak_against_the_floor() -> None:
    found = in_short(plan.needed("points", bits=32, error="0.1", epsilon=1))
    assert "275 if some rule never errs, with a rule that may be of another kind." in found
    assert "that answers with such a rule can do it with fewer than 312 records" in found


def test_with_all_three_numbers_the_first_word_is_yes_or_no() -> None:
    asked = {"bits": 32, "error": "0.1", "epsilon": 1}
    proved = plan.reachable("thresholds", bits=32, records=900, epsilon=1).headline
    assert proved is not None
    assert in_short(plan.needed("thresholds", records=900, **asked)).startswith(
        f"No: 900 records prove an error of at most {number_text(proved.proved)} above that of the best rule, not"
        " 0.1, whatever the records are like. They are enough if some rule never errs. Proved: 1,422 records"
    )
    assert in_short(plan.needed("thresholds", records=1422, **asked)).startswith(
        "Yes: 1,422 records are enough for error 0.1, whatever the records are like. Proved: "
    )
    assert in_short(plan.needed("thresholds", records=20, **asked)).startswith("No: 20 records prove nothing")
    assert in_short(plan.needed("thresholds", **asked)).startswith("Proved: ")


@pytest.mark.long
def test_who_wants_an_order_is_told_of_orders_first() -> None:
    asked = {"records": 600, "epsilon": 1}
    nothing = "Nothing is proved about the order of records. Add --simulate to see what privacy costs its AUC"
    rate = "; a base_rate in the schema"
    assert in_short(plan.reachable(schema=WIDE, aim="rank", **asked)).startswith(nothing + rate)
    assert in_short(plan.reachable(schema=SCHEMA, aim="rank", **asked)).startswith(nothing + ". ")
    card = plan.reachable("card", schema=WIDE, **asked)
    bound = "For a card no bound on errors is proved, whatever the number of records."
    assert in_short(card).startswith(f"{bound} ")
    assert "Add --simulate to see what privacy costs its AUC" in in_short(card)
    needed = plan.needed("card", schema=WIDE, error="0.1", epsilon=1)
    assert "Add --simulate, --records and --epsilon to see what privacy costs its AUC" in in_short(needed)
    three = plan.reachable(schema={**WIDE, "classes": [0, 1, 2]}, aim="rank", **asked)
    assert "AUC" not in in_short(three)


def test_what_was_simulated_is_said_below_the_answer_and_not_asked_for_again() -> None:
    found = plan.reachable("card", schema=WIDE, records=600, epsilon=1, simulate=True, seconds="0.001")
    assert "--simulate" not in in_short(found)
    assert "\nNot simulated: a run takes " in str(found)
    assert "--seconds are the fewest that tell" in str(found)


def test_every_row_has_its_theorem() -> None:
    found = plan.reachable("auto", columns=12, records=8000, epsilon=1)
    (line,) = [line for line in str(found).splitlines() if line.startswith("Theorems that prove the rows")]
    assert "refined-draw-agnostic: the default (any records)" in line
    assert "occam-agnostic: one draw (any records)" in line
    assert all(f"{row.promise.theorem}: " in line for row in found.rows)


def test_the_headline_speaks_of_what_was_asked_to_be_hidden() -> None:
    hidden = {
        protect: in_short(plan.needed("thresholds", bits=100, error="0.1", epsilon=1, protect=protect))
        for protect in ("records", "labels", "predictions")
    }
    assert (
        "No private method that answers with such a rule can do it with fewer than 415" in hidden["records"]
    )
    assert "415" not in hidden["labels"]
    assert "no method that releases a rule, private or not, can do it with fewer than 269" in hidden["labels"]
    assert re.search(
        r"no method at all, private or not, can do it with fewer than 67 records", hidden["predictions"]
    )
