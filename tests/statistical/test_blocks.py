"""Cuts among occupied blocks: the planned number of records is enough, a sixth of it is not.

Failures are counted over data sets and draws. 60 runs with a true rate of at most 0.05 see more than 16 failures once
in a million times.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import ctx

from privpac import MemorySample, Schema, SeededCoins
from privpac.coins import law
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.constructions.cuts.blocks import BlockCuts
from privpac.constructions.cuts.blocks_formulas import (
    BlockPlan,
    levels,
    mistakes_of_blocks,
    plan_blocks,
    records_blocks,
)
from privpac.data.columns import Numeric
from privpac.mechanisms import gibbs
from privpac.theory.sizes import records_occam
from tests.statistical.claims import claims, field, moved, scaled
from tests.statistical.test_rec_concave import near_a_cut

ONE, MILLIONTH = Fraction(1), Fraction(1, 10**6)
TENTH = Fraction(1, 10)
WANTED = {"error": 0.1, "failure": 0.05, "epsilon": 1}
BITS = (32, 64, 128, 256, 512, 1024, 4096)


def failures(bits: int, n: int, *, runs: int, seed: int) -> int:
    """Runs that err on more than a tenth or do not answer: points at log-uniform distance from the cut, a hard case."""
    rng = np.random.default_rng(seed)
    column = Numeric("key", lower=0, upper=2**bits - 1, integer=True)
    schema = Schema((column,), label="y", classes=("0", "1"))
    learner, wrong = BlockCuts(Thresholds(schema, "key"), ONE, MILLIONTH), 0
    for run in range(runs):
        cut, cells = near_a_cut(bits, n, rng)
        sample = MemorySample.from_cells(schema, {"key": cells}, (cells >= cut).astype(np.int64))
        answer = learner.learn(sample, SeededCoins(1000 * seed + run))
        gap = abs(answer.cut - cut) if isinstance(answer, Threshold) else 2**bits
        mass = 0.0 if gap == 0 else min(1.0, math.log2(gap) / (bits - 2)) / 2
        wrong += mass > 0.1
    return wrong


@claims({"bits": 64}, records_blocks=scaled(0.3))
@pytest.mark.parametrize("bits", [64, 256])
def test_the_planned_number_of_records_is_enough_and_a_sixth_is_not(bits: int) -> None:
    n = records_blocks(2**bits, **WANTED, delta="0.000001")
    assert failures(bits, n, runs=60, seed=bits) <= 16
    assert failures(bits, n // 6, runs=30, seed=bits) >= 17


def test_fewer_records_than_one_draw_from_25_bits_on() -> None:
    for bits in (25, *BITS):
        assert records_blocks(2**bits, **WANTED, delta="0.000001") < records_occam(2**bits + 1, **WANTED)
    assert records_blocks(2**24, **WANTED, delta="0.000001") >= records_occam(2**24 + 1, **WANTED) - 10


def test_records_grow_with_the_logarithm_of_the_bits() -> None:
    sizes = [records_blocks(2**bits, **WANTED, delta="0.000001") for bits in BITS]
    assert all(0 <= after - before <= 60 for before, after in pairwise(sizes))


@claims(
    occupied_blocks_accuracy=scaled(0.99),
    plan_blocks=field("reach", moved(-1)),
    levels=moved(-1),
    records_blocks=scaled(0.99),
)
def test_the_formula_is_what_the_page_says() -> None:
    plan = plan_blocks(2**64, failure=0.05, epsilon=1, delta="0.000001")
    r, a = float(plan.ratio), plan.reach
    assert (plan.levels, levels(2**64), levels(1), levels(2), levels(3)) == (64, 64, 1, 1, 2)
    assert 63 / (63 + plan.ratio * plan.stake) <= MILLIONTH < 63 / (63 + plan.ratio * (plan.stake - 1))
    assert 1 - MILLIONTH >= r**-2 / math.e > 1 - 3 * MILLIONTH
    assert plan.stake * r ** (2 * a) <= 0.05 / 3 < plan.stake * r ** (2 * a - 2)

    def failure(n: int, error: float) -> float:
        return plan.stake * r ** (2 * a) + 2 * (128 / (1 - r) + 1) * r ** (1 - a) * (1 - error * (1 - r)) ** n

    n = records_blocks(2**64, **WANTED, delta="0.000001")
    assert failure(n, 0.1) <= 0.05 < failure(n - 1, 0.1)
    with ctx.workprec(192):
        assert float(plan.failure(n, TENTH)) == pytest.approx(failure(n, 0.1), rel=1e-9)
    error = plan.error(n + 40, Fraction(1, 20))
    assert failure(n + 40, float(error)) <= 0.05 < failure(n + 40, float(error) - 1e-4)
    assert plan.error(10, Fraction(1, 20)) == 1


@claims(mistakes_of_blocks=moved(-1))
def test_the_mistakes_on_the_records_are_what_the_page_says() -> None:
    for bits, epsilon in ((16, "1"), (64, "1"), (64, "0.1")):
        plan = plan_blocks(2**bits, failure=0.05, epsilon=epsilon, delta="0.000001")
        r, a = float(plan.ratio), plan.reach

        def failure(
            mistakes: int, bits: int = bits, stake: int = plan.stake, r: float = r, a: int = a
        ) -> float:
            return stake * r ** (2 * a) + 2 * (2 * bits / (1 - r) + 1) * r ** (1 - a) * r ** (mistakes + 1)

        most = mistakes_of_blocks(plan, failure=0.05)
        assert most is not None
        assert failure(most) <= 0.05 < failure(most - 1)
    assert mistakes_of_blocks(BlockPlan(plan.ratio, plan.levels, plan.stake, 1), failure=0.05) is None


def exact_failure(learner: BlockCuts, cells: list[int], cut: int, most: int) -> Fraction:
    """How likely the draw makes more than so many mistakes on these very records, or none is released."""
    schema = learner.concepts.schema
    sample = MemorySample.from_cells(
        schema, {"a": np.array(cells)}, (np.array(cells) >= cut).astype(np.int64)
    )
    middles = learner.middles(sample.reduce(learner.concepts.statistic))
    drawn = law(lambda coins: gibbs.draw(middles, learner.numbers.ratio, coins))
    wrong = {
        place: sum(1 for cell in cells if min(place, cut) <= cell < max(place, cut))
        for place in drawn
        if place is not None
    }
    return sum(
        (chance for place, chance in drawn.items() if place is None or wrong[place] > most), Fraction(0)
    )


def test_more_mistakes_on_the_records_are_as_unlikely_as_promised_and_a_quarter_is_not() -> None:
    """The law itself, of records spread, crowded at the cut and crowded away from it."""
    schema = Schema((Numeric("a", 0, 63, integer=True),), "y")
    learner = BlockCuts(Thresholds(schema, "a"), Fraction(2), Fraction(1, 50), Fraction(1, 5))
    most = mistakes_of_blocks(learner.numbers, failure=learner.failure)
    assert most is not None
    tables = (
        [*range(64)],
        [*range(64)] * 3,
        [*range(13, 29)] * 2,
        [20] * 30 + [21] * 30,
        [0] * 40 + [33] * 12,
    )
    assert max(exact_failure(learner, cells, 21, most) for cells in tables) <= learner.failure
    assert exact_failure(learner, tables[0], 21, most // 4) > learner.failure


def test_a_larger_stake_and_reach_promise_less_of_each_other() -> None:
    plan = plan_blocks(2**64, failure=0.05, epsilon=1, delta="0.000001")
    n = records_blocks(2**64, **WANTED, delta="0.000001")
    for reach in (plan.reach - 2, plan.reach + 4):
        other = BlockPlan(plan.ratio, plan.levels, plan.stake, reach)
        with ctx.workprec(192):
            assert other.failure(n, TENTH) > plan.failure(n, TENTH)
