"""The row of the stable learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import Unions
from privpac.concepts.trees.lists import DecisionLists
from privpac.constructions.cases import (
    Case,
    learner_case,
    tiny_schema,
)
from privpac.constructions.stable.stable import Stable

__all__ = ["ROWS"]

PLACE = 150

ONE = Fraction(1)


def _stable() -> Case:
    schema = tiny_schema(3)
    learner = Stable(Thresholds(schema, "a"), 1, ONE)
    return replace(learner_case("stable thresholds", learner, schema, 4), sets=True)


def _stable_unions() -> Case:
    """Labellings drawn by sums, from two points that may be equal."""
    schema = tiny_schema(4)
    return replace(
        learner_case("stable unions", Stable(Unions(schema, "a", 2), 2, ONE), schema, 3), sets=True
    )


def _stable_boxes() -> Case:
    """Boxes of a grid, drawn by the sides they touch."""
    schema = tiny_schema(3, 2)
    learner = Stable(Rectangles(schema, ("a", "b")), 2, ONE)
    return replace(learner_case("stable boxes", learner, schema, 3), sets=True)


def _stable_lists() -> Case:
    """Members of a finite public class in place of labellings, whatever the kept points are."""
    schema = tiny_schema(3)
    learner = Stable(DecisionLists(schema, 1, threads=1), 1, ONE)
    return replace(learner_case("stable lists", learner, schema, 3), sets=True)


ROWS: Mapping[str, Callable[[], Case]] = {
    "stable": _stable,
    "stable-unions": _stable_unions,
    "stable-boxes": _stable_boxes,
    "stable-lists": _stable_lists,
}
