"""Every class of rules: its draw has the law it claims, its numbers count what it draws, and rules say one thing.

Nothing here lists members by hand. Without records every member is drawn with its prior; with records its weight must
be prior·ratio^(price of its mistakes), mistakes by its own `predict`. So one check serves every class there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pytest

from privpac.coins import SeededCoins, law
from privpac.concepts.catalogue import class_from_json, hypothesis_from_json, stored_class, stored_classes
from privpac.constructions.cases import records_of, sample_of
from privpac.errors import NotCertified, PrivpacError
from tests.claims.classes import CLASSES, S
from tests.together import together
from tests.unit.tiny import DoubtfulCoins

RATIO = Fraction(3, 5)
ELSEWHERE = {"Halfplanes": "candidates follow the records: for label privacy only"}
PLAIN = ("codes",)
"""Classes of plain costs."""
SEVERAL_NAMES = ("generated", "mixture", "tabled halfspaces")
"""Classes that count a member once for each of its names."""
MANY = [(0, 1, 0), (1, 0, 0), (1, 2, 0), (2, 2, 1), (3, 1, 1), (3, 3, 1), (2, 0, 1), (0, 3, 0)]
TABLES = {
    "one": [(1, 2, 1)],
    "mixed": [(0, 0, 0), (1, 1, 1), (1, 2, 0), (2, 0, 1), (3, 2, 1), (3, 3, 1)],
}


def drawn(concepts: Any, data: list[Any], costs: tuple[int, int]) -> dict[Any, Fraction]:
    seen = sample_of(S, data).reduce(concepts.statistic)
    return law(lambda coins: concepts.gibbs(seen, ratio=RATIO, costs=costs).draw(coins))


@pytest.mark.parametrize("name", CLASSES)
def test_the_law_of_a_draw_is_the_one_that_is_claimed(name: str) -> None:
    concepts = CLASSES[name]()
    prior = drawn(concepts, [], (1, 1))
    assert sum(prior.values()) == 1
    if concepts.size is not None:
        assert len(prior) <= concepts.size
        assert (len(prior) == concepts.size) == (name not in SEVERAL_NAMES), name
    assert max((1 - chance) / chance for chance in prior.values()) <= concepts.odds
    assert all(concepts.contains(rule) for rule in prior)
    for data in TABLES.values():
        block = sample_of(S, data).block()
        for costs in ((1, 1), (1, 1 if name in PLAIN else 3)):
            prices = np.array(costs)[block.labels]
            weights = {
                rule: chance * RATIO ** int(prices[rule.predict(block.cells) != block.labels].sum())
                for rule, chance in prior.items()
            }
            total = sum(weights.values())
            assert drawn(concepts, data, costs) == {rule: weight / total for rule, weight in weights.items()}


@pytest.mark.parametrize("name", CLASSES)
def test_doubtful_draws_are_decided_as_exact_numbers_do(name: str) -> None:
    concepts = CLASSES[name]()
    seen = sample_of(S, TABLES["mixed"]).reduce(concepts.statistic)
    coins = DoubtfulCoins(1, error=1.0)
    for _ in range(5):
        assert concepts.contains(concepts.gibbs(seen, ratio=RATIO, costs=(1, 1)).draw(coins))
    assert coins.refined == coins.decisions


DRAWS = 3_000
UNLIKELY = 6
"""Standard deviations of chi-square: one run in a million without a fault."""


def distance(found: Counter[Any], law: Mapping[Any, Fraction]) -> float:
    """How many standard deviations chi-square is above its mean; rare members together, at most fifty groups."""
    order = sorted(law, key=lambda rule: -law[rule])[:49]
    groups = [(float(law[rule]) * DRAWS, found[rule]) for rule in order if law[rule] * DRAWS >= 10]
    expected, seen = (DRAWS - sum(column) for column in zip(*groups, strict=True))
    groups += [(expected, seen)] if expected >= 1 else []
    freedom = len(groups) - 1
    chi = sum((seen - expected) ** 2 / expected for expected, seen in groups)
    return float((chi - freedom) / (2 * freedom) ** 0.5)


@pytest.mark.parametrize("name", CLASSES)
def test_draws_of_seeded_coins_follow_the_law(name: str) -> None:
    """Most are decided in floats; a law of another ratio is told apart."""
    concepts = CLASSES[name]()
    draw = concepts.gibbs(sample_of(S, MANY).reduce(concepts.statistic), ratio=RATIO, costs=(1, 1)).draw
    coins = SeededCoins(7)
    found = Counter(draw(coins) for _ in range(DRAWS))
    assert distance(found, drawn(concepts, MANY, (1, 1))) < UNLIKELY
    assert distance(found, drawn(concepts, TABLES["one"], (1, 1))) > UNLIKELY


@pytest.mark.parametrize("name", CLASSES)
def test_no_nonsense_makes_a_class(name: str) -> None:
    concepts = CLASSES[name]()
    for one in fields(concepts):
        value = getattr(concepts, one.name)
        if not one.init or not isinstance(value, int | str | Fraction) or isinstance(value, bool):
            continue
        if one.name == "salt":  # any text is one
            continue
        with pytest.raises(PrivpacError):
            replace(concepts, **{one.name: "nothing" if isinstance(value, str) else -1})


@pytest.mark.parametrize("name", CLASSES)
def test_a_rule_says_the_same_in_python_sql_and_files(name: str) -> None:
    concepts = CLASSES[name]()
    every = sorted({record[:-1] for record in records_of(S)})
    cells = sample_of(S, [(*record, 0) for record in every]).block().cells
    connection = duckdb.connect()
    connection.execute('CREATE TABLE t ("row" INT, "a" INT, "b" INT)')
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(i, *r) for i, r in enumerate(every)])
    for rule in list(drawn(concepts, [], (1, 1)))[:40]:
        answers = rule.predict(cells).tolist()
        query = f'SELECT {rule.to_sql(S)} FROM t ORDER BY "row"'
        assert [int(value) for (value,) in connection.execute(query).fetchall()] == answers
        assert hypothesis_from_json(rule.to_json()) == rule
        assert set(rule.columns) <= set(S.names)
        assert rule.describe(S)
        for key, value in rule.to_json().items():
            for strange in (None, -1, "x", [], {}):
                if type(strange) is not type(value):
                    with pytest.raises(NotCertified):
                        hypothesis_from_json({**rule.to_json(), key: strange})


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_is_read_back_from_its_file(name: str) -> None:
    concepts = CLASSES[name]()
    if type(concepts).__name__ in {one.__name__ for one in stored_classes().values()}:
        assert class_from_json(stored_class(concepts), S) == concepts


@together(stored_classes().values())
def test_no_class_is_left_out(kind: Any) -> None:
    assert kind.__name__ in ELSEWHERE or any(type(make()) is kind for make in CLASSES.values())
