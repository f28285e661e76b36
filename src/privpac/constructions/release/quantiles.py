"""Recursive quantiles of an ordered column: a private median, then the medians of both halves, and so on.

Statement: L levels of medians drawn with weight ratio^|2·below - all| in every range lose e^epsilon = ratio^(-4·L).
Thresholds between the cuts are answered within the promised error, except with probability `failure`.
Source: our proof; the idea is folklore. Registers `leafwise-medians`, `quantile-answers`.
Holds if: copies of one value stand on places of their own, so that every range has a cut near its median: without them
a value held by everyone leaves nothing to choose by.
Proof: docs/proofs/quantile-answers.md.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.constructions.release.sanitiser import (
    FAILURE,
    OrderedColumn,
    Released,
    answers_fact,
    need_sizes,
    noise_ratio,
    power_at_most,
)
from privpac.constructions.release.tables import Buckets
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Answers, Loss, Privacy, Queries, Release
from privpac.guarantee.proof import SEAL, Proof, need, need_ratio, parameters, power
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import Row, Runs
from privpac.numbers.exact import (
    ball,
    first_power,
    ratio_for,
    written,
)
from privpac.theory.register import formula

__all__ = [
    "Places",
    "QuantilePlan",
    "Quantiles",
    "at_the_cuts",
    "halved",
    "halvings",
    "leafwise_medians",
    "places",
    "plan_quantiles",
    "quantile_answers",
    "rank_errors",
    "stands_on_cuts",
]


# --- privacy ---


def leafwise_medians(*, ratio: Fraction) -> Proof[Privacy]:
    """A cut drawn in every range of a released partition, weight ratio^|2·below - all|: e^epsilon = ratio^-4.

    A record added to a range, or removed, moves 2·below - all by exactly 1 at every cut, so that draw changes by at
    most ratio^-2; a replaced record does this to two ranges, or moves one range's score by at most 2.
    Register `leafwise-medians`. Holds if each record lies in one range and nothing else about a range is looked at
    (assumed of the caller).
    """
    rule = "leafwise-medians"
    need_ratio(rule, ratio, 1)
    loss = Loss(factor=power(rule, 1 / ratio, 4))
    fact = Privacy(loss, release=Release.NUMBERS)
    return Proof(fact, rule, where={"ratio": written(ratio)}, seal=SEAL)


# --- accuracy ---


@dataclass(frozen=True)
class QuantilePlan:
    """2^levels - 1 cuts; `slots` places for copies of a value, `batch` copies a place; ranks off by `steps`, halved."""

    levels: int
    slots: int
    batch: int
    steps: int
    error: Fraction


@formula("quantile-answers")
def rank_errors(levels: int, each: Fraction) -> Fraction:
    """How far the ranks of the cuts of `levels` halvings may be off, if each halving is off by at most `each`.

    Statement: E_l = (E_(l-1) + E_(l-2))/2 + each with E_0 = E_(-1) = 0: a cut lies in the middle between one of the
    level before and an older one. Source: register `quantile-answers`. Holds if: the ends are public.
    Proof: docs/proofs/quantile-answers.md.

    >>> tuple(float(rank_errors(levels, Fraction(1))) for levels in range(5))
    (0.0, 1.0, 1.5, 2.25, 2.875)
    """
    before, now = Fraction(0), Fraction(0)
    for _ in range(levels):
        before, now = now, (now + before) / 2 + each
    return now


_MOST_LEVELS = 12
"""4,095 cuts: an error of one in eight thousand besides the noise, finer than any number of records supports."""


@formula("quantile-answers")
@lru_cache(maxsize=256)
def plan_quantiles(
    records: int,
    *,
    cells: int,
    epsilon: Fraction,
    failure: Fraction,
    ratio_of: Callable[[Fraction], Fraction],
) -> QuantilePlan:
    """The number of halvings with the smallest provable error.

    Statement: 1/2^(levels+1) + E_levels/records, each = (batch + steps - 1)/2, where (2^levels - 1)·(cells·slots + 1)·
    ratio^steps is at most `failure`, ratio = e^(-epsilon/(4·levels)). Source: register `quantile-answers`.
    Holds if: as `rank_errors`. Proof: docs/proofs/quantile-answers.md.
    """
    best: QuantilePlan | None = None
    for levels in range(1, _MOST_LEVELS + 1):
        batch = max(1, math.floor(4 * levels / epsilon))
        slots = max(1, -(-records // batch))
        events = (2**levels - 1) * (cells * slots + 1)
        ratio = ratio_of(epsilon / (4 * levels))
        if ratio == 1:
            continue
        steps = first_power(ratio, lambda events=events: ball(failure / events).log())  # type: ignore[misc]
        each = Fraction(batch + max(steps, 1) - 1, 2)
        error = Fraction(1, 2 ** (levels + 1)) + rank_errors(levels, each) / max(records, 1)
        if best is None or error < best.error:
            best = QuantilePlan(levels, slots, batch, max(steps, 1), error)
    if best is None:
        raise ArithmeticError("an epsilon so small proves nothing")
    return best


def quantile_answers(
    *, cells: int, records: int, ratio: Fraction, levels: int, batch: int, steps: int, failure: Fraction
) -> Proof[Answers]:
    """Thresholds between the cuts of `levels` halvings are right within 1/2^(levels+1) + E_levels/records.

    Register `quantile-answers`. Holds if copies of a value stand on ceil(records/batch) places, `batch` a place.
    """
    rule = "quantile-answers"
    need_sizes(rule, cells, records, ratio, failure)
    need(rule, levels >= 1 and batch >= 1 and steps >= 1, "levels, batch and steps must be positive")
    slots = -(-records // batch)
    events = (2**levels - 1) * (cells * slots + 1)
    need(rule, power_at_most(events, ratio, steps, failure), "the bound is larger than the failure asked for")
    error = Fraction(1, 2 ** (levels + 1)) + rank_errors(levels, Fraction(batch + steps - 1, 2)) / records
    where = parameters(cells=written(cells), ratio=ratio, levels=levels, batch=batch, steps=steps)
    fact = answers_fact(rule, error, failure, Queries.THRESHOLDS, records)
    return Proof(fact, rule, where=where, seal=SEAL)


# --- the sanitiser ---


OWNER = "Quantiles"


Places = tuple[NDArray[Any], NDArray[np.int64]]
"""Where copies stand, ascending, and how many records stand at or before each of these places."""


@dataclass(frozen=True)
class Quantiles(OrderedColumn):
    """2^L - 1 private quantiles; the number of levels L is the one with the best promise."""

    schema: Schema
    column: str
    epsilon: Fraction
    error: Fraction | None = None
    failure: Fraction = FAILURE

    def plan(self, records: int) -> QuantilePlan:
        """Levels and places, from public numbers."""
        return plan_quantiles(
            records, cells=self.cells, epsilon=self.epsilon, failure=self.failure, ratio_of=ratio_for
        )

    def ratio(self, levels: int) -> Fraction:
        """What a weight is multiplied by for each unit of score, with this many levels of halving."""
        return noise_ratio(OWNER, ratio_for(self.epsilon / (4 * levels)))

    def synthetic(self, records: int) -> int:
        """How many synthetic records there will be."""
        return int(2 ** (self.plan(records).levels + 1))

    def promise(self, records: int) -> Fraction:
        return self.plan(records).error

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        plan = self.plan(size.total)
        ratio = self.ratio(plan.levels)

        def prove() -> Proof[Answers]:
            return quantile_answers(
                cells=self.cells,
                records=size.total,
                ratio=ratio,
                levels=plan.levels,
                batch=plan.batch,
                steps=plan.steps,
                failure=self.failure,
            )

        return self.certificate(
            rules.sequential(*[leafwise_medians(ratio=ratio)] * plan.levels),
            prove,
            what="records at the cuts",
            size=size,
            name="quantiles",
            levels=plan.levels,
            batch=plan.batch,
        )

    def releases(self, table: Released, size: Size) -> bool:
        """Records on single cells, two for each cut, and one at either end."""
        return stands_on_cuts(table, self.column, cells=self.cells, total=self.synthetic(size.total))

    def release(self, sample: Sample, coins: Coins) -> Buckets:
        plan = self.plan(sample.size.total)
        evidence = sample.reduce(CellCounts(self.schema.column(self.column), classes=1))
        ratio = self.ratio(plan.levels)
        standing = places(evidence, slots=plan.slots, batch=plan.batch, cells=self.cells)
        cuts = halved(standing, (0, self.cells * plan.slots), levels=plan.levels, ratio=ratio, coins=coins)
        return at_the_cuts(self.column, cuts, cells=self.cells, slots=plan.slots)


def places(evidence: ColumnCounts, *, slots: int, batch: int, cells: int) -> Places:
    """Copy k of a value stands on place value·slots + k // batch.

    One more copy of a value is one more record on one place, whatever the other copies: neighbours stay neighbours.
    """
    whole: Any = np.int64 if cells * slots < 2**62 else object
    counts = np.asarray(evidence.counts[:, 0], dtype=np.int64)
    batches = -(-counts // batch)
    values = np.repeat(evidence.values.astype(whole), batches)
    first = np.repeat(np.cumsum(batches) - batches, batches)
    number = np.arange(len(values), dtype=np.int64) - first
    sizes = np.minimum(batch, np.repeat(counts, batches) - number * batch)
    return values * slots + number.astype(whole), np.cumsum(sizes)


def halved(
    standing: Places, ends: tuple[int, int], *, levels: int, ratio: Fraction, coins: Coins
) -> list[int]:
    """The cuts of `levels` halvings, ascending: a cut p has the records on places below p on its left."""
    return halvings(ends, levels=levels, cut=lambda low, high: _median(standing, low, high, ratio, coins))


def halvings(ends: tuple[int, int], *, levels: int, cut: Callable[[int, int], int]) -> list[int]:
    """The cuts of `levels` halvings, ascending, where `cut` says where a range is divided."""
    edges = list(ends)
    for _ in range(levels):
        cuts = [cut(low, high) for low, high in pairwise(edges)]
        edges = [edges[0], *(edge for pair in zip(cuts, edges[1:], strict=True) for edge in pair)]
    return edges[1:-1]


def _median(standing: Places, low: int, high: int, ratio: Fraction, coins: Coins) -> int:
    """A cut low..high of one range, with weight ratio^|2·below - all|."""
    at, sums = standing
    first, end = (int(np.searchsorted(at, edge)) for edge in (low, high))
    before = int(sums[first - 1]) if first else 0
    here, below = at[first:end], np.concatenate([[before], sums[first:end]]) - before
    scores = np.abs(2 * below - int(below[-1]))
    return gibbs.draw(Runs([Row.of(low, here, scores, high)]), ratio, coins)[1]


def stands_on_cuts(table: Released, column: str, *, cells: int, total: int) -> bool:
    """Whether a table could be this many synthetic records at cuts of this column, with one at either end."""
    if not isinstance(table, Buckets) or table.column != column:
        return False
    ends = {0, cells - 1} <= {first for first, _, _ in table.buckets}
    return ends and table.on_cells(cells) and table.total == total


def at_the_cuts(column: str, cuts: list[int], *, cells: int, slots: int) -> Buckets:
    """Two synthetic records at every cut and one at either end: half of what lies between two cuts goes to each."""
    weights = Counter({0: 1})
    weights[cells - 1] += 1
    for cut in cuts:
        weights[max(0, -(-cut // slots) - 1)] += 2
    return Buckets(column, tuple((cell, cell + 1, count) for cell, count in sorted(weights.items())))
