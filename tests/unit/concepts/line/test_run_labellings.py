"""Votes on runs of points: prices against all intervals, every reading of the weights of rows."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from time import process_time

import numpy as np
import pytest

from privpac.coins import SeededCoins, law
from privpac.concepts.line.union_labellings import VotedRuns
from privpac.concepts.line.unions import intervals
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.errors import SizeError
from privpac.theory.listing import MOST_RUN_POINTS


def some(generator: np.random.Generator, points: int) -> VotedRuns:
    """Costs without any order among them: begins and ends may go down as well as up."""
    begins, ends = (generator.integers(-9, 10, points + 1) for _ in range(2))
    lengths = np.concatenate([[0], np.cumsum(generator.integers(1, 6, points))])
    cheap = min(
        (int(begins[a] + ends[b]) for a in range(points) for b in range(a + 1, points + 1)), default=0
    )
    return VotedRuns(begins, ends, lengths, max(cheap, 0) + int(generator.integers(0, 9)))


def brute_force(runs: VotedRuns) -> dict[tuple[tuple[int, int], ...], int]:
    """Every labelling against every interval, by the points on which they differ."""
    points = len(runs.lengths) - 1
    weights = np.diff(runs.lengths)
    every = [(), *(((a, b),) for a in range(points) for b in range(a + 1, points + 1))]

    def inside(labelling: tuple[tuple[int, int], ...]) -> set[int]:
        return {p for a, b in labelling for p in range(a, b)}

    def cost(labelling: tuple[tuple[int, int], ...]) -> int:
        return int(runs.begins[labelling[0][0]] + runs.ends[labelling[0][1]]) if labelling else runs.none

    return {
        z: min(cost(f) + sum(int(weights[p]) for p in inside(z) ^ inside(f)) for f in every) for z in every
    }


@pytest.mark.parametrize("points", range(8))
def test_runs_are_drawn_by_the_cheapest_interval(points: int) -> None:
    generator, ratio = np.random.default_rng(points), Fraction(2, 3)
    for _ in range(30):
        runs = some(generator, points)
        expected = brute_force(runs)
        weights = {z: ratio ** (price - min(expected.values())) for z, price in expected.items()}
        total = sum(weights.values())
        drawn = law(partial(runs.draw, ratio))
        assert drawn == {z: weight / total for z, weight in weights.items()}
        assert expected[runs.cheapest()] == min(expected.values())


@pytest.mark.parametrize("scale", [1, 10**7])
def test_runs_are_counted_by_price(scale: int) -> None:
    """Prices far apart too, beyond a table with a place for each; and those beyond a span together."""
    generator = np.random.default_rng(4)
    for points in (0, 1, 12):
        small = some(generator, points)
        runs = VotedRuns(small.begins * scale, small.ends * scale, small.lengths * scale, small.none * scale)
        prices = sorted(brute_force(runs).values())
        full = runs.histogram(None)
        assert [full.best + step for step in full.steps.tolist()] == sorted(set(prices))
        assert full.counts == [prices.count(price) for price in sorted(set(prices))]
        near = runs.histogram(3 * scale)
        assert sum(near.counts) == sum(price <= prices[0] + 3 * scale for price in prices)
        assert near.beyond == len(prices) - sum(near.counts)
        found = {
            runs.locate(full.best + int(s), i)
            for s, c in zip(full.steps, full.counts, strict=True)
            for i in range(c)
        }
        assert len(found) == len(prices)


def test_at_the_size_of_theorem_20() -> None:
    """A tenth of the 41,000 points that a plan keeps: 8 million runs, of which none is kept."""
    schema = Schema((Numeric("x", 0, 2**32 - 1, integer=True),), "y")
    generator = np.random.default_rng(5)

    def records(n: int) -> MemorySample:
        x = generator.integers(0, 2**32, n)
        labels = ((x > 2**30) & (x < 2**31)).astype(np.uint8) ^ (generator.random(n) < 0.1).astype(np.uint8)
        return MemorySample.from_cells(schema, {"x": x}, labels)

    kept, rest = records(4_000), records(20_000)
    found = intervals(schema, "x").dichotomies(kept)
    runs = found.relabelling(kept, rest, change=5, mistake=1)
    runs.draw(Fraction(99, 100), SeededCoins(0))
    start = process_time()
    drawn = runs.draw(Fraction(99, 100), SeededCoins(1))
    assert process_time() - start < 3
    x = kept.block().cells["x"]
    assert (found.labels(drawn, kept.block().cells) != ((x > 2**30) & (x < 2**31))).mean() < 0.05


def test_more_points_are_refused_from_public_numbers() -> None:
    schema = Schema((Numeric("x", 0, 2**32 - 1, integer=True),), "y")
    intervals(schema, "x").require_relabelled(MOST_RUN_POINTS, voters=10**9)
    with pytest.raises(SizeError, match="65536 whose runs are voted on"):
        intervals(schema, "x").require_relabelled(MOST_RUN_POINTS + 1, voters=1)
    intervals(schema, "x").require_listed(10**9)
