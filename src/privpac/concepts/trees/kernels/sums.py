"""Compiled sums over all trees (or decision lists) of a region, from co-occurrence counts.

A region is a set of at most three tests with a sign each. Its sum depends on the set only, not on the order
in which a tree asked the tests, so each is computed once: sets in colexicographic order, signs as bits of the
row number. A number is kept as ratio^base · mass, with an integer base (the best score of the region) and a
float mass; the operations are a table look-up, a sum and a product, never a logarithm or a difference, so the
relative error is known beforehand.

Statement: every mass has a relative error of at most `tree_law.Prior.error`.
Proof: docs/proofs/tree-sums.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled, plainly
from privpac.concepts.literals.cooccurrence import Cooccurrence
from privpac.concepts.trees.kernels.leaves import (
    leaf,
    leaf_pairs,
    pair_sum_of_two,
    power,
    with_stop,
)
from privpac.concepts.trees.kernels.regions import NOTHING, first_set, next_set, regions

__all__ = ["bottom_sums", "combine", "inner_entries", "inner_sums", "prices", "signed_counts", "weigh"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Counts = NDArray[np.int32]


@compiled
def combine(
    entries: Longs, masses: Floats, weights: Floats, repeat: int | np.int64, table: Floats
) -> tuple[np.int64, float]:
    """The sum of weight · ratio^entry · mass; entry i has weight i // repeat."""
    best = entries[0]
    for i in range(1, len(entries)):
        best = min(best, entries[i])
    total = 0.0
    for i in range(len(entries)):
        total += masses[i] * power(table, entries[i] - best) * weights[i // repeat]
    return best, total


@compiled
def bottom_sums(
    counts: Counts,
    begin: Longs,
    binomial: Longs,
    size: int,
    costs: Longs,
    prior: Floats,
    weights: Floats,
    scale: float,
    stop: float,
    table: Floats,
    leaves: tuple[Longs, Floats],
    sums: tuple[Longs, Floats],
    share: tuple[int, int],
) -> None:
    """Leaf sums and depth-one sums of every region of `size` tests, written at row set · 2^size + signs."""
    p, classes = len(weights), counts.shape[1]
    rest = first_set(max(size - 1, 0))
    half = 1 << len(rest)
    rows = np.empty((half, classes, p), costs.dtype)
    totals = np.empty((half, classes), costs.dtype)
    some = np.zeros((half, classes, p), costs.dtype)
    some_totals = np.zeros((half, classes), costs.dtype)
    row = np.empty((classes, p), costs.dtype)
    total = np.empty(classes, costs.dtype)
    entries = np.empty(p, costs.dtype)
    long_entries = np.empty(p, np.int64)
    masses = np.empty((2, p))
    both = classes == 2 and prior[0] > 0.0 and prior[1] > 0.0
    turn = 0
    while True:
        if turn % share[1] == share[0]:
            regions(counts, begin, binomial, rest, len(rest), NOTHING, rows, totals)
            start = np.int64(0)
            for i in range(len(rest)):
                start += binomial[i + 2, rest[i]]
            # The regions of the larger tests are shared by all choices of the smallest one.
            limit = 1 if size == 0 else (p if size == 1 else rest[0])
            for extra in range(limit):
                if size > 0:
                    regions(counts, begin, binomial, rest, len(rest), extra, some, some_totals)
                for signs in range(1 << size):
                    _pick(rows, totals, some, some_totals, size, signs, row, total)
                    place = ((start + extra) << size) + signs
                    base, mass = leaf(total, costs, prior, table)
                    leaves[0][place], leaves[1][place] = base, mass
                    if both:
                        best, split = pair_sum_of_two(row, total, costs, prior, weights, table, entries)
                    else:
                        leaf_pairs(row, total, costs, prior, table, entries, masses)
                        for h in range(p):
                            long_entries[h] = entries[h]
                        best, split = combine(long_entries, masses[0], weights, np.int64(1), table)
                    best, split = with_stop(best, split, base, mass, scale, stop, table)
                    sums[0][place], sums[1][place] = best, split
        turn += 1
        if not next_set(rest, len(rest), p):
            break


def signed_counts(evidence: Cooccurrence, costs: NDArray[Any]) -> NDArray[Any]:
    """Records of class 1 less those of class 0, at their costs, for every set of tests; in the type of the costs.

    Computed once for all classes that see the same evidence.
    """
    key = costs.dtype.str, *costs.tolist()
    if key not in evidence.known:
        evidence.known[key] = _of_two(evidence.counts, -costs[0], costs[1], costs.dtype)
    return evidence.known[key]


def prices(counts: Counts, costs: NDArray[Any]) -> NDArray[Any]:
    """What the records of every set of tests cost together."""
    return _of_two(counts, costs[0], costs[1], costs.dtype)


def _of_two(counts: Counts, zero: np.int64, one: np.int64, kind: np.dtype[Any]) -> NDArray[Any]:
    if plainly(3 * len(counts)):
        return np.asarray(zero * counts[:, 0] + one * counts[:, 1], dtype=kind)
    return _weigh(counts, zero, one, np.empty(len(counts), kind))


@compiled
def _weigh(counts: Counts, zero: np.int64, one: np.int64, out: Longs) -> Longs:
    for i in range(len(out)):
        out[i] = zero * counts[i, 0] + one * counts[i, 1]
    return out


@compiled
def _pick(
    rows: Longs,
    totals: Longs,
    some: Longs,
    some_totals: Longs,
    size: int,
    signs: int,
    row: Longs,
    total: Longs,
) -> None:
    """The counts of one region: where the smallest test holds (`some`), or the rest (all minus some)."""
    region = signs >> 1 if size else 0
    holds = size > 0 and signs & 1 == 1
    for y in range(row.shape[0]):
        inside, every, out = some[region, y], rows[region, y], row[y]
        total[y] = some_totals[region, y] if holds else totals[region, y] - some_totals[region, y]
        if holds:
            for h in range(row.shape[1]):
                out[h] = inside[h]
        else:
            for h in range(row.shape[1]):
                out[h] = every[h] - inside[h]


@compiled
def inner_entries(
    tests: Longs,
    signs: int,
    zbegin: Longs,
    binomial: Longs,
    lists: bool,
    leaves: tuple[Longs, Floats],
    sums: tuple[Longs, Floats],
    entries: Longs,
    masses: Floats,
) -> None:
    """The child pair of every test (lists: of every literal) in one region, `sums` being one level deeper."""
    size = len(tests)
    p = len(entries) // 2 if lists else len(entries)
    here = np.int64(0)
    for i in range(size):
        here += binomial[i + 1, tests[i]]
    here = zbegin[size] + (here << size) + signs
    rank = 0
    for g in range(p):
        if rank < size and tests[rank] == g:
            # One child is the region itself, the other is empty: its sum is 1.
            if lists:
                same = signs >> rank & 1
                entries[2 * g + same], masses[2 * g + same] = leaves[0][here], leaves[1][here]
                entries[2 * g + 1 - same], masses[2 * g + 1 - same] = sums[0][here], sums[1][here]
            else:
                entries[g], masses[g] = sums[0][here], sums[1][here]
            rank += 1
            continue
        place = binomial[rank + 1, g]
        for i in range(size):
            place += binomial[i + 1 if i < rank else i + 2, tests[i]]
        low_bits = signs & ((1 << rank) - 1)
        low = zbegin[size + 1] + (place << (size + 1)) + (((signs >> rank) << (rank + 1)) | low_bits)
        high = low + (1 << rank)
        if lists:
            entries[2 * g] = leaves[0][low] + sums[0][high]
            masses[2 * g] = leaves[1][low] * sums[1][high]
            entries[2 * g + 1] = leaves[0][high] + sums[0][low]
            masses[2 * g + 1] = leaves[1][high] * sums[1][low]
        else:
            entries[g] = sums[0][low] + sums[0][high]
            masses[g] = sums[1][low] * sums[1][high]


@compiled
def inner_sums(
    size: int,
    zbegin: Longs,
    binomial: Longs,
    lists: bool,
    weights: Floats,
    scale: float,
    stop: float,
    table: Floats,
    leaves: tuple[Longs, Floats],
    deeper: tuple[Longs, Floats],
    sums: tuple[Longs, Floats],
) -> None:
    """Sums of every region of `size` tests from those one level deeper."""
    p = len(weights)
    repeat = 2 if lists else 1
    tests = first_set(size)
    entries = np.empty(repeat * p, np.int64)
    masses = np.empty(repeat * p)
    place = zbegin[size]
    while True:
        for signs in range(1 << size):
            inner_entries(tests, signs, zbegin, binomial, lists, leaves, deeper, entries, masses)
            best, split = combine(entries, masses, weights, repeat, table)
            best, split = with_stop(
                best, split, leaves[0][place], leaves[1][place], scale / repeat, stop, table
            )
            sums[0][place], sums[1][place] = best, split
            place += 1
        if not next_set(tests, size, p):
            break


@compiled
def weigh(
    entries: Longs,
    masses: Floats,
    weights: Floats,
    repeat: int,
    scale: float,
    stop: float,
    leaf_base: np.int64,
    leaf_mass: float,
    table: Floats,
) -> Floats:
    """The weights of one decision: first to stop (0 when that is not offered), then every entry."""
    best = entries[0]
    for i in range(1, len(entries)):
        best = min(best, entries[i])
    if stop > 0.0:
        best = min(best, leaf_base)
    values = np.empty(len(entries) + 1)
    values[0] = (stop * leaf_mass) * power(table, leaf_base - best) if stop > 0.0 else 0.0
    for i in range(len(entries)):
        scaled_mass = masses[i] * power(table, entries[i] - best)
        values[i + 1] = scaled_mass * weights[i // repeat] * (scale / repeat)
    return values
