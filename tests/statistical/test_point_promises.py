"""Learners of points, exactly: failures as sums over counts of the target, losses over all neighbouring tiny tables.

The target weighs a little more than the error that is promised, one other value has the rest: whatever does not hold
the target, or holds the other value, fails. The learners' laws are written down here a second time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import binom

from privpac.constructions.points.clipped import (
    Clip,
    ClippedAccuracy,
    ClippedLoss,
    plan_clipped,
    records_clipped,
)
from privpac.constructions.points.coded import Code, CodeAccuracy, plan_code, records_code
from privpac.constructions.points.covered import Cover, cover_bound, plan_cover, records_cover
from privpac.constructions.points.sampled import (
    Boost,
    Draw,
    SampledAccuracy,
    SampledLoss,
    StarLoss,
    plan_sampled,
    rate_star,
)
from privpac.constructions.points.sparse import SparseAccuracy, plan_sparse, records_sparse
from privpac.guarantee.proof import SEAL, Proof
from privpac.guarantee.theorem import AccuracyBound
from privpac.numbers.exact import ratio_for
from tests.statistical.claims import always, claims, first, scaled
from tests.statistical.test_vc import drawn_badly

ASKED = {"error": 0.1, "failure": 0.05, "epsilon": 1}
TENTH, FAILURE, HALF = Fraction(1, 10), Fraction(1, 20), ratio_for(Fraction(1, 2))
LARGE = 2**32


def suits(bound: AccuracyBound, n: int, failure: Fraction = FAILURE) -> bool:
    """Whether a tenth is proved."""
    return bound.suited(n, TENTH, failure).proves(n, TENTH, failure)


def over_counts(n: int, mass: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    counts = np.arange(n + 1)
    return counts, binom.pmf(counts, n, mass + 1e-9)


# --- failures ---


def clipped_fails(n: int, clip: Clip, *, error: float) -> float:
    counts, chances = over_counts(n, error)
    scores = np.array([clip.score(int(k)) for k in counts])
    return float(chances @ expit(math.log(LARGE - 1) + math.log(clip.ratio) * scores))


@claims(
    clipped_points_accuracy=always(True),
    plan_clipped=first(scaled(0.95)),
    records_clipped=scaled(0.95),
)
def test_clipped_draws() -> None:
    n, clip = plan_clipped(LARGE, **ASKED)
    assert records_clipped(LARGE, **ASKED) >= n
    assert clipped_fails(n, clip, error=0.1) <= 0.05
    bound = ClippedAccuracy(**vars(clip))
    for fewer in (n, n - 20, n // 2):
        assert not suits(bound, fewer) or clipped_fails(fewer, clip, error=0.1) <= 0.05
        error = bound.error(fewer, FAILURE)
        assert clipped_fails(fewer, clip, error=float(error)) <= 0.05


def sparse_fails(n: int, sparsity: SparseAccuracy, *, error: float) -> float:
    """The target must be held, the other value must not; every cell is drawn by itself."""
    counts, chances = over_counts(n, error)
    odds, rate = math.log(sparsity.flip / (1 - sparsity.flip)), -math.log(sparsity.ratio)
    held, other = expit(odds + rate * counts), expit(odds - rate * (n - counts))
    return float(chances @ (1 - held * (1 - other)))


@claims(
    sparse_sets_accuracy=always(True),
    plan_sparse=first(scaled(0.8)),
    records_sparse=scaled(0.8),
)
def test_cells_one_by_one() -> None:
    n, sparsity = plan_sparse(**ASKED)
    assert records_sparse(**ASKED) >= n
    assert sparse_fails(n, sparsity, error=0.1) <= 0.05
    for fewer in (n, n - 50, n // 2):
        assert not suits(sparsity, fewer) or sparse_fails(fewer, sparsity, error=0.1) <= 0.05
        error = sparsity.error(fewer, FAILURE)
        assert sparse_fails(fewer, sparsity, error=float(error)) <= 0.05


def drawn_fails(n: int, holding: tuple[float, float, float, float], *, error: float) -> float:
    """The exponential mechanism at epsilon 1; so many sets hold the target alone, both, the other alone, neither."""
    counts, chances = over_counts(n, error)
    mistakes = np.array([0 * counts, n - counts, n + 0 * counts, counts])
    weights = np.array(holding)[:, None] * np.exp(-0.5 * mistakes)
    return float(chances @ (weights[1:].sum(axis=0) / weights.sum(axis=0)))


def code_fails(n: int, code: Code, *, error: float) -> float:
    """Two points share as many sets as two points can."""
    q, both = code.evaluations, code.digits - 1
    return drawn_fails(n, (q - both, both, q - both, code.size - 2 * q + both), error=error)


@claims(
    reed_solomon_points=scaled(0.01),
    plan_code=first(scaled(0.7)),
    records_code=scaled(0.7),
)
def test_a_code() -> None:
    n, code, tolerated = plan_code(LARGE, **ASKED)
    assert records_code(code, tolerated=tolerated, **ASKED) >= n
    assert code_fails(n, code, error=0.1) <= 0.05
    bound = CodeAccuracy(LARGE, **vars(code), ratio=HALF)
    for fewer in (n, int(0.7 * n), n // 2):
        assert not suits(bound, fewer) or code_fails(fewer, code, error=0.1) <= 0.05
        assert code_fails(fewer, code, error=float(bound.error(fewer, FAILURE))) <= 0.05


def cover_fails(n: int, cover: Cover, *, error: float) -> float:
    """Averaged over the keys: how many sets hold the target alone is a binomial."""
    share = float(cover.share)
    held = np.arange(1, 2 * int(cover.keys * share) + 1)
    chances = binom.pmf(held, cover.keys, share * (1 - share))
    lost = [drawn_fails(n, (k, k * share, k, cover.keys + 1 - 2 * k), error=error) for k in held.tolist()]
    return float(chances @ np.array(lost)) + float(1 - chances.sum())


@claims(
    pairwise_cover=scaled(0.01),
    plan_cover=first(scaled(0.7)),
    records_cover=scaled(0.7),
)
def test_random_sets() -> None:
    n, cover = plan_cover(**ASKED)
    assert records_cover(**ASKED) >= n
    assert cover_fails(n, cover, error=0.1) <= 0.05
    bound = cover_bound(cover, failure=FAILURE, ratio=HALF)
    for fewer in (n, int(0.7 * n)):
        assert not suits(bound, fewer) or cover_fails(fewer, cover, error=0.1) <= 0.05
        assert cover_fails(fewer, cover, error=float(bound.error(fewer, FAILURE))) <= 0.05


def sampled_fails(n: int, draw: Draw, *, error: float) -> float:
    counts, chances = over_counts(n, error)
    flip, found = float(draw.flip), 1 - (1 - float(draw.rate)) ** counts
    held = found * (1 - flip) + (1 - found) * flip
    return float(chances @ (1 - held * (1 - flip)))


@claims(sampled_point_accuracy=scaled(0.1), plan_sampled=first(scaled("1/8")))
def test_one_sampled_run() -> None:
    """The bound allows for a target of half the error, and for noise of the other half: here neither is there."""
    promise = Fraction("0.5125")
    n, draw = plan_sampled(error=0.1, failure=promise, epsilon=1)
    assert sampled_fails(n, draw, error=0.1) <= promise
    bound = SampledAccuracy(draw.rate, draw.flip)
    for fewer in (n, n // 8):
        assert not suits(bound, fewer, promise) or sampled_fails(fewer, draw, error=0.1) <= promise
        assert sampled_fails(fewer, draw, error=float(bound.error(fewer, promise))) <= promise


@claims(boosted_points=scaled(0.001))
def test_runs_that_are_all_bad_and_selections_of_a_bad_one_count() -> None:
    draw = Draw(Fraction(1, 50), Fraction(1, 100))

    def proved(boost: Boost, missed: Fraction) -> bool:
        run = SampledAccuracy(draw.rate, draw.flip).promise(boost.each, Fraction(99, 100))[0]
        run = Proof(replace(run.fact, failure=missed, error=boost.tolerated), "assumed", seal=SEAL)
        return boost.bound(run, ratio=HALF, tilt=Fraction(3, 4)).proves(boost.records, TENTH, FAILURE)

    for runs, selecting in ((1, 500), (9, 300), (9, 1200)):
        boost = Boost(runs, 1000, selecting, draw, Fraction(1, 40))
        for missed in (Fraction(1, 3), Fraction(9, 10)):
            all_bad = missed**runs
            one_good = runs > 1 and drawn_badly(selecting, odds=runs - 1, error=0.1, tolerated=0.05, rate=0.5)
            assert not proved(boost, missed) or max(float(all_bad), float(one_good)) <= FAILURE
    enough = Boost(9, 1000, 1200, draw, Fraction(1, 40))
    assert proved(enough, Fraction(1, 3))


# --- losses ---

Law = dict[object, Fraction]


def neighbours(kinds: list[tuple[int, int]], n: int) -> Iterator[tuple[Counter[tuple[int, int]], ...]]:
    """All pairs of tables that differ in one record, as counts."""
    for rest in combinations_with_replacement(kinds, n - 1):
        for one, other in product(kinds, repeat=2):
            if one != other:
                yield Counter((*rest, one)), Counter((*rest, other))


def worst(law, kinds: list[tuple[int, int]], n: int) -> Fraction:
    """The largest quotient of probabilities over all neighbouring tables."""
    laws: dict[frozenset[tuple[tuple[int, int], int]], Law] = {}

    def of(table: Counter[tuple[int, int]]) -> Law:
        key = frozenset(table.items())
        if key not in laws:
            laws[key] = law(table)
        return laws[key]

    return max(of(a)[h] / of(b)[h] for a, b in neighbours(kinds, n) for h in of(a))


@pytest.mark.parametrize(("cells", "threshold", "margin"), [(3, 4, 3), (2, 2, 1), (3, 4, 4)])
@claims({"cells": 3, "threshold": 4, "margin": 4}, clipped_points=scaled(0.9))
def test_clipped_margins_lose_no_more(cells: int, threshold: int, margin: int) -> None:
    clip = Clip(cells, Fraction(1, 2), threshold, margin)

    def law(table: Counter[tuple[int, int]]) -> Law:
        positives = [table[x, 1] for x in range(cells)]
        top = max(clip.threshold, sum(positives))
        weights = [clip.ratio ** -max(0, clip.margin + k - top) for k in positives]
        return {x: weight / sum(weights) for x, weight in enumerate(weights)}

    kinds = [(x, y) for x in range(cells) for y in (0, 1)]
    assert worst(law, kinds, 4) <= ClippedLoss(**vars(clip)).factor()


def looked_at(table: Counter[tuple[int, int]], cells: int, rate: Fraction) -> tuple[list[Fraction], Fraction]:
    """Chances that the records looked at name each value, or none of them; the rest contradict each other."""
    unseen, positives = 1 - rate, sum(table[x, 1] for x in range(cells))
    named = [
        (1 - unseen ** table[x, 1]) * unseen ** (table[x, 0] + positives - table[x, 1]) for x in range(cells)
    ]
    return named, unseen**positives


def flipped(answer: tuple[int, ...], target: int | None, flip: Fraction) -> Fraction:
    return math.prod(
        (1 - flip if bit == (x == target) else flip for x, bit in enumerate(answer)), start=Fraction(1)
    )


@claims(star_entries=scaled(0.999), rate_star=scaled(1.01))
def test_two_sided_runs_lose_exactly_that() -> None:
    cells, flip = 3, Fraction(1, 10)

    def law_at(rate: Fraction):
        def law(table: Counter[tuple[int, int]]) -> Law:
            named, _ = looked_at(table, cells, rate)
            return {
                answer: sum(p * flipped(answer, x, flip) for x, p in enumerate(named))
                + (1 - sum(named)) * flipped(answer, None, flip)
                for answer in product((0, 1), repeat=cells)
            }

        return law

    kinds, spread = [(x, y) for x in range(cells) for y in (0, 1)], (1 - flip) / flip
    assert worst(law_at(Fraction(1, 5)), kinds, 3) <= StarLoss(Fraction(1, 5), spread).factor()
    rate = rate_star(epsilon=1, spread=spread)
    assert math.log(worst(law_at(rate), kinds, 2)) <= 1


@claims(sampled_point=scaled(0.98))
def test_runs_that_may_give_no_answer_lose_no_more() -> None:
    cells, rate, fail, flip = 2, Fraction(1, 16), Fraction(1, 32), Fraction(1, 32)

    def law(table: Counter[tuple[int, int]]) -> Law:
        named, none = looked_at(table, cells, rate)
        found: Law = {
            answer: (1 - fail)
            * (
                sum(p * flipped(answer, x, flip) for x, p in enumerate(named))
                + none * flipped(answer, None, flip)
            )
            for answer in product((0, 1), repeat=cells)
        }
        return {**found, "no answer": 1 - sum(found.values())}

    kinds = [(x, y) for x in range(cells) for y in (0, 1)]
    assert worst(law, kinds, 6) <= SampledLoss(rate, fail, (1 - flip) / flip).factor()
