"""Simulated numbers of a whole plan: shared seconds, kept results, reasons, progress."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from privpac import plan
from privpac.errors import ParameterError, PrivpacError
from privpac.plan import runner
from privpac.plan.answer import Answer
from privpac.plan.trials import Experiment, Unsimulated

ASK: dict[str, Any] = {"bits": 8, "error": "0.2", "epsilon": 2, "simulate": True}


class Kept:
    """A cache of what JSON can hold."""

    def __init__(self) -> None:
        self.stored: dict[str, str] = {}

    def get(self, name: str, *, options: str) -> Any | None:
        found = self.stored.get(options)
        return None if found is None else json.loads(found)

    def put(self, name: str, value: Any, *, options: str) -> None:
        self.stored[options] = json.dumps(value)


def told(found: plan.Plan) -> list[tuple[Any, Any]]:
    return [(row.simulated, row.unsimulated) for row in found.answers]


def test_numbers_and_reasons_are_kept_together(monkeypatch: pytest.MonkeyPatch) -> None:
    keep = Kept()
    first = plan.needed("thresholds", keep=keep, seconds=1, **ASK)
    assert any(row.simulated and not row.simulated.exact for row in first.answers)
    assert any(row.unsimulated for row in first.answers)
    monkeypatch.setattr(runner, "_simulate", lambda *given: pytest.fail("it was kept"))
    assert told(plan.needed("thresholds", keep=keep, seconds=1, **ASK)) == told(first)
    monkeypatch.undo()
    assert len(keep.stored) == 1
    plan.needed("thresholds", keep=keep, seconds="0.1", **ASK)
    assert len(keep.stored) == 2, "other seconds, other numbers"


def test_cheap_rows_leave_their_seconds_to_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the headline rows are tried by what they cost, and none gets more than its part of what is left."""
    seen: list[tuple[float, float]] = []

    def fake(
        question: Any, row: Answer, experiment: Experiment, *, seconds: float, clock: Any, progress: Any
    ) -> Any:
        seen.append((experiment.seconds(row.need.labelled), seconds))
        problem = Unsimulated("not today")
        problem.spent = seconds / 2
        raise problem

    monkeypatch.setattr(runner, "estimate", fake)
    found = plan.needed("thresholds", seconds=40, **ASK)
    assert len(seen) >= 4
    assert [cost for cost, _ in seen][1:] == sorted(cost for cost, _ in seen[1:]), "after what is said first"
    shares = [share for _, share in seen]
    assert shares == sorted(shares)
    assert max(shares) <= runner.MOST * 40
    assert sum(share / 2 for share in shares) <= 40
    assert "Not simulated: " in str(found)
    assert "since not today" in str(found)


def test_progress_ends_at_the_end() -> None:
    seen: list[tuple[int, int]] = []
    plan.reachable(
        "stumps",
        bits=4,
        columns=2,
        records=300,
        epsilon=2,
        simulate=True,
        seconds=1,
        progress=lambda what, done, of: seen.append((done, of)),
    )
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1][0] == seen[-1][1]


def test_what_is_wrong_with_the_question_is_no_reason() -> None:
    schema = {"label": "y", "columns": [{"name": "a", "kind": "boolean"}]}
    with pytest.raises(PrivpacError, match="no column 'b'"):
        plan.needed("stumps", schema=schema, error="0.2", epsilon=1, marginals={"b": {"1": 1}})
    with pytest.raises(ParameterError, match="seconds is 0"):
        plan.needed("stumps", schema=schema, error="0.2", epsilon=1, simulate=True, seconds=0)


def test_an_epsilon_survives_being_kept() -> None:
    found = plan.smallest_epsilon(
        "stumps", bits=4, columns=2, records=300, error="0.2", simulate=True, seconds=1, keep=(keep := Kept())
    )
    again = plan.smallest_epsilon(
        "stumps", bits=4, columns=2, records=300, error="0.2", simulate=True, seconds=1, keep=keep
    )
    assert told(again) == told(found)
    assert all(isinstance(row.simulated.value, Fraction) for row in again.answers if row.simulated)
