"""What a picture of a rule shows, as data: the rule says it, `report` draws it.

Most rules look like one of a few shapes, so a new kind of rule gets its picture by naming a shape.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = [
    "TOGETHER",
    "Brick",
    "Everywhere",
    "PointsBar",
    "PointsSheet",
    "RiskBar",
    "Segment",
    "Shape",
    "Strip",
    "strip",
]

Segment = tuple[int, int, int]
"""Cells first <= cell < end get this class."""


@dataclass(frozen=True)
class Strip:
    """One column from its first cell to its last, in segments of one class each.

    A strip is labelled where the class changes, or in the middle of the `marked` cells if there are any.
    """

    column: str
    segments: tuple[Segment, ...]
    marked: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Brick:
    """Cells low <= cell < high of every column (`sides`) get class `inside`, all others the other one of two."""

    sides: tuple[tuple[str, int, int], ...]
    inside: int

    @property
    def is_empty(self) -> bool:
        return any(low >= high for _, low, high in self.sides)


@dataclass(frozen=True)
class Everywhere:
    """The same class for everyone."""

    label: int


@dataclass(frozen=True)
class PointsBar:
    """Some values of a column, in its own units, and the points they bring."""

    values: str
    points: int


SAYS_NOTHING = 2 / 3
"""Counts that allow more than this share of all risks may be noise alone, which has long tails and many rows to show up
in: of such a risk no range is told."""


@dataclass(frozen=True)
class RiskBar:
    """Neighbouring sums of points, their risk in words and as a share, and the shares that their counts allow."""

    sums: str
    risk: str
    share: float
    least: float
    most: float
    label: int
    """The class that records with these sums are put into."""
    whole: str = ""
    """The sums that the counts are about, if they are more than these: neighbours may have them in common."""

    @property
    def says_nothing(self) -> bool:
        """Whether the counts may be noise alone."""
        return self.most - self.least > SAYS_NOTHING


TOGETHER = "Two answers at once: every line that holds counts"
"""What stands above points for two answers."""


@dataclass(frozen=True)
class PointsSheet:
    """Points by column, and what their sum means: a card."""

    blocks: tuple[tuple[str, tuple[PointsBar, ...]], ...]
    """What stands above a block, and its rows."""
    risks: tuple[RiskBar, ...]
    verdict: str
    caution: str
    """What nobody may conclude from a single block."""
    together: tuple[PointsBar, ...] = ()
    """Points for two answers at once, about two columns: every line that holds counts."""
    weighing: str = ""
    """How mistakes were weighed against each other, if they do not count the same."""


Shape = Strip | Brick | Everywhere | PointsSheet


def strip(
    column: str,
    size: int,
    ranges: Iterable[tuple[int, int]],
    inside: int,
    *,
    marked: tuple[int, ...] | None = None,
) -> Strip:
    """Ranges of one class in ascending order, and everything between them of the other of two classes.

    >>> strip("age", 10, [(2, 5)], 1).segments
    ((0, 2, 0), (2, 5, 1), (5, 10, 0))
    """
    segments: list[Segment] = []
    place = 0
    for low, high in ranges:
        segments += [(place, low, 1 - inside), (low, high, inside)]
        place = high
    segments.append((place, size, 1 - inside))
    return Strip(column, tuple(segment for segment in segments if segment[0] < segment[1]), marked)
