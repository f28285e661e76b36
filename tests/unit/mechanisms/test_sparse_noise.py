"""Sparse noise: the very law of dense noise with low counts dropped, and its weights in all three readings."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import ctx

from privpac.coins import Enumeration, SeededCoins, law
from privpac.mechanisms.geometric import add_noise
from privpac.mechanisms.sparse_noise import BinomialLaw, TailLaw, draw_kept, nth_absent
from privpac.numbers.exact import ball, ratio_for

HALF = ratio_for(Fraction(1, 2))
RATIOS = [Fraction(1, 2), Fraction(3, 5), HALF]
Kept = tuple[tuple[int, int], ...]


def dense(counts: list[int], *, ratio: Fraction, above: int, high: int) -> dict[Kept, Fraction]:
    """Noise on every cell, then the low ones dropped."""

    def run(coins: object) -> Kept:
        noisy = add_noise(counts, ratio=ratio, low=0, high=high, coins=coins)  # type: ignore[arg-type]
        return tuple((cell, count) for cell, count in enumerate(noisy) if count > above)

    return law(run)


def sparse(counts: list[int], *, ratio: Fraction, above: int, high: int) -> dict[Kept, Fraction]:
    values = np.flatnonzero(counts)
    held = np.array([counts[cell] for cell in values], dtype=np.int64)

    def run(coins: object) -> Kept:
        kept = draw_kept(
            values,
            held,
            cells=len(counts),
            ratio=ratio,
            above=above,
            high=high,
            coins=coins,  # type: ignore[arg-type]
        )
        return tuple(kept.items())

    return law(run)


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("above", [0, 1])
@pytest.mark.parametrize("counts", [[0, 0, 0], [2, 0, 0], [0, 1, 1], [1, 2, 0], [1, 0, 1]])
def test_sparse_and_dense_have_the_same_law_to_the_last_digit(
    counts: list[int], above: int, ratio: Fraction
) -> None:
    one, other = (law_of(counts, ratio=ratio, above=above, high=2) for law_of in (dense, sparse))
    assert one == other


def test_heights_are_public_and_positive() -> None:
    for above in (-1, 2):
        with pytest.raises(ValueError, match="height"):
            draw_kept(
                np.array([0]), np.array([1]), cells=3, ratio=HALF, above=above, high=2, coins=SeededCoins(1)
            )


LAWS = {
    "few trials": BinomialLaw(5, Fraction(1, 2), 1),
    "one trial": BinomialLaw(1, HALF, 3),
    "many trials": BinomialLaw(60, HALF, 2),
    "rare": BinomialLaw(40, HALF, 30),
    "tail": TailLaw(HALF, 9),
    "tail of one value": TailLaw(HALF, 0),
}


@pytest.mark.long_cases("rare")
@pytest.mark.parametrize("name", LAWS)
def test_floats_and_balls_enclose_the_exact_weights(name: str) -> None:
    weights = LAWS[name]
    exact = list(weights.exact())
    assert sum(exact) == 1
    error = weights.floats()[1]
    assert error < 1e-12
    Enumeration().probabilities(weights)  # raises if the floats leave their bound
    for bits in (64, 256):
        balls = list(weights.balls(bits))
        with ctx.workprec(4 * bits):
            for ball_, weight in zip(balls[: len(exact)], exact, strict=False):
                if weight and len(balls) > len(exact):
                    scaled = ball(weight / exact[0])
                    assert abs(float(ball_ / scaled) - 1) < 1e-9


def test_a_binomial_over_a_huge_domain_has_the_right_mean_and_spread() -> None:
    weights = BinomialLaw(2**64 - 1000, HALF, 80)
    chance = HALF**80 / (1 + HALF)
    mean = (2**64 - 1000) * chance
    coins = SeededCoins(5)
    drawn = [weights.value(coins.choose(weights)) for _ in range(400)]
    # Six standard deviations of the mean of 400 draws: bad luck once in 500 million runs.
    assert abs(sum(drawn) / 400 - mean) < 6 * math.sqrt(mean / 400)
    assert np.var(drawn) < 2 * mean


def test_kept_cells_of_a_huge_domain() -> None:
    values = np.array([3, 2**63, 2**64 - 1], dtype=np.uint64)
    held = np.array([500, 2, 400], dtype=np.int64)
    kept = draw_kept(values, held, cells=2**64, ratio=HALF, above=84, high=902, coins=SeededCoins(2))
    assert {3, 2**64 - 1} <= set(kept)
    assert all(count > 84 for count in kept.values())
    assert list(kept) == sorted(kept)


def test_domains_beyond_64_bits() -> None:
    values = np.array([7, 2**90], dtype=object)
    kept = draw_kept(
        values,
        np.array([90, 80]),
        cells=2**100,
        ratio=ratio_for(Fraction(2)),
        above=32,
        high=170,
        coins=SeededCoins(3),
    )
    assert {7, 2**90} <= set(kept)


def test_the_nth_absent_cell() -> None:
    assert [nth_absent(np.array([1, 2, 5]), i) for i in range(4)] == [0, 3, 4, 6]
