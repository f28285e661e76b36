"""Refine or start afresh: a family that comes near the bounds and refutes broken ones, and simulated runs."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy.stats import binom

from privpac.audit.registry import tiny_schema
from privpac.coins import SeededCoins
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.mixture import NamedMixture, TreeMixture
from privpac.concepts.trees.parts import Constants, OneTest
from privpac.concepts.trees.trees import Trees
from privpac.constructions.draw.refined_trees import RefinedTrees
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.guarantee.facts import Against
from privpac.theory.occam import GRID
from privpac.theory.refined import (
    Kind,
    error_refined,
    excess_counted,
    failure_left,
    refined_within,
    shifted,
)
from tests.statistical.claims import claims, scaled


def failure_of_disjoint_rules(n: int, error: float, first: float, ratio: float) -> float:
    """Two draws of 1/error rules whose sets of errors are disjoint, each refined to itself, beside a rule that errs
    nowhere and has hardly any prior: how often the second draw takes one of them, over its odds, as they grow small.

    The first draw multiplies the chance of records on which h1 errs k times by first^k, up to a factor that is nearly
    the same for all; so given h1 they are independent, of rate `error` ⊖ 2·ln(1/first), at most.
    """
    rate = (
        error * first / (1 - error + error * first)
    )  # the weight of h1 alone moves, by ln(1/first) a mistake
    k = np.arange(n + 1)
    return float(np.sum(binom.pmf(k, n, rate) * ratio**k))


@claims(shifted=lambda true: lambda rate, *, growth: rate)
def test_without_the_shift_the_bound_would_be_false() -> None:
    n, error, first, ratio = 200, Fraction(1, 10), Fraction(9, 10), Fraction(1, 2)
    found = failure_of_disjoint_rules(n, float(error), float(first), float(ratio))
    rate = shifted(error, growth=1 / first**2)
    bound = float(1 - rate * (1 - ratio)) ** n
    assert found <= bound


@claims(
    error_refined=scaled("0.7"),
    refined_within=lambda true: lambda n, *, excess, **more: true(n, excess=2 * excess, **more),
)
def test_the_bounds_are_those_of_the_statements() -> None:
    n, odds, ratio, growth, failure = (
        2_000,
        Fraction(10**6),
        Fraction(3, 5),
        Fraction(11, 10),
        Fraction(1, 20),
    )
    error = error_refined(n, odds=odds, ratio=ratio, growth=growth, failure=failure)
    base = 1 - float(shifted(error, growth=growth) * (1 - ratio))
    assert float(odds) * base**n <= failure
    numbers = {"odds": odds, "ratio": ratio, "growth": growth, "failure": failure}
    steps = (k * GRID for k in range(1, 10**4))
    excess = next(step for step in steps if refined_within(n, excess=step, **numbers))
    left = 2 * shifted((1 + excess) / 2, growth=growth) - 1
    assert float(odds) * float(((1 - left) / ratio + (1 + left) * ratio) / 2) ** n <= failure


def test_too_few_records_prove_nothing() -> None:
    numbers = {
        "odds": Fraction(10**6),
        "ratio": Fraction(3, 5),
        "growth": Fraction(2),
        "failure": Fraction(1, 20),
    }
    assert error_refined(10, **numbers) == 1
    assert not refined_within(10, excess=Fraction(99, 100), **numbers)
    assert (
        excess_counted(10, kinds=[Kind(Fraction(9), 10**9)], ratio=Fraction(3, 5), failure=Fraction(1, 20))
        > 1
    )


@claims(excess_counted=scaled("0.5"))
def test_rules_that_err_independently_fail_as_rarely_as_promised() -> None:
    """The best of `size` rules on the records is released (ratio near 0): the worst case of counting."""
    n, size, failure = 2000, 10_000, Fraction(1, 20)
    kinds = [Kind(Fraction(size), size)]
    excess = float(excess_counted(n, kinds=kinds, ratio=Fraction(1, 10**30), failure=failure))
    k = np.arange(n + 1)
    some = 1 - (1 - binom.cdf(k, n, 0.5)) ** size
    assert float(np.sum(binom.pmf(k, n, 0.5 - excess) * some)) <= failure


@claims(failure_left=lambda true: lambda n, *, failure, **numbers: failure)
def test_both_ways_to_be_bad_add_up() -> None:
    """A fixed half of the failure for each was more than is needed, or less than was left."""
    n, failure = 1_000, Fraction(1, 20)
    numbers = {"odds": Fraction(10**6), "tilt": Fraction(4, 5), "excess": Fraction(1, 5)}
    left = failure_left(n, failure=failure, **numbers)
    base = float(((1 - numbers["excess"]) / numbers["tilt"] + (1 + numbers["excess"]) * numbers["tilt"]) / 2)
    assert 0 < float(left) <= float(failure) - float(numbers["odds"]) * base**n
    assert failure_left(n, failure=failure, **{**numbers, "excess": Fraction(1, 10)}) < 0


def test_a_handicap_takes_as_many_mistakes_off() -> None:
    ratio, n = Fraction(3, 5), 1_000
    free, charged = (
        excess_counted(n, kinds=[Kind(odds, 10**9)], ratio=ratio, failure=Fraction(1, 40))
        for odds in (Fraction(100), 100 * ratio**50)
    )
    assert math.isclose(float(free - charged), 50 / n, abs_tol=1e-9)


RUNS = 300


def test_three_hundred_runs_keep_the_promise() -> None:
    """Records of eight cells, a tenth of the labels flipped; the true error is known exactly."""
    schema = tiny_schema(8)
    tests = Binarisation.of(schema)
    n, generator, coins = 1200, np.random.default_rng(3), SeededCoins(8)
    fresh = NamedMixture(
        (Constants(schema, tests), OneTest(schema, tests)), (1, 9), rivals=(("rules of one question", 2),)
    )
    first = TreeMixture((Trees(schema, 1, tests),), (1,))
    learner = RefinedTrees(fresh, first, Fraction(8), Fraction(1, 10), (1, 2), (0, 5))
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
        worse += float(np.mean(np.where(said == 1, 1 - ill, ill))) > 0.1 + float(promise.error)
    assert worse <= RUNS * promise.failure
