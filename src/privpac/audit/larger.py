"""The registry's constructions on larger domains: minutes instead of seconds, for `privpac audit exact --large`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from privpac.audit import registry
from privpac.audit.exact import Case
from privpac.audit.registry import learner_case, tiny_schema
from privpac.concepts.binarise import Binarisation
from privpac.concepts.intervals import Intervals
from privpac.concepts.rectangles import Rectangles
from privpac.concepts.stumps import Stumps
from privpac.concepts.unions import Unions
from privpac.guarantee.facts import Unit
from privpac.learners.occam import Occam
from privpac.learners.staged_trees import StagedTrees

__all__ = ["LARGER"]

ONE = Fraction(1)


def _intervals() -> Case:
    schema = tiny_schema(5)
    return learner_case("occam intervals", Occam(Intervals(schema, "a"), ONE), schema, 6)


def _unions() -> Case:
    schema = tiny_schema(5)
    learner = Occam(Unions(schema, "a", intervals=2), ONE, costs=(2, 1))
    return learner_case("occam unions of two intervals with costs", learner, schema, 4)


def _rectangles() -> Case:
    schema = tiny_schema(3, 3)
    return learner_case("occam rectangles", Occam(Rectangles(schema, ("a", "b")), ONE), schema, 4)


def _stumps() -> Case:
    schema = tiny_schema(3, categories=3)
    return learner_case("occam stumps", Occam(Stumps(schema), ONE), schema, 4)


def _staged(cells: tuple[int, ...], n: int, unit: Unit = Unit.RECORD) -> Case:
    schema = tiny_schema(*cells)
    learner = StagedTrees(schema, ONE, (1, 1), Binarisation.of(schema), unit=unit, threads=1)
    return learner_case("staged trees 1+1", learner, schema, n)


LARGER: Mapping[str, Callable[[], Case]] = {
    "thresholds-up": lambda: registry._thresholds("up", cells=5, n=8),
    "thresholds-down": lambda: registry._thresholds("down", cells=5, n=8),
    "thresholds-either": lambda: registry._thresholds("either", cells=5, n=6),
    "points": lambda: registry._points(cells=6, n=6),
    "stumps": _stumps,
    "intervals": _intervals,
    "unions": _unions,
    "rectangles": _rectangles,
    "trees": lambda: registry._tree((2,), (2, 2), 4),
    "staged-trees": lambda: _staged((3,), 4),
    "staged-trees-labels": lambda: _staged((3,), 4, Unit.LABEL),
    "lists": lambda: registry._worded("decision lists", "lists:2", (2, 2), 4),
    "lists-three-classes": lambda: registry._worded(
        "decision lists of three classes", "lists:1", (3,), 4, classes=3
    ),
    "conjunctions": lambda: registry._worded("conjunctions", "conjunctions:2", (2, 2), 5),
    "disjunctions": lambda: registry._worded("disjunctions", "disjunctions:2", (2, 2), 5),
}
"""Names of the registry; those it leaves out are audited at the registry's size."""
