"""How far the nearest listed half-space, or box of a coarse grid, may be from any other."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from privpac.concepts.boxes.box import Box
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.grids import CUTOFFS
from privpac.concepts.linear.halfspaces import Scorecards
from privpac.data.columns import Numeric
from privpac.data.schema import Schema
from privpac.theory.nearest import linear_band
from tests.statistical.claims import claims, scaled


def wrong_outside(d: int, points: int, levels: int, weights: np.ndarray, cutoff: float, seed: int) -> int:
    """Records outside the band on which every listed rule in the rounded direction disagrees, at its best."""
    rng = np.random.default_rng(seed)
    sizes = rng.choice([2, 5, 31, 32, 100, 1000], d) if seed else [1000] * d
    columns = [Numeric(f"x{j}", 0, int(size) - 1, integer=True) for j, size in enumerate(sizes)]
    schema = Schema(tuple(columns), "y")
    concepts = Scorecards(schema, d, points, levels, columns=schema.names)
    cells = {column.name: rng.integers(0, column.size, 400 if seed else 5000) for column in columns}
    places = weights @ np.array([cells[column.name] / (column.size - 1) for column in columns])
    given = {j: round(points * w) for j, w in enumerate(weights) if round(points * w)}
    factor = math.gcd(*given.values()) * (1 if next(iter(given.values())) > 0 else -1)
    pattern = [value // factor for value in given.values()]
    assert concepts._has_direction(dict(zip(given, pattern, strict=True)))
    band = float(linear_band(d, points=points, levels=levels, cutoffs=CUTOFFS))
    outside, above = abs(places - cutoff) > band, places >= cutoff
    width = sum(map(abs, pattern)) * concepts.top
    rules = (
        concepts.candidate(list(given), pattern, cut, side)
        for cut in range(min(CUTOFFS, width + 1))
        for side in (True, False)
    )
    return min(int((rule.predict(cells)[outside] != above[outside]).sum()) for rule in rules)


@claims(linear_band=scaled("0.15"))
def test_any_half_space_agrees_with_a_member_outside_the_band() -> None:
    """The direction of the proof: weights rounded to points. The first case rounds a weight of nearly a half away."""
    assert wrong_outside(2, 1, 200, np.array([1, 0.499]), 0.75, seed=0) == 0
    rng = np.random.default_rng(8)
    for seed in range(1, 40):
        d, points, levels = int(rng.integers(1, 4)), int(rng.integers(1, 9)), int(rng.integers(2, 40))
        weights = rng.uniform(-1, 1, d)
        weights /= abs(weights).max()
        cutoff = rng.uniform(-0.2, 1.2) * abs(weights).sum()
        assert wrong_outside(d, points, levels, weights, cutoff, seed) == 0


def test_any_box_differs_from_one_of_the_grid_by_a_group_at_each_edge() -> None:
    schema = Schema((Numeric("a", 0, 10, integer=True), Numeric("b", 0, 6, integer=True)), "y")
    coarse = Rectangles(schema, ("a", "b"), (4, 3))
    places = np.array(list(product(range(11), range(7))))
    cells = {"a": places[:, 0], "b": places[:, 1]}
    groups = {"a": cells["a"] * 4 // 11, "b": cells["b"] * 3 // 7}
    sides = [[(i, j) for i in range(count) for j in range(i, count)] for count in coarse.groups]
    members = [coarse.nothing, *(coarse.member(ranges) for ranges in product(*sides))]
    rng = np.random.default_rng(0)
    for _ in range(200):
        a, b = np.sort(rng.choice(12, 2, replace=False)), np.sort(rng.choice(8, 2, replace=False))
        box = Box(("a", "b"), (int(a[0]), int(b[0])), (int(a[1]), int(b[1])))
        edges = {"a": {a[0] * 4 // 11, (a[1] - 1) * 4 // 11}, "b": {b[0] * 3 // 7, (b[1] - 1) * 3 // 7}}
        slabs = np.isin(groups["a"], list(edges["a"])) | np.isin(groups["b"], list(edges["b"]))
        inside = box.predict(cells)
        assert any((member.predict(cells) == inside)[~slabs].all() for member in members)
