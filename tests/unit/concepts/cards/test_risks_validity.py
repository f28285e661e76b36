"""The intervals of a risk table hold: for the risk of everybody, over sampling and noise together."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from privpac.concepts.cards.risks import SCALE, Table, spread_of

SUMS = tuple(range(10))
RISKS = 1 / (1 + np.exp(-(np.arange(10) - 5.5) / 1.5))
SHARES = np.array([4, 9, 14, 18, 18, 14, 10, 7, 4, 2]) / 100
TIMES = 150


def held(n: int, epsilon: Fraction, spread: int, buckets: int = 1) -> float:
    """How often the risk of a row of so many neighbouring sums lies within its interval, over tables of n records."""
    random, ratio = np.random.default_rng(11), math.exp(-epsilon / 2)
    inside, rows = 0, [range(first, first + buckets) for first in range(0, 10, buckets)]
    for _ in range(TIMES):
        totals = random.multinomial(n, SHARES)
        ones = random.binomial(totals, RISKS)
        noise = random.geometric(1 - ratio, (2, 10)) - random.geometric(1 - ratio, (2, 10))
        noisy = np.clip(np.stack([totals - ones, ones]) + noise, 0, n)
        counts = tuple((int(zero), int(one)) for zero, one in noisy.T)
        table = Table(counts, SUMS, -10, spread, Fraction(1, 2))
        for row in rows:
            true = float((SHARES[list(row)] * RISKS[list(row)]).sum() / SHARES[list(row)].sum())
            interval = table.interval(row)
            inside += interval.low <= SCALE * true <= interval.high
    return inside / (TIMES * len(rows))


@pytest.mark.parametrize(("n", "epsilon"), [(500, "1"), (500, "0.12"), (5000, "0.12"), (5000, "0.012")])
@pytest.mark.parametrize("buckets", [1, 2, 5])
def test_the_risk_lies_within_the_interval_as_often_as_two_standard_deviations_say(
    n: int, epsilon: str, buckets: int
) -> None:
    """Two standard deviations of noise and two of sampling are allowed for one by one; seeds are fixed."""
    share = Fraction(epsilon)
    assert held(n, share, spread_of(share, 2), buckets) >= 0.95


def test_an_interval_that_forgets_the_noise_does_not_hold() -> None:
    assert held(5000, Fraction("0.012"), 1) < 0.7
