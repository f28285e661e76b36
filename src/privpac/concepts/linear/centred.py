"""Half-spaces through the middle of a box: integer directions on the surface of a cube.

In the plane there are as many directions as one likes: the mistakes change only where a direction passes a record, so
n records make arcs of equal score, on the four sides of a square. In three to five dimensions the directions are
listed and counted one by one. Both are covers of all half-spaces through the middle, without chance.
Proof: docs/proofs/reference-cover.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.base import (
    AnyNumber,
    Costs,
    CountedByScore,
    DrawnByScore,
    EvenPrior,
    Hypothesis,
    Stored,
)
from privpac.concepts.grids import LARGEST_SPHERE, MOST_DIRECTIONS, PLANE
from privpac.concepts.linear.halfspace import Halfspace
from privpac.data.columns import Numeric
from privpac.data.sample import Block, labels_of
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.mechanisms.scores import Histogram, NamedScores, Place, Row, Runs, Scores

__all__ = ["CentredHalfspaces"]


@dataclass(frozen=True, repr=False, eq=False)
class Coordinates:
    """The coordinates of all records, from the middle, in half cells: odd or even integers; apart for each class."""

    by_class: tuple[NDArray[np.int64], ...]

    def __repr__(self) -> str:
        return f"Coordinates(classes={len(self.by_class)})"


@dataclass(frozen=True)
class CentredCells:
    """The statistic of centred half-spaces: twice a cell, minus the number of cells, plus one."""

    columns: tuple[str, ...]
    cells: int
    classes: int = 2

    def zero(self) -> Coordinates:
        return Coordinates(tuple(np.zeros((0, len(self.columns)), np.int64) for _ in range(self.classes)))

    def absorb(self, state: Coordinates, block: Block) -> Coordinates:
        labels = labels_of(block, self.classes)
        matrix = np.stack([block.cells[name].astype(np.int64) for name in self.columns], axis=1)
        coordinates = 2 * matrix - (self.cells - 1)
        own_state = Coordinates(tuple(coordinates[labels == label] for label in range(self.classes)))
        return self.merge(state, own_state)

    def merge(self, a: Coordinates, b: Coordinates) -> Coordinates:
        return Coordinates(tuple(np.concatenate(pair) for pair in zip(a.by_class, b.by_class, strict=True)))


@dataclass(frozen=True)
class CentredHalfspaces(AnyNumber, CountedByScore, DrawnByScore, EvenPrior, Stored):
    """Half-spaces through the middle of the declared box of two to five columns with equally many cells.

    `reach` is the half-side of the cube whose integer surface points are the directions; class 1 where w·x ≥ 0.
    """

    schema: Schema
    columns: tuple[str, ...]
    reach: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        if not 2 <= len(set(self.columns)) == len(self.columns) <= LARGEST_SPHERE:
            raise ParameterError(
                "CentredHalfspaces",
                "columns",
                self.columns,
                allowed=f"two to {LARGEST_SPHERE} different columns",
                remedy="In six dimensions a useful cover has 10^9 members; use scorecards, or declare directions.",
            )
        columns = [self.schema.column(name) for name in self.columns]
        sizes = {column.size for column in columns}
        if not all(isinstance(column, Numeric) for column in columns) or len(sizes) > 1 or max(sizes) > 2**32:
            raise ParameterError(
                "CentredHalfspaces",
                "columns",
                self.columns,
                allowed="numeric columns with the same number of cells, at most 2^32",
                remedy="Declare the same resolution, or the same range of integers, for all of them.",
            )
        if self.reach is None:
            object.__setattr__(self, "reach", PLANE if len(self.columns) == 2 else 8)
        if isinstance(self.reach, bool) or not isinstance(self.reach, int) or not 1 <= self.reach <= 2**40:
            raise ParameterError("CentredHalfspaces", "reach", self.reach, allowed="between 1 and 2^40")
        if len(self.columns) > 2 and self.size > MOST_DIRECTIONS:
            raise SizeError(
                f"CentredHalfspaces: {self.size} directions are more than the {MOST_DIRECTIONS} that are counted.",
                remedy="Use a smaller reach, or fewer columns.",
            )

    @property
    def _reach(self) -> int:
        assert self.reach is not None
        return self.reach

    @property
    def cells(self) -> int:
        """The number of cells of each column."""
        return self.schema.column(self.columns[0]).size

    @property
    def word(self) -> str:
        return f"centred:{','.join(self.columns)}"

    @property
    def size(self) -> int:
        d, m = len(self.columns), self._reach
        return int((2 * m + 1) ** d - (2 * m - 1) ** d)

    @property
    def vc(self) -> int:
        return len(self.columns)

    @property
    def statistic(self) -> CentredCells:
        return CentredCells(self.columns, self.cells, classes=len(self.schema.classes))

    def member(self, direction: tuple[int, ...]) -> Halfspace:
        """w·(2·cell - (size - 1)) ≥ 0 in terms of cells."""
        weights = tuple(2 * w for w in direction)
        return Halfspace(self.columns, weights, sum(direction) * (self.cells - 1))

    def contains(self, hypothesis: Hypothesis) -> bool:
        if not isinstance(hypothesis, Halfspace) or hypothesis.columns != self.columns:
            return False
        direction = tuple(weight // 2 for weight in hypothesis.weights)
        on_surface = max(map(abs, direction)) == self._reach
        return on_surface and self.member(direction) == hypothesis

    def scores(self, evidence: Coordinates, *, costs: Costs) -> Scores[Hypothesis]:
        if len(self.columns) == 2:
            return NamedScores(Runs(_arcs(evidence, self._reach, costs)), self._on_square)
        return GridScores(evidence, len(self.columns), self._reach, (costs[0], costs[1]), self.member)

    def _on_square(self, place: Place) -> Hypothesis:
        return self.member(_corner(place[0], place[1] - self._reach, self._reach))


def _corner(side: int, step: int, reach: int) -> tuple[int, int]:
    """The direction at `step` of a side of the square, the sides one after the other, counter-clockwise."""
    return ((reach, step), (-step, reach), (-reach, -step), (step, -reach))[side]


def _arcs(evidence: Coordinates, reach: int, costs: Costs) -> list[Row]:
    """For each side of the square the steps -reach … reach - 1, as members 0 … 2·reach - 1 in runs of equal score."""
    rows = []
    for side in range(4):
        start, events = 0, []
        for label, points in enumerate(evidence.by_class):
            cost = int(costs[label])
            for x, y in points.tolist():
                # On this side w·p = reach·a + step·b.
                a, b = ((x, y), (y, -x), (-x, -y), (-y, x))[side]
                inside = reach * a - reach * b >= 0
                start += cost * (inside != (label == 1))
                if b == 0:
                    continue
                # The first step from which the answer differs from that at -reach.
                turn = -(reach * a // b) if b > 0 else reach * a // -b + 1
                if -reach < turn < reach:
                    events.append((turn, cost if inside == (label == 1) else -cost))
        rows.append(_row(start, events, reach))
    return rows


def _row(start: int, events: list[tuple[int, int]], reach: int) -> Row:
    events.sort()
    turns, moves = (
        np.array([e[0] for e in events], dtype=np.int64),
        np.array([e[1] for e in events], dtype=np.int64),
    )
    distinct, first = np.unique(turns, return_index=True)
    sums = np.add.reduceat(moves, first) if len(moves) else moves
    scores = start + np.concatenate([[0], np.cumsum(sums)]).astype(np.int64)
    return Row.of(0, (distinct + reach - 1).astype(np.uint64), scores, 2 * reach - 1)


@dataclass(frozen=True, eq=False, repr=False)
class GridScores:
    """Directions on the surface of a cube, counted one by one."""

    evidence: Coordinates
    dimension: int
    reach: int
    costs: tuple[int, int]
    name: Callable[[tuple[int, ...]], Hypothesis]

    def _faces(self) -> Iterator[NDArray[np.int64]]:
        """Surface points: the first coordinate of absolute value `reach` names the face."""
        m = self.reach
        for axis, sign in product(range(self.dimension), (m, -m)):
            ranges = [np.arange(-m + 1, m)] * axis + [np.array([sign])]
            ranges += [np.arange(-m, m + 1)] * (self.dimension - axis - 1)
            grid = np.meshgrid(*ranges, indexing="ij")
            yield np.stack([part.ravel() for part in grid], axis=1)

    @cached_property
    def _points(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coordinates as doubles, a row per axis: all products and sums are integers below 2^53."""
        zeros, ones = (np.ascontiguousarray(part.T, dtype=np.float64) for part in self.evidence.by_class)
        return zeros, ones

    def _prices(self, chunk: NDArray[np.int64]) -> NDArray[np.int64]:
        return _mistakes(chunk.astype(np.float64), *self._points, self.costs)

    def histogram(self, span: int | None) -> Histogram:
        return Histogram.of_parts(map(self._prices, self._faces()), span)

    def locate(self, score: int, index: int) -> Hypothesis:
        for chunk in self._faces():
            places = np.flatnonzero(self._prices(chunk) == score)
            if index < len(places):
                return self.name(tuple(chunk[places[index]].tolist()))
            index -= len(places)
        raise IndexError("no direction with this score and index")


@compiled
def _above(direction: NDArray[np.float64], points: NDArray[np.float64], sums: NDArray[np.float64]) -> int:
    """How many points have w·x ≥ 0."""
    count, n = 0, points.shape[1]
    for start in range(0, n, len(sums)):
        size = min(len(sums), n - start)
        for r in range(size):
            sums[r] = 0.0
        for j in range(len(direction)):
            weight, row = direction[j], points[j, start : start + size]
            for r in range(size):
                sums[r] += weight * row[r]
        for r in range(size):
            count += sums[r] >= 0.0
    return count


@compiled
def _mistakes(
    directions: NDArray[np.float64],
    zeros: NDArray[np.float64],
    ones: NDArray[np.float64],
    costs: tuple[int, int],
) -> NDArray[np.int64]:
    """Price of w·x ≥ 0 for each direction."""
    mistakes = np.empty(len(directions), np.int64)
    sums = np.empty(1024, np.float64)
    for i in range(len(directions)):
        wrong = _above(directions[i], zeros, sums) * costs[0]
        mistakes[i] = wrong + (ones.shape[1] - _above(directions[i], ones, sums)) * costs[1]
    return mistakes
