"""The words by which people name what to learn, in Python and on the command line: one table.

A word names a class of concepts (then the learner is `Occam`) or a learner of its own. A stored certificate names the
word and the options, so that `verify` can build the same learner again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privpac.concepts.base import ConceptClass, Costs, ManyLabels
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.derived.reference import Uniform, UniformSphere
from privpac.concepts.line.intervals import Intervals
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import Unions
from privpac.concepts.linear.centred import CentredHalfspaces
from privpac.concepts.linear.halfspaces import Scorecards
from privpac.concepts.linear.plane import Halfplanes
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.conjunctions import Conjunctions, Disjunctions
from privpac.concepts.sets.generated import GeneratedPoints
from privpac.concepts.sets.points import Points
from privpac.concepts.trees.lists import DecisionLists
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.one_test import OneTest
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.covers.reference import ReferenceCover
from privpac.constructions.cuts.recursive import RecConcave
from privpac.constructions.cuts.switches import SwitchCuts
from privpac.constructions.draw.merged import Merged
from privpac.constructions.draw.occam import FAILURE, Occam
from privpac.constructions.draw.staged_trees import StagedTrees, default_stages
from privpac.constructions.labels.classes import label_private
from privpac.constructions.labels.trees import LabelPrivateTrees
from privpac.constructions.points.ways import POINT_WAYS, point_learner
from privpac.constructions.stored_classes import CLASSES, is_storable
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SchemaError, SizeError
from privpac.fields import listed, text, whole
from privpac.numbers.exact import exp_up, plain, written

__all__ = [
    "PROTECTS",
    "WORDS",
    "Request",
    "learner_for",
    "request_from_json",
    "takes_many_classes",
]

OWNER = "concepts"

PROTECTS = ("records", "labels")
"""Whose change a released rule can hide; what only answers is made by `PrivatePredictor`."""

MOST_RECORDS = 10**12
"""Beyond it searches and sums over records take too long, whoever asks, and a stored request asks too."""

MERGED = (Trees, DecisionLists, Conjunctions, Disjunctions)
"""Classes whose members may hold parts that change nothing."""


@dataclass(frozen=True)
class Request:
    """Everything public that decides which learner is built."""

    schema: Schema
    size: Size
    epsilon: Fraction
    delta: Fraction = Fraction(0)
    protect: str = "records"
    costs: Costs | None = None
    records_per_person: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.records_per_person, bool) or not (
            isinstance(self.records_per_person, int) and self.records_per_person >= 1
        ):
            raise ParameterError(
                "learn", "records_per_person", self.records_per_person, allowed="a positive integer"
            )
        if self.epsilon <= 0:
            raise ParameterError("learn", "epsilon", plain(self.epsilon), allowed="a positive number")
        if not 0 <= self.delta < 1:
            raise ParameterError("learn", "delta", plain(self.delta), allowed="at least 0 and below 1")
        if self.size.total > MOST_RECORDS:
            raise SizeError(f"learn: more than {MOST_RECORDS:.0e} records are beyond what is computed here.")

    @property
    def per_record(self) -> Fraction:
        """The epsilon a learner may spend on one record, so that a person behind several is protected."""
        return self.epsilon / self.records_per_person

    @property
    def delta_per_record(self) -> Fraction:
        """A delta for one record that the rule for groups does not take above what was asked for a person."""
        people = self.records_per_person
        return self.delta / people / exp_up(self.per_record * (people - 1))

    def to_json(self) -> dict[str, Any]:
        """The public wishes a learner was built from (schema and size are stored elsewhere)."""
        return {
            "epsilon": plain(self.epsilon),
            "delta": plain(self.delta),
            "protect": self.protect,
            "costs": None if self.costs is None else list(self.costs),
            "records_per_person": self.records_per_person,
        }

    def staged(self, stages: tuple[int, ...], tests: Binarisation) -> Learner:
        if self.protect == "labels":
            return LabelPrivateTrees(self.schema, self.per_record, stages, _cuts(tests), self.costs)
        return StagedTrees(self.schema, self.per_record, stages, tests, self.costs)

    def occam(self, concepts: ConceptClass) -> Learner:
        if not isinstance(concepts, ManyLabels):
            self.require_two_classes(concepts.word)
        concepts.require(self.size.labelled)
        if self.protect == "labels":
            return label_private(concepts, epsilon=self.per_record, costs=self.costs)
        learner = Occam(concepts, self.per_record, self.costs)
        return Merged(learner) if isinstance(concepts, MERGED) else learner

    def require_two_classes(self, word: str) -> None:
        """Refuse more classes than the two that the rules a word names can tell apart."""
        count = len(self.schema.classes)
        if count > 2:
            raise SchemaError(
                f"Label '{self.schema.label}' has {count} classes, but {word} separates two.",
                column=self.schema.label,
                remedy="Trees and decision lists take any number: concepts='trees:3'.",
            )


Builder = Callable[[Request, str], Learner]


@dataclass(frozen=True)
class Word:
    """How a word is written, what it means, and what builds it."""

    form: str
    meaning: str
    build: Builder
    protects: tuple[str, ...] = ("records",)
    many_classes: bool = False
    """Whether the rules end in any number of classes; otherwise they separate two."""


_LONGEST_COUNT = 9
"""Digits of a number in a word."""


def _is_count(text: str) -> bool:
    """Whether a text is a number as people write it; '²' is a digit to Python, and no number."""
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST_COUNT


def _column(request: Request, name: str, form: str) -> str:
    if not name:
        raise ParameterError(OWNER, "word", form, allowed=f"of the form {form}", remedy="Name a column.")
    return request.schema.column(name).name


def _stumps(request: Request, rest: str) -> Learner:
    return request.occam(Stumps(request.schema))


def _thresholds(request: Request, rest: str) -> Learner:
    name, _, direction = rest.rpartition(":")
    if direction in ("up", "down", "either") and name:
        column = _column(request, name, "thresholds:COLUMN")
        return request.occam(Thresholds(request.schema, column, direction))  # type: ignore[arg-type]
    return request.occam(Thresholds(request.schema, _column(request, rest, "thresholds:COLUMN")))


def _directed_cuts(request: Request, rest: str, form: str) -> Thresholds:
    """Cuts of a column in one direction, for learners that know no costs."""
    name, _, direction = rest.rpartition(":")
    if direction not in ("up", "down"):
        name, direction = rest, "up"
    request.require_two_classes(form)
    if request.costs not in (None, (1, 1)):
        raise ParameterError(OWNER, "costs", request.costs, allowed=f"left out for {form}")
    return Thresholds(request.schema, _column(request, name, form), direction)  # type: ignore[arg-type]


def _rec_concave(request: Request, rest: str) -> Learner:
    cuts = _directed_cuts(request, rest, "recconcave:COLUMN")
    return RecConcave(cuts, request.per_record, request.delta_per_record)


def _switches(request: Request, rest: str) -> Learner:
    name, _, count = rest.rpartition(":")
    if not (name and _is_count(count)):
        allowed = "of the form switches:COLUMN:K, such as switches:age:2"
        raise ParameterError(OWNER, "word", f"switches:{rest}", allowed=allowed)
    cuts = _directed_cuts(request, name, "switches:COLUMN:K")
    ranges = Unions(request.schema, cuts.column, intervals=int(count))
    inner = Occam(ranges, request.per_record, failure=FAILURE / 2)
    return SwitchCuts(cuts, inner, request.per_record, most=2 * ranges.intervals)


def _generated(request: Request, rest: str) -> Learner:
    name, _, bits = rest.rpartition(":")
    if not (name and _is_count(bits)):
        allowed = "of the form generated:COLUMN:BITS, such as generated:code:16"
        raise ParameterError(OWNER, "word", f"generated:{rest}", allowed=allowed)
    column = _column(request, name, "generated:COLUMN:BITS")
    return request.occam(GeneratedPoints(request.schema, column, int(bits)))


def _points(request: Request, rest: str) -> Learner:
    name, _, way = rest.rpartition(":")
    if way not in POINT_WAYS or rest in request.schema.names:
        name, way = rest, ""
    if not name and len(request.schema.columns) == 1:
        name = request.schema.names[0]
    form = "points:COLUMN or points:COLUMN:WAY, WAY one of " + ", ".join(POINT_WAYS)
    column = _column(request, name, form)
    if not way:
        return request.occam(Points(request.schema, column))
    request.require_two_classes("points")
    if request.protect == "labels":
        raise ParameterError(OWNER, "protect", "labels", allowed=f"'records' for points:COLUMN:{way}")
    return point_learner(
        way, request.schema, column, epsilon=request.per_record, size=request.size, costs=request.costs
    )


def _intervals(request: Request, rest: str) -> Learner:
    return request.occam(Intervals(request.schema, _column(request, rest, "intervals:COLUMN")))


def _unions(request: Request, rest: str) -> Learner:
    name, _, count = rest.rpartition(":")
    if not _is_count(count):
        raise ParameterError(
            OWNER, "word", f"unions:{rest}", allowed="of the form unions:COLUMN:K, such as unions:age:2"
        )
    column = _column(request, name, "unions:COLUMN:K")
    return request.occam(Unions(request.schema, column, intervals=int(count)))


def _rectangles(request: Request, rest: str) -> Learner:
    names = [_column(request, name.strip(), "rectangles:COL,COL") for name in rest.split(",")]
    return request.occam(Rectangles(request.schema, tuple(names)))


def _cuts(tests: Binarisation) -> int:
    """Cuts of the column that has most of them."""
    return max(len(group.cells) for group in tests.groups)


def _trees(request: Request, rest: str) -> Learner:
    return _staged(request, rest or "3")


def _staged(request: Request, rest: str) -> Learner:
    depths = rest.split("+")
    if not all(map(_is_count, depths)):
        form = "trees:DEPTH or staged:D1+D2, such as trees:3 or staged:3+3"
        raise ParameterError(OWNER, "word", rest, allowed=f"of the form {form}")
    tests = Binarisation.default(request.schema, n=request.size.labelled)
    return request.staged(tuple(int(depth) for depth in depths), tests)


def _count(word: str, rest: str) -> int:
    if rest and not _is_count(rest):
        raise ParameterError(
            OWNER, "word", f"{word}:{rest}", allowed=f"of the form {word}:K, such as {word}:3"
        )
    return int(rest or "3")


def _lists(request: Request, rest: str) -> Learner:
    tests = Binarisation.default(request.schema, n=request.size.labelled)
    return request.occam(DecisionLists(request.schema, _count("lists", rest), tests, threads=2))


def _monomials(kind: type[Conjunctions] | type[Disjunctions]) -> Builder:
    def build(request: Request, rest: str) -> Learner:
        request.require_two_classes(kind.name)
        tests = Binarisation.default(request.schema, n=request.size.labelled)
        return request.occam(kind(request.schema, _count(kind.name, rest), tests, threads=2))

    return build


def _scorecards(request: Request, rest: str) -> Learner:
    if rest and not _is_count(rest):
        raise ParameterError(
            OWNER, "word", f"scorecards:{rest}", allowed="of the form scorecards:K, such as scorecards:2"
        )
    request.require_two_classes("scorecards")
    return request.occam(Scorecards(request.schema, count=int(rest or "2")))


HALFSPACE_POINTS = {1: 1, 2: 16, 3: 6, 4: 3, 5: 2}
"""Largest points of a half-space by number of columns: some hundreds to some thousands of directions each."""


def _halfspaces(request: Request, rest: str) -> Learner:
    form = "halfspaces:COL,COL"
    names = tuple(_column(request, name.strip(), form) for name in rest.split(","))
    if len(names) > max(HALFSPACE_POINTS):
        raise ParameterError(
            OWNER,
            "word",
            f"halfspaces:{rest}",
            allowed=f"of the form {form}, with at most {max(HALFSPACE_POINTS)} columns",
            remedy="Beyond that no list of directions comes close to all of them: use scorecards:K, or declare "
            "directions of your own with Halfspaces.",
        )
    request.require_two_classes("halfspaces")
    if request.protect == "labels":
        return request.occam(Halfplanes(request.schema, names))
    points = HALFSPACE_POINTS[len(names)]
    return request.occam(Scorecards(request.schema, len(names), points, columns=names))


def _reference(request: Request, rest: str) -> Learner:
    names = tuple(_column(request, name.strip(), "reference:COLUMN") for name in rest.split(","))
    request.require_two_classes("reference")
    if request.costs is not None:
        raise ParameterError(OWNER, "costs", request.costs, allowed="left out for reference:COLUMN")
    schema, epsilon = request.schema, request.per_record
    if len(names) == 1:
        return ReferenceCover(Thresholds(schema, names[0]), Uniform(schema, names), epsilon)
    return ReferenceCover(CentredHalfspaces(schema, names), UniformSphere(schema, names), epsilon)


def _one_test(request: Request, rest: str) -> Learner:
    tests = Binarisation.default(request.schema, n=request.size.labelled)
    return request.occam(OneTest(request.schema, tests))


ONE_TEST_UP_TO = 100
"""n·epsilon up to which one test with two different answers beats every tree prior tried (benchmarks/accuracy)."""


def _auto(request: Request, rest: str) -> Learner:
    if request.protect == "records" and request.size.labelled * request.per_record <= ONE_TEST_UP_TO:
        return _one_test(request, rest)
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
    "points": Word(
        "points:COLUMN",
        f"one value of a column (add :WAY, one of {', '.join(POINT_WAYS)})",
        _points,
        PROTECTS,
    ),
    "generated": Word(
        "generated:COLUMN:BITS", "one value that a public generator makes of few bits", _generated
    ),
    "switches": Word(
        "switches:COLUMN:K", "a cut, found through up to K ranges (add :down after COLUMN)", _switches
    ),
    "recconcave": Word("recconcave:COLUMN", "a cut in a column of very long keys, with delta", _rec_concave),
    "one-test": Word("one-test", "one test with two different answers", _one_test, many_classes=True),
    "trees": Word("trees:DEPTH", "all decision trees up to a depth", _trees, PROTECTS, many_classes=True),
    "staged": Word("staged:D1+D2", "a tree grown in private stages", _staged, PROTECTS, many_classes=True),
    "lists": Word("lists:K", "decision lists of up to K tests", _lists, many_classes=True),
    "conjunctions": Word("conjunctions:K", "all of up to K tests", _monomials(Conjunctions)),
    "disjunctions": Word("disjunctions:K", "any of up to K tests", _monomials(Disjunctions)),
    "scorecards": Word("scorecards:K", "integer points for up to K features, and a cut-off", _scorecards),
    "halfspaces": Word("halfspaces:COL,COL", "integer points for one to five columns", _halfspaces, PROTECTS),
    "reference": Word(
        "reference:COLUMN", "a cut promised for densities up to one that is printed", _reference
    ),
}


def takes_many_classes(concepts: str | ConceptClass) -> bool:
    """Whether the rules of a class, or of the word that names it, end in any number of classes.

    >>> takes_many_classes("trees:3"), takes_many_classes("stumps")
    (True, False)
    """
    if not isinstance(concepts, str):
        return isinstance(concepts, ManyLabels)
    entry = WORDS.get(concepts.partition(":")[0])
    return entry is not None and entry.many_classes


def learner_for(word: str | ConceptClass, request: Request) -> Learner:
    """The learner a word names, or `Occam` on a class of concepts given as such.

    Unknown words list the known ones.
    """
    if request.protect not in PROTECTS:
        allowed = "one of " + ", ".join(repr(p) for p in PROTECTS)
        raise ParameterError(OWNER, "protect", request.protect, allowed=allowed)
    if not isinstance(word, str):
        return _given(word, request)
    head, _, rest = word.partition(":")
    entry = WORDS.get(head)
    if entry is None:
        raise ParameterError(OWNER, "concepts", word, allowed=_known())
    if request.protect not in entry.protects:
        raise ParameterError(
            OWNER,
            "protect",
            request.protect,
            allowed=f"one of {', '.join(entry.protects)} for {entry.form}",
            remedy=f"protect={request.protect!r} does not exist yet for {entry.form}.",
        )
    return entry.build(request, rest)


def _is_ours(concepts: ConceptClass) -> bool:
    """Whether a class is part of this package; whoever brings a class of their own verifies with it in hand."""
    return type(concepts).__module__.partition(".")[0] == __name__.partition(".")[0]


def _given(concepts: ConceptClass, request: Request) -> Learner:
    if not is_storable(concepts) and _is_ours(concepts):
        raise ParameterError(
            OWNER,
            "concepts",
            type(concepts).__name__,
            allowed=_known() + f", or one of the classes {', '.join(CLASSES)}",
            remedy="Only what a certificate can name is learnt, so that everybody can verify it.",
        )
    if concepts.schema != request.schema:
        raise SchemaError(
            "The class of concepts was made for another schema.", remedy="Give both the same schema."
        )
    return request.occam(concepts)


def _known() -> str:
    return "one of " + ", ".join(word.form for word in WORDS.values())


def request_from_json(tree: Mapping[str, Any], *, schema: Schema, labelled: int) -> Request:
    """The request a stored certificate answers."""
    costs = tree["costs"]
    return Request(
        schema=schema,
        size=Size(labelled),
        epsilon=written(tree["epsilon"]),
        delta=written(tree["delta"]),
        protect=text(tree["protect"]),
        costs=None if costs is None else tuple(whole(cost, least=1) for cost in listed(costs)),
        records_per_person=whole(tree["records_per_person"], least=1),
    )
