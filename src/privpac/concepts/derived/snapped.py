"""A class whose cuts are snapped to given cells: one concept for each way it labels the points between them.

The cells come from somewhere private already (a sanitised sample) or from the public; the class of snapped concepts is
then as public as they are. Nothing of a hypothesis is lost: it is drawn on a coarse column and put back on the fine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from privpac.coins import Coins
from privpac.concepts.base import Costs, Gibbs, Hypothesis
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.derived.regrid import OnGroups, Regrid
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import Unions
from privpac.data.schema import Schema

__all__ = ["Snappable", "Snapped"]

Snappable = Thresholds | Unions | Stumps | Rectangles
"""Classes all of whose concepts are made of cuts in ordered columns (and of categories)."""


@dataclass(frozen=True)
class Snapped:
    """The members of a class whose cuts lie on `marks`: for each ordered column some cells above 0, ascending."""

    concepts: Snappable
    marks: tuple[tuple[str, tuple[int, ...]], ...]

    @classmethod
    def at(cls, concepts: Snappable, points: Mapping[str, list[int]]) -> Snapped:
        """Cuts that tell these points apart: in front of each of them, and behind the last."""
        marks = []
        for name in concepts.cut_columns:
            size = concepts.schema.column(name).size
            inner = tuple(sorted({cell for cell in points[name] if 0 < cell < size}))
            marks.append(
                (name, inner or (size // 2,))
            )  # a column with nothing to tell apart still needs two cells
        return cls(concepts, tuple(marks))

    @property
    def schema(self) -> Schema:
        return self.concepts.schema

    @property
    def word(self) -> str:
        return self.concepts.word

    @cached_property
    def _grid(self) -> Regrid:
        return Regrid(self.schema, self.marks)

    @cached_property
    def coarse(self) -> Snappable:
        """The same class over columns with one cell between neighbouring marks."""
        return self.concepts.over(self._grid.coarse)  # the marks are its grid

    @property
    def size(self) -> int | None:
        return self.coarse.size

    @property
    def odds(self) -> Fraction | int:
        return self.coarse.odds

    @property
    def vc(self) -> int | None:
        return self.concepts.vc

    @property
    def statistic(self) -> OnGroups[Any]:
        return OnGroups(self.coarse.statistic, self._grid)

    def contains(self, hypothesis: Hypothesis) -> bool:
        """Whether it is a member of the fine class whose cuts lie on the marks."""
        edges = {name: {0, *marks, self.schema.column(name).size} for name, marks in self.marks}
        return self.concepts.contains_moved(hypothesis) and all(
            edge in edges[name] for name, edge in _edges(hypothesis)
        )

    def require(self, n: int | None) -> None:
        self.coarse.require(n)

    def gibbs(self, evidence: Any, *, ratio: Fraction, costs: Costs) -> _Refined:
        return _Refined(self.coarse.gibbs(evidence, ratio=ratio, costs=costs), self)

    def refined(self, hypothesis: Hypothesis) -> Hypothesis:
        """The concept on the fine columns that a coarse one stands for."""
        fine = hypothesis.recut(self._grid.edge)
        if fine is None:
            raise TypeError(f"a {type(hypothesis).__name__} cannot be snapped")
        return fine


def _edges(hypothesis: Hypothesis) -> list[tuple[str, int]]:
    """The cuts of a rule, with their columns."""
    edges: list[tuple[str, int]] = []

    def note(name: str, cut: int) -> int:
        edges.append((name, cut))
        return cut

    hypothesis.recut(note)
    return edges


@dataclass(frozen=True, eq=False, repr=False)
class _Refined:
    """The law of the coarse class, its draws put back on the fine columns. Private: it has no repr."""

    law: Gibbs
    snapped: Snapped

    def draw(self, coins: Coins) -> Hypothesis:
        return self.snapped.refined(self.law.draw(coins))
