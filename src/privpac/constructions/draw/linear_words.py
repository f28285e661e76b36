"""Words for points of columns with a cut-off."""

from __future__ import annotations

from collections.abc import Mapping

from privpac.concepts.grids import HALFSPACE_POINTS
from privpac.concepts.linear.halfspaces import Scorecards
from privpac.concepts.linear.tabled import TabledHalfspaces
from privpac.constructions.base import Learner
from privpac.constructions.request import OWNER, PROTECTS, Request, Word, column_of
from privpac.errors import ParameterError
from privpac.numbers.parameters import is_count

__all__ = ["WORDS"]

PLACE = 50


def _scorecards(request: Request, rest: str) -> Learner:
    if rest and not is_count(rest):
        raise ParameterError(
            OWNER, "word", f"scorecards:{rest}", allowed="of the form scorecards:K, such as scorecards:2"
        )
    request.require_two_classes("scorecards")
    return request.occam(Scorecards(request.schema, count=int(rest or "2")))


def _halfspaces(request: Request, rest: str) -> Learner:
    form = "halfspaces:COL,COL"
    names = tuple(column_of(request, name.strip(), form) for name in rest.split(","))
    request.require_two_classes("halfspaces")
    if len(names) > max(HALFSPACE_POINTS):
        return request.occam(TabledHalfspaces(request.schema, names))
    points = HALFSPACE_POINTS[len(names)]
    return request.occam(Scorecards(request.schema, len(names), points, columns=names))


WORDS: Mapping[str, Word] = {
    "scorecards": Word("scorecards:K", "integer points for up to K features, and a cut-off", _scorecards),
    "halfspaces": Word(
        "halfspaces:COL,COL",
        "integer points for the columns named; from six on, in directions of a public table",
        _halfspaces,
        PROTECTS,
    ),
}
