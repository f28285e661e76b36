"""Every rule that asks one thing after the other, as a tree: one picture for all of them.

A new kind of rule adds one row to `TREES`; a rule that is no such thing is shown in words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from privpac.concepts.base import Hypothesis
from privpac.concepts.boxes.rectangles import Box
from privpac.concepts.line.intervals import Interval
from privpac.concepts.line.stumps import Constant, Match
from privpac.concepts.line.thresholds import Threshold
from privpac.concepts.line.unions import Union
from privpac.concepts.literals.binarise import Facts, Test
from privpac.concepts.literals.conjunctions import Conjunction, Disjunction
from privpac.concepts.sets.points import Point
from privpac.concepts.trees.lists import DecisionList
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.data.schema import Schema

__all__ = ["as_tree"]


def as_tree(hypothesis: Hypothesis, schema: Schema) -> Tree | None:
    """The same function as a tree; None where there is none to be drawn."""
    if isinstance(hypothesis, Tree):
        return hypothesis
    build = TREES.get(type(hypothesis))
    return None if build is None else build(hypothesis, schema)


def _question(test: Test, positive: bool, then: Tree, otherwise: Tree, schema: Schema) -> Tree:
    """`then` where the test holds (`positive`) or does not; no question whose answer the bounds give."""
    size = schema.column(test.column).size
    holds = True if size == 1 and test.cell == 0 else _public_answer(test, size)
    high, low = (then, otherwise) if positive else (otherwise, then)
    return Split(test, low, high) if holds is None else high if holds else low


def _public_answer(test: Test, size: int) -> bool | None:
    if test.kind == "at least" and test.cell <= 0:
        return True
    return False if test.cell >= size else None


def _list(rule: DecisionList, schema: Schema) -> Tree:
    tree: Tree = Leaf(rule.default)
    for one in reversed(rule.rules):
        tree = _question(one.test, one.positive, Leaf(one.label), tree, schema)
    return tree


def _all(literals: Facts, inside: Tree, outside: Tree, schema: Schema) -> Tree:
    tree = inside
    for test, positive in reversed(literals):
        tree = _question(test, positive, tree, outside, schema)
    return tree


def _conjunction(rule: Conjunction, schema: Schema) -> Tree:
    return _all(rule.literals, Leaf(1), Leaf(0), schema)


def _disjunction(rule: Disjunction, schema: Schema) -> Tree:
    opposite = tuple((test, not positive) for test, positive in rule.literals)
    return _all(opposite, Leaf(0), Leaf(1), schema)


def _threshold(rule: Threshold, schema: Schema) -> Tree:
    test = Test(rule.column, rule.cut, "at least")
    return _question(test, True, Leaf(int(rule.up)), Leaf(1 - int(rule.up)), schema)


def _equal(column: str, cell: int, then: int, schema: Schema) -> Tree:
    return _question(Test(column, cell, "equals"), True, Leaf(then), Leaf(1 - then), schema)


def _ranges(column: str, ranges: tuple[tuple[int, int], ...], inside: int, schema: Schema) -> Tree:
    """Outside, inside, outside, … from the largest cut down to the smallest."""
    tree: Tree = Leaf(1 - inside)
    for low, high in sorted((pair for pair in ranges if pair[0] < pair[1]), reverse=True):
        tree = _question(Test(column, high, "at least"), True, tree, Leaf(inside), schema)
        tree = _question(Test(column, low, "at least"), True, tree, Leaf(1 - inside), schema)
    return tree


def _box(rule: Box, schema: Schema) -> Tree:
    if rule.is_empty:
        return Leaf(1 - rule.inside)
    sides = zip(rule.columns, rule.low, rule.high, strict=True)
    literals = tuple(
        literal
        for column, low, high in sides
        for literal in ((Test(column, low, "at least"), True), (Test(column, high, "at least"), False))
    )
    return _all(literals, Leaf(rule.inside), Leaf(1 - rule.inside), schema)


TREES: Mapping[type, Callable[[Any, Schema], Tree]] = {
    Box: _box,
    Conjunction: _conjunction,
    Constant: lambda rule, schema: Leaf(rule.label),
    DecisionList: _list,
    Disjunction: _disjunction,
    Interval: lambda rule, schema: _ranges(rule.column, ((rule.low, rule.high),), rule.inside, schema),
    Match: lambda rule, schema: _equal(rule.column, rule.category, int(rule.equal), schema),
    Point: lambda rule, schema: _equal(rule.column, rule.cell, 1, schema),
    Threshold: _threshold,
    Union: lambda rule, schema: _ranges(rule.column, rule.intervals, rule.inside, schema),
}
