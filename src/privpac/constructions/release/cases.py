"""Released tables: full transcripts where they can be enumerated, so that post-processing hides nothing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from privpac.coins import Coins
from privpac.concepts.line.thresholds import Threshold
from privpac.concepts.sets.points import Point
from privpac.constructions.cases import (
    Case,
    Record,
    RememberedSample,
    cells_only,
    reordered,
    sample_of,
    tiny_schema,
)
from privpac.constructions.release import block_quantiles, quantiles
from privpac.constructions.release.block_quantiles import BlockQuantilePlan, cut_among_blocks, place_bits
from privpac.constructions.release.blr import ListedBLR, ThresholdBLR
from privpac.constructions.release.histogram import PointHistogram
from privpac.constructions.release.quantiles import halved, places
from privpac.constructions.release.sanitiser import Sanitiser
from privpac.constructions.release.tree_counts import TreePlan, TreeWalk
from privpac.data.sample import Size
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy
from privpac.mechanisms.sparse_noise import draw_kept
from privpac.numbers.exact import ratio_for

__all__ = ["ROWS"]

PLACE = 120

ONE = Fraction(1)


def _counter(cells: int) -> Callable[[Sequence[Record]], ColumnCounts]:
    """The counts of some records, computed once for all branches."""
    schema = tiny_schema(cells)
    statistic = CellCounts(schema.column("a"), classes=1)
    memory: dict[tuple[Record, ...], ColumnCounts] = {}

    def counts(data: Sequence[Record]) -> ColumnCounts:
        key = tuple(data)
        if key not in memory:
            memory[key] = sample_of(schema, data).reduce(statistic)
        return memory[key]

    return counts


def sanitiser_case(name: str, sanitiser: Sanitiser, n: int, *, cells: int) -> Case:
    """A sanitiser of a single column on every multiset of n records."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return sanitiser.release(sample_of(sanitiser.schema, data), coins)

    def certified(records: int) -> Privacy:
        return sanitiser.certify(Size(records)).privacy.fact

    return Case(name, run, cells_only(cells), n, certified(n), certified=certified)


def _histogram() -> Case:
    """Labels, every one with noise of its own."""
    schema = tiny_schema(2, classes=3)
    sanitiser = PointHistogram(schema, ("y",), Fraction(2))
    memory: dict[Hashable, object] = {}

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return sanitiser.release(RememberedSample(sample_of(schema, data), tuple(data), memory), coins)

    def certified(records: int) -> Privacy:
        return sanitiser.certify(Size(records)).privacy.fact

    labels = tuple((0, label) for label in range(3))
    return Case("point histogram", run, labels, 2, certified(2), certified=certified)


def _sparse() -> Case:
    ratio = ratio_for(Fraction(1, 2))

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        values, counts = np.unique([int(str(record[0])) for record in data], return_counts=True)
        counts_above = draw_kept(values, counts, cells=3, ratio=ratio, above=0, high=len(data), coins=coins)
        return tuple(counts_above.items())

    claim = rules.geometric_noise(ratio=ratio, change=2).fact
    case = Case("sparse histogram", run, cells_only(3), 2, claim, certified=lambda records: claim)

    def moved(counts_above: tuple[tuple[int, int], ...], row: list[int]) -> tuple[tuple[int, int], ...]:
        return tuple(sorted((row[cell], count) for cell, count in counts_above))

    return reordered(case, cells=3, output=moved)


def tree_case(name: str, plan: TreePlan, n: int) -> Case:
    """The noisy tree itself, every count of every level; what two records do to two levels takes too long."""
    memory = _counter(plan.cells)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        noise = TreeWalk(plan, len(data), memory(data)).run(coins)[2]
        return tuple(tuple(level.tolist()) for level in noise)

    claim = rules.geometric_noise(ratio=plan.ratio, change=2 * plan.levels).fact
    return Case(
        name, run, cells_only(plan.cells), n, claim, certified=None if plan.levels > 1 else lambda _: claim
    )


def _tree() -> Case:
    plan = TreePlan(3, 3, 1, ratio_for(Fraction(1, 2)), None, 0, 0, ONE)
    return tree_case("tree of one level", plan, 1)


def _lazy_tree() -> Case:
    plan = TreePlan(3, 2, 2, ratio_for(Fraction(1, 4)), 1, 0, 1, ONE)
    return tree_case("tree expanded on demand", plan, 1)


def quantile_case(name: str, *, cells: int, n: int, levels: int, batch: int, epsilon: Fraction = ONE) -> Case:
    """All cuts, in the places of copies: more than is released."""
    memory = _counter(cells)
    ratio = ratio_for(epsilon / (4 * levels))

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        slots = -(-len(data) // batch)
        standing = places(memory(data), slots=slots, batch=batch, cells=cells)
        return tuple(halved(standing, (0, cells * slots), levels=levels, ratio=ratio, coins=coins))

    claim = rules.sequential(*[quantiles.leafwise_medians(ratio=ratio)] * levels).fact
    return Case(name, run, cells_only(cells), n, claim, certified=lambda records: claim)


def block_case(
    name: str, *, cells: int, n: int, ratio: Fraction, stake: int, reach: int = 1, ranges: int = 1
) -> Case:
    """A cut among occupied blocks in each of some ranges of equal length, in the places of copies; several levels of
    them are too many to enumerate, and are one after the other as for medians."""
    memory = _counter(cells)

    def plan(records: int) -> BlockQuantilePlan:
        return BlockQuantilePlan(1, place_bits(records, cells=cells), ratio, stake, reach, 1)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        standing = places(memory(data), slots=len(data), batch=1, cells=cells)
        end, numbers = cells * len(data), plan(len(data))
        edges = [end * i // ranges for i in range(ranges + 1)]
        return tuple(
            cut_among_blocks(standing, low, high, end=end, plan=numbers, coins=coins)
            for low, high in pairwise(edges)
        )

    def certified(records: int) -> Privacy:
        return block_quantiles.leafwise_blocks(ratio=ratio, bits=plan(records).bits, stake=stake).fact

    return Case(name, run, cells_only(cells), n, certified(n), certified=certified)


def _blr() -> Case:
    schema = tiny_schema(4)
    return sanitiser_case("drawn quantiles", ThresholdBLR(schema, "a", ONE, points=2), 4, cells=4)


def _drawn_database() -> Case:
    schema = tiny_schema(3)
    queries = (Threshold("a", 1, True), Point("a", 1), Point("a", 2))
    return sanitiser_case("drawn database", ListedBLR(schema, ("a",), queries, ONE, points=3), 4, cells=3)


ROWS: dict[str, Callable[[], Case]] = {
    "release-histogram": _histogram,
    "release-histogram-sparse": _sparse,
    "release-tree": _tree,
    "release-tree-lazy": _lazy_tree,
    "release-quantiles": lambda: quantile_case("two levels of medians", cells=3, n=3, levels=2, batch=1),
    "release-quantiles-batches": lambda: quantile_case(
        "medians, two copies a place", cells=2, n=4, levels=2, batch=2
    ),
    "release-quantiles-tight": lambda: quantile_case(
        "one level of medians, two copies a place", cells=2, n=4, levels=1, batch=2, epsilon=Fraction(8)
    ),
    "release-blocks": lambda: block_case(
        "a cut among blocks in two ranges", cells=2, n=2, ratio=Fraction(1, 2), stake=16, ranges=2
    ),
    "release-blocks-tight": lambda: block_case(
        "a cut among blocks, much staked", cells=8, n=1, ratio=Fraction(19, 20), stake=1000
    ),
    "release-blr": _blr,
    "release-blr-listed": _drawn_database,
}
