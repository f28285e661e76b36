"""Dichotomies of boxes against a literal listing, and rectangles learnt with few labels."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from time import process_time

import numpy as np
import pytest
from flint import ctx, fmpq

from privpac.audit.registry import sample_of, tiny_schema
from privpac.checker.check import check_certificate
from privpac.coins import SeededCoins, law
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.labellings.boxes import BoxPrices, OuterWeights
from privpac.constructions.few_labels.boost import LabelBoost
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.data.semi import SemiSample
from privpac.errors import SizeError

HALF = Fraction(1, 2)


def literal(concepts: Rectangles, points: MemorySample) -> set[tuple[int, ...]]:
    """All labellings of the records, by looking at every box of the grid."""
    cells = points.block().cells
    ranges = [[(i, j) for i in range(g) for j in range(i, g)] for g in concepts.groups]
    boxes = [concepts.nothing, *(concepts.member(sides) for sides in product(*ranges))]
    return {tuple(box.predict(cells).tolist()) for box in boxes}


@pytest.mark.parametrize("sizes", [(5,), (4, 3), (3, 3, 2)])
@pytest.mark.parametrize("inside", [0, 1])
@pytest.mark.parametrize("n", [0, 1, 4, 9])
def test_every_labelling_once_with_its_own_mistakes(sizes: tuple[int, ...], inside: int, n: int) -> None:
    schema = tiny_schema(*sizes)
    concepts = Rectangles(schema, schema.names, inside=inside)
    rng = np.random.default_rng(n)
    data = [(*(int(rng.integers(size)) for size in sizes), int(rng.integers(2))) for _ in range(n)]
    sample = sample_of(schema, data)
    others = [(*(int(rng.integers(size)) for size in sizes), int(rng.integers(2))) for _ in range(5)]
    for judged in (sample, sample_of(schema, others)):
        dichotomies = concepts.dichotomies(sample)
        prices = dichotomies.mistakes(judged)
        drawn = law(partial(prices.draw, HALF))
        cells = sample.block().cells
        found = {z: tuple(dichotomies.labels(z, cells).tolist()) for z in drawn}
        assert len(set(found.values())) == len(found)
        assert set(found.values()) == literal(concepts, sample)
        block = judged.block()
        wrong = {z: int((dichotomies.member(z).predict(block.cells) != block.labels).sum()) for z in drawn}
        total = sum(HALF**mistakes for mistakes in wrong.values())
        assert drawn == {z: HALF**mistakes / total for z, mistakes in wrong.items()}
        assert wrong[prices.cheapest()] == min(wrong.values())
        assert all(concepts.contains(dichotomies.member(z)) for z in drawn)


def test_the_points_alone_decide() -> None:
    schema = tiny_schema(4, 4)
    concepts = Rectangles(schema, ("a", "b"))
    once = sample_of(schema, [(0, 1, 0), (3, 2, 1)])
    twice = sample_of(schema, [(3, 2, 0), (0, 1, 1), (0, 1, 0)])
    drawn = law(partial(concepts.dichotomies(once).mistakes(once).draw, HALF))
    assert drawn == law(partial(concepts.dichotomies(twice).mistakes(once).draw, HALF))
    for labelling in drawn:
        assert concepts.dichotomies(once).member(labelling) == concepts.dichotomies(twice).member(labelling)


@pytest.mark.parametrize(
    ("ratio", "scale"),
    [(Fraction(1, 1000), 40), (Fraction(2, 3), 1), (Fraction(999, 1000), 30), (Fraction(1), 10)],
)
@pytest.mark.parametrize("shape", [(1, 1, 9), (1, 5, 6), (2, 3, 4)])
def test_all_readings_enclose_the_weights(ratio: Fraction, scale: int, shape: tuple[int, int, int]) -> None:
    """Moves up and down, far apart too: powers beyond the table, ranges worth far more than nothing inside."""
    rng = np.random.default_rng(3)
    for density in (0.2, 0.7, 1.0):
        occupied, moves = rng.random(shape) < density, scale * rng.integers(-5, 6, shape)
        weights = OuterWeights(BoxPrices(occupied, moves, (0, 1, 2)), ratio)
        exact = weights.exact()
        floats, error = weights.floats()
        assert error < 1e-12
        share = Fraction(1, sum(exact, Fraction(0)))
        total = sum(map(Fraction, floats.tolist()), Fraction(0))
        apart = sum(abs(Fraction(v) / total - w * share) for v, w in zip(floats.tolist(), exact, strict=True))
        assert apart <= 2 * Fraction(error)
        with ctx.workprec(300):
            for enclosing, weight in zip(weights.balls(300), exact, strict=True):
                assert enclosing.contains(fmpq(weight.numerator, weight.denominator))


def test_what_takes_too_long_is_refused_by_public_numbers() -> None:
    schema = Schema(tuple(Numeric(name, 0, 2**32 - 1, integer=True) for name in "abc"), "y")
    plane, space = Rectangles(schema, ("a", "b")), Rectangles(schema, ("a", "b", "c"))
    assert 1_500 < (plane.members_from or 0) <= 3_000
    plane.require_listed(1_500)
    plane.require_listed(3_000)  # boxes themselves, which takes no longer
    with pytest.raises(SizeError, match=r"sums over all boxes take too long.*rectangles:a,b,c:"):
        space.require_listed(1_000)
    # Few outer ranges, but too many of the last axis to list.
    assert (Rectangles(schema, ("a", "b"), bins=(2, 2**32)).members_from or 0) <= 5_000
    for points in (1, 10**9):
        Rectangles(schema, ("a", "b"), bins=256).require_listed(points)
        Rectangles(schema, ("a", "b", "c"), bins=32).require_listed(points)
    plane.require_relabelled(10**9, voters=1_000)  # those who vote are counted, and not those who are kept
    with pytest.raises(SizeError, match="sums over all boxes take too long"):
        plane.require_relabelled(1, voters=10**9)


@pytest.mark.long
def test_six_hundred_points_of_the_whole_grid() -> None:
    """Up to 3·10^10 labellings; the box is found again."""
    schema = Schema((Numeric("a", 0, 2**32 - 1, integer=True), Numeric("b", 0, 2**32 - 1, integer=True)), "y")
    rng = np.random.default_rng(1)
    cells = {name: rng.integers(0, 2**32, 600) for name in "ab"}
    labels = ((cells["a"] > 2**30) & (cells["b"] < 2**31)).astype(np.uint8)
    sample = MemorySample.from_cells(schema, cells, labels)
    found = Rectangles(schema, ("a", "b")).dichotomies(sample)
    prices = found.mistakes(sample)
    prices.draw(HALF, SeededCoins(0))  # compiles
    start = process_time()
    drawn = prices.draw(HALF, SeededCoins(1))
    assert process_time() - start < 5
    assert (found.labels(drawn, cells) != labels).mean() < 0.05
    assert np.array_equal(found.labels(prices.cheapest(), cells), labels)


def test_rectangles_with_few_labels() -> None:
    """Boxes over two columns: the promise of one round holds for every part, and the box is found."""
    schema = Schema((Numeric("a", 0, 1023, integer=True), Numeric("b", 0, 1023, integer=True)), "y")
    concepts, size = Rectangles(schema, ("a", "b"), bins=32), Size(3_000, 20_000)
    learner = LabelBoost.calibrate(concepts, size, epsilon=Fraction(1))
    certificate = learner.certify(size)
    assert check_certificate(certificate.to_json()) > 5
    rng = np.random.default_rng(2)
    points = {name: rng.integers(0, 1024, size.total) for name in ("a", "b")}
    truth = ((points["a"] >= 256) & (points["a"] < 768) & (points["b"] >= 128) & (points["b"] < 896)).astype(
        np.uint8
    )
    first = {name: cells[: size.labelled] for name, cells in points.items()}
    rest = {name: cells[size.labelled :] for name, cells in points.items()}
    sample = SemiSample(
        MemorySample.from_cells(schema, first, truth[: size.labelled]), MemorySample.from_cells(schema, rest)
    )
    rule = learner.learn(sample, SeededCoins(1))
    assert np.mean(rule.predict(points) != truth) < float(certificate.accuracy[0].fact.error)


def heavy(rng: np.random.Generator, shape: tuple[int, int, int]) -> BoxPrices:
    """Points and moves where whole sums lie far beyond what floats hold beside each other."""
    occupied = rng.random(shape) < 0.6
    moves = rng.choice([-2000, -950, -1, 0, 1, 950, 2000], shape).astype(np.int64)
    return BoxPrices(occupied, moves, (0, 1, 2)[3 - sum(size > 1 for size in shape) :])


def test_a_heavy_range_that_has_just_begun_drops_nothing_that_is_a_labelling() -> None:
    rng = np.random.default_rng(7)
    for shape in [(1, 2, 2), (1, 3, 4), (2, 2, 3)] * 40:
        weights = OuterWeights(heavy(rng, shape), HALF)
        values, error = weights.floats()
        exact = weights.exact()
        assert error < 1e-10
        for value, true in zip(values / values.sum(), exact, strict=True):
            assert value == pytest.approx(float(true / sum(exact)), rel=1e-9, abs=1e-200)


def test_one_record_more_beside_a_thousand_makes_no_labelling_impossible() -> None:
    schema = tiny_schema(2, 2)
    concepts = Rectangles(schema, schema.names)
    points = sample_of(schema, [(0, 0, 0), (1, 1, 0)])
    for light in (950, 951, 960):
        judged = sample_of(schema, [(1, 0, 0)] * 950 + [(0, 1, 1)] * light + [(0, 0, 1), (1, 1, 0)])
        prices = concepts.dichotomies(points).mistakes(judged)
        values, _ = OuterWeights(prices, HALF).floats()
        assert min(values) > 0
