"""Compiled sums over the labels of leaves, one leaf or one pair of leaves at a time.

Exponents are integers of the type of `costs` (32 bits where every score fits, which vectorises better).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.trees.kernels.regions import NOTHING, regions

__all__ = ["bottom_entries", "leaf", "leaf_pairs", "pair_sum_of_two", "power", "with_stop"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Counts = NDArray[np.int32]


@compiled
def power(table: Floats, exponent: np.int64) -> float:
    """ratio^exponent from the table, whose last entry, 0, stands for all powers beyond it."""
    last = np.int64(len(table) - 1)
    value: float = table[exponent if exponent < last else last]
    return value


@compiled
def leaf(counts: Longs, costs: Longs, prior: Floats, table: Floats) -> tuple[np.int64, float]:
    """Sum over the labels: prior · ratio^(cost of the records with another label)."""
    total, top = np.int64(0), np.int64(-1)
    for y in range(len(counts)):
        correct = costs[y] * counts[y]
        total += correct
        if prior[y] > 0.0 and correct > top:
            top = correct
    mass = 0.0
    for y in range(len(counts)):
        if prior[y] > 0.0:
            mass += prior[y] * power(table, top - costs[y] * counts[y])
    return total - top, mass


@compiled
def with_stop(
    base: np.int64,
    mass: float,
    leaf_base: np.int64,
    leaf_mass: float,
    scale: float,
    stop: float,
    table: Floats,
) -> tuple[np.int64, float]:
    """scale · (split sum) + stop · (leaf sum)."""
    if stop == 0.0:
        return base, scale * mass
    best = base if base < leaf_base else leaf_base
    split = (scale * mass) * power(table, base - best)
    return best, split + (stop * leaf_mass) * power(table, leaf_base - best)


@compiled
def leaf_pairs(
    row: Longs, total: Longs, costs: Longs, prior: Floats, table: Floats, entries: Longs, masses: Floats
) -> None:
    """For every test the pair of leaves it makes: exponents in `entries`, masses in `masses[0]`."""
    for h in range(len(entries)):
        entries[h] = 0
        masses[0, h] = 1.0
    for side in range(2):
        _leaf_side(row, total, side == 1, costs, prior, table, entries, masses[1])
        for h in range(len(entries)):
            masses[0, h] *= masses[1, h]


@compiled
def _leaf_side(
    row: Longs,
    total: Longs,
    holds: bool,
    costs: Longs,
    prior: Floats,
    table: Floats,
    entries: Longs,
    mass: Floats,
) -> None:
    """One leaf for every test; labels in the outer loops, so that the inner ones run over contiguous rows."""
    classes, p = row.shape
    top = np.empty(p, row.dtype)
    correct = np.empty((classes, p), row.dtype)
    for h in range(p):
        top[h] = -1
    for y in range(classes):
        every, cost = total[y], costs[y]
        counts, line = row[y], correct[y]
        for h in range(p):
            line[h] = cost * (counts[h] if holds else every - counts[h])
            entries[h] += line[h]
        if prior[y] > 0.0:
            for h in range(p):
                top[h] = max(top[h], line[h])
    for h in range(p):
        entries[h] -= top[h]
        mass[h] = 0.0
    for y in range(classes):
        if prior[y] > 0.0:
            weight, line = prior[y], correct[y]
            for h in range(p):
                mass[h] += weight * power(table, top[h] - line[h])


@compiled
def pair_sum_of_two(
    row: Longs, total: Longs, costs: Longs, prior: Floats, weights: Floats, table: Floats, entries: Longs
) -> tuple[np.int64, float]:
    """The sum over all tests of weight · leaf · leaf, for two classes.

    Multiplied out: two equal answers cost the same whatever the test, and of two different ones either way round costs
    what the other leaves of the price of all records.
    """
    p = row.shape[1]
    zero, one = costs[0], costs[1]
    all_zero, all_one = zero * total[0], one * total[1]
    everything = all_zero + all_one
    zeros, ones = row[0], row[1]
    for h in range(p):
        entries[h] = one * ones[h] - zero * zeros[h] + all_zero
    best = min(all_zero, all_one)
    for h in range(p):
        best = min(best, min(entries[h], everything - entries[h]))
    mass, whole = 0.0, 0.0
    for h in range(p):
        either = power(table, entries[h] - best) + power(table, everything - entries[h] - best)
        mass += weights[h] * either
        whole += weights[h]
    equal = prior[0] * prior[0] * power(table, all_one - best) + prior[1] * prior[1] * power(
        table, all_zero - best
    )
    return best, prior[0] * prior[1] * mass + equal * whole


@compiled
def bottom_entries(
    counts: Counts,
    begin: Longs,
    binomial: Longs,
    tests: Longs,
    signs: int,
    costs: Longs,
    prior: Floats,
    table: Floats,
    entries: Longs,
    masses: Floats,
) -> None:
    """The leaf pair of every test in one region."""
    size, classes, p = len(tests), counts.shape[1], len(entries)
    rows = np.empty((1 << size, classes, p), costs.dtype)
    totals = np.empty((1 << size, classes), costs.dtype)
    regions(counts, begin, binomial, tests, size, NOTHING, rows, totals)
    leaf_pairs(rows[signs], totals[signs], costs, prior, table, entries, masses)
