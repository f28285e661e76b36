"""Covers and label privacy: what is promised against what happens, and floors against learners that ship.

Failure probabilities are averages of exact ones: for each sample the law of the draw is computed, not sampled. Samples
are seeded; a control with far too few records must fail.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from privpac.concepts.line.cuts import Cuts
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.covers.floors import (
    floor_label_ball,
    floor_label_chain,
    least_failure_label_chain,
    least_failure_thresholds_smooth,
)
from privpac.constructions.covers.formulas import cover_thresholds, records_reference
from privpac.constructions.labels.classes import LabelPrivateDichotomies
from privpac.constructions.labels.formulas import failure_label_thresholds, records_label_thresholds
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from tests.statistical.claims import claims, moved, scaled

SCHEMA = Schema.from_json(
    {"label": "y", "columns": [{"name": "a", "kind": "numeric", "lower": 0, "upper": 1}]}
)
CELLS = SCHEMA.column("a").size
ERROR = 0.1


def failure_of_cover(draw_x, target: float, error_of, n: int, *, cuts: int, runs: int) -> float:
    """The average probability that the exponential mechanism at epsilon 1 over even cuts errs by more than a tenth."""
    rng = np.random.default_rng(n)
    centres = (np.arange(cuts) + 0.5) / cuts
    bad = np.array([error_of(c) for c in centres]) > ERROR
    total = 0.0
    for _ in range(runs):
        x = draw_x(rng, n)
        positives = np.sort(x[x >= target])
        negatives = np.sort(x[x < target])
        missed = np.searchsorted(positives, centres)  # positives below the cut
        taken = len(negatives) - np.searchsorted(negatives, centres)
        mistakes = missed + taken
        weights = np.exp(-0.5 * (mistakes - mistakes.min()))
        total += weights[bad].sum() / weights.sum()
    return total / runs


def test_the_cover_keeps_its_promise_on_the_reference_and_too_few_records_do_not() -> None:
    n = records_reference(1, error=ERROR, failure=0.05, epsilon=1)
    cuts = cover_thresholds(Fraction(57, 10_000))
    uniform = lambda rng, size: rng.uniform(size=size)  # noqa: E731
    for target in (0.1, 0.5):
        error_of = lambda c, t=target: abs(c - t)  # noqa: E731
        assert failure_of_cover(uniform, target, error_of, n, cuts=cuts, runs=300) <= 0.05
        assert failure_of_cover(uniform, target, error_of, n // 5, cuts=cuts, runs=300) > 0.05


@pytest.mark.long_cases("1000")
@pytest.mark.parametrize("kappa", [10, 1000])
def test_the_cover_keeps_its_promise_on_the_densest_window(kappa: int) -> None:
    """All that may be concentrated lies next to the target: a fifth of the mass at density kappa, the rest outside."""
    n = records_reference(kappa, error=ERROR, failure=0.05, epsilon=1)
    width = 2 * ERROR * 1.001 / kappa
    target = 0.4

    def draw(rng: np.random.Generator, size: int) -> np.ndarray:
        inside = rng.random(size) < 2 * ERROR * 1.001
        near = target + width * (rng.random(size) - 0.5)
        far = np.where(rng.random(size) < 0.5, rng.random(size) / 4, 1 - rng.random(size) / 4)
        return np.where(inside, near, far)

    def error_of(c: float) -> float:
        return ERROR * 1.001 * min(1.0, 2 * abs(c - target) / width)

    cuts = cover_thresholds(Fraction(4, 100) / 10 / kappa)
    assert failure_of_cover(draw, target, error_of, n, cuts=cuts, runs=100) <= 0.05
    few = n // 6
    control = failure_of_cover(draw, target, error_of, few, cuts=cuts, runs=100)
    assert control > 0.05
    assert control >= float(least_failure_thresholds_smooth(few, kappa=kappa, error=ERROR, epsilon=1)) - 0.02


def test_label_private_thresholds_keep_their_promise_on_any_density() -> None:
    """The learner that ships, on a uniform column and on one where everything lies in a millionth of it."""
    n = records_label_thresholds(error=ERROR, failure=0.05, epsilon=1, ties=True)
    learner = LabelPrivateDichotomies(Thresholds(SCHEMA, "a"), Fraction(1))
    for width in (1.0, 1e-6):
        assert label_failure(learner, n, width) <= 0.05
        assert label_failure(learner, n // 6, width) > 0.05
    assert float(failure_label_thresholds(n, error=ERROR, epsilon=1)) <= 0.05


def label_failure(learner: LabelPrivateDichotomies, n: int, width: float, runs: int = 60) -> float:
    """Exact failure, averaged: the law of the learner's own edges."""
    rng = np.random.default_rng(n)
    target = 0.3 + width / 2
    total = 0.0
    for _ in range(runs):
        x = 0.3 + width * rng.random(n)
        records = MemorySample.of({"a": x}, SCHEMA, y=(x >= target).astype(int))
        values = np.sort(records.block().cells["a"].astype(np.int64))
        ranks = range(n + 1)  # no ties
        true = int((values < int(target * CELLS)).sum())
        mistakes = np.abs(np.array(ranks) - true)
        places = np.concatenate([[0.3], values / CELLS, [0.3 + width]])
        errors = np.abs(places[np.array(ranks) + (np.array(ranks) > 0)] - target) / width
        weights = np.exp(-0.5 * mistakes)
        total += weights[errors > ERROR].sum() / weights.sum()
    return total / runs


def best_label_private_failure(points: int, n: int, epsilon: float, error: float) -> float:
    """The least worst-case failure of any label-private learner of thresholds on uniform points, by linear programming:
    for every multiset of features a table of answers, epsilon-DP in each label."""
    from itertools import product

    concepts = [tuple(int(x >= t) for x in range(points)) for t in range(points + 1)]
    rows, bounds_rows, variables = [], [], {}
    count = 1  # variable 0: the failure
    for features in product(range(points), repeat=n):
        for labels in product((0, 1), repeat=n):
            for answer in range(len(concepts)):
                variables[features, labels, answer] = count
                count += 1
    equal_rows, equal = [], []
    grow = math.exp(epsilon)
    for features in product(range(points), repeat=n):
        for labels in product((0, 1), repeat=n):
            equal_rows.append({variables[features, labels, a]: 1.0 for a in range(len(concepts))})
            equal.append(1.0)
            for place in range(n):
                other = (*labels[:place], 1 - labels[place], *labels[place + 1 :])
                for a in range(len(concepts)):
                    rows.append({variables[features, labels, a]: 1.0, variables[features, other, a]: -grow})
                    bounds_rows.append(0.0)
    for concept in concepts:
        row = {0: -1.0}
        for features in product(range(points), repeat=n):
            labels = tuple(concept[x] for x in features)
            for a, answer in enumerate(concepts):
                if sum(p != q for p, q in zip(concept, answer, strict=True)) / points > error:
                    row[variables[features, labels, a]] = points**-n
        rows.append(row)
        bounds_rows.append(0.0)
    from scipy.sparse import lil_matrix

    def matrix(found: list[dict[int, float]]) -> lil_matrix:
        made = lil_matrix((len(found), count))
        for i, row in enumerate(found):
            for j, value in row.items():
                made[i, j] = value
        return made

    cost = np.zeros(count)
    cost[0] = 1
    solved = linprog(
        cost,
        A_ub=matrix(rows).tocsr(),
        b_ub=bounds_rows,
        A_eq=matrix(equal_rows).tocsr(),
        b_eq=equal,
        bounds=(0, 1),
    )
    return float(solved.fun)


def test_no_label_private_learner_beats_the_ball_floor() -> None:
    """Thresholds on three points, error 1/7: the four concepts differ pairwise on 1/3 or more, on at most 1."""
    points, epsilon, error = 3, 1.0, 1 / 7
    for n in (1, 2):
        least = best_label_private_failure(points, n, epsilon, error)
        # A failure of b needs at least floor(b) records, so with n records floor(b) must be at most n.
        refused = [
            b / 1000
            for b in range(1, 999)
            if floor_label_ball(4, distance=1, failure=b / 1000, epsilon=epsilon) > n
        ]
        assert max(refused) < least, (n, least)
        assert max(refused) > least / 5, "the floor says something"


def failure_of_randomised_response(n: int, span: float, epsilon: float) -> float:
    """Two cuts with a share `span` of the records between them: name the one that the labels say, with probability
    e^(epsilon·K)/(1 + e^(epsilon·K)). Replacing a label moves K by one, so this is epsilon-private for labels."""
    chances = (math.comb(n, k) * span**k * (1 - span) ** (n - k) for k in range(n + 1))
    return sum(chance / (1 + math.exp(epsilon * k)) for k, chance in enumerate(chances))


@claims(least_failure_label_chain=scaled("1.001"))
def test_two_cuts_are_told_apart_as_well_as_the_chain_floor_allows() -> None:
    for n, span, epsilon in (
        (1, "0.2", "1"),
        (20, "0.2", "1"),
        (21, "0.2", "1"),
        (50, "0.05", "2"),
        (7, "0.9", "0.1"),
    ):
        least = float(least_failure_label_chain(n, packing=2, span=span, epsilon=epsilon))
        assert least == pytest.approx(
            failure_of_randomised_response(n, float(span), float(epsilon)), rel=1e-6
        )


@claims(floor_label_chain=moved(1))
def test_the_chain_floor_is_where_two_cuts_can_be_told_apart() -> None:
    for span, epsilon, failure in (("0.2", "1", "0.05"), ("0.02", "0.5", "0.1"), ("0.6", "3", "0.01")):
        n = floor_label_chain(2, span=span, failure=failure, epsilon=epsilon)
        fails = [failure_of_randomised_response(k, float(span), float(epsilon)) for k in (n - 1, n)]
        assert fails[0] > float(failure) >= fails[1]
    assert floor_label_chain(2, span="0.2", failure="0.05", epsilon=1) == 21
    assert floor_label_ball(2, distance="0.2", failure="0.05", epsilon=1) == 14, "by Jensen alone"


@pytest.mark.parametrize("packing", [2, 3])
def test_no_label_private_learner_beats_the_chain_floor(packing: int) -> None:
    """The best of all learners of thresholds on three points, whose neighbours differ on a third, above 2/7."""
    for n in (1, 2):
        least = best_label_private_failure(3, n, 1.0, 1 / 7)
        span = Fraction(packing - 1, 3)
        assert float(least_failure_label_chain(n, packing=packing, span=span, epsilon=1)) <= least


def test_cuts_that_ship_have_the_law_that_is_simulated() -> None:
    """The simulation above against `Cuts` on the same records."""
    rng = np.random.default_rng(1)
    x = rng.uniform(size=80)
    records = MemorySample.of({"a": x}, SCHEMA, y=(x >= 0.5).astype(int))
    cuts = Cuts(SCHEMA, "a", count=88)
    histogram = cuts.scores(records.reduce(cuts.statistic), costs=(1, 1)).histogram(None)
    centres = (np.arange(88) + 0.5) / 88
    mistakes = [(np.minimum(c, 0.5) <= x).sum() - (np.maximum(c, 0.5) <= x).sum() for c in centres]
    values, counts = np.unique(mistakes, return_counts=True)
    assert (histogram.best + histogram.steps).tolist() == values.tolist()
    assert histogram.counts == counts.tolist()
