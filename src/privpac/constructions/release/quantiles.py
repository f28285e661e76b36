"""Recursive quantiles of an ordered column: a private median, then the medians of both halves, and so on.

Statement: L levels of medians drawn with weight ratio^|2·below - all| in every range lose e^epsilon = ratio^(-4·L).
Thresholds between the cuts are answered within the promised error, except with probability `failure`.
Source: our proof; the idea is folklore. Registers `leafwise-medians`, `quantile-answers`.
Holds if: copies of one value stand on places of their own, so that every range has a cut near its median: without them
a value held by everyone leaves nothing to choose by.
Proof: docs/proofs/quantile-answers.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.constructions.release import rules as release_rules
from privpac.constructions.release.buckets import Buckets
from privpac.constructions.release.formulas import QuantilePlan, plan_quantiles
from privpac.constructions.release.sanitiser import (
    FAILURE,
    OrderedColumn,
    Released,
    noise_ratio,
)
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Answers
from privpac.guarantee.proof import Proof
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import Row, Runs
from privpac.numbers.exact import ratio_for

__all__ = ["Places", "Quantiles", "at_the_cuts", "halved", "halvings", "places", "stands_on_cuts"]

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
            return release_rules.quantile_answers(
                cells=self.cells,
                records=size.total,
                ratio=ratio,
                levels=plan.levels,
                batch=plan.batch,
                steps=plan.steps,
                failure=self.failure,
            )

        return self.certificate(
            rules.sequential(*[release_rules.leafwise_medians(ratio=ratio)] * plan.levels),
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
