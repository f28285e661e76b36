"""On built-in hard distributions the sum is what the learner does, and it stays between floor and proof."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from privpac.coins import SeededCoins
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import Unions, intervals
from privpac.concepts.sets.points import Points
from privpac.constructions.class_facts import Description
from privpac.constructions.draw.occam import Occam
from privpac.constructions.wish import Wish
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.planning.kinds import facts_of
from privpac.theory import sizes
from tests.hard_distributions import agnostic_need, failure, odds_of_atom, realizable_need


def _wish(word: str, bits: int, **numbers: str) -> Wish:
    (facts,) = facts_of(word, Description(bits=bits))
    given = {"error": "0.1", "failure": "0.05", "epsilon": "1", **numbers}
    noise = given.pop("noise", None)
    return Wish(
        facts,
        *(Fraction(given[name]) for name in ("error", "failure", "epsilon")),
        noise=None if noise is None else Fraction(noise),
    )


def test_points_have_the_numbers_of_the_exact_formula() -> None:
    for bits in (8, 16, 32, 64):
        exact = sizes.records_points(2**bits, error="0.1", failure="0.05", epsilon=1)
        assert realizable_need(_wish("points", bits)) == exact
    found = failure(60, log_odds=math.log(14), plus=0.3, minus=0.0, rate=0.4)
    assert abs(found - float(sizes.failure_points(60, domain=16, error="0.3", epsilon="0.8"))) < 1e-6


@pytest.mark.long_cases(
    "32-intervals",
    "32-unions:2",
    "200-unions:2",
    "200-intervals",
    "200-points",
    "200-any:3",
)
@pytest.mark.parametrize("word", ["points", "thresholds", "intervals", "unions:2", "any:3"])
@pytest.mark.parametrize("bits", [8, 32, 200])
def test_a_hard_distribution_needs_no_more_than_is_proved(word: str, bits: int) -> None:
    for epsilon in ("0.3", "4"):
        wish = _wish(word, bits, epsilon=epsilon)
        size = wish.concepts.odds + 1
        need = realizable_need(wish)
        proved = sizes.records_occam(size, error=wish.error, failure=wish.failure, epsilon=wish.epsilon)
        assert need is not None
        assert proved / 5 < need <= proved
        for noise in (None, "0", "0.05"):
            noisy = wish if noise is None else _wish(word, bits, epsilon=epsilon, noise=noise)
            ask = {"excess": wish.error, "failure": wish.failure, "epsilon": wish.epsilon}
            most = sizes.records_agnostic(size, noise=noisy.noise, **ask)
            found = agnostic_need(noisy)
            assert found is not None
            assert found <= most
            assert noise != "0" or found == need


def test_no_family_is_made_up() -> None:
    (trees,) = facts_of("trees:2", Description(columns=4))
    assert odds_of_atom(trees) is None
    wish = Wish(trees, Fraction(1, 10), Fraction(1, 20), Fraction(1))
    assert realizable_need(wish) is None
    assert agnostic_need(wish) is None


CELLS = 32
SCHEMA = Schema.from_json(
    {
        "label": "y",
        "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": CELLS - 1, "integer": True}],
    }
)
FAMILIES = {  # class, cell of the atom, cell of the background
    "points": (Points(SCHEMA, "x"), 5, 9),
    "thresholds": (Thresholds(SCHEMA, "x"), 1, 0),
    "intervals": (intervals(SCHEMA, "x"), 0, 1),
    "unions:2": (Unions(SCHEMA, "x", 2), 0, 1),
}


@pytest.mark.long_cases(
    "unions:2",
    "intervals",
)
@pytest.mark.parametrize("word", FAMILIES)
def test_the_learner_that_ships_fails_as_often_as_the_sum_says(word: str) -> None:
    """1500 draws: by bad luck the share is off by 5 standard deviations once in two million runs."""
    concepts, atom, background = FAMILIES[word]
    n, error, draws = 40, 0.2, 1500
    learner = Occam(concepts, Fraction(1))
    generator = np.random.default_rng(7)
    failed = 0
    for hits in generator.binomial(n, error, size=draws):
        cells = np.where(np.arange(n) < hits, atom, background).astype(np.uint32)
        labels = (np.arange(n) < hits).astype(np.uint8)
        sample = MemorySample.from_cells(SCHEMA, {"x": cells}, labels)
        rule = learner.learn(sample, SeededCoins(int(generator.integers(2**62))))
        failed += int(rule.predict({"x": np.array([atom], dtype=np.uint32)})[0] == 0)
    odds = odds_of_atom(facts_of(word, Description(bits=5))[0])
    assert odds is not None
    promised = failure(n, log_odds=math.log(odds), plus=error, minus=0.0, rate=0.5)
    spread = 5 * math.sqrt(promised * (1 - promised) / draws)
    assert abs(failed / draws - promised) < spread + 2e-3
    wrong = failure(n, log_odds=math.log(odds), plus=error, minus=0.0, rate=1.0)
    assert abs(failed / draws - wrong) > spread, "a sum at twice the rate is noticed"
