"""What a card can be expected to reach: simulated where it is asked for, silent or said to take too long where not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from privpac import plan
from privpac.plan.ranking import area_under, expected_ranking
from privpac.plan.simulation import Simulation

SCHEMA = {
    "label": "ill",
    "classes": [0, 1],
    "columns": [{"name": name, "kind": "numeric", "lower": 0, "upper": 1} for name in ("a", "b", "c")],
}
WISH: dict[str, Any] = {"concepts": "card", "schema": SCHEMA, "records": 2000, "epsilon": 1}


def expected(*, seconds: float = 0.08, table: Any = None, **wish: Any) -> str | None:
    card = plan.reachable(
        **{**WISH, **{key: wish[key] for key in wish if key not in ("word", "aim")}}
    ).question
    question = replace(card, word=wish.get("word", card.word), aim=wish.get("aim", card.aim))
    return expected_ranking(question, Simulation(table=table, seconds=seconds))


def area(text: str | None) -> float:
    assert text is not None
    return float(text.split("AUC of ")[1].split(" ")[0])


def test_a_plan_that_simulates_says_it_first_and_repeats_it() -> None:
    first, again = (plan.reachable(**WISH, simulate=True, seconds=0.1).advice[0] for _ in range(2))
    assert first.startswith("Simulated, not proved: cards for 2,000 records ranked with an AUC of 0.")
    assert "labels from a random tree" in first
    assert first == again
    assert not any("AUC of" in text for text in plan.reachable(**WISH).advice)


def test_more_records_rank_better() -> None:
    assert area(expected(records=200)) + 0.03 < area(expected(records=20_000, seconds=0.5))


@pytest.mark.long_cases("wish2")
@pytest.mark.parametrize(
    "wish",
    [
        {"word": "auto"},
        {"word": "trees:2", "aim": "rank"},
        {"protect": "predictions"},
        {"word": "auto", "aim": "rank", "schema": {**SCHEMA, "classes": [0, 1, 2]}},
    ],
)
def test_nothing_is_said_where_no_card_is_asked_for_or_can_be(wish: dict[str, Any]) -> None:
    assert expected(**wish) is None


def test_nothing_is_said_where_the_epsilon_is_what_is_asked_for() -> None:
    question = plan.smallest_epsilon("card", schema=SCHEMA, records=2000, error=0.2).question
    assert expected_ranking(question, Simulation()) is None


def test_who_wants_to_rank_hears_of_cards_too() -> None:
    assert expected(word="auto", aim="rank") == expected()


def test_a_public_table_is_what_cards_are_tried_on() -> None:
    rng = np.random.default_rng(1)
    table: dict[str, list[Any]] = {name: rng.random(3000).tolist() for name in ("a", "b", "c")}
    table["ill"] = [int(value > 0.5) for value in table["a"]]
    text = expected(concepts="card:2", table=table)
    assert area(text) > 0.97
    assert text is not None
    assert "draws from the given table of 3,000 records" in text


def test_what_takes_too_long_is_said() -> None:
    text = expected(records=10**8)
    assert text is not None
    assert "too long to simulate" in text


def test_area_under_the_curve_is_that_of_all_pairs() -> None:
    rng = np.random.default_rng(2)
    points, labels = rng.integers(0, 6, 60), rng.integers(0, 2, 60).astype(np.uint8)
    pairs = [
        (points[i] > points[j]) + (points[i] == points[j]) / 2
        for i in np.flatnonzero(labels == 1)
        for j in np.flatnonzero(labels == 0)
    ]
    assert area_under(points, labels) == pytest.approx(float(np.mean(pairs)))
    assert area_under(points, np.zeros(60, dtype=np.uint8)) == 0.5
