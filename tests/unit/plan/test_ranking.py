"""What a card can be expected to reach: simulated where it is asked for, silent or said to take too long where not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from privpac import plan
from privpac.plan import simulation
from privpac.plan.ranking import LEAST, area_under, expected_ranking
from privpac.plan.simulation import Clock, Simulation, TimeUp

SCHEMA = {
    "label": "ill",
    "classes": [0, 1],
    "columns": [{"name": name, "kind": "numeric", "lower": 0, "upper": 1} for name in ("a", "b", "c")],
}
ENOUGH = 0.4
"""Seconds that are enough, by their estimate, for the least number of runs from 2,000 records."""
WISH: dict[str, Any] = {"concepts": "card", "schema": SCHEMA, "records": 2000, "epsilon": 1}


def expected(*, seconds: float = ENOUGH, table: Any = None, **wish: Any) -> str | None:
    card = plan.reachable(
        **{**WISH, **{key: wish[key] for key in wish if key not in ("word", "aim")}}
    ).question
    question = replace(card, word=wish.get("word", card.word), aim=wish.get("aim", card.aim))
    return expected_ranking(question, Simulation(table=table, seconds=seconds))


def number_after(words: str, text: str | None) -> float:
    assert text is not None
    return float(text.split(words)[1].split(" ")[0].rstrip(",.;)"))


def area(text: str | None) -> float:
    return number_after("AUC of ", text)


def loss(text: str | None) -> float:
    return number_after("records lost ", text)


def test_a_plan_that_simulates_says_first_what_privacy_costs_and_repeats_it() -> None:
    first, again = (plan.reachable(**WISH, simulate=True, seconds=ENOUGH).advice[0] for _ in range(2))
    assert first.startswith("Simulated, not proved: through privacy a card of 2,000 records lost 0.0")
    assert "beside one learnt without privacy from the same records. The loss was 0." in first
    assert first == again
    assert not any("Simulated" in text for text in plan.reachable(**WISH).advice)


def test_a_level_on_invented_records_is_said_after_what_was_invented_and_never_alone() -> None:
    text = expected()
    assert text is not None
    where, level = (
        text.index("independent columns, spread evenly over their ranges"),
        text.index("the AUC itself (0."),
    )
    assert text.index("lost 0.") < where < level
    for part in (
        "labels from a random tree of depth 3, 10% of them flipped",
        "of the more frequent class",
        " without)",
    ):
        assert part in text
    private, free = number_after("the AUC itself (", text), number_after("with privacy, ", text)
    assert loss(text) == pytest.approx(free - private, abs=2e-3)


def test_a_base_rate_is_that_of_the_invented_records() -> None:
    text = expected(schema={**SCHEMA, "base_rate": 0.1})
    assert text is not None
    assert "as common as the base rate says" in text
    assert "more frequent class" not in text


def test_more_records_and_more_epsilon_lose_less() -> None:
    few = expected(records=200)
    assert loss(expected(records=20_000, seconds=2)) + 0.03 < loss(few)
    assert few is not None
    assert number_after("The loss was ", few) > number_after("with epsilon 0.5, ", few), "epsilon 0.5 and 2"


def test_cards_that_fit_what_will_not_come_again_are_no_measure_of_privacy() -> None:
    """With three labels in ten flipped and few records, more rounds without privacy do worse than few."""
    assert loss(expected(records=300, noise="0.3", seconds=1)) > 0


def test_without_time_for_the_trend_the_loss_alone_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ending(Clock):
        """Ends after so many pieces of work."""

        def require(self, estimated: float) -> None:
            self.left = getattr(self, "left", 3 * LEAST) - 1
            if self.left < 0:
                raise TimeUp

    monkeypatch.setattr(simulation, "Clock", Ending)
    text = expected(seconds=2)
    assert text is not None
    assert "lost 0.0" in text
    assert f"in the mean of {LEAST} runs" in text
    assert "The loss was" not in text


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
    assert "of the time, where always naming the more frequent class is wrong 0." in text
    assert "draws from the given table of 3,000 records" in text


def test_what_takes_too_long_is_said() -> None:
    text = expected(records=10**8)
    assert text is not None
    assert text.startswith("Not simulated: to try cards for 100,000,000 records often enough takes about ")


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
