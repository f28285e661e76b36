"""Dichotomies of a listed class: evaluate every member at the distinct points, and keep each labelling once.

The distance between two labellings has no structure here, and nearest labellings of an arbitrary list are not known to
be found in less than the square of their number (docs/proofs/relabelling-scores.md). So pairs are compared, 64 records
an operation, cheapest concepts first: linear in the number of pairs. Measured by benchmarks/speed.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Hypothesis
from privpac.concepts.labellings.base import ListedPrices, VotedDichotomies, foreign_points
from privpac.concepts.labellings.distance import nearest
from privpac.data.rows import RowCounts, Rows
from privpac.data.sample import Sample
from privpac.errors import SizeError
from privpac.theory.listing import LARGEST_TABLE

__all__ = ["TableDichotomies", "multiplicities", "packed_rows", "require_table"]

Mistakes = Callable[[Sample], NDArray[np.int64]]


def require_table(owner: str, *, candidates: int, points: int, most: int | None = None) -> None:
    """Refuse a table that could grow too large, whatever the points are."""
    limit = LARGEST_TABLE if most is None else most
    if candidates * points > limit:
        raise SizeError(
            f"{owner}: up to {candidates} candidates at {points} points have more labels than the {limit} that are "
            "listed.",
            remedy="List the labellings of fewer records, or declare fewer columns or cells.",
        )


@dataclass(frozen=True, eq=False, repr=False)
class TableDichotomies(VotedDichotomies[int]):
    """`table` has a row of labels for each member of the class; `mistakes_of` counts mistakes member by member."""

    statistic: RowCounts
    rows: Rows
    table: NDArray[np.uint8]
    mistakes_of: Mistakes
    name: Callable[[int], Hypothesis]

    @cached_property
    def _groups(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first candidate of each labelling, in their order, and the labelling of every candidate."""
        bit_rows = packed_rows(self.table)
        _, first, group = np.unique(bit_rows, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return first[order], place[group.reshape(-1)]

    def member(self, index: int) -> Hypothesis:
        return self.name(int(self._groups[0][index]))

    def mistakes(self, sample: Sample) -> ListedPrices:
        return ListedPrices(self.mistakes_of(sample)[self._groups[0]])

    def relabelling(self, sample: Sample, rest: Sample, *, change: int, mistake: int) -> ListedPrices:
        first, group = self._groups
        candidates = mistake * self.mistakes_of(rest)
        counts = multiplicities(self.rows, sample.reduce(self.statistic))
        costs = np.full(len(first), np.iinfo(np.int64).max)
        np.minimum.at(costs, group, candidates)
        bits = packed_rows(np.repeat(self.table[first], counts, axis=1))
        return ListedPrices(nearest(bits, costs, np.argsort(costs, kind="stable"), change))


def packed_rows(table: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Rows of zeros and ones as 64-bit words, at least one of them."""
    octets = np.packbits(table, axis=1)
    words = max(1, -(-octets.shape[1] // 8))
    buffer = np.zeros((len(table), 8 * words), dtype=np.uint8)
    buffer[:, : octets.shape[1]] = octets
    result: NDArray[Any] = buffer.view(np.uint64)
    return result


def multiplicities(points: Rows, some: Rows) -> NDArray[np.int64]:
    """How often each point occurs among the kept records, all of which must be points."""
    joint = np.concatenate([points.words, some.words])
    distinct, place = np.unique(joint, axis=0, return_inverse=True)
    if len(distinct) != len(points.words):
        raise foreign_points()
    counts = np.zeros(len(distinct), dtype=np.int64)
    counts[place.reshape(-1)[len(points.words) :]] = some.counts
    return counts
