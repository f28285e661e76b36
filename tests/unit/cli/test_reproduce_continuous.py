"""`privpac reproduce continuous`: what is measured lies between floor and promise, and label privacy does not care."""

from __future__ import annotations

from functools import cache
from typing import Any

from reproductions import continuous

SLACK = 0.35  # six standard deviations of a mean of forty, roughly halved where it matters


@cache
def reproduced() -> tuple[list[dict[str, Any]], list[tuple[int, int]]]:
    """The rows, and what was said of the progress: made when a test asks, not when tests are collected."""
    steps: list[tuple[int, int]] = []
    return continuous.rows(quick=True, progress=lambda done, of: steps.append((done, of))), steps


def bad() -> list[dict[str, Any]]:
    return [row for row in reproduced()[0] if row["part"] == continuous.BAD]


def test_measured_lies_between_floor_and_promise() -> None:
    assert bad()
    for row in bad():
        assert row["floor"] - SLACK <= row["measured"] <= row["promised"] + SLACK, row
        assert row["labels_measured"] <= row["labels_promised"] + SLACK, row


def test_concentration_hurts_whole_records_and_not_labels() -> None:
    many = {row["kappa"]: row for row in bad() if row["records"] == 300}
    assert many[10]["measured"] < 0.1 < many[10**5]["measured"]
    assert max(row["labels_measured"] for row in many.values()) < 0.1


def test_the_examples_show_the_printed_density_and_the_exact_one() -> None:
    band = next(row for row in reproduced()[0] if row["setting"].startswith("2: band |u·x| <= 1/√10"))
    assert (band["kappa"], band["printed_kappa"]) == (1.5231, -4.6935)
