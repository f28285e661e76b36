"""What pictures are made of: a column as a coloured line, values as chips, and the legend."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from privpac.concepts.shapes import Segment
from privpac.data.columns import Column, Date, Numeric
from privpac.data.schema import Schema

__all__ = [
    "LEFT",
    "LETTER",
    "RIGHT",
    "WIDTH",
    "Mark",
    "legend",
    "number_line",
    "share",
    "svg",
    "swatches",
    "ticks",
    "tone",
]

WIDTH, LEFT, RIGHT = 720.0, 1.0, 719.0
BAND = 34.0  # height of the coloured band
ROW = 19.0  # height of a row of labels
LETTER = 7.8  # width of a character of the labels: generous, so that none is cut off
NARROWEST = 3.0  # pixels of a segment that would otherwise be invisible


@dataclass(frozen=True)
class Mark:
    """A labelled position on the line, 0 to 1."""

    place: float
    text: str


def legend(schema: Schema) -> str:
    """The classes and their colours, as an HTML list."""
    items = "".join(
        f'<li><span class="swatch k{tone(index)}"></span>{escape(schema.label_called)} = {escape(name)}</li>'
        for index, name in enumerate(schema.class_names)
    )
    return f'<ul class="legend" aria-label="Predicted class">{items}</ul>'


def tone(label: int) -> int:
    """The number of the colour of a class; there are six."""
    return label % 6


def number_line(
    column: Column,
    segments: Sequence[Segment],
    schema: Schema,
    *,
    marked: Sequence[int] | None = None,
    with_key: bool = True,
) -> str:
    """One ordered column from its lower to its upper bound, coloured by the predicted class.

    Every change of class is labelled; or, if given, the middles of the `marked` cells. `with_key`: with a legend.
    """
    if marked is None:
        cuts = sorted({first for first, _, _ in segments} - {0})
        marks = [Mark(share(cut, column), column.show(cut)) for cut in cuts]
    else:
        marks = [Mark(share(2 * cell + 1, column) / 2, column.show(cell)) for cell in marked]
    rows, above = _stack(marks)
    top = 8 + rows * ROW
    height = top + BAND + 48
    base = top + BAND
    end = base if marked is None else top  # a line across the band would hide a narrow segment
    body = [_band(segments, column, schema, top), *_cuts(above, rows, end)]
    for mark in ticks(column):
        x = _x(mark.place)
        body.append(f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="{base:.1f}" y2="{base + 5:.1f}"/>')
        body.append(_label(mark, base + 19, "ticklabel"))
    body.append(
        f'<text class="axis" x="{WIDTH / 2}" y="{height - 6:.1f}" text-anchor="middle">'
        f"{escape(column.heading)}</text>"
    )
    key = legend(schema) if with_key else ""
    return svg(height, _in_words(segments, column, schema), body) + key


def _cuts(above: Sequence[tuple[Mark, int]], rows: int, end: float) -> list[str]:
    """Lines first, then labels, so that no line crosses the label of another."""
    lines, labels = [], []
    for mark, row in above:
        x, y = _x(mark.place), 2 + ROW * (rows - row)
        lines.append(f'<line class="cut" x1="{x:.1f}" x2="{x:.1f}" y1="{y + 3:.1f}" y2="{end:.1f}"/>')
        labels.append(_label(mark, y, "cutlabel"))
    return lines + labels


def _band(segments: Sequence[Segment], column: Column, schema: Schema, top: float) -> str:
    parts = []
    for first, end, label in sorted(segments, key=lambda s: s[0] - s[1]):  # narrow ones on top of wide ones
        left, right = _x(share(first, column)), _x(share(end, column))
        if right - left < NARROWEST:
            left = min(max(LEFT, (left + right - NARROWEST) / 2), RIGHT - NARROWEST)
            right = left + NARROWEST
        width = right - left
        parts.append(
            f'<rect class="k{tone(label)}" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{BAND}"/>'
        )
        name = schema.class_names[label]
        if len(name) * LETTER + 12 < width:
            middle = (left + right) / 2
            parts.append(
                f'<text class="on" x="{middle:.1f}" y="{top + BAND / 2 + 5:.1f}" text-anchor="middle">'
                f"{escape(name)}</text>"
            )
    return "".join(parts)


def share(cell: int, column: Column) -> float:
    """The position of a cell in its column, from 0 to 1."""
    return float(Fraction(cell, column.size))


def _x(place: float) -> float:
    return LEFT + place * (RIGHT - LEFT)


def _stack(marks: Sequence[Mark]) -> tuple[int, list[tuple[Mark, int]]]:
    """Labels in as many rows as keep them apart: (number of rows, each mark with its row)."""
    ends: list[float] = []
    places = []
    for mark in marks:
        half = len(mark.text) * LETTER / 2 + 4
        middle = _inside(_x(mark.place), half)
        row = next((i for i, end in enumerate(ends) if end < middle - half), len(ends))
        ends[row:] = [middle + half, *ends[row + 1 :]]
        places.append((mark, row))
    return max(1, len(ends)), places


def _inside(x: float, half: float) -> float:
    """The middle of a label of this half-width that stays inside of the picture."""
    return min(max(x, half), WIDTH - half) if 2 * half < WIDTH else WIDTH / 2


def _label(mark: Mark, y: float, css: str) -> str:
    middle = _inside(_x(mark.place), len(mark.text) * LETTER / 2 + 2)
    return f'<text class="{css}" x="{middle:.1f}" y="{y:.1f}" text-anchor="middle">{escape(mark.text)}</text>'


def ticks(column: Column) -> list[Mark]:
    """The two bounds, and round numbers between them that keep clear of each other."""
    if isinstance(column, Date):
        return [Mark(0, column.lower), Mark(1, column.upper)]
    if not isinstance(column, Numeric):
        return [Mark(0, column.show(0)), Mark(1, column.show(column.size - 1))]
    marks = [Mark(_place(end, column), _number(end)) for end in (column.lower, column.upper)]
    for value in _round_numbers(column):
        mark = Mark(_place(value, column), _number(value))
        if all(abs(mark.place - other.place) * (RIGHT - LEFT) > _room(mark, other) for other in marks):
            marks.append(mark)
    return marks


def _place(value: int | float | Fraction, column: Numeric) -> float:
    """Where a value's cell begins; the upper bound of a grid is its end."""
    width = column.size if column.integer else Fraction(column.upper) - Fraction(column.lower)
    return float((Fraction(value) - Fraction(column.lower)) / width)


def _room(mark: Mark, other: Mark) -> float:
    # A bound's label is pushed inwards by half of its width.
    return (len(mark.text) / 2 + len(other.text)) * LETTER + 12


def _round_numbers(column: Numeric) -> list[Fraction]:
    low, high = Fraction(column.lower), Fraction(column.upper)
    step = Fraction(10) ** (_magnitude((high - low) / 4))
    step *= next(factor for factor in (1, 2, 5, 10, 20) if (high - low) / (step * factor) <= 7)
    if column.integer:
        step = max(step, Fraction(1))
    return [index * step for index in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _magnitude(value: Fraction) -> int:
    """The power of ten at or just below a positive number of any size."""
    guess = len(str(value.numerator)) - len(str(value.denominator))
    return guess if Fraction(10) ** guess <= value else guess - 1


def _number(value: int | float | Fraction) -> str:
    exact = Fraction(value)
    if exact.denominator == 1 and abs(exact) < 10**7:
        return str(exact.numerator)
    power = _magnitude(abs(exact))
    if -4 <= power < 7:
        return f"{float(exact):.6g}"
    return f"{float(exact / Fraction(10) ** power):.6g}e{power}"  # of any size, beyond that of doubles too


def _in_words(segments: Sequence[Segment], column: Column, schema: Schema) -> str:
    """What a screen reader says."""
    parts = []
    for first, end, label in segments:
        start = "the lower bound" if first == 0 else column.show(first)
        stop = "the upper bound" if end >= column.size else column.show(end)
        parts.append(f"{schema.class_names[label]} from {start} to {stop}")
    return f"{column.heading}: " + "; ".join(parts)


def svg(height: float, title: str, body: Iterable[str]) -> str:
    """An SVG picture with a title for screen readers."""
    return (
        f'<svg viewBox="0 0 {WIDTH:.0f} {height:.0f}" role="img" aria-label="{escape(title, quote=True)}">'
        f"{''.join(body)}</svg>"
    )


def swatches(names: Sequence[str], labels: Sequence[int], schema: Schema, heading: str) -> str:
    """Values without an order, each coloured by the predicted class."""
    items = "".join(
        f'<li class="k{tone(label)}">{escape(name)}</li>' for name, label in zip(names, labels, strict=True)
    )
    return f'<div class="chips"><span class="axis">{escape(heading)}</span><ul>{items}</ul></div>' + legend(
        schema
    )
