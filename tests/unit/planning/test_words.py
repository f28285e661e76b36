"""A plan in words: its first paragraph, and what is said of lower bounds."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest

from privpac import plan
from privpac.planning.answer import limit_of
from privpac.planning.columns import number_text
from privpac.planning.naming import row_names
from privpac.planning.words import in_short


def test_a_floor_for_pure_epsilon_is_not_said_of_methods_with_a_delta() -> None:
    asked = {"bits": 1024, "error": "0.1", "epsilon": 1}
    floor = "No private method that answers with such a rule can do it with fewer than 3,751 records"
    assert f"{floor}." in in_short(plan.needed("thresholds", **asked))
    with_delta = plan.needed("thresholds", **asked, delta="1e-6")
    assert "3,751" not in in_short(with_delta)
    floors = {row.floor for row in with_delta.answers if row.floor_source == "floor-thresholds-proper"}
    assert floors == {100}, "the question allows the delta, for every row"


@pytest.mark.parametrize("delta", ["0", "1e-6", "1e-14"])
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
    ask = (
        plan.needed
        if "records" not in asked
        else plan.reachable
        if "epsilon" in asked
        else plan.smallest_epsilon
    )
    made = ask(**asked, delta=delta)
    row = made.headline
    assert row is not None
    pure = not made.question.asked.delta
    limit = limit_of(made.question, row, setting=row.option.setting, proper=row.option.proper, pure=pure)
    assert row.floor == (None if limit is None else limit.value)
    assert limit is None or number_text(limit.value, up=False) in in_short(made)
    same = {
        (each.option.setting, each.option.proper): set() for each in made.answers if not each.need.unlabelled
    }
    for each in made.answers:
        if not each.need.unlabelled:
            same[each.option.setting, each.option.proper].add(each.floor)
    assert all(len(floors) == 1 for floors in same.values())


def test_a_smaller_number_for_another_kind_of_rule_does_not_speak_against_the_floor() -> None:
    found = in_short(plan.needed("points", bits=32, error="0.1", epsilon=1))
    assert "275 if some rule never errs, with a rule that may be of another kind." in found
    assert "that answers with such a rule can do it with fewer than 312 records" in found


@pytest.mark.long
def test_a_smaller_epsilon_is_named_with_its_number() -> None:
    found = plan.needed("auto", columns=12, error="0.1", epsilon=1)
    assert "are enough, whatever the records are like, learnt with epsilon 0.05; 4,618 if" in in_short(found)
    assert any(text.startswith("Why a smaller epsilon proves more: ") for text in found.advice)
    assert "Why a smaller epsilon proves more is said in the advice." in in_short(found)
    assert (
        "Proved with a smaller epsilon than was allowed: default (a perfect fit), learnt with epsilon 0.2;"
        in str(found)
    )


@pytest.mark.long
def test_what_records_reach_is_about_the_epsilon_that_was_asked_for() -> None:
    """70,000 records were said to prove an error with epsilon 0.2 where 1 was asked for, and more where 0.2 was."""
    found = plan.reachable("auto", columns=12, records=70_000, epsilon=1)
    assert found.headline is not None
    assert found.headline.spent == 1
    assert "learnt with epsilon" not in in_short(found)
    assert re.search(
        r"With epsilon 0\.\d+ auto would choose from smaller trees, and of fewer rules more", str(found)
    )
    assert "--epsilon 1" in str(found)


SCHEMA = {
    "label": "ill",
    "base_rate": 0.1,
    "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True}],
}


WIDE = {
    "label": "ill",
    "columns": [{"name": name, "kind": "numeric", "lower": 0, "upper": 1} for name in ("a", "b", "c")],
}


def test_with_all_three_numbers_the_first_word_is_yes_or_no() -> None:
    asked = {"bits": 32, "error": "0.1", "epsilon": 1}
    proved = plan.reachable("thresholds", bits=32, records=3000, epsilon=1).headline
    assert proved is not None
    assert in_short(plan.needed("thresholds", records=3000, **asked)).startswith(
        f"No: 3,000 records prove an error of at most {number_text(proved.proved)} above that of the best rule, not"
        " 0.1, whatever the records are like. They are enough if some rule never errs. Proved: 5,011 records"
    )
    assert in_short(plan.needed("thresholds", records=5011, **asked)).startswith(
        "Yes: 5,011 records are enough for error 0.1, whatever the records are like. Proved: "
    )
    assert in_short(plan.needed("thresholds", records=20, **asked)).startswith("No: 20 records prove nothing")
    assert in_short(plan.needed("thresholds", **asked)).startswith("Proved: ")


@pytest.mark.long
def test_fewer_records_that_prove_it_too_are_named_and_the_next_do_not() -> None:
    asked = {"schema": WIDE, "epsilon": 1}
    found = plan.needed(error="0.05", **asked)
    named = re.search(r"With epsilon 1, ([\d,]+) to ([\d,]+) records are enough too, if some", str(found))
    assert named is not None
    first, last = (int(number.replace(",", "")) for number in named.groups())

    row = found.option("default", "realizable")

    def error(records: int) -> Fraction:
        assert row.option.error is not None
        return row.option.error(row.wish, records) or Fraction(1)

    assert plan.reachable(records=first, **asked).option("default", "realizable").proved == error(first)
    assert error(first - 1) > row.wish.error >= error(first)
    assert error(last + 1) > row.wish.error >= error(last)
    assert last < row.need.labelled
    at_hand = plan.needed(error="0.05", records=first, **asked)
    assert at_hand.option("default", "realizable").enough
    assert "They are enough if some rule never errs. " in in_short(at_hand)
    assert not plan.needed(error="0.05", records=last + 1, **asked).option("default", "realizable").enough


@pytest.mark.long
def test_who_wants_an_order_is_told_of_orders_first() -> None:
    asked = {"records": 600, "epsilon": 1}
    nothing = "Nothing is proved about the order of records. Add --simulate to see what privacy costs its AUC"
    rate = "; a base_rate in the schema"
    assert in_short(plan.reachable(schema=WIDE, aim="rank", **asked)).startswith(nothing + rate)
    assert in_short(plan.reachable(schema=SCHEMA, aim="rank", **asked)).startswith(nothing + ". ")
    card = plan.reachable("card", schema=WIDE, **asked)
    bound = "For a card no bound on errors is proved, whatever the number of records."
    assert in_short(card).startswith(f"{bound} Add --simulate to see what privacy costs its AUC")
    needed = plan.needed("card", schema=WIDE, error="0.1", epsilon=1)
    assert "Add --simulate, --records and --epsilon to see what privacy costs its AUC" in in_short(needed)
    three = plan.reachable(schema={**WIDE, "classes": [0, 1, 2]}, aim="rank", **asked)
    assert "AUC" not in in_short(three)


def test_what_was_simulated_is_said_below_the_answer_and_not_asked_for_again() -> None:
    found = plan.reachable("card", schema=WIDE, records=600, epsilon=1, simulate=True, seconds="0.001")
    assert "--simulate" not in in_short(found)
    assert "\nNot simulated: a run takes " in str(found)
    assert "--seconds are the fewest that tell" in str(found)


def test_rows_are_named_by_as_much_as_tells_them_apart() -> None:
    found = plan.reachable("auto", columns=4, records=3000, epsilon=1)
    draws = [row for row in found.answers if row.option.learner == "occam"]
    noisy = [row for row in draws if row.option.setting == "agnostic"]
    assert len(noisy) > 2, "of several kinds of rules"
    assert row_names(found, draws) == "one draw"
    assert row_names(found, noisy) == "one draw (any records)"
    first, *others = noisy
    assert row_names(found, [first]) == f"one draw (any records: {first.concepts.word})"
    assert others[0].concepts.word not in row_names(found, [first])


def test_every_row_has_its_theorem() -> None:
    found = plan.reachable("auto", columns=4, records=3000, epsilon=1)
    (line,) = [line for line in str(found).splitlines() if line.startswith("Theorems that prove the rows")]
    assert "occam-agnostic: default (any records), one draw (any records)" in line
    for row in found.answers:
        assert f"{row.option.source}: " in line or row.need.unlabelled
