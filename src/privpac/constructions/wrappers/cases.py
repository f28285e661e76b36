"""Rows of transforms: sampling, confidence, relabelling, the stable learner.

Honest learners inside hide errors of a certificate: they react to a record far less than they may. An `Adversary`
reacts as much as its own certificate allows, around one database of its choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.concepts.finite import Finite
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import Unions, intervals
from privpac.concepts.sets.points import Points
from privpac.concepts.trees.trees import Trees
from privpac.constructions.adversary import Adversary, Rare
from privpac.constructions.base import Learner
from privpac.constructions.cases import (
    Case,
    LawMemory,
    Record,
    RememberedSample,
    learner_case,
    mirrored,
    remembered,
    tiny_schema,
)
from privpac.constructions.draw.occam import Occam
from privpac.constructions.words import Request, learner_for
from privpac.constructions.wrappers.confidence import Confidence
from privpac.constructions.wrappers.relabelling import Agnostic, Relabelled, Vote
from privpac.constructions.wrappers.sampling import Resampled, Subsampled
from privpac.constructions.wrappers.transform import places
from privpac.data.sample import Sample, Size
from privpac.numbers.exact import ratio_for
from privpac.request import LearnRequest

__all__ = [
    "ROWS",
    "RememberedAgnostic",
    "agnostic_case",
    "confidence_case",
    "transform_case",
]

PLACE = 140

ONE = Fraction(1)
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class RememberedAgnostic(Agnostic):
    """The same learner, which enumerates every vote and every inner run once for a whole audit.

    What follows the draw of the kept records depends on their points (their own labels are not looked at) and on the
    others, not on any order: for learners inside that look at none.
    """

    memory: LawMemory = field(default_factory=LawMemory, compare=False, repr=False)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        self.require(sample.size)
        kept = places(self.positions(sample.size.labelled, coins))
        one, other, vote = _in_order(sample.take(kept)), _in_order(sample.rest(kept)), self.vote(sample.size)
        key = "vote", tuple(record[:-1] for record in one.data), other.data
        rule: Hypothesis = self.memory.draw(key, lambda inner: self._vote(vote, one, other, inner), coins)
        return rule

    def _vote(self, vote: Vote, some: RememberedSample, rest: RememberedSample, coins: Coins) -> Hypothesis:
        def labelled(inner: Coins) -> tuple[Record, ...]:
            return _in_order(self.labelled(vote, some, rest, inner)).data

        data = self.memory.draw(("labels", some.data, rest.data), labelled, coins)
        sample = remembered(some.schema, data, some.memory)
        rule: Hypothesis = self.memory.draw(
            ("learn", data), lambda inner: self.learner.learn(sample, inner), coins
        )
        return rule


def _in_order(sample: Sample) -> RememberedSample:
    """The same records in one order, whatever theirs was."""
    assert isinstance(sample, RememberedSample)
    return remembered(sample.schema, sorted(sample.data), sample.memory)


def transform_case(
    name: str, learner: Learner, schema: Any, n: int, *, ordered: bool = False, sets: bool = False
) -> Case:
    """A learner around another one."""
    return replace(learner_case(name, learner, schema, n), ordered=ordered, sets=sets)


def agnostic_case(
    *, cells: int = 3, n: int = 4, kept: int = 2, vote: Fraction = Fraction(3, 10), inner: Fraction = HALF
) -> Case:
    """Thresholds relabelled by a vote and learnt by the exponential mechanism."""
    schema = tiny_schema(cells)
    learner = RememberedAgnostic(Occam(Thresholds(schema, "a"), inner), kept, vote)
    return mirrored(transform_case("agnostic over occam", learner, schema, n, sets=True), cells=cells)


def _subsampled_thresholds() -> Case:
    schema = tiny_schema(3)
    learner = Subsampled(Occam(Thresholds(schema, "a"), ONE), 3)
    return mirrored(transform_case("subsampled thresholds", learner, schema, 4, sets=True), cells=3)


def _subsampled_places() -> Case:
    """An inner learner that looks at the order: only the shuffle saves the certificate."""
    schema = tiny_schema(2)
    target: tuple[Record, ...] = ((0, 0), (1, 1))
    learner = Subsampled(Adversary(Thresholds(schema, "a"), target), 2)
    return transform_case("subsampled, order seen by the learner inside", learner, schema, 3)


def _resampled_thresholds() -> Case:
    schema = tiny_schema(3)
    learner = Resampled(Occam(Thresholds(schema, "a"), ONE), 2)
    return mirrored(transform_case("resampled thresholds", learner, schema, 3), cells=3)


def _confidence() -> Case:
    schema = tiny_schema(2)
    learner = Confidence(Occam(Thresholds(schema, "a"), HALF), runs=2, held=1, epsilon=ONE)
    return transform_case("the better of two thresholds", learner, schema, 3, ordered=True)


def _confident() -> Case:
    """The same as its word builds it: two runs, the last record picks."""
    schema = tiny_schema(2)
    learner = learner_for("confident:2:thresholds:a", Request(schema, Size(3), LearnRequest(epsilon=ONE)))
    return transform_case("confident:2:thresholds", learner, schema, 3, ordered=True)


def confidence_case(name: str, kind: type[Confidence] = Confidence) -> Case:
    """The pick and the learner inside both lose what they may: three records against the rare rule, and one for it.

    Each block has two records, so that one of them can be far from what the learner inside looks for.
    """
    schema, ratio = tiny_schema(2), ratio_for(Fraction(3, 2))
    inner = Rare(Thresholds(schema, "a"), ((0, 1), (0, 1)), ratio)
    case = transform_case(name, kind(inner, runs=2, held=3, epsilon=Fraction(3)), schema, 7, ordered=True)
    return replace(case, records=((0, 0), (0, 1)))  # labels tell all that is needed


def _nested_transforms() -> Case:
    """Transforms inside of transforms."""
    schema = tiny_schema(2)
    inner = Resampled(Subsampled(Occam(Thresholds(schema, "a"), ONE), 1), 2)
    return transform_case("subsampled, resampled, subsampled", Subsampled(inner, 2), schema, 3)


def _relabelled_thresholds() -> Case:
    schema = tiny_schema(3)
    target: tuple[Record, ...] = ((0, 0), (2, 1))
    learner = Relabelled(Adversary(Thresholds(schema, "a"), target), 2, HALF)
    return transform_case("relabelled by fixed voters", learner, schema, 3, ordered=True)


def _isolated_points() -> Case:
    """Two labellings of a frequent point, each with two extensions at one of two rare points and one at the other.

    Four voters make one of them unlikely, and the learner inside looks for it: forty copies of the frequent point are
    how far it can tell them apart. One input with its neighbours: the rare point is replaced by the other.
    """
    schema, copies = tiny_schema(3), 40
    sets = ("a == 0 or a == 2", "a == 0 or a == 1 or a == 2", "a == 1", "a == 1 or a == 2")
    first, second = (((0, 1),) * copies + ((1, label),) for label in range(2))
    learner = Relabelled(Adversary(Finite(schema, sets), first, others=(second,)), copies + 1, Fraction(2))
    case = transform_case("relabelled, isolated groups", learner, schema, copies + 5, ordered=True)
    data: tuple[Record, ...] = (*((0, 0),) * copies, (1, 0), *((0, 0),) * 4)
    return replace(case, records=((0, 0), (1, 0), (2, 0)), inputs=(data,), certified=None)


def _against(concepts: AnyClass, name: str, target: tuple[Record, ...], n: int, **options: Any) -> Case:
    learner = Agnostic(Adversary(concepts, target), len(target), Fraction(3, 10), **options)
    return transform_case(name, learner, concepts.schema, n)


def _agnostic_stumps() -> Case:
    """Two columns that label some points alike: every labelling must count once."""
    return _against(Stumps(tiny_schema(2, 2)), "agnostic stumps", ((0, 0, 1), (1, 1, 0)), 3)


def _agnostic_finite() -> Case:
    rows = [[1, 0, 0], [1, 0, 1], [0, 1, 1], [0, 1, 1]]
    concepts = Finite.of_matrix(tiny_schema(3), "a", rows)
    return _against(concepts, "agnostic rows of a matrix", ((0, 1), (1, 0)), 3)


def _agnostic_unions() -> Case:
    """Unions are voted on themselves, by the mistakes of those who vote."""
    return _against(Unions(tiny_schema(3), "a", 2), "agnostic unions", ((0, 1), (2, 1)), 3)


def _agnostic_trees() -> Case:
    """Members with a prior in place of labellings: two trees may be the same function."""
    concepts = Trees(tiny_schema(2), 1, threads=1)
    return _against(concepts, "agnostic trees", ((0, 1), (1, 0)), 3)


ROWS: Mapping[str, Callable[[], Case]] = {
    "subsampled": _subsampled_thresholds,
    "subsampled-places": _subsampled_places,
    "resampled": _resampled_thresholds,
    "nested": _nested_transforms,
    "confidence": _confidence,
    "confident": _confident,
    "confidence-rare": lambda: confidence_case("the better of two rules, one of them rare"),
    "relabelled": _relabelled_thresholds,
    "relabelled-isolated": _isolated_points,
    "agnostic": agnostic_case,
    "agnostic-occam": lambda: agnostic_case(cells=4, n=5, kept=2),
    "agnostic-adversary": lambda: _against(
        Thresholds(tiny_schema(3), "a"), "agnostic thresholds", ((0, 0), (2, 1)), 3
    ),
    "agnostic-intervals": lambda: _against(
        intervals(tiny_schema(3), "a"), "agnostic intervals", ((0, 1), (2, 1)), 3
    ),
    "agnostic-points": lambda: _against(Points(tiny_schema(3), "a"), "agnostic points", ((0, 1), (1, 0)), 3),
    "agnostic-stumps": _agnostic_stumps,
    "agnostic-finite": _agnostic_finite,
    "agnostic-unions": _agnostic_unions,
    "agnostic-trees": _agnostic_trees,
}
