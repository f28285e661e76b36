"""Rows of one draw from points for columns with a cut-off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from privpac.concepts.linear.halfspaces import Halfspaces, Scorecards
from privpac.concepts.linear.tabled import TabledHalfspaces
from privpac.constructions.cases import Case, learner_case, tiny_schema
from privpac.constructions.draw.occam import Occam

__all__ = ["ROWS"]

PLACE = 50

ONE = Fraction(1)


def _scorecards() -> Case:
    """Two numbers and three categories, up to two of them counted, with costs."""
    schema = tiny_schema(3, 2)
    learner = Occam(Scorecards(schema, count=2, points=2, levels=3), ONE, costs=(1, 2))
    return learner_case("occam scorecards with costs", learner, schema, 2)


def _halfspaces() -> Case:
    """Declared directions, one of which leaves a column out."""
    schema = tiny_schema(3, 2)
    learner = Occam(Halfspaces(schema, ("a", "b"), ((1, -1), (2, 1), (0, 1)), levels=3), ONE)
    return learner_case("occam half-spaces", learner, schema, 3)


def _table() -> Case:
    """Directions of the public table, single features and pairs."""
    schema = tiny_schema(2, 2)
    learner = Occam(TabledHalfspaces(schema, ("a", "b"), 3, levels=2), ONE)
    return learner_case("occam half-spaces of a public table", learner, schema, 3)


ROWS: Mapping[str, Callable[[], Case]] = {
    "scorecards": _scorecards,
    "halfspaces": _halfspaces,
    "halfspaces-table": _table,
}
