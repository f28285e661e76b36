"""Neighbouring separations: the graph has no detours, and its shortest paths are the relabelling scores."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privpac.coins import SeededCoins
from privpac.concepts.labellings.distance import Graph, on_graph
from privpac.concepts.linear.plane import Halfplanes
from privpac.concepts.linear.plane_graph import neighbours
from privpac.data.engines.memory import MemorySample
from privpac.errors import DataError, SizeError
from privpac.mechanisms import gibbs
from tests.unit.concepts.linear.test_plane import sample_of, schema_of

GRID = [(x, y) for x in range(3) for y in range(3)]  # eight lines of three points
LINE = [(x, 2 * x) for x in range(6)]
STAR = [(2, 2), (0, 0), (4, 4), (0, 4), (4, 0), (2, 0), (2, 4), (0, 2), (4, 2), (1, 3)]


def labels_of(points: list[tuple[int, int]], by: list[tuple[int, int]], size: int) -> np.ndarray:
    """The labels of `by` under every separation of `points`, a row each."""
    found = Halfplanes(schema_of(size), ("a", "b")).dichotomies(sample_of(points, [0] * len(points), size))
    cells = {name: np.array([p[i] for p in by], np.uint32) for i, name in enumerate("ab")}
    return np.stack([found.labels(index, cells) for index in range(found.count)])


def graph_of(points: list[tuple[int, int]], size: int) -> Graph:
    found = Halfplanes(schema_of(size), ("a", "b")).dichotomies(sample_of(points, [0] * len(points), size))
    return neighbours(found._sweep)


def random_points(seed: int, n: int, size: int) -> list[tuple[int, int]]:
    rows = np.random.default_rng(seed).integers(0, size, (n, 2))
    return [tuple(map(int, row)) for row in rows]


SCATTERED = [random_points(seed, 3 + seed, [4, 6, 1000, 2**32][seed % 4]) for seed in range(8)]


@pytest.mark.parametrize("points", [GRID, LINE, STAR, [(1, 1)], [(0, 1), (3, 0)], *SCATTERED])
def test_distance_on_the_graph_is_the_number_of_points_that_change_sides(points) -> None:
    size = 2**32
    distinct = sorted(set(points))
    table = labels_of(points, distinct, size).astype(np.int64)
    graph = graph_of(points, size)
    apart = (table[:, None, :] != table[None, :, :]).sum(axis=2)
    for z in range(len(table)):
        near = graph.neighbour[graph.first[z] : graph.first[z + 1]]
        # All neighbours and no others, each with the point that differs.
        assert sorted(near.tolist()) == np.flatnonzero(apart[z] == 1).tolist()
        for other, point in zip(near, graph.point[graph.first[z] : graph.first[z + 1]], strict=True):
            assert np.flatnonzero(table[z] != table[other]).tolist() == [point]
        costs = np.full(len(table), 10**9)
        costs[z] = 0
        on_graph(costs, graph, np.ones(len(distinct), np.int64))
        assert costs.tolist() == apart[z].tolist()


def test_general_position_has_two_edges_a_prefix_and_class() -> None:
    points = random_points(3, 40, 2**32)
    assert len(graph_of(points, 2**32).neighbour) == 2 * 2 * 40 * 39


@pytest.mark.parametrize("seed", range(30))
def test_scores_are_the_least_over_all_half_planes(seed: int) -> None:
    """Against every separation of all points; kept points repeat, lie on lines, and coincide with others."""
    rng = np.random.default_rng(seed)
    size = [2, 3, 5, 40][seed % 4]
    kept = random_points(seed, [1, 2, 5, 8, 12][seed % 5], size)
    others = random_points(seed + 100, [0, 1, 6, 10][seed // 2 % 4], size)
    truth = rng.integers(0, 2, len(others))
    change, mistake = ([1, 3, 7][seed % 3], [5, 2, 1][seed // 3 % 3])
    first, second = sample_of(kept, [0] * len(kept), size), sample_of(others, truth.tolist(), size)
    found = Halfplanes(schema_of(size), ("a", "b")).dichotomies(first)
    own, concepts = labels_of(kept, kept + others, size), labels_of(kept + others, kept + others, size)
    k = len(kept)
    wrong = (concepts[:, k:] != truth).sum(axis=1)
    apart = (own[:, None, :k] != concepts[None, :, :k]).sum(axis=2)
    want = (change * apart + mistake * wrong).min(axis=1)
    got = found.relabelling(first, second, change=change, mistake=mistake)
    assert got.scores.tolist() == want.tolist()


@pytest.mark.long
def test_a_thousand_labellings_of_many_points_and_a_draw() -> None:
    """Larger than pairs could be compared in a moment; a few labellings are compared with all concepts."""
    size, k = 2**20, 60
    kept, others = random_points(1, k, size), random_points(2, 240, size)
    truth = [int(x > y) for x, y in others]
    first, second = sample_of(kept, [0] * k, size), sample_of(others, truth, size)
    found = Halfplanes(schema_of(size), ("a", "b")).dichotomies(first)
    scores = found.relabelling(first, second, change=240, mistake=60)
    concepts = labels_of(kept + others, kept + others, size)
    wrong = (concepts[:, k:] != np.array(truth)).sum(axis=1)
    cells = {name: np.array([p[i] for p in kept], np.uint32) for i, name in enumerate("ab")}
    for z in (0, 1, 700, 1500, found.count - 1):
        apart = (found.labels(z, cells) != concepts[:, :k]).sum(axis=1)
        assert scores.scores[z] == (240 * apart + 60 * wrong).min()
    drawn = gibbs.draw(scores, Fraction(9, 10), SeededCoins(1))
    assert scores.scores[drawn] - scores.scores.min() <= 240


def test_refusals() -> None:
    concepts = Halfplanes(schema_of(4), ("a", "b"))
    records = sample_of([(0, 1), (2, 3), (3, 1)], [0, 1, 0], 4)
    found = concepts.dichotomies(records)
    with pytest.raises(DataError, match="not among those"):
        found.relabelling(sample_of([(3, 3)], [1], 4), records, change=1, mistake=1)
    wide = Halfplanes(schema_of(71), ("a", "b"))
    wide.require_relabelled(2500, voters=2500)
    concepts.require_relabelled(10**9, voters=10**9)  # has sixteen points and no more
    with pytest.raises(SizeError, match="Keep fewer records"):
        wide.require_relabelled(2501, voters=0)
    with pytest.raises(SizeError, match="separations"):
        wide.require_relabelled(2500, voters=2501)


def test_nobody_votes() -> None:
    """Without voters all scores are zero."""
    kept = sample_of(GRID, [0] * 9, 4)
    nobody = MemorySample.from_cells(
        schema_of(4), {name: np.empty(0, np.uint32) for name in "ab"}, np.empty(0, np.uint8)
    )
    found = Halfplanes(schema_of(4), ("a", "b")).dichotomies(kept)
    assert not found.relabelling(kept, nobody, change=3, mistake=1).scores.any()
