"""The default classifier: what it draws from, by public numbers alone, and that more of them never promise less."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privpac
from privpac.concepts.trees.mixture import NamedMixture
from privpac.constructions.draw.default import (
    MOST_EPSILON,
    ONE_QUESTION,
    THREE_QUESTIONS,
    coarse_tests,
    deep_tests,
    default_mixture,
    first_deep,
)
from privpac.constructions.draw.occam import Merged
from privpac.constructions.draw.refined_trees import RefinedTrees
from privpac.constructions.words import Request, learner_for
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.guarantee.facts import Against, Unit
from privpac.request import LearnRequest


def _schema(columns: int = 3, *, classes: tuple[str, ...] = ("0", "1"), lower: int = 0) -> Schema:
    numeric = {"kind": "numeric", "lower": lower, "upper": 99, "integer": True}
    entries = [{"name": f"x{i}", **numeric} for i in range(columns)]
    return Schema.from_json({"label": "y", "classes": list(classes), "columns": entries})


def _request(n: int, *, schema: Schema | None = None, **wishes: Any) -> Request:
    wishes = {"epsilon": Fraction(1), **wishes}
    return Request(schema or _schema(), Size(n), LearnRequest(**wishes))


def promised(n: int, **wishes: Any) -> dict[tuple[str, str], float]:
    """Errors by setting and rivals; 1 where nothing is promised."""
    accuracy = learner_for("auto", _request(n, **wishes)).certify(Size(n)).accuracy
    found = {(p.fact.against.value, p.fact.rivals): float(p.fact.error) for p in accuracy}
    return {(a, r): found.get((a, r), 1.0) for a in SETTINGS for r in (ONE_QUESTION, THREE_QUESTIONS)}


SETTINGS = (Against.REALIZABLE.value, Against.AGNOSTIC.value)


@pytest.mark.parametrize(
    ("n", "word"),
    [
        (49, "constants|one-test"),
        (50, "constants|one-test|trees:3"),
        (3_000, "constants|one-test|trees:3"),
        (5_000, "constants|one-test|trees:3"),
    ],
)
def test_one_draw_from_a_mixture_up_to_5000(n: int, word: str) -> None:
    learner = learner_for("auto", _request(n, schema=_schema(10)))
    assert isinstance(learner, Merged)
    assert learner.concepts.word == word
    certificate = learner.certify(Size(n))
    assert certificate.epsilon == 1
    assert len(certificate.accuracy) == 4 or n < 200


def test_above_a_tree_is_refined_or_drawn_afresh() -> None:
    learner = learner_for("auto", _request(5_001))
    assert isinstance(learner, RefinedTrees)
    assert learner.share == Fraction(1, 25_005)
    assert learner.depths == (1, 2, 3)
    assert learner_for("auto", _request(100_000)).share == Fraction(1, 10)  # type: ignore[attr-defined]


def test_no_more_than_epsilon_3_is_spent_and_that_is_what_is_declared() -> None:
    certificate = learner_for("auto", _request(500, epsilon=Fraction(10))).certify(Size(500))
    assert certificate.epsilon == MOST_EPSILON
    assert promised(500, epsilon=Fraction(10)) == promised(500, epsilon=MOST_EPSILON)


def test_labels_alone_are_one_draw_from_the_same_mixture_at_any_size() -> None:
    for n in (500, 50_000):
        learner = learner_for("auto", _request(n, protect="labels"))
        assert isinstance(learner, Merged)
        certificate = learner.certify(Size(n))
        assert certificate.privacy.fact.unit is Unit.LABEL
        assert len(certificate.accuracy) == 4


def test_every_class_can_be_named() -> None:
    three = default_mixture(_schema(classes=tuple("abc")), n=20, epsilon=Fraction(1))
    assert three.word == "constants|one-test|trees:2"
    eight = default_mixture(_schema(classes=tuple("abcdefgh")), n=20, epsilon=Fraction(1))
    assert eight.word == "constants|one-test|trees:3"


def test_the_share_of_three_questions_grows_slowly() -> None:
    shares = [default_mixture(_schema(), n=n, epsilon=Fraction(1)).shares[-1] for n in (50, 100, 150, 1_000)]
    assert shares == [888, 7_111, 24_000, 24_000]


@pytest.mark.parametrize(("columns", "most"), [(4, 124), (10, 120), (33, 132), (60, 240), (100, 200)])
def test_wide_tables_keep_four_cuts_per_column_within_256_tests(columns: int, most: int) -> None:
    assert max(len(tests.tests) for tests in coarse_tests(_schema(columns), 1_000)) == most


def test_a_fourth_question_is_asked_where_counts_allow_it() -> None:
    first = first_deep(_schema(10))
    assert deep_tests(_schema(10), first - 1) == ()
    assert len(deep_tests(_schema(10), first)) == 1
    assert deep_tests(_schema(10), 10**8) == ()  # too many to count
    assert len(coarse_tests(_schema(40), 10**9)[0].tests) < len(coarse_tests(_schema(40), 1_000)[0].tests)


def test_very_many_categories_allow_two_questions() -> None:
    entries = [{"name": "x", "kind": "categorical", "categories": [str(i) for i in range(400)]}]
    schema = Schema.from_json({"label": "y", "columns": entries})
    assert default_mixture(schema, n=1_000, epsilon=Fraction(1)).word == "constants|one-test|trees:2"
    assert learner_for("auto", _request(50_000, schema=schema)).depths == (1, 2)  # type: ignore[attr-defined]


def test_other_designs_are_gone() -> None:
    for word in ("auto:1", "auto:2"):
        with pytest.raises(ParameterError, match="auto"):
            learner_for(word, _request(500))


@pytest.mark.parametrize("n", [60, 3_000, 8_000])
def test_it_is_learnt_and_verified(n: int, tmp_path: Any) -> None:
    rng = np.random.default_rng(1)
    x = np.minimum(99, rng.exponential(4.0, (n, 2)).astype(int))
    table = {"x0": x[:, 0], "x1": x[:, 1], "y": (x[:, 0] + x[:, 1] >= 7).astype(int)}
    model = privpac.learn(table, schema=_schema(2), epsilon=1, leaf_epsilon="0.1", random_state=5)
    model.save(tmp_path / "model.json")
    assert privpac.verify(tmp_path / "model.json").rebuilt
    assert n < 3_000 or (model.classify(table) == table["y"]).mean() > 0.9


def test_costs_reach_the_draw() -> None:
    for n in (2_000, 8_000):
        learner = learner_for("auto", _request(n, costs=(1, 4)))
        assert learner.certify(Size(n)).to_json()["learner"]["costs"] == [1, 4]


def test_a_named_mixture_is_refused_as_an_object() -> None:
    """Files name `auto`, which builds it again."""
    concepts = default_mixture(_schema(), n=5_000, epsilon=Fraction(1))
    assert isinstance(concepts, NamedMixture)
    with pytest.raises(ParameterError, match="one of the classes"):
        learner_for(concepts, _request(5_000))


def test_where_three_questions_say_everything_there_is_one_draw_at_any_size() -> None:
    """A fourth question or a refinement would tell nothing, and cost a part of epsilon and of the failure."""
    for columns, draws_once in ((1, True), (3, True), (4, False)):
        learner = learner_for("auto", _request(50_000, schema=_answers(columns)))
        assert isinstance(learner, Merged) == draws_once
        assert ("trees:4" in learner.concepts.word) != draws_once


def _answers(columns: int) -> Schema:
    """Columns that are yes or no."""
    return Schema.from_json(
        {"label": "y", "columns": [{"name": f"x{i}", "kind": "boolean"} for i in range(columns)]}
    )


SCHEMAS = {
    "one answer": _answers(1),
    "three answers": _answers(3),
    "four answers": _answers(4),
    "eight answers": _answers(8),
    "one column": _schema(1),
    "three columns": _schema(3),
    "ten columns": _schema(10, lower=1),
    "forty columns": _schema(40),
    "three classes": _schema(4, classes=tuple("abc")),
}
RISES = 1.005
"""A certificate of more records may be so much worse: the prior of one question shrinks as others come in."""
ROUNDED = 1e-4


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("epsilon", ["0.1", "0.3", "1", "3"])
def test_more_records_never_promise_less(name: str, epsilon: str) -> None:
    least: dict[tuple[str, str], float] = {}
    numbers = {round(50 * 1.7**k) for k in range(19)}
    places = (math.ceil(evidence / Fraction(epsilon)) for evidence in (50, 150, 1_000, 5_000))
    numbers |= {place + k for place in places for k in (-1, 0, 1)}
    for n in sorted(n for n in numbers if n >= 50):
        for key, error in promised(n, schema=SCHEMAS[name], epsilon=Fraction(epsilon)).items():
            bound = RISES * least.get(key, 1.0) + ROUNDED
            assert error <= bound, (n, key, error, bound)
            least[key] = min(error, least.get(key, 1.0))


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("n", [200, 2_000, 6_000, 50_000])
def test_a_larger_epsilon_never_promises_less_where_a_rival_is_right(name: str, n: int) -> None:
    """For any records a larger exponent may overfit, and the promise is best near 2·sqrt(2·nats/n)."""
    least: dict[tuple[str, str], float] = {}
    for tenth in (1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 50, 100):
        found = promised(n, schema=SCHEMAS[name], epsilon=Fraction(tenth, 10))
        for key, error in found.items():
            if key[0] == Against.REALIZABLE.value:
                assert error <= 1.005 * least.get(key, 1.0) + ROUNDED, (tenth, key)
                least[key] = min(error, least.get(key, 1.0))


def test_fewer_questions_are_promised_more_and_handicaps_keep_what_was_promised() -> None:
    before, after = promised(5_000), promised(5_200)
    for setting in SETTINGS:
        assert after[setting, ONE_QUESTION] <= after[setting, THREE_QUESTIONS]
        assert after[setting, THREE_QUESTIONS] <= 1.01 * before[setting, THREE_QUESTIONS]
    learner = learner_for("auto", _request(5_200))
    assert isinstance(learner, RefinedTrees)
    assert max(learner.handicaps) > 100
    free = replace(learner, handicaps=(0, 0, 0)).certify(Size(5_200)).accuracy
    worst = max(proof.fact.error for proof in free if proof.fact.against is Against.AGNOSTIC)
    assert worst > after[Against.AGNOSTIC.value, THREE_QUESTIONS]
