"""How many labellings of points are listed at most: limits that follow from public numbers.

The classes in `privpac.concepts` refuse by them before anything is spent, and a plan prints no command that would be
refused. A limit counts the worst points there could be, never those that there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import prod
from typing import Protocol

from privpac.numbers.exact import first_whole
from privpac.theory.vc import counting_dimension

__all__ = [
    "LARGEST_BOX_WORK",
    "LARGEST_SETS",
    "LARGEST_TABLE",
    "MOST_BLOCK",
    "MOST_LISTED_COLUMNS",
    "MOST_RUN_POINTS",
    "MOST_SEPARATED",
    "box_work",
    "boxes_drawn_from",
    "drawn_dimension",
    "most_distinct",
    "stump_labels",
]

MOST_RUN_POINTS = 2**16
"""Points whose runs are voted on: two billion of them, some ten seconds."""

LARGEST_BOX_WORK = 2 * 10**9
"""Steps of the sums over labellings by boxes: some twenty seconds if records lie everywhere."""

LARGEST_TABLE = 2**30
"""Labels of all candidates at all points: a gigabyte, and twice that while the table is made."""

LARGEST_SETS = 2**26
"""Labels of all categories at all points: half a gigabyte as doubles, twice, when they are compared."""

MOST_LISTED_COLUMNS = 3
"""Columns of a box whose labellings of points are listed."""

MOST_SEPARATED = 5_000
"""Points whose separations by half-planes are listed: 25 million of them, some seconds."""

MOST_BLOCK = 4_096
"""Records of a voter's block whose labellings are listed: for every voter, so more would take long."""


def most_distinct(records: int, sizes: Iterable[int]) -> int:
    """How many different points this many records can have at most, in columns of these sizes."""
    return min(records, prod(sizes))


def box_work(groups: Sequence[int], points: int) -> int:
    """Steps of the sums over labellings of this many points by boxes: ranges of all axes but the last, and its values.

    The ranges of the last one are listed once, and count more for their memory.
    """
    *outer, last = sorted(min(count, points) for count in groups)
    return last * prod(count * (count + 1) // 2 for count in outer) + 100 * last**2


def boxes_drawn_from(groups: Sequence[int]) -> int | None:
    """The fewest points whose labellings by boxes take too long to sum: from there on boxes are drawn themselves.

    >>> boxes_drawn_from((2**16, 2**8)), boxes_drawn_from((256, 256))
    (4311, None)
    """
    if len(groups) > MOST_LISTED_COLUMNS:
        return 1
    if box_work(groups, max(groups)) <= LARGEST_BOX_WORK:
        return None
    return first_whole(lambda points: box_work(groups, points) > LARGEST_BOX_WORK, start=2**10, smallest=1)


def stump_labels(columns: Sequence[tuple[int, bool]], points: int) -> tuple[int, int]:
    """Candidates with a table of labels and different points at most, for columns of (cells, whether they have an
    order): the constants and the categories. Cuts need no table."""
    distinct = most_distinct(points, (size for size, _ in columns))
    categories = (size for size, is_ordered in columns if not is_ordered)
    return 2 + sum(2 * min(distinct + 1, size) for size in categories), distinct


class InNumbers(Protocol):
    """What a class and its public numbers say alike."""

    @property
    def size(self) -> int | None:
        """Members."""

    @property
    def vc(self) -> int | None:
        """At most this many points are shattered."""

    @property
    def odds(self) -> Fraction | int:
        """Prior of all others over prior of one member."""


def drawn_dimension(
    concepts: InNumbers, *, counted: int, drawn: int | None, members_from: int | None
) -> int | None:
    """As `counting_dimension`, where from `members_from` points on members are drawn in place of labellings."""
    as_members = members_from is not None and drawn is not None and drawn >= members_from
    candidates = concepts.odds + 1 if as_members else None
    return counting_dimension(
        concepts.size, vc=concepts.vc, counted=counted, candidates=candidates, drawn=drawn
    )
