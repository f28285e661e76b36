"""Words for one value of a column."""

from __future__ import annotations

from collections.abc import Mapping

from privpac.concepts.sets.generated import GeneratedPoints
from privpac.concepts.sets.points import Points
from privpac.constructions.base import Learner
from privpac.constructions.points.ways import POINT_WAYS, point_learner
from privpac.constructions.request import OWNER, PROTECTS, Planned, Request, Word, column_of
from privpac.errors import ParameterError
from privpac.numbers.parameters import is_count

__all__ = ["WORDS"]

PLACE = 20


def _points(request: Request, rest: str) -> Learner:
    name, _, way = rest.rpartition(":")
    if way not in POINT_WAYS or rest in request.schema.names:
        name, way = rest, ""
    if not name and len(request.schema.columns) == 1:
        name = request.schema.names[0]
    form = "points:COLUMN or points:COLUMN:WAY, WAY one of " + ", ".join(POINT_WAYS)
    column = column_of(request, name, form)
    if not way:
        return request.occam(Points(request.schema, column))
    request.require_two_classes("points")
    if request.protect == "labels":
        raise ParameterError(OWNER, "protect", "labels", allowed=f"'records' for points:COLUMN:{way}")
    return point_learner(way, request, column)


def _generator(request: Request, rest: str) -> Learner:
    name, _, bits = rest.rpartition(":")
    if not (name and is_count(bits)):
        requirement = "of the form generated:COLUMN:BITS, such as generated:code:16"
        raise ParameterError(OWNER, "word", f"generated:{rest}", allowed=requirement)
    column = column_of(request, name, "generated:COLUMN:BITS")
    return request.occam(GeneratedPoints(request.schema, column, int(bits)))


WORDS: Mapping[str, Word] = {
    "points": Word(
        "points:COLUMN",
        f"one value of a column (add :WAY, one of {', '.join(POINT_WAYS)})",
        _points,
        PROTECTS,
        planned=(
            Planned(),
            *(
                Planned(f"{{word}}:{way}", title, drawn=False)
                for way, (_, title) in POINT_WAYS.items()
                if "keyed" not in way
            ),
        ),
    ),
    "generated": Word(
        "generated:COLUMN:BITS", "one value that a public generator makes of few bits", _generator
    ),
}
