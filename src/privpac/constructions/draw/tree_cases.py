"""Rows of trees, lists and monomials, in one draw or refined."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from privpac.concepts.base import Costs
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.parts import Constants, OneTest
from privpac.concepts.trees.trees import Trees
from privpac.constructions.cases import (
    Case,
    learner_case,
    tiny_schema,
)
from privpac.constructions.draw.occam import Merged, Occam
from privpac.constructions.draw.refined_trees import RefinedTrees
from privpac.constructions.words import Request, learner_for
from privpac.data.sample import Size
from privpac.guarantee.facts import Unit
from privpac.request import LearnRequest

__all__ = ["LARGER", "ROWS", "refined_case", "tree_case", "worded_case"]

PLACE = 30

ONE = Fraction(1)


def worded_case(name: str, word: str, cells: tuple[int, ...], n: int, *, classes: int = 2) -> Case:
    """What a word names, as `learn` builds it."""
    schema = tiny_schema(*cells, classes=classes)
    learner = learner_for(word, Request(schema, Size(n), LearnRequest(epsilon=ONE)))
    return learner_case(name, learner, schema, n)


def tree_case(
    depth: int, cells: tuple[int, ...], n: int, *, unit: Unit = Unit.RECORD, epsilon: Fraction = ONE
) -> Case:
    """Trees in one draw."""
    schema = tiny_schema(*cells)
    trees = Trees(schema, depth, Binarisation.of(schema), threads=1)
    return learner_case(f"trees of depth {depth}", Merged(Occam(trees, epsilon, unit=unit)), schema, n)


def refined_case(
    cells: tuple[int, ...],
    n: int,
    *,
    epsilon: Fraction = ONE,
    classes: int = 2,
    costs: Costs | None = None,
    handicap: int = 0,
) -> Case:
    """A tree of one test is drawn, then constants afresh, one test afresh, or trees in its two leaves."""
    schema = tiny_schema(*cells, classes=classes)
    tests = Binarisation.of(schema)
    first = TreeMixture((Trees(schema, 1, tests, threads=1),), (1,))
    fresh = TreeMixture((Constants(schema, tests), OneTest(schema, tests)), (1, 2))
    share = Fraction(1, 4)
    learner = RefinedTrees(fresh, first, epsilon, share, (1,), (handicap,), costs, threads=1)
    return learner_case("a tree of one test, refined or afresh", learner, schema, n)


ROWS: Mapping[str, Callable[[], Case]] = {
    "trees": lambda: tree_case(2, (2, 2), 2),
    "trees-labels": lambda: tree_case(1, (3,), 3, unit=Unit.LABEL),
    "refined": lambda: refined_case((2,), 2, handicap=1),
    "refined-tight": lambda: refined_case((2,), 4, epsilon=Fraction(8)),
    "refined-three-classes": lambda: refined_case((2,), 1, classes=3, costs=(1, 2, 1)),
    "lists": lambda: worded_case("decision lists", "lists:2", (2, 2), 2),
    "lists-three-classes": lambda: worded_case(
        "decision lists of three classes", "lists:1", (2,), 2, classes=3
    ),
    "conjunctions": lambda: worded_case("conjunctions", "conjunctions:2", (2, 2), 2),
    "disjunctions": lambda: worded_case("disjunctions", "disjunctions:2", (2, 2), 2),
}

LARGER: Mapping[str, Callable[[], Case]] = {
    "trees": lambda: tree_case(2, (2, 2), 4),
    "trees-labels": lambda: tree_case(1, (3,), 5, unit=Unit.LABEL),
    "refined": lambda: refined_case((3,), 4, handicap=1),
    "lists": lambda: worded_case("decision lists", "lists:2", (2, 2), 4),
    "lists-three-classes": lambda: worded_case(
        "decision lists of three classes", "lists:1", (3,), 4, classes=3
    ),
    "conjunctions": lambda: worded_case("conjunctions", "conjunctions:2", (2, 2), 5),
    "disjunctions": lambda: worded_case("disjunctions", "disjunctions:2", (2, 2), 5),
}
"""The same on larger domains: minutes instead of seconds, for `privpac audit exact --large`."""
