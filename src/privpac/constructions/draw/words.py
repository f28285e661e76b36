"""Words for one draw from a class, and `auto`."""

from __future__ import annotations

from collections.abc import Mapping

from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.finite import Finite
from privpac.concepts.grids import boxes_fit, coarser_boxes, grid_of_word
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import Unions, intervals
from privpac.constructions.base import Learner
from privpac.constructions.draw.default import auto
from privpac.constructions.request import OWNER, PROTECTS, Asked, Planned, Request, Word, column_of
from privpac.constructions.rule_lists import FORM, rules_of
from privpac.errors import ParameterError
from privpac.numbers.parameters import is_count

__all__ = ["WORDS"]

PLACE = 10


def _stumps(request: Request, rest: str) -> Learner:
    return request.occam(Stumps(request.schema))


def _thresholds(request: Request, rest: str) -> Learner:
    name, _, direction = rest.rpartition(":")
    if direction in ("up", "down", "either") and name:
        column = column_of(request, name, "thresholds:COLUMN")
        return request.occam(Thresholds(request.schema, column, direction))  # type: ignore[arg-type]
    return request.occam(Thresholds(request.schema, column_of(request, rest, "thresholds:COLUMN")))


def _intervals(request: Request, rest: str) -> Learner:
    return request.occam(intervals(request.schema, column_of(request, rest, "intervals:COLUMN")))


def _unions(request: Request, rest: str) -> Learner:
    name, _, count = rest.rpartition(":")
    if not is_count(count):
        raise ParameterError(
            OWNER, "word", f"unions:{rest}", allowed="of the form unions:COLUMN:K, such as unions:age:2"
        )
    column = column_of(request, name, "unions:COLUMN:K")
    return request.occam(Unions(request.schema, column, intervals=int(count)))


def _rectangles(request: Request, rest: str) -> Learner:
    columns, bins = grid_of_word(rest)
    names = [column_of(request, name.strip(), "rectangles:COL,COL") for name in columns.split(",")]
    return request.occam(Rectangles(request.schema, tuple(names), bins))


def _boxes_that_fit(asked: Asked) -> str:
    """On a coarser grid where sums over all boxes of the one that was named take too long for so many records."""
    columns, bins = grid_of_word(asked.rest)
    groups = Rectangles(asked.schema, tuple(name.strip() for name in columns.split(",")), bins).groups
    if boxes_fit(groups, asked.records):
        return asked.word
    return f"rectangles:{columns}:{coarser_boxes(groups, asked.records)}"


def _finite(request: Request, rest: str) -> Learner:
    return request.occam(Finite(request.schema, tuple(rules_of(rest))))


WORDS: Mapping[str, Word] = {
    "auto": Word(
        "auto",
        "what suits n, epsilon and the schema",
        auto,
        PROTECTS,
        many_classes=True,
        leaves=True,
        planned=(
            Planned(title="what privpac learns unless told otherwise"),
            *(Planned(word) for word in ("one-test", "trees:1", "trees:2", "trees:3")),
        ),
    ),
    "stumps": Word("stumps", "one test on any column", _stumps, PROTECTS),
    "thresholds": Word(
        "thresholds:COLUMN", "a cut in one column (add :down or :either)", _thresholds, PROTECTS
    ),
    "intervals": Word("intervals:COLUMN", "one range of a column", _intervals, PROTECTS),
    "unions": Word("unions:COLUMN:K", "up to K ranges of a column", _unions, PROTECTS),
    "rectangles": Word(
        "rectangles:COL,COL",
        "a box in one to five columns (add :256 for edges between 256 groups of each)",
        _rectangles,
        PROTECTS,
        planned=(Planned(_boxes_that_fit),),
    ),
    "finite": Word(FORM, "one of the rules in a public JSON file", _finite, PROTECTS),
}
