"""Every class of rules on a schema of 4 x 4 cells: the rows that checks of classes run on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.finite import Finite
from privpac.concepts.line.cuts import Cuts
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import Unions, intervals
from privpac.concepts.linear.centred import CentredHalfspaces
from privpac.concepts.linear.halfspaces import Halfspaces, Scorecards
from privpac.concepts.linear.tabled import TabledHalfspaces
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.conjunctions import Conjunctions, Disjunctions
from privpac.concepts.sets.codes import CodeSets
from privpac.concepts.sets.generated import GeneratedPoints
from privpac.concepts.sets.points import Points
from privpac.concepts.trees.lists import DecisionLists
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.parts import Constants, OneTest
from privpac.concepts.trees.trees import Trees
from privpac.constructions.cases import tiny_schema

S = tiny_schema(4, 4)
TESTS = Binarisation.of(S, cuts=2)

CLASSES: Mapping[str, Callable[[], Any]] = {
    "thresholds": lambda: Thresholds(S, "a"),
    "thresholds, either way": lambda: Thresholds(S, "a", "either"),
    "cuts": lambda: Cuts(S, "a", cells=(1, 3)),
    "intervals": lambda: intervals(S, "a"),
    "intervals, outside": lambda: intervals(S, "a", 0),
    "unions": lambda: Unions(S, "a", 2),
    "stumps": lambda: Stumps(S),
    "points": lambda: Points(S, "a"),
    "generated": lambda: GeneratedPoints(S, "a", 2, salt="s"),
    "codes": lambda: CodeSets(S, "a", 5, 2),
    "rectangles": lambda: Rectangles(S, ("a", "b")),
    "rectangles, grid": lambda: Rectangles(S, ("a", "b"), bins=(2, 3), inside=0),
    "finite": lambda: Finite(S, ("a >= 1", "a >= 3", "b < 1"), weights=(1, 2, 3)),
    "conjunctions": lambda: Conjunctions(S, 2, TESTS),
    "disjunctions": lambda: Disjunctions(S, 2, TESTS),
    "lists": lambda: DecisionLists(S, 1, TESTS),
    "trees": lambda: Trees(S, 1, TESTS),
    "trees that stop": lambda: Trees(S, 1, TESTS, stop=Fraction(1, 2), root_splits=False),
    "one test": lambda: OneTest(S, TESTS),
    "constants": lambda: Constants(S, TESTS),
    "mixture": lambda: TreeMixture((OneTest(S, TESTS), Trees(S, 1, TESTS)), (1, 2)),
    "halfspaces": lambda: Halfspaces(S, ("a", "b"), ((1, 0), (1, 1), (2, -1)), levels=4),
    "scorecards": lambda: Scorecards(S, 1, 1, 2),
    "centred halfspaces": lambda: CentredHalfspaces(S, ("a", "b"), reach=2),
    "tabled halfspaces": lambda: TabledHalfspaces(S, ("a", "b"), 5, levels=4),
}
