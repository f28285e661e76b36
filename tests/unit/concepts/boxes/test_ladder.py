"""The exact sums over boxes, against the definition."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privpac.concepts.boxes.ladder import BoxLadder
from privpac.numbers.exact import fraction_of
from tests.unit.concepts.boxes.test_sums import sums_of


@pytest.mark.parametrize("sizes", [(4, 3), (3, 3, 2), (1, 6)])
def test_exact_weights_are_sums_over_listed_boxes(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(sizes))
    points = np.array([[int(rng.integers(size)) for size in sizes] for _ in range(5)])
    moves = rng.integers(-3, 4, 5)
    sums = sums_of(sizes, points, moves, Fraction(3, 5))
    total = Fraction(1)  # the empty box
    for box in product(*([(a, b) for a in range(size) for b in range(a, size)] for size in sizes)):
        held = [all(a <= cell <= b for cell, (a, b) in zip(point, box, strict=True)) for point in points]
        total += Fraction(3, 5) ** int(moves[held].sum())
    assert fraction_of(sum(BoxLadder(sums, exact=True).lefts())) == total
