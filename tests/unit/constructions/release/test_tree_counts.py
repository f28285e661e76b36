"""Trees of counts: edges from few noisy counts, monotone records, expansion on demand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privpac.checker.check import check_certificate
from privpac.coins import SeededCoins, SystemCoins
from privpac.constructions.release.tree_counts import (
    TreeCounts,
    TreePlan,
    TreeWalk,
    _edges,
    _Level,
    _monotone,
    tree_levels,
)
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts
from privpac.errors import SizeError
from privpac.numbers.exact import ratio_for

ONE = Fraction(1)
EXACT = ratio_for(Fraction(600))
"""Noise at this ratio is 0 for all purposes."""


def column(size: int) -> Schema:
    numeric = {"name": "x", "kind": "numeric", "lower": 0, "upper": size - 1, "integer": True}
    return Schema.from_json({"label": "y", "columns": [numeric]})


def walk(cells: list[int], plan: TreePlan) -> tuple[list[int], list[int]]:
    schema = column(plan.cells)
    sample = MemorySample.from_cells(schema, {"x": np.array(cells, dtype=np.uint64)})
    evidence = sample.reduce(CellCounts(schema.column("x"), classes=1))
    starts, below, _ = TreeWalk(plan, len(cells), evidence).run(SeededCoins(1))
    return starts, below.tolist()


@pytest.mark.parametrize(("size", "branching"), [(10, 2), (9, 3), (100, 7), (17, 16), (2, 5)])
def test_without_noise_a_full_tree_counts_every_cell(size: int, branching: int) -> None:
    rng = np.random.default_rng(size)
    cells = rng.integers(0, size, 40).tolist()
    plan = TreePlan(size, branching, tree_levels(size, branching), EXACT, None, 0, 0, ONE)
    starts, below = walk(cells, plan)
    assert starts == list(range(size))
    assert below == [sum(c < start for c in cells) for start in starts]


def test_without_noise_a_tree_on_demand_looks_only_where_many_are() -> None:
    plan = TreePlan(1000, 10, 3, EXACT, 5, 0, 5, ONE)
    starts, below = walk([123] * 9 + [700], plan)
    assert 123 in starts
    assert 700 in starts  # the edge of a node with one record, which is not looked into
    assert 701 not in starts
    assert below == [9 * (start > 123) + (start > 700) for start in starts]


@pytest.mark.parametrize(("branching", "levels"), [(2, 6), (3, 4), (4, 3), (5, 3), (16, 2), (7, 3)])
def test_no_edge_is_a_sum_of_more_than_half_the_children_a_level(branching: int, levels: int) -> None:
    zero = np.zeros(1, dtype=np.int64)
    level = _Level(zero, zero, zero, zero, zero)
    for depth in range(1, levels + 1):
        held = np.ones((len(level.left), branching), dtype=np.int64)
        _, terms = _edges(level, held * 0, held)
        assert terms.max() <= depth * branching // 2
        flat = [terms[:, :-1].ravel(), terms[:, 1:].ravel()]
        filler = np.zeros(len(flat[0]), dtype=np.int64)
        level = _Level(filler, filler, filler, *flat)


def test_monotone_counts_are_as_near_as_the_worst_edge() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        truth = np.sort(rng.integers(0, 50, 12))
        truth[0] = 0
        noise = rng.integers(-6, 7, 12)
        noise[0] = 0
        made = _monotone(truth + noise, 50)
        assert np.all(np.diff(made) >= 0)
        assert made[-1] == 50
        assert np.abs(made[:-1] - truth).max() <= np.abs(noise).max()


def test_released_records_number_as_many_as_there_were() -> None:
    schema = column(2**16)
    rng = np.random.default_rng(1)
    sample = MemorySample.from_cells(schema, {"x": rng.integers(0, 2**16, 3000)})
    released = TreeCounts(schema, "x", ONE).release(sample, SystemCoins())
    assert released.total == 3000
    assert released.records(schema).size.total == 3000


@pytest.mark.parametrize("bits", [62, 64, 100])
def test_domains_beyond_63_bits(bits: int) -> None:
    schema = column(2**bits)
    cells = np.array([2**bits - 1, 2 ** (bits - 1), 3] * 400, dtype=schema.column("x").dtype)
    released = TreeCounts(schema, "x", Fraction(20)).release(
        MemorySample.from_cells(schema, {"x": cells}), SeededCoins(3)
    )
    assert released.total == 1200
    assert abs(released.below(2 ** (bits - 1)) - 400) < 120
    assert abs(released.below(2 ** (bits - 1) + 2 ** (bits - 9)) - 800) < 120


def test_the_certificate_is_checked_and_refuses_too_few_records() -> None:
    sanitiser = TreeCounts(column(2**16), "x", ONE, error=Fraction(1, 10))
    certificate = sanitiser.certify(Size(0, 3823))
    assert check_certificate(certificate.to_json()) > 3
    thresholds, ranges = (proof.fact for proof in certificate.answers)
    assert ranges.error == 2 * thresholds.error
    with pytest.raises(SizeError, match="3,820 records would do"):
        sanitiser.certify(Size(0, 1000))
    with pytest.raises(SizeError, match="no error at all"):
        sanitiser.certify(Size(0, 2))


def test_a_tree_is_counted_even_where_nothing_is_promised() -> None:
    sanitiser = TreeCounts(column(4), "x", Fraction(1, 1000))
    assert sanitiser.certify(Size(0, 5)).answers == ()
    sample = MemorySample.from_cells(column(4), {"x": np.array([0, 1, 2, 3, 3])})
    assert sanitiser.release(sample, SeededCoins(1)).total == 5
    with pytest.raises(SizeError, match="so small"):
        TreeCounts(column(4), "x", Fraction(1, 10**40)).certify(Size(0, 5))
