"""All half-planes over two numeric columns, as far as given points tell them apart.

There are too many of them to be a public list, so no draw over all of them protects whole records; their labellings of
public features can be listed, n(n - 1) + 2 for n points in general position. That is what label privacy and relabelling
choose from.
Proof: docs/proofs/plane-sweep.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import AnyNumber, Costs, EvenPrior, Gibbs, Hypothesis, Stored
from privpac.concepts.labellings.base import ListedPrices, VotedDichotomies, reduce_all
from privpac.concepts.labellings.distance import on_graph
from privpac.concepts.labellings.table import multiplicities
from privpac.concepts.line.stumps import Constant
from privpac.concepts.linear.halfspace import Halfspace
from privpac.concepts.linear.plane_graph import fewest_behind, neighbours
from privpac.concepts.linear.plane_sides import sums_beside
from privpac.concepts.linear.plane_sweep import Sweep, swept
from privpac.data.columns import Numeric
from privpac.data.rows import RowCounts, Rows
from privpac.data.sample import Block, Sample
from privpac.data.schema import Schema
from privpac.errors import DataError, ParameterError, SizeError
from privpac.theory.listing import MOST_SEPARATED, most_distinct
from privpac.theory.vc import growth

__all__ = ["Halfplanes", "PlaneDichotomies"]

MOST_RELABELLED = 2_500
"""Points that may be relabelled: six million separations, whose neighbours take half a gigabyte."""

MOST_STEPS = 2**29
"""Pairs of points times records that are placed beside their half-planes: half a minute, about."""


@dataclass(frozen=True)
class _PointLabels:
    """How many records of each class lie on each of the sorted points. The last row counts records elsewhere."""

    columns: tuple[str, ...]
    points: NDArray[np.int64]

    def __hash__(self) -> int:
        return hash((self.columns, self.points.tobytes()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _PointLabels) and np.array_equal(self.points, other.points)

    def zero(self) -> NDArray[np.int64]:
        return np.zeros((len(self.points) + 1, 2), dtype=np.int64)

    def absorb(self, state: NDArray[np.int64], block: Block) -> NDArray[np.int64]:
        if block.labels is None:
            raise DataError(
                "These records have no labels, and counting mistakes needs them.", remedy="Give labels."
            )
        records = np.stack([block.cells[name].astype(np.int64) for name in self.columns], axis=1)
        places = _places(self.points, records)
        if len(self.points) and len(records):
            places[(self.points[places] != records).any(axis=1)] = len(self.points)
        np.add.at(state, (places, block.labels.astype(np.int64)), 1)
        return state

    def merge(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
        return a + b


def _places(points: NDArray[np.int64], records: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where rows stand among sorted distinct rows, or would stand."""
    keys = points[:, 0].astype(np.uint64) * np.uint64(2**32) + points[:, 1].astype(np.uint64)
    words = records[:, 0].astype(np.uint64) * np.uint64(2**32) + records[:, 1].astype(np.uint64)
    return np.minimum(np.searchsorted(keys, words), max(0, len(keys) - 1)).astype(np.int64)


@dataclass(frozen=True)
class Halfplanes(AnyNumber, EvenPrior, Stored):
    """Every half-plane over the cells of two numeric columns."""

    schema: Schema
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        columns = [self.schema.column(name) for name in self.columns]
        numeric = all(isinstance(column, Numeric) and column.size <= 2**32 for column in columns)
        if len(set(self.columns)) != 2 or len(self.columns) != 2 or not numeric:
            raise ParameterError(
                "Halfplanes",
                "columns",
                self.columns,
                allowed="two different numeric columns of at most 2^32 cells",
                remedy="In more dimensions use halfspaces:COL,COL,COL or scorecards.",
            )

    @property
    def word(self) -> str:
        return f"halfplanes:{','.join(self.columns)}"

    @property
    def size(self) -> int:
        """At most: labellings of the whole grid by a class of VC dimension 3."""
        first, second = (self.schema.column(name).size for name in self.columns)
        return growth(first * second, vc=3)

    @property
    def vc(self) -> int:
        return 3

    @property
    def statistic(self) -> RowCounts:
        return RowCounts(tuple(self.schema.column(name) for name in self.columns))

    def gibbs(self, evidence: Rows, *, ratio: Fraction, costs: Costs) -> Gibbs:
        raise ParameterError(
            "Halfplanes",
            "protect",
            "records",
            allowed="'labels': half-planes that follow the records would reveal where they lie",
            remedy=f"For whole records draw over public directions: halfspaces:{','.join(self.columns)}.",
        )

    def contains(self, hypothesis: Hypothesis) -> bool:
        """A constant, or a line in the middle between cells, with a normal that two pairs of cells can span."""
        if isinstance(hypothesis, Constant):
            return hypothesis.label in (0, 1)
        if not isinstance(hypothesis, Halfspace) or hypothesis.columns != self.columns:
            return False
        longest = 4 * max(self.schema.column(name).size for name in self.columns)
        even = all(weight % 2 == 0 and abs(weight) <= longest for weight in hypothesis.weights)
        return even and any(hypothesis.weights)

    def points_of(self, samples: Sequence[Sample]) -> NDArray[np.int64]:
        """The distinct points, in the order of x, then y."""
        return reduce_all(self.statistic, tuple(samples)).words.astype(np.int64)

    def require_listed(self, points: int, *, elsewhere: int = 0) -> None:
        distinct, instead = (
            self._distinct(points),
            f"halfspaces:{','.join(self.columns)} with public directions",
        )
        if distinct > MOST_SEPARATED:
            raise SizeError(
                f"Halfplanes: {points} records may have more different points than the {MOST_SEPARATED} whose "
                "separations are listed.",
                remedy=f"Use {instead}, or at most {MOST_SEPARATED} records.",
            )
        if elsewhere and distinct * (distinct - 1) // 2 * self._distinct(points + elsewhere) > MOST_STEPS:
            raise SizeError(
                f"Halfplanes: {points} points and {elsewhere} records elsewhere take too many steps to be compared.",
                remedy=f"Use {instead}, or fewer records.",
            )

    def require_relabelled(self, records: int, *, voters: int) -> None:
        if self._distinct(records) > MOST_RELABELLED:
            raise SizeError(
                f"Halfplanes: {records} records may have more different points than the {MOST_RELABELLED} that are "
                "relabelled.",
                remedy="Keep fewer records, or use thresholds, intervals or stumps.",
            )
        self.require_listed(records + voters)

    def _distinct(self, records: int) -> int:
        return most_distinct(records, (self.schema.column(name).size for name in self.columns))

    def dichotomies(self, *points: Sample) -> PlaneDichotomies:
        return PlaneDichotomies(self, self.points_of(points))


@dataclass(frozen=True, eq=False, repr=False)
class PlaneDichotomies(VotedDichotomies[int]):
    """Separations of points: 2s and 2s + 1 are the s-th prefix of the sweep with class 0 or class 1 on it; the last two
    labellings are the constants."""

    concepts: Halfplanes
    points: NDArray[np.int64]

    @cached_property
    def _sweep(self) -> Sweep:
        return swept(self.points)

    @property
    def count(self) -> int:
        return 2 * len(self._sweep.prefixes[0]) + 2

    def member(self, index: int) -> Hypothesis:
        split, ones = divmod(index, 2)
        if split == len(self._sweep.prefixes[0]):
            return Constant(ones)
        group, length = (int(part[split]) for part in self._sweep.prefixes)
        x, y = self._sweep.normal(group)
        along = sorted(x * p + y * q for p, q in self.points.tolist())
        edge = along[length - 1] + along[length]  # twice the middle between the prefix and the rest
        weights = (2 * x, 2 * y)
        if not ones:
            return Halfspace(self.concepts.columns, weights, edge)
        return Halfspace(self.concepts.columns, (-weights[0], -weights[1]), -edge)

    def mistakes(self, sample: Sample) -> ListedPrices:
        counts = sample.reduce(_PointLabels(self.concepts.columns, self.points))
        zeros, ones = (int(total) for total in counts.sum(axis=0))
        if counts[-1].any():
            below, at_most = self._anywhere(sample)
        else:
            below, _, _ = self._sweep.scores(counts[:-1, 1] - counts[:-1, 0])
            at_most = below  # no point lies on an edge
        # Class 0 below the edge errs on the ones there and on the zeros beyond; class 1 up to it the other way round.
        prices = np.empty(2 * len(below) + 2, dtype=np.int64)
        prices[:-2:2] = zeros + below
        prices[1:-2:2] = ones - at_most
        prices[-2:] = ones, zeros
        return ListedPrices(prices)

    def _anywhere(self, sample: Sample) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ones less zeros below the edge of every prefix, and below or on it, of records that lie anywhere."""
        others = self.concepts.points_of([sample])
        counts = sample.reduce(_PointLabels(self.concepts.columns, others))
        groups, lengths = self._sweep.prefixes
        normals = np.array([self._sweep.normal(g) for g in range(self._sweep.groups)], np.int64).reshape(
            -1, 2
        )
        below, at_most = sums_beside(
            self.points, normals, groups, lengths, others, counts[:-1, 1] - counts[:-1, 0]
        )
        return below, at_most

    def relabelling(self, sample: Sample, rest: Sample, *, change: int, mistake: int) -> ListedPrices:
        """The fewest mistakes behind every labelling, from a sweep over all points; then shortest paths."""
        others = self.concepts.points_of([rest])
        joint = PlaneDichotomies(self.concepts, np.unique(np.concatenate([self.points, others]), axis=0))
        inside = np.zeros(len(joint.points), dtype=np.bool_)
        inside[_places(joint.points, self.points)] = True
        costs = mistake * fewest_behind(self._sweep, joint._sweep, inside, joint.mistakes(rest).scores)
        rows = Rows(self.points.astype(np.uint64), np.zeros(len(self.points), np.int64))
        on_graph(
            costs,
            neighbours(self._sweep),
            change * multiplicities(rows, sample.reduce(self.concepts.statistic)),
        )
        return ListedPrices(costs)
