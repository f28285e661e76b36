"""From clean labels to noisy ones: what the transformation costs, promised and measured, as epsilon shrinks.

Statement: thresholds over keys of 32 and 128 bits. `clean` records are enough if some cut makes no mistake; `direct`
are enough for noisy labels by one draw from the class, and `transformed` by letting most records vote on the labels of
the others before the same learner sees them, each with `excess` above the best cut promised. `subsampled` is the older
way: the transformation at epsilon 1, on so few of the records, drawn at random, that it loses `epsilon`. Below `floor`
no private learner that answers with a cut can succeed, even with clean labels. `direct measured` and `transformed
measured` are mean excesses at those sizes in simulation, a tenth of the labels wrong.
Found: the paper says that what noisy labels cost beyond clean ones need not grow with 1/epsilon, as it does if one
subsamples. Here the gain is seen at small epsilon and excess (13,440,000 records against 39,466,826 at 0.02 each), but
at these sizes the cost still grows with 1/epsilon, and one draw from the class needs 1.4 to 86 times fewer records than
the transformation around that very draw, while around `agnostic:blocks`, whose records hardly grow with the keys, it is
the other way round from about three thousand bits on.
Source: Li–Wang–Ye 2025, Theorems 1 and 18; register `agnostic-transformation`, `relabelling`, `relabelling-accuracy`,
`subsampling-without-replacement`, `occam-agnostic`, `occam-realizable`, `floor-thresholds-proper`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from privpac.cli.console import Progress
from privpac.coins import SeededCoins
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import Occam
from privpac.constructions.wrappers.calibrate import calibrate_agnostic
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import RuleRefused
from privpac.pictures.curves import Curves, Series
from privpac.planning.invented import uniforms
from privpac.theory import floors, sizes

__all__ = ["figure", "rows"]

FAILURE = Fraction(1, 20)
NOISE, CUT = 0.1, 1 / 3
BITS, QUICK_BITS = (32, 128), (32,)
EPSILONS, QUICK_EPSILONS = ("1", "0.5", "0.25", "0.1", "0.02"), ("1", "0.5")
EXCESSES, QUICK_EXCESSES = ("0.2", "0.1", "0.02"), ("0.2",)
INSIDE = Fraction(1)
"""The constant epsilon at which the older way runs on a part of the records."""
RUNS, QUICK_RUNS = 20, 3
SIMULATED_BITS = 32
LARGEST = 100_000
"""Records of a simulated sample at most."""
CLOSE = 100
"""The size of the transformation is found to within one part in so many, from above."""


def rows(*, quick: bool, progress: Progress) -> list[dict[str, Any]]:
    """One row per key length, epsilon and excess."""
    wishes = list(
        product(
            QUICK_BITS if quick else BITS,
            QUICK_EPSILONS if quick else EPSILONS,
            QUICK_EXCESSES if quick else EXCESSES,
        )
    )
    made = []
    for bits, epsilon, excess in wishes:
        made.append(_row(bits, Fraction(epsilon), Fraction(excess), runs=QUICK_RUNS if quick else RUNS))
        progress(len(made), len(wishes))
    return made


def _subsampled(bits: int, epsilon: Fraction, excess: Fraction) -> int:
    """Records of which a share small enough for `epsilon` is as many as the transformation needs inside."""
    needed = _transformed(bits, INSIDE, excess)
    return needed if epsilon == INSIDE else math.ceil(needed * math.expm1(INSIDE) / math.expm1(epsilon))


def _row(bits: int, epsilon: Fraction, excess: Fraction, *, runs: int) -> dict[str, Any]:
    domain = 2**bits
    wanted: dict[str, Any] = {"failure": FAILURE, "epsilon": epsilon}
    direct = sizes.records_agnostic(domain + 1, excess=excess, **wanted)
    transformed = _transformed(bits, epsilon, excess)
    simulated = bits == SIMULATED_BITS
    one = Occam(_thresholds(bits), epsilon)
    voted = _agnostic(bits, epsilon, transformed)
    return {
        "bits": bits,
        "epsilon": float(epsilon),
        "excess": float(excess),
        "clean": sizes.records_occam(domain + 1, error=excess, **wanted),
        "direct": direct,
        "transformed": transformed,
        "subsampled": _subsampled(bits, epsilon, excess),
        "floor": floors.floor_thresholds_proper(domain, error=excess, **wanted),
        "direct_measured": _measured(one, direct, runs=runs) if simulated else None,
        "transformed_measured": _measured(voted, transformed, runs=runs) if simulated else None,
    }


@cache
def _thresholds(bits: int) -> Thresholds:
    column = {"name": "x", "kind": "numeric", "lower": 0, "upper": 2**bits - 1, "integer": True}
    return Thresholds(Schema.from_json({"label": "y", "columns": [column]}), "x")


def _agnostic(bits: int, epsilon: Fraction, n: int) -> Learner:
    """The transformation, half of the failure for the vote and half for the learner inside."""
    concepts = _thresholds(bits)
    return calibrate_agnostic(
        lambda inner: Occam(concepts, inner, failure=FAILURE / 2),
        size=Size(n),
        epsilon=epsilon,
        failure=FAILURE / 2,
    )


@cache
def _transformed(bits: int, epsilon: Fraction, excess: Fraction) -> int:
    """Records from which on the certificate promises the excess, found by halving."""

    def enough(n: int) -> bool:
        try:
            facts = [proof.fact for proof in _agnostic(bits, epsilon, n).certify(Size(n)).accuracy]
        except RuleRefused:
            return False
        return any(fact.error <= excess and fact.failure <= FAILURE for fact in facts)

    high = 1000
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > high // CLOSE:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _measured(learner: Learner, n: int, *, runs: int) -> float | None:
    """The mean excess: a cut at a share s of the domain errs by (1 - 2·noise)·|s - CUT| more than the best one."""
    if n > LARGEST:
        return None
    concepts, cells = learner.concepts, 2**SIMULATED_BITS
    total = 0.0
    for run in range(runs):
        coins = SeededCoins(1000 * n + run)
        place, luck = uniforms(coins, 2 * n).reshape(2, n)
        labels = (place >= CUT) ^ (luck < NOISE)
        cut_at = (place * cells).astype(np.int64)
        sample = MemorySample.from_cells(concepts.schema, {"x": cut_at}, labels.astype(np.uint8))
        rule = learner.learn(sample, coins)
        assert isinstance(rule, Threshold)
        total += (1 - 2 * NOISE) * abs(rule.cut / cells - CUT)
    return round(total / runs, 4)


EXTRA, RATIO = "Extra records that noisy labels cost", "Extra records: transformed over subsampled"
NAMES = {"subsampled": "subsampled", "transformed": "transformed", "direct": "one draw on noisy labels"}


def figure(rows: Sequence[Mapping[str, Any]]) -> Curves:
    """What noisy labels cost beyond clean ones against 1/epsilon, at the smallest excess and the fewest bits, and what
    the transformation saves at every excess."""
    bits, excesses = min(row["bits"] for row in rows), sorted({row["excess"] for row in rows})
    extra = [
        Series(name, _over(own), [_extra(row, key) for row in own], group=key, panel=EXTRA)
        for own in [_of(rows, bits, excesses[0])]
        for key, name in NAMES.items()
    ]
    shares = [
        Series(
            f"excess {excess:g}",
            _over(own),
            [round(_extra(row, "transformed") / _extra(row, "subsampled"), 4) for row in own],
            panel=RATIO,
        )
        for excess in excesses
        for own in [_of(rows, bits, excess)]
    ]
    return Curves(
        f"What noisy labels cost: an excess of {excesses[0]:g} above the best cut, keys of {bits} bits",
        "1 / epsilon",
        "records",
        extra + shares,
        log_x=True,
        log_y=True,
        x_ticks=sorted({1 / row["epsilon"] for row in rows}),
        note="Extra: above what clean labels need at the same epsilon. Promised by certificates, with failure 0.05.",
    )


def _of(rows: Sequence[Mapping[str, Any]], bits: int, excess: float) -> list[Mapping[str, Any]]:
    return [row for row in rows if (row["bits"], row["excess"]) == (bits, excess)]


def _over(rows: Sequence[Mapping[str, Any]]) -> list[float]:
    return [1 / row["epsilon"] for row in rows]


def _extra(row: Mapping[str, Any], key: str) -> int:
    extra: int = row[key] - row["clean"]
    return extra
