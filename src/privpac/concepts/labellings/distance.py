"""Distance transforms: for every labelling, the cheapest concept when each relabelled record has a price.

Each loop replaces costs[z] by the minimum over all f of costs[f] + steps between f and z. On a line and on a
circle the steps add up to the Hamming distance, so a few passes over neighbours suffice; on a graph where they add up
(half-planes), shortest paths do; without any structure, pairs are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled

__all__ = [
    "Graph",
    "among_cuts",
    "common_ranks",
    "gap_extremes",
    "nearest",
    "on_circle",
    "on_graph",
    "on_line",
]


def common_ranks(points: NDArray[Any], values: NDArray[Any]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Two sorted lists as numbers in the same order: themselves, or ranks where they do not fit in 64 bits."""
    if points.dtype != object and values.dtype != object:
        return points, values
    joint = np.unique(np.concatenate([points.astype(object), values.astype(object)]))
    places = (np.searchsorted(joint, array).astype(np.uint64) for array in (points, values))
    return next(places), next(places)


@compiled
def gap_extremes(
    points: NDArray[np.uint64], values: NDArray[np.uint64], counts: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Fewest and most mistakes of an upward cut in every gap between `points`, over counted records at `values`.

    Gap j holds the cuts above point j - 1 and at most point j. Mistakes change where a value is passed; both lists are
    sorted, so one merge meets every pair of a gap and a run of equal mistakes that share a cut.
    """
    gaps, runs = len(points), len(values)
    fewest = np.empty(gaps + 1, np.int64)
    most = np.empty(gaps + 1, np.int64)
    running = np.int64(0)
    for i in range(runs):
        running += np.int64(counts[i, 0])
    i = 0
    for j in range(gaps + 1):
        low = running
        high = running
        # Runs that end below point j lie wholly before it; the one that ends at or beyond it may go on.
        while i < runs and (j == gaps or values[i] < points[j]):
            running += np.int64(counts[i, 1]) - np.int64(counts[i, 0])
            i += 1
            low = min(low, running)
            high = max(high, running)
        fewest[j] = low
        most[j] = high
        if i < runs and j < gaps and values[i] == points[j]:
            running += np.int64(counts[i, 1]) - np.int64(counts[i, 0])
            i += 1
    return fewest, most


@compiled
def on_line(costs: NDArray[np.int64], steps: NDArray[np.int64]) -> None:
    """In place: labelling j and j + 1 are `steps[j]` apart."""
    for j in range(1, len(costs)):
        costs[j] = min(costs[j], costs[j - 1] + steps[j - 1])
    for j in range(len(costs) - 2, -1, -1):
        costs[j] = min(costs[j], costs[j + 1] + steps[j])


@compiled
def on_circle(costs: NDArray[np.int64], steps: NDArray[np.int64]) -> None:
    """In place: as on a line, and the last labelling is `steps[-1]` from the first. Twice around each way."""
    count = len(costs)
    for turn in range(2 * count):
        j = turn % count
        costs[j] = min(costs[j], costs[j - 1] + steps[j - 1])
    for turn in range(2 * count - 1, -1, -1):
        j = turn % count
        after = 0 if j == count - 1 else j + 1
        costs[j] = min(costs[j], costs[after] + steps[j])


def among_cuts(
    up: NDArray[np.int64], down: NDArray[np.int64], steps: NDArray[np.int64], upward: Sequence[bool]
) -> NDArray[np.int64]:
    """The same for the cuts of k points, `steps` apart, of one direction or of both: then the constants are shared, and
    the order up 0 … k, down 1 … k - 1 is a circle. `up` and `down` are the costs of all k + 1 cuts either way."""
    k = len(steps)
    if len(upward) == 1:
        costs = up if upward[0] else down
        on_line(costs, steps)
        return costs
    # A constant labelling is made by cuts of both directions: take the better concept.
    up[0], up[k] = min(up[0], down[k]), min(up[k], down[0])
    costs = np.concatenate([up, down[1:k]])
    if k:
        on_circle(costs, np.concatenate([steps, steps]))
    return costs


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """Labellings and their neighbours: those of z stand at first[z] … first[z + 1], with the point that differs."""

    first: NDArray[np.int64]
    neighbour: NDArray[np.int32]
    point: NDArray[np.int32]

    @classmethod
    def of(cls, nodes: int, a: NDArray[np.int64], b: NDArray[np.int64], points: NDArray[np.int64]) -> Graph:
        """From pairs (a, b), each given once."""
        first = np.zeros(nodes + 1, dtype=np.int64)
        np.cumsum(np.bincount(a, minlength=nodes) + np.bincount(b, minlength=nodes), out=first[1:])
        neighbour, point = (np.empty(2 * len(a), dtype=np.int32) for _ in range(2))
        _fill(first[:-1].copy(), neighbour, point, a, b, points)
        return cls(first, neighbour, point)


@compiled
def _fill(
    place: NDArray[np.int64],
    neighbour: NDArray[np.int32],
    point: NDArray[np.int32],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    points: NDArray[np.int64],
) -> None:
    for e in range(len(a)):
        for x, y in ((a[e], b[e]), (b[e], a[e])):
            neighbour[place[x]], point[place[x]] = y, points[e]
            place[x] += 1


def on_graph(costs: NDArray[np.int64], graph: Graph, steps: NDArray[np.int64]) -> None:
    """In place: two neighbours are `steps[p]` apart if they differ at point p.

    Exact if any two labellings are joined by a path that changes no point twice.
    """
    order = np.argsort(costs, kind="stable")
    _shortest(costs, order, graph.first, graph.neighbour, graph.point, steps)


@compiled
def _shortest(
    costs: NDArray[np.int64],
    order: NDArray[np.int64],
    first: NDArray[np.int64],
    neighbour: NDArray[np.int32],
    point: NDArray[np.int32],
    steps: NDArray[np.int64],
) -> None:
    """Dijkstra from all labellings at once, in the order of their costs; the heap holds those that were improved."""
    heap = np.empty(1024, np.int64)
    keys = np.empty(1024, np.int64)  # never changed later: a better entry is pushed instead
    size, begun = 0, 0
    starts = costs.copy()
    while begun < len(order) or size > 0:
        if begun < len(order) and (size == 0 or starts[order[begun]] <= keys[0]):
            z = order[begun]
            begun += 1
            if costs[z] < starts[z]:
                continue
        else:
            z, key = heap[0], keys[0]
            size = _pop(keys, heap, size)
            if costs[z] < key:
                continue
        for e in range(first[z], first[z + 1]):
            near = neighbour[e]
            cost = costs[z] + steps[point[e]]
            if cost < costs[near]:
                costs[near] = cost
                if size == len(heap):
                    heap, keys = np.concatenate((heap, heap)), np.concatenate((keys, keys))
                size = _push(keys, heap, size, cost, near)


@compiled
def _push(keys: NDArray[np.int64], heap: NDArray[np.int64], size: int, key: int, item: int) -> int:
    hole = size
    while hole > 0 and keys[(hole - 1) // 2] > key:
        keys[hole], heap[hole] = keys[(hole - 1) // 2], heap[(hole - 1) // 2]
        hole = (hole - 1) // 2
    keys[hole], heap[hole] = key, item
    return size + 1


@compiled
def _pop(keys: NDArray[np.int64], heap: NDArray[np.int64], size: int) -> int:
    size -= 1
    key, item, hole = keys[size], heap[size], 0
    while 2 * hole + 1 < size:
        child = 2 * hole + 1
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[hole], heap[hole] = keys[child], heap[child]
        hole = child
    keys[hole], heap[hole] = key, item
    return size


@compiled
def _ones(word: np.uint64) -> int:
    """Set bits of a word."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def nearest(
    bits: NDArray[np.uint64], costs: NDArray[np.int64], order: NDArray[np.int64], change: int
) -> NDArray[np.int64]:
    """The same for labellings without structure: rows of packed labels, one bit per record; `order` sorts the costs.

    Cheap ones are tried first; once a cost alone reaches the best sum, nothing later can improve it.
    """
    rows, words = bits.shape
    best = costs.copy()
    for h in range(rows):
        for place in range(rows):
            f = order[place]
            if costs[f] >= best[h]:
                break
            distance = np.int64(0)
            for word in range(words):
                distance += _ones(bits[h, word] ^ bits[f, word])
            best[h] = min(best[h], costs[f] + change * distance)
    return best
