"""Whether a stored hypothesis is about the table its schema describes: its columns, their cells, the classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from privpac.concepts.base import Hypothesis
from privpac.concepts.binarise import Test
from privpac.concepts.code_sets import CodeSet
from privpac.concepts.conjunctions import Conjunction, Disjunction
from privpac.concepts.finite import Lookup
from privpac.concepts.halfspace import Halfspace
from privpac.concepts.hashed_sets import HashedSet
from privpac.concepts.intervals import Interval
from privpac.concepts.levels import Feature
from privpac.concepts.lists import DecisionList
from privpac.concepts.points import Point
from privpac.concepts.predicates import Predicate
from privpac.concepts.rectangles import Box
from privpac.concepts.scorecard import Scorecard
from privpac.concepts.sparse_sets import SparseSet
from privpac.concepts.stumps import Constant, Match
from privpac.concepts.thresholds import Threshold
from privpac.concepts.tree import Tree
from privpac.concepts.unions import Union
from privpac.data.columns import Numeric
from privpac.data.schema import Schema

__all__ = ["misfit"]

MANY_CLASSES = (Tree, DecisionList, Constant)
"""Rules that end in any number of classes; all others separate two."""

Use = tuple[str, int, int]
"""A column, a number, and what it must stay below beyond the number of cells: 0 for a cell, 1 for an edge."""


def misfit(hypothesis: Hypothesis, schema: Schema) -> str | None:
    """Why the hypothesis cannot have been drawn under this schema, or None."""
    if not set(hypothesis.columns) <= set(schema.names):
        return "it looks at a column that the schema does not have"
    classes = len(schema.classes)
    if classes != 2 and not isinstance(hypothesis, MANY_CLASSES):
        return "it separates two classes, and the schema has another number"
    if not all(0 <= label < classes for label in _labels(hypothesis)):
        return "it names a class that the schema does not have"
    for column, number, beyond in _uses(hypothesis):
        if not 0 <= number < schema.column(column).size + beyond:
            return "it names a cell outside of a column"
    if isinstance(hypothesis, Predicate) and not hypothesis.fits(schema):
        return "its columns have another number of cells"
    if isinstance(hypothesis, Scorecard) and not all(
        _belongs(item.feature, schema) for item in hypothesis.items
    ):
        return "its features are not those of the schema"
    if isinstance(hypothesis, CodeSet | HashedSet) and not _has_room(hypothesis, schema):
        return "its field has no room for the column"
    if isinstance(hypothesis, Halfspace) and not all(
        isinstance(schema.column(name), Numeric) for name in hypothesis.columns
    ):
        return "it adds up columns that are no numbers"
    if isinstance(hypothesis, Lookup) and len(hypothesis.bits) != schema.column(hypothesis.column).size:
        return "its column has another number of cells"
    return None


def _belongs(feature: Feature, schema: Schema) -> bool:
    """Whether a column has the cells a feature counts, and an order or the category that it looks at."""
    column = schema.column(feature.column)
    if feature.category is None:
        return column.ordered and column.size == feature.size >= 2
    return not column.ordered and column.size == feature.size and 0 <= feature.category < column.size


def _has_room(hypothesis: CodeSet | HashedSet, schema: Schema) -> bool:
    """Whether different cells are different elements of the field, and the key is one of it."""
    size, prime = schema.column(hypothesis.column).size, hypothesis.prime
    if isinstance(hypothesis, HashedSet):
        return prime >= size
    inside = 0 <= hypothesis.place < prime and 0 <= hypothesis.value < prime
    return inside and hypothesis.digits >= 1 and prime**hypothesis.digits >= size


def _labels(hypothesis: Hypothesis) -> Iterable[int]:
    match hypothesis:
        case Tree():
            return [leaf.label for leaf in hypothesis.leaves()]
        case DecisionList():
            return [*(rule.label for rule in hypothesis.rules), hypothesis.default]
        case Constant():
            return [hypothesis.label]
        case Box() | Interval() | Union():
            return [hypothesis.inside]
    return []


def _uses(hypothesis: Hypothesis) -> Iterator[Use]:
    match hypothesis:
        case Tree():
            yield from _tests(hypothesis.tests())
        case DecisionList():
            yield from _tests(rule.test for rule in hypothesis.rules)
        case Conjunction() | Disjunction():
            yield from _tests(test for test, _ in hypothesis.literals)
        case Threshold():
            yield hypothesis.column, hypothesis.cut, 1
        case Point():
            yield hypothesis.column, hypothesis.cell, 0
        case SparseSet():
            yield from ((hypothesis.column, cell, 0) for cell in hypothesis.cells)
        case Match():
            yield hypothesis.column, hypothesis.category, 0
        case Interval():
            yield from ((hypothesis.column, edge, 1) for edge in (hypothesis.low, hypothesis.high))
        case Union():
            yield from ((hypothesis.column, edge, 1) for ends in hypothesis.intervals for edge in ends)
        case Box():
            for ends in (hypothesis.low, hypothesis.high):
                yield from ((name, edge, 1) for name, edge in zip(hypothesis.columns, ends, strict=True))


def _tests(tests: Iterable[Test]) -> Iterator[Use]:
    return ((test.column, test.cell, 0) for test in tests)
