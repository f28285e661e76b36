"""Numbers of points, cuts and covers that were worked out beforehand, one row each, floors and printed constants too.

`SAME` must come out exactly. In `BETTER` a finer search or a sharper bound needs fewer records than was worked out; the
row states both, so that neither gets worse unnoticed. The usual wish: error 0.1, failure 0.05, epsilon 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from scipy.special import betainc
from scipy.stats import binom

from privpac.constructions.covers import floors as cover_floors
from privpac.constructions.covers import formulas as covers
from privpac.constructions.cuts import formulas as reconstruction
from privpac.constructions.cuts import recursive_formulas as rec_concave
from privpac.constructions.labels import formulas as label_privacy
from privpac.constructions.points import cover_formulas as covered_points
from privpac.constructions.points import formulas as points
from privpac.constructions.points import representation_formulas as representations
from privpac.constructions.points import sampled_formulas as sampled_points
from privpac.constructions.points import sparse_formulas as sparse_points
from privpac.numbers.exact import ratio_for
from privpac.theory import floors, sizes

USUAL = {"error": "0.1", "failure": "0.05", "epsilon": 1}
HALF_EPSILON = {**USUAL, "epsilon": "0.5"}
FINER = {**USUAL, "error": "0.05"}
EXCESS = {"excess": "0.1", "failure": "0.05", "epsilon": 1}
Row = Callable[[], object]


def at(bits: tuple[int, ...], formula: Callable[..., object], **asked: object) -> list[object]:
    return [formula(2**d, **asked) for d in bits]


def light(weights: tuple[int, ...]) -> list[int]:
    asked = {"success": "0.45", "error": "0.1", "epsilon": 1}
    return [floors.floor_points_light(2**32, weight=weight, **asked) for weight in weights]


def switches(counts: tuple[int, ...]) -> list[int]:
    asked = {"success": "0.45", "error": "0.1", "epsilon": 1}
    return [floors.floor_thresholds_few_switches(2**32, switches=count, **asked) for count in counts]


def printed_separation(bits: int) -> int:
    """Records by the printed inequality: 3·error·n of them differ."""
    target = math.log((2**bits - 1) * 0.95 / 0.05)
    return math.ceil(target / 0.3)


SAME: dict[str, tuple[Row, object]] = {
    "proper, 8 … 64 bits": (lambda: at((8, 16, 32, 64), sizes.records_occam, **USUAL), [213, 351, 628, 1180]),
    "proper, exactly": (lambda: at((8, 16, 32, 64), sizes.records_points, **USUAL), [201, 328, 575, 1057]),
    "clipped": (lambda: at((16, 32, 64, 128), points.records_clipped, **USUAL), [279, 416, 678, 1167]),
    "clipped, epsilon 1/2": (lambda: points.records_clipped(2**64, **HALF_EPSILON), 1270),
    "the exponential mechanism there": (lambda: sizes.records_points(2**64, **HALF_EPSILON), 2025),
    "and the floor": (lambda: floors.floor_points_proper(2**64, **HALF_EPSILON), 1057),
    "the floor of proper points": (
        lambda: at((8, 16, 32, 64, 128), floors.floor_points_proper, **USUAL),
        [114, 182, 312, 563, 1048],
    ),
    "the same at epsilon 1/2": (
        lambda: at((8, 16, 32, 64, 128), floors.floor_points_proper, **HALF_EPSILON),
        [201, 328, 575, 1057, 2001],
    ),
    "the floor of cuts": (
        lambda: at((8, 16, 32, 64), floors.floor_thresholds_proper, **USUAL),
        [56, 90, 154, 278],
    ),
    "light answers, 2, 2^8, 2^16, 2^24 points": (lambda: light((2, 2**8, 2**16, 2**24)), [202, 154, 99, 45]),
    "few switches, as many": (lambda: switches((2, 2**8, 2**16, 2**24)), [101, 80, 53, 26]),
    "any learner of points": (
        lambda: at((4, 6, 8, 10, 12, 16, 64), floors.floor_points_any, **USUAL),
        [10, 20, 32, 40, 45, 47, 47],
    ),
    "any learner, epsilon 1/2": (lambda: floors.floor_points_any(2**64, **HALF_EPSILON), 73),
    "any learner, error 1/20": (lambda: floors.floor_points_any(2**64, **FINER), 114),
    "released counts": (
        lambda: at((8, 16, 32, 64), floors.floor_point_counts, **USUAL),
        [40, 70, 125, 235],
    ),
    "released counts, as printed": (
        lambda: [printed_separation(d) for d in (8, 16, 32, 64)],
        [29, 47, 84, 158],
    ),
    "cover, error 1/20": (lambda: covered_points.records_cover(**FINER), 592),
    "cover": (
        lambda: covered_points.plan_cover(**USUAL),
        (275, covered_points.Cover(69172, Fraction(1, 400))),
    ),
    "codes of 16, 32 and 64 bits": (
        lambda: [representations.plan_code(2**d, **USUAL)[0] for d in (16, 32, 64)],
        [264, 287, 308],
    ),
    "generated points, seeds of 16, 20, 24 bits": (
        lambda: at((16, 20, 24), sizes.records_occam, **USUAL),
        [351, 420, 490],
    ),
    "one sampled run": (
        lambda: sampled_points.plan_sampled(error="0.1", failure="0.5125", epsilon=1)[0],
        1302,
    ),
    "one sampled run as printed": (lambda: round(384 * math.log(4) / 0.1**2), 53234),
    "the split of boosted runs": (
        lambda: (
            sampled_points.Boost(
                9,
                1648,
                2160,
                sampled_points.Draw(Fraction(209, 10**4), Fraction(1225, 10**5)),
                Fraction(35, 1000),
            ).records
        ),
        16992,
    ),
    "label-private cuts": (lambda: label_privacy.records_label_thresholds(**USUAL), 276),
    "label-private covers": (
        lambda: [
            label_privacy.records_label_cover(vc=d, log_cover=log, level="0.01", **USUAL)
            for d, log in ((1, math.log(100)), (3, 20), (10, 60))
        ],
        [1011, 2433, 6850],
    ),
    "label-private half-spaces, floors": (
        lambda: [
            cover_floors.floor_label_halfspaces(d, error="0.01", failure="0.1", epsilon=1) for d in (10, 50)
        ],
        [95, 423],
    ),
    "pure cuts of long keys": (
        lambda: [sizes.records_occam(2**d + 1, **USUAL) for d in (16, 32, 64, 128, 256, 512, 1024, 4096)],
        [351, 628, 1180, 2285, 4496, 8916, 17757, 70802],
    ),
}

BITS = (16, 32, 64, 128, 256, 512, 1024, 4096)


def recursion(delta: str) -> list[int]:
    return [rec_concave.records_rec_concave(2**d, delta=delta, **USUAL) for d in BITS]


def reference(dimension: int | None) -> list[int]:
    return [covers.records_reference(kappa, dimension=dimension, **USUAL) for kappa in (1, 10)]


def reference_agnostic(dimension: int | None) -> list[int]:
    return [covers.records_reference_agnostic(kappa, dimension=dimension, **EXCESS) for kappa in (1, 10)]


BETTER: dict[str, tuple[Row, list[int], list[int]]] = {
    # The prior of a cell is searched on a finer grid, and noise counts only where the target was found.
    "cell by cell, epsilon 1, 1/2, error 1/20": (
        lambda: [sparse_points.records_sparse(**asked) for asked in (USUAL, HALF_EPSILON, FINER)],
        [234, 431, 507],
        [236, 435, 509],
    ),
    # Split and flips are searched together.
    "boosted runs, epsilon 1 and 1/2": (
        lambda: [sampled_points.records_boosted(**asked) for asked in (USUAL, HALF_EPSILON)],
        [15161, 32834],
        [16992, 40941],
    ),
    # A larger prime with the same number of digits.
    "a code of 128 bits": (lambda: [representations.plan_code(2**128, **USUAL)[0]], [326], [331]),
    # Whole leads and exact powers instead of real noise and rounded logarithms; the split is searched.
    "recursion, delta 10^-6": (
        lambda: recursion("0.000001"),
        [2900, 2985, 3068, 3149, 3217, 3298, 3367, 3516],
        [2948, 3007, 3095, 3182, 3262, 3335, 3421, 3548],
    ),
    "recursion, delta 10^-9": (
        lambda: recursion("0.000000001"),
        [3289, 3366, 3451, 3536, 3621, 3693, 3778, 3931],
        [3303, 3385, 3475, 3562, 3654, 3743, 3796, 3960],
    ),
    # The share of the error that the cover may use is searched on a finer grid.
    "continuous cuts, kappa 1 and 10": (lambda: reference(None), [206, 270], [206, 270]),
    "continuous cuts, kappa 100 and 10^6": (
        lambda: [covers.records_reference(kappa, **USUAL) for kappa in (100, 10**6)],
        [332, 575],
        [332, 576],
    ),
    "half-spaces in the plane (a cover with finitely many directions: 235)": (
        lambda: reference(2)[:1],
        [225],
        [235],
    ),
    "half-spaces in space": (lambda: reference(3), [338, 469], [339, 470]),
    "half-spaces in four dimensions": (lambda: reference(4)[:1], [447], [454]),
    "half-spaces in five dimensions": (lambda: reference(5), [554, 823], [555, 823]),
    "half-spaces in ten dimensions": (lambda: reference(10), [1077, 1696], [1083, 1698]),
    "noisy cuts": (lambda: reference_agnostic(None), [1672, 2185], [1673, 2185]),
    "noisy half-spaces in space": (lambda: reference_agnostic(3), [2765, 3814], [2767, 3816]),
    "noisy half-spaces in five dimensions": (lambda: reference_agnostic(5), [4552, 6707], [4553, 6712]),
    "noisy half-spaces in ten dimensions": (lambda: reference_agnostic(10), [8884, 13842], [8899, 13842]),
}


@pytest.mark.parametrize("name", SAME)
def test_what_was_worked_out_comes_out(name: str) -> None:
    found, wanted = SAME[name]
    assert found() == wanted


@pytest.mark.parametrize("name", BETTER)
def test_no_more_is_needed_than_was_worked_out(name: str) -> None:
    found, ours, known = BETTER[name]
    assert found() == ours
    assert all(a <= b for a, b in zip(ours, known, strict=True))


def test_a_cover_tuned_for_one_epsilon_needs_a_little_more_at_another() -> None:
    """480 were worked out at epsilon 1/2 with shares searched for it; sets here hold a fortieth of the error, at which
    the search ends at epsilon 1."""
    assert covered_points.records_cover(**HALF_EPSILON) == 483 <= 1.01 * 480


def test_tolerated_densities() -> None:
    """1.03 at 206 records counts cuts as a real number; there are whole ones, so that 1.02 is what is proved. Elsewhere
    the share of the cover is searched, and more is tolerated."""
    found = [float(covers.kappa_reference(n, **USUAL)) for n in (150, 206, 300, 500, 1000)]
    for ours, known, least in zip(found, (0.14, 1.03, 29, 3.4e4, 1.7e12), (0.98, 0.99, 1, 1, 1), strict=True):
        assert ours >= least * known
    assert found[1] == pytest.approx(1.0221, abs=1e-4)


# --- what the sources' own constants ask for ---

PRINTED = {
    # dimension: (realizable, agnostic), at kappa 1 and 10
    1: ((37828, 47039), (7565, 9407)),
    3: ((78430, 106061), (15686, 21212)),
    5: ((119031, 165083), (23806, 33016)),
    10: ((220535, 312638), (44107, 62527)),
}


@pytest.mark.parametrize("dimension", PRINTED)
def test_theorems_8_and_9_with_the_constants_of_their_proofs(dimension: int) -> None:
    """Covers of (16·kappa/error)^d members; d is 1 for cuts, and the dimension of the space for half-spaces."""
    error, failure = 0.1, 0.05
    for kappa, realizable, agnostic in zip((1, 10), *PRINTED[dimension], strict=True):
        logs = dimension * math.log(16 * kappa / error)
        four, two = logs + math.log(4 / failure), logs + math.log(2 / failure)
        ninth = max(400 / error * four, 3 / error * math.log(4 / failure), 40 / (3 * error) * two)
        eighth = max(8 / error**2 * four, 8 / error * two)
        assert ninth == pytest.approx(realizable, abs=1.5)
        assert eighth == pytest.approx(agnostic, abs=1.5)


def test_the_printed_constant_40_of_theorem_8_is_enough_up_to_a_half() -> None:
    for error, failure in ((0.5, 0.5), (0.1, 0.05), (0.01, 0.4)):
        logs = math.log(16 / error)
        needed = max(
            8 / error**2 * (logs + math.log(4 / failure)), 8 / error * (logs + math.log(2 / failure))
        )
        printed = 40 * (1 / error**2 + 1 / error) * (math.log(1 / error) + math.log(1 / failure))
        assert needed <= printed


def test_densities_of_bands_and_what_is_printed_for_them() -> None:
    g, n = 0.5, 10
    assert 1 / float(betainc(0.5, (n - 1) / 2, g * g)) == pytest.approx(1.133, abs=5e-4)
    assert 1 / (1 - 2 * math.exp(-n * g * g / 2)) == pytest.approx(2.342, abs=5e-4)
    assert math.sqrt(2 * math.log(2)) == pytest.approx(1.177, abs=5e-4)


# --- decimals ---


def test_the_failure_of_a_quoted_clip() -> None:
    """0.0499 at 279 records, 16 bits."""
    clip = points.Clip(ratio_for(Fraction("0.9523")), 23, 16)
    asked = {"domain": 2**16, "error": Fraction(1, 10), "clip": clip}
    assert points.proves_clipped(279, failure=Fraction(500, 10**4), **asked)
    assert not points.proves_clipped(279, failure=Fraction(498, 10**4), **asked)


def two_sided_fails(n: int, cuts: float) -> float:
    """A tenth of the mass on each side of the true cut, half of all cuts beyond each."""
    total = 0.0
    for left in range(n + 1):
        chance = binom.pmf(left, n, 0.1)
        if chance > 1e-14:
            right = range(n - left + 1)
            weights = [math.exp(-left / 2) + math.exp(-k / 2) for k in right]
            law = binom.pmf(right, n - left, 1 / 9)
            total += chance * sum(
                p * (h := w * cuts / 2) / (1 + h) for p, w in zip(law, weights, strict=True)
            )
    return total


@pytest.mark.parametrize(("bits", "simulated"), [(8, 206), (16, 334), (32, 586)])
def test_cuts_in_the_worst_family_known(bits: int, simulated: int) -> None:
    """Simulation found these numbers; the exact sums agree within a percent, and the bound is above."""
    assert two_sided_fails(round(1.01 * simulated) + 1, 2.0**bits) <= 0.05
    assert two_sided_fails(round(0.98 * simulated), 2.0**bits) > 0.05
    assert sizes.records_occam(2**bits + 1, **USUAL) >= simulated


def test_sampled_rates_gain_on_the_printed_route() -> None:
    """Lemma 4.4 on top of A_2, at flips of an eighth of the error: 1.94, 2.13 and 2.50 times the rate."""
    error = 0.1
    for epsilon, gain in ((0.1, 1.94), (0.5, 2.13), (1.0, 2.50)):
        own = sampled_points.rate_star(epsilon=str(epsilon), spread=(1 - Fraction(1, 80)) / Fraction(1, 80))
        e = math.exp(epsilon)
        printed = error / 4 * (e - 1) / (4 + e - e / 4 - 1)
        assert float(own) / printed == pytest.approx(gain, abs=6e-3)
        assert 4 + e - e / 4 - 1 <= 5.04


def test_noise_that_is_taken_off() -> None:
    """Ten cells at a rate of 0.1: 0.358126 where six lie on one side, and 1 - (1 - 2·rate)² without end."""
    assert float(reconstruction.failure_denoising("0.1", below=4, above=6)) == pytest.approx(
        0.358126, abs=1e-6
    )
    assert float(reconstruction.failure_denoising("0.01")) == pytest.approx(0.0396, abs=1e-9)
    assert float(reconstruction.largest_noise(error="0.0025", failure="0.25")) == pytest.approx(
        7.2e-4, abs=1e-6
    )


def test_the_rational_base_loses_less_than_a_coarse_one() -> None:
    """A fraction over 2^20 would certify 0.9999984 of epsilon 1."""
    coarse = 2 * math.log(2**20 / (math.floor(2**20 * math.exp(-0.5)) + 1))
    assert coarse == pytest.approx(0.9999984, abs=1e-7)
    assert coarse < -2 * math.log(ratio_for(Fraction(1, 2))) <= 1


def test_how_a_printed_failure_outcome_approaches_its_bound() -> None:
    """A_2 at error 1/4: all but one record name one value; 1.12054 at 60 records, 1.0776 for 'no answer' at 600."""
    rate, fail, flip = 1 / 16, 1 / 32, 1 / 32
    unseen = 1 - rate

    def named(n: int, others: int) -> tuple[float, float]:
        """(the chance of the first value, of none) with n records of it and so many of another."""
        return (1 - unseen**n) * unseen**others, unseen ** (n + others)

    def answered(n: int, others: int) -> float:
        """The chance that the answer holds the other value and not the first, of two cells."""
        first, none = named(n, others)
        second = (1 - unseen**others) * unseen**n if others else 0.0
        return (1 - fail) * (first * flip * flip + none * (1 - flip) * flip + second * (1 - flip) ** 2)

    def refused(n: int, others: int) -> float:
        first, none = named(n, others)
        second = (1 - unseen**others) * unseen**n if others else 0.0
        return 1 - (1 - fail) * (first + none + second)

    assert math.log(answered(0, 1) / answered(0, 0)) < 1.12059
    assert math.log(refused(599, 1) / refused(600, 0)) == pytest.approx(1.0776, abs=2e-3)
