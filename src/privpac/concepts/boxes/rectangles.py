"""Axis-aligned boxes over a few ordered columns: one class inside, the other outside.

Every box is a member once, and so is the empty one. On the full grid a box has its edges at any cells; a coarse grid
puts each column's cells into equal groups before any record is seen, and a box has its edges between groups.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from privpac.coins import Coins
from privpac.concepts.base import Costs, EvenPrior, Hypothesis, MadeOfCuts, Stored
from privpac.concepts.boxes.axes import Axis, blank_ranges, ranges_of
from privpac.concepts.boxes.box import Box
from privpac.concepts.boxes.ladder import BoxLadder
from privpac.concepts.boxes.sums import BoxSums
from privpac.concepts.chains import Chains
from privpac.concepts.grids import (
    BOX_GROUPS,
    FULL,
    MOST_BOX_BITS,
    MOST_BOX_COLUMNS,
    STEP_SECONDS,
    Bins,
    box_bits,
    box_bytes,
    box_grid,
    box_steps,
    boxes_fit,
    coarser_boxes,
)
from privpac.concepts.labellings.base import reduce_all
from privpac.concepts.labellings.boxes import BoxDichotomies
from privpac.concepts.labellings.members import MemberDichotomies
from privpac.concepts.line.unions import check_costs, check_ordered
from privpac.concepts.literals.cooccurrence import Estimate
from privpac.concepts.trees.powers import Choice, Floats, Integers
from privpac.data.occupied import OccupiedCells, PointCounts
from privpac.data.sample import Sample
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.theory.listing import boxes_drawn_from

__all__ = ["RectangleGibbs", "Rectangles"]


@dataclass(frozen=True)
class Rectangles(EvenPrior, MadeOfCuts, Stored):
    """All boxes of a public grid over one to five ordered columns.

    `bins` is "full" where boxes may have their edges at any cell, or the number of groups per column, or one for each.
    None stands in old documents: at most 4096, 256 or 32 groups in one, two or three dimensions.
    """

    schema: Schema
    columns: tuple[str, ...]
    bins: Bins = FULL
    inside: int = 1

    def __post_init__(self) -> None:
        names: object = self.columns
        columns = (names,) if isinstance(names, str) else tuple(self.columns)
        object.__setattr__(self, "columns", columns)
        if not 1 <= len(columns) <= MOST_BOX_COLUMNS or len(set(columns)) != len(columns):
            raise ParameterError(
                "Rectangles",
                "columns",
                columns,
                allowed="one to five different columns",
                remedy="Above five dimensions use trees.",
            )
        check_ordered("Rectangles", self.schema, columns, self.inside)
        if isinstance(self.bins, (list, tuple)):
            object.__setattr__(self, "bins", tuple(self.bins))
        if box_bits(self.groups) > MOST_BOX_BITS:
            raise SizeError(
                "Rectangles: this grid has too many boxes for their number to be written.",
                remedy=f"Name a coarser grid: {self._on(256)}, or declare narrower bounds.",
            )

    @property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(self.schema.column(name).size for name in self.columns)

    @property
    def cut_columns(self) -> tuple[str, ...]:
        return self.columns

    @property
    def ends(self) -> int:
        return 2 * len(self.columns)

    def chains(self, groups: int) -> Chains:
        """Ends lie between the groups of the grid; both in one place are the empty box."""
        return Chains.by_ends(self.groups, 2, groups)

    def over(self, schema: Schema) -> Rectangles:
        return Rectangles(schema, self.columns, inside=self.inside)

    @cached_property
    def groups(self) -> tuple[int, ...]:
        """How many groups of equal width each column has."""
        sizes, wish = self._sizes, self.bins
        if wish == FULL:
            return sizes
        if wish is None:
            return tuple(min(size, BOX_GROUPS.get(len(sizes), 1)) for size in sizes)
        bins = wish if isinstance(wish, tuple) else (wish,) * len(sizes)
        counts = [count for count in bins if isinstance(count, int) and not isinstance(count, bool)]
        if len(bins) != len(sizes) or len(counts) != len(bins) or min(counts) < 1:
            raise ParameterError(
                "Rectangles", "bins", wish, allowed="'full', a positive integer, or one for each column"
            )
        return tuple(min(count, size) for count, size in zip(counts, sizes, strict=True))

    @property
    def word(self) -> str:
        return f"rectangles:{','.join(self.columns)}"

    def _on(self, bins: int) -> str:
        """The word for the same boxes on this many groups per column."""
        return f"{self.word}:{bins}"

    @property
    def grid(self) -> str:
        """Where its members have their edges, and what that leaves out."""
        return box_grid(self.columns, self._sizes, self.groups)

    @property
    def size(self) -> int:
        return math.prod(map(ranges_of, self.groups)) + 1

    @property
    def vc(self) -> int:
        return 2 * len(self.columns)

    @property
    def statistic(self) -> OccupiedCells:
        axes = tuple(self.schema.column(name) for name in self.columns)
        return OccupiedCells(axes, self.groups, classes=len(self.schema.classes))

    def estimate(self, n: int) -> Estimate:
        """Seconds and bytes for n records, from public numbers only."""
        return Estimate(STEP_SECONDS * box_steps(self.groups, n), box_bytes(self.groups, n))

    def require(self, n: int | None) -> None:
        """Refuse what takes too long for this many records; a coarser grid that does not is named."""
        if n is None or boxes_fit(self.groups, n):
            return
        grid, count = " x ".join(f"{size:,}" for size in self.groups), coarser_boxes(self.groups, n)
        raise SizeError(
            f"Rectangles: on a grid of {grid} cells, sums over all boxes take too long for {n:,} records.",
            remedy=f"Use fewer records, or a coarser grid: {self._on(count)} has {count} groups per column.",
        )

    voted_as_members: ClassVar[bool] = True

    @property
    def members_from(self) -> int | None:
        """Where labellings take too long to sum, or have too many sides, boxes are drawn themselves."""
        return boxes_drawn_from(self.groups)

    def _drawn_themselves(self, points: int) -> bool:
        return self.members_from is not None and points >= self.members_from

    def require_listed(self, points: int, *, elsewhere: int = 0) -> None:
        if self._drawn_themselves(points):
            self.require(points + elsewhere)

    def require_relabelled(self, records: int, *, voters: int) -> None:
        """Boxes are drawn themselves, by their mistakes on the voters."""
        self.require(voters)

    def dichotomies(self, *points: Sample) -> BoxDichotomies | MemberDichotomies[PointCounts]:
        """Its labellings of the distinct points of these records; boxes themselves for many records."""
        if self._drawn_themselves(sum(sample.size.total for sample in points)):
            return MemberDichotomies(self)
        cells = reduce_all(OccupiedCells(self.statistic.axes, self.groups, classes=1), points)
        return BoxDichotomies(self.statistic, cells, self.inside, self._box)

    def _box(self, ranges: Sequence[tuple[int, int]] | None) -> Box:
        return self.nothing if ranges is None else self.member(ranges)

    def contains(self, hypothesis: Hypothesis) -> bool:
        return self._contains(hypothesis, self.groups)

    def contains_moved(self, hypothesis: Hypothesis) -> bool:
        return self._contains(hypothesis, self._sizes)

    def _contains(self, hypothesis: Hypothesis, grid: tuple[int, ...]) -> bool:
        if not isinstance(hypothesis, Box) or not hypothesis.is_written_once:
            return False
        same = (hypothesis.columns, hypothesis.inside) == (self.columns, self.inside)
        ends = zip(hypothesis.columns, hypothesis.low, hypothesis.high, grid, strict=False)
        return same and all(
            _is_edge(edge, self.schema.column(name).size, groups)
            for name, low, high, groups in ends
            for edge in (low, high)
        )

    def gibbs(self, evidence: PointCounts, *, ratio: Fraction, costs: Costs) -> RectangleGibbs:
        prices = check_costs("Rectangles", costs, evidence.n)
        out, inn = 1 - self.inside, self.inside
        moves = prices[out] * evidence.counts[:, out] - prices[inn] * evidence.counts[:, inn]
        # Points that cost as much inside as outside are as good as none.
        telling = np.flatnonzero(moves)
        columns = [[column[k] for k in telling.tolist()] for column in self.statistic.groups(evidence)]
        # The finest axis is summed by a tree, that before it walked through, and of others every range is taken.
        order = tuple(sorted(range(len(columns)), key=lambda axis: self.groups[axis]))
        pairs = [_axis(columns[axis], self.groups[axis]) for axis in order]
        if len(pairs) == 1:
            pairs = [_axis([0] * len(telling), 1), *pairs]
        axes, points = zip(*pairs, strict=True)
        sums = BoxSums(axes, np.array(points), moves[telling], ratio, self.size)
        return RectangleGibbs(self, sums, order)

    def member(self, ranges: Sequence[tuple[int, int]]) -> Box:
        """The box of these first and last groups, one pair per column."""
        sides = list(zip(ranges, self._sizes, self.groups, strict=True))
        low = tuple(-(-first * size // count) for (first, _), size, count in sides)
        high = tuple(-(-(last + 1) * size // count) for (_, last), size, count in sides)
        return Box(self.columns, low, high, self.inside)

    @property
    def nothing(self) -> Box:
        """The empty box."""
        origin = (0,) * len(self.columns)
        return Box(self.columns, origin, origin, self.inside)


def _axis(groups: list[int], size: int) -> tuple[Axis, Integers]:
    """The values that occur along an axis, and which of them each point has."""
    numbers = np.array(groups, dtype=object if size > 2**63 else np.int64)
    values, places = np.unique(numbers, return_inverse=True)
    return Axis(size, tuple(values.tolist())), places.astype(np.int64)


def _is_edge(edge: int, size: int, groups: int) -> bool:
    """Whether an edge lies between two of the equal groups of a column: at ceil(group · size / groups)."""
    return 0 <= edge <= size and -(-(edge * groups // size) * size // groups) == edge


@dataclass(frozen=True, eq=False, repr=False)
class RectangleGibbs:
    """The law Pr[h] ∝ ratio^price(h) over the boxes of a grid. Private: it has no repr."""

    concepts: Rectangles
    sums: BoxSums
    order: tuple[int, ...]
    """Which column each of the last axes of the sums is; an axis in front of a lone one has one cell."""

    @cached_property
    def _lefts(self) -> Floats:
        return self.sums.lefts()

    def draw(self, coins: Coins) -> Hypothesis:
        index, axes = coins.choose(Choice(self, "lefts")), self.sums.axes
        if index == len(self.sums.outer) * len(axes[-2].values):
            place = coins.below(self.sums.blank)
            return self.concepts.nothing if place == 0 else self._member(blank_ranges(axes, place - 1))
        outer_index, first = divmod(index, len(axes[-2].values))
        outer = self.sums.outer[outer_index]
        last = first + coins.choose(Choice(self, "rights", outer, first))
        end = coins.choose(Choice(self, "ends", outer, first, last))
        start = coins.choose(Choice(self, "starts", outer, first, last, end))
        ranges = []
        for axis, (low, high) in zip(axes, (*outer, (first, last), (start, end)), strict=True):
            left, right = coins.below(axis.lefts[low]), coins.below(axis.rights[high])
            ranges.append(axis.ends(low, high, left, right))
        return self._member(tuple(ranges))

    def _member(self, ranges: tuple[tuple[int, int], ...]) -> Box:
        by_column = dict(zip(self.order, ranges[-len(self.order) :], strict=True))
        columns = (by_column[axis] for axis in range(len(self.order)))
        return self.concepts.member([(low, high - 1) for low, high in columns])

    def weights(self, question: str, *place: Any) -> Floats:
        """Float weights; those of the first choice cost the whole recursion and are kept for further draws."""
        if question == "lefts":
            return self._lefts
        values: Floats = getattr(self.sums, question)(*place)
        return values

    @property
    def fits(self) -> bool:
        return self.sums.fits

    @property
    def error(self) -> float:
        return self.sums.error

    def slowly(self, bits: int | None) -> BoxLadder:
        """The sums as fractions (None) or as balls."""
        return BoxLadder(self.sums, exact=bits is None)

    def key(self, question: str, place: tuple[Any, ...]) -> Hashable:
        points = tuple(map(tuple, self.sums.points.tolist()))
        return (
            "box",
            question,
            place,
            self.sums.ratio,
            self.sums.axes,
            points,
            tuple(self.sums.moves.tolist()),
        )
