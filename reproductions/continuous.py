"""A continuous column: what any private learner must lose as the data concentrate, what a density bound and what label
privacy buy.

Statement: the bad family puts a fifth of the mass on a window of density kappa around the true cut. No learner that
protects whole records fails less often than `floor` says; the exponential mechanism over a cover for kappa does not
fail more often than `promised`; thresholds that protect labels only do not depend on kappa at all. Failure: an error
above a tenth. Further rows: the densities of the source's examples, exact and as printed, with what half-spaces need.
Found: the paper says that on a continuous column every learner that protects whole records fails on some distribution.
Here, with 50 records, the floor of the failure grows from 0.02 to 0.98 as the window shrinks, while a learner that
protects labels only fails in about 13 of 100 runs whatever the window is.
Source: register `floor-thresholds-smooth`, `reference-cover-realizable`, `label-thresholds`, `band-density`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from privpac.coins import SeededCoins
from privpac.concepts.line.cuts import Cuts
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.constructions.base import Learner
from privpac.constructions.covers import floors as cover_floors
from privpac.constructions.covers import formulas as covers
from privpac.constructions.draw.occam import Occam
from privpac.constructions.labels import formulas as label_privacy
from privpac.constructions.labels.classes import LabelPrivateDichotomies
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.pictures.curves import Curves, Series
from privpac.planning.invented import uniforms
from privpac.theory import sizes

__all__ = ["figure", "rows"]

ERROR, EPSILON, FAILURE = Fraction(1, 10), Fraction(1), Fraction(1, 20)
SHARE = Fraction(4, 100)
RECORDS = (50, 100, 300)
KAPPAS, QUICK_KAPPAS = (10, 10**3, 10**5, 10**7), (10, 10**5)
RUNS, QUICK_RUNS = 400, 40
TARGET = 0.4
SCHEMA = Schema.from_json(
    {"label": "y", "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 1}]}
)
CELLS = SCHEMA.column("x").size
SLIGHTLY_MORE = 1.001
"""Mass above the error, so that missing half of the window is a failure."""

BAD, EXAMPLES = "bad family", "examples"


def rows(*, quick: bool, progress: Callable[[int, int], None]) -> list[dict[str, Any]]:
    """One row a density and number of records, then one an example."""
    kappas, runs = (QUICK_KAPPAS, QUICK_RUNS) if quick else (KAPPAS, RUNS)
    found, total = [], len(kappas) * len(RECORDS)
    for n in RECORDS:
        for kappa in kappas:
            found.append(_bad_family(kappa, n, runs))
            progress(len(found), total)
    return found + [_example(*example) for example in _examples()]


def _draw(kappa: float, n: int, coins: SeededCoins) -> MemorySample:
    mass = 2 * float(ERROR) * SLIGHTLY_MORE
    where, place, side = uniforms(coins, 3 * n).reshape(3, n)
    inside = where < mass
    near = TARGET + mass / kappa * (place - 0.5)
    far = np.where(side < 0.5, place / 4, 1 - place / 4)
    x = np.where(inside, near, far)
    return MemorySample.of({"x": x}, SCHEMA, y=(x >= TARGET).astype(int))


def _fails(rule: Threshold, kappa: float) -> bool:
    """Whether the cut lies outside of the window, or beyond a tenth of the mass within it."""
    mass = 2 * float(ERROR) * SLIGHTLY_MORE
    off = abs(rule.cut / CELLS - TARGET) / (mass / kappa)
    return mass * min(off, 0.5) > float(ERROR)


def _measured(learner: Learner, kappa: float, n: int, runs: int) -> float:
    coins, records = SeededCoins(n), SeededCoins(n * int(kappa) + 1)
    failed = 0
    for _ in range(runs):
        rule = learner.learn(_draw(kappa, n, records), coins)
        assert isinstance(rule, Threshold)
        failed += _fails(rule, kappa)
    return round(failed / runs, 4)


def _bad_family(kappa: int, n: int, runs: int) -> dict[str, Any]:
    count = covers.cover_thresholds(SHARE * ERROR / kappa)
    wanted: dict[str, Any] = {"error": ERROR, "epsilon": EPSILON}
    promised = sizes.failure_occam(n, size=count + 1, good=1, tolerated=SHARE * ERROR, **wanted)
    return _row(
        BAD,
        f"thresholds, {n} records",
        kappa=kappa,
        records=n,
        floor=float(cover_floors.least_failure_thresholds_smooth(n, kappa=kappa, **wanted)),
        measured=_measured(Occam(Cuts(SCHEMA, "x", count=count), EPSILON), kappa, n, runs),
        promised=float(promised),
        labels_measured=_measured(LabelPrivateDichotomies(Thresholds(SCHEMA, "x"), EPSILON), kappa, n, runs),
        labels_promised=float(label_privacy.failure_label_thresholds(n, spacing=0, **wanted)),
    )


def _examples() -> list[tuple[str, int | None, float | None, Fraction]]:
    """Name, dimension, printed kappa, exact kappa."""
    tenth, half = Fraction("0.31622776601683794"), Fraction(1, 2)
    return [
        ("1: thresholds, all mass on a hundredth", None, 100.0, Fraction(100)),
        (
            "2: band |u·x| <= 1/√10 in R^10",
            10,
            1 / (1 - 2 * math.exp(-0.5)),
            covers.density_band(tenth, dimension=10),
        ),
        (
            "2: band |u·x| <= 1/2 in R^10",
            10,
            1 / (1 - 2 * math.exp(-1.25)),
            covers.density_band(half, dimension=10),
        ),
        ("3: margin |u·x| >= 1/2 in R^10", 10, 4.0**4.5, covers.density_outside_band(half, dimension=10)),
        ("3: margin |u·x| >= 1/2 in R^3", 3, 4.0, covers.density_outside_band(half, dimension=3)),
    ]


def _example(name: str, dimension: int | None, printed: float | None, kappa: Fraction) -> dict[str, Any]:
    wanted: dict[str, Any] = {"error": ERROR, "failure": FAILURE, "epsilon": EPSILON}
    return _row(
        EXAMPLES,
        name,
        kappa=round(float(kappa), 4),
        printed_kappa=None if printed is None else round(printed, 4),
        records=covers.records_reference(kappa, dimension=dimension, **wanted),
    )


def _row(part: str, setting: str, **values: Any) -> dict[str, Any]:
    keys = (
        "kappa",
        "printed_kappa",
        "records",
        "floor",
        "measured",
        "promised",
        "labels_measured",
        "labels_promised",
    )
    rounded = {key: round(value, 4) if isinstance(value, float) else value for key, value in values.items()}
    return {"part": part, "setting": setting, **{key: rounded.get(key) for key in keys}}


def figure(rows: Sequence[dict[str, Any]]) -> Curves:
    """Failure over the density, one panel for each of the two largest numbers of records."""
    bad = [row for row in rows if row["part"] == BAD]
    series = []
    for records in sorted({row["records"] for row in bad})[-2:]:
        own, panel = [row for row in bad if row["records"] == records], f"{records} records"
        x = [float(row["kappa"]) for row in own]
        series += [
            Series("whole records", x, [row["measured"] for row in own], panel=panel),
            Series("labels only", x, [row["labels_measured"] for row in own], panel=panel),
            Series("floor for whole records", x, [row["floor"] for row in own], dashed=True, panel=panel),
        ]
    return Curves(
        "How often a private cut misses by more than 0.1, as the data concentrate",
        "density against the reference (kappa)",
        "failures",
        series,
        log_x=True,
        note="Epsilon 1. A fifth of the mass lies on a window of density kappa around the true cut.",
    )
