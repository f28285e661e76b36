"""Proper against improper, pure against approximate: records learners of points and thresholds need, by key length.

Statement: a proper learner of points or thresholds needs records in proportion to the bits of a key, improper learners
of points do not, and with a small delta thresholds do not either. `needed` is measured: the smallest n at which the
failure on a hard distribution, averaged over simulated data sets, is at most the one asked for. `promised` is what the
certificate asks; `floor` is below what any private learner of the kind can do with. Rows of `blocks` and those above
128 bits were computed apart by 0.2.0.dev0 and added to those of 0.1.0; with a delta `needed` has no upper bound, and
above 128 bits the recursion was looked at on 20 data sets only, so that its number is rough.
Found: the paper says that answering with a set instead of a point makes the length of keys irrelevant. Here, at 128
bits, one draw of a point needs 2,001 records and a random set 212, as at 32 bits; and a cut in keys of 4,096 bits takes
58,222 records by one draw, but with a small delta about 1,901 by recursion and about 348 by blocks.
Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013; register `occam-realizable`, `clipped-points`,
`reed-solomon-points`, `pairwise-cover`, `sparse-sets-accuracy`, `boosted-points`, `rec-concave`,
`occupied-blocks-accuracy`, `floor-points-proper`, `floor-points-any`, `floor-thresholds-proper`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from privpac.cli.console import Progress
from privpac.constructions.cuts import recursive_formulas as rec_concave
from privpac.constructions.cuts.blocks_formulas import records_blocks
from privpac.constructions.points import clipped as points
from privpac.constructions.points import coded as representations
from privpac.constructions.points import covered as covered_points
from privpac.constructions.points import sampled as sampled_points
from privpac.constructions.points import sparse as sparse_points
from privpac.pictures.curves import Curves, Series
from privpac.theory import floors, sizes
from reproductions import hard_failures
from reproductions.long_keys import BlockKeys, RecursionKeys
from reproductions.means import interval
from reproductions.needs import Failures, smallest_n

__all__ = ["figure", "rows"]

ERROR, FAILURE, EPSILON, DELTA = Fraction(1, 10), Fraction(1, 20), Fraction(1), Fraction(1, 10**6)
WANTED: Mapping[str, Any] = {"error": ERROR, "failure": FAILURE, "epsilon": EPSILON}
BITS, QUICK_BITS = (8, 16, 32, 64, 128), (8, 16)
LONGER = (256, 1024, 4096)
"""For cuts alone: only there the recursion has overtaken one draw."""
REPETITIONS, QUICK_REPETITIONS = 4000, 500
SLOW_REPETITIONS, SLOWEST_REPETITIONS = 100, 30
"""Data sets of keys, which are looked at one by one; those of the longest keys take longest."""
RECURSION, BLOCKS = "thresholds: recursion, delta 1e-6", "thresholds: blocks, delta 1e-6"
SEED_BITS = 16
SPARSE_UP_TO = 24
"""Bits of a key above which a coin for every value is out of reach."""
TENTH, RATE = float(ERROR), float(EPSILON) / 2


@dataclass(frozen=True)
class Entry:
    """One learner at one key length."""

    learner: str
    answers: str
    bits: int
    promised: int
    floor: int | None
    failures: Failures
    repetitions: int | None = None
    """Where data sets are expensive."""


def _proper_points(bits: int) -> Iterator[Entry]:
    domain = 2**bits
    floor = floors.floor_points_proper(domain, **WANTED)
    need = sizes.records_occam(domain, **WANTED)
    one = partial(hard_failures.points, domain=domain, error=TENTH, rate=RATE)
    yield Entry("points: one draw", "a point", bits, need, floor, one)
    need, clip = points.plan_clipped(domain, **WANTED)
    cut = partial(hard_failures.clipped, domain=domain, clip=clip, error=TENTH)
    yield Entry("points: clipped", "a point", bits, need, floor, cut)


def _improper_points(bits: int) -> Iterator[Entry]:
    floor = floors.floor_points_any(2**bits, **WANTED)
    need, code, _ = representations.plan_code(2**bits, **WANTED)
    if code.digits > 1:  # with one digit a set is a point
        sets = partial(hard_failures.coded, code=code, error=TENTH, rate=RATE)
        yield Entry("points: Reed-Solomon sets", "a set", bits, need, floor, sets)
    need, cover = covered_points.plan_cover(**WANTED)
    hashed = partial(hard_failures.covered, cover=cover, error=TENTH, rate=RATE)
    yield Entry("points: random sets", "a set", bits, need, floor, hashed)
    if bits <= SPARSE_UP_TO:
        need, sparsity = sparse_points.plan_sparse(**WANTED)
        coins = partial(hard_failures.sparse, sparsity=sparsity, error=TENTH)
        yield Entry("points: coin by coin", "a set", bits, need, floor, coins)
    need, boost = sampled_points.plan_boosted(**WANTED)
    runs = partial(hard_failures.boosted, boost=boost, error=TENTH, rate=RATE)
    yield Entry("points: sampled and boosted", "a set", bits, need, floor, runs)


def _generated(bits: int) -> Iterator[Entry]:
    if bits > SEED_BITS:
        need = sizes.records_occam(2**SEED_BITS, **WANTED)
        floor = floors.floor_points_proper(2**SEED_BITS, **WANTED)
        one = partial(hard_failures.points, domain=2**SEED_BITS + 1, error=TENTH, rate=RATE)
        yield Entry(f"points of {SEED_BITS}-bit seeds", "a point", bits, need, floor, one)


def _thresholds(bits: int, *, quick: bool) -> Iterator[Entry]:
    need = sizes.records_occam(2**bits + 1, **WANTED)
    floor = floors.floor_thresholds_proper(2**bits, **WANTED)
    cut = partial(hard_failures.thresholds, domain=2**bits, error=TENTH, rate=RATE)
    yield Entry("thresholds: one draw", "a cut", bits, need, floor, cut)
    if quick:
        return
    slow = SLOWEST_REPETITIONS if bits == max(LONGER) else SLOW_REPETITIONS
    budget: Mapping[str, Any] = {"failure": FAILURE, "epsilon": EPSILON, "delta": DELTA}
    for learner, records, keys in (
        (RECURSION, rec_concave.records_rec_concave, RecursionKeys),
        (BLOCKS, records_blocks, BlockKeys),
    ):
        need = records(2**bits, error=ERROR, **budget)
        failures = keys(bits, error=TENTH, **budget).failures
        yield Entry(learner, "a cut or none", bits, need, None, failures, slow)


def _entries(bits: int, *, quick: bool) -> Iterator[Entry]:
    yield from _proper_points(bits)
    yield from _improper_points(bits)
    yield from _generated(bits)
    yield from _thresholds(bits, quick=quick)


def rows(*, quick: bool, progress: Progress) -> list[dict[str, Any]]:
    """One row per learner and key length."""
    entries = [entry for bits in (QUICK_BITS if quick else BITS) for entry in _entries(bits, quick=quick)]
    entries += [entry for bits in LONGER if not quick for entry in _thresholds(bits, quick=quick)]
    entries.sort(key=lambda entry: entry.learner)
    repetitions, made = QUICK_REPETITIONS if quick else REPETITIONS, []
    # What is slow counts more: a data set of keys takes about as long as four hundred of counts.
    costs = [1 if entry.repetitions is None else 20 for entry in entries]
    for index, entry in enumerate(entries):
        made.append(_row(entry, entry.repetitions or repetitions))
        progress(sum(costs[: index + 1]), sum(costs))
    return made


def _row(entry: Entry, repetitions: int) -> dict[str, Any]:
    found = smallest_n(entry.failures, failure=float(FAILURE), repetitions=repetitions, start=entry.promised)
    mean, low, high = interval(entry.failures(entry.promised, repetitions, 2), confidence=0.99)
    return {
        "learner": entry.learner,
        "answers": entry.answers,
        "domain_bits": entry.bits,
        "promised": entry.promised,
        "needed": found.n,
        "needed_low": found.at_least,
        "needed_high": found.at_most,
        "floor": entry.floor,
        "failure_at_promised": round(mean, 4),
        "failure_low": round(low, 4),
        "failure_high": round(high, 4),
        "data_sets": repetitions,
    }


VALUES = "Finding a value: a point or a set as the answer"
CUTS = "Finding a cut: with and without a delta"
DRAWN = (
    (VALUES, "points: one draw", "needed", "a point, one draw"),
    (VALUES, "points: one draw", "floor", "floor, a point"),
    (VALUES, "points: random sets", "needed", "a random set"),
    (VALUES, "points: random sets", "floor", "floor, any answer"),
    (CUTS, "thresholds: one draw", "needed", "one draw, no delta"),
    (CUTS, "thresholds: one draw", "floor", "floor, no delta"),
    (CUTS, RECURSION, "needed", "recursion, delta"),
    (CUTS, BLOCKS, "needed", "blocks, delta"),
)
"""Panel, learner, column, name of the curve."""


TICKS = (8, 16, 32, 64, 128, 512, 1024, 4096)
"""Key lengths that have room for their number below the axis."""


def figure(rows: Sequence[Mapping[str, Any]]) -> Curves:
    """Records needed against key length, values above and cuts below; floors dashed. The table has more learners."""
    there = {row["learner"] for row in rows}
    series = [
        replace(_series(rows, learner, column, label, dashed=column == "floor"), panel=panel)
        for panel, learner, column, label in DRAWN
        if learner in there
    ]
    return Curves(
        "Records needed to find a value or a cut in keys of so many bits",
        "bits of a key",
        "records",
        series,
        log_x=True,
        log_y=True,
        x_ticks=[bits for bits in TICKS if bits in {row["domain_bits"] for row in rows}],
        note="Measured: the fewest records whose failure on a hard distribution is 0.05 on average (error 0.1, "
        "epsilon 1, delta 1e-6). Bands: 99% intervals.",
    )


def _series(
    rows: Sequence[Mapping[str, Any]], learner: str, column: str, label: str, *, dashed: bool = False
) -> Series:
    own = [row for row in rows if row["learner"] == learner]
    band = column == "needed"
    return Series(
        label,
        [row["domain_bits"] for row in own],
        [row[column] for row in own],
        low=[row["needed_low"] for row in own] if band else None,
        high=[row["needed_high"] or row["needed"] for row in own] if band else None,
        dashed=dashed,
    )
