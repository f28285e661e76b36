"""How finely classes look at columns: public numbers that a plan knows too, without the kernels of the classes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from privpac.theory.nearest import linear_band

__all__ = [
    "BOX_GROUPS",
    "BOX_STEPS",
    "CUTOFFS",
    "CUTS",
    "FEWER_CUTS",
    "FIRST",
    "FLOAT_BOX_BITS",
    "FULL",
    "HALFSPACE_POINTS",
    "LARGEST_SPHERE",
    "LEVELS",
    "MOST_BOX_BITS",
    "MOST_BOX_COLUMNS",
    "MOST_DIRECTIONS",
    "MOST_FEATURES",
    "MOST_TESTS",
    "PLANE",
    "POINTS",
    "STEP_SECONDS",
    "TABLE_POINTS",
    "TABLE_SIZE",
    "Bins",
    "box_bits",
    "box_bytes",
    "box_grid",
    "box_steps",
    "boxes_fit",
    "coarser_boxes",
    "grid_of_word",
    "linear_grid",
    "most_box_records",
    "tabled_grid",
]

CUTS = 31
"""Cuts of a numeric column: 15 lose 0.003 accuracy on average, 63 gain nothing."""

FEWER_CUTS = 15
"""Cuts when the table is wide or long: see `Binarisation.default`."""

MOST_TESTS = 250
"""Tables with more tests are wide."""

FULL = "full"
"""The grid of every cell."""

FIRST = "first"
"""The grid that the first version took without saying so: `BOX_GROUPS`."""

Bins = int | tuple[int, ...] | str | None
"""`FULL`, groups per column or one number for each; None for the grid of the first version."""

BOX_STEPS, _FEW_STEPS = 55 * 10**9, 5 * 10**9
"""Steps of sums over boxes beyond which they are refused, whatever the machine, and those of a coarser grid proposed
instead. A step renews one node of a tree: 2 ns where the records lie evenly, 18 with scales, so one to two minutes."""

BOX_BYTES = 2**30
"""Memory beyond which they are refused too."""

_MANY = 10**9
"""Records of nobody: sums that reach this many reach any number."""

_SCALING, _PLAIN_RECORDS = 6, 2_000
"""Steps of a node whose numbers carry a scale, and the records from which on that is counted on: more move sums beyond
the range of doubles at every epsilon that is of use."""

_COPY, _FIRST, _VALUE, _POINT, _RANGE, _BALL = 0.5, 100, 0.25, 12, 20_000, 600
"""Steps per leaf that is copied, per first value, per value that is passed, per point that is looked for in an outer
range, per outer range, and per sum of balls, by the time that each takes."""

STEP_SECONDS = 2e-9
"""Of one step on two busy cores, where records lie evenly."""

MOST_BOX_COLUMNS = 5
"""Columns of a box: of every further one all pairs of values would be taken."""

MOST_BOX_BITS = 14_000
"""Of the number of boxes, which certificates write in decimal digits: as many as Python writes."""

FLOAT_BOX_BITS = 600
"""Of the number of boxes whose weights floats add up, far from where they overflow; beyond, balls do."""

BOX_GROUPS = {1: 4096, 2: 256, 3: 32}
"""Groups of a column that boxes told apart in the first version, by number of columns: old documents rely on them."""

LEVELS = 32
"""Steps of a column of a score: 16 do as well on most tables, 256 gain nothing and cannot be read."""

POINTS = 3
"""Largest number of points a feature gets: 1 loses .01 to .02 of accuracy on small tables, 5 gains nothing."""

HALFSPACE_POINTS = {1: 1, 2: 16, 3: 6, 4: 3, 5: 2}
"""Largest points of a half-space by number of columns: some hundreds to some thousands of directions each."""

CUTOFFS = 256
"""Cut-offs of one direction."""

TABLE_SIZE, TABLE_POINTS = 8192, 16
"""Directions of the public table, and their largest points."""

MOST_FEATURES = 64
"""Features of a half-space in the table: their points still add up to what is counted exactly."""

PLANE = 2**30
"""Half-side of the square of directions in the plane, for half-spaces through the middle."""

MOST_DIRECTIONS = 2**22
"""Directions through the middle that are counted one by one: some seconds for a thousand records."""

LARGEST_SPHERE = 5
"""Dimensions in which such directions are listed: in six a cover of level 0.01 has some 10^9 members."""


def box_grid(columns: Sequence[str], sizes: Sequence[int], groups: Sequence[int]) -> str:
    """Where boxes have their edges, and how far a box with other edges may be from the nearest of them.

    >>> box_grid(["age"], [121], [121])
    'boxes have their edges at any of the cells of age (121)'
    >>> box_grid(["x"], [65536], [32]).partition(". ")[0]
    'boxes have their edges between groups of cells: 32 groups of x (65,536 cells, 2,048 at most per group)'
    """
    if all(size == count for size, count in zip(sizes, groups, strict=True)):
        cells = " and ".join(f"{name} ({size:,})" for name, size in zip(columns, sizes, strict=True))
        return f"boxes have their edges at any of the cells of {cells}"
    each = ", ".join(
        f"{count:,} groups of {name} ({size:,} cells, {-(-size // count):,} at most per group)"
        for name, size, count in zip(columns, sizes, groups, strict=True)
    )
    return (
        f"boxes have their edges between groups of cells: {each}. The promise is against the best of these boxes: one"
        f" with other edges differs from some of them by at most one group at each of its {2 * len(columns)} edges, and"
        " the records there come on top; one that lies within a group may be missed altogether"
    )


def linear_grid(features: int, points: int | None, levels: int) -> str:
    """What half-spaces are listed, and how far one that is not may be from the nearest of them.

    Without `points`, the directions are declared, and nothing is known of others.
    """
    text = f"a column counts with its step among {levels}, a sum of points has at most {CUTOFFS} cut-offs"
    if points is None:
        return (
            f"{text}, and directions are those declared. The promise is against the best of these rules; one in another"
            " direction may be better"
        )
    band = float(linear_band(features, points=points, levels=levels, cutoffs=CUTOFFS))
    each = "1 feature" if features == 1 else f"{features} features"
    return (
        f"{text}, and points are whole numbers up to {points}. The promise is against the best of these rules: one with"
        f" any weights for at most {each} agrees with some of them, but for records within {band:.2g} of its cut-off"
        " (columns from 0 to 1, largest weight 1), and what goes wrong there comes on top"
    )


def tabled_grid(features: int, size: int, levels: int) -> str:
    """What half-spaces the public table holds, and that nothing is promised of others."""
    return (
        f"a column counts with its step among {levels}, a sum of points has at most {CUTOFFS} cut-offs, and directions"
        f" are each of {features} features, each sum and difference of two, and {size:,} of a public table. The promise"
        " is against the best of these rules; one in another direction may be better"
    )


def _box_work(sizes: Sequence[int], records: int) -> tuple[int, int, int, int]:
    """For the sums over boxes: outer ranges, values of the next axis and of the last, and different points, at most."""
    *outer, x, y = (1, 1, *sorted(sizes))
    values = [min(size, records) for size in outer]
    ranges = math.prod(count * (count + 1) // 2 for count in values)
    return ranges, min(x, records), min(y, records), min(math.prod(sizes), records)


def box_steps(sizes: Sequence[int], records: int) -> int:
    """How many steps sums over all boxes of a grid take for so many records at most, wherever they lie: public numbers.

    For an outer range of h points, u values of x hold some, u at most h and the number of values. What comes behind the
    first values adds up to u·h - u²/2 points at most: each of the u values holds one, and the others come last. That is
    convex in h, so that the share of points in a range stands for its mean over all ranges.
    """
    ranges, values, inner, points = _box_work(sizes, records)
    if box_bits(sizes) > FLOAT_BOX_BITS:
        return ranges * values * (values + 1) // 2 * inner * _BALL
    depth = max(1, (inner - 1).bit_length())
    leaves, firsts, share = 1 << depth, min(values, points), _most_of_a_range(sizes, records)
    paths = share * firsts * (points - firsts / 2) * depth
    # Many points of one value renew the whole tree at once.
    renewals = min(paths, firsts * (firsts + 1) / 2 * leaves) * (_SCALING if records > _PLAIN_RECORDS else 1)
    starts = min(firsts, share * points) * (leaves * _COPY + values * _VALUE + _FIRST)
    return math.ceil(ranges * (renewals + starts + points * _POINT + _RANGE))


def boxes_fit(sizes: Sequence[int], records: int) -> bool:
    """Whether sums over all boxes of a grid are within time and memory for this many records, wherever they lie.

    >>> boxes_fit((2**16, 2**8, 2**8), 1_129), boxes_fit((2**16, 2**8, 2**8), 1_200)
    (True, False)
    """
    return box_steps(sizes, records) <= BOX_STEPS and box_bytes(sizes, records) <= BOX_BYTES


def most_box_records(sizes: Sequence[int]) -> int | None:
    """The most records that sums over all boxes of a grid are done for; None if any number.

    >>> most_box_records((2**16, 2**8, 2**8)), most_box_records((2**8, 2**8))
    (1147, None)
    """
    if boxes_fit(sizes, _MANY):
        return None
    low, high = 0, _MANY
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if boxes_fit(sizes, middle) else (low, middle)
    return low


def _most_of_a_range(sizes: Sequence[int], records: int) -> float:
    """The share of points that an outer range holds on average, at most.

    Of k values the i-th lies in i·(k + 1 - i) of k·(k + 1)/2 ranges: (k + 2)/(3k) of them on average, and most in the
    middle, (k + 1)/(2k) of them. Each value holds a point, and the others may all be in the middle. Of several columns
    that is said of one, and the middle of the others."""
    *outer, _, _ = (1, 1, *sorted(sizes))
    counts, points = [max(1, min(size, records)) for size in outer], max(1, records)
    middles = [(count + 1) / (2 * count) for count in counts]
    means = [
        ((count + 2) / 3 + (points - count) * middle) / points
        for count, middle in zip(counts, middles, strict=True)
    ]
    return math.prod(middles) * min(
        (mean / middle for mean, middle in zip(means, middles, strict=True)), default=1.0
    )


def box_bits(sizes: Sequence[int]) -> int:
    """Bits of the number of boxes of a grid, at most."""
    return sum(2 * size.bit_length() for size in sizes)


def box_bytes(sizes: Sequence[int], records: int) -> int:
    """About how much memory they take, at most: a weight per outer range and first value, and the tree."""
    ranges, values, inner, _ = _box_work(sizes, records)
    return 32 * ranges * values + 224 * inner


def coarser_boxes(sizes: Sequence[int], records: int) -> int:
    """Groups per column, a power of two, at which the sums take seconds only."""
    count = 2
    while count < max(sizes) and box_steps([min(size, 2 * count) for size in sizes], records) <= _FEW_STEPS:
        count *= 2
    return count


_GRID = re.compile(r"(?P<columns>.+):(?P<grid>full|first|[1-9][0-9]{0,8}(x[1-9][0-9]{0,8})*)")


def grid_of_word(rest: str) -> tuple[str, Bins]:
    """What stands behind `rectangles:` apart: the columns, and the grid, which is the full one if none is named.

    >>> grid_of_word("age,dose"), grid_of_word("age,dose:256"), grid_of_word("age,dose:121x64")
    (('age,dose', 'full'), ('age,dose', 256), ('age,dose', (121, 64)))
    """
    match = _GRID.fullmatch(rest)
    if match is None:
        return rest, FULL
    grid = match["grid"]
    if grid in (FULL, FIRST):
        return match["columns"], FULL if grid == FULL else None
    counts = tuple(map(int, grid.split("x")))
    return match["columns"], counts if len(counts) > 1 else counts[0]
