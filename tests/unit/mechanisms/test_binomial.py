"""The number of heads: three readings of one law, its order, and the cells that come up."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from privpac.coins import Enumeration, SeededCoins, law
from privpac.mechanisms.binomial import Heads, random_cells

LAWS = [
    Heads(0, Fraction(1, 3)),
    Heads(1, Fraction(1, 3)),
    Heads(5, Fraction(1, 10)),
    Heads(6, Fraction(9, 10)),
    Heads(40, Fraction(1, 2)),
    Heads(300, Fraction(1, 500)),
]


@pytest.mark.parametrize("heads", LAWS, ids=str)
def test_the_exact_reading_is_the_binomial_law(heads: Heads) -> None:
    weights = heads.exact()
    total = sum(weights)
    assert sorted(heads.value(i) for i in range(len(weights))) == list(range(heads.count + 1))
    for index, weight in enumerate(weights):
        k = heads.value(index)
        assert weight / total == math.comb(heads.count, k) * heads.share**k * (1 - heads.share) ** (
            heads.count - k
        )


@pytest.mark.parametrize("heads", LAWS, ids=str)
def test_floats_and_balls_enclose_it(heads: Heads) -> None:
    Enumeration().probabilities(heads)  # raises if the floats leave their bound
    exact = heads.exact()
    balls = heads.balls(128)
    cut = len(balls) < len(exact)
    for ball, weight in zip(balls[: -1 if cut else None], exact, strict=False):
        middle = Fraction(int(ball.mid().man_exp()[0])) * Fraction(2) ** int(ball.mid().man_exp()[1])
        assert abs(middle - weight) <= Fraction(float(ball.rad().upper()) * 1.01 + 1e-300)


@pytest.mark.parametrize("count", [2**24, 2**64 + 3])
def test_large_counts_keep_their_bound(count: int) -> None:
    heads = Heads(count, Fraction(min(2000, count // 4), count))
    values, error = heads.floats()
    assert error < 1e-11
    total = values.sum()
    balls = heads.balls(200)
    assert float(balls[-1].upper()) < 2.0**-200
    assert sum(float(b.mid()) for b in balls) == pytest.approx(total, rel=1e-11)
    mean = sum(heads.value(i) * float(v) for i, v in enumerate(values)) / total
    assert mean == pytest.approx(float(count * heads.share), rel=1e-6)


def test_cells_are_independent_coins() -> None:
    share = Fraction(1, 5)
    found = law(lambda coins: tuple(random_cells(3, share=share, coins=coins).tolist()))
    assert len(found) == 8
    for cells, probability in found.items():
        assert probability == share ** len(cells) * (1 - share) ** (3 - len(cells))


def test_many_cells_are_drawn_in_order() -> None:
    cells = random_cells(2**24, share=Fraction(19, 10_000), coins=SeededCoins(1))
    assert np.all(np.diff(cells) > 0)
    assert 31_000 < len(cells) < 33_000
    assert len(random_cells(0, share=Fraction(1, 2), coins=SeededCoins(1))) == 0


def test_what_is_no_coin_is_refused() -> None:
    with pytest.raises(ValueError, match="share"):
        Heads(3, Fraction(1))
