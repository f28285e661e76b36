"""Covers, densities, label privacy and their floors: reference values, independent computations, errata."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import binom

from privpac.constructions.covers.floors import (
    floor_label_ball,
    floor_label_packing,
    floor_label_sample,
    windows,
)
from privpac.constructions.covers.formulas import (
    cap_share,
    cover_thresholds,
    density_band,
    density_mixture,
    halfspace_grid,
    records_reference,
    records_reference_agnostic,
)
from privpac.constructions.labels.formulas import (
    failure_label_thresholds,
    label_cuts,
    label_error,
    records_label_cover,
)
from privpac.errors import ParameterError
from privpac.theory.statements import REGISTER
from tests.statistical.claims import changed, claims, moved, scaled

USUAL = {"error": 0.1, "failure": 0.05, "epsilon": 1}


def cap(level: float, dimension: int) -> float:
    """Share of a cap, from another library."""
    if level > 0.5:
        return 1 - cap(1 - level, dimension)
    return 0.5 * float(betainc((dimension - 1) / 2, 0.5, math.sin(math.pi * level) ** 2))


@claims({"dimension": 7, "level": "0.25"}, cap_share=scaled(1.01))
@pytest.mark.parametrize("dimension", [2, 3, 4, 7, 10, 50])
@pytest.mark.parametrize("level", ["0.001", "0.01", "0.25", "0.5", "0.75", "1"])
def test_caps_agree_with_another_library_and_are_rounded_down(dimension, level):
    share = cap_share(level, dimension=dimension)
    assert float(share) == pytest.approx(cap(float(level), dimension), rel=1e-9)


def test_caps_in_space_by_hand():
    """In R^3 a cap of angle t has share (1 - cos t)/2."""
    for level in (0.01, 0.2, 0.4):
        assert float(cap_share(level, dimension=3)) == pytest.approx(
            (1 - math.cos(math.pi * level)) / 2, rel=1e-9
        )


@claims({"reach": 3, "dimension": 2}, halfspace_grid=changed(lambda found: (found[0], found[1] / 2)))
@pytest.mark.parametrize(("reach", "dimension"), [(1, 2), (3, 2), (2, 3), (5, 3), (2, 4)])
def test_the_grid_of_directions_is_counted_and_covers(reach, dimension):
    count, level = halfspace_grid(reach, dimension=dimension)
    axes = np.meshgrid(*[np.arange(-reach, reach + 1)] * dimension, indexing="ij")
    points = np.stack([axis.ravel() for axis in axes], axis=1)
    points = points[np.abs(points).max(axis=1) == reach]
    assert len(points) == count
    rng = np.random.default_rng(0)
    targets = rng.normal(size=(2000, dimension))
    units = points / np.linalg.norm(points, axis=1)[:, None]
    cosines = (targets / np.linalg.norm(targets, axis=1)[:, None]) @ units.T
    worst = np.arccos(np.clip(cosines.max(axis=1), -1, 1)).max() / math.pi
    assert worst <= float(level)
    assert worst > float(level) / 4, "the bound is not idle"


@claims(cover_thresholds=scaled(0.9))
def test_thresholds_between_quantiles_are_covered():
    for level in (Fraction(1, 3), Fraction(1, 10), Fraction(1, 97)):
        count = cover_thresholds(level)
        centres = [Fraction(2 * i + 1, 2 * count) for i in range(count)]
        for step in range(201):
            target = Fraction(step, 200)
            assert min(abs(target - centre) for centre in centres) <= level


@claims(failure_label_thresholds=scaled(0.99), label_cuts=moved(-20))
def test_the_label_bound_is_the_sum_it_says():
    for n, spacing in ((276, 1), (300, 0), (400, 2)):
        cuts = label_cuts(n, spacing=spacing)
        best = min(
            2 * binom.cdf(few, n, 0.1) + cuts * math.exp(-(few + 1 - spacing) / 2)
            for few in range(spacing, n // 10 + 1)
        )
        found = float(failure_label_thresholds(n, error=0.1, epsilon=1, spacing=spacing))
        assert best <= found * (1 + 1e-9)
        assert found <= best * 1.02


@claims(label_error=scaled(0.5), records_label_cover=scaled(0.9))
def test_label_error_and_records_agree():
    n = records_label_cover(vc=2, log_cover=10, **USUAL)
    assert label_error(n, vc=2, log_cover=10, failure=0.05, epsilon=1) <= Fraction(1, 10)
    assert label_error(n - 20, vc=2, log_cover=10, failure=0.05, epsilon=1) > Fraction(1, 10)
    assert label_error(3, vc=2, log_cover=10, failure=0.05, epsilon=1) == 1


class TestErrata:
    def test_absolute_continuity_is_no_density_bound(self):
        """F1: 1/(2·√x) on the unit interval puts √a on [0, a], more than any multiple of a."""
        for kappa in (10, 10**6):
            width = Fraction(1, 4 * kappa**2)
            assert math.sqrt(width) > kappa * width
        assert "absolute continuity" in REGISTER["density-bound"].erratum

    def test_lemma_25_fails_at_large_radius(self):
        """F2: at radius 1 it wants 2^(d - 2) unit vectors at pairwise angles above a right one; d + 1 is the most."""
        dimension = 10
        simplex = np.eye(dimension + 1) - 1 / (dimension + 1)  # d + 1 such vectors exist
        inner = simplex @ simplex.T
        assert (inner[~np.eye(dimension + 1, dtype=bool)] < 0).all()
        assert np.linalg.matrix_rank(simplex) == dimension
        assert 2 ** (dimension - 2) > dimension + 1
        assert REGISTER["halfspace-doubling-printed"].status == "false"
        logs = [math.log2(cap(r, 10) / cap(r / 2, 10)) for r in (0.01, 0.1, 0.25, 0.5, 1)]
        assert logs == pytest.approx([8.999, 8.883, 8.267, 6.063, 1], abs=1e-3)

    def test_the_printed_density_of_a_band_is_negative(self):
        """F3: Lemma 20 at d = 10, g = 1/√d; the true one is 1.523."""
        printed = 1 / (1 - 2 * math.exp(-10 * 0.1 / 2))
        assert printed == pytest.approx(-4.69, abs=0.01)
        assert density_band("0.31622776601683794", dimension=10) > 1

    def test_the_exponential_step_needs_the_privacy_parameter(self):
        """F4: without it the failure of Theorem 9 would not depend on epsilon, though as epsilon falls the draw becomes
        uniform over the candidates, of which almost all are bad."""
        n, candidates = 40_000, 100
        printed = candidates * math.exp(-3 * 0.1 * n / 40)
        uniform = (candidates - 21) / candidates  # cuts further than a tenth from the true one, epsilon 0
        assert printed < 1e-100 < uniform

    def test_lemma_11_needs_the_privacy_parameter(self):
        """F5: printed without epsilon it excludes more than is true where epsilon is above 1."""
        printed = math.log(12 / 2 - 1) / (8 * 0.05)
        assert floor_label_sample(12, spacing="0.05", epsilon=2) < printed
        assert floor_label_sample(4, spacing="0.05", epsilon=2) == 0

    def test_an_error_rate_moves_by_one_over_n(self):
        """F6: the number of errors moves by 1, the rate by 1/n."""
        labels = np.array([0, 1, 1, 0])
        changed = labels.copy()
        changed[0] = 1
        assert abs((labels != 0).mean() - (changed != 0).mean()) == 1 / len(labels)

    def test_targets_are_whole_numbers(self):
        """F7: with eta = 2/5 the printed 1/eta - 2 is half a target."""
        assert 1 / Fraction(2, 5) - 2 == Fraction(1, 2)
        assert windows(10, error=0.1) == 24
        assert windows(Fraction(101, 10), error=0.1) == 25

    def test_no_universal_constant_near_certainty(self):
        """F8: with one dimension and kappa 1, ln(1/failure) + ln(1/error) tends to 0, what is needed does not."""
        needed = records_reference_agnostic(1, excess="0.99", failure="0.99", epsilon="0.01")
        printed = (math.log(1 / 0.99) + math.log(1 / 0.99)) / (0.01 * 0.99)
        assert needed > 50 * printed

    def test_the_ball_floor_needs_no_small_epsilon(self):
        """F9: it holds, and says something, at epsilon and error that Theorem 10 excludes."""
        assert floor_label_ball(2**20, distance=1, failure="0.1", epsilon=3) == 5
        assert floor_label_packing(2**20, failure="0.1", epsilon=3) == 6


REFUSED = {
    "kappa below 1": (lambda: records_reference("0.5", **USUAL), "at least 1"),
    "no bound at all": (lambda: records_reference(None, **USUAL), "protect labels only"),
    "a line is no sphere": (lambda: cap_share("0.1", dimension=1), "at least 2"),
    "level above 1": (lambda: cap_share(2, dimension=3), "at most 1"),
    "width above 1": (lambda: density_band(2, dimension=3), "below 1"),
    "weights that do not add up": (lambda: density_mixture([("0.5", 1)]), "add up to 1"),
    "small grid": (lambda: halfspace_grid(1, dimension=9), "at least"),
    "error of a half": (lambda: windows(10, error="0.5"), "0 and 1/2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    make, words = REFUSED[name]
    with pytest.raises(ParameterError, match=words):
        make()
