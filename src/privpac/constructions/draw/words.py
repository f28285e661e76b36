"""Words for one draw from a class, and `auto`."""

from __future__ import annotations

from collections.abc import Mapping

from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.line.intervals import Intervals
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import Unions
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.draw.merged import Merged
from privpac.constructions.draw.occam import Occam
from privpac.constructions.draw.staged_trees import default_stages
from privpac.constructions.draw.tree_words import one_test
from privpac.constructions.request import OWNER, PROTECTS, Request, Word, column_of, is_count
from privpac.errors import ParameterError

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
    return request.occam(Intervals(request.schema, column_of(request, rest, "intervals:COLUMN")))


def _unions(request: Request, rest: str) -> Learner:
    name, _, count = rest.rpartition(":")
    if not is_count(count):
        raise ParameterError(
            OWNER, "word", f"unions:{rest}", allowed="of the form unions:COLUMN:K, such as unions:age:2"
        )
    column = column_of(request, name, "unions:COLUMN:K")
    return request.occam(Unions(request.schema, column, intervals=int(count)))


def _rectangles(request: Request, rest: str) -> Learner:
    names = [column_of(request, name.strip(), "rectangles:COL,COL") for name in rest.split(",")]
    return request.occam(Rectangles(request.schema, tuple(names)))


ONE_TEST_UP_TO = 100
"""n·epsilon up to which one test with two different answers beats every tree prior tried (benchmarks/accuracy)."""


def _auto(request: Request, rest: str) -> Learner:
    if request.protect == "records" and request.size.labelled * request.per_record <= ONE_TEST_UP_TO:
        return one_test(request, rest)
    tests = Binarisation.default(request.schema, n=request.size.labelled)
    stages = default_stages(n=request.size.labelled, epsilon=request.per_record, tests=len(tests.tests))
    deeper = _deeper(request) if stages == (3,) and request.protect == "records" else None
    if deeper is None:
        return request.staged(stages, tests)
    shallow = Trees(request.schema, 3, tests)
    return Merged(Occam(TreeMixture((shallow, deeper), (1, 1)), request.per_record, request.costs))


DEEPER_FROM = 1000
DEEPER_CUTS = 12
DEEPER_TESTS = 120
DEEPER_SECONDS = 4.0
"""From this n·epsilon on, and where it costs no more than this, trees of depth 4 on 12 cuts a column are drawn from as
well: some tables want a fourth question more than fine cuts, others do not, and the draw decides (benchmarks/accuracy).
"""


def _deeper(request: Request) -> Trees | None:
    n = request.size.labelled
    if n * request.per_record < DEEPER_FROM:
        return None
    tests = Binarisation.of(request.schema, cuts=DEEPER_CUTS)
    if len(tests.tests) > DEEPER_TESTS:
        return None
    deeper = Trees(request.schema, 4, tests)
    return deeper if deeper.estimate(n).seconds <= DEEPER_SECONDS else None


WORDS: Mapping[str, Word] = {
    "auto": Word("auto", "what suits n, epsilon and the schema", _auto, PROTECTS, many_classes=True),
    "stumps": Word("stumps", "one test on any column", _stumps, PROTECTS),
    "thresholds": Word(
        "thresholds:COLUMN", "a cut in one column (add :down or :either)", _thresholds, PROTECTS
    ),
    "intervals": Word("intervals:COLUMN", "one range of a column", _intervals, PROTECTS),
    "unions": Word("unions:COLUMN:K", "up to K ranges of a column", _unions, PROTECTS),
    "rectangles": Word("rectangles:COL,COL", "a box in one to three columns", _rectangles, PROTECTS),
}
