"""At planned sizes constructions fail no more often than promised: rates are stored, and a few are measured anew."""

from __future__ import annotations

import json

import pytest
from benchmarks.failures import (
    CONJUNCTIONS,
    FAILURE,
    LONG_COLUMN,
    NAMES,
    RESULTS,
    RUNS,
    Rate,
    classes,
    measured,
    tail,
)

STORED = [Rate(**row) for row in json.loads(RESULTS.read_text(encoding="utf-8"))["rates"]]


def test_stored_rates_are_within_the_promise() -> None:
    """By bad luck one of them is not once in ten thousand such tables."""
    assert {rate.of for rate in STORED} == {*NAMES, CONJUNCTIONS, LONG_COLUMN}
    assert all(rate.runs >= RUNS for rate in STORED)
    assert all(rate.holds for rate in STORED), "more failures than promised"


def test_twice_as_many_failures_as_promised_would_be_noticed() -> None:
    often = Rate("any", "thresholds", "realizable", 1, 0, RUNS, int(2 * RUNS * FAILURE) + 5, 0.0)
    assert not often.holds
    assert tail(RUNS, 0, float(FAILURE)) == pytest.approx(1)


@pytest.mark.long
@pytest.mark.parametrize(
    "construction", ["occam", "agnostic", "subsampled", "confident", "stable", "rec-concave"]
)
def test_a_few_rates_measured_anew(construction: str) -> None:
    (one,) = (one for one in classes() if one.name == "thresholds")
    rate = measured(one, construction, "records", runs=100)
    assert rate is not None
    assert rate.holds


@pytest.mark.long
def test_far_too_few_records_are_noticed() -> None:
    """The same runs with a tenth of the records fail more often than promised."""
    from benchmarks import failures

    (one,) = (one for one in classes() if one.name == "thresholds")
    size, wishes = failures.planned(one, "subsampled", "records") or pytest.fail("not planned")
    fewer = failures.Size(size.labelled // 10)
    missed = sum(failures._run(one, fewer, wishes, 0.0, seed) for seed in range(200))
    assert tail(200, missed, float(FAILURE)) < failures.CHANCE
