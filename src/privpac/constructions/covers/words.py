"""The word for covers of a public reference distribution."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from privpac.concepts.derived.reference import Uniform, UniformSphere
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.linear.centred import CentredHalfspaces
from privpac.constructions.base import Learner
from privpac.constructions.covers.reference import ReferenceCover
from privpac.constructions.request import OWNER, Planned, Request, Word, column_of
from privpac.errors import ParameterError
from privpac.guarantee.facts import Against

__all__ = ["WORDS"]

PLACE = 60


FORM = "reference:COLUMN"


def _reference(request: Request, rest: str) -> Learner:
    columns, against, error = _read(rest)
    names = tuple(column_of(request, name.strip(), FORM) for name in columns.split(","))
    request.require_two_classes("reference")
    if request.costs is not None:
        raise ParameterError(OWNER, "costs", request.costs, allowed=f"left out for {FORM}")
    schema, epsilon = request.schema, request.per_record
    if len(names) == 1:
        concepts, reference = Thresholds(schema, names[0]), Uniform(schema, names)
        return ReferenceCover(concepts, reference, epsilon, error, request.failure, against=against)
    halfspaces, sphere = CentredHalfspaces(schema, names), UniformSphere(schema, names)
    return ReferenceCover(halfspaces, sphere, epsilon, error, request.failure, against=against)


def _read(rest: str) -> tuple[str, Against, Fraction]:
    """The columns, then whether labels may be noisy, then the error to be proved."""
    error, against = ReferenceCover.error, Against.REALIZABLE
    columns, _, last = rest.rpartition(":")
    if columns and ERROR.fullmatch(last):
        rest, error = columns, Fraction(last)
        columns, _, last = rest.rpartition(":")
    if columns and last == AGNOSTIC:
        rest, against = columns, Against.AGNOSTIC
    return rest, against, error


AGNOSTIC = "agnostic"
ERROR = re.compile(r"0?\.[0-9]{1,9}")
"""An error as it is written at the end of a word."""

COVER = "one draw from a cover of a public reference distribution"

WORDS: Mapping[str, Word] = {
    "reference": Word(
        FORM,
        "a cut promised for densities up to one that is printed (add :agnostic for noisy labels, then :ERROR)",
        _reference,
        planned=(
            Planned("{word}:{error}", COVER, aims=True),
            Planned("{word}:agnostic:{error}", COVER, aims=True),
        ),
    ),
}
