"""The ways to find one value of a column, by the name that stands after the column: `points:COLUMN:WAY`.

Which one is used is a public choice. All are tuned from the number of records, epsilon and the schema alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial

from privpac.concepts.sets.points import Points
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import Occam
from privpac.constructions.points.clipped import ClippedPoints
from privpac.constructions.points.coded import CodedPoints
from privpac.constructions.points.covered import CoveredPoints
from privpac.constructions.points.sampled import BoostedPoints, SampledPoint
from privpac.constructions.points.sparse import SparsePoints
from privpac.constructions.request import Request
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError

__all__ = ["POINT_WAYS", "point_learner"]

Way = Callable[..., Learner]


def _improper(schema: Schema, column: str, *, epsilon: Fraction, size: Size, failure: Fraction) -> Learner:
    """A set of a code, or the value itself where a column is so short that nothing is gained by a code."""
    learner = CodedPoints.tuned(schema, column, epsilon=epsilon, size=size, failure=failure)
    return Occam(Points(schema, column), epsilon, failure=failure) if learner is None else learner


POINT_WAYS: Mapping[str, tuple[Way, str]] = {
    "clipped": (ClippedPoints.tuned, "one value, by its clipped margin: long keys, clean labels"),
    "improper": (_improper, "a set of a public code that holds the value: few records, any length"),
    "cover": (CoveredPoints.tuned, "one of many random sets: few records, any length"),
    "gibbs": (SparsePoints.tuned, "a listed set drawn value by value: fewest records, up to 2^24 values"),
    "sampled": (SampledPoint.tuned, "one run that looks at few records (fails every second time)"),
    "keyed": (partial(SampledPoint.tuned, keyed=True), "the same with a keyed hash"),
    "boosted": (BoostedPoints.tuned, "several such runs, and a private choice among them"),
    "boosted-keyed": (partial(BoostedPoints.tuned, keyed=True), "the same with keyed hashes"),
}
"""Besides `points:COLUMN`, which draws a value itself by the exponential mechanism and takes costs and noisy labels."""


def point_learner(way: str, request: Request, column: str) -> Learner:
    """The learner of a way; only the plain one knows costs."""
    costs = request.costs
    if costs not in (None, (1, 1)):
        raise ParameterError(
            "concepts",
            "costs",
            costs,
            allowed=f"left out for points:{column}:{way}",
            remedy=f"points:{column} takes costs.",
        )
    tuned, size = POINT_WAYS[way][0], request.size
    return tuned(request.schema, column, epsilon=request.per_record, size=size, failure=request.failure)
