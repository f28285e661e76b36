"""Draws in stages: the exact law of what ships on all tiny tables, laws that attain the bounds, and simulated runs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from privpac.audit.registry import sample_of, tiny_schema
from privpac.coins import SeededCoins, law
from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.draw.staged_trees import StagedTrees
from privpac.constructions.draw.stages import KEEP_LABEL, LATER_STOP
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.guarantee.facts import Against
from privpac.theory.staged import Stage, error_staged, excess_staged, slack_staged
from tests.statistical.claims import claims, scaled

SLACK = 1e-9
SCHEMA = tiny_schema(2)
TESTS = Binarisation.of(SCHEMA)
RECORDS = tuple((a, y) for a in range(2) for y in range(2))


def staged(epsilon: Fraction, stages: tuple[int, ...] = (1, 1)) -> StagedTrees:
    return StagedTrees(SCHEMA, epsilon, stages, TESTS)


def mistakes(rule: Any, records: tuple[tuple[int, int], ...]) -> int:
    cells = np.array([a for a, _ in records])
    return int(np.sum(rule.predict({"a": cells}) != np.array([y for _, y in records])))


def best(records: tuple[tuple[int, int], ...]) -> int:
    """Mistakes of the best tree with one test: any label on either side."""
    return sum(
        min(sum((a, y) == (cell, other) for a, y in records) for other in range(2)) for cell in range(2)
    )


def added(learner: StagedTrees, records: tuple[tuple[int, int], ...]) -> dict[int, float]:
    """The exact law of how many mistakes more the released tree makes than the best first one."""
    chances: Mapping[Any, Fraction] = law(lambda coins: learner.learn(sample_of(SCHEMA, records), coins))
    more: dict[int, float] = defaultdict(float)
    for tree, chance in chances.items():
        more[mistakes(tree, records) - best(records)] += float(chance)
    return more


@cache
def laws(epsilon: Fraction, n: int) -> tuple[dict[int, float], ...]:
    """On every table of so many records."""
    return tuple(added(staged(epsilon), records) for records in combinations_with_replacement(RECORDS, n))


def worst(steps: list[Stage], failure: Fraction, *, epsilon: Fraction, n: int) -> float:
    """The largest chance, over all tables, of more mistakes than the slack."""
    slack = slack_staged(steps, failure=failure)
    return max(sum(p for more, p in one.items() if more > slack) for one in laws(epsilon, n))


FAILURES = tuple(map(Fraction, ("0.45", "0.3", "0.2", "0.1", "0.05", "0.01")))


def test_no_table_is_judged_worse_than_the_slack_more_often_than_promised() -> None:
    epsilon, n = Fraction(12), 4
    steps = staged(epsilon).steps
    found = [worst(steps, failure, epsilon=epsilon, n=n) for failure in FAILURES]
    assert all(chance <= 2 * failure for chance, failure in zip(found, FAILURES, strict=True))
    assert max(found) > 0, "the slack was never reached: nothing was put to a test"
    forgotten = [Stage(Fraction(0), step.ratio) for step in steps]
    assert any(worst(forgotten, failure, epsilon=epsilon, n=n) > 2 * failure for failure in FAILURES)


def test_the_odds_of_a_stage_are_those_of_the_prior_that_ships() -> None:
    """With no weight on mistakes the law is the prior: leaving all leaves as they are has exactly that chance."""
    learner = staged(Fraction(1), (1, 1))
    later = learner.later[1, 0]
    chances = law(
        lambda coins: later.gibbs(
            sample_of(SCHEMA, ((0, 0),)).reduce(later.statistic),
            ratio=Fraction(1),
            costs=(1, 1),  # type: ignore[arg-type]
        ).draw(coins)
    )
    stays = float(sum(p for tree, p in chances.items() if tree.describe(SCHEMA).strip() in ("0", "always 0")))
    alone = float(LATER_STOP * KEEP_LABEL)
    assert stays == pytest.approx(alone) or stays > alone
    assert learner.steps[1].odds == (1 / (LATER_STOP * KEEP_LABEL)) ** 2 - 1


@claims(slack_staged=scaled("0.9"))
def test_one_draw_can_lose_as_much_as_the_slack() -> None:
    """Many outcomes just beyond the slack: drawn nearly as often as promised."""
    failure, ratio, others = Fraction(1, 50), Fraction(9, 10), 1000
    slack = slack_staged([Stage(Fraction(others), ratio)], failure=failure)
    distance = math.floor(slack) + 1
    weight = others * float(ratio) ** distance
    assert weight / (1 + weight) <= failure
    assert weight / (1 + weight) > 0.8 * failure


@claims(excess_staged=scaled("0.5"), error_staged=scaled("0.1"))
def test_rules_that_err_independently_fail_as_rarely_as_promised() -> None:
    """The best of `size` rules on the records is released (ratio near 0): the worst case of counting."""
    n, size, failure = 2000, 10_000, Fraction(1, 20)
    stages = [Stage(Fraction(size), Fraction(1, 10**30))]
    excess = float(excess_staged(n, stages, failure=failure, size=size))
    k = np.arange(n + 1)
    some = 1 - (1 - binom.cdf(k, n, 0.5)) ** size
    best_one = binom.pmf(k, n, 0.5 - excess)
    assert float(np.sum(best_one * some)) <= failure
    rare = float(error_staged(n, stages, failure=failure, size=size))
    assert 1 - (1 - (1 - rare) ** n) ** size <= failure


def test_privacy_in_place_of_the_size_is_never_better_than_a_rule_that_was_chosen_before() -> None:
    stages = [Stage(Fraction(10), Fraction(1, 2))]
    for bound in (excess_staged, error_staged):
        fixed = bound(10_000, stages, failure=Fraction(1, 20), size=1)
        shifted = [
            bound(10_000, stages, failure=Fraction(1, 20), growth=Fraction(g)) for g in ("1", "1.5", "3")
        ]
        assert shifted == sorted(shifted)
        assert shifted[0] >= fixed - Fraction(1, 10**11)


RUNS = 400


def test_four_hundred_runs_keep_the_promise() -> None:
    """Records of eight cells, a tenth of the labels flipped; the true error is known exactly."""
    schema = tiny_schema(8)
    n, generator, coins = 1200, np.random.default_rng(3), SeededCoins(8)
    learner = StagedTrees(schema, Fraction(8), (1, 1), Binarisation.of(schema))
    (promise,) = [p.fact for p in learner.certify(Size(n)).accuracy if p.fact.against is Against.AGNOSTIC]
    assert promise.error < Fraction(1, 5)
    cells = np.arange(8)
    ill = np.where(cells >= 5, 0.9, 0.1)
    worse = 0
    for _ in range(RUNS):
        a = generator.integers(0, 8, n)
        labels = (generator.random(n) < ill[a]).astype(np.uint8)
        tree = learner.learn(MemorySample.from_cells(schema, {"a": a}, labels), coins)
        said = tree.predict({"a": cells})
        error = float(np.mean(np.where(said == 1, 1 - ill, ill)))
        worse += error > 0.1 + float(promise.error)
    assert worse <= RUNS * promise.failure
