"""Cuts that a person would choose: at round numbers, for rules that hang on a wall.

`blood pressure >= 140` is read, remembered and questioned more easily than `blood pressure >= 141.875`, and says the
same about risks. The step between cuts is 1, 2 or 5 times a power of ten, the smallest that makes at most 40 of them.
Amounts, counts and waiting times are often mostly small, so a few closer cuts lie beside zero, each about half as far
from it as the one before; a column whose schema says that its values are spread over the range does without them.
Where it says that they are mostly small, cuts on that scale are moved to the nearest round number. Where it says
between which numbers most values lie (`usual`), no cut lies elsewhere: the points of a test that hardly any record
passes, or fails, are a matter of chance.

Everything here follows from the schema alone, in exact arithmetic, so the cuts are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from privpac.concepts.literals.binarise import SHORT_RANGE, Binarisation, Test
from privpac.concepts.literals.scales import on_scale
from privpac.data.columns import Column, Numeric
from privpac.data.schema import Schema

__all__ = ["on_round_numbers"]

MOST = 40
"""Even cuts per column; with steps of 1, 2 and 5 there are at least 15."""

BESIDE_ZERO = 3
"""Closer cuts on either side of zero (benchmarks/risks.py)."""

STEPS = (1, 2, 5)
ROUND = tuple(map(Fraction, ("1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8", "10")))
"""Round numbers between two powers of ten, close enough together for cuts that follow a curve."""


def on_round_numbers(schema: Schema) -> Binarisation:
    """The usual tests, but numeric columns are cut at round numbers."""
    plain = {group.column: group for group in on_scale(schema, "even").groups}
    tests: list[Test] = []
    for column in schema.columns:
        if column.name not in plain:  # a single value
            continue
        group = plain[column.name]
        cells = _round_cells(column, group.cells) or group.cells
        tests += [Test(column.name, cell, "at least" if group.nested else "equals") for cell in cells]
    return Binarisation(schema, tuple(tests))


def _round_cells(column: Column, plain: tuple[int, ...]) -> tuple[int, ...]:
    """Cells of round numbers in ascending order; none where the plain ones are as readable."""
    if not isinstance(column, Numeric) or column.cut_cells[1] - column.cut_cells[0] < SHORT_RANGE:
        return ()
    low, high = column.cut_range
    if column.scale == "mostly small":
        numbers = [_nearest(Fraction(column.value(cell)), whole=column.integer) for cell in plain]
    else:
        numbers = list(_multiples(column))
    inside = (number for number in numbers if low < number < high)
    cells = {column.cell(int(number) if column.integer else float(number)) for number in inside}
    return tuple(sorted(cells - {0}))


def _multiples(column: Numeric) -> Iterator[Fraction]:
    """The multiples of the step from the lower end on, and a few smaller numbers."""
    lower, upper = map(Fraction, column.cut_range)
    step = _step(upper - lower, whole=column.integer)
    number = (lower // step + 1) * step
    while number < upper:
        yield number
        number += step
    if column.scale is None and lower <= 0 <= upper:
        yield from (side * near for near in _beside_zero(step, whole=column.integer) for side in (-1, 1))


def _beside_zero(step: Fraction, *, whole: bool) -> Iterator[Fraction]:
    """The round numbers below the step: 20 is followed by 10, 5 and 2."""
    steps = (digit * Fraction(10) ** (_power_of(step) - down) for down in range(3) for digit in (5, 2, 1))
    smaller = [near for near in steps if near < step and not (whole and near < 1)]
    yield from smaller[:BESIDE_ZERO]


def _step(span: Fraction, *, whole: bool) -> Fraction:
    """The smallest step that makes at most 40 cuts.

    >>> [str(_step(Fraction(span), whole=False)) for span in ("220", "41", "0.7")]
    ['10', '2', '1/50']
    """
    power = _power_of(span / MOST)
    steps = (step * Fraction(10) ** place for place in (power, power + 1) for step in STEPS)
    return next(step for step in steps if span <= step * MOST and (not whole or step >= 1))


def _nearest(value: Fraction, *, whole: bool) -> Fraction:
    """The round number with the same sign that is nearest.

    >>> [str(_nearest(Fraction(value), whole=False)) for value in ("3052", "-0.24", "95")]
    ['3000', '-1/4', '100']
    """
    if value == 0:
        return value
    ten = Fraction(10) ** _power_of(abs(value))
    near = min((digit * ten for digit in ROUND), key=lambda number: abs(number - abs(value)))
    if whole and near.denominator != 1:
        near = Fraction(round(abs(value)))
    return near if value > 0 else -near


def _power_of(value: Fraction) -> int:
    """The power of ten of the first digit of a positive number."""
    power = Decimal(value.numerator).adjusted() - Decimal(value.denominator).adjusted()
    return power if Fraction(10) ** power <= value else power - 1
