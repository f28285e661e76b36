"""Unions of intervals: the law against brute force, floats against exact sums, every reading of every
decision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from privpac.coins import SeededCoins, Weights
from privpac.concepts.line.union_law import UnionLaw, Walk
from privpac.concepts.line.unions import Union, Unions
from privpac.concepts.trees.powers import Choice
from privpac.data.columns import Numeric
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts
from privpac.numbers.exact import ratio_for
from tests.unit.tiny import DoubtfulCoins

Record = tuple[int, int]
"""(cell, label)"""

RATIO = Fraction(3, 5)


def schema(cells: int) -> Schema:
    return Schema((Numeric("x", 0, cells - 1, integer=True),), "y")


def evidence(concepts: Any, records: Sequence[Record]) -> ColumnCounts:
    statistic = concepts.statistic
    cells = np.array([cell for cell, _ in records], dtype=concepts.schema.column("x").dtype)
    labels = np.array([label for _, label in records], dtype=np.uint8)
    counts: ColumnCounts = statistic.absorb(statistic.zero(), Block({"x": cells}, labels, len(records)))
    return counts


def brute_force(concepts: Unions, records: Sequence[Record], costs: tuple[int, int]) -> dict[Union, Fraction]:
    """Every subset of the cells, kept if it has few enough changes of side."""
    cells, weights = concepts.schema.column("x").size, {}
    for sides in product((False, True), repeat=cells):
        changes = [i for i, side in enumerate(sides) if side != ((False, *sides)[i])]
        if len(changes) > 2 * concepts.intervals:
            continue
        ends = [*changes, cells]
        ranges = tuple((ends[i], ends[i + 1]) for i in range(0, len(changes), 2))
        judged = [concepts.inside if sides[cell] else 1 - concepts.inside for cell, _ in records]
        price = sum(costs[label] for (_, label), guess in zip(records, judged, strict=True) if guess != label)
        weights[Union("x", ranges, concepts.inside)] = RATIO**price
    total = sum(weights.values())
    return {member: weight / total for member, weight in weights.items()}


SAMPLES: dict[str, list[Record]] = {
    "empty": [],
    "one": [(2, 1)],
    "ends": [(0, 1), (5, 1), (5, 1)],
    "repeated": [(1, 1), (1, 1), (1, 1), (4, 0), (4, 0)],
    "inconsistent": [(0, 0), (2, 1), (2, 0), (2, 1), (3, 0), (5, 1), (5, 0)],
    "everywhere": [(0, 1), (1, 0), (2, 1), (3, 0), (4, 1), (5, 0)],
}


@pytest.mark.parametrize("intervals", [1, 2, 3])
def test_float_sums_are_the_brute_force_partition_sums(intervals: int) -> None:
    concepts = Unions(schema(10), "x", intervals)
    rng = np.random.default_rng(intervals)
    records = list(zip(rng.integers(0, 10, 25).tolist(), rng.integers(0, 2, 25).tolist(), strict=True))
    expected = [Fraction(0)] * (2 * intervals + 1)
    for member, probability in brute_force(concepts, records, (1, 2)).items():
        changes = 2 * len(member.intervals) - sum(high == 10 for _, high in member.intervals)
        expected[changes] += probability
    sums = concepts.gibbs(evidence(concepts, records), ratio=RATIO, costs=(1, 2))
    totals = sums.totals()
    assert totals / totals.sum() == pytest.approx([float(p) for p in expected], rel=1e-14)
    assert sums.error < 1e-13


def test_size_counts_every_subset_once() -> None:
    for cells, intervals in ((2, 3), (5, 1), (6, 2), (7, 3)):
        concepts = Unions(schema(cells), "x", intervals)
        assert concepts.size == len(brute_force(concepts, [], (1, 1)))
        assert concepts.odds == concepts.size - 1
        assert concepts.vc == min(2 * intervals, cells)
    wide = Unions(schema(2**64), "x", 2)
    assert wide.size == sum(math.comb(2**64, changes) for changes in range(5))
    assert wide.word == "unions:x:2"


# The float kernel against balls
# -----------------------------------------------------------------------------------


def assert_encloses(weights: Weights, bits: int = 4000) -> None:
    """sum |v - s·w| <= 2·error·sum v at s = sum v / sum w: what follows from the bound of
    `Weights.floats`."""
    values, error = weights.floats()
    assert error < 1e-6
    with ctx.workprec(bits):
        balls = weights.balls(bits)
        exact = [Fraction(float(value)) for value in values]
        total = sum(exact)
        scale = arb(fmpq(total.numerator, total.denominator)) / sum(balls, arb(0))
        gap = sum((abs(arb(float(v)) - scale * w) for v, w in zip(values, balls, strict=True)), arb(0))
        assert gap <= 2 * arb(error) * arb(fmpq(total.numerator, total.denominator))


RATIOS = [
    RATIO,
    ratio_for(Fraction(1, 2)),
    ratio_for(Fraction(1, 10000)),
    ratio_for(Fraction(50)),
    ratio_for(Fraction(700)),
    Fraction(1),
]


def awkward_law(rng: np.random.Generator) -> UnionLaw[Union]:
    """Dense, sparse and huge domains; heavy values, long drifts; ratios from 1 down to 2^-900."""
    intervals = int(rng.integers(1, 6))
    cells = [8, 70, 1000, 2**20, 2**64, 2**128 if intervals <= 3 else 2**64][rng.integers(6)]
    count = min(int(rng.integers(0, 50)), cells)
    values = sorted(rng.choice(min(cells, 1000), count, replace=False).tolist())
    if cells > 1000 and rng.random() < 0.6:
        spread = int(rng.integers(1, 2 ** int(rng.integers(1, 40))))
        values = [cells // 2 + spread * value for value in values if cells // 2 + spread * value < cells]
    counts = rng.integers(0, [2, 10, 10**3, 10**6][rng.integers(4)], (len(values), 2))
    if rng.random() < 0.5:
        half = len(values) // 2
        counts[:half, 0] = counts[half:, 1] = 0
    kind = object if cells > 2**64 else np.uint64
    prices = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    walk = Walk(np.array(values, dtype=kind), counts.astype(np.int64), cells, prices, int(rng.integers(2)))
    states = min(2 * intervals, cells) + 1
    members = sum(math.comb(cells, changes) for changes in range(states))
    ratio = RATIOS[rng.integers(len(RATIOS))]
    return UnionLaw(walk, states, ratio, members, lambda ranges: Union("x", ranges))


@pytest.mark.long_cases(
    "3",
    "0",
    "2",
)
@pytest.mark.parametrize("seed", range(4))
def test_float_weights_stay_within_their_bound_on_awkward_data(seed: int) -> None:
    rng = np.random.default_rng(seed)
    checked = 0
    for _ in range(30):
        gibbs = awkward_law(rng)
        sums, walk = gibbs, gibbs.walk
        assert_encloses(Choice(gibbs, "totals"))
        state, stop = int(rng.integers(1, sums.states)), int(rng.integers(1, walk.gaps + 1))
        row = (stop - 1) // sums.block
        room = sum(walk.length(gap) for gap in range(stop))
        if room >= state and walk.length(stop - 1) > 0:
            assert_encloses(Choice(gibbs, "blocks", state, stop))
            assert_encloses(Choice(gibbs, "terms", row, state, stop))
            checked += 1
    assert checked > 15


def test_a_bound_that_is_too_small_is_noticed() -> None:
    """Negative control of the comparison above: floats moved by one part in 10^9 fail it."""
    concepts = Unions(schema(10), "x", 2)
    gibbs = concepts.gibbs(evidence(concepts, [(3, 1), (7, 0)]), ratio=RATIO, costs=(1, 1))
    true = Choice(gibbs, "totals")

    class Moved:
        key, balls, exact = true.key, true.balls, true.exact

        def floats(self) -> tuple[Any, float]:
            values, error = true.floats()
            return values * [1, 1, 1 + 1e-9, 1, 1], error

    assert_encloses(true)
    with pytest.raises(AssertionError):
        assert_encloses(Moved())


# Draws
# ------------------------------------------------------------------------------------------------------------


class CountingCoins(SeededCoins):
    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.calls = 0

    def choose(self, weights: Weights) -> int:
        self.calls += 1
        return super().choose(weights)

    def subset(self, n: int, k: int) -> tuple[int, ...]:
        self.calls += 1
        return super().subset(n, k)


def test_a_draw_asks_for_few_coins_and_keeps_little() -> None:
    rng = np.random.default_rng(0)
    concepts = Unions(schema(2**64), "x", 3)
    values = np.sort(rng.integers(0, 2**64, 100_000, dtype=np.uint64))
    labels = ((values > 2**62) & (values < 2**63)).astype(np.int32)
    counts = ColumnCounts(values, np.stack([1 - labels, labels], axis=1), len(values))
    gibbs = concepts.gibbs(counts, ratio=ratio_for(Fraction(1, 2)), costs=(1, 1))
    coins = CountingCoins(3)
    member = gibbs.draw(coins)
    assert coins.calls <= 1 + 3 * 6
    assert len(gibbs._rows[2]) <= 320
    assert gibbs.error < 1e-10
    assert isinstance(member, Union)
    assert np.mean(member.predict({"x": values}) == labels) > 0.999


def test_classes_beyond_the_range_of_doubles_are_left_to_balls() -> None:
    concepts = Unions(schema(2**300), "x", 2)
    assert concepts.size > 2**1000
    records = [(5, 1), (2**299, 0), (2**300 - 1, 1)]
    gibbs = concepts.gibbs(evidence(concepts, records), ratio=RATIO, costs=(1, 1))
    assert Choice(gibbs, "totals").floats()[1] == 1.0
    coins = DoubtfulCoins(1, error=0.0)
    for _ in range(5):
        gibbs.draw(coins)
    assert coins.refined == coins.decisions > 5


@pytest.mark.parametrize("cells", [2**64, 2**128])
def test_huge_domains(cells: int) -> None:
    concepts = Unions(schema(cells), "x", 2)
    rng = np.random.default_rng(1)
    inner = [cells // 4, cells // 2, 3 * cells // 4, cells - 1]
    step = cells // 1000
    records = [(i * step, int(inner[0] < i * step < inner[1] or i * step > inner[2])) for i in range(1000)]
    records += [(cells - 1, 1), (0, 0)]
    gibbs = concepts.gibbs(evidence(concepts, records), ratio=ratio_for(Fraction(1)), costs=(1, 1))
    for seed in rng.integers(0, 100, 3).tolist():
        member = gibbs.draw(SeededCoins(seed))
        assert isinstance(member, Union)
        assert len(member.intervals) == 2
        (a, b), (c, d) = member.intervals
        found = [a / cells, b / cells, c / cells, d / cells]
        assert found == pytest.approx([0.25, 0.5, 0.75, 1.0], abs=0.02)
        guesses = member.predict({"x": np.array([cell for cell, _ in records], dtype=gibbs_dtype(cells))})
        assert np.mean(guesses == [label for _, label in records]) > 0.99


def gibbs_dtype(cells: int) -> Any:
    return object if cells > 2**64 else np.uint64


def test_the_last_cell_of_a_full_domain_is_a_value_like_any_other() -> None:
    """Value 2^64 - 1 alone makes a first gap of 2^64 positions: one more than uint64 holds."""
    concepts = Unions(schema(2**64), "x", 1)
    gibbs = concepts.gibbs(evidence(concepts, [(2**64 - 1, 1)] * 200), ratio=RATIO, costs=(1, 1))
    assert gibbs.walk.length(0) == 2**64
    assert gibbs.walk.length(1) == 0
    assert gibbs.walk.lengths.tolist() == [2.0**64, 0.0]
    member = gibbs.draw(SeededCoins(1))
    assert member.predict({"x": np.array([2**64 - 1, 0], dtype=np.uint64)})[0] == 1


# Hypotheses
# -------------------------------------------------------------------------------------------------------
