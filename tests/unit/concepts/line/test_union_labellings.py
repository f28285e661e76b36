"""Labellings of unions of intervals: the best one against all of them, and the size that plans ask for."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from time import process_time

import numpy as np
import pytest

from privpac.coins import SeededCoins, law
from privpac.concepts.line.union_labellings import Ranges, UnionPrices
from privpac.concepts.line.unions import Unions
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema


def labellings(points: int, changes: int) -> dict[Ranges, tuple[int, ...]]:
    found = {}
    for sides in product((0, 1), repeat=points):
        places = [i for i in range(points) if sides[i] != (0, *sides)[i]]
        ends = [*places, points]
        if len(places) <= changes:
            found[tuple((ends[i], ends[i + 1]) for i in range(0, len(places), 2))] = sides
    return found


def test_the_best_labelling_is_one_of_the_best() -> None:
    generator = np.random.default_rng(1)
    for trial in range(200):
        points, changes, inside = trial % 8, min(trial % 5, trial % 8), trial % 2
        counts = generator.integers(0, 4, (points, 2))
        prices = {}
        for ranges, sides in labellings(points, changes).items():
            says = [inside if side else 1 - inside for side in sides]
            prices[ranges] = sum(int(counts[i, 1 - label]) for i, label in enumerate(says))
        found = UnionPrices(counts, changes, inside)
        assert prices[found.cheapest()] == min(prices.values())
        assert found.cheapest() == found.cheapest()


def test_every_labelling_is_drawn_once_whatever_the_number_of_points() -> None:
    for points in range(6):
        for changes in range(min(points, 4) + 1):
            prices = UnionPrices(np.zeros((points, 2), np.int64), changes, 1)
            drawn = law(partial(prices.draw, Fraction(1, 2)))
            every = labellings(points, changes)
            assert drawn == dict.fromkeys(every, Fraction(1, len(every)))


@pytest.mark.parametrize("intervals", [1, 3])
def test_twenty_thousand_values_take_no_list(intervals: int) -> None:
    """They have 2·10^8 labellings with one interval, and 10^23 with three."""
    schema = Schema((Numeric("x", 0, 2**40, integer=True),), "y")
    generator = np.random.default_rng(2)
    cells = {"x": np.unique(generator.integers(0, 2**40, 20_000))}
    n = len(cells["x"])
    inside = (cells["x"] > 2**38) & (cells["x"] < 2**39)
    kept = MemorySample.from_cells(schema, cells, inside.astype(np.uint8))
    found = Unions(schema, "x", intervals).dichotomies(kept)
    prices = found.mistakes(kept)
    prices.draw(Fraction(9, 10), SeededCoins(0))  # compiles
    start = process_time()
    drawn = prices.draw(Fraction(9, 10), SeededCoins(1))
    assert process_time() - start < 2
    wrong = int((found.member(drawn).predict(cells) != kept.block().labels).sum())
    assert wrong < n // 20
    assert np.array_equal(found.labels(prices.cheapest(), cells), inside)
