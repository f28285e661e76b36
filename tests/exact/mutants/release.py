"""Faults in released tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

from privpac.audit.exact import Case, Record
from privpac.audit.registry import sample_of, tiny_schema
from privpac.coins import Coins
from privpac.constructions.release import block_quantiles, quantiles
from privpac.constructions.release.block_quantiles import BlockQuantilePlan, cut_among_blocks
from privpac.constructions.release.blr import ThresholdBLR
from privpac.constructions.release.cases import block_case, quantile_case
from privpac.guarantee import rules
from privpac.mechanisms import gibbs
from privpac.mechanisms.geometric import add_noise, noisy_counts
from privpac.mechanisms.scores import Row, Runs
from privpac.numbers.exact import ratio_for

HALF = ratio_for(Fraction(1, 2))
Data = Sequence[Record]


def _column(data: Data) -> list[int]:
    return sorted(int(str(record[0])) for record in data)


def _cells(count: int) -> tuple[Record, ...]:
    return tuple((cell, 0) for cell in range(count))


def lists_occupied_cells_only() -> Case:
    """A sparse histogram that forgets the empty cells whose noise is high: what is listed is in the records."""

    def run(data: Data, coins: Coins) -> Hashable:
        values, counts = np.unique(_column(data), return_counts=True)
        noisy = noisy_counts(counts, ratio=HALF, low=0, high=2, coins=coins)
        return tuple((int(v), int(c)) for v, c in zip(values, noisy, strict=True) if c > 0)

    claim = rules.geometric_noise(ratio=HALF, change=2).fact
    return Case("occupied cells only", run, _cells(3), 2, claim)


def keeps_too_few_empty_cells() -> Case:
    """Each empty cell is kept with the chance of one step further out."""

    def run(data: Data, coins: Coins) -> Hashable:
        values, counts = np.unique(_column(data), return_counts=True)
        noisy = noisy_counts(counts, ratio=HALF, low=0, high=2, coins=coins)
        kept = [(int(v), int(c)) for v, c in zip(values, noisy, strict=True) if c > 0]
        for cell in set(range(3)) - set(values.tolist()):
            if coins.flip(HALF**2 / (1 + HALF)):
                kept.append((cell, 1 + int(coins.flip(HALF))))
        return tuple(sorted(kept))

    claim = rules.geometric_noise(ratio=HALF, change=2).fact
    return Case("too few empty cells", run, _cells(3), 2, claim)


NODES = ((0, 2), (2, 3), (0, 1), (1, 2))
"""Two levels over three cells."""


def charges_a_tree_for_one_level() -> Case:
    """Noise for two changed counts, though a record changes two on each of two levels."""

    def run(data: Data, coins: Coins) -> Hashable:
        column = _column(data)
        counts = [sum(1 for cell in column if low <= cell < high) for low, high in NODES]
        return tuple(add_noise(counts, ratio=HALF, low=0, high=1, coins=coins))

    claim = rules.geometric_noise(ratio=HALF, change=2).fact
    return Case("a tree for the price of a level", run, _cells(3), 1, claim)


def leaves_empty_nodes_out() -> Case:
    """A tree that gives no noise to nodes without records."""

    def run(data: Data, coins: Coins) -> Hashable:
        column = _column(data)
        counts = [sum(1 for cell in column if low <= cell < high) for low, high in NODES]
        full = [count for count in counts if count]
        noisy = iter(add_noise(full, ratio=ratio_for(Fraction(1, 4)), low=-1, high=2, coins=coins))
        return tuple(next(noisy) if count else 0 for count in counts)

    claim = rules.geometric_noise(ratio=ratio_for(Fraction(1, 4)), change=4).fact
    return Case("empty nodes without noise", run, _cells(3), 1, claim)


def rounds_half_the_size() -> Case:
    """Medians by |below - size // 2|, in two public ranges: a record that leaves a range may move all its scores."""

    def median(column: list[int], low: int, high: int, coins: Coins) -> int:
        here = [cell for cell in column if low <= cell < high]
        below = np.array([sum(1 for cell in here if cell < cut) for cut in range(low, high + 1)])
        row = Row.of(low, np.arange(low, high, dtype=np.uint64), np.abs(below - len(here) // 2), high)
        return gibbs.draw(Runs([row]), HALF, coins)[1]

    def run(data: Data, coins: Coins) -> Hashable:
        column = _column(data)
        return median(column, 0, 3, coins), median(column, 3, 6, coins)

    # |2·below - size| at half the rate is |below - size/2| at the whole rate: what its author had in mind.
    claim = quantiles.leafwise_medians(ratio=ratio_for(Fraction(1, 4))).fact
    return Case("half of the size, rounded", run, _cells(6), 4, claim)


def charges_medians_once() -> Case:
    """Two levels of medians at the price of one."""
    case = quantile_case("two levels for one", cells=3, n=3, levels=2, batch=1)
    return replace(case, claim=quantiles.leafwise_medians(ratio=ratio_for(Fraction(1, 8))).fact)


def stakes_little_beside_blocks() -> Case:
    """A blank that counts 24 times, at the price of one that counts a thousand times."""
    case = block_case("little staked", cells=8, n=1, ratio=Fraction(19, 20), stake=24)
    return replace(
        case, claim=block_quantiles.leafwise_blocks(ratio=Fraction(19, 20), bits=3, stake=1000).fact
    )


def cuts_empty_ranges_without_a_draw() -> Case:
    """A range without records is cut at its lower end, for sure: there is nothing to look for."""
    ratio, stake, bits = Fraction(19, 20), 100, 2
    plan = BlockQuantilePlan(1, bits, ratio, stake, 30, 1)

    def run(data: Data, coins: Coins) -> Hashable:
        (at,) = _column(data)
        standing = np.array([at], dtype=np.int64), np.array([1], dtype=np.int64)
        return tuple(
            cut_among_blocks(standing, low, high, end=4, plan=plan, coins=coins) if low <= at < high else low
            for low, high in ((0, 2), (2, 4))
        )

    claim = block_quantiles.leafwise_blocks(ratio=ratio, bits=bits, stake=stake).fact
    return Case("no draw in empty ranges", run, _cells(4), 1, claim)


def draws_from_values_that_occur() -> Case:
    """Synthetic records are multisets of values somebody has."""

    def run(data: Data, coins: Coins) -> Hashable:
        column = _column(data)
        candidates = list(combinations_with_replacement(sorted(set(column)), 2))
        scores = np.array([_off(candidate, column) for candidate in candidates], dtype=np.int64)
        last = len(candidates) - 1
        row = Row.of(0, np.arange(last, dtype=np.uint64), scores, last)
        return candidates[gibbs.draw(Runs([row]), HALF, coins)[1]]

    return Case("values that occur", run, _cells(3), 3, rules.exponential_mechanism(ratio=HALF).fact)


def _off(candidate: tuple[int, ...], column: list[int]) -> int:
    """Records by which the worst threshold is off, rounded down."""
    n, m = len(column), len(candidate)
    gaps = (abs(m * sum(x <= cut for x in column) - n * sum(x <= cut for x in candidate)) for cut in range(3))
    return max(gaps) // m


def scores_candidates_by_all_thresholds() -> Case:
    """Adds up the errors of all thresholds instead of taking the worst: one record moves the sum by more than one."""

    def run(data: Data, coins: Coins) -> Hashable:
        column = _column(data)
        candidates = list(combinations_with_replacement(range(4), 2))
        gaps = [
            [abs(2 * sum(x <= c for x in column) - 4 * sum(x <= c for x in p)) // 2 for c in range(4)]
            for p in candidates
        ]
        scores = np.array([sum(gap) for gap in gaps], dtype=np.int64)
        last = len(candidates) - 1
        row = Row.of(0, np.arange(last, dtype=np.uint64), scores, last)
        return candidates[gibbs.draw(Runs([row]), HALF, coins)[1]]

    return Case("the sum of all errors", run, _cells(4), 4, rules.exponential_mechanism(ratio=HALF).fact)


def draws_paths_at_twice_the_rate() -> Case:
    """The quantile family at the full epsilon per unit of score."""
    sanitiser = ThresholdBLR(tiny_schema(4), "a", Fraction(2), points=2)

    def run(data: Data, coins: Coins) -> Hashable:
        return sanitiser.release(sample_of(sanitiser.schema, data), coins)

    return Case("twice the rate", run, _cells(4), 4, rules.exponential_mechanism(ratio=HALF).fact)


def picks_representatives_by_the_labels() -> Case:
    """GenericLearner whose concept for a labelling of the points is the one that fits the labelled records best."""
    points = (1,)  # the synthetic sample: cuts 0 and 1 label it 1, cuts 2, 3 and 4 label it 0

    def run(data: Data, coins: Coins) -> Hashable:
        def wrong(cut: int) -> int:
            return sum((int(str(cell)) >= cut) != bool(label) for cell, label in data)

        groups = [[cut for cut in range(5) if cut <= points[0]], [cut for cut in range(5) if cut > points[0]]]
        best = [min(group, key=wrong) for group in groups]
        scores = np.array([wrong(cut) for cut in best], dtype=np.int64)
        row = Row.of(0, np.array([0], dtype=np.uint64), scores, 1)
        return best[gibbs.draw(Runs([row]), HALF, coins)[1]]

    records = tuple((cell, label) for cell in range(4) for label in range(2))
    return Case(
        "representatives by the labels", run, records, 2, rules.exponential_mechanism(ratio=HALF).fact
    )


MUTANTS: dict[str, Callable[[], Case]] = {
    mutant.__name__: mutant
    for mutant in (
        lists_occupied_cells_only,
        keeps_too_few_empty_cells,
        charges_a_tree_for_one_level,
        leaves_empty_nodes_out,
        rounds_half_the_size,
        charges_medians_once,
        stakes_little_beside_blocks,
        cuts_empty_ranges_without_a_draw,
        draws_from_values_that_occur,
        scores_candidates_by_all_thresholds,
        draws_paths_at_twice_the_rate,
        picks_representatives_by_the_labels,
    )
}
