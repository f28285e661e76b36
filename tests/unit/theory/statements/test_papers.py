"""The small lemmas of the papers, on every small case; a wrong version of each is caught."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from privpac.theory import floors


def packing(distances: np.ndarray, radius: float, among: list[int]) -> list[int]:
    """Points at pairwise distances above the radius, until none can be added."""
    chosen: list[int] = []
    for point in among:
        if all(distances[point, other] > radius for other in chosen):
            chosen.append(point)
    return chosen


def random_space(seed: int, *, points: int = 40, dimension: int = 2) -> np.ndarray:
    places = np.random.default_rng(seed).random((points, dimension))
    return np.abs(places[:, None, :] - places[None, :, :]).max(axis=2)  # the maximum norm


@pytest.mark.parametrize("seed", range(5))
def test_a_largest_packing_is_a_cover(seed: int) -> None:
    distances = random_space(seed)
    chosen = packing(distances, 0.2, list(range(len(distances))))
    assert (distances[:, chosen].min(axis=1) <= 0.2).all()
    assert not (distances[:, chosen[:-1]].min(axis=1) <= 0.2).all(), "one point fewer is no cover"


@pytest.mark.parametrize("seed", range(5))
def test_packings_of_a_ball_are_bounded_by_the_doubling_dimension(seed: int) -> None:
    """In the plane with the maximum norm four squares of half the side cover a square: dimension 2."""
    distances = random_space(seed, points=200)
    for centre, (radius, apart) in itertools.product(range(5), ((0.3, 0.1), (0.4, 0.3), (0.2, 0.05))):
        ball = [p for p in range(len(distances)) if distances[centre, p] <= radius]
        assert len(packing(distances, apart, ball)) <= (4 * radius / apart) ** 2
    everywhere = packing(distances, 0.05, list(range(len(distances))))
    assert len(everywhere) > 4 * 0.5 / 0.05, "dimension 1 would be too small"


@pytest.mark.parametrize("seed", range(3))
def test_a_ball_that_needs_many_balls_has_a_large_packing(seed: int) -> None:
    distances = random_space(seed, points=9)
    for centre, radius in itertools.product(range(9), (0.4, 0.7)):
        ball = [p for p in range(9) if distances[centre, p] <= radius]
        needed = next(
            count
            for count in range(1, len(ball) + 1)
            if any(
                (distances[np.ix_(ball, chosen)].min(axis=1) <= radius / 2).all()
                for chosen in itertools.combinations(range(9), count)
            )
        )
        assert len(packing(distances, radius / 2, ball)) >= needed


def represents(hypotheses: list[tuple[int, ...]], points: int, error: float) -> bool:
    """Whether for every target some hypothesis errs by at most `error` under every mass on at most two inputs.

    A hypothesis must suit one distribution at a time, so for each pair of inputs one hypothesis may be chosen.
    """
    for target, other in itertools.permutations(range(points), 2):
        for share in (0.0, 0.5, 1.0):
            wrong = [share * (h[target] != 1) + (1 - share) * (h[other] != 0) for h in hypotheses]
            if min(wrong) > error:
                return False
    return True


def test_no_point_can_be_spared() -> None:
    points = [tuple(int(x == j) for x in range(4)) for j in range(4)]
    assert represents(points, 4, 0.0)
    for left_out in range(4):
        rest = [h for j, h in enumerate(points) if j != left_out]
        assert not represents(rest, 4, 0.99)
    assert floors.floor_minimal_class(2**16, failure="0.05", epsilon=1) == math.ceil(
        math.log((2**16 - 1) * 19)
    )


@pytest.mark.parametrize("bits", [2, 3])
def test_a_representation_has_at_least_as_many_members_as_bits(bits: int) -> None:
    inputs = 2**bits
    every = list(itertools.product((0, 1), repeat=inputs))
    fewer = [[]] if bits == 1 else itertools.combinations(every, bits - 1)
    assert not any(represents(list(chosen), inputs, 0.49) for chosen in fewer)
    # At error 1/2 the bound does not hold: one answer for all is right half of the time.
    assert represents([(0,) * inputs, (1,) * inputs], inputs, 0.5)


def test_the_logarithmic_inequality() -> None:
    broken = 0
    for d, a, b in itertools.product((1, 2, 10, 100), (0.001, 0.05, 0.3, 0.9), (0.001, 0.05, 0.9)):
        n = (2 * d * math.log(2 / a) + 2 * math.log(1 / b)) / a
        for factor in (1.0, 1.5, 10.0):
            assert factor * n * a >= d * math.log(math.e * factor * n / d) + math.log(1 / b)
        broken += n / 2 * a < d * math.log(math.e * n / 2 / d) + math.log(1 / b)
    assert broken, "half as many records are not enough"
