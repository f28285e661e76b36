"""Two-sided geometric noise: the clamped law, its bounds, and nothing outside of them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from flint import arb, ctx

from privpac.coins import Coins, Enumeration, SeededCoins, law
from privpac.mechanisms.geometric import NoiseLaw, add_noise
from privpac.numbers.exact import ball, ratio_for

HALF = ratio_for(Fraction(1, 2))
RATIOS = [Fraction(1, 2), Fraction(3, 5), HALF]


def clamped(count: int, ratio: Fraction, low: int, high: int) -> dict[int, Fraction]:
    """The textbook law: unbounded noise with mass (1 - a)/(1 + a)·a^|k|, then the clamp."""

    def mass(k: int) -> Fraction:
        return (1 - ratio) / (1 + ratio) * ratio ** abs(k)

    found = {value: mass(value - count) for value in range(low + 1, high)}
    if low == high:
        return {low: Fraction(1)}
    found[low] = ratio ** (count - low) / (1 + ratio)  # everything at or below
    found[high] = ratio ** (high - count) / (1 + ratio)
    return found


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize(
    ("count", "low", "high"), [(0, 0, 4), (2, 0, 4), (4, 0, 4), (-1, -3, 2), (5, 5, 5), (1, 0, 1)]
)
def test_the_law_of_a_noisy_count(ratio: Fraction, count: int, low: int, high: int) -> None:
    found = law(lambda coins: add_noise([count], ratio=ratio, low=low, high=high, coins=coins)[0])
    assert found == clamped(count, ratio, low, high)


def test_counts_have_noise_of_their_own() -> None:
    found = law(lambda coins: tuple(add_noise([1, 1], ratio=Fraction(1, 2), low=0, high=2, coins=coins)))
    one = clamped(1, Fraction(1, 2), 0, 2)
    assert found == {(a, b): one[a] * one[b] for a in one for b in one}


def test_values_alternate_in_sign() -> None:
    assert [NoiseLaw.value(i) for i in range(7)] == [0, 1, -1, 2, -2, 3, -3]


@pytest.mark.parametrize("width", [0, 1, 2, 7, 900, 1300, 3000])
def test_floats_lie_within_their_bound(width: int) -> None:
    half = Fraction(1, 2)  # exact powers stay short
    probabilities = Enumeration().probabilities(NoiseLaw(half, width))
    assert sum(probabilities) == 1
    assert len(probabilities) == 2 * width + 1


@pytest.mark.parametrize("exponent", ["0.5", "0.001", "40", "700"])
def test_floats_and_balls_agree_at_any_ratio(exponent: str) -> None:
    noise = NoiseLaw(ratio_for(Fraction(exponent)), 3000)
    values, error = noise.floats()
    with ctx.workprec(400):
        weights = noise.balls(400)
        shown = min(len(values), len(weights) - 1)
        for value, weight in zip(values[:shown].tolist(), weights[:shown], strict=True):
            assert abs(arb(value) - weight) <= error * abs(weight)


@pytest.mark.parametrize("bits", [128, 192, 1024])
def test_far_noise_is_one_ball_that_cannot_decide(bits: int) -> None:
    noise = NoiseLaw(Fraction(1, 2), 10**9)
    weights = noise.balls(bits)
    assert len(weights) < 4 * bits
    kept = (len(weights) - 1) // 2
    with ctx.workprec(2 * bits):
        assert weights[-1].overlaps(2 * ball(Fraction(1, 2)) ** (kept + 1))
        assert weights[-1] < arb(2) ** -bits
        assert abs(sum(weights, arb(0)) - ball(Fraction(3, 2))) < arb(2) ** (8 - bits)


def test_drawn_noise_stays_within_public_bounds() -> None:
    ratio = ratio_for(Fraction(1, 50))
    seen: Counter[int] = Counter()
    for seed in range(300):
        seen.update(add_noise([3, 0], ratio=ratio, low=0, high=5, coins=SeededCoins(seed)))
    assert set(seen) == set(range(6))


def test_a_count_outside_of_its_bounds_is_refused_without_saying_which() -> None:
    with pytest.raises(ValueError, match="outside") as caught:
        add_noise([3, 271828], ratio=HALF, low=0, high=5, coins=SeededCoins(0))
    assert "271828" not in str(caught.value)


def test_an_enumeration_goes_on_from_each_clamped_result_once() -> None:
    went_on: list[tuple[int, ...]] = []

    def run(coins: Coins) -> tuple[int, ...]:
        noisy = tuple(add_noise([0, 2], ratio=HALF, low=0, high=2, coins=coins))
        went_on.append(noisy)
        return noisy

    together = law(run)
    assert sorted(went_on) == sorted(together) == list(product(range(3), repeat=2))
    alone = [
        law(lambda coins, count=count: add_noise([count], ratio=HALF, low=0, high=2, coins=coins)[0])
        for count in (0, 2)
    ]
    assert together == {(a, b): alone[0][a] * alone[1][b] for a, b in product(range(3), repeat=2)}
