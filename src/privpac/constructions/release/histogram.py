"""Point histograms: how many records have which combination of values, over a domain of any size.

Statement: replacing one record takes one count down and one up by 1, so noise at `ratio` per unit on every cell, empty
ones included, is epsilon-DP with e^epsilon = ratio^-2; dropping low counts and clamping are post-processing. Every
count is right within the promised error, except with probability `failure`.
Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Section 7 (POINT_d has a pure sanitizer); registers
`geometric-noise`, `sparse-histogram`, `histogram-answers`.
Holds if: the columns are public.
Proof: docs/proofs/sparse-histogram.md.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import arb, ctx

from privpac.coins import Coins
from privpac.constructions.release.sanitiser import (
    FAILURE,
    Released,
    answers_fact,
    check_wishes,
    need_sizes,
    noise_ratio,
    require_enough,
    table_certificate,
)
from privpac.constructions.release.tables import PointCounts
from privpac.data.joint import JointCells
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Answers, Queries, Release
from privpac.guarantee.proof import SEAL, Proof, need, parameters
from privpac.mechanisms.geometric import noisy_counts
from privpac.mechanisms.sparse_noise import draw_kept
from privpac.numbers.binomial import rounded_up
from privpac.numbers.exact import (
    PRECISIONS,
    ball,
    first_power,
    ratio_for,
    written,
)
from privpac.theory.register import formula

__all__ = ["HistogramPlan", "PointHistogram", "failure_histogram", "histogram_answers", "plan_histogram"]


# --- accuracy ---


@dataclass(frozen=True)
class HistogramPlan:
    """Counts of all cells are right within `steps`, cells with a noisy count up to `above` being called empty."""

    above: int
    steps: int


@formula("histogram-answers")
def failure_histogram(steps: int, *, cells: int, records: int, ratio: Fraction, above: int) -> Fraction:
    """The chance that some cell's released count is off by more than `steps`, rounded up.

    Statement: (cells·ratio^(steps+1) + min(records, cells)·ratio^(steps+1-above))/(1 + ratio). Above: every cell can be
    too high. Below: only an occupied one can be too low, and it loses at most `above` more by being dropped.
    Source: register `histogram-answers` (Beimel–Brenner–Kasiviswanathan–Nissim 2013, Section 7).
    Holds if: two-sided geometric noise at `ratio` per unit. Proof: docs/proofs/sparse-histogram.md.

    >>> float(failure_histogram(38, cells=2**8, records=400, ratio=Fraction(3, 5), above=0)) < 1e-5
    True
    """
    if steps < above:
        return Fraction(1)
    with ctx.workprec(PRECISIONS[0]):
        a = ball(ratio)
        low = min(records, cells) * a ** (steps + 1 - above)
        return rounded_up((ball(cells) * a ** (steps + 1) + low) / (1 + a))


@formula("histogram-answers")
@lru_cache(maxsize=256)
def plan_histogram(
    records: int, *, cells: int, ratio: Fraction, failure: Fraction, error: Fraction | None = None
) -> HistogramPlan:
    """Which cells to drop and what is then promised.

    Statement: as `failure_histogram`. Without a wanted error the height is the smallest at which at most one empty cell
    is kept on average; with one it is the largest that still proves it, for the cleanest records.
    Source: register `histogram-answers`. Holds if: as `failure_histogram`.
    Proof: docs/proofs/sparse-histogram.md.
    """

    def steps(above: int) -> int:
        def limit() -> arb:
            weight = ball(cells) + min(records, cells) * ball(ratio) ** -above
            return (ball(failure) * (1 + ball(ratio)) / weight).log()

        return max(above, first_power(ratio, limit) - 1)

    clean = max(0, first_power(ratio, lambda: ((1 + ball(ratio)) / ball(cells)).log()) - 1)
    if error is None:
        return HistogramPlan(clean, steps(clean))
    most = math.floor(error * records)
    last = bisect_right(range(1, most + 1), most, key=steps)  # steps(above) grows with above
    return HistogramPlan(last, steps(last))


def histogram_answers(
    *, cells: int, records: int, ratio: Fraction, above: int, steps: int, failure: Fraction
) -> Proof[Answers]:
    """Counts of all cells, those with a noisy count up to `above` called empty, are right within `steps` records.

    Register `histogram-answers`. Holds for two-sided geometric noise at `ratio` per unit on every cell.
    """
    rule = "histogram-answers"
    need_sizes(rule, cells, records, ratio, failure)
    need(rule, 0 <= above <= steps, "the height must lie between 0 and the error")
    bound = failure_histogram(steps, cells=cells, records=records, ratio=ratio, above=above)
    need(rule, bound <= failure, "the bound is larger than the failure probability asked for")
    where = parameters(cells=written(cells), ratio=ratio, above=above, steps=steps)
    fact = answers_fact(rule, Fraction(steps, records), failure, Queries.POINTS, records)
    return Proof(fact, rule, where=where, seal=SEAL)


# --- the sanitiser ---


OWNER = "PointHistogram"


DENSE = 2**16
"""Cells up to which every one gets its own noise; beyond, the same law is drawn without visiting empty cells."""


_CHANGE = 2


@dataclass(frozen=True)
class PointHistogram:
    """Noisy counts of the combinations of some columns' values; low ones are called empty."""

    schema: Schema
    columns: tuple[str, ...]
    epsilon: Fraction
    error: Fraction | None = None
    failure: Fraction = FAILURE

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        check_wishes(OWNER, epsilon=self.epsilon, failure=self.failure, error=self.error)
        _ = self._joint

    @cached_property
    def _joint(self) -> JointCells:
        return JointCells(self.schema, self.columns)

    @property
    def ratio(self) -> Fraction:
        """The ratio of the geometric noise."""
        return noise_ratio(OWNER, ratio_for(self.epsilon / _CHANGE))

    def plan(self, records: int) -> HistogramPlan:
        """What is dropped and promised: from public numbers."""
        return plan_histogram(
            records, cells=self._joint.size, ratio=self.ratio, failure=self.failure, error=self.error
        )

    def _error(self, records: int) -> Fraction:
        return Fraction(self.plan(records).steps, records)

    def require(self, size: Size) -> None:
        require_enough(OWNER, records=size.total, goal=self.error, error_of=self._error, queries="points")

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        n = size.total
        plan = self.plan(n)
        noise = rules.geometric_noise(ratio=self.ratio, change=_CHANGE, single=True)
        what = f"dropping counts up to {plan.above}"
        release = rules.post_processing(noise, what=what, release=Release.NUMBERS)
        answers = self._answers(n, plan)
        return table_certificate(self, release, answers, size=size, name="point-histogram", above=plan.above)

    def _answers(self, n: int, plan: HistogramPlan) -> tuple[Proof[Answers], ...]:
        if plan.steps >= n:
            return ()
        return (
            histogram_answers(
                cells=self._joint.size,
                records=n,
                ratio=self.ratio,
                above=plan.above,
                steps=plan.steps,
                failure=self.failure,
            ),
        )

    def releases(self, table: Released, size: Size) -> bool:
        """Counts above the cut, of no more records than there are."""
        n = size.total
        if not isinstance(table, PointCounts) or (table.names, table.total) != (self.columns, n):
            return False
        above, cells = self.plan(n).above, self._joint.size
        return all(above < count <= n and 0 <= cell < cells for cell, count in table.counts)

    def release(self, sample: Sample, coins: Coins) -> PointCounts:
        n = sample.size.total
        above = self.plan(n).above
        evidence = sample.reduce(self._joint)
        noisy = self._kept_counts(evidence, above=above, n=n, coins=coins) if above < n else {}
        return PointCounts(self.columns, tuple(noisy.items()), n)

    def _kept_counts(self, evidence: ColumnCounts, *, above: int, n: int, coins: Coins) -> dict[int, int]:
        cells, counts = self._joint.size, np.asarray(evidence.counts[:, 0], dtype=np.int64)
        if cells > DENSE:
            return draw_kept(
                evidence.values, counts, cells=cells, ratio=self.ratio, above=above, high=n, coins=coins
            )
        dense = np.zeros(cells, dtype=np.int64)
        dense[evidence.values.astype(np.intp)] = counts
        noisy = noisy_counts(dense, ratio=self.ratio, low=0, high=n, coins=coins)
        return {cell: int(noisy[cell]) for cell in np.flatnonzero(noisy > above).tolist()}
