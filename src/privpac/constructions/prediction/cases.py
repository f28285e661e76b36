"""Predictors, alone and asked several times: every answer jointly."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Cells, Hypothesis
from privpac.concepts.labellings.base import ListedPrices
from privpac.concepts.labellings.cuts import CutDichotomies
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.cases import Case, Record, RememberedSample, records_of, sample_of, tiny_schema
from privpac.constructions.prediction.fresh_draws import FreshDraws
from privpac.constructions.prediction.net_relabelled import NetRelabelled
from privpac.constructions.prediction.predictor import Predictor
from privpac.constructions.prediction.relabelled_vote import RelabelledVote
from privpac.constructions.prediction.vote import Law, Vote
from privpac.constructions.prediction.voters import Classifiers, Concepts
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy

__all__ = [
    "ROWS",
    "CutsAtPoints",
    "corollary_one",
    "flipped",
    "net_relabelled",
    "predictor_case",
    "questions",
    "relabelled_vote",
]

PLACE = 40

ONE = Fraction(1)


def questions(schema: Schema, *rows: Sequence[int]) -> Cells:
    """Encoded rows."""
    table = np.array(rows, dtype=np.int64).reshape(len(rows), len(schema.columns))
    return {column.name: table[:, i].astype(column.dtype) for i, column in enumerate(schema.columns)}


def predictor_case(name: str, predictor: Predictor, n: int, *rows: Sequence[int]) -> Case:
    """All answers to these questions together, on every multiset of n records: this many times one answer's loss."""
    schema = predictor.schema
    queries = questions(schema, *rows)
    memory: dict[Hashable, object] = {}

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        sample = RememberedSample(sample_of(schema, data), tuple(data), memory)
        prepared = predictor.prepare(sample, coins)
        # A run of its own, so that its branches are not multiplied by training anew for each of them.
        [answers] = coins.each([lambda inner: tuple(prepared.answer(queries, inner).tolist())])
        return answers

    def certified(records: int) -> Privacy:
        return rules.sequential(*[predictor.certify(Size(records)).privacy] * len(rows)).fact

    return Case(name, run, records_of(schema), n, certified(n), certified=certified)


@dataclass(frozen=True)
class _FittedOnce(Classifiers):
    """Classifiers that fit equal rows once: what the clone of an estimator learns is a function of rows and labels."""

    memory: dict[tuple[bytes, bytes], Any] = field(default_factory=dict, compare=False, repr=False)

    def _fit(self, rows: NDArray[np.float64], labels: NDArray[np.uint8]) -> Any:
        key = (rows.tobytes(), labels.tobytes())
        if key not in self.memory:
            self.memory[key] = super()._fit(rows, labels)
        return self.memory[key]


def _stumps(schema: Schema) -> Classifiers:
    from sklearn.tree import DecisionTreeClassifier

    return _FittedOnce(schema, DecisionTreeClassifier(max_depth=1))


def _vote_concepts() -> Case:
    schema = tiny_schema(3)
    return predictor_case("vote-concepts", Vote(Concepts(Thresholds(schema, "a")), ONE, 3), 3, (1,))


def _vote_even() -> Case:
    schema = tiny_schema(3)
    return predictor_case("vote-even", Vote(Concepts(Thresholds(schema, "a")), ONE, 2), 3, (1,))


def _vote_classifiers() -> Case:
    schema = tiny_schema(2, categories=2)
    return predictor_case("vote-classifiers", Vote(_stumps(schema), ONE, 2), 2, (0, 1))


def _vote_two_answers() -> Case:
    schema = tiny_schema(3)
    voters = Concepts(Thresholds(schema, "a"))
    return predictor_case("vote-two-answers", Vote(voters, ONE, 2), 3, (0,), (2,))


def _vote_three_answers() -> Case:
    schema = tiny_schema(3)
    voters = Concepts(Thresholds(schema, "a"))
    return predictor_case("vote-three-answers", Vote(voters, ONE / 2, 3), 3, (0,), (1,), (2,))


def _vote_three_classes(name: str, models: int, *rows: Sequence[int]) -> Case:
    schema = tiny_schema(2, classes=3)
    return predictor_case(name, Vote(_stumps(schema), ONE, models), models, *rows)


def _weighted_vote(name: str, models: int, classes: int, *rows: Sequence[int]) -> Case:
    schema = tiny_schema(2, classes=classes)
    return predictor_case(name, Vote(_stumps(schema), ONE, models, law=Law.EXPONENTIAL), models, *rows)


@dataclass(frozen=True, eq=False, repr=False)
class _AtThePoints(CutDichotomies):
    """Representatives that cut at a point and not between two: as telling as representatives may be."""

    def member(self, index: int) -> Hypothesis:
        if len(self.points) == 0:
            return self.name(0, True)
        return self.name(int(self.points[max(index - 1, 0)]) + (index > 0), True)

    def mistakes(self, sample: Sample) -> ListedPrices:
        block = sample.take(np.arange(sample.size.labelled)).block()
        wrong = [(self.member(i).predict(block.cells) != block.labels).sum() for i in range(self.count)]
        return ListedPrices(np.array(wrong, dtype=np.int64))


@dataclass(frozen=True)
class CutsAtPoints(Thresholds):
    """Thresholds whose labellings are represented by cuts at the points."""

    def dichotomies(self, *points: Sample) -> _AtThePoints:
        plain = super().dichotomies(*points)
        return _AtThePoints(plain.column, plain.points, plain.upward, plain.name)


def flipped(*rows: Sequence[int], name: str = "flipped-answers") -> Case:
    """Corollary 1 where it was first computed: thresholds on 4 cells, n = 5, k = 1, draw at 0.575, flip 0.05."""
    return predictor_case(name, corollary_one(cells=4, records=5), 5, *rows)


def corollary_one(*, cells: int, records: int) -> FreshDraws:
    """Fresh draws with the settings of the printed corollary."""
    return FreshDraws(
        CutsAtPoints(tiny_schema(cells), "a"),
        Fraction("1.5261"),
        kept=1,
        records=records,
        flip=Fraction(1, 20),
        slip=Fraction(1, 2),
        drawing=Fraction("0.575"),
    )


def _flipped_three() -> Case:
    predictor = FreshDraws.with_subset(CutsAtPoints(tiny_schema(3), "a"), ONE, kept=1, records=3)
    return predictor_case("flipped-three-answers", predictor, 3, (0,), (1,), (2,))


def relabelled_vote() -> RelabelledVote:
    """A vote after relabelling, on three cells."""
    return RelabelledVote(
        Thresholds(tiny_schema(3), "a"),
        Fraction(2),
        kept=2,
        records=3,
        labels=Fraction(1, 10),
        weight=ONE,
        models=2,
        inner=Fraction(1, 2),
    )


def net_relabelled() -> NetRelabelled:
    """Relabelling with a net, on two cells."""
    return NetRelabelled(
        Thresholds(tiny_schema(2), "a"),
        Fraction(3),
        kept=2,
        records=3,
        net=Fraction(0),
        drawing=Fraction(1, 4),
        models=2,
        inner=Fraction(1, 2),
        flip=Fraction(1, 10),
    )


ROWS: Mapping[str, Callable[[], Case]] = {
    "vote-concepts": _vote_concepts,
    "vote-even": _vote_even,
    "vote-classifiers": _vote_classifiers,
    "vote-two-answers": _vote_two_answers,
    "vote-three-answers": _vote_three_answers,
    "vote-three-classes": lambda: _vote_three_classes("vote-three-classes", 3, (1,)),
    "vote-three-classes-two-answers": lambda: _vote_three_classes(
        "vote-three-classes-two-answers", 2, (0,), (1,)
    ),
    "vote-weighted": lambda: _weighted_vote("vote-weighted", 2, 2, (0,), (1,)),
    "vote-weighted-three-classes": lambda: _weighted_vote("vote-weighted-three-classes", 2, 3, (1,)),
    "flipped-answers": lambda: flipped((2,)),
    "flipped-three-answers": _flipped_three,
    "relabelled-vote": lambda: predictor_case("relabelled-vote", relabelled_vote(), 3, (1,)),
    "net-relabelled": lambda: predictor_case("net-relabelled", net_relabelled(), 3, (1,)),
}
