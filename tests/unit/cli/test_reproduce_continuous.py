"""`privpac reproduce continuous`: what is measured lies between floor and promise, and label privacy does not care."""

from __future__ import annotations

import pytest
from reproductions import continuous

STEPS: list[tuple[int, int]] = []
ROWS = continuous.rows(quick=True, progress=lambda done, of: STEPS.append((done, of)))
BAD = [row for row in ROWS if row["part"] == continuous.BAD]
SLACK = 0.35  # six standard deviations of a mean of forty, roughly halved where it matters


def test_rows_are_alike_and_progress_is_told() -> None:
    assert len({tuple(row) for row in ROWS}) == 1
    assert STEPS[-1] == (len(BAD), len(BAD))


@pytest.mark.parametrize("row", BAD, ids=lambda row: f"{row['kappa']}-{row['records']}")
def test_measured_lies_between_floor_and_promise(row: dict) -> None:
    assert row["floor"] - SLACK <= row["measured"] <= row["promised"] + SLACK
    assert row["labels_measured"] <= row["labels_promised"] + SLACK


def test_concentration_hurts_whole_records_and_not_labels() -> None:
    many = {row["kappa"]: row for row in BAD if row["records"] == 300}
    assert many[10]["measured"] < 0.1 < many[10**5]["measured"]
    assert max(row["labels_measured"] for row in many.values()) < 0.1


def test_the_examples_show_the_printed_density_and_the_exact_one() -> None:
    band = next(row for row in ROWS if row["setting"].startswith("2: band |u·x| <= 1/√10"))
    assert (band["kappa"], band["printed_kappa"]) == (1.5231, -4.6935)


def test_the_figure_has_both_kinds_of_privacy() -> None:
    labels = [series.label for series in continuous.figure(ROWS).series]
    assert len(labels) == 6
    assert any("labels only" in label for label in labels)
