"""Neighbouring separations of points by half-planes, and the fewest mistakes behind each of them.

Two separations are neighbours if they differ at one point; they are consecutive prefixes of an order of the sweep. On
this graph, distance is the number of points that change sides, each counted with any weight, wherever the points lie:
so the nearest half-plane to a labelling is a shortest path (`distance.on_graph`).
Proof: docs/proofs/relabelling-scores.md.

Codes: 2s + c is the s-th prefix of the sweep with class c on it; with s = number of prefixes, all points. Inverting the
last bit of a code swaps the two classes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.labellings.distance import Graph
from privpac.concepts.linear.plane_sweep import Sweep

__all__ = ["fewest_behind", "neighbours"]

Whole = NDArray[np.int64]
Short = NDArray[np.int32]


def _first_order(sweep: Sweep) -> Whole:
    """Codes of the prefixes of the first order, by length: complements of those of the last, its reverse."""
    _, lengths = sweep.prefixes
    last = np.full(len(sweep.points) + 1, len(lengths), dtype=np.int64)
    last[lengths] = np.arange(len(lengths))  # of equal lengths the one that is made last remains
    codes = 2 * last[::-1] + 1
    codes[-1] = 2 * len(lengths)
    return codes


def neighbours(sweep: Sweep) -> Graph:
    """All pairs of separations that differ at one point, with that point."""
    codes, points = 2 * len(sweep.prefixes[0]) + 2, len(sweep.points)
    names, _, _ = sweep.scores(np.arange(points, dtype=np.int64))
    total = points * (points - 1) // 2
    # The numbers of the points that have class 0 add up to this; neighbours differ by the number of one point.
    sums = np.empty(codes, dtype=np.int64)
    sums[:-2:2], sums[1:-2:2], sums[-2:] = names, total - names, (total, 0)
    ends = _edges(*sweep.prefixes, _first_order(sweep))
    if points == 1:  # no prefix stands between the constants
        ends = np.array([[0], [1]])
    return Graph.of(codes, ends[0], ends[1], np.abs(sums[ends[0]] - sums[ends[1]]))


@compiled
def _edges(groups: Short, lengths: Short, current: Whole) -> Whole:
    """Pairs of consecutive prefixes, each pair once and with both classes; `current` is the order of the moment."""
    count, edge = len(groups), 0
    ends = np.empty((2, 4 * count), np.int64)
    start = 0
    while start < count:
        stop = start
        while stop < count and groups[stop] == groups[start]:
            current[lengths[stop]] = 2 * stop
            stop += 1
        for s in range(start, stop):
            m = lengths[s]
            after = current[m + 1]
            new = after >= 2 * start and after < 2 * stop
            for other in (current[m - 1], after):
                if other == after and new:
                    continue  # that one lists this pair
                for side in range(2):
                    ends[0, edge], ends[1, edge] = 2 * s + side, other ^ side
                    edge += 1
        start = stop
    return ends[:, :edge]


def fewest_behind(sweep: Sweep, joint: Sweep, inside: NDArray[np.bool_], mistakes: Whole) -> Whole:
    """For every separation of the points of `sweep`, the fewest mistakes of a separation of `joint` that extends it.

    `inside` says which points of `joint` are points of `sweep`; `mistakes` are those of the separations of `joint`.
    """
    total, groups, _ = joint.scores(inside.astype(np.int64))
    turns = np.zeros(joint.groups, dtype=np.bool_)  # changes of `joint` that are changes of `sweep`
    if joint.groups:
        both = inside[joint.i] & inside[joint.j]
        turns = np.logical_or.reduceat(both, joint.first[:-1])
    least = np.full(2 * len(sweep.prefixes[0]) + 2, np.iinfo(np.int64).max)
    _fewest(*sweep.prefixes, _first_order(sweep), total, groups, turns, mistakes, least)
    return least


@compiled
def _fewest(
    groups: Short,
    lengths: Short,
    current: Whole,
    total: Whole,
    joint_groups: Short,
    turns: NDArray[np.bool_],
    mistakes: Whole,
    least: Whole,
) -> None:
    """Walk through both sweeps together; both have their changes in the order of slopes."""
    prefix, turn, at = 0, -1, 0
    for t in range(len(total)):
        while at <= joint_groups[t]:
            if turns[at]:
                turn += 1
                while prefix < len(groups) and groups[prefix] == turn:
                    current[lengths[prefix]] = 2 * prefix
                    prefix += 1
            at += 1
        code = current[total[t]]
        for side in range(2):
            least[code ^ side] = min(least[code ^ side], mistakes[2 * t + side])
    whole = current[-1]  # the constants
    for side in range(2):
        least[whole ^ side] = min(least[whole ^ side], mistakes[2 * len(total) + side])
