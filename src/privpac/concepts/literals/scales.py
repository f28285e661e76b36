"""Where a column is cut: evenly over its range, or closer together near zero for values that are mostly small.

Amounts, counts and waiting times are mostly small, with a few huge values: cuts at even steps of the declared range
then leave nearly all records below the first of them. Cuts at even steps of the cube root (with its sign) serve such
columns, and lose little on others. Which of the two suits a column is public knowledge where its schema names a
`scale`; where it does not, whole rules on either scale are drawn from together (`concepts.trees.mixture`).

Everything here follows from the schema alone, in integers, so the cuts are the same on every machine.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import get_args

from privpac.concepts.grids import CUTS
from privpac.concepts.literals.binarise import SHORT_RANGE, Binarisation, Test, cut_span
from privpac.data.column import Column
from privpac.data.numeric import Numeric, Scale
from privpac.data.schema import Schema

__all__ = ["SCALES", "Scale", "on_each_scale", "on_scale"]

SCALES: tuple[Scale, ...] = get_args(Scale)

ROOT_BITS = 64
"""Cube roots are rounded down to a multiple of 2^-64."""


def on_scale(schema: Schema, scale: Scale, *, most: int | None = None, cuts: int = CUTS) -> Binarisation:
    """As many cuts per column on this scale, up to `cuts`, as make at most `most` tests (found by bisection), or one.

    A column whose schema names a scale is cut on that one, whatever is asked for.
    """
    return _binarise(schema, scale, most, cuts)


def on_each_scale(schema: Schema, *, most: int | None = None, cuts: int = CUTS) -> tuple[Binarisation, ...]:
    """The tests on either scale; only once where no column tells them apart."""
    return tuple(dict.fromkeys(on_scale(schema, scale, most=most, cuts=cuts) for scale in SCALES))


def _count(schema: Schema, scale: Scale, cuts: int) -> int:
    """How many tests there are."""
    return sum(len(_cells(column, scale, cuts)) for column in schema.columns)


@lru_cache(
    maxsize=64
)  # a rule is certified twice, before it is drawn and from its file; a plan asks for many sizes
def _binarise(schema: Schema, scale: Scale, most: int | None, cuts: int) -> Binarisation:
    if most is not None:
        cuts = bisect_right(range(1, cuts + 1), most, key=lambda cuts: _count(schema, scale, cuts))
    tests = tuple(
        Test(column.name, cell, "at least" if column.ordered else "equals")
        for column in schema.columns
        for cell in _cells(column, scale, max(1, cuts))
    )
    return Binarisation(schema, tests)


def _cells(column: Column, scale: Scale, cuts: int) -> Sequence[int]:
    """The cells that are tested: every category, every value of a short range, or `cuts` cuts."""
    if not column.ordered:
        return (1,) if column.size == 2 else range(column.size if column.size > 1 else 0)
    first, last, steps = cut_span(column)
    if last - first <= min(SHORT_RANGE, cuts):
        return range(first + 1, last + 1)
    if isinstance(column, Numeric) and _is_small(column, scale):
        places = _root_cells(column, steps, cuts)
    else:
        places = _even_cells(steps, cuts)
    # The last cuts may round up to the upper bound, which no cell exceeds.
    return sorted({first + place for place in places if 0 < place <= last - first})


def _is_small(column: Numeric, scale: Scale) -> bool:
    """What the schema says; where it says nothing, what is asked for, if the range has a zero to lie close to."""
    if column.scale is not None:
        return column.scale == "mostly small"
    low, high = column.cut_range
    return scale == "mostly small" and low <= 0 <= high


def _even_cells(steps: int, cuts: int) -> Iterator[int]:
    """The i-th fraction of the range, rounded up to a cell, as `at least` means it."""
    return (-(-i * steps // (cuts + 1)) for i in range(1, cuts + 1))


def _root_cells(column: Numeric, steps: int, cuts: int) -> Iterator[int]:
    """The same between the cube roots of the ends: (cut - lower) / (upper - lower) of the steps, in integers."""
    lower, upper = map(Fraction, column.cut_range)
    low, high = _signed_root(lower), _signed_root(upper)
    share = steps / (upper - lower)
    unit = (cuts + 1) ** 3 << (3 * ROOT_BITS)
    for i in range(1, cuts + 1):
        cube = (low * (cuts + 1 - i) + high * i) ** 3
        above = (cube * lower.denominator - lower.numerator * unit) * share.numerator
        yield -(-above // (unit * lower.denominator * share.denominator))


def _signed_root(value: Fraction) -> int:
    return cube_root(value) if value >= 0 else -cube_root(-value)


def cube_root(value: Fraction) -> int:
    """The cube root of a non-negative number in units of 2^-64, rounded down.

    >>> cube_root(Fraction(27, 8)) == 3 << 63
    True
    """
    whole = (value.numerator << (3 * ROOT_BITS)) // value.denominator
    root = 1 << -(-whole.bit_length() // 3)  # at or above the root, from where Newton's steps fall
    while root:
        smaller = (2 * root + whole // (root * root)) // 3
        if smaller >= root:
            break
        root = smaller
    return root
