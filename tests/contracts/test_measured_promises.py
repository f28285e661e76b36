"""Tables of promises and of intervals: what pages show is what the commands make, and what it must be."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from benchmarks.certificates import EPSILONS, RECORDS, RIVALS, SCHEMAS, certified
from benchmarks.coverage import CONTROL, LOG_ODDS, SIZES

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"


def rows(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["rows"]
    return found


@pytest.mark.parametrize(
    ("columns", "epsilon", "n"),
    [
        ("3 columns", "1", 200),
        ("20 columns, one scale", "0.3", 20_000),
        ("6 columns, three classes", "3", 50),
    ],
)
def test_certificates_are_those_of_today(columns: str, epsilon: str, n: int) -> None:
    kept = {(row["columns"], row["epsilon"], row["records"]): row for row in rows("certificates")}
    assert len(kept) == len(SCHEMAS) * len(EPSILONS) * len(RECORDS)
    assert kept[columns, epsilon, n] == certified(columns, epsilon, n), (
        "run python -m benchmarks.certificates"
    )


def steps_up(found: list[dict[str, Any]]) -> list[str]:
    """Where more records promise less."""
    series: dict[tuple[str, ...], list[tuple[int, float]]] = defaultdict(list)
    for row in found:
        for questions in RIVALS:
            for setting in ("perfect", "any"):
                error = row[f"{questions}_{setting}"]
                series[row["columns"], row["epsilon"], questions, setting].append(
                    (row["records"], 1.0 if error is None else error)
                )
    return [
        f"{key}: {later} records"
        for key, points in series.items()
        for (_, before), (later, error) in zip(sorted(points), sorted(points)[1:], strict=False)
        if error > before
    ]


def test_more_records_never_promise_less() -> None:
    found = rows("certificates")
    assert steps_up(found) == []
    worse = [row | {"one_any": 0.9} if row["records"] == 1_000_000 else row for row in found]
    assert len(steps_up(worse)) == len(SCHEMAS) * len(EPSILONS)  # the check can fail


def test_every_printed_interval_holds_as_often_as_it_says() -> None:
    found = rows("coverage")
    kinds = {row["kind"] for row in found}
    cells = {(row["kind"], row["distribution"], row["records"]) for row in found}
    assert cells == {(kind, table, n) for kind in kinds for table in LOG_ODDS for n in SIZES}
    printed = [row for row in found if not row["kind"].startswith(CONTROL)]
    assert len({row["kind"] for row in printed}) >= 7
    assert [row for row in printed if not row["holds"]] == []
    assert any(not row["holds"] for row in found if row["kind"].startswith(CONTROL))
