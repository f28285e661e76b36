"""Which stumps label given points like an earlier one: exactly, and without writing their labels down.

A cut between values of a column labels a prefix of the points in the order of that column. It equals a prefix of
another order if the last of its points, in that order, stands before the same place and a value ends there; it equals a
suffix likewise. So running extremes of places compare all cuts of two columns in one pass.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.labellings.stump_distance import Chain
from privpac.concepts.labellings.table import packed_rows

__all__ = ["repeats"]

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


def repeats(
    chains: Sequence[Chain], starts: Sequence[int], loose: Ints, table: NDArray[np.uint8], count: int
) -> Mask:
    """For each of `count` candidates whether an earlier one makes the same labels.

    The cuts of a chain stand at its start, upward ones first, then as many downward ones; the candidates `loose`, in
    increasing order and with both constants in front, have rows in the table.
    """
    again = np.zeros(count, dtype=np.bool_)
    again[loose] = _repeated_rows(table)
    points = table.shape[1]
    for number, (chain, start) in enumerate(zip(chains, starts, strict=True)):
        gaps = len(chain.ends)
        same = (chain.ends == 0) | (chain.ends == points)  # one class for all points, as a constant
        for earlier in chains[:number]:
            same |= _prefixes_of(chain, earlier)
        again[start : start + gaps] |= same
        again[start + gaps : start + 2 * gaps] |= same
        places = _places(chain)
        for at, row in zip(loose.tolist(), table, strict=True):
            for cut in _cuts_like(places[row == 1], chain, start):
                again[max(cut, at)] = True
    return again


def _repeated_rows(table: NDArray[np.uint8]) -> Mask:
    _, first = np.unique(packed_rows(table), axis=0, return_index=True)
    again = np.ones(len(table), dtype=np.bool_)
    again[first] = False
    return again


def _places(chain: Chain) -> Ints:
    """Where each point stands in the order of a chain."""
    places = np.empty_like(chain.order)
    places[chain.order] = np.arange(len(chain.order))
    return places


def _prefixes_of(chain: Chain, other: Chain) -> Mask:
    """Which prefixes of one order are a prefix or a suffix of the other; with both classes on it, so are its cuts."""
    points = len(chain.order)
    there = _places(other)[chain.order]
    last = np.concatenate([[-1], np.maximum.accumulate(there)])[chain.ends]
    first = np.concatenate([[points], np.minimum.accumulate(there)])[chain.ends]
    prefix = (last < chain.ends) & np.isin(chain.ends, other.ends)
    suffix = (first >= points - chain.ends) & np.isin(points - chain.ends, other.ends)
    return np.asarray(prefix | suffix)


def _cuts_like(inside: Ints, chain: Chain, start: int) -> list[int]:
    """The numbers of the cuts of a chain with class 1 at these places: a downward one, an upward one, or none."""
    size, points, gaps = len(inside), len(chain.order), len(chain.ends)
    if not 0 < size < points:
        return []  # constants, which stand before all cuts
    steps = []
    down, up = (np.flatnonzero(chain.ends == end) for end in (size, points - size))
    if len(down) and inside.max() < size:
        steps.append(start + gaps + int(down[0]))
    if len(up) and inside.min() >= points - size:
        steps.append(start + int(up[0]))
    return steps
