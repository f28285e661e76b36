"""Rows of learners that protect labels only: neighbours have the same features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from privpac.concepts.finite import Finite
from privpac.concepts.linear.tabled import TabledHalfspaces
from privpac.constructions.cases import Case, learner_case, tiny_schema
from privpac.constructions.draw.occam import Occam
from privpac.constructions.labels.classes import LabelPrivateDichotomies
from privpac.constructions.words import Request, learner_for
from privpac.data.sample import Size
from privpac.guarantee.facts import Unit
from privpac.request import LearnRequest

__all__ = ["ROWS"]

PLACE = 60

ONE = Fraction(1)


def _labels(word: str, cells: tuple[int, ...], n: int) -> Case:
    """What a word names when only labels are protected; neighbours have the same features."""
    schema = tiny_schema(*cells)
    request = Request(schema, Size(n), LearnRequest(epsilon=ONE, protect="labels"))
    return learner_case(f"{word}, labels protected", learner_for(word, request), schema, n)


def _finite_labels() -> Case:
    schema = tiny_schema(3)
    concepts = Finite(schema, ("a >= 1", "a >= 2", "a == 1", "a < 3"))
    return learner_case("finite, labels protected", LabelPrivateDichotomies(concepts, ONE), schema, 3)


def _halfspaces() -> Case:
    """Few directions: of those that the word stands for, each table would take minutes."""
    schema = tiny_schema(2, 2)
    learner = Occam(TabledHalfspaces(schema, ("a", "b"), 3, levels=2), ONE, unit=Unit.LABEL)
    return learner_case("half-spaces of a public table, labels protected", learner, schema, 3)


ROWS: Mapping[str, Callable[[], Case]] = {
    "thresholds-labels": lambda: _labels("thresholds:a", (4,), 3),
    "intervals-labels": lambda: _labels("intervals:a", (4,), 3),
    "unions-labels": lambda: _labels("unions:a:2", (4,), 3),
    "stumps-labels": lambda: _labels("stumps", (2, 2), 3),
    "rectangles-labels": lambda: _labels("rectangles:a,b", (2, 2), 3),
    "points-labels": lambda: _labels("points:a", (3,), 3),
    "halfspaces-labels": _halfspaces,
    "finite-labels": _finite_labels,
}
