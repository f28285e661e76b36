"""Pictures of rules, as inline SVG, in the columns' own units.

A rule says what it looks like (`shape`) or what it asks (`questions`). A picture is drawn from the hypothesis and the
schema, both public; classes are distinguished by colour and by words.

Boxes: a rectangle in a plane of two columns; one or three columns as lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from privpac.concepts.base import Hypothesis
from privpac.concepts.shapes import Brick, Everywhere, PointsSheet, Segment, Strip, strip
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.constructions.estimates.folding import FoldedLeaf, fold
from privpac.constructions.estimates.leaf_counts import LeafCounts
from privpac.data.columns import Boolean, Categorical, Column
from privpac.data.schema import Schema
from privpac.pictures.card import card_picture
from privpac.pictures.tree import as_tree
from privpac.pictures.tree import picture as draw_tree
from privpac.report.lines import LETTER, legend, number_line, share, svg, swatches, ticks, tone

__all__ = ["picture"]


LEFT, RIGHT, TOP, BOTTOM = 150.0, 570.0, 26.0, 326.0  # of the plane; labels stand around it
NARROWEST = 3.0


def draw_brick(shape: Brick, schema: Schema) -> str:
    """The columns the box restricts: two as a plane, otherwise a line each."""
    sides = [(schema.column(name), low, high) for name, low, high in shape.sides]
    if len(sides) == 2 and not shape.is_empty:
        return _plane(sides[0], sides[1], shape.inside, schema)
    lines = [
        number_line(column, _side(column, bounds, shape), schema, with_key=False) for column, *bounds in sides
    ]
    if len(lines) > 1:
        name = escape(schema.class_names[shape.inside])
        lines.append(f'<p class="soft">{name} where every line says {name}, the other class elsewhere.</p>')
    return "".join(lines) + legend(schema)


def _side(column: Column, bounds: Sequence[int], shape: Brick) -> tuple[Segment, ...]:
    low, high = bounds
    ranges = [] if shape.is_empty else [(low, high)]
    return strip(column.name, column.size, ranges, shape.inside).segments


def _plane(across: tuple[Column, int, int], up: tuple[Column, int, int], inside: int, schema: Schema) -> str:
    left, right = (_x(share(cell, across[0])) for cell in across[1:])
    bottom, top = (_y(share(cell, up[0])) for cell in up[1:])
    width, height = max(right - left, NARROWEST), max(bottom - top, NARROWEST)
    body = [
        _rectangle(1 - inside, LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP),
        _rectangle(inside, min(left, RIGHT - width), min(top, BOTTOM - height), width, height),
        *_labels_across(across),
        *_labels_up(up),
    ]
    words = f"a rectangle of {across[0].heading} and {up[0].heading}"
    return svg(BOTTOM + 44, words, body) + legend(schema)


def _x(place: float) -> float:
    return LEFT + place * (RIGHT - LEFT)


def _y(place: float) -> float:
    return BOTTOM - place * (BOTTOM - TOP)


def _rectangle(label: int, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="k{tone(label)}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def _text(css: str, x: float, y: float, anchor: str, text: str) -> str:
    return f'<text class="{css}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _cuts(side: tuple[Column, int, int], room: float, length: float) -> list[tuple[float, str]]:
    """The ends of a side that exclude something, pushed apart if their labels would touch."""
    column, low, high = side
    cuts = [(share(cell, column), column.show(cell)) for cell in (low, high) if 0 < cell < column.size]
    if len(cuts) == 2 and (cuts[1][0] - cuts[0][0]) * length < room:
        middle = (cuts[0][0] + cuts[1][0]) / 2
        half = room / length / 2
        middle = min(max(middle, half), 1 - half)
        cuts = [(middle - half, cuts[0][1]), (middle + half, cuts[1][1])]
    return cuts


def _labels_across(side: tuple[Column, int, int]) -> list[str]:
    """Cuts above the plane, bounds and name below."""
    column = side[0]
    room = max([len(column.show(c)) for c in side[1:] if 0 < c < column.size] or [0]) * LETTER + 8
    body = [
        _text("cutlabel", _x(place), TOP - 7, "middle", text)
        for place, text in _cuts(side, room, RIGHT - LEFT)
    ]
    for mark in ticks(column)[:2]:
        body.append(_text("ticklabel", _x(mark.place), BOTTOM + 18, "middle", mark.text))
    body.append(_text("axis", (LEFT + RIGHT) / 2, BOTTOM + 36, "middle", column.heading))
    return body


def _labels_up(side: tuple[Column, int, int]) -> list[str]:
    """Cuts to the right of the plane, bounds and name to the left."""
    column = side[0]
    cuts = _cuts(side, 17, BOTTOM - TOP)
    body = [_text("cutlabel", RIGHT + 8, _y(place) + 4, "start", text) for place, text in cuts]
    for mark, lift in zip(ticks(column)[:2], (0, 10), strict=True):
        body.append(_text("ticklabel", LEFT - 8, _y(mark.place) + lift, "end", mark.text))
    longest = int((LEFT - 10) / LETTER)
    name = column.heading if len(column.heading) <= longest else column.heading[: longest - 1] + "…"
    body.append(_text("axis", LEFT - 8, (TOP + BOTTOM) / 2, "end", name))
    return body


MOST_CATEGORIES = 40
WIDEST = 1040  # of a drawn tree that can still be read on the page


def picture(hypothesis: Hypothesis, schema: Schema, *, leaf_counts: LeafCounts | None = None) -> str:
    """The rule as a figure: its shape, or the questions it asks; where it has neither, as text."""
    match hypothesis.shape(schema):
        case Everywhere(label):
            return swatches(["every record"], [label], schema, "")
        case Strip() as strip:
            return _strip(strip, schema)
        case Brick() as brick:
            return draw_brick(brick, schema)
        case PointsSheet() as sheet:
            return f'<div class="scroll">{card_picture(sheet, schema).svg(alone=False)}</div>'
    tree = as_tree(hypothesis, schema)
    if tree is None:
        return f'<pre class="rule">{escape(hypothesis.describe(schema))}</pre>'
    drawing = draw_tree(hypothesis, schema, leaf_counts=leaf_counts)
    if drawing.width <= WIDEST:
        return f'<div class="scroll">{drawing.svg(alone=False)}</div>'
    rule = fold(tree, leaf_counts, schema)
    return f'<div class="tree scroll">{_branches(rule.tree, schema, rule.leaves)}</div>' + legend(schema)


def _strip(strip: Strip, schema: Schema) -> str:
    """A number line; two values are clearer side by side, and categories have no order at all."""
    column = schema.column(strip.column)
    if not isinstance(column, Boolean | Categorical):
        return number_line(column, strip.segments, schema, marked=strip.marked)
    labels = [label for first, end, label in sorted(strip.segments) for _ in range(first, end)]
    return _values(column, labels, schema)


def _values(column: Column, labels: Sequence[int], schema: Schema) -> str:
    """The rarer answer first; a long tail of values with the common answer is cut short."""
    rare = min(set(labels), key=labels.count)
    order = sorted(range(column.size), key=lambda cell: labels[cell] != rare)
    names = [column.show(cell) for cell in order[:MOST_CATEGORIES]]
    classes = [labels[cell] for cell in order[:MOST_CATEGORIES]]
    if len(order) > MOST_CATEGORIES:
        names.append(f"… {len(order) - MOST_CATEGORIES} more")
        classes.append(labels[order[-1]])
    return swatches(names, classes, schema, column.heading)


def _branches(tree: Tree, schema: Schema, leaves: Sequence[FoldedLeaf]) -> str:
    """A nested list: whatever the names, it fits the page."""
    if not isinstance(tree, Split):
        return ""
    below = sum(1 for _ in tree.low.leaves())
    items = []
    for child, part, positive in ((tree.high, leaves[below:], True), (tree.low, leaves[:below], False)):
        answer = f"<span>{escape(tree.test.describe(schema, positive=positive))}</span>"
        ending = _answer(part[0], schema) if isinstance(child, Leaf) else _branches(child, schema, part)
        items.append(f"<li>{answer}{ending}</li>")
    return f"<ul>{''.join(items)}</ul>"


def _answer(leaf: FoldedLeaf, schema: Schema) -> str:
    """The class, with counts its share, and what is folded; what is marked is grey."""
    style = "chance" if leaf.undecided else f"k{tone(leaf.answer)}"
    beside = [leaf.mark] if leaf.mark else [f"{leaf.shares[leaf.answer]:.0%}"] if leaf.counts else []
    if leaf.leaves > 1 and not leaf.mark:
        beside.append(leaf.folded)
    soft = f' <span class="soft">{", ".join(beside)}</span>' if beside else ""
    return f' <b class="{style}">{escape(leaf.name(schema))}</b>{soft}'
