"""Disagreement, packings, covers, doubling dimension: against brute force and where the answer is known."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from reproductions.disagreement import (
    cover,
    disagreements,
    doubling,
    packing,
    sampling_width,
)

from privpac.coins import SeededCoins
from privpac.concepts.derived.reference import UniformSphere
from privpac.concepts.line.thresholds import Threshold
from privpac.concepts.linear.centred import CentredHalfspaces
from privpac.data.schema import Schema

SCHEMA = Schema.from_json(
    {
        "label": "y",
        "columns": [{"name": n, "kind": "numeric", "lower": 0, "upper": 63, "integer": True} for n in "ab"],
    }
)
CUTS = [Threshold("a", cut, True) for cut in range(65)]
CELLS = {"a": np.arange(64, dtype=np.uint32)}
LINE = disagreements(CUTS, CELLS)


def test_disagreement_is_the_share_of_records_that_differ():
    rng = np.random.default_rng(0)
    rules = [
        Threshold("a", int(c), bool(u))
        for c, u in zip(rng.integers(0, 65, 8), rng.integers(0, 2, 8), strict=True)
    ]
    cells = {"a": rng.integers(0, 64, 50).astype(np.uint32)}
    found = disagreements(rules, cells)
    for i, j in np.ndindex(8, 8):
        assert found[i, j] == (rules[i].predict(cells) != rules[j].predict(cells)).mean()
    assert (found == found.T).all()
    assert (found.diagonal() == 0).all()


def test_thresholds_on_a_line():
    """|s - t|/64: a packing, a cover, and doubling dimension about 1."""
    assert LINE[3, 10] == 7 / 64
    kept = packing(LINE, 0.1)
    assert kept == list(range(0, 65, 7))
    centres = cover(LINE, 0.05)
    assert LINE[:, centres].min(axis=1).max() <= 0.05
    found = doubling(LINE, 8 / 64)
    assert 1 <= found.lower <= found.upper <= 2


def least_cover(distances: np.ndarray, radius: float) -> int:
    n = len(distances)
    for size in range(1, n + 1):
        for chosen in combinations(range(n), size):
            if (distances[:, chosen].min(axis=1) <= radius).all():
                return size
    return n


@pytest.mark.parametrize("seed", range(5))
def test_bounds_lie_on_either_side_of_the_truth(seed):
    rng = np.random.default_rng(seed)
    points = rng.uniform(size=(9, 2))
    distances = np.abs(points[:, None] - points[None]).max(axis=2)
    for radius in (0.2, 0.4, 0.8):
        assert (
            len(packing(distances, 2 * radius))
            <= least_cover(distances, radius)
            <= len(cover(distances, radius))
        )
        worst = 1
        for row in distances:
            ball = np.flatnonzero(row <= radius)
            worst = max(worst, least_cover(distances[np.ix_(ball, ball)], radius / 2))
        found = doubling(distances, radius)
        assert found.lower <= math.log2(worst) <= found.upper


def test_half_planes_through_the_middle_disagree_by_their_angle():
    concepts, sphere = CentredHalfspaces(SCHEMA, ("a", "b"), 8), UniformSphere(SCHEMA, ("a", "b"))
    cells = sphere.draw(4000, SeededCoins(1))
    rules = [concepts.member(w) for w in ((8, 0), (8, 8), (0, 8), (-8, 0))]
    found = disagreements(rules, cells)[0]
    assert found == pytest.approx([0, 0.25, 0.5, 1], abs=0.04 + sampling_width(4, 4000))
