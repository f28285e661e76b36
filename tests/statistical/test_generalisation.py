"""A private rule on its own records: the exact law of what ships on tiny tables, and the exact failure of intervals."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from privpac.audit.registry import sample_of, tiny_schema
from privpac.coins import law
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.parts import OneTest
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import Merged, Occam
from privpac.constructions.draw.refined_trees import RefinedTrees
from privpac.constructions.estimates.sampling import choice_of
from privpac.data.sample import Size
from privpac.theory.generalisation import gap_holdout, interval_private, rate_above, rate_below
from tests.statistical.claims import claims, scaled

SLACK = 1e-9
SCHEMA = tiny_schema(2)
EPSILON = Fraction(2)
TESTS = Binarisation.of(SCHEMA)
REFINED = RefinedTrees(
    TreeMixture((OneTest(SCHEMA, TESTS),), (1,)),
    TreeMixture((Trees(SCHEMA, 1, TESTS),), (1,)),
    EPSILON,
    Fraction(3, 10),
    (1,),
    (0,),
)

LEARNERS: Mapping[str, tuple[Learner, int]] = {
    "one draw": (Occam(Thresholds(SCHEMA, "a", "either"), EPSILON), 3),
    "one tree": (Merged(Occam(Trees(SCHEMA, 1), EPSILON)), 3),
    "permute and flip": (Occam(Thresholds(SCHEMA, "a"), EPSILON, mechanism="permute-and-flip"), 3),
    "prices": (Occam(Thresholds(SCHEMA, "a"), EPSILON, (1, 3)), 3),
    "refined": (REFINED, 2),
}
"""Learners that ship, and how many records they see."""

DISTRIBUTIONS = (
    {(0, 0): Fraction(1, 2), (1, 1): Fraction(3, 10), (1, 0): Fraction(1, 5)},
    {(0, 0): Fraction(1, 4), (0, 1): Fraction(1, 4), (1, 0): Fraction(1, 4), (1, 1): Fraction(1, 4)},
    {(0, 1): Fraction(1, 10), (1, 0): Fraction(9, 10)},
)

Counts = dict[Any, dict[int, float]]


def right(rule: Any, record: tuple[int, int]) -> bool:
    return bool(rule.predict({"a": np.array([record[0]])})[0] == record[1])


def judged(learner: Learner, n: int, chances: Mapping[tuple[int, int], Fraction]) -> Counts:
    """For every rule the joint probability of it and of the number of its own records that it judges rightly."""
    counts: Counts = defaultdict(lambda: defaultdict(float))
    laws: dict[Any, Any] = {}
    for records in product(chances, repeat=n):
        key = tuple(sorted(records))
        if key not in laws:
            sample = sample_of(SCHEMA, key)
            laws[key] = law(lambda coins, sample=sample: learner.learn(sample, coins))
        weight = float(math.prod(chances[record] for record in records))
        for rule, chance in laws[key].items():
            counts[rule][sum(right(rule, record) for record in records)] += weight * float(chance)
    return counts


def shifted(rate: float, by: float) -> float:
    """The rate with e^by times the odds, by plain arithmetic."""
    return rate * math.exp(by) / (1 - rate + rate * math.exp(by))


def worst_excess(learner: Learner, n: int, *, flattery: float, modesty: float) -> float:
    """By how much a tail of the conditional law exceeds that of the binomials of the theorem, at most."""
    excess = -1.0
    for chances in DISTRIBUTIONS:
        for rule, joint in judged(learner, n, chances).items():
            true = float(sum(chance for record, chance in chances.items() if right(rule, record)))
            total = sum(joint.values())
            for k in range(n + 1):
                above = sum(p for count, p in joint.items() if count > k) / total
                below = sum(p for count, p in joint.items() if count <= k) / total
                excess = max(excess, above - binom.sf(k, n, shifted(true, flattery)))
                excess = max(excess, below - binom.cdf(k, n, shifted(true, -modesty)))
    return excess


@pytest.mark.parametrize("name", LEARNERS)
def test_given_the_rule_its_own_records_lie_between_two_binomials(name: str) -> None:
    learner, n = LEARNERS[name]
    choice = choice_of(learner, learner.certify(Size(n)).privacy.fact)
    assert choice.flattery == EPSILON
    assert choice.modesty is not None
    bounds = float(choice.flattery), float(choice.modesty)
    assert worst_excess(learner, n, flattery=bounds[0], modesty=bounds[1]) <= SLACK


@pytest.mark.parametrize("name", ["one draw", "one tree", "refined"])
def test_a_tenth_of_the_flattery_is_not_enough(name: str) -> None:
    learner, n = LEARNERS[name]
    assert worst_excess(learner, n, flattery=0.2, modesty=2.0) > 0.01


class Perverse:
    """Draws by mistakes, the more the likelier: as private as the other, and no less flattering to the opposite."""

    def __init__(self, learner: Occam) -> None:
        self.learner = learner

    def learn(self, sample: Any, coins: Any) -> Any:
        flipped = sample.relabelled(1 - sample.block().labels)
        return self.learner.learn(flipped, coins)


def test_only_draws_by_mistakes_never_look_too_bad() -> None:
    learner: Any = Perverse(Occam(Thresholds(SCHEMA, "a", "either"), EPSILON))
    assert worst_excess(learner, 2, flattery=2.0, modesty=0.0) > 0.05
    assert worst_excess(learner, 2, flattery=0.0, modesty=2.0) <= SLACK


def fails(n: int, *, true: float, shift: float, interval: Callable[[int], tuple[float, float]]) -> float:
    """The exact chance that the true rate is outside, if the records follow the hardest private learner."""
    seen = binom.pmf(np.arange(n + 1), n, shifted(true, shift))
    ends = [interval(k) for k in range(n + 1)]
    return float(sum(p for p, (low, high) in zip(seen, ends, strict=True) if not low <= true <= high))


@claims(interval_private=lambda true: lambda *args, **asked: _narrower(true(*args, **asked)))
def test_the_interval_fails_as_rarely_as_promised_even_for_the_hardest_learner() -> None:
    failure, epsilon = Fraction(1, 20), Fraction(1)
    for n, true in ((20, 0.5), (100, 0.3), (400, 0.9)):

        def interval(k: int, n: int = n) -> tuple[float, float]:
            rate = Fraction(k, n)
            ends = interval_private(rate, rate, n, flattery=epsilon, modesty=epsilon, failure=failure)
            return float(ends[0]), float(ends[1])

        for shift in (1.0, -1.0, 0.0):
            assert fails(n, true=true, shift=shift, interval=interval) <= float(failure)


def _narrower(ends: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    middle = (ends[0] + ends[1]) / 2
    return middle - (middle - ends[0]) * Fraction(7, 10), middle + (ends[1] - middle) * Fraction(7, 10)


@claims(rate_below=scaled("1.01"), rate_above=scaled("0.99"))
def test_rates_are_moved_outwards_by_the_odds_and_no_further() -> None:
    for rate, shift in product((0.01, 0.3, 0.5, 0.99), (0.0, 0.1, 1.0, 5.0)):
        low = float(rate_below(Fraction(str(rate)), shift=Fraction(str(shift))))
        high = float(rate_above(Fraction(str(rate)), shift=Fraction(str(shift))))
        assert shifted(rate, -shift) - 1.1e-6 <= low <= shifted(rate, -shift) + 1e-15
        assert shifted(rate, shift) - 1e-15 <= high <= shifted(rate, shift) + 1.1e-6


def test_extreme_rates_and_shifts_say_nothing_wrong() -> None:
    assert rate_below(Fraction(0), shift=Fraction(1)) == 0
    assert rate_below(Fraction(1), shift=Fraction(1)) == 1
    assert rate_above(Fraction(1), shift=Fraction(1)) == 1
    assert (
        rate_below(Fraction(1, 2), shift=Fraction(10**6)),
        rate_above(Fraction(1, 2), shift=Fraction(31)),
    ) == (0, 1)


def test_without_a_shift_it_is_the_interval_of_records_kept_aside() -> None:
    gap = gap_holdout(500, failure=0.05)
    nothing = Fraction(0)
    ends = interval_private(
        Fraction(1, 2), Fraction(1, 2), 500, flattery=nothing, modesty=nothing, failure=0.05
    )
    assert ends == (Fraction(1, 2) - gap, Fraction(1, 2) + gap)


def test_the_largest_shift_is_the_one_stated() -> None:
    for epsilon in (0.1, 1.0, 3.0):
        rates = np.linspace(0.0005, 0.9995, 2000)
        most = max(shifted(float(rate), epsilon) - float(rate) for rate in rates)
        assert most == pytest.approx(math.tanh(epsilon / 4), rel=1e-4)
