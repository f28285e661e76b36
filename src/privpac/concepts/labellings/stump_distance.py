"""The distance transform of stumps: cuts of different columns, matches of categories, constants.

Cuts of one column form a circle (`distance.on_circle`). Between two columns the number of points on which a prefix of
one order and a prefix of the other differ is |A| + |B| - 2|A and B|, and the last term makes it a Monge array: the best
cut of the other column moves one way as the own cut does. Halving the range of both finds all of them in time linear in
the points, up to a logarithm, with |A and B| kept up to date as the two ends move.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.labellings.distance import on_circle

__all__ = ["Chain", "Sets", "spread"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Chain:
    """The cuts of one column: `order` sorts the points, gap j begins after `ends[j]` of them."""

    order: Ints
    ends: Ints

    @cached_property
    def places(self) -> Ints:
        """Where each point stands in the order."""
        places = np.empty_like(self.order)
        places[self.order] = np.arange(len(self.order))
        return places


@dataclass(frozen=True, eq=False, repr=False)
class Sets:
    """Labellings without an order, one row of zeros and ones each."""

    rows: NDArray[np.uint8]


def spread(
    chains: list[Chain], sets: Sets, costs: list[tuple[Ints, Ints]], loose: Ints, weights: Ints, change: int
) -> tuple[list[tuple[Ints, Ints]], Ints]:
    """For every upward and downward cut of every chain, and every set: the cheapest f, its cost and the way to it.

    `costs` are those of the upward and of the downward cuts of each chain, `loose` those of the sets; points count as
    often as `weights` say.
    """
    best = [
        _around(chain, up, down, weights, change) for chain, (up, down) in zip(chains, costs, strict=True)
    ]
    for a, source_chain in enumerate(chains):
        for b, other in enumerate(chains):
            if a != b:
                for target in (0, 1):
                    for source in (0, 1):
                        prices = _across(
                            source_chain, other, costs[b][source], weights, change, target != source
                        )
                        np.minimum(best[a][target], prices, out=best[a][target])
    return best, _with_sets(chains, sets, costs, best, loose, weights, change)


def _around(chain: Chain, up: Ints, down: Ints, weights: Ints, change: int) -> tuple[Ints, Ints]:
    """Within one column. The constants are made by an upward and by a downward cut."""
    gaps = len(up)
    first, last = min(up[0], down[-1]), min(up[-1], down[0])
    sums = np.concatenate([[0], np.cumsum(weights[chain.order])])
    steps = change * np.diff(sums[chain.ends])
    circle = np.concatenate([[first], up[1:-1], [last], down[1:-1]]) if gaps > 1 else np.array([first])
    if gaps > 1:
        on_circle(circle, np.concatenate([steps, steps]))
        return circle[:gaps].copy(), np.concatenate([circle[gaps - 1 :], circle[:1]])
    return circle.copy(), circle.copy()


def _across(chain: Chain, other: Chain, costs: Ints, weights: Ints, change: int, mirrored: bool) -> Ints:
    one, two = ((each.order, each.places, each.ends) for each in (chain, other))
    return _best_across(*one, *two, weights, costs, change, mirrored)


@compiled
def _gain(
    order: Ints, start: np.int64, end: np.int64, weights: Ints, other_rank: Ints, other_end: np.int64
) -> tuple[np.int64, np.int64]:
    """What a prefix gains in weight, and in weight shared with a prefix of the other order, when its end moves."""
    size, common = np.int64(0), np.int64(0)
    for at in range(min(start, end), max(start, end)):
        point = order[at]
        size += weights[point]
        if other_rank[point] < other_end:
            common += weights[point]
    return (size, common) if start < end else (-size, -common)


@compiled
def _best_across(
    order_a: Ints,
    rank_a: Ints,
    ends_a: Ints,
    order_b: Ints,
    rank_b: Ints,
    ends_b: Ints,
    weights: Ints,
    costs: Ints,
    change: int,
    mirrored: bool,
) -> Ints:
    """min over j of costs[j] + change·(points on which prefix i of a and prefix j of b differ, or agree)."""
    rows, cols = len(ends_a), len(ends_b)
    best = np.empty(rows, np.int64)
    total = np.int64(0)
    for i in range(len(weights)):
        total += weights[i]
    at_a, at_b = np.int64(0), np.int64(0)
    size_a, size_b, both = np.int64(0), np.int64(0), np.int64(0)
    stack = [(0, rows - 1, 0, cols - 1)]
    while len(stack) > 0:
        low, high, first, last = stack.pop()
        i = (low + high) // 2
        more, common = _gain(order_a, at_a, ends_a[i], weights, rank_b, at_b)
        size_a, both, at_a = size_a + more, both + common, ends_a[i]
        least, where = np.int64(0), -1
        for step in range(first, last + 1):
            j = cols - 1 - step if mirrored else step
            more, common = _gain(order_b, at_b, ends_b[j], weights, rank_a, at_a)
            size_b, both, at_b = size_b + more, both + common, ends_b[j]
            distance = size_a + size_b - 2 * both
            price = costs[j] + change * (total - distance if mirrored else distance)
            if where < 0 or price < least:
                least, where = price, step
        best[i] = least
        if low < i:
            stack.append((low, i - 1, first, where))
        if i < high:
            stack.append((i + 1, high, where, last))
    return best


def _with_sets(
    chains: list[Chain],
    sets: Sets,
    costs: list[tuple[Ints, Ints]],
    best: list[tuple[Ints, Ints]],
    loose: Ints,
    weights: Ints,
    change: int,
) -> Ints:
    """Sets against sets and against cuts; improves `best` in place and returns the best of the sets."""
    masses = sets.rows.astype(np.float64) * weights  # below 2^53, so sums are exact
    sizes = masses.sum(axis=1).astype(np.int64)
    common = (masses @ sets.rows.T.astype(np.float64)).astype(np.int64)
    distances = sizes[:, None] + sizes[None, :] - 2 * common
    prices: Ints = (loose[None, :] + change * distances).min(axis=1)
    total = int(weights.sum())
    for chain, both, least in zip(chains, costs, best, strict=True):
        sums = np.concatenate([[0], np.cumsum(weights[chain.order])])[chain.ends]
        for row in range(len(sizes)):
            inside = np.concatenate([[0], np.cumsum(masses[row, chain.order].astype(np.int64))])[chain.ends]
            down = sums + int(sizes[row]) - 2 * inside  # a downward cut is 1 on the prefix
            for target, away in ((0, total - down), (1, down)):
                np.minimum(least[target], loose[row] + change * away, out=least[target])
                prices[row] = min(prices[row], int((both[target] + change * away).min()))
    return prices
