"""Rows of trees, lists and monomials, drawn in one stage or in several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.cases import (
    Case,
    learner_case,
    tiny_schema,
)
from privpac.constructions.draw.staged_trees import StagedTrees
from privpac.constructions.labels.trees import LabelPrivateTrees
from privpac.constructions.words import Request, learner_for
from privpac.data.sample import Size
from privpac.guarantee.facts import Unit

__all__ = ["LARGER", "ROWS", "tree_case", "worded_case"]

PLACE = 30

ONE = Fraction(1)


def worded_case(name: str, word: str, cells: tuple[int, ...], n: int, *, classes: int = 2) -> Case:
    """What a word names, as `learn` builds it."""
    schema = tiny_schema(*cells, classes=classes)
    learner = learner_for(word, Request(schema=schema, size=Size(n), epsilon=ONE))
    return learner_case(name, learner, schema, n)


def tree_case(
    stages: tuple[int, ...],
    cells: tuple[int, ...],
    n: int,
    *,
    unit: Unit = Unit.RECORD,
    epsilon: Fraction = ONE,
) -> Case:
    """Trees drawn in stages."""
    schema = tiny_schema(*cells)
    learner = StagedTrees(schema, epsilon, stages, Binarisation.of(schema), unit=unit, threads=1)
    name = "staged trees " + "+".join(str(depth) for depth in stages)
    return learner_case(name, learner, schema, n)


def _label_private() -> Case:
    """Cuts at the quantiles of public features; only labels change between neighbours."""
    schema = tiny_schema(3)
    learner = LabelPrivateTrees(schema, ONE, (1,), cuts=2)
    return learner_case("label-private trees", learner, schema, 2)


def _staged_mixture() -> Case:
    """Every stage draws from trees on either of two sets of tests."""
    schema = tiny_schema(3)
    one, other = (Binarisation.of(schema, cut_values={"a": [cut]}) for cut in (1, 2))
    learner = StagedTrees(schema, Fraction(8), (1, 1), one, threads=1, others=(other,))
    return learner_case("staged trees on two sets of tests", learner, schema, 2)


def _tree_of_three_classes() -> Case:
    schema = tiny_schema(2, classes=3)
    learner = StagedTrees(schema, ONE, (1, 1), Binarisation.of(schema), costs=(1, 2, 1), threads=1)
    return learner_case("staged trees, three classes and costs", learner, schema, 1)


ROWS: Mapping[str, Callable[[], Case]] = {
    "trees": lambda: tree_case((2,), (2, 2), 2),
    "staged-trees": lambda: tree_case((1, 1), (3,), 2),
    "staged-mixture": _staged_mixture,
    "staged-trees-tight": lambda: tree_case((1, 1), (2,), 4, epsilon=Fraction(8)),
    "staged-trees-labels": lambda: tree_case((1, 1), (2,), 3, unit=Unit.LABEL),
    "label-private-trees": _label_private,
    "staged-trees-three-classes": _tree_of_three_classes,
    "lists": lambda: worded_case("decision lists", "lists:2", (2, 2), 2),
    "lists-three-classes": lambda: worded_case(
        "decision lists of three classes", "lists:1", (2,), 2, classes=3
    ),
    "conjunctions": lambda: worded_case("conjunctions", "conjunctions:2", (2, 2), 2),
    "disjunctions": lambda: worded_case("disjunctions", "disjunctions:2", (2, 2), 2),
}

LARGER: Mapping[str, Callable[[], Case]] = {
    "trees": lambda: tree_case((2,), (2, 2), 4),
    "staged-trees": lambda: tree_case((1, 1), (3,), 4),
    "staged-trees-labels": lambda: tree_case((1, 1), (3,), 4, unit=Unit.LABEL),
    "lists": lambda: worded_case("decision lists", "lists:2", (2, 2), 4),
    "lists-three-classes": lambda: worded_case(
        "decision lists of three classes", "lists:1", (3,), 4, classes=3
    ),
    "conjunctions": lambda: worded_case("conjunctions", "conjunctions:2", (2, 2), 5),
    "disjunctions": lambda: worded_case("disjunctions", "disjunctions:2", (2, 2), 5),
}
"""The same on larger domains: minutes instead of seconds, for `privpac audit exact --large`."""
