"""Covers, densities and label privacy: statements evaluated a second time, and floors against the best learners.

On tiny instances the best learner is found by linear programming over everything a learner could do.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import binom

from privpac.constructions.covers.floors import (
    floor_label_ball,
    floor_label_halfspaces,
    floor_label_packing,
    floor_label_sample,
    floor_thresholds_smooth,
    least_failure_thresholds_smooth,
    windows,
)
from privpac.constructions.covers.formulas import (
    cover_halfspaces,
    density_band,
    density_mixture,
    density_outside_band,
    kappa_reference,
    kappa_reference_agnostic,
    records_reference,
    records_reference_agnostic,
)
from privpac.constructions.labels.formulas import (
    label_cuts,
    label_error,
    records_label_cover,
    records_label_thresholds,
)
from tests.statistical.claims import asked, claims, moved, scaled
from tests.statistical.test_floors import SLACK, best_success, family

USUAL = {"failure": 0.05, "epsilon": 1}
SHARES = np.arange(2, 400) / 1000


def cap(level: float, dimension: int) -> float:
    """The share of a cap, from another library."""
    if level > 0.5:
        return 1 - cap(1 - level, dimension)
    return 0.5 * float(betainc((dimension - 1) / 2, 0.5, math.sin(math.pi * level) ** 2))


# --- covers ---


def failure_of_cover(n: int, *, kappa: float, error: float, dimension: int | None, agnostic: bool) -> float:
    """The bound at the best share of the error for the cover, epsilon 1."""
    best = 1.0
    for share in SHARES.tolist():
        level = share * error / kappa
        odds = math.ceil(1 / (2 * level)) if dimension is None else 1 / cap(level, dimension)
        if agnostic:
            gap = error * (1 - share)
            rate = min(0.5, math.atanh(gap))
            base = math.cosh(rate) - gap * math.sinh(rate)
        else:
            rate = min(0.5, math.log(1 / share) / 2)
            base = 1 - error * (1 - math.exp(-rate)) + share * error * math.expm1(rate)
        best = min(best, odds * base**n)
    return best


@pytest.mark.parametrize("dimension", [None, 3])
@claims(
    {"dimension": 3},
    records_reference=scaled(0.99),
    records_reference_agnostic=scaled(0.99),
    kappa_reference=scaled(1.2),
    kappa_reference_agnostic=scaled(1.2),
)
def test_records_and_densities_follow_from_the_cover(dimension: int | None) -> None:
    for kappa in (1, 50):
        n = records_reference(kappa, error=0.1, dimension=dimension, **USUAL)
        asks = {"error": 0.1, "dimension": dimension}
        assert failure_of_cover(n, kappa=kappa, agnostic=False, **asks) <= 0.05
        most = float(kappa_reference(n, error=0.1, dimension=dimension, **USUAL))
        assert failure_of_cover(n, kappa=most, agnostic=False, **asks) <= 0.05 * (1 + 1e-9)
        n = records_reference_agnostic(kappa, excess=0.1, dimension=dimension, **USUAL)
        assert failure_of_cover(n, kappa=kappa, agnostic=True, **asks) <= 0.05
        most = float(kappa_reference_agnostic(n, excess=0.1, dimension=dimension, **USUAL))
        assert failure_of_cover(n, kappa=most, agnostic=True, **asks) <= 0.05 * (1 + 1e-9)


@claims(cover_halfspaces=scaled(0.99))
def test_random_directions_are_enough() -> None:
    for dimension, level, failure in ((3, 0.05, 0.1), (5, 0.1, 0.01)):
        count = cover_halfspaces(level, dimension=dimension, failure=failure)
        assert (1 - cap(level, dimension)) ** count <= failure


@claims(density_band=scaled(0.99), density_outside_band=scaled(0.99))
def test_bands_are_as_dense_as_said() -> None:
    for width, dimension in ((0.3, 3), (0.1, 10)):
        inside = float(betainc(0.5, (dimension - 1) / 2, width**2))
        assert float(density_band(str(width), dimension=dimension)) * inside >= 1 - 1e-9
        assert float(density_outside_band(str(width), dimension=dimension)) * (1 - inside) >= 1 - 1e-9
    # In space the height of a uniform point is uniform (Archimedes).
    assert density_band("0.25", dimension=3) == pytest.approx(4)


@claims(density_mixture=scaled(0.99))
def test_mixtures_are_no_denser_than_said() -> None:
    rng = np.random.default_rng(4)
    reference = np.full(6, 1 / 6)
    for _ in range(50):
        laws, weights = rng.dirichlet(np.ones(6), size=3), [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
        laws = np.sort(laws, axis=1) if rng.random() < 0.5 else laws  # where all are densest in one cell
        kappas = [Fraction(float((law / reference).max())) for law in laws]
        mixed = np.array([float(w) for w in weights]) @ laws
        bound = density_mixture(list(zip(weights, kappas, strict=True)))
        assert (mixed / reference).max() <= float(bound) * (1 + 1e-9)


# --- label privacy ---


def covers(chosen: tuple[int, ...], labellings: list[int], spacing: int) -> bool:
    return all(min(abs(a - c) for c in chosen) <= spacing for a in labellings)


@pytest.mark.parametrize("ties", [False, True])
@claims({"ties": False}, label_cuts=moved(-1))
def test_cuts_cover_all_labellings(ties: bool) -> None:
    """The labellings of n points in a row are 0 … n ones; where values repeat, some in between are missing."""
    for n, spacing in ((6, 1), (7, 2), (5, 0)):
        allowed = label_cuts(n, spacing=spacing, ties=ties)
        middles = [m for k in range(n) for m in combinations(range(1, n), k)] if ties else [(*range(1, n),)]
        for middle in middles:
            every = [0, *middle, n]
            assert any(
                covers(chosen, every, spacing) for chosen in combinations(every, min(allowed, len(every)))
            )


@claims(records_label_thresholds=scaled(0.97))
def test_label_private_cuts() -> None:
    n = records_label_thresholds(error=0.1, **USUAL)

    def fails(spacing: int) -> float:
        cuts = math.ceil((n + 1) / (2 * spacing + 1))
        tries = range(spacing, n // 10 + 1)
        return min(2 * binom.cdf(e, n, 0.1) + cuts * math.exp(-(e + 1 - spacing) / 2) for e in tries)

    assert min(map(fails, range(4))) <= 0.05


@claims(label_error=scaled(0.98), records_label_cover=scaled(0.98))
def test_label_private_draws_over_a_cover() -> None:
    def proves(n: int, error: float) -> bool:
        spread = 4 * (2 * math.log(math.e * n) + math.log(8 / 0.05)) / n
        return 2 * (10 + math.log(2 / 0.05)) / n + 0.01 <= error - math.sqrt(error * spread)

    given = {"vc": 2, "log_cover": 10, "level": "0.01", **USUAL}
    n = records_label_cover(error=0.1, **given)
    assert proves(n, 0.1)
    assert proves(n, float(label_error(n, **given)))


# --- floors ---


@claims(windows=moved(1))
def test_windows_fit_into_the_middle_half() -> None:
    """N windows of mass 2·error each at density kappa, a little heavier than needed, between 1/4 and 3/4."""
    for kappa, error in ((10, Fraction(1, 10)), (3, Fraction(1, 5)), (Fraction(101, 10), Fraction(1, 10))):
        wider = 2 * error * (1 + Fraction(1, 10**9)) / kappa
        assert windows(kappa, error=error) * wider <= Fraction(1, 2)


@claims(least_failure_thresholds_smooth=asked(epsilon=lambda e: e / 2), floor_thresholds_smooth=moved(3))
def test_no_private_learner_finds_the_window() -> None:
    error, kappa = 0.2, 3
    targets = range(windows(kappa, error=error))
    for n, epsilon in ((2, 1.0), (3, 0.5)):
        rows = family(targets, n, record=lambda j: {(j, 0): error, (j, 1): error, (-1, 0): 1 - 2 * error})
        best = 1 - best_success(rows, outcomes=len(targets), wins=lambda j, o: j == o, epsilon=epsilon)
        given = {"error": error, "epsilon": epsilon}
        assert 0 < least_failure_thresholds_smooth(n, kappa=kappa, **given) <= best + SLACK
        assert floor_thresholds_smooth(kappa, failure=best + SLACK, **given) <= n


def labelled_rows(concepts: list[tuple[int, ...]], features: list[tuple[int, ...]]):
    """Every concept on every equally likely list of features; a record is its place, its feature and its label."""
    return [
        (
            tuple((1000 * place + x, concept[x]) for place, x in enumerate(places)),
            i,
            1 / len(concepts) / len(features),
        )
        for i, concept in enumerate(concepts)
        for places in features
    ]


def best_label_private(rows, concepts: list[tuple[int, ...]], epsilon: float) -> float:
    """The best mean success if only labels are protected: features may be told apart freely."""
    groups: dict[tuple[int, ...], list] = {}
    for database, target, chance in rows:
        groups.setdefault(tuple(x for x, _ in database), []).append((database, target, chance))
    return sum(
        best_success(group, outcomes=len(concepts), wins=lambda j, o: j == o, epsilon=epsilon)
        for group in groups.values()
    )


@claims(floor_label_packing=moved(1))
def test_no_label_private_learner_tells_a_packing_apart() -> None:
    for n, epsilon in ((2, 1.0), (3, 0.4)):
        # Two concepts that differ everywhere meet the floor; all labellings of two points cannot beat it.
        both = [(0,), (1,)]
        reached = best_label_private(labelled_rows(both, [(0,) * n]), both, epsilon)
        assert floor_label_packing(2, failure=1 - reached + SLACK, epsilon=epsilon) <= n
        every = list(product((0, 1), repeat=2))
        features = list(product(range(2), repeat=n))
        reached = best_label_private(labelled_rows(every, features), every, epsilon)
        assert floor_label_packing(4, failure=1 - reached + SLACK, epsilon=epsilon) <= n


@claims(floor_label_ball=scaled(3))
def test_no_label_private_learner_tells_a_ball_apart() -> None:
    """Single points of four, none of them heavy: two concepts differ on half of the mass."""
    points = [tuple(int(x == j) for x in range(4)) for j in range(4)]
    for n, epsilon in ((2, 1.0), (3, 2.0)):
        features = list(product(range(4), repeat=n))
        reached = best_label_private(labelled_rows(points, features), points, epsilon)
        found = floor_label_ball(4, distance="0.5", failure=1 - reached + SLACK, epsilon=epsilon)
        assert found <= n


@claims(floor_label_sample=scaled(6))
def test_no_label_private_learner_tells_half_of_a_packing_apart() -> None:
    """Four records, the eight labellings with an even number of ones: more than a quarter apart, at most all."""
    even = [z for z in product((0, 1), repeat=4) if sum(z) % 2 == 0]
    for epsilon in (0.5, 1.0, 2.0):
        reached = best_label_private(labelled_rows(even, [(0, 1, 2, 3)]), even, epsilon)
        # Half of them missed half of the time is a mean success of at most 3/4.
        assert reached <= 0.75 or floor_label_sample(8, spacing="0.25", epsilon=epsilon) <= 4
    assert reached > 0.75


@claims(floor_label_halfspaces=scaled(1.05))
def test_the_floor_of_half_spaces_is_one_of_its_packings() -> None:
    def ball_floor(dimension: int, radius: float) -> float:
        packing = math.floor(cap(radius, dimension) / cap(0.02, dimension) * (1 + 1e-9))
        return 0.9 / min(1, 2 * radius) * math.log((packing - 1) * 9) if packing > 1 else 0.0

    for dimension in (10, 50):
        radii = np.linspace(0.0201, 1, 4000).tolist()
        most = max(ball_floor(dimension, radius) for radius in radii)
        whole = math.log((1 / cap(0.02, dimension) - 1) * 9)
        found = floor_label_halfspaces(dimension, error=0.01, failure=0.1, epsilon=1)
        assert 0.9 * most < found <= math.ceil(max(most, whole))
