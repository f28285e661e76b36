"""Released counts, exactly: the law of sums of noise against what is promised of them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from numpy.typing import NDArray

from privpac.coins import law
from privpac.constructions.release.block_quantiles import (
    BlockQuantilePlan,
    cut_among_blocks,
    failure_block_quantiles,
    place_bits,
    plan_block_quantiles,
)
from privpac.constructions.release.blr import plan_candidates, radius_quantiles
from privpac.constructions.release.quantiles import plan_quantiles, rank_errors
from privpac.constructions.release.tree_counts import failure_tree, plan_tree
from privpac.numbers.exact import ratio_for
from tests.statistical.claims import claims, field, moved, scaled

ONE, FAILURE = Fraction(1), Fraction(1, 20)


def sum_of_noise(ratio: float, terms: int, reach: int) -> NDArray[np.float64]:
    """The law of a sum of two-sided geometric noise, from -reach·terms on."""
    one = (1 - ratio) / (1 + ratio) * ratio ** np.abs(np.arange(-reach, reach + 1))
    law = np.ones(1)
    for _ in range(terms):
        law = np.convolve(law, one)
    return law


def off_by_more(steps: int, ratio: float, terms: int) -> float:
    reach = math.ceil(40 / -math.log(ratio))
    law = sum_of_noise(ratio, terms, reach)
    middle = reach * terms
    return float(1 - law[middle - steps : middle + steps + 1].sum())


@claims(failure_tree=scaled(0.99), plan_tree=field("steps", scaled(0.95)))
def test_the_counts_of_a_tree() -> None:
    """The law of one threshold that needs all nodes it may need, and the promise for all of them at once."""
    n = 5_000
    for cells in (16, 256):
        plan = plan_tree(n, cells=cells, epsilon=ONE, failure=FAILURE, branching=4)
        assert plan is not None
        assert plan.above is None
        terms, a, x = plan.levels * plan.branching // 2, float(plan.ratio), float(plan.tilt)
        assert -2 * plan.levels * math.log(plan.ratio) <= 1 + 1e-9
        assert 1 < x < 1 / a
        moment = (1 - a) / (1 + a) * (1 / (1 - a * x) + a / (x - a))
        wanted = 2 * cells * moment**terms * x ** -(plan.steps + 1)
        assert wanted <= FAILURE
        assert wanted * (1 - 1e-9) <= failure_tree(plan, records=n) <= wanted * (1 + 1e-5)
        # What one threshold needs, and all of them at most: here the bound has a factor of ten to give.
        assert cells * off_by_more(plan.steps, a, terms) <= wanted
        assert cells * off_by_more(plan.steps // 2, a, terms) > FAILURE


@claims(radius_quantiles=scaled(0.99))
def test_quantiles_reach_their_radius() -> None:
    """The worst of all tables of eight records over four cells, against every multiset of two and three cells."""
    for points in (2, 3):
        multisets = [
            np.bincount(m, minlength=4).cumsum() / points
            for m in combinations_with_replacement(range(4), points)
        ]
        worst = 0.0
        for counts in product(range(9), repeat=3):
            if sum(counts) <= 8:
                true = np.cumsum([*counts, 8 - sum(counts)]) / 8
                worst = max(worst, min(float(np.abs(true - made).max()) for made in multisets))
        assert worst <= radius_quantiles(points)
        assert points != 2 or worst == 0.25


def true_error(plan, n: int, others: int, ratio: float) -> float:
    """All other candidates lie one step too far: how often is one of them drawn?"""
    steps = round((plan.error - plan.radius) * n) + 1
    weight = others * ratio**steps
    return weight / (1 + weight)


@claims(plan_candidates=field("error", scaled(0.9)))
def test_candidates_are_drawn_as_near_as_promised() -> None:
    ratio = ratio_for(Fraction(1, 2))
    for n in (1500, 15_000):
        plan = plan_candidates(n, cells=2**10, ratio=ratio, failure=FAILURE)
        assert plan.count == math.comb(2**10 + plan.points - 1, plan.points)
        assert plan.radius == Fraction(1, 2 * plan.points)
        assert true_error(plan, n, plan.count - 1, float(ratio)) <= FAILURE


@claims(plan_quantiles=field("steps", moved(-3)), rank_errors=scaled(0.99))
def test_quantiles_are_drawn_as_near_as_promised() -> None:
    n, cells = 6000, 2**10
    plan = plan_quantiles(n, cells=cells, epsilon=ONE, failure=FAILURE, ratio_of=ratio_for)
    ratio = math.exp(-1 / (4 * plan.levels))
    # Every draw among all places, all others one step too far; any of the draws may fail.
    weight = (cells * plan.slots + 1) * ratio**plan.steps
    draws = 2**plan.levels - 1
    assert 1 - (1 - weight / (1 + weight)) ** draws <= FAILURE
    assert plan.slots * plan.batch >= n
    each = (plan.batch + plan.steps - 1) / 2
    worst = [0.0, 0.0]
    for _ in range(plan.levels):
        worst.append((worst[-1] + worst[-2]) / 2 + each)
    assert float(rank_errors(plan.levels, Fraction(plan.batch + plan.steps - 1, 2))) == pytest.approx(
        worst[-1]
    )
    assert float(plan.error) >= 1 / 2 ** (plan.levels + 1) + worst[-1] / n - 1e-12


@claims(
    failure_block_quantiles=scaled(0.99),
    place_bits=moved(-1),
    plan_block_quantiles=field("steps", moved(-8)),
)
def test_cuts_among_blocks_fail_as_seldom_as_promised() -> None:
    n, cells = 20_000, 2**64
    plan = plan_block_quantiles(n, cells=cells, epsilon=ONE, delta=Fraction(1, 10**6), failure=FAILURE)
    assert plan is not None
    assert plan.bits == place_bits(n, cells=cells)
    assert 2 ** (plan.bits - 1) < cells * n <= 2**plan.bits
    ratio = float(plan.ratio)
    blank = plan.stake * ratio ** (2 * plan.reach)
    rivals = 2 * (2 * plan.bits + 1) * ratio**plan.steps / (1 - ratio**2)
    wanted = (2**plan.levels - 1) * (blank + rivals)
    assert wanted <= FAILURE
    assert wanted * (1 - 1e-9) <= failure_block_quantiles(plan) <= wanted * (1 + 1e-5)


@pytest.mark.parametrize("step", [1, 7, 25])
def test_one_cut_among_blocks_is_off_as_seldom_as_promised(step: int) -> None:
    """The exact law of a cut, records side by side and far apart, against the promise for one level."""
    count, bits = 40, 10
    places = np.arange(count, dtype=np.int64) * step
    standing = places, np.arange(1, count + 1)
    plan = BlockQuantilePlan(1, bits, Fraction(1, 2), 64, 8, 9)
    drawn = law(lambda coins: cut_among_blocks(standing, 0, 2**bits, end=2**bits, plan=plan, coins=coins))
    off = sum(
        chance
        for cut, chance in dict(drawn).items()
        if abs(2 * int(np.searchsorted(places, cut)) - count) > 2 * plan.each
    )
    assert 0 < off <= failure_block_quantiles(plan) < 1
