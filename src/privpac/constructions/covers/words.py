"""The word for covers of a public reference distribution."""

from __future__ import annotations

from collections.abc import Mapping

from privpac.concepts.derived.reference import Uniform, UniformSphere
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.linear.centred import CentredHalfspaces
from privpac.constructions.base import Learner
from privpac.constructions.covers.reference import ReferenceCover
from privpac.constructions.request import OWNER, Request, Word, column_of
from privpac.errors import ParameterError

__all__ = ["WORDS"]

PLACE = 60


def _reference(request: Request, rest: str) -> Learner:
    names = tuple(column_of(request, name.strip(), "reference:COLUMN") for name in rest.split(","))
    request.require_two_classes("reference")
    if request.costs is not None:
        raise ParameterError(OWNER, "costs", request.costs, allowed="left out for reference:COLUMN")
    schema, epsilon = request.schema, request.per_record
    if len(names) == 1:
        return ReferenceCover(Thresholds(schema, names[0]), Uniform(schema, names), epsilon)
    return ReferenceCover(CentredHalfspaces(schema, names), UniformSphere(schema, names), epsilon)


WORDS: Mapping[str, Word] = {
    "reference": Word(
        "reference:COLUMN", "a cut promised for densities up to one that is printed", _reference
    ),
}
