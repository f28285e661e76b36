"""Boxes: the law against brute force, floats against exact sums, every reading of every decision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import duckdb
import numpy as np
import pytest

from privpac.coins import Coins, SeededCoins, law
from privpac.concepts.boxes.rectangles import Box, RectangleGibbs, Rectangles, _Choice
from privpac.concepts.boxes.sums import RectangleSums, outer_range
from privpac.data.columns import Categorical, Numeric
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.numbers.exact import ratio_for
from tests.unit.concepts.line.test_unions import RATIOS, assert_encloses
from tests.unit.tiny import DoubtfulCoins, chi_square_p, drawn_counts

RATIO = Fraction(3, 5)


def schema(*sizes: int) -> Schema:
    columns = [Numeric(f"x{axis}", 0, size - 1, integer=True) for axis, size in enumerate(sizes)]
    return Schema(tuple(columns), "y")


def rectangles(sizes: Sequence[int], bins: Any = None, inside: int = 1) -> Rectangles:
    described = schema(*sizes)
    return Rectangles(described, described.names, bins, inside)


def cells_of(concepts: Rectangles, points: Any) -> dict[str, Any]:
    return {
        name: np.array([point[axis] for point in points], dtype=concepts.schema.column(name).dtype)
        for axis, name in enumerate(concepts.columns)
    }


def evidence(concepts: Rectangles, points: Any, labels: Any) -> Any:
    statistic = concepts.statistic
    block = Block(cells_of(concepts, points), np.array(labels, dtype=np.uint8), len(labels))
    return statistic.absorb(statistic.zero(), block)


def brute_force(
    concepts: Rectangles, points: Any, labels: Any, costs: tuple[int, int]
) -> dict[Any, Fraction]:
    sides = [[(a, b) for a in range(g) for b in range(a, g)] for g in concepts.groups]
    members = [concepts.nothing, *(concepts.member(ranges) for ranges in product(*sides))]
    cells, weights = cells_of(concepts, points), {}
    for member in members:
        guesses = member.predict(cells)
        price = sum(costs[label] for label, guess in zip(labels, guesses, strict=True) if guess != label)
        weights[member] = RATIO**price
    assert len(weights) == len(members)
    total = sum(weights.values())
    return {member: weight / total for member, weight in weights.items()}


CASES: dict[str, tuple[tuple[int, ...], Any, int, tuple[int, int], int]] = {
    "line": ((6,), None, 8, (1, 1), 1),
    "line in groups": ((7,), 3, 8, (1, 3), 0),
    "no records": ((3, 3), None, 0, (1, 1), 1),
    "plane": ((3, 4), None, 9, (1, 3), 1),
    "plane, long side first": ((5, 2), None, 9, (2, 1), 0),
    "plane in groups": ((7, 5), (3, 2), 12, (1, 1), 1),
    "one group": ((5, 4), (1, 3), 6, (1, 1), 1),
    "space": ((2, 3, 2), None, 9, (1, 3), 1),
    "space in groups": ((5, 4, 3), 2, 14, (1, 2), 0),
}


@pytest.mark.parametrize(("sizes", "bins", "count", "costs", "inside"), CASES.values(), ids=CASES)
def test_the_enumerated_law_is_the_gibbs_law(
    sizes: tuple[int, ...], bins: Any, count: int, costs: tuple[int, int], inside: int
) -> None:
    concepts = rectangles(sizes, bins, inside)
    rng = np.random.default_rng(count)
    points = [tuple(int(rng.integers(size)) for size in sizes) for _ in range(count)]
    labels = rng.integers(0, 2, count).tolist()
    seen = evidence(concepts, points, labels)

    def run(coins: Coins) -> Any:
        return concepts.gibbs(seen, ratio=RATIO, costs=costs).draw(coins)

    found = law(run)
    assert found == brute_force(concepts, points, labels, costs)
    assert len(found) == concepts.size


def test_public_facts() -> None:
    plane = rectangles((2**32, 100))
    assert plane.groups == (256, 100)
    assert plane.size == (256 * 257 // 2) * (100 * 101 // 2) + 1
    assert plane.odds == plane.size - 1
    assert plane.vc == 4
    assert plane.word == "rectangles:x0,x1"
    assert rectangles((2**64,)).groups == (4096,)
    assert rectangles((2**32, 20, 2**20)).groups == (32, 20, 32)
    assert Rectangles(schema(9), "x0").columns == ("x0",)  # type: ignore[arg-type]
    assert rectangles((9, 9), [3, 2]) == rectangles((9, 9), (3, 2))


def test_outer_ranges_are_counted_without_gaps() -> None:
    shape = (3, 4, 5)
    found = [outer_range(shape, index) for index in range(6 * 10 + 2)]
    expected = [(a, b, c, d) for a in range(3) for b in range(a, 3) for c in range(4) for d in range(c, 4)]
    assert found == [*expected, None, None]


def test_float_sums_are_the_brute_force_partition_sums() -> None:
    for sizes in ((9,), (5, 5), (4, 4, 4)):
        concepts = rectangles(sizes)
        rng = np.random.default_rng(1)
        points = [tuple(int(rng.integers(size)) for size in sizes) for _ in range(40)]
        labels = rng.integers(0, 2, 40).tolist()
        gibbs = concepts.gibbs(evidence(concepts, points, labels), ratio=RATIO, costs=(1, 1))
        values, error = _Choice(gibbs, "ranges").floats()
        expected = brute_force(concepts, points, labels, (1, 1))[concepts.nothing]
        assert values[-1] / math.fsum(values) == pytest.approx(float(expected), rel=1e-13)
        assert error < 1e-13


@pytest.mark.parametrize("seed", range(3))
def test_float_weights_stay_within_their_bound_on_awkward_data(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(40):
        shape = [(1, 1, int(rng.integers(1, 60))), (1, 4, 9), (2, 3, 4)][rng.integers(3)]
        heavy = [2, 10, 10**3, 10**6][rng.integers(4)]
        moves = rng.integers(-heavy, heavy, shape)
        if rng.random() < 0.5:
            moves[..., : shape[2] // 2] = -abs(moves[..., : shape[2] // 2])
        sums = RectangleSums(moves, RATIOS[rng.integers(len(RATIOS))], 10**6)
        gibbs = RectangleGibbs(rectangles((3, 3, 3)), sums, (0, 1, 2))
        assert_encloses(_Choice(gibbs, "ranges"))
        outer = (0, shape[0] - 1, 0, int(rng.integers(shape[1])))
        assert_encloses(_Choice(gibbs, "ends", outer))
        assert_encloses(_Choice(gibbs, "starts", outer, int(rng.integers(shape[2]))))


@pytest.mark.parametrize("error", [1.0, 1e-2])
def test_forced_doubt_decides_like_exact_rationals(error: float) -> None:
    rng = np.random.default_rng(5)
    refined = decisions = 0
    for seed in range(30):
        concepts = rectangles(((12,), (5, 6), (3, 2, 4))[seed % 3])
        points = [tuple(int(rng.integers(g)) for g in concepts.groups) for _ in range(40)]
        seen = evidence(concepts, points, rng.integers(0, 2, 40))
        gibbs = concepts.gibbs(seen, ratio=ratio_for(Fraction(1, 4)), costs=(1, 2))
        coins = DoubtfulCoins(seed, error=error)
        gibbs.draw(coins)
        refined, decisions = refined + coins.refined, decisions + coins.decisions
    assert decisions > 60
    assert refined == decisions if error == 1.0 else refined > 0


@pytest.mark.long
def test_seeded_draws_follow_the_law() -> None:
    concepts = rectangles((4, 3))
    rng = np.random.default_rng(9)
    points = [(int(rng.integers(4)), int(rng.integers(3))) for _ in range(12)]
    labels = [int(1 <= x <= 2 and y > 0) for x, y in points]
    gibbs = concepts.gibbs(evidence(concepts, points, labels), ratio=RATIO, costs=(1, 1))
    counts = drawn_counts(gibbs.draw, draws=20_000, seed=4)
    assert chi_square_p(counts, brute_force(concepts, points, labels, (1, 1))) > 1e-3
    other = [1 - labels[0], *labels[1:]]
    assert chi_square_p(counts, brute_force(concepts, points, other, (1, 1))) < 1e-9


@pytest.mark.parametrize("size", [2**32, 2**64, 2**128])
def test_huge_domains_find_the_box(size: int) -> None:
    concepts = rectangles((size, 1000))
    rng = np.random.default_rng(0)
    points = [(int(rng.integers(2**30)) * (size >> 30), int(rng.integers(1000))) for _ in range(2000)]
    labels = [int(size // 4 <= x < size // 2 and y >= 500) for x, y in points]
    gibbs = concepts.gibbs(evidence(concepts, points, labels), ratio=ratio_for(Fraction(1)), costs=(1, 1))
    member = gibbs.draw(SeededCoins(1))
    assert isinstance(member, Box)
    assert np.mean(member.predict(cells_of(concepts, points)) == labels) > 0.97
    assert [end / size for end in (member.low[0], member.high[0])] == pytest.approx([0.25, 0.5], abs=0.03)


def test_edges_lie_between_the_groups_of_the_statistic() -> None:
    concepts = rectangles((10, 7), (4, 3))
    starts = [concepts.statistic.starts(axis) for axis in range(2)]
    member = concepts.member([(1, 2), (0, 2)])
    assert member.low == (starts[0][1], 0)
    assert member.high == (starts[0][3], 7)


# Hypotheses -------------------------------------------------------------------------------------------------


def test_text_sql_and_json() -> None:
    described = Schema(
        (Numeric("age", 0, 120, integer=True), Numeric("dose", 0, 9, integer=True)), "y", ("no", "yes")
    )
    member = Box(("age", "dose"), (30, 0), (45, 5))
    assert member.describe(described) == "yes if 30 <= age < 45 and dose < 5, else no"
    expected = 'CASE WHEN ("age" >= 30 AND "age" < 45) AND "dose" < 5 THEN 1 ELSE 0 END'
    assert member.to_sql(described) == expected
    assert Box.from_json(member.to_json()) == member
    assert member.to_json()["kind"] == "box"
    empty, full = Box(("age", "dose"), (0, 0), (0, 0)), Box(("age", "dose"), (0, 0), (121, 10))
    assert (empty.describe(described), full.describe(described)) == ("always no", "always yes")
    assert (empty.to_sql(described), full.to_sql(described)) == ("0", "1")
    assert Box(("age",), (30,), (121,), inside=0).describe(described) == "no if age >= 30, else yes"
    assert hash(member) == hash(Box(("age", "dose"), (30, 0), (45, 5)))
    huge = Box(("age",), (2**127,), (2**128,))
    assert Box.from_json(huge.to_json()) == huge


def test_sql_agrees_with_predict_on_raw_values() -> None:
    rng = np.random.default_rng(3)
    raw = {"whole": rng.integers(-5, 40, 200), "real": rng.normal(0, 2, 200)}
    described = Schema(
        (Numeric("whole", 0, 30, integer=True), Numeric("real", -3.0, 3.0, resolution=500)), "y"
    )
    cells = {name: described.column(name).encode(values) for name, values in raw.items()}
    connection = duckdb.connect()
    connection.execute('CREATE TABLE t ("row" INT, "whole" INT, "real" DOUBLE)')
    rows = list(zip(range(200), *(values.tolist() for values in raw.values()), strict=True))
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    concepts = Rectangles(described, ("whole", "real"), (8, 50))
    for inside in (0, 1):
        for _ in range(20):
            a, b = sorted(rng.integers(0, 8, 2).tolist())
            c, d = sorted(rng.integers(0, 50, 2).tolist())
            drawn = concepts.member([(a, b), (c, d)])
            member = Box(drawn.columns, drawn.low, drawn.high, inside)
            answer = connection.execute(f'SELECT {member.to_sql(described)} FROM t ORDER BY "row"').fetchall()
            assert [value for (value,) in answer] == member.predict(cells).tolist()


@pytest.mark.parametrize("change", [{"low": ["1"]}, {"columns": []}, {"low": ["-1", "0"]}, {"inside": "1"}])
def test_malformed_stored_boxes_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Box.from_json({**Box(("x0", "x1"), (1, 2), (3, 4)).to_json(), **change})


def test_refusals() -> None:
    mixed = Schema((*schema(9, 9, 9, 9).columns, Categorical("c", ("a", "b"))), "y")
    for columns in ((), ("x0", "x0"), ("x0", "x1", "x2", "x3")):
        with pytest.raises(ParameterError, match="columns"):
            Rectangles(mixed, columns)
    with pytest.raises(ParameterError, match="order"):
        Rectangles(mixed, ("x0", "c"))
    for bins in (0, (3,), "many", (2, True)):
        with pytest.raises(ParameterError, match="bins"):
            Rectangles(mixed, ("x0", "x1"), bins)  # type: ignore[arg-type]
    with pytest.raises(SizeError, match="fewer bins"):
        rectangles((2**32, 2**32), 4096)
