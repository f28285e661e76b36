"""Rounds that draw two answers at once: which cards there can be, and what it all costs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privpac import MemorySample, Schema, SeededCoins, Size
from privpac.checker.check import check_derivation
from privpac.concepts.cards.both import Both
from privpac.concepts.cards.tallies import Points
from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.card.learner import CardLearner
from privpac.constructions.card.pairs import is_drawn_from, pair_count
from privpac.constructions.card.steps import rounds_in
from privpac.constructions.card.weights import CAP
from privpac.constructions.words import Request, learner_for, stands_for
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.facts import Loss
from privpac.request import LearnRequest

COLUMNS: list[dict[str, Any]] = [
    {"name": "age", "kind": "numeric", "lower": 0, "upper": 10, "integer": True},
    {"name": "dose", "kind": "numeric", "lower": 0, "upper": 10, "integer": True},
    {"name": "ward", "kind": "categorical", "categories": ["north", "south", "east"]},
    {"name": "smoker", "kind": "boolean"},
    {"name": "stage", "kind": "numeric", "lower": 0, "upper": 2, "integer": True},
]
SCHEMA = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": COLUMNS})
TESTS = Binarisation.of(SCHEMA)


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


def sample(n: int) -> MemorySample:
    return MemorySample.of(table(n), SCHEMA)


WARD_TEST = next(test for test in TESTS.tests if test.column == "ward")


def test_a_round_of_two_answers_is_one_line_and_asks_two_of_the_tests() -> None:
    drawn = CardLearner(SCHEMA, Fraction(1), TESTS, 1, mixed=True).learn(sample(50), SeededCoins(1)).drawn
    assert list(rounds_in(drawn, (5,))) == [drawn]
    both = drawn[0].test
    assert isinstance(both, Both)
    assert is_drawn_from(TESTS, both)
    assert not is_drawn_from(TESTS, replace(both, first=both.second, second=both.first))
    strange = replace(both.first, test=replace(WARD_TEST, kind="at least"))
    assert not is_drawn_from(TESTS, replace(both, first=strange))
    half = replace(drawn[0], points=1)
    assert not list(rounds_in((half, half), (2,)))


def learner(word: str, n: int, epsilon: Fraction, **wishes: Any) -> Any:
    return learner_for(word, Request(SCHEMA, Size(n), LearnRequest(epsilon=epsilon, **wishes)))


MANY = 5_000


def test_pairs_are_drawn_where_the_word_asks_for_them() -> None:
    assert learner("card:mixed", MANY, Fraction(1)).mixed
    assert learner("card:mixed", 20, Fraction(1)).rounds == 1
    for word in ("card", "card:12"):
        assert not learner(word, 10 * MANY, Fraction(1)).mixed


def request(n: int, columns: int = len(COLUMNS), **wishes: Any) -> Request:
    schema = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": COLUMNS[:columns]})
    return Request(schema, Size(n), LearnRequest(**{"epsilon": Fraction(1), **wishes}))


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
    for word in ("card:12", "card:mixed", "trees:2"):
        assert stands_for(word, request(2 * MANY)) == word


@pytest.mark.parametrize("epsilon", ["0.3", "1", "7"])
@pytest.mark.parametrize("rounds", [1, 3, 12, 19, 32])
def test_shares_of_epsilon_keep_the_promise_and_leave_nothing(epsilon: str, rounds: int) -> None:
    card = CardLearner(SCHEMA, Fraction(epsilon), TESTS, rounds, mixed=True)
    spending = card.spending
    spent = [spending.each / points for points in card.schedule]
    assert spending.count + spending.table + sum(spent) == Fraction(epsilon)
    for number, own in enumerate(spent):
        assert spending.ratio_at(number) ** (4 * CAP) >= Fraction(np.exp(-float(own)) * (1 - 1e-9))
    proof = card.certify(Size(9000)).privacy
    assert proof.fact.epsilon == Loss(log=Fraction(epsilon))
    check_derivation(proof.to_json())


def test_only_cards_of_these_parameters_are_released() -> None:
    card = CardLearner(SCHEMA, Fraction(5), TESTS, 4, mixed=True)
    records = sample(400)
    for seed in range(12):
        drawn = card.learn(records, SeededCoins(seed))
        assert card.releases(drawn, records.size)
        together = any(isinstance(one.test, Both) for one in drawn.drawn)
        if together:
            assert not replace(card, mixed=False).releases(drawn, records.size)
            first = next(i for i, one in enumerate(drawn.drawn) if isinstance(one.test, Both))
            moved = list(drawn.drawn)
            points = moved[first].points
            moved[first] = Points(moved[first].test, 2 * points)
            assert not card.releases(replace(drawn, drawn=tuple(moved)), records.size)
            later = (*drawn.drawn[first:], *drawn.drawn[:first])
            assert not first or not card.releases(replace(drawn, drawn=later), records.size)
    assert pair_count(TESTS) == 10 * 10 + 20 * 3 + 23 * 1 + 24 * 2


def test_pairs_need_whole_records_no_delta_and_two_columns() -> None:
    word = "card:mixed"
    with pytest.raises(ParameterError, match="allows it"):
        learner(word, MANY, Fraction(1), delta=Fraction(1, 10**6))
    with pytest.raises(ParameterError, match="allows it"):
        learner(word, MANY, Fraction(1), protect="labels")
    with pytest.raises(SizeError, match="one question at a time"):
        learner_for(word, request(MANY, columns=1))


def test_a_pair_with_one_foreign_test_is_of_no_card() -> None:
    drawn = CardLearner(SCHEMA, Fraction(5), TESTS, 4, mixed=True).learn(sample(400), SeededCoins(0))
    both = next(one.test for one in drawn.drawn if isinstance(one.test, Both))
    assert is_drawn_from(TESTS, both)
    second = replace(both.second, test=replace(both.second.test, cell=both.second.test.cell + 100))
    assert not is_drawn_from(TESTS, replace(both, second=second))


def test_records_beyond_64_bit_scores_are_refused() -> None:
    with pytest.raises(SizeError):
        CardLearner(SCHEMA, Fraction(1), TESTS, 4).require(Size(2**62))
