"""The clock of a simulation: what has begun may end, and nothing begins that is expected to end too late."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from privpac import plan
from privpac.plan import simulation
from privpac.plan.simulation import Clock, Simulation, TimeUp


class Hands:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at

    def passing(self, seconds: float) -> Callable[[], str]:
        def work() -> str:
            self.at += seconds
            return "done"

        return work


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    monkeypatch.setattr(simulation, "GRACE", 0.0)
    return Hands()


def test_what_has_begun_ends_and_nothing_begins_that_would_end_too_late(hands: Hands) -> None:
    clock = Clock(10, hands)
    assert clock.timed(1, hands.passing(7)) == "done"
    assert not clock.is_up
    with pytest.raises(TimeUp, match="the time was up: give it more --seconds"):
        clock.timed(1, hands.passing(1))  # at the pace of the last one it would take seven
    assert clock.is_up
    assert hands.at == 7
    assert clock.timed(0.4, hands.passing(50)) == "done", "what is expected to fit may begin, and then ends"
    with pytest.raises(TimeUp):
        clock.require(0.0)


def test_the_pace_is_that_of_the_last_work(hands: Hands) -> None:
    clock = Clock(10, hands)
    clock.timed(1, hands.passing(5))  # something was compiled
    clock.timed(0.5, hands.passing(0.1))
    for _ in range(20):
        clock.timed(1, hands.passing(0.2))
    assert hands.at == pytest.approx(9.1)


def test_a_part_of_the_time_ends_sooner(hands: Hands) -> None:
    clock = Clock(10, hands)
    part = clock.part(0.4)
    part.timed(1, hands.passing(4))
    with pytest.raises(TimeUp):
        part.require(1)
    clock.require(1)
    assert not clock.is_up


def test_seconds_run_from_the_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "GRACE", 0.0)
    with pytest.raises(TimeUp):
        Simulation(seconds=1e-9).clock.require(1.0)


class Kept:
    """Remembers that something was to be kept."""

    def __init__(self) -> None:
        self.stored: list[Any] = []

    def get(self, name: str, *, options: str) -> Any | None:
        return None

    def put(self, name: str, value: Any, *, options: str) -> None:
        self.stored.append(value)


def test_a_plan_without_time_says_so_in_every_row_and_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "GRACE", -100.0)
    keep = Kept()
    made = plan.reachable(
        "trees:1", columns=3, records=500, epsilon=1, simulate=True, seconds=5, keep=keep, progress=None
    )
    assert {row.unsimulated for row in made.answers} == {"the time was up: give it more --seconds"}
    assert "since the time was up: give it more --seconds" in str(made)
    assert not keep.stored
    assert (
        "Not simulated: to try cards for 500 records"
        in plan.reachable("card", columns=3, records=500, epsilon=1, simulate=True, seconds=5).advice[0]
    )
