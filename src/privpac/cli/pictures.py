"""Pictures of rules, as inline SVG: one function a kind of hypothesis, in the columns' own units.

A new kind adds one row to `PICTURES`. A picture is drawn from the hypothesis and the schema, both public;
classes are told apart by colour and by words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import cast

from privpac.concepts.base import Hypothesis
from privpac.concepts.intervals import Interval
from privpac.concepts.points import Point
from privpac.concepts.stumps import Constant, Match
from privpac.concepts.thresholds import Threshold
from privpac.concepts.tree import Leaf, Split, Tree
from privpac.concepts.unions import Union
from privpac.data.columns import Boolean, Categorical, Column, Date, Numeric
from privpac.data.schema import Schema

__all__ = ["PICTURES", "Segment", "legend", "number_line", "picture", "swatches"]

WIDTH, LEFT, RIGHT = 720.0, 1.0, 719.0
BAND = 34.0  # height of the coloured band
ROW = 19.0  # height of a row of labels
LETTER = 7.8  # width of a character of the labels: generous, so that none is cut off
NARROWEST = 3.0  # pixels of a segment that would otherwise be invisible
MOST_CATEGORIES = 40

Segment = tuple[int, int, int]
"""Cells first <= cell < end get this class."""


@dataclass(frozen=True)
class _Mark:
    """A labelled position on the line, 0 to 1."""

    place: float
    text: str


def picture(hypothesis: Hypothesis, schema: Schema) -> str:
    """The rule as a figure; where no picture of its kind exists, as text."""
    draw = PICTURES.get(str(hypothesis.to_json().get("kind")))
    if draw is None:
        return f'<pre class="rule">{escape(hypothesis.describe(schema))}</pre>'
    return draw(hypothesis, schema)


def legend(schema: Schema) -> str:
    items = "".join(
        f'<li><span class="swatch k{_tone(index)}"></span>{escape(schema.label)} = {escape(name)}</li>'
        for index, name in enumerate(schema.classes)
    )
    return f'<ul class="legend" aria-label="Predicted class">{items}</ul>'


def _tone(label: int) -> int:
    """The number of the colour of a class; there are six."""
    return label % 6


def number_line(
    column: Column, segments: Sequence[Segment], schema: Schema, *, marked: Sequence[int] | None = None
) -> str:
    """One ordered column from its lower to its upper bound, coloured by the predicted class.

    Every change of class is labelled; or, if given, the middles of the `marked` cells.
    """
    if marked is None:
        cuts = sorted({first for first, _, _ in segments} - {0})
        marks = [_Mark(_share(cut, column), column.show(cut)) for cut in cuts]
    else:
        marks = [_Mark(_share(2 * cell + 1, column) / 2, column.show(cell)) for cell in marked]
    rows, above = _stacked(marks)
    top = 8 + rows * ROW
    height = top + BAND + 48
    base = top + BAND
    end = base if marked is None else top  # a line across the band would hide a narrow segment
    body = [_band(segments, column, schema, top), *_cuts(above, rows, end)]
    for mark in _ticks(column):
        x = _x(mark.place)
        body.append(f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="{base:.1f}" y2="{base + 5:.1f}"/>')
        body.append(_label(mark, base + 19, "ticklabel"))
    body.append(
        f'<text class="axis" x="{WIDTH / 2}" y="{height - 6:.1f}" text-anchor="middle">'
        f"{escape(column.name)}</text>"
    )
    return _svg(height, _in_words(segments, column, schema), body) + legend(schema)


def _cuts(above: Sequence[tuple[_Mark, int]], rows: int, end: float) -> list[str]:
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
        left, right = _x(_share(first, column)), _x(_share(end, column))
        if right - left < NARROWEST:
            left = min(max(LEFT, (left + right - NARROWEST) / 2), RIGHT - NARROWEST)
            right = left + NARROWEST
        width = right - left
        parts.append(
            f'<rect class="k{_tone(label)}" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}"'
            f' height="{BAND}"/>'
        )
        name = schema.classes[label]
        if len(name) * LETTER + 12 < width:
            middle = (left + right) / 2
            parts.append(
                f'<text class="on" x="{middle:.1f}" y="{top + BAND / 2 + 5:.1f}" text-anchor="middle">'
                f"{escape(name)}</text>"
            )
    return "".join(parts)


def _share(cell: int, column: Column) -> float:
    return float(Fraction(cell, column.size))


def _x(place: float) -> float:
    return LEFT + place * (RIGHT - LEFT)


def _stacked(marks: Sequence[_Mark]) -> tuple[int, list[tuple[_Mark, int]]]:
    """Labels in as many rows as keep them apart: (number of rows, each mark with its row)."""
    ends: list[float] = []
    placed = []
    for mark in marks:
        half = len(mark.text) * LETTER / 2 + 4
        middle = _kept(_x(mark.place), half)
        row = next((i for i, end in enumerate(ends) if end < middle - half), len(ends))
        ends[row:] = [middle + half, *ends[row + 1 :]]
        placed.append((mark, row))
    return max(1, len(ends)), placed


def _kept(x: float, half: float) -> float:
    """The middle of a label of this half-width that stays inside of the picture."""
    return min(max(x, half), WIDTH - half) if 2 * half < WIDTH else WIDTH / 2


def _label(mark: _Mark, y: float, css: str) -> str:
    middle = _kept(_x(mark.place), len(mark.text) * LETTER / 2 + 2)
    return f'<text class="{css}" x="{middle:.1f}" y="{y:.1f}" text-anchor="middle">{escape(mark.text)}</text>'


def _ticks(column: Column) -> list[_Mark]:
    """The two bounds, and round numbers between them that keep clear of each other."""
    if isinstance(column, Date):
        return [_Mark(0, column.lower), _Mark(1, column.upper)]
    if not isinstance(column, Numeric):
        return [_Mark(0, column.show(0)), _Mark(1, column.show(column.size - 1))]
    kept = [_Mark(_place(end, column), _number(end)) for end in (column.lower, column.upper)]
    for value in _round_numbers(column):
        mark = _Mark(_place(value, column), _number(value))
        if all(abs(mark.place - other.place) * (RIGHT - LEFT) > _room(mark, other) for other in kept):
            kept.append(mark)
    return kept


def _place(value: int | float | Fraction, column: Numeric) -> float:
    """Where a value's cell begins; the upper bound of a grid is its end."""
    width = column.size if column.integer else Fraction(column.upper) - Fraction(column.lower)
    return float((Fraction(value) - Fraction(column.lower)) / width)


def _room(mark: _Mark, other: _Mark) -> float:
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
        parts.append(f"{schema.classes[label]} from {start} to {stop}")
    return f"{column.name}: " + "; ".join(parts)


def _svg(height: float, title: str, body: Iterable[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH:.0f} {height:.0f}" role="img" aria-label="{escape(title, quote=True)}">'
        f"{''.join(body)}</svg>"
    )


def swatches(names: Sequence[str], labels: Sequence[int], schema: Schema, heading: str) -> str:
    """Values without an order, each coloured by the predicted class."""
    items = "".join(
        f'<li class="k{_tone(label)}">{escape(name)}</li>' for name, label in zip(names, labels, strict=True)
    )
    return f'<div class="chips"><span class="axis">{escape(heading)}</span><ul>{items}</ul></div>' + legend(
        schema
    )


def _ranges(column: Column, inside: Sequence[tuple[int, int]], label: int) -> list[Segment]:
    """Ranges of one class and everything between them of the other."""
    segments, reached = [], 0
    for low, high in inside:
        segments += [(reached, low, 1 - label), (low, high, label)]
        reached = high
    segments.append((reached, column.size, 1 - label))
    return [segment for segment in segments if segment[0] < segment[1]]


def _ordered(column: Column, segments: Sequence[Segment], schema: Schema) -> str:
    """A number line; two values are clearer side by side, and categories have no order at all."""
    if not isinstance(column, Boolean | Categorical):
        return number_line(column, segments, schema)
    labels = [label for first, end, label in sorted(segments) for _ in range(first, end)]
    return _values(column, labels, schema)


def _values(column: Column, labels: Sequence[int], schema: Schema) -> str:
    """The rarer answer first; a long tail of values with the common answer is cut short."""
    rare = min(set(labels), key=labels.count)
    order = sorted(range(column.size), key=lambda cell: labels[cell] != rare)
    names = [column.show(cell) for cell in order[:MOST_CATEGORIES]]
    shown = [labels[cell] for cell in order[:MOST_CATEGORIES]]
    if len(order) > MOST_CATEGORIES:
        names.append(f"… {len(order) - MOST_CATEGORIES} more")
        shown.append(labels[order[-1]])
    return swatches(names, shown, schema, column.name)


def _threshold(hypothesis: Hypothesis, schema: Schema) -> str:
    rule = cast(Threshold, hypothesis)
    column = schema.column(rule.column)
    cut = min(max(rule.cut, 0), column.size)
    up = int(rule.up)
    segments = [(0, cut, 1 - up), (cut, column.size, up)]
    return _ordered(column, [segment for segment in segments if segment[0] < segment[1]], schema)


def _interval(hypothesis: Hypothesis, schema: Schema) -> str:
    rule = cast(Interval, hypothesis)
    column = schema.column(rule.column)
    inside = [(rule.low, rule.high)] if rule.low < rule.high else []
    return _ordered(column, _ranges(column, inside, rule.inside), schema)


def _union(hypothesis: Hypothesis, schema: Schema) -> str:
    rule = cast(Union, hypothesis)
    column = schema.column(rule.column)
    return _ordered(column, _ranges(column, rule.intervals, rule.inside), schema)


def _point(hypothesis: Hypothesis, schema: Schema) -> str:
    rule = cast(Point, hypothesis)
    column = schema.column(rule.column)
    segments = _ranges(column, [(rule.cell, rule.cell + 1)], 1)
    if isinstance(column, Boolean | Categorical):
        return _ordered(column, segments, schema)
    return number_line(column, segments, schema, marked=[rule.cell])


def _match(hypothesis: Hypothesis, schema: Schema) -> str:
    rule = cast(Match, hypothesis)
    column = schema.column(rule.column)
    labels = [int((cell == rule.category) == rule.equal) for cell in range(column.size)]
    return _values(column, labels, schema)


def _tree(hypothesis: Hypothesis, schema: Schema) -> str:
    """A nested list: whatever the names and however many tests, it fits the page and can be read aloud."""
    rule = cast(Tree, hypothesis)
    if isinstance(rule, Leaf):
        return swatches(["every record"], [rule.label], schema, "")
    return f'<div class="tree scroll">{_branches(cast(Split, rule), schema)}</div>' + legend(schema)


def _branches(split: Split, schema: Schema) -> str:
    items = []
    for child, positive in ((split.high, True), (split.low, False)):
        answer = f"<span>{escape(split.test.describe(schema, positive=positive))}</span>"
        if isinstance(child, Leaf):
            name = escape(schema.classes[child.label])
            items.append(f'<li>{answer} <b class="k{_tone(child.label)}">{name}</b></li>')
        else:
            items.append(f"<li>{answer}{_branches(cast(Split, child), schema)}</li>")
    return f"<ul>{''.join(items)}</ul>"


def _constant(hypothesis: Hypothesis, schema: Schema) -> str:
    rule = cast(Constant, hypothesis)
    return swatches(["every record"], [rule.label], schema, "")


PICTURES: Mapping[str, Callable[[Hypothesis, Schema], str]] = {
    "threshold": _threshold,
    "interval": _interval,
    "union": _union,
    "point": _point,
    "match": _match,
    "constant": _constant,
    "tree": _tree,
}
"""How each kind of hypothesis is drawn."""
