"""Rows for linear scores, covers of continuous classes, and learners that protect labels only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from privpac.concepts.derived.reference import PublicTable, Reference, Uniform
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.linear.centred import CentredHalfspaces
from privpac.constructions.cases import Case, learner_case, tiny_schema
from privpac.constructions.covers.reference import ReferenceCover
from privpac.constructions.covers.sampled import SampledCover
from privpac.constructions.draw.occam import Occam
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema

__all__ = ["ROWS"]

PLACE = 70

ONE = Fraction(1)


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


def _sampled_cover() -> Case:
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
    "reference-uniform": _uniform,
    "reference-table": _public_table,
    "reference-plane": _sphere,
    "reference-cube": _cube,
    "reference-sampled": _sampled_cover,
}
