"""Labels needed when records without labels abound: promised by every method, and measured on thresholds.

Statement: `labels` are the fewest each method promises the error for, with at most `unlabelled` other records at hand;
`measured` is the first number on a grid at which at most one run in twenty failed, with 20,000 other records, uniform
points and random cuts (a simulation, not a promise), between `measured low`, the last with surely more failures, and
`measured high`, the first with surely fewer.
Found: the paper says that the number of labels follows the VC dimension and not the length of keys. Here the generic
learner of thresholds is promised from 265 labels on at 16 bits and 403 at 128, where one draw without further records
needs 351 and 2,285 and boosting with the printed constants 170,053,921; but on uniform points one draw itself needs no
more labels for longer keys, and only asking few people saves any.
Source: register `occam-realizable`, `generic-learner`, `label-boost-realizable`, `label-boost`, `ssl-relabel-accuracy`,
`active-subsampling`, `floor-labels`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from scipy.stats import binom

from privpac.cli.console import Progress
from privpac.coins import SeededCoins
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels.active import Active, inner_epsilon
from privpac.constructions.few_labels.after_labels import Family
from privpac.constructions.few_labels.boost import BOOSTING, LabelBoost, labels_as_printed
from privpac.constructions.few_labels.floors import labels_floor
from privpac.constructions.few_labels.generic import GenericLearner
from privpac.constructions.few_labels.methods import LabelsOnly, promised_error
from privpac.constructions.few_labels.relabel import RELABELLING, SSLRelabel
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.data.semi import SemiSample
from privpac.errors import SizeError
from privpac.pictures.curves import Curves, Series
from privpac.planning.invented import uniforms
from privpac.theory import sizes

__all__ = ["figure", "rows"]

ERROR, FAILURE, EPSILON = Fraction(1, 10), Fraction(1, 20), Fraction(1)
OTHERS = 10**6
"""Records without labels that are at hand for the promises."""
POOL = 20_000
"""And for the simulation."""
RUNS, QUICK_RUNS = 120, 20
TAIL = 0.025
"""Of an interval, on either side."""
BITS, QUICK_BITS = (16, 32, 64, 128), (16, 32)
LARGE = ((4, 128), (8, 512), (8, 5000))
"""VC dimension and bits of larger classes: boxes over two keys of 32 bits, and the like."""
PRINTED = "boost, printed constants"
METHODS = ("plain", "generic", PRINTED, "boost", "relabel", "active")
GRID = 0.75
"""Numbers of labels that are tried lie so far apart."""


def rows(*, quick: bool, progress: Progress) -> list[dict[str, Any]]:
    """One row per class and method."""
    bits = QUICK_BITS if quick else BITS
    classes = [("thresholds", 1, size) for size in bits]
    classes += [] if quick else [("any", vc, size) for vc, size in LARGE]
    made: list[dict[str, Any]] = []
    for name, vc, size in classes:
        for method in METHODS:
            labels = _promised(method, vc, size) if name == "thresholds" or method != "generic" else None
            simulated = Measured()
            if name == "thresholds" and size <= 64:
                simulated = _measured(method, size, labels, runs=QUICK_RUNS if quick else RUNS)
            made.append(_row(name, vc, size, method, labels, simulated))
            progress(len(made), len(classes) * len(METHODS))
    return made


def _row(
    name: str, vc: int, bits: int, method: str, labels: int | None, simulated: Measured
) -> dict[str, Any]:
    return {
        "concepts": name,
        "vc": vc,
        "bits": bits,
        "method": method,
        "epsilon": float(EPSILON),
        "error": float(ERROR),
        "failure": float(FAILURE),
        "unlabelled": OTHERS if method != "plain" else 0,
        "labels": labels,
        "measured": simulated.labels,
        "measured_low": simulated.low,
        "measured_high": simulated.high,
        "floor": labels_floor(vc, error=ERROR, failure=FAILURE),
    }


def _family(vc: int, bits: int) -> Family:
    size = 2**bits + 1 if vc == 1 else 2**bits
    return Family(size, vc, Fraction(size - 1))


def _promised(method: str, vc: int, bits: int) -> int | None:
    family = _family(vc, bits)
    wanted: dict[str, Any] = {"error": ERROR, "failure": FAILURE}
    try:
        match method:
            case "plain":
                return sizes.records_occam(family.size, epsilon=EPSILON, **wanted)
            case "generic":
                learner = GenericLearner(_cuts(bits), EPSILON, failure=FAILURE)
                return _first(lambda m: promised_error(learner, Size(m, OTHERS)) <= ERROR)
            case "boost, printed constants":
                return labels_as_printed(vc, **wanted)
            case "boost":
                return BOOSTING.fewest(family, epsilon=EPSILON, unlabelled=OTHERS, **wanted).labelled
            case "relabel":
                return RELABELLING.fewest(family, epsilon=EPSILON, unlabelled=OTHERS, **wanted).labelled
        return _first(lambda m: sizes.records_occam(family.size, epsilon=_inner(m, OTHERS), **wanted) <= m)
    except SizeError:
        return None


def _inner(asked: int, records: int) -> Fraction:
    return inner_epsilon(asked, records, epsilon=EPSILON)


def _first(enough: Callable[[int], bool], *, most: int = 10**7) -> int | None:
    """The first number that is enough; None if none up to `most` is."""
    high = 1
    while not enough(high):
        high *= 2
        if high > most:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


# --- the simulation ---


def _schema(bits: int) -> Schema:
    return Schema((Numeric("a", 0, 2**bits - 1, integer=True),), "y")


def _cuts(bits: int) -> Thresholds:
    return Thresholds(_schema(bits), "a")


@dataclass(frozen=True)
class Measured:
    """Labels that were enough in simulation, between what was surely too few and what was surely enough."""

    labels: int | None = None
    low: int | None = None
    high: int | None = None


def _measured(method: str, bits: int, labels: int | None, *, runs: int) -> Measured:
    """The first number of labels on a grid with at most one failure in twenty runs, and an interval around it.

    If one run in twenty failed in truth, as many failures as at `low`, or as few as at `high`, would each be seen in
    one of forty simulations.
    """
    if labels is None or method == PRINTED:
        return Measured()
    grid = sorted({max(2, math.ceil(labels * GRID**k)) for k in range(16)})
    most = int(runs * FAILURE)
    bad, good = int(binom.isf(TAIL, runs, float(FAILURE))), int(binom.ppf(TAIL, runs, float(FAILURE))) - 1

    @cache
    def failures(place: int) -> int:
        return _failures(method, bits, grid[place], runs)

    def first(allowed: int) -> int:
        low, high = -1, len(grid)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if failures(middle) <= allowed else (middle, high)
        return high

    places = (first(most), first(bad) - 1, first(good))
    return Measured(*(grid[place] if 0 <= place < len(grid) else None for place in places))


def _failures(method: str, bits: int, labels: int, runs: int) -> int:
    """Runs in which the learnt cut is further than the error from the true one."""
    try:
        learn = _learner(method, bits, labels)
    except SizeError:
        return runs
    wrong = 0
    for run in range(runs):
        points = (uniforms(SeededCoins(64 * run + bits), labels + POOL) * 2.0**bits).astype(np.uint64)
        cut = int(Fraction(2 * run + 1, 2 * runs) * 2**bits)
        found = learn(points, (points >= np.uint64(cut)).astype(np.uint8), SeededCoins(run))
        wrong += abs(found - cut) > ERROR * 2**bits
    return wrong


def _learner(method: str, bits: int, labels: int) -> Callable[[Any, Any, SeededCoins], int]:
    """From points and all their labels (only so many are read) to a cut."""
    schema, concepts, size = _schema(bits), _cuts(bits), Size(labels, POOL)
    if method == "active":
        asking = Active(
            LabelsOnly(Occam(concepts, _inner(labels, size.total))), size.total, labels, labels, EPSILON
        )

        def ask(points: Any, truth: Any, coins: SeededCoins) -> int:
            questions = asking.ask(coins)
            bare = MemorySample.from_cells(schema, {"a": points})
            return _cut(asking.learn(bare, questions, truth[list(questions.asked)], coins))

        return ask
    makers: dict[str, Callable[[], Any]] = {
        "plain": lambda: LabelsOnly(Occam(concepts, EPSILON)),
        "generic": lambda: GenericLearner(concepts, EPSILON, failure=FAILURE),
        "boost": lambda: LabelBoost.calibrate(concepts, size, epsilon=EPSILON, failure=FAILURE),
        "relabel": lambda: SSLRelabel.calibrate(concepts, size, epsilon=EPSILON, failure=FAILURE),
    }
    learner = makers[method]()

    def learn(points: Any, truth: Any, coins: SeededCoins) -> int:
        named = MemorySample.from_cells(schema, {"a": points[:labels]}, truth[:labels])
        bare = MemorySample.from_cells(schema, {"a": points[labels:]})
        return _cut(learner.learn(SemiSample(named, bare), coins))

    return learn


def _cut(rule: Any) -> int:
    """Where a rule changes; a constant rule changes at an end."""
    return int(rule.cut)


# --- the figure ---


PROMISED, SIMULATED = "Promised: labels over those of one draw", "In simulation: the same ratio"


def figure(made: Sequence[dict[str, Any]]) -> Curves:
    """Labels against the bits of the domain, thresholds only, over those that one draw needs without further records:
    promised above, in simulation below."""
    rows = [row for row in made if row["concepts"] == "thresholds"]
    printed = max((row["labels"] for row in rows if row["method"] == PRINTED), default=0)
    plain = [row["labels"] for row in rows if row["method"] == "plain"]
    return Curves(
        "Labels for a threshold, beside those that one draw needs without further records",
        "bits of the domain",
        "ratio",
        list(_series(rows)),
        log_x=True,
        log_y=True,
        x_ticks=sorted({row["bits"] for row in rows}),
        note=f"One draw is promised from {plain[0]:,} labels on at the fewest bits and {plain[-1]:,} at the most "
        "(epsilon 1, error 0.1). Bands: 95% intervals. Boosting with the printed constants would need "
        f"{printed:,} labels.",
    )


def _series(rows: Sequence[dict[str, Any]]) -> Iterator[Series]:
    ways = [method for method in METHODS if method not in (PRINTED, "plain")]
    for method in ways:
        yield _ratios(rows, method, PROMISED, "labels")
    for method in ways:
        yield _ratios(rows, method, SIMULATED, "measured", "measured_low", "measured_high")


def _ratios(rows: Sequence[dict[str, Any]], method: str, panel: str, key: str, *band: str) -> Series:
    """A column of one method over that of one draw, where both have a number; a band is that of the method alone."""
    plain = {row["bits"]: row[key] for row in rows if row["method"] == "plain" and row[key]}
    own = [row for row in rows if row["method"] == method and row["bits"] in plain]
    low, high = (
        [None if row[edge] is None else round(row[edge] / plain[row["bits"]], 4) for row in own]
        if band
        else None
        for edge in (band or ("", ""))
    )
    ratios = [None if row[key] is None else round(row[key] / plain[row["bits"]], 4) for row in own]
    return Series(method, [float(row["bits"]) for row in own], ratios, low, high, group=method, panel=panel)
