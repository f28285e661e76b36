"""Pictures of rules, as inline SVG, in the columns' own units.

A rule says what it looks like (`shape`) or what it asks (`questions`). A picture is drawn from the hypothesis and the
schema, both public; classes are distinguished by colour and by words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from privpac.concepts.base import Hypothesis
from privpac.concepts.shapes import Brick, Everywhere, PointsSheet, Strip
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.constructions.estimates.leaf_counts import LeafCounts
from privpac.data.columns import Boolean, Categorical, Column
from privpac.data.schema import Schema
from privpac.pictures.as_tree import as_tree
from privpac.pictures.card import card_picture
from privpac.pictures.tree import picture as draw_tree
from privpac.report.lines import legend, number_line, swatches, tone
from privpac.report.planes import brick as draw_brick

__all__ = ["picture"]

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
    risks = None if leaf_counts is None else iter(_last_shares(tree, leaf_counts))
    return f'<div class="tree scroll">{_branches(tree, schema, risks)}</div>' + legend(schema)


def _last_shares(tree: Tree, counts: LeafCounts) -> list[float]:
    """The share of each leaf's own class, in the order in which `_branches` comes to them."""
    own = zip(tree.leaves(), counts.shares(tree), strict=True)
    by_number = [float(shares[leaf.label]) for leaf, shares in own]
    return [by_number[number] for number in _numbers(tree, 0)]


def _numbers(tree: Tree, first: int) -> list[int]:
    """The numbers of the leaves, those where a test holds before those where it fails."""
    if not isinstance(tree, Split):
        return [first]
    below = sum(1 for _ in tree.low.leaves())
    return [*_numbers(tree.high, first + below), *_numbers(tree.low, first)]


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
    shown = [labels[cell] for cell in order[:MOST_CATEGORIES]]
    if len(order) > MOST_CATEGORIES:
        names.append(f"… {len(order) - MOST_CATEGORIES} more")
        shown.append(labels[order[-1]])
    return swatches(names, shown, schema, column.name)


def _branches(tree: Tree, schema: Schema, risks: Iterator[float] | None) -> str:
    """A nested list: whatever the names and however many tests, it fits the page. `risks`: those of the leaves."""
    if not isinstance(tree, Split):
        return ""
    items = []
    for child, positive in ((tree.high, True), (tree.low, False)):
        answer = f"<span>{escape(tree.test.describe(schema, positive=positive))}</span>"
        if isinstance(child, Leaf):
            name = escape(schema.classes[child.label])
            share = "" if risks is None else f' <span class="soft">{next(risks):.0%}</span>'
            items.append(f'<li>{answer} <b class="k{tone(child.label)}">{name}</b>{share}</li>')
        else:
            items.append(f"<li>{answer}{_branches(child, schema, risks)}</li>")
    return f"<ul>{''.join(items)}</ul>"
