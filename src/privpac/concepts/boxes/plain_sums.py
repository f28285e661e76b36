"""The sums of `sums` in doubles without a scale, as long as no number of the tree leaves the middle of their range.

For one outer range only the values of y that hold some of its points are in the tree; ranges of y that hold none of
them weigh 1 and are added as a number. A node keeps ratio^(moves of its stretch) and the three sums of `sums`, so that
renewing it takes four products and four sums. Whatever leaves the range is given up, and summed with scales instead.

Claim: relative error as in `BoxSums.error`. Proof: docs/proofs/rectangle-sums.md, "Without a scale".
"""

from __future__ import annotations

import numpy as np

from privpac.compiled import compiled
from privpac.concepts.trees.powers import Floats, Integers

__all__ = ["GIVEN_UP", "LARGE", "occupied_tree", "plain_total", "scaled"]

LARGE = 2.0**880
"""Numbers of a tree lie below it, and powers above its inverse: what underflows is far below what it is added to, what
overflows is noticed, and powers of the ratio as far as that are in the tables (`powers.SMALLEST_BITS`)."""

GIVEN_UP = -1.0
"""In place of a sum, none of which is negative."""


@compiled
def _join(node: int, tree: Floats) -> bool:
    """A node from its two halves; whether it stays in range."""
    a, b = 2 * node, 2 * node + 1
    power = tree[a, 0] * tree[b, 0]
    before = tree[a, 1] * tree[b, 0] + tree[b, 1]
    behind = tree[a, 2] + tree[a, 0] * tree[b, 2]
    inside = tree[a, 3] + tree[b, 3] + tree[a, 1] * tree[b, 2]
    tree[node, 0], tree[node, 1], tree[node, 2], tree[node, 3] = power, before, behind, inside
    fits: bool = 1 / LARGE < power < LARGE and before < LARGE and behind < LARGE and inside < LARGE
    return fits


@compiled
def occupied_tree(ys: Integers, lefts: Floats, rights: Floats) -> tuple[Floats, Integers, float]:
    """The tree of no moves over the values of y that occur, the place of every value there, and how many ranges of
    values hold none that occurs."""
    occurs = np.zeros(len(lefts), np.bool_)
    for y in ys:
        occurs[y] = True
    count, leaves = occurs.sum(), 1
    while leaves < count:
        leaves *= 2
    tree, places = np.zeros((2 * leaves, 4)), np.zeros(len(lefts), np.int64)
    tree[:, 0] = 1.0
    place, lower, blank = -1, 0.0, 0.0
    for y in range(len(lefts)):
        lower += lefts[y]
        if occurs[y]:
            place += 1
            places[y] = place
            tree[leaves + place, 1] = lower
            lower = 0.0
        else:
            blank += lower * rights[y]
        if place >= 0:
            tree[leaves + place, 2] += rights[y]
    for leaf in range(leaves, leaves + count):
        tree[leaf, 3] = tree[leaf, 1] * tree[leaf, 2]
    for node in range(leaves - 1, 0, -1):
        _join(node, tree)
    return tree, places, blank


@compiled
def _take_points(begin: int, end: int, places: Integers, factors: Floats, tree: Floats) -> bool:
    """Take the points from `begin` up to `end` into the tree; whether it stays in range."""
    leaves = len(tree) // 2
    depth = 0
    while leaves >> depth:
        depth += 1
    fits = True
    for point in range(begin, end):
        leaf = leaves + places[point]
        for k in range(4):
            tree[leaf, k] *= factors[point]
        power = tree[leaf, 0]
        fits &= 1 / LARGE < power < LARGE and tree[leaf, 3] < LARGE
    if (end - begin) * depth > leaves:
        for node in range(leaves - 1, 0, -1):
            fits &= _join(node, tree)
        return fits
    for point in range(begin, end):
        node = (leaves + places[point]) // 2
        while node > 0:
            fits &= _join(node, tree)
            node //= 2
    return fits


@compiled
def plain_total(
    first: int,
    starts: Integers,
    places: Integers,
    factors: Floats,
    runs: Floats,
    empty: Floats,
    blank: float,
) -> float:
    """All boxes whose first value of x is `first`, which holds points; `GIVEN_UP` where a number leaves the range."""
    tree, total = empty.copy(), 0.0
    for last in range(first, len(runs)):
        if starts[last + 1] > starts[last]:
            if not _take_points(starts[last], starts[last + 1], places, factors, tree):
                return GIVEN_UP
            total += (tree[1, 3] + blank) * runs[last]
    return total if total < LARGE else GIVEN_UP


@compiled
def scaled(total: float, table: Floats) -> tuple[int, float]:
    """A positive number as ratio^exponent · mantissa.

    The exponent is the smallest with a mantissa of at least 1, up to what the logarithms round.
    """
    most = len(table) - 1
    if most < 1 or table[1] == 1.0 or total == 0.0:
        return 0, total
    exponent = min(max(int(np.ceil(np.log(total) / np.log(table[1]))), -most), most)
    return exponent, total * table[-exponent] if exponent < 0 else total / table[exponent]
