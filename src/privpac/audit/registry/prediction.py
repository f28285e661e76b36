"""Predictors, alone and asked several times: every answer jointly."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from privpac.audit.exact import Case
from privpac.audit.registry.cases import RememberedSample, records_of, sample_of, tiny_schema
from privpac.audit.symmetry import Record
from privpac.coins import Coins
from privpac.concepts.base import Cells
from privpac.concepts.thresholds import Thresholds
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.guarantee import rules
from privpac.prediction.base import Predictor
from privpac.prediction.vote import Vote
from privpac.prediction.voters import Classifiers, Concepts

__all__ = ["ROWS", "predictor_case", "questions"]

ONE = Fraction(1)


def questions(schema: Schema, *rows: Sequence[int]) -> Cells:
    """Encoded rows."""
    table = np.array(rows, dtype=np.int64).reshape(len(rows), len(schema.columns))
    return {column.name: table[:, i].astype(column.dtype) for i, column in enumerate(schema.columns)}


def predictor_case(name: str, predictor: Predictor, n: int, *rows: Sequence[int]) -> Case:
    """All answers to these questions together, on every multiset of n records: so many times one answer's loss."""
    schema = predictor.schema
    asked = questions(schema, *rows)
    remembered: dict[Hashable, object] = {}

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        sample = RememberedSample(sample_of(schema, data), tuple(data), remembered)
        return tuple(predictor.prepare(sample, coins).answer(asked, coins).tolist())

    one = predictor.certify(Size(n)).privacy
    return Case(name, run, records_of(schema), n, rules.sequential(*[one] * len(rows)).fact)


def _stump_classifier() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=1)


def _vote_concepts() -> Case:
    schema = tiny_schema(3)
    return predictor_case("vote-concepts", Vote(Concepts(Thresholds(schema, "a")), ONE, 3), 3, (1,))


def _vote_even() -> Case:
    schema = tiny_schema(3)
    return predictor_case("vote-even", Vote(Concepts(Thresholds(schema, "a")), ONE, 2), 3, (1,))


def _vote_classifiers() -> Case:
    schema = tiny_schema(2, categories=2)
    return predictor_case(
        "vote-classifiers", Vote(Classifiers(schema, _stump_classifier()), ONE, 2), 2, (0, 1)
    )


def _vote_two_answers() -> Case:
    schema = tiny_schema(3)
    voters = Concepts(Thresholds(schema, "a"))
    return predictor_case("vote-two-answers", Vote(voters, ONE, 2), 3, (0,), (2,))


def _vote_three_answers() -> Case:
    schema = tiny_schema(3)
    voters = Concepts(Thresholds(schema, "a"))
    return predictor_case("vote-three-answers", Vote(voters, ONE / 2, 3), 3, (0,), (1,), (2,))


ROWS: Mapping[str, Callable[[], Case]] = {
    "vote-concepts": _vote_concepts,
    "vote-even": _vote_even,
    "vote-classifiers": _vote_classifiers,
    "vote-two-answers": _vote_two_answers,
    "vote-three-answers": _vote_three_answers,
}
