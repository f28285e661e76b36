"""Mistakes of many directions, each with up to 256 cut-offs, counted in integers.

A candidate is a set of features, a pattern of points for them, a cut-off and a side. For each direction the records'
projections are put into at most 256 public bins, by class; sums over the bins give the score of every cut-off at once.
All arithmetic is on whole numbers that fit: the projection, measured from its smallest possible value, stays below
2^15 (`halfspaces` refuses anything wider).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.grids import CUTOFFS

__all__ = ["BINS", "WIDEST", "count_scores", "cutoff", "find_score", "list_scores", "scale"]

BINS = CUTOFFS
WIDEST = 2**15 - 1
"""Largest projection above its smallest possible value."""

_CHUNK = 2048
"""Records projected at a time: their sums stay in the fastest cache."""

_LANES = 4
"""Histograms filled in turn, so that two records in one bin do not wait for each other."""

Bytes = NDArray[np.uint8]
Whole = NDArray[np.int64]


def scale(width: int) -> int:
    """bin = (value * scale) >> 16 for values 0..width: the identity up to 256 values, else 256 even bins."""
    return min(1 << 16, (BINS << 16) // (width + 1))


def cutoff(cut: int, width: int) -> int:
    """The smallest value that lies in bin `cut` or above."""
    return -(-(cut << 16) // scale(width))


@compiled
def _fill(
    levels: Bytes,
    features: Whole,
    points: Whole,
    low: int,
    factor: int,
    bins: NDArray[np.int32],
    sums: NDArray[np.int16],
) -> None:
    """Records by bin of their projection."""
    bins[:] = 0
    n = levels.shape[1]
    for start in range(0, n, len(sums)):
        count = min(len(sums), n - start)
        for r in range(count):
            sums[r] = np.int16(-low)
        for j in range(len(features)):
            weight = np.int16(points[j])
            if weight != 0:
                row = levels[features[j], start : start + count]
                for r in range(count):
                    sums[r] = np.int16(sums[r] + np.int16(weight * np.int16(row[r])))
        whole = count - count % _LANES
        for r in range(0, whole, _LANES):
            bins[0, (np.int32(sums[r]) * np.int32(factor)) >> 16] += 1
            bins[1, (np.int32(sums[r + 1]) * np.int32(factor)) >> 16] += 1
            bins[2, (np.int32(sums[r + 2]) * np.int32(factor)) >> 16] += 1
            bins[3, (np.int32(sums[r + 3]) * np.int32(factor)) >> 16] += 1
        for r in range(whole, count):
            bins[0, (np.int32(sums[r]) * np.int32(factor)) >> 16] += 1


@compiled
def _direction(
    zeros: Bytes,
    ones: Bytes,
    features: Whole,
    points: Whole,
    top: int,
    costs: tuple[int, int],
    bins: NDArray[np.int32],
    sums: NDArray[np.int16],
    scores: Whole,
) -> int:
    """Prices of 'at least the cut-off' for every cut-off of one direction; returns how many there are."""
    low, width = 0, 0
    for j in range(len(points)):
        width += abs(points[j]) * top
        if points[j] < 0:
            low += points[j] * top
    factor = min(1 << 16, (BINS << 16) // (width + 1))
    cuts = min(BINS, width + 1)
    _fill(ones, features, points, low, factor, bins, sums)
    for b in range(cuts):
        scores[b] = np.int64(bins[0, b] + bins[1, b] + bins[2, b] + bins[3, b]) * costs[1]
    _fill(zeros, features, points, low, factor, bins, sums)
    running = np.int64(zeros.shape[1]) * costs[0]
    for b in range(cuts):
        score = scores[b]
        scores[b] = running
        running += score - np.int64(bins[0, b] + bins[1, b] + bins[2, b] + bins[3, b]) * costs[0]
    return cuts


@compiled
def count_scores(
    base: int,
    counts: Whole,
    zeros: Bytes,
    ones: Bytes,
    combinations: Whole,
    patterns: Whole,
    top: int,
    costs: tuple[int, int],
) -> None:
    """Candidates by score - base; what lies at the last place or above is collected there."""
    price = np.int64(zeros.shape[1]) * costs[0] + np.int64(ones.shape[1]) * costs[1]
    bins, sums = np.empty((_LANES, BINS), np.int32), np.empty(_CHUNK, np.int16)
    scores, last = np.empty(BINS, np.int64), len(counts) - 1
    for c in range(len(combinations)):
        for p in range(len(patterns)):
            cuts = _direction(zeros, ones, combinations[c], patterns[p], top, costs, bins, sums, scores)
            for b in range(cuts):
                counts[min(scores[b] - base, last)] += 1
                counts[min(price - scores[b] - base, last)] += 1


@compiled
def list_scores(
    zeros: Bytes, ones: Bytes, combinations: Whole, patterns: Whole, top: int, costs: tuple[int, int]
) -> Whole:
    """Scores of all candidates in order: by combination, pattern and cut-off, 'at least' before 'below'."""
    price = np.int64(zeros.shape[1]) * costs[0] + np.int64(ones.shape[1]) * costs[1]
    bins, sums = np.empty((_LANES, BINS), np.int32), np.empty(_CHUNK, np.int16)
    scores = np.empty(BINS, np.int64)
    out, place = np.empty(2 * BINS * len(combinations) * len(patterns), np.int64), 0
    for c in range(len(combinations)):
        for p in range(len(patterns)):
            cuts = _direction(zeros, ones, combinations[c], patterns[p], top, costs, bins, sums, scores)
            for b in range(cuts):
                out[place] = scores[b]
                out[place + 1] = price - scores[b]
                place += 2
    return out[:place]


@compiled
def find_score(
    score: int,
    index: int,
    zeros: Bytes,
    ones: Bytes,
    combinations: Whole,
    patterns: Whole,
    top: int,
    costs: tuple[int, int],
) -> tuple[int, int, int, bool, int]:
    """(combination, pattern, cut, at least, 0) of the index-th candidate of this score, else (-1, …, still to pass)."""
    price = np.int64(zeros.shape[1]) * costs[0] + np.int64(ones.shape[1]) * costs[1]
    bins, sums = np.empty((_LANES, BINS), np.int32), np.empty(_CHUNK, np.int16)
    scores = np.empty(BINS, np.int64)
    for c in range(len(combinations)):
        for p in range(len(patterns)):
            cuts = _direction(zeros, ones, combinations[c], patterns[p], top, costs, bins, sums, scores)
            for b in range(cuts):
                if scores[b] == score:
                    if index == 0:
                        return c, p, b, True, 0
                    index -= 1
                if price - scores[b] == score:
                    if index == 0:
                        return c, p, b, False, 0
                    index -= 1
    return -1, 0, 0, False, index
