"""Axis-aligned boxes over one to three ordered columns: one class inside, the other outside.

The grid is public: each column's cells are put into equal groups before any record is seen, and a box has
its edges between groups. Every box is a member once, and so is the empty one.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import AnyNumber, Cells, Costs, EvenPrior, Hypothesis, Move, RuleBase, Stored
from privpac.concepts.boxes.sums import BoxLadder, RectangleSums, outer_range
from privpac.concepts.fitting import edges_misfit, labels_misfit, order_misfit, two_classes_misfit
from privpac.concepts.grids import BOX_GROUPS
from privpac.concepts.labellings.base import reduced, refuse_relabelling
from privpac.concepts.labellings.boxes import BoxDichotomies, require_boxes
from privpac.concepts.line.unions import check_costs, check_ordered, range_sql, range_text
from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.questions import Questions, ask_all
from privpac.concepts.shapes import Brick
from privpac.concepts.trees.powers import Floats, Integers
from privpac.data.sample import Sample
from privpac.data.schema import Schema
from privpac.data.statistics import GridCounts
from privpac.errors import ParameterError, SizeError
from privpac.fields import listed, record, require, text, whole, written_whole

__all__ = ["Box", "RectangleGibbs", "Rectangles"]

_LARGEST_WORK = 2**32
"""Steps of the recursion beyond which a grid is refused: about half a minute on one core."""


@dataclass(frozen=True)
class Box(RuleBase):
    """Class `inside` where low <= cell < high in every column; low = high in all of them: nowhere inside."""

    kind: ClassVar[str] = "box"
    columns: tuple[str, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    inside: int = 1

    @property
    def is_empty(self) -> bool:
        """Whether no record can lie in it."""
        return any(low >= high for low, high in zip(self.low, self.high, strict=True))

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        within = np.full(len(cells[self.columns[0]]), not self.is_empty, dtype=bool)
        if not self.is_empty:
            for column, low, high in zip(self.columns, self.low, self.high, strict=True):
                values = cells[column]
                # With high - 1 both ends are cells, so they fit the array's type.
                within &= np.asarray((values >= low) & (values <= high - 1), dtype=bool)
        return np.where(within, self.inside, 1 - self.inside).astype(np.uint8)

    def _conditions(self, schema: Schema) -> list[tuple[Any, tuple[int, int]]]:
        """(column, range) for every column that the box restricts."""
        sides = zip(self.columns, self.low, self.high, strict=True)
        named = [(schema.column(name), (low, high)) for name, low, high in sides]
        return [(column, bounds) for column, bounds in named if bounds != (0, column.size)]

    def describe(self, schema: Schema) -> str:
        conditions = [] if self.is_empty else self._conditions(schema)
        yes, no = schema.classes[self.inside], schema.classes[1 - self.inside]
        if not conditions:
            return f"always {no if self.is_empty else yes}"
        return f"{yes} if {' and '.join(range_text(*condition) for condition in conditions)}, else {no}"

    def to_sql(self, schema: Schema) -> str:
        conditions = [] if self.is_empty else self._conditions(schema)
        if not conditions:
            return str(1 - self.inside if self.is_empty else self.inside)
        text = " AND ".join(range_sql(*condition) for condition in conditions)
        return f"CASE WHEN {text} THEN {self.inside} ELSE {1 - self.inside} END"

    def to_json(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "columns": list(self.columns),
            "low": [str(cell) for cell in self.low],
            "high": [str(cell) for cell in self.high],
            "inside": self.inside,
        }

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Box:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        record(tree, "kind", "columns", "low", "high", "inside")
        low, high = (tuple(written_whole(cell) for cell in listed(tree[end])) for end in ("low", "high"))
        columns = tuple(text(name) for name in listed(tree["columns"]))
        fits = 1 <= len(columns) == len(set(columns)) == len(low) == len(high) and min(low) >= 0
        require(fits, "a box must have a low and a high cell for each of its columns")
        return cls(columns, low, high, whole(tree["inside"], least=0, most=1))

    def misfit(self, schema: Schema) -> str | None:
        order = two_classes_misfit(schema) or order_misfit(schema, self.columns)
        order = order or labels_misfit(schema, [self.inside])
        for name, *ends in zip(self.columns, self.low, self.high, strict=True):
            order = order or edges_misfit(schema, name, ends)
        return order

    @property
    def is_written_once(self) -> bool:
        """Whether it is not empty, or empty in the one way that is drawn."""
        return not self.is_empty or not any((*self.low, *self.high))

    def recut(self, move: Move) -> Box:
        low = tuple(map(move, self.columns, self.low))
        return replace(self, low=low, high=tuple(map(move, self.columns, self.high)))

    def questions(self, schema: Schema) -> Questions:
        if self.is_empty:
            return 1 - self.inside
        literals = tuple(
            literal
            for column, low, high in self._sides
            for literal in ((Test(column, low, "at least"), True), (Test(column, high, "at least"), False))
        )
        return ask_all(literals, self.inside, 1 - self.inside, schema)

    def shape(self, schema: Schema) -> Brick:
        return Brick(self._sides, self.inside)

    @property
    def _sides(self) -> tuple[tuple[str, int, int], ...]:
        return tuple(zip(self.columns, self.low, self.high, strict=True))


@dataclass(frozen=True)
class Rectangles(AnyNumber, EvenPrior, Stored):
    """All boxes of a public grid over one to three ordered columns.

    `bins` is the number of groups a column, or one for each; by default at most 4096, 256 or 32 in one, two
    or three dimensions.
    """

    schema: Schema
    columns: tuple[str, ...]
    bins: int | tuple[int, ...] | None = None
    inside: int = 1

    def __post_init__(self) -> None:
        given: object = self.columns
        columns = (given,) if isinstance(given, str) else tuple(self.columns)
        object.__setattr__(self, "columns", columns)
        if not 1 <= len(columns) <= 3 or len(set(columns)) != len(columns):
            raise ParameterError(
                "Rectangles",
                "columns",
                columns,
                allowed="one to three different columns",
                remedy="Above three dimensions use trees.",
            )
        check_ordered("Rectangles", self.schema, columns, self.inside)
        if isinstance(self.bins, (list, tuple)):
            object.__setattr__(self, "bins", tuple(self.bins))
        *outer, inner = sorted(self.groups)
        if math.prod(g * (g + 1) // 2 for g in outer) * inner > _LARGEST_WORK:
            grid = " x ".join(str(count) for count in self.groups)
            raise SizeError(
                f"Rectangles: a grid of {grid} groups has too many boxes to sum.", remedy="Use fewer bins."
            )

    @cached_property
    def groups(self) -> tuple[int, ...]:
        """How many groups of equal width each column has."""
        sizes = [self.schema.column(name).size for name in self.columns]
        if self.bins is None:
            return tuple(min(size, BOX_GROUPS[len(sizes)]) for size in sizes)
        bins = self.bins if isinstance(self.bins, tuple) else (self.bins,) * len(sizes)
        whole = all(isinstance(count, int) and not isinstance(count, bool) and count > 0 for count in bins)
        if len(bins) != len(sizes) or not whole:
            raise ParameterError(
                "Rectangles", "bins", self.bins, allowed="a positive integer, or one for each column"
            )
        return tuple(min(count, size) for count, size in zip(bins, sizes, strict=True))

    @property
    def word(self) -> str:
        return f"rectangles:{','.join(self.columns)}"

    @property
    def size(self) -> int:
        return math.prod(g * (g + 1) // 2 for g in self.groups) + 1

    @property
    def vc(self) -> int:
        return 2 * len(self.columns)

    @property
    def statistic(self) -> GridCounts:
        axes = tuple(self.schema.column(name) for name in self.columns)
        return GridCounts(axes, self.groups, classes=len(self.schema.classes))

    def require_listed(self, points: int, *, elsewhere: int = 0) -> None:
        require_boxes(self.groups)

    def require_relabelled(self, kept: int, *, voters: int) -> None:
        refuse_relabelling("Rectangles")

    def dichotomies(self, *points: Sample) -> BoxDichotomies:
        """Its labellings of the distinct points of these records; the grid must be coarse enough to list boxes."""
        axes = tuple(self.schema.column(name) for name in self.columns)
        occupied = reduced(GridCounts(axes, self.groups, classes=1), points)[0]
        return BoxDichotomies(self.statistic, occupied, self.inside, self._box)

    def _box(self, ranges: Sequence[tuple[int, int]] | None) -> Box:
        return self.nothing if ranges is None else self.member(ranges)

    def contains(self, hypothesis: Hypothesis) -> bool:
        if not isinstance(hypothesis, Box) or not hypothesis.is_written_once:
            return False
        same = (hypothesis.columns, hypothesis.inside) == (self.columns, self.inside)
        ends = zip(hypothesis.columns, hypothesis.low, hypothesis.high, self.groups, strict=False)
        return same and all(
            _is_edge(edge, self.schema.column(name).size, groups)
            for name, low, high, groups in ends
            for edge in (low, high)
        )

    def gibbs(self, evidence: Integers, *, ratio: Fraction, costs: Costs) -> RectangleGibbs:
        prices = check_costs("Rectangles", costs, int(evidence.sum()))
        out, inn = 1 - self.inside, self.inside
        moves = prices[out] * evidence[out] - prices[inn] * evidence[inn]
        # The axis with most groups comes last: there a group costs one step, elsewhere a range does.
        order = sorted(range(len(self.groups)), key=lambda axis: self.groups[axis])
        shaped = np.transpose(moves, order)
        shaped = np.ascontiguousarray(shaped.reshape((1,) * (3 - shaped.ndim) + shaped.shape), dtype=np.int64)
        return RectangleGibbs(self, RectangleSums(shaped, ratio, self.size), tuple(order))

    def member(self, ranges: Sequence[tuple[int, int]]) -> Box:
        """The box of these first and last groups, one pair a column."""
        sizes = [self.schema.column(name).size for name in self.columns]
        sides = list(zip(ranges, sizes, self.groups, strict=True))
        low = tuple(-(-first * size // count) for (first, _), size, count in sides)
        high = tuple(-(-(last + 1) * size // count) for (_, last), size, count in sides)
        return Box(self.columns, low, high, self.inside)

    @property
    def nothing(self) -> Box:
        """The empty box."""
        origin = (0,) * len(self.columns)
        return Box(self.columns, origin, origin, self.inside)


def _is_edge(edge: int, size: int, groups: int) -> bool:
    """Whether an edge lies between two of the equal groups of a column: at ceil(group · size / groups)."""
    return 0 <= edge <= size and -(-(edge * groups // size) * size // groups) == edge


@dataclass(frozen=True, eq=False, repr=False)
class RectangleGibbs:
    """The law Pr[h] ∝ ratio^price(h) over the boxes of a grid."""

    concepts: Rectangles
    sums: RectangleSums
    order: tuple[int, ...]
    """Which column each axis of the sums is; unused leading axes have one group."""

    @cached_property
    def _ranges(self) -> Floats:
        return self.sums.ranges()

    def draw(self, coins: Coins) -> Hypothesis:
        index = coins.choose(_Choice(self, "ranges"))
        outer = outer_range(self.sums.shape, index)
        if outer is None:
            return self.concepts.nothing
        end = coins.choose(_Choice(self, "ends", outer))
        start = coins.choose(_Choice(self, "starts", outer, end))
        z, z_last, y, y_last = outer
        drawn = [(z, z_last), (y, y_last), (start, end)][3 - len(self.order) :]
        by_column = dict(zip(self.order, drawn, strict=True))
        return self.concepts.member([by_column[axis] for axis in range(len(drawn))])

    def weights(self, question: str, place: tuple[Any, ...]) -> Floats:
        """Float weights; those of the outer ranges cost the whole recursion and are kept for further
        draws."""
        if question == "ranges":
            return self._ranges
        values: Floats = getattr(self.sums, question)(*place)
        return values


class _Choice:
    """Weights of one decision of a draw; `question` names the method that computes them, in any
    arithmetic."""

    def __init__(self, law: RectangleGibbs, question: str, *place: Any) -> None:
        self._law = law
        self._question = question
        self._place = place

    @property
    def key(self) -> Hashable:
        sums = self._law.sums
        if not self._place:
            return ("box", "ranges", sums.ratio, sums.shape, tuple(sums.moves.ravel().tolist()))
        outer, *end = self._place
        seen = tuple(sums.row(outer)[: end[0] if end else None].tolist())
        return ("box", self._question, sums.ratio, seen)

    def floats(self) -> tuple[Floats, float]:
        return self._law.weights(self._question, self._place), self._law.sums.error

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits):
            weights: Sequence[arb] = getattr(BoxLadder.in_balls(self._law.sums), self._question)(*self._place)
            return weights

    def exact(self) -> Sequence[Fraction]:
        ladder = BoxLadder.exact(self._law.sums)
        weights: Sequence[Fraction] = getattr(ladder, self._question)(*self._place)
        return weights
