"""Which rules are called constant, and which are so but for the edge of the declared ranges."""

from __future__ import annotations

import pytest

from privpac import Schema
from privpac.concepts.line.stumps import Constant
from privpac.concepts.line.thresholds import Threshold
from privpac.concepts.literals.binarise import Test
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.constructions.estimates.constant import always, nearly_always

AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "columns": [AGE, {"name": "sex", "kind": "boolean"}, {**AGE, "name": "stay", "upper": 9}],
    }
)


def split(column: str, cell: int, low: Tree, high: Tree) -> Tree:
    return Split(Test(column, cell, "at least"), low, high)


@pytest.mark.parametrize(
    ("rule", "constant", "nearly"),
    [
        (Leaf(1), 1, None),
        (Constant(0), 0, None),
        (Threshold("age", 0, up=True), 1, None),
        (Threshold("age", 120, up=True), 0, None),
        (Threshold("age", 60, up=True), None, None),
        (Threshold("age", 119, up=True), None, 0),
        (Threshold("age", 1, up=False), None, 0),
        (Threshold("stay", 9, up=True), None, None),  # of ten values each may be what it is about
        (split("sex", 1, Leaf(0), Leaf(1)), None, None),
        (split("age", 50, Leaf(0), split("age", 40, Leaf(1), Leaf(0))), 0, None),  # the 1 is out of reach
        (split("age", 119, split("sex", 1, Leaf(0), Leaf(0)), Leaf(1)), None, 0),
        (split("age", 119, Leaf(0), split("sex", 1, Leaf(0), Leaf(1))), None, 0),
    ],
)
def test_what_is_called_constant(rule: Tree, constant: int | None, nearly: int | None) -> None:
    assert always(rule, SCHEMA) == constant
    assert nearly_always(rule, SCHEMA) == nearly


def test_where_usual_values_are_declared_they_are_what_counts() -> None:
    usual = Schema.from_json({"label": "ill", "columns": [{**AGE, "usual": [18, 90]}]})
    rule = Threshold("age", 95, up=True)
    assert nearly_always(rule, SCHEMA) is None
    assert nearly_always(rule, usual) == 0
