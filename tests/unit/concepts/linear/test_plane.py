"""Half-planes: labellings against linear programming, mistakes and relabelling against brute force, refusals."""

from __future__ import annotations

import itertools
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from privpac.concepts.labellings.base import with_dichotomies
from privpac.concepts.linear import plane, plane_sweep
from privpac.concepts.linear.plane import Halfplanes
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError


def schema_of(size: int) -> Schema:
    columns = [{"name": n, "kind": "numeric", "lower": 0, "upper": size - 1, "integer": True} for n in "ab"]
    return Schema.from_json({"label": "y", "columns": columns})


def sample_of(points: list[tuple[int, int]], labels: list[int], size: int) -> MemorySample:
    x = np.array(points, dtype=np.uint32).reshape(-1, 2)
    return MemorySample.from_cells(schema_of(size), {"a": x[:, 0], "b": x[:, 1]}, np.array(labels, np.uint8))


def separable(points: list[tuple[int, int]]) -> set[tuple[int, ...]]:
    """Labellings that some line makes, by linear programming."""
    found = set()
    for labels in product((0, 1), repeat=len(points)):
        signs = [1 if label else -1 for label in labels]
        rows = [[-s * x, -s * y, s] for s, (x, y) in zip(signs, points, strict=True)]
        if linprog([0, 0, 0], A_ub=rows, b_ub=[-1] * len(points), bounds=[(None, None)] * 3).status == 0:
            found.add(labels)
    return found


@pytest.mark.parametrize("seed", range(24))
def test_labellings_are_those_of_lines_each_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = [3, 4, 1000, 2**32][seed % 4]  # many collinear points, or hardly any
    n = int(rng.integers(1, 8))
    points = [tuple(map(int, row)) for row in rng.integers(0, size, (n, 2))]
    labels = rng.integers(0, 2, n).tolist()
    records = sample_of(points, labels, size)
    found = Halfplanes(schema_of(size), ("a", "b")).dichotomies(records)
    distinct = sorted(set(points))
    cells = {name: np.array([p[i] for p in distinct], np.uint32) for i, name in enumerate("ab")}
    made = [tuple(found.labels(index, cells).tolist()) for index in range(found.count)]
    assert len(set(made)) == len(made)
    assert set(made) == separable(distinct)
    mistakes = found.mistakes(records).scores
    block = records.block()
    assert mistakes.tolist() == [
        int((found.member(i).predict(block.cells) != block.labels).sum()) for i in range(found.count)
    ]


def test_in_general_position_there_are_n_times_n_minus_1_plus_2() -> None:
    rng = np.random.default_rng(5)
    points = [tuple(map(int, row)) for row in rng.integers(0, 2**32, (60, 2))]
    found = Halfplanes(schema_of(2**32), ("a", "b")).dichotomies(sample_of(points, [0] * 60, 2**32))
    assert found.count == 60 * 59 + 2


def test_slopes_that_doubles_confuse_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three slopes that differ by about 2^-64; without the comparison as fractions they are one group."""
    big = 2**32 - 1
    points = np.array([[0, 0], [big - 1, big - 2], [big, big - 1]], dtype=np.int64)
    sweep = plane_sweep.swept(points)
    assert sweep.groups == 3
    monkeypatch.setattr(plane_sweep, "_DISTINCT", 2**40)
    assert plane_sweep.swept(points).groups < 3


def relabelled(points, kept_points, rest, change, mistake, size):
    """The definition, over every half-plane that any separation of all points gives."""
    joint = sorted(set(points) | {p for p, _ in rest})
    concepts = separable(joint)
    place = {p: i for i, p in enumerate(joint)}
    return {
        z: min(
            change * sum(z[points.index(p)] != f[place[p]] for p in kept_points)
            + mistake * sum(f[place[p]] != y for p, y in rest)
            for f in concepts
        )
        for z in separable(points)
    }


@pytest.mark.long_cases(
    "1",
    "3",
    "2",
)
@pytest.mark.parametrize("seed", range(4))
def test_relabelling_is_the_least_over_all_half_planes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = 5
    kept = [tuple(map(int, row)) for row in rng.integers(0, size, (4, 2))]
    rest = [(tuple(map(int, row)), int(rng.integers(0, 2))) for row in rng.integers(0, size, (4, 2))]
    first = sample_of(kept, [0] * 4, size)
    second = sample_of([p for p, _ in rest], [y for _, y in rest], size)
    found = Halfplanes(schema_of(size), ("a", "b")).dichotomies(first)
    points = sorted(set(kept))
    want = relabelled(points, kept, rest, 3, 2, size)
    cells = {name: np.array([p[i] for p in points], np.uint32) for i, name in enumerate("ab")}
    scores = found.relabelling(first, second, change=3, mistake=2).scores
    assert {tuple(found.labels(i, cells).tolist()): int(scores[i]) for i in range(found.count)} == want


def test_no_points_and_one_point() -> None:
    concepts = Halfplanes(schema_of(4), ("a", "b"))
    assert concepts.dichotomies(sample_of([], [], 4)).count == 2
    one = concepts.dichotomies(sample_of([(1, 2), (1, 2)], [1, 1], 4))
    assert one.count == 2
    assert one.mistakes(sample_of([(1, 2)], [1], 4)).scores.tolist() == [1, 0]


def test_it_is_a_class_with_dichotomies_and_not_for_whole_records() -> None:
    concepts = Halfplanes(schema_of(4), ("a", "b"))
    assert with_dichotomies(concepts, owner="test") is concepts
    assert concepts.vc == 3
    assert concepts.size > 16 * 15
    with pytest.raises(ParameterError, match="halfspaces:a,b"):
        concepts.gibbs(None, ratio=1, costs=(1, 1))


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="two different numeric columns"):
        Halfplanes(schema_of(4), ("a", "a"))
    Halfplanes(schema_of(4), ("a", "b")).require_listed(5000)
    Halfplanes(schema_of(70), ("a", "b")).require_listed(10**9)  # has 4,900 points and no more
    with pytest.raises(SizeError, match="different points"):
        Halfplanes(schema_of(71), ("a", "b")).require_listed(5001)
    monkeypatch.setattr(plane, "MOST_STEPS", 3 * 9)
    wide = Halfplanes(schema_of(100), ("a", "b"))
    wide.require_listed(3, elsewhere=6)
    with pytest.raises(SizeError, match="too many steps"):
        wide.require_listed(3, elsewhere=7)


@pytest.mark.parametrize(("size", "seed"), [(5, 0), (5, 1), (9, 2), (2**32, 3), (2**32, 4)])
def test_mistakes_are_those_of_the_representatives_wherever_the_records_lie(size: int, seed: int) -> None:
    """Also on the edge of a half-plane, and where projections need more than 64 bits."""
    rng = np.random.default_rng(seed)
    points = [tuple(map(int, row)) for row in rng.integers(0, size, (7, 2))]
    middles = [((p[0] + q[0]) // 2, (p[1] + q[1]) // 2) for p, q in itertools.combinations(points, 2)]
    others = [*points[:3], *middles, *(tuple(map(int, row)) for row in rng.integers(0, size, (20, 2)))]
    labels = [int(y) for y in rng.integers(0, 2, len(others))]
    found = Halfplanes(schema_of(size), ("a", "b")).dichotomies(sample_of(points, [0] * 7, size))
    records = sample_of(others, labels, size)
    cells = records.block().cells
    want = [int((found.member(i).predict(cells) != np.array(labels)).sum()) for i in range(found.count)]
    assert found.mistakes(records).scores.tolist() == want
