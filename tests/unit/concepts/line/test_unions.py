"""Unions of intervals: the law against brute force, floats against exact sums, every reading of every
decision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import duckdb
import numpy as np
import pytest
from flint import arb, ctx, fmpq

from privpac.coins import Coins, SeededCoins, Weights, law
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.concepts.line.union_law import UnionGibbs, _Choice
from privpac.concepts.line.union_sums import UnionSums, Walk
from privpac.concepts.line.unions import Union, Unions
from privpac.data.columns import Categorical, Date, Numeric
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts
from privpac.errors import NotCertified, ParameterError
from privpac.numbers.exact import ratio_for
from tests.unit.tiny import DoubtfulCoins, chi_square_p, drawn_counts

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


@pytest.mark.parametrize("records", SAMPLES.values(), ids=SAMPLES)
@pytest.mark.parametrize("intervals", [1, 2, 3])
@pytest.mark.parametrize(("costs", "inside"), [((1, 1), 1), ((1, 3), 0)])
def test_the_enumerated_law_is_the_gibbs_law(
    records: list[Record], intervals: int, costs: tuple[int, int], inside: int
) -> None:
    concepts = Unions(schema(6), "x", intervals, inside)
    seen = evidence(concepts, records)

    def run(coins: Coins) -> Any:
        return concepts.gibbs(seen, ratio=RATIO, costs=costs).draw(coins)

    found = law(run)
    assert found == brute_force(concepts, records, costs)
    assert len(found) == concepts.size


@pytest.mark.parametrize("intervals", [1, 2, 3])
def test_float_sums_are_the_brute_force_partition_sums(intervals: int) -> None:
    concepts = Unions(schema(10), "x", intervals)
    rng = np.random.default_rng(intervals)
    records = list(zip(rng.integers(0, 10, 25).tolist(), rng.integers(0, 2, 25).tolist(), strict=True))
    expected = [Fraction(0)] * (2 * intervals + 1)
    for member, probability in brute_force(concepts, records, (1, 2)).items():
        changes = 2 * len(member.intervals) - sum(high == 10 for _, high in member.intervals)
        expected[changes] += probability
    sums = concepts.gibbs(evidence(concepts, records), ratio=RATIO, costs=(1, 2)).sums
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


def awkward_law(rng: np.random.Generator) -> UnionGibbs[Union]:
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
    sums = UnionSums(walk, states, RATIOS[rng.integers(len(RATIOS))], members)
    return UnionGibbs(sums, lambda ranges: Union("x", ranges))


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
        sums, walk = gibbs.sums, gibbs.sums.walk
        assert_encloses(_Choice(gibbs, "totals"))
        state, stop = int(rng.integers(1, sums.states)), int(rng.integers(1, walk.gaps + 1))
        row = (stop - 1) // sums.block
        room = sum(walk.length(gap) for gap in range(stop))
        if room >= state and walk.length(stop - 1) > 0:
            assert_encloses(_Choice(gibbs, "blocks", state, stop))
            assert_encloses(_Choice(gibbs, "terms", row, state, stop))
            checked += 1
    assert checked > 15


def test_a_bound_that_is_too_small_is_noticed() -> None:
    """Negative control of the comparison above: floats moved by one part in 10^9 fail it."""
    concepts = Unions(schema(10), "x", 2)
    gibbs = concepts.gibbs(evidence(concepts, [(3, 1), (7, 0)]), ratio=RATIO, costs=(1, 1))
    true = _Choice(gibbs, "totals")

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


@pytest.mark.long_cases(
    "0.01",
)
@pytest.mark.parametrize("error", [1.0, 1e-2])
def test_forced_doubt_decides_like_exact_rationals(error: float) -> None:
    rng = np.random.default_rng(5)
    refined = decisions = 0
    for seed in range(40):
        intervals = int(rng.integers(1, 4))
        concepts = Unions(schema(2**64 if seed % 2 else 40), "x", intervals)
        records = list(zip(rng.integers(0, 40, 30).tolist(), rng.integers(0, 2, 30).tolist(), strict=True))
        gibbs = concepts.gibbs(evidence(concepts, records), ratio=ratio_for(Fraction(1, 4)), costs=(1, 2))
        coins = DoubtfulCoins(seed, error=error)
        gibbs.draw(coins)
        refined, decisions = refined + coins.refined, decisions + coins.decisions
    assert decisions > 100
    assert refined == decisions if error == 1.0 else refined > 0


@pytest.mark.long
def test_seeded_draws_follow_the_law() -> None:
    concepts = Unions(schema(7), "x", 2)
    records = [(0, 0), (1, 1), (1, 1), (3, 0), (4, 1), (4, 0), (6, 0)]
    gibbs = concepts.gibbs(evidence(concepts, records), ratio=RATIO, costs=(1, 1))
    counts = drawn_counts(gibbs.draw, draws=25_000, seed=11)
    expected = brute_force(concepts, records, (1, 1))
    assert chi_square_p(counts, expected) > 1e-3
    other = brute_force(concepts, [*records[:-1], (6, 1)], (1, 1))
    assert chi_square_p(counts, other) < 1e-9


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
    assert len(gibbs.sums.forward.walks) <= 320
    assert gibbs.sums.error < 1e-10
    assert isinstance(member, Union)
    assert np.mean(member.predict({"x": values}) == labels) > 0.999


def test_classes_beyond_the_range_of_doubles_are_left_to_balls() -> None:
    concepts = Unions(schema(2**300), "x", 2)
    assert concepts.size > 2**1000
    records = [(5, 1), (2**299, 0), (2**300 - 1, 1)]
    gibbs = concepts.gibbs(evidence(concepts, records), ratio=RATIO, costs=(1, 1))
    assert _Choice(gibbs, "totals").floats()[1] == 1.0
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
    assert gibbs.sums.walk.length(0) == 2**64
    assert gibbs.sums.walk.length(1) == 0
    assert gibbs.sums.walk.lengths(0, 2).tolist() == [2.0**64, 0.0]
    member = gibbs.draw(SeededCoins(1))
    assert member.predict({"x": np.array([2**64 - 1, 0], dtype=np.uint64)})[0] == 1


# Hypotheses
# -------------------------------------------------------------------------------------------------------


def test_text_sql_and_json() -> None:
    ages = Schema((Numeric("age", 0, 120, integer=True),), "y", classes=("no", "yes"))
    member = Union("age", ((0, 18), (30, 45), (65, 121)))
    assert member.describe(ages) == "yes if age < 18 or 30 <= age < 45 or age >= 65, else no"
    assert (
        member.to_sql(ages)
        == 'CASE WHEN "age" < 18 OR ("age" >= 30 AND "age" < 45) OR "age" >= 65 THEN 1 ELSE 0 END'
    )
    assert hypothesis_from_json(member.to_json()) == member
    assert Union("age", ()).describe(ages) == "always no"
    assert Union("age", ((0, 121),)).describe(ages) == "always yes"
    assert Union("age", (), inside=0).to_sql(ages) == "1"
    assert Union("age", ((30, 45),), inside=0).describe(ages) == "no if 30 <= age < 45, else yes"
    assert member.columns == ("age",)
    assert len({member, Union("age", ((0, 18), (30, 45), (65, 121)))}) == 1


def test_sql_agrees_with_predict_on_raw_values() -> None:
    rng = np.random.default_rng(3)
    days = [f"20{year:02d}-{month:02d}-15" for year in range(20, 27) for month in range(1, 13)]
    raw: dict[str, list[Any]] = {
        "whole": [*rng.integers(-5, 40, 60).tolist(), None],
        "real": [*rng.normal(0, 2, 60).round(3).tolist(), None],
        "day": [*rng.choice(days, 60).tolist(), None],
    }
    described = Schema(
        (
            Numeric("whole", 0, 30, integer=True, missing=7),
            Numeric("real", -3.0, 3.0, missing=1.5),
            Date("day", "2021-01-01", "2025-12-31", missing="2022-02-02"),
        ),
        "y",
    )
    connection = duckdb.connect()
    connection.execute('CREATE TABLE t ("row" INT, "whole" INT, "real" DOUBLE, "day" DATE)')
    rows = list(zip(range(61), *raw.values(), strict=True))
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    for name, cells_raw in raw.items():
        column = described.column(name)
        cells = {name: column.encode(cells_raw)}
        for _ in range(15):
            ends = sorted({int(rng.integers(0, column.size + 1)) for _ in range(4)})
            ranges = tuple((ends[i], ends[i + 1]) for i in range(0, len(ends) - 1, 2))
            member = Union(name, ranges, int(rng.integers(2)))
            answer = connection.execute(f'SELECT {member.to_sql(described)} FROM t ORDER BY "row"').fetchall()
            assert [value for (value,) in answer] == member.predict(cells).tolist()


@pytest.mark.parametrize(
    "change",
    [
        {"inside": 2},
        {"inside": True},
        {"intervals": [["3", "3"]]},
        {"intervals": [["5", "9"], ["9", "12"]]},
        {"intervals": [["-1", "4"]]},
        {"intervals": [["a", "b"]]},
        {"intervals": None},
    ],
)
def test_malformed_stored_unions_are_refused(change: dict[str, Any]) -> None:
    stored = Union("x", ((1, 4), (6, 9))).to_json()
    assert hypothesis_from_json(stored) == Union("x", ((1, 4), (6, 9)))
    with pytest.raises(NotCertified):
        hypothesis_from_json({**stored, **change})


def test_refusals() -> None:
    mixed = Schema((Numeric("x", 0, 9, integer=True), Categorical("c", ("a", "b"))), "y")
    with pytest.raises(ParameterError, match="order"):
        Unions(mixed, "c", 2)
    for intervals in (0, True, 1.5):
        with pytest.raises(ParameterError, match="intervals"):
            Unions(mixed, "x", intervals)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="inside"):
        Unions(mixed, "x", 1, inside=2)
    concepts = Unions(mixed, "x", 1)
    seen = evidence(concepts, [(1, 1)])
    for costs in ((1,), (0, 1), (1, 2**61), (1, 1, 1)):
        with pytest.raises(ParameterError, match="costs"):
            concepts.gibbs(seen, ratio=RATIO, costs=costs)
