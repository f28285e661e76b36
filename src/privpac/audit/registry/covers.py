"""Rows for linear scores, covers of continuous classes, and learners that protect labels only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from privpac.audit.exact import Case
from privpac.audit.registry.cases import learner_case, tiny_schema
from privpac.concepts.derived.reference import PublicTable, Reference, Uniform
from privpac.concepts.finite import Finite
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.linear.centred import CentredHalfspaces
from privpac.concepts.linear.halfspaces import Halfspaces, Scorecards
from privpac.constructions.covers.reference import ReferenceCover
from privpac.constructions.covers.sampled import SampledCover
from privpac.constructions.draw.occam import Occam
from privpac.constructions.labels.classes import LabelPrivateDichotomies
from privpac.constructions.words import Request, learner_for
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema

__all__ = ["ROWS"]

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


def _labels(word: str, cells: tuple[int, ...], n: int) -> Case:
    """What a word names when only labels are protected; neighbours have the same features."""
    schema = tiny_schema(*cells)
    request = Request(schema, Size(n), ONE, protect="labels")
    return learner_case(f"{word}, labels protected", learner_for(word, request), schema, n)


def _finite_labels() -> Case:
    schema = tiny_schema(3)
    concepts = Finite(schema, ("a >= 1", "a >= 2", "a == 1", "a < 3"))
    return learner_case("finite, labels protected", LabelPrivateDichotomies(concepts, ONE), schema, 3)


MOST = Fraction(9, 10)
FAR_APART = (0, 25, 63)
"""Cells of the records of a column fine enough for a cover: all 64 would take hours."""


def _reference(reference: Reference, schema: Schema) -> Case:
    """An error so large that four records prove it: the audit is about privacy."""
    learner = ReferenceCover(Thresholds(schema, "a"), reference, ONE, error=MOST, failure=MOST)
    case = learner_case(f"thresholds over {reference.name}", learner, schema, 4)
    return replace(case, records=tuple((cell, label) for cell in FAR_APART for label in range(2)))


def _uniform() -> Case:
    schema = tiny_schema(64)
    return _reference(Uniform(schema, ("a",)), schema)


def _public_table() -> Case:
    """The table is public: it stays when a record is replaced."""
    schema = tiny_schema(64)
    table = MemorySample.from_cells(schema, {"a": np.array([0, 10, 20, 30, 30, 40, 50, 60])})
    return _reference(PublicTable(table), schema)


def _sphere() -> Case:
    """Directions on the four sides of a square, in arcs of equal score."""
    schema = tiny_schema(3, 3)
    concepts = CentredHalfspaces(schema, ("a", "b"), reach=2)
    return learner_case("half-planes through the middle", Occam(concepts, ONE), schema, 2)


def _cube() -> Case:
    """Directions on the surface of a cube, with costs."""
    schema = tiny_schema(2, 2, 2)
    concepts = CentredHalfspaces(schema, ("a", "b", "c"), reach=1)
    case = learner_case("half-spaces through the middle", Occam(concepts, ONE, costs=(1, 2)), schema, 2)
    return replace(
        case, records=case.records[::2] + case.records[1:4:2]
    )  # half of the corners with both labels


def _sampled() -> Case:
    """Two candidates from the prior, then one of them."""
    schema = tiny_schema(3)
    learner = SampledCover(
        Thresholds(schema, "a"),
        Uniform(schema, ("a",)),
        ONE,
        kappa=ONE,
        level=Fraction(1, 10),
        mass=MOST,
        error=Fraction(99, 100),
        failure=Fraction(99, 100),
    )
    return learner_case("thresholds over a sampled cover", learner, schema, 3)


ROWS: Mapping[str, Callable[[], Case]] = {
    "scorecards": _scorecards,
    "halfspaces": _halfspaces,
    "thresholds-labels": lambda: _labels("thresholds:a", (4,), 3),
    "intervals-labels": lambda: _labels("intervals:a", (4,), 3),
    "unions-labels": lambda: _labels("unions:a:2", (4,), 3),
    "stumps-labels": lambda: _labels("stumps", (2, 2), 3),
    "rectangles-labels": lambda: _labels("rectangles:a,b", (2, 2), 3),
    "points-labels": lambda: _labels("points:a", (3,), 3),
    "halfspaces-labels": lambda: _labels("halfspaces:a,b", (2, 2), 3),
    "finite-labels": _finite_labels,
    "reference-uniform": _uniform,
    "reference-table": _public_table,
    "reference-plane": _sphere,
    "reference-cube": _cube,
    "reference-sampled": _sampled,
}
