"""Rounds that may draw two answers at once: where the points lie, which cards there can be, and what it all costs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privpac
from privpac import MemorySample, Schema, SeededCoins, Size
from privpac.checker.check import check_derivation
from privpac.concepts.cards.both import Both
from privpac.concepts.cards.card import Card
from privpac.concepts.cards.tallies import Points
from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.card.learner import CardLearner
from privpac.constructions.card.pairs import is_laid_together, pair_count
from privpac.constructions.card.steps import Form, lay_together, rounds_in
from privpac.constructions.card.weights import CAP
from privpac.constructions.words import Request, learner_for, stands_for
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.facts import Loss

COLUMNS: list[dict[str, Any]] = [
    {"name": "age", "kind": "numeric", "lower": 0, "upper": 10, "integer": True},
    {"name": "dose", "kind": "numeric", "lower": 0, "upper": 10, "integer": True},
    {"name": "ward", "kind": "categorical", "categories": ["north", "south", "east"]},
    {"name": "smoker", "kind": "boolean"},
    {"name": "stage", "kind": "numeric", "lower": 0, "upper": 2, "integer": True},
]
SCHEMA = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": COLUMNS})
TESTS = Binarisation.of(SCHEMA)
AGE, DOSE, WARD, SMOKER, STAGE = TESTS.groups


def table(n: int = 2000) -> dict[str, list[Any]]:
    """Old smokers are ill, and young people who do not smoke: no sum of points says so."""
    rng = np.random.default_rng(4)
    age, dose, stage = rng.integers(0, 11, n), rng.integers(0, 11, n), rng.integers(0, 3, n)
    ward, smoker = rng.choice(["north", "south", "east"], n), rng.random(n) < 0.5
    ill = ((age >= 6) == smoker) ^ (rng.random(n) < 0.05)
    columns = {
        "age": age,
        "dose": dose,
        "ward": ward,
        "smoker": smoker,
        "stage": stage,
        "ill": ill.astype(int),
    }
    return {name: values.tolist() for name, values in columns.items()}


def cells(part: tuple[Points, ...]) -> list[tuple[int, int, int]]:
    tests = [(one.test.tests, one.points) for one in part if isinstance(one.test, Both)]
    return [(first.cell, second.cell, points) for (first, second), points in tests]


def test_both_cuts_move_at_once_so_that_regions_lie_in_each_other() -> None:
    assert cells(lay_together(AGE, DOSE, (4, 6), (True, True), 3, cuts=3)) == [
        (4, 6, 1),
        (5, 7, 1),
        (6, 8, 1),
    ]
    assert cells(lay_together(AGE, DOSE, (4, 6), (True, False), -3, cuts=3)) == [
        (4, 8, -1),
        (5, 7, -1),
        (6, 6, -1),
    ]


def test_categories_stay_and_points_without_cuts_stay_together() -> None:
    assert cells(lay_together(AGE, WARD, (4, 1), (True, True), 2, cuts=2)) == [(5, 1, 1), (6, 1, 1)]
    assert cells(lay_together(WARD, SMOKER, (2, 0), (True, False), -6, cuts=6)) == [(2, 1, -6)]
    assert cells(lay_together(AGE, DOSE, (4, 6), (True, True), 3, cuts=1)) == [(5, 7, 3)]
    assert sum(points for *_, points in cells(lay_together(AGE, STAGE, (0, 0), (True, True), 9, cuts=9))) == 9


def test_rounds_of_pairs_are_found_again_and_nothing_else_is_one() -> None:
    part = lay_together(AGE, DOSE, (4, 6), (True, False), 3, cuts=3)
    assert list(rounds_in(part, (3,))) == [part]
    assert is_laid_together(TESTS, part, cuts=3)
    assert not is_laid_together(TESTS, part[::-1], cuts=3)
    assert not is_laid_together(TESTS, part, cuts=1)
    first = part[0].test
    assert isinstance(first, Both)
    turned = replace(part[0], test=replace(first, first=replace(first.first, holds=False)))
    assert list(rounds_in((turned, *part[1:]), (3,))) != [(turned, *part[1:])]
    strange = replace(part[0], test=replace(first, first=replace(first.first, test=WARD_TEST)))
    assert not is_laid_together(TESTS, (strange,) * 3, cuts=3)


WARD_TEST = next(test for test in TESTS.tests if test.column == "ward")


def learner(word: str, n: int, epsilon: Fraction, **wishes: Any) -> Any:
    return learner_for(word, Request(schema=SCHEMA, size=Size(n), epsilon=epsilon, **wishes))


MANY = 5_000


def test_pairs_are_drawn_where_the_word_asks_for_them() -> None:
    assert learner("card:pairs", MANY, Fraction(1)).form is Form.PAIRS
    assert learner("card:pairs", 20, Fraction(1)).rounds == 1
    for word in ("card", "card:12"):
        assert learner(word, 10 * MANY, Fraction(1)).form is Form.ALONE


def request(n: int, columns: int = len(COLUMNS), **wishes: Any) -> Request:
    schema = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": COLUMNS[:columns]})
    return Request(schema=schema, size=Size(n), **{"epsilon": Fraction(1), **wishes})


def test_a_bare_card_is_mixed_where_public_numbers_allow_it() -> None:
    assert stands_for("card", request(MANY)) == "card"
    assert stands_for("card", request(MANY + 1)) == "card:mixed"
    assert stands_for("card", request(3 * MANY, epsilon=Fraction(1, 3))) == "card"
    for wishes in (
        {"protect": "labels"},
        {"delta": Fraction(1, 10**6)},
        {"columns": 1},
        {"records_per_person": 2},
    ):
        assert stands_for("card", request(2 * MANY, **wishes)) == "card"
    for word in ("card:12", "card:pairs", "trees:2"):
        assert stands_for(word, request(2 * MANY)) == word


@pytest.mark.parametrize("word", ["card:pairs", "card:mixed"])
def test_pairs_need_whole_records_no_delta_and_two_columns(word: str) -> None:
    with pytest.raises(ParameterError, match="allows it"):
        learner(word, MANY, Fraction(1), delta=Fraction(1, 10**6))
    with pytest.raises(ParameterError, match="allows it"):
        learner(word, MANY, Fraction(1), protect="labels")
    with pytest.raises(SizeError, match="one question at a time"):
        learner_for(word, request(MANY, columns=1))


@pytest.mark.parametrize("epsilon", ["0.3", "1", "7"])
@pytest.mark.parametrize("rounds", [1, 3, 12, 19, 32])
@pytest.mark.parametrize("form", [Form.PAIRS, Form.MIXED])
def test_shares_of_epsilon_keep_the_promise_and_leave_nothing(epsilon: str, rounds: int, form: Form) -> None:
    card = CardLearner(SCHEMA, Fraction(epsilon), TESTS, rounds, form=form)
    spending = card.spending
    spent = [spending.each / points for points in card.schedule]
    assert spending.count + spending.table + sum(spent) == Fraction(epsilon)
    for number, own in enumerate(spent):
        assert spending.ratio_at(number) ** (4 * CAP) >= Fraction(np.exp(-float(own)) * (1 - 1e-9))
    proof = card.certify(Size(9000)).privacy
    assert proof.fact.epsilon == Loss(log=Fraction(epsilon))
    check_derivation(proof.to_json())


@pytest.mark.parametrize("word", ["card:pairs", "card:mixed", "card"])
def test_what_no_sum_of_points_says_is_found_told_and_verified(tmp_path: Path, word: str) -> None:
    model = privpac.learn(table(), schema=SCHEMA, concepts=word, epsilon=5, random_state=1)
    assert isinstance(model.hypothesis, Card)
    assert any(
        isinstance(one.test, Both) and set(one.test.columns) == {"age", "smoker"}
        for one in model.hypothesis.drawn
    )
    model.save(tmp_path / "card.json")
    assert privpac.verify(tmp_path / "card.json").rebuilt
    assert privpac.load(tmp_path / "card.json").describe() == model.describe()
    ill = np.array(table()["ill"])
    alone = privpac.learn(table(), schema=SCHEMA, concepts="card:9", epsilon=5, random_state=1)
    wrong, more = (float((one.predict(table()) != ill).mean()) for one in (model, alone))
    assert wrong < 0.2 < 0.35 < more


@pytest.mark.parametrize("form", [Form.PAIRS, Form.MIXED])
def test_only_cards_of_these_parameters_are_released(form: Form) -> None:
    card = CardLearner(SCHEMA, Fraction(5), TESTS, 4, form=form)
    sample = MemorySample.of(table(400), SCHEMA)
    for seed in range(12):
        drawn = card.learn(sample, SeededCoins(seed))
        assert card.releases(drawn, sample.size)
        together = any(isinstance(one.test, Both) for one in drawn.drawn)
        if together:
            assert not replace(card, form=Form.ALONE).releases(drawn, sample.size)
            first = next(i for i, one in enumerate(drawn.drawn) if isinstance(one.test, Both))
            moved = list(drawn.drawn)
            points = moved[first].points
            moved[first] = Points(moved[first].test, -points if form is Form.PAIRS else 2 * points)
            assert not card.releases(replace(drawn, drawn=tuple(moved)), sample.size)
            later = (*drawn.drawn[first:], *drawn.drawn[:first])
            assert not first or not card.releases(replace(drawn, drawn=later), sample.size)
    assert pair_count(TESTS) == 10 * 10 + 20 * 3 + 23 * 1 + 24 * 2
