"""Dichotomies of boxes against a literal listing, and rectangles learnt with few labels."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privpac.audit.registry import sample_of, tiny_schema
from privpac.checker.check import check_certificate
from privpac.coins import SeededCoins
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.constructions.few_labels.boost import LabelBoost
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.data.semi import SemiSample
from privpac.errors import SizeError


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
    dichotomies = concepts.dichotomies(sample)
    cells = sample.block().cells
    found = [tuple(dichotomies.labels(i, cells).tolist()) for i in range(dichotomies.count)]
    assert len(set(found)) == len(found)
    assert set(found) == literal(concepts, sample)
    labels = sample.block().labels
    assert labels is not None
    wrong = [int((np.array(row) != labels).sum()) for row in found]
    assert dichotomies.mistakes(sample).scores.tolist() == wrong


def test_the_points_alone_decide() -> None:
    schema = tiny_schema(4, 4)
    concepts = Rectangles(schema, ("a", "b"))
    once = sample_of(schema, [(0, 1, 0), (3, 2, 1)])
    twice = sample_of(schema, [(3, 2, 0), (0, 1, 1), (0, 1, 0)])
    for i in range(concepts.dichotomies(once).count):
        assert concepts.dichotomies(once).member(i) == concepts.dichotomies(twice).member(i)


def test_what_is_too_much_is_refused() -> None:
    schema = Schema((Numeric("a", 0, 1), Numeric("b", 0, 1)), "y")
    for points in (1, 10**9):
        with pytest.raises(SizeError, match=r"256 x 256 groups has too many boxes.*bins=127"):
            Rectangles(schema, ("a", "b"), bins=256).require_listed(points)
        Rectangles(schema, ("a", "b"), bins=127).require_listed(points)
        with pytest.raises(SizeError, match="128 x 128 groups"):
            Rectangles(schema, ("a", "b"), bins=128).require_listed(points)
        with pytest.raises(SizeError, match="method='boost'"):
            Rectangles(schema, ("a", "b"), bins=4).require_relabelled(points, voters=points)


def test_rectangles_with_few_labels() -> None:
    """Boxes over two columns: the promise of one round holds for every part, and the box is found."""
    schema = Schema((Numeric("a", 0, 1023, integer=True), Numeric("b", 0, 1023, integer=True)), "y")
    concepts, size = Rectangles(schema, ("a", "b"), bins=32), Size(3_000, 20_000)
    learner = LabelBoost.calibrate(concepts, size, epsilon=Fraction(1), error=Fraction(1, 10))
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
