"""How far released counts and synthetic records lie from the truth: constants explicit, bounds certified.

Every promise is about these very records, whatever they are: nothing is assumed about where they come from. Errors are
shares of the records. `ratio` is what a unit of noise or of score weighs; `cells` is the size of the public domain.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from privpac.numbers.binomial import rounded_up
from privpac.numbers.exact import PRECISIONS, ball, first_power
from privpac.theory.register import formula

__all__ = [
    "CandidatePlan",
    "HistogramPlan",
    "QuantilePlan",
    "failure_histogram",
    "plan_candidates",
    "plan_histogram",
    "plan_quantiles",
    "radius_listed",
    "radius_quantiles",
    "rank_errors",
]

# Point histograms


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


# Recursive quantiles


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


# Candidate databases (the mechanism of Blum, Ligett and Roth)


@dataclass(frozen=True)
class CandidatePlan:
    """Databases of `points` records; `count` of them; one lies within `radius`; the drawn one within `error`."""

    points: int
    count: int
    radius: Fraction
    error: Fraction


@formula("quantile-candidates")
def radius_quantiles(points: int) -> Fraction:
    """How near the best of all multisets of `points` cells comes to the thresholds of any records.

    Statement: 1/(2·points). Source: register `quantile-candidates`. Holds if: the column is ordered.
    Proof: docs/proofs/candidate-answers.md.
    """
    return Fraction(1, 2 * points)


@formula("listed-candidates")
def radius_listed(points: int, *, cells: int, queries: int) -> Fraction:
    """How near the best of all multisets of `points` cells comes to the answers of `queries` listed queries.

    Statement: the smaller of floor(cells²/4)/(cells·points), by rounding every count, and of
    sqrt(ln(2·queries)/(2·points)), by drawing at random. Source: register `listed-candidates` (Blum–Ligett–Roth 2008;
    Beimel–Nissim–Stemmer 2015, Theorem A.3). Holds if: queries count cells.
    Proof: docs/proofs/candidate-answers.md.
    """
    by_rounding = Fraction(cells * cells // 4, cells * points)
    with ctx.workprec(PRECISIONS[0]):
        radius = (ball(2 * queries).log() / (2 * points)).sqrt() * 10**12
        by_chance = Fraction(int(radius.upper().ceil().unique_fmpz()) + 1, 10**12)
    return min(by_rounding, by_chance)


_MOST_POINTS = 512
"""Synthetic databases with more records than this promise errors that no table of a billion records supports."""


LARGEST_LIST = 2**24
"""Entries of the table of candidates by cells or by queries: 128 MB."""


def most_listed(cells: int, *, queries: int) -> int:
    """The largest number of synthetic records whose candidates can all be listed."""
    points, width = 0, max(cells, queries)
    while points < 4096 and math.comb(cells + points, points + 1) * width <= LARGEST_LIST:
        points += 1
    return points


@formula("candidate-answers")
def plan_candidates(
    records: int,
    *,
    cells: int,
    ratio: Fraction,
    failure: Fraction,
    radius: Callable[[int], Fraction] = radius_quantiles,
    least: int = 1,
    most: int = _MOST_POINTS,
) -> CandidatePlan:
    """The number of synthetic records with the smallest provable error.

    Statement: radius + (steps - 1)/records, where (candidates - 1)·ratio^steps is at most `failure` and there are
    C(cells + points - 1, points) candidates. Source: register `candidate-answers` (Beimel–Nissim–Stemmer 2015, Theorem
    A.3; Beimel–Brenner–Kasiviswanathan–Nissim 2013, Theorem 7.1). Holds if: one candidate lies within `radius`.
    Proof: docs/proofs/candidate-answers.md.

    >>> plan = plan_candidates(14_549, cells=2**16, ratio=Fraction(607, 1000), failure=Fraction(1, 20))
    >>> plan.points, plan.error <= Fraction(1, 20)
    (21, True)
    """
    best: CandidatePlan | None = None
    count = math.comb(cells + least - 2, least - 1)
    for points in range(least, most + 1):
        count = count * (cells + points - 1) // points
        others = Fraction(max(count - 1, 1))
        steps = max(1, first_power(ratio, lambda others=others: ball(failure / others).log()))  # type: ignore[misc]
        near = radius(points)
        error = near + Fraction(steps - 1, max(records, 1))
        if best is None or error < best.error:
            best = CandidatePlan(points, count, near, error)
        elif (
            error > 2 * best.error
        ):  # the noise grows with every point, and the radius has little left to give
            break
    assert best is not None
    return best
