"""Lattice paths in a band: counted, weighted and drawn as if they were listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from flint import ctx

from privpac.coins import Enumeration, SeededCoins, law
from privpac.constructions.release.lattice import Band, Paths, _path_at, paths_between
from privpac.data.statistics import ColumnCounts
from privpac.numbers.exact import ball, ratio_for

RATIO = ratio_for(Fraction(1, 2))


def counted(cells: list[int]) -> ColumnCounts:
    values, counts = np.unique(cells, return_counts=True)
    return ColumnCounts(values.astype(np.uint64), counts.reshape(-1, 1).astype(np.int64), len(cells))


def bands(rng: np.random.Generator) -> Iterator[tuple[list[int], list[int]]]:
    for _ in range(400):
        m = int(rng.integers(1, 6))
        low, high = sorted(rng.integers(0, 7, m).tolist()), sorted(rng.integers(0, 7, m).tolist())
        if all(a <= b for a, b in zip(low, high, strict=True)):
            yield low, high


def test_paths_are_counted_and_numbered_as_when_listed() -> None:
    seen = 0
    for low, high in bands(np.random.default_rng(1)):
        listed = [
            path
            for path in combinations_with_replacement(range(7), len(low))
            if all(a <= p <= b for a, p, b in zip(low, path, high, strict=True))
        ]
        assert paths_between(low, high) == len(listed)
        found = {_path_at(low, high, i) for i in range(len(listed))}
        assert found == set(listed)
        seen += 1
    assert seen > 50


def worst(path: tuple[int, ...], cells: list[int], size: int) -> Fraction:
    """n times the error of the worst threshold."""
    n, m = len(cells), len(path)
    return max(
        abs(sum(c <= x for c in cells) - Fraction(n * sum(p <= x for p in path), m)) for x in range(size)
    )


@pytest.mark.parametrize("points", [1, 2, 3])
@pytest.mark.parametrize("cells", [[0, 0, 0], [1, 3, 3, 4], [0, 1, 2, 3, 4], [2]])
def test_the_law_is_that_of_the_exponential_mechanism(cells: list[int], points: int) -> None:
    size, n = 5, len(cells)
    free = Fraction(n, 2 * points)

    def score(path: tuple[int, ...]) -> int:
        beyond = worst(path, cells, size) - free
        return max(0, -(-beyond.numerator // beyond.denominator))

    weights = {path: RATIO ** score(path) for path in combinations_with_replacement(range(size), points)}
    total = sum(weights.values())
    paths = Paths(Band(counted(cells), size, points), RATIO)
    found = law(lambda coins: paths.draw(coins))
    assert found == {path: weight / total for path, weight in weights.items()}
    assert min(score(path) for path in weights) == 0  # the quantiles lie within the radius


def test_floats_and_balls_enclose_the_weights_of_levels() -> None:
    rng = np.random.default_rng(3)
    paths = Paths(Band(counted(rng.integers(0, 50, 40).tolist()), 50, 4), RATIO)
    Enumeration().probabilities(paths)
    exact = list(paths.exact())
    for bits in (64, 300):
        balls = list(paths.balls(bits))
        with ctx.workprec(2 * bits):
            total = sum(exact, Fraction(0))
            for near, weight in zip(balls[:-1], exact, strict=False):
                assert bool(abs(near - ball(weight)) <= ball(weight) * 2.0 ** -(bits - 8))
            if len(balls) < len(exact):
                assert balls[-1] < ball(total) * 2.0**-bits


def test_a_64_bit_domain_is_no_obstacle() -> None:
    rng = np.random.default_rng(4)
    cells = rng.integers(2**62, 2**63, 3000, dtype=np.uint64).tolist()
    paths = Paths(Band(counted(cells), 2**64, 8), ratio_for(Fraction(1)))
    drawn = paths.draw(SeededCoins(1))
    assert list(drawn) == sorted(drawn)
    assert worst(drawn, cells, 0 + 1) == 0  # nothing at cell 0
    ordered = sorted(cells)
    for j, point in enumerate(drawn, start=1):
        rank = np.searchsorted(ordered, point)
        assert abs(rank - 3000 * (2 * j - 1) / 16) < 900


def test_draws_follow_the_law() -> None:
    paths = Paths(Band(counted([1, 1, 2]), 3, 1), RATIO)
    exact = law(lambda coins: paths.draw(coins))
    coins = SeededCoins(7)
    seen = Counter(paths.draw(coins) for _ in range(3000))
    for path, probability in exact.items():
        # Six standard deviations: bad luck once in 500 million.
        spread = 6 * float(3000 * probability * (1 - probability)) ** 0.5
        assert abs(seen[path] - 3000 * float(probability)) < spread + 1


def test_nothing_private_is_shown() -> None:
    band = Band(counted([123456]), 2**20, 1)
    for thing in (band, Paths(band, RATIO)):
        assert "123456" not in repr(thing)
