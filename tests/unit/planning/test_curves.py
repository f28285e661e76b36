"""Pictures of plans: the answer and what is impossible always lie inside, are marked, and are those of the headline."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from privpac import plan
from privpac.errors import PrivpacError
from privpac.pictures.curves import Series
from privpac.planning.making import Plan

LINE = {"bits": 6}
QUESTIONS: dict[str, tuple[Any, dict[str, Any]]] = {
    "needed": (plan.needed, {"error": "0.1", "epsilon": 1}),
    "tiny error": (plan.needed, {"error": "0.0007", "epsilon": 5}),
    "large error": (plan.needed, {"error": "0.45", "epsilon": "0.3"}),
    "huge epsilon": (plan.needed, {"error": "0.2", "epsilon": 45}),
    "reachable": (plan.reachable, {"records": 3_000, "epsilon": "0.5"}),
    "many records": (plan.reachable, {"records": 3_000_000, "epsilon": 2}),
    "smallest epsilon": (plan.smallest_epsilon, {"records": 3_000, "error": "0.2"}),
    "at hand": (plan.needed, {"error": "0.1", "epsilon": 1, "records": 400}),
}


def marks_of(found: Plan, against: str) -> tuple[Series, Series | None]:
    marks = [series for series in found.curves(against).curves.series if series.kind == "mark"]
    assert marks[0].label.startswith("the answer: ")
    assert all(mark.label.startswith("impossible below: ") for mark in marks[1:])
    return marks[0], marks[1] if len(marks) > 1 else None


FEW = {("needed", "bits"), ("large error", "error"), ("at hand", "epsilon")}
"""Asked in every run: each axis, a floor, an end of the range; all others are long."""


@pytest.mark.parametrize(
    ("name", "against"),
    [
        pytest.param(*pair, marks=() if pair in FEW else pytest.mark.long)
        for pair in product(QUESTIONS, ("epsilon", "error", "bits"))
    ],
)
def test_the_answer_and_the_floor_are_inside_and_marked(name: str, against: str) -> None:
    ask, numbers = QUESTIONS[name]
    found = ask("thresholds", **LINE, **numbers)
    row = found.headline
    assert row is not None
    display = found.curves(against)
    answer, floor = marks_of(found, against)
    for mark in [answer] if floor is None else [answer, floor]:
        assert min(display.x) <= mark.x[0] <= max(display.x)
    assert answer.x[0] in display.x
    here = {"epsilon": row.epsilon, "error": row.error, "bits": 6}[against]
    assert answer.x[0] == float(here)
    assert answer.y[0] == (row.proved if row.asks == "needed" else numbers["records"])
    if row.floor:
        assert floor is not None
        assert floor.y[0] <= answer.y[0]
        if row.asks == "needed":
            assert floor.y[0] == row.floor


def test_long_keys_are_inside_too() -> None:
    found = plan.needed("thresholds", bits=200, error="0.1", epsilon=1)
    display = found.curves("bits")
    assert 200.0 in display.x
    assert max(display.x) > 200
    assert display.curves.x_ticks == display.x


@pytest.mark.long
def test_the_headline_is_drawn_first() -> None:
    found = plan.needed("auto", columns=3, error="0.2", epsilon=1)
    first = found.curves("epsilon", learner=None).rows[0]
    assert first.label == "the default, any records, auto: proved"
    assert found.headline is not None
    assert first.y[list(first.x).index(1.0)] == found.headline.proved


def test_where_nothing_is_promised_there_is_nothing_to_draw(tmp_path: Path) -> None:
    found = plan.reachable("thresholds", bits=32, records=10, epsilon="0.01")
    assert found.headline is None
    with pytest.raises(PrivpacError, match="nothing to draw"):
        found.curves()


@pytest.mark.long
def test_marks_are_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.svg"
    plan.needed("thresholds", bits=16, error="0.1", epsilon=1).curves("error").save(path)
    text = path.read_text(encoding="utf-8")
    assert "the answer: 1,057 records" in text
    assert "impossible below: 269 records" in text
