"""What one of many answers may cost: reference values, exactly what a ledger admits, and the laws behind the models."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from privpac.cli.app import run
from privpac.constructions.prediction.vote_law import exponential_vote_wrong, vote_wrong
from privpac.errors import ParameterError
from privpac.guarantee.ledger.ledger import Ledger
from privpac.numbers.exact import plain, ratio_for
from privpac.planning.answers import answer_prices

WAYS = ["adding", "declared, vote", "filter, vote", "filter, weighted vote"]


@pytest.mark.parametrize(
    ("answers", "way", "price"),
    [
        (300, 0, "0.01"),
        (3701, 2, "0.01"),
        (14805, -1, "0.01"),
        (148, 2, "0.05"),
        (592, 3, "0.05"),
        (148, 3, "0.1"),
    ],
)
def test_reference_values_under_the_promise_of_the_service(answers: int, way: int, price: str) -> None:
    row = answer_prices(answers=answers, epsilon=3, delta="1e-6").rows[way]
    assert Fraction(price) <= row.price < Fraction(price) * Fraction(101, 100)


def test_prices_are_the_largest_that_a_ledger_admits() -> None:
    plan = answer_prices(answers=500, epsilon=3, delta="1e-6")
    assert [row.way for row in plan.rows] == WAYS
    for row in (plan.rows[2], plan.rows[3]):
        ledger = Ledger(epsilon=3, delta="1e-6")
        assert ledger.room(epsilon=row.price, rho=plain(row.rho)) >= 500
        more = row.price + Fraction(1, 10**6)
        rho = None if row.way == "filter, vote" else plain(more * more / 8)
        assert ledger.room(epsilon=more, rho=rho) < 500
    assert plan.best.way == "filter, weighted vote"


@pytest.mark.parametrize("answers", [4, 500])
@pytest.mark.parametrize("wrong", ["0.005", "0.05", "0.4"])
def test_models_are_the_fewest_by_the_exact_laws(answers: int, wrong: str) -> None:
    for row in answer_prices(answers=answers, epsilon=3, delta="1e-6", wrong=wrong).rows:
        weighted = row.way == WAYS[3]
        ratio = ratio_for(row.price / 2 if weighted else row.price)
        law = exponential_vote_wrong if weighted else vote_wrong
        assert law(0, models=row.models, ratio=ratio) <= Fraction(wrong)
        assert row.models == 1 or law(0, models=row.models - 2, ratio=ratio) > Fraction(wrong)


def test_without_a_delta_there_is_only_adding_and_beyond_the_declared_nothing_is_declared() -> None:
    assert [row.way for row in answer_prices(answers=10, epsilon=1).rows] == ["adding"]
    many = answer_prices(answers=20_000, epsilon=3, delta="1e-6")
    assert [row.way for row in many.rows] == [WAYS[0], *WAYS[2:]]


@pytest.mark.parametrize(
    "wish",
    [
        {"answers": 0},
        {"answers": True},
        {"epsilon": 0},
        {"delta": 2},
        {"wrong": "0.5"},
        {"wrong": 0},
        {"answers": 10**9},
    ],
)
def test_nonsense_is_refused(wish: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        answer_prices(**{"answers": 10, "epsilon": 1, "delta": "1e-6", **wish})  # type: ignore[arg-type]


def test_the_verb(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["plan", "--answers", "10000", "--epsilon", "3", "--delta", "1e-6"]
    assert run(words) == 0
    text = capsys.readouterr().out
    assert "10,000 answers under a total of epsilon 3, delta 0.000001" in text
    assert "Fewest: filter, weighted vote." in text
    assert run([*words, "--json"]) == 0
    tree = json.loads(capsys.readouterr().out)
    assert [row["way"] for row in tree["rows"]] == WAYS
    assert run(["plan", "--answers", "10"]) != 0
