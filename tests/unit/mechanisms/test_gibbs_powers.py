"""Tables of powers: every entry is as near as it says, and the rest is as small."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from privpac.mechanisms.gibbs import power_table, powers_at, reach
from privpac.numbers import exact

RATIOS = [
    exact.ratio_for(Fraction(1, 2)),
    exact.ratio_for(Fraction(1, 2000)),
    exact.ratio_for(Fraction(40)),
    exact.ratio_for(Fraction(450)),
    Fraction(2, 3),
    Fraction(999_999, 1_000_000),
]


@pytest.mark.parametrize("ratio", RATIOS)
def test_every_entry_is_within_2_to_the_minus_52(ratio: Fraction) -> None:
    table = power_table(ratio, 30_000)
    assert table[0] == 1.0
    places = np.unique(np.geomspace(1, len(table), 200).astype(int)) - 1
    for k in places.tolist():
        with ctx.workprec(300):
            true = exact.ball(ratio) ** k
            error = abs(arb(float(table[k])) - true) / true
            assert error <= arb(2) ** -52


@pytest.mark.parametrize("ratio", RATIOS)
def test_small_powers_against_rationals(ratio: Fraction) -> None:
    table = power_table(ratio, 40)
    for k, entry in enumerate(table.tolist()):
        assert abs(Fraction(entry) - ratio**k) <= ratio**k * Fraction(1, 2**52)


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_table_ends_exactly_where_powers_fall_below_2_to_the_minus_900(ratio: Fraction) -> None:
    table = power_table(ratio, 10**9) if ratio < Fraction(99, 100) else power_table(ratio, 10**6)
    assert table[-1] >= exact.SMALLEST_POWER
    furthest = reach(ratio)
    assert furthest is not None
    if len(table) <= 10**6:
        with ctx.workprec(200):
            assert exact.ball(ratio) ** len(table) < arb(2) ** -900 * (1 + arb(2) ** -51)


def test_tables_are_shared_and_cannot_be_written() -> None:
    table = power_table(Fraction(1, 2), 5)
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 2.0


@pytest.mark.parametrize("ratio", [*RATIOS, exact.ratio_for(Fraction(1, 2 * 10**6)), Fraction(1)])
def test_powers_at_large_steps(ratio: Fraction) -> None:
    steps = np.array([0, 1, 2, 1000, 10**6, 2**21 - 1, 2**21, 2**21 + 1, 10**9, 1_247_000_000, 10**15])
    values, units = powers_at(ratio, steps)
    for step, value in zip(steps.tolist(), values.tolist(), strict=True):
        with ctx.workprec(400):
            true = exact.ball(ratio) ** step
            if value == 0.0:
                assert true < arb(2) ** -900 * (1 + arb(10) ** -12)
            else:
                assert abs(arb(value) - true) <= true * units * arb(2) ** -53


@pytest.mark.parametrize("bits", [64, 900])
@pytest.mark.parametrize("ratio", [*RATIOS, Fraction(1, 10**400)])
def test_reach_is_far_enough(ratio: Fraction, bits: int) -> None:
    furthest = reach(ratio, bits)
    assert furthest is not None
    with ctx.workprec(200):
        assert exact.ball(ratio) ** (furthest + 1) <= arb(2) ** -bits * (1 + bits * arb(10) ** -15)
