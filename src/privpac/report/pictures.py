"""Pictures of rules, as inline SVG: one function per kind of hypothesis, in the columns' own units.

A new kind adds one row to `PICTURES`. A picture is drawn from the hypothesis and the schema, both public;
classes are told apart by colour and by words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import cast

from privpac.concepts.base import Hypothesis
from privpac.concepts.line.intervals import Interval
from privpac.concepts.line.stumps import Constant, Match
from privpac.concepts.line.thresholds import Threshold
from privpac.concepts.line.unions import Union
from privpac.concepts.literals.conjunctions import Conjunction, Disjunction
from privpac.concepts.sets.points import Point
from privpac.concepts.trees.lists import DecisionList
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.constructions.estimates.leaf_counts import LeafCounts
from privpac.data.columns import Boolean, Categorical, Column
from privpac.data.schema import Schema
from privpac.pictures.tree import picture as draw_tree
from privpac.report.lines import Segment, legend, number_line, swatches, tone
from privpac.report.planes import box

__all__ = ["PICTURES", "picture"]

MOST_CATEGORIES = 40
WIDEST = 1040  # of a drawn tree that can still be read on the page


def picture(hypothesis: Hypothesis, schema: Schema, *, leaf_counts: LeafCounts | None = None) -> str:
    """The rule as a figure; where no picture of its kind exists, as text."""
    if isinstance(hypothesis, Split | DecisionList | Conjunction | Disjunction):
        drawing = draw_tree(hypothesis, schema, leaf_counts=leaf_counts)
        if drawing.width <= WIDEST:
            return f'<div class="scroll">{drawing.svg(alone=False)}</div>'
    draw = PICTURES.get(str(hypothesis.to_json().get("kind")))
    if draw is None:
        return f'<pre class="rule">{escape(hypothesis.describe(schema))}</pre>'
    return draw(hypothesis, schema)


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
    """For large trees a nested list: whatever the names and however many tests, it fits the page."""
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
            items.append(f'<li>{answer} <b class="k{tone(child.label)}">{name}</b></li>')
        else:
            items.append(f"<li>{answer}{_branches(cast(Split, child), schema)}</li>")
    return f"<ul>{''.join(items)}</ul>"


def _constant(hypothesis: Hypothesis, schema: Schema) -> str:
    rule = cast(Constant, hypothesis)
    return swatches(["every record"], [rule.label], schema, "")


PICTURES: Mapping[str, Callable[[Hypothesis, Schema], str]] = {
    "box": box,
    "threshold": _threshold,
    "interval": _interval,
    "union": _union,
    "point": _point,
    "match": _match,
    "constant": _constant,
    "tree": _tree,
}
"""How each kind of hypothesis is drawn."""
