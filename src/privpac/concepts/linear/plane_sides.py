"""Records anywhere in the plane, on one side or the other of half-planes that separate listed points.

A representative half-plane passes through the middle between two neighbouring projections. Projections of cells below
2^32 on integer directions do not fit in 64 bits, so they are held in two parts, high·2^16 + low with 0 <= low < 2^16;
comparisons are exact.
Proof: docs/proofs/plane-sweep.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled

__all__ = ["sums_beside"]

Whole = NDArray[np.int64]


@compiled
def _high(x: int, y: int, p: int, q: int) -> int:
    """The part of x·p + y·q above 16 bits, rounded down."""
    return x * (p >> 16) + y * (q >> 16) + ((x * (p & 65535) + y * (q & 65535)) >> 16)


@compiled
def _low(x: int, y: int, p: int, q: int) -> int:
    """The last 16 bits of x·p + y·q."""
    return (x * (p & 65535) + y * (q & 65535)) & 65535


@compiled
def sums_beside(
    points: Whole,
    normals: Whole,
    groups: NDArray[np.int32],
    lengths: NDArray[np.int32],
    others: Whole,
    values: Whole,
) -> Whole:
    """For every prefix two sums of `values`: of the `others` below its edge, and of those below or on it.

    Prefix s has the `lengths[s]` first points along `normals[groups[s]]`; its edge is the middle between the last of
    them and the next. `groups` ascend.
    """
    k, m = len(points), len(others)
    sums = np.empty((2, len(groups)), np.int64)
    high, low, counts = np.empty(k, np.int64), np.empty(k, np.int64), np.empty((2, k + 1), np.int64)
    start = 0
    while start < len(groups):
        x, y = normals[groups[start], 0], normals[groups[start], 1]
        for i in range(k):
            high[i] = _high(x, y, points[i, 0], points[i, 1])
            low[i] = _low(x, y, points[i, 0], points[i, 1])
        # By the high part, then by the low one: no two points have the same projection.
        order = np.argsort(low, kind="mergesort")
        order = order[np.argsort(high[order], kind="mergesort")]
        counts[:] = 0
        for r in range(m):
            a, b = _high(x, y, others[r, 0], others[r, 1]), _low(x, y, others[r, 0], others[r, 1])
            first, last, on = (
                1,
                k,
                False,
            )  # `first` becomes the first edge above this record; k if there is none
            while first < last:
                edge = (first + last) // 2
                i, j = order[edge - 1], order[edge]
                # Twice the projection less the two beside the edge, in the same two parts.
                rest = 2 * b - low[i] - low[j]
                side = 2 * a - high[i] - high[j] + (rest >> 16)
                if side < 0:
                    last = edge
                else:
                    first = edge + 1
                    on = side == 0 and rest & 65535 == 0  # the last edge that is passed is the nearest
            counts[0, first] += values[r]
            counts[1, first - 1 if on else first] += values[r]
        stop = start
        for length in range(1, k + 1):
            counts[0, length] += counts[0, length - 1]
            counts[1, length] += counts[1, length - 1]
        while stop < len(groups) and groups[stop] == groups[start]:
            sums[0, stop], sums[1, stop] = counts[0, lengths[stop]], counts[1, lengths[stop]]
            stop += 1
        start = stop
    return sums
