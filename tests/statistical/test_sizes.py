"""Every formula keeps its promise on hard instances, computed exactly, and a broken version is caught.

The exact failure of the exponential mechanism (all data sets enumerated, or a binomial sum) is at most what
the formula says, and exceeds it where a constant is broken or a third of the records is missing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import expit, gammaln, xlog1py, xlogy

from privpac.constructions.catalogue import formulas
from privpac.theory import generalisation, occam, sizes
from tests.statistical.claims import Break, asked, claims, scaled

CHECKS: dict[str, Callable[[], None]] = {}
"""One check a formula, by the formula's name; the last test asserts that none is missing."""

SLACK = 1e-9
"""Rounding of the float64 sums below."""


def check(**broken: Break):
    def mark(function: Callable[[], None]) -> Callable[[], None]:
        CHECKS.update(dict.fromkeys(broken, function))
        return claims(**broken)(function)

    return mark


# --- exact failures ---


def binomial_mean(outcome: Callable[[np.ndarray], np.ndarray], *, n: int, chance: float) -> float:
    k = np.arange(n + 1)
    logs = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, chance) + xlog1py(n - k, -chance)
    return float(np.exp(logs) @ outcome(k))


def one_sided(n: int, *, odds: float, error: float, rate: float) -> float:
    """All bad hypotheses err together on an atom of mass `error`, the good one never errs."""
    return binomial_mean(lambda k: expit(math.log(odds) - rate * k), n=n, chance=error)


def two_sided(n: int, *, odds: float, excess: float, rate: float) -> float:
    """Bad and best disagree on every record; the best is right with probability (1 + excess)/2."""
    return binomial_mean(lambda k: expit(math.log(odds) - rate * (2 * k - n)), n=n, chance=(1 + excess) / 2)


@dataclass(frozen=True)
class Instance:
    """Hypotheses by atoms: who errs where, how likely each atom is, what prior the hypotheses have."""

    errs: np.ndarray
    atoms: np.ndarray
    prior: np.ndarray

    @property
    def errors(self) -> np.ndarray:
        return self.errs @ self.atoms

    def failure(self, n: int, *, rate: float, above: float) -> float:
        """P[error of the draw > above], every data set of n records enumerated."""
        bad = self.errors > above + 1e-12
        total = 0.0
        for counts in compositions(n, len(self.atoms)):
            chance = math.factorial(n) * np.prod(
                [p**c / math.factorial(c) for p, c in zip(self.atoms, counts, strict=True)]
            )
            weights = self.prior * np.exp(-rate * (self.errs @ np.array(counts)))
            total += float(chance) * weights[bad].sum() / weights.sum()
        return total


def compositions(n: int, parts: int):
    for bars in itertools.combinations(range(n + parts - 1), parts - 1):
        edges = (-1, *bars, n + parts - 1)
        yield tuple(b - a - 1 for a, b in itertools.pairwise(edges))


def random_instances(count: int, *, seed: int, realizable: bool, uniform: bool):
    generator = np.random.default_rng(seed)
    for _ in range(count):
        hypotheses, atoms = int(generator.integers(2, 7)), int(generator.integers(2, 5))
        errs = generator.integers(0, 2, size=(hypotheses, atoms)).astype(float)
        if realizable:
            errs[0] = 0.0
        prior = np.ones(hypotheses) if uniform else generator.exponential(size=hypotheses) ** 3 + 1e-6
        yield Instance(errs, generator.dirichlet(np.ones(atoms) * 0.7), prior / prior.sum())


# --- the direct accuracy bound ---


@check(records_occam=scaled(0.7))
def realizable_records():
    for size in (2, 2**8, 2**32):
        for error, failure, epsilon in ((0.1, 0.05, 1.0), (0.3, 0.01, 0.3), (0.02, 0.2, 4.0)):
            n = sizes.records_occam(size, error=error, failure=failure, epsilon=epsilon)
            exact = one_sided(n, odds=size - 1, error=error, rate=epsilon / 2)
            assert exact <= failure + SLACK
    n = sizes.records_occam(2**32, error=0.1, failure=0.05, epsilon=1)
    assert one_sided(int(0.7 * n), odds=2**32 - 1, error=0.1, rate=0.5) > 0.05, "a third fewer must fail"


@check(failure_occam=asked(epsilon=lambda epsilon: 4 * epsilon))
def realizable_failures():
    caught = 0
    for i, instance in enumerate(random_instances(60, seed=1, realizable=True, uniform=True)):
        n, epsilon, error = 1 + i % 6, (0.05, 0.5, 2.0, 30.0)[i % 4], (0.1, 0.3, 0.6)[i % 3]
        exact = instance.failure(n, rate=epsilon / 2, above=error)
        good = int((instance.errors == 0).sum())
        size = len(instance.prior)
        for claim in (1, good):
            assert (
                exact
                <= float(sizes.failure_occam(n, size=size, good=claim, error=error, epsilon=epsilon)) + SLACK
            )
        tolerated = float(np.sort(instance.errors)[size // 2])
        near = int((instance.errors <= tolerated + 1e-12).sum())
        if tolerated < error:
            bound = sizes.failure_occam(
                n, size=size, good=near, error=error, tolerated=tolerated + 1e-9, epsilon=epsilon
            )
            assert exact <= float(bound) + SLACK
        caught += exact > float(
            sizes.failure_occam(n, size=size, good=good, error=error, epsilon=4 * epsilon)
        )
    for n in (50, 200, 400):
        exact = one_sided(n, odds=255, error=0.1, rate=0.5)
        assert exact <= float(sizes.failure_occam(n, size=256, error=0.1, epsilon=1))
        caught += exact > float(sizes.failure_occam(n, size=256, error=0.1, epsilon=2))
    assert caught, "a bound without the factor 1/2 must be violated somewhere"


@check(error_occam=scaled(0.7))
def realizable_errors():
    for n, size in ((100, 2), (400, 2**16), (2000, 2**64)):
        error = float(occam.error_occam(n, size=size, failure=0.05, epsilon=1))
        assert one_sided(n, odds=size - 1, error=error, rate=0.5) <= 0.05 + SLACK
        assert one_sided(n, odds=size - 1, error=0.7 * error, rate=0.5) > 0.05


@check(epsilon_occam=scaled(0.7))
def realizable_epsilons():
    for n, size in ((250, 2**8), (700, 2**16), (2000, 2**64)):
        epsilon = float(sizes.epsilon_occam(n, size=size, error=0.1, failure=0.05))
        assert one_sided(n, odds=size - 1, error=0.1, rate=epsilon / 2) <= 0.05 + SLACK
        assert one_sided(n, odds=size - 1, error=0.1, rate=0.7 * epsilon / 2) > 0.05


@check(records_agnostic=scaled(0.7))
def agnostic_records():
    for size in (2, 2**16):
        for excess, failure, epsilon in ((0.1, 0.05, 0.2), (0.1, 0.05, 1.0), (0.4, 0.01, 0.5)):
            n = sizes.records_agnostic(size, excess=excess, failure=failure, epsilon=epsilon)
            assert two_sided(n, odds=size - 1, excess=excess, rate=epsilon / 2) <= failure + SLACK
    n = sizes.records_agnostic(2**16, excess=0.1, failure=0.05, epsilon=0.05)
    assert 0.03 < two_sided(n, odds=2**16 - 1, excess=0.1, rate=0.025) <= 0.05
    assert two_sided(int(0.7 * n), odds=2**16 - 1, excess=0.1, rate=0.025) > 0.05, "a third fewer must fail"


@check(failure_agnostic=scaled(0.5))
def agnostic_failures():
    caught = 0
    for i, instance in enumerate(random_instances(80, seed=2, realizable=False, uniform=True)):
        n, epsilon, excess = 1 + i % 6, (0.1, 1.0, 4.0, 30.0)[i % 4], (0.05, 0.2, 0.5)[i % 3]
        best, size = float(instance.errors.min()), len(instance.prior)
        exact = instance.failure(n, rate=epsilon / 2, above=best + excess)
        unknown = sizes.failure_agnostic(n, size=size, excess=excess, epsilon=epsilon)
        known = sizes.failure_agnostic(
            n, size=size, excess=excess, epsilon=epsilon, noise=min(best + 1e-9, 0.999)
        )
        assert exact <= float(known) + SLACK
        assert known <= unknown
    for n in (100, 400, 1600):
        for rate in (0.05, 0.1, 1.0):
            exact = two_sided(n, odds=15, excess=0.1, rate=rate)
            assert exact <= float(sizes.failure_agnostic(n, size=16, excess=0.1, epsilon=2 * rate)) + SLACK
            # The realizable base is smaller: using it where the best hypothesis errs must be caught.
            caught += exact > float(sizes.failure_occam(n, size=16, error=0.1, epsilon=2 * rate))
    assert caught


@check(excess_agnostic=scaled(0.7))
def agnostic_excess():
    for n, size, epsilon in ((300, 2, 0.5), (3000, 2**16, 0.2)):
        excess = float(occam.excess_agnostic(n, size=size, failure=0.05, epsilon=epsilon))
        assert two_sided(n, odds=size - 1, excess=excess, rate=epsilon / 2) <= 0.05 + SLACK
    assert two_sided(3000, odds=2**16 - 1, excess=0.7 * excess, rate=0.1) > 0.05


@check(epsilon_agnostic=scaled(0.6))
def agnostic_epsilon():
    epsilon = float(sizes.epsilon_agnostic(4000, size=2**16, excess=0.1, failure=0.05))
    assert two_sided(4000, odds=2**16 - 1, excess=0.1, rate=epsilon / 2) <= 0.05 + SLACK
    assert two_sided(4000, odds=2**16 - 1, excess=0.1, rate=0.6 * epsilon / 2) > 0.05


@check(tilt_agnostic=scaled(0.8))
def agnostic_tilt():
    """The rational weight proves, in fractions, a bound that the exact failure obeys."""

    def bound(excess: Fraction, x: Fraction, n: int) -> float:
        return float(7 * (((1 - excess) / x + (1 + excess) * x) / 2) ** n)

    for excess, epsilon in ((Fraction(1, 10), 1.0), (Fraction(3, 10), 0.2)):
        ratio = Fraction(math.exp(-epsilon / 2))
        x = occam.tilt_agnostic(excess, ratio=ratio)
        for n in (50, 300):
            exact = two_sided(n, odds=7, excess=float(excess), rate=epsilon / 2)
            assert exact <= bound(excess, x, n) + SLACK
    # A weight below the learner's own ratio would prove more than is true.
    assert x == ratio
    assert exact > bound(excess, Fraction(734, 1000), 300)


@check(records_prior=scaled(0.7), failure_prior=scaled(0.5))
def priors():
    for i, instance in enumerate(random_instances(80, seed=3, realizable=False, uniform=False)):
        n, epsilon, error = 1 + i % 6, (0.1, 1.0, 4.0)[i % 3], (0.2, 0.5, 0.8)[i % 3]
        tolerated = float(np.sort(instance.errors)[len(instance.prior) // 2])
        if tolerated >= error:
            continue
        exact = instance.failure(n, rate=epsilon / 2, above=error)
        mass = float(instance.prior[instance.errors <= tolerated + 1e-12].sum())
        for size in (None, len(instance.prior)):
            bound = sizes.failure_prior(
                n, mass=mass, error=error, tolerated=tolerated + 1e-9, epsilon=epsilon, size=size
            )
            assert exact <= float(bound) + 1e-7
    n = sizes.records_prior(Fraction(1, 1000), error=0.1, failure=0.05, epsilon=1)
    assert one_sided(n, odds=999, error=0.1, rate=0.5) <= 0.05
    assert one_sided(int(0.7 * n), odds=999, error=0.1, rate=0.5) > 0.05
    # At smaller exponents the odds alone are not a bound: one record, a rare bad hypothesis, epsilon 2.
    x = occam.tilt_agnostic(0.1, ratio=Fraction(math.exp(-1)))
    base = float((Fraction(9, 10) / x + Fraction(11, 10) * x) / 2)
    assert two_sided(1, odds=1e-3, excess=0.1, rate=1.0) > 1e-3 * base
    honest = sizes.failure_prior(1, mass=1 / 1.001, size=2, error=0.55, tolerated=0.45, epsilon=2)
    assert two_sided(1, odds=1e-3, excess=0.1, rate=1.0) <= float(honest)


@check(failure_points=scaled(0.99), records_points=scaled(0.99))
def points():
    for domain, n in ((2, 4), (3, 6), (5, 9)):
        # Atom 0 is the target (everyone else errs), atom 1 the background point (only its own concept errs).
        errs = np.array([[0.0, 0.0], [1.0, 1.0], *[[1.0, 0.0]] * (domain - 2)])
        learner = Instance(errs, np.array([0.3, 0.7]), np.full(domain, 1 / domain))
        exact = learner.failure(n, rate=0.4, above=0.0)
        assert abs(exact - float(sizes.failure_points(n, domain=domain, error=0.3, epsilon=0.8))) < SLACK
        assert abs(exact - float(sizes.failure_points(n, domain=domain + 1, error=0.3, epsilon=0.8))) > 1e-3
    n = sizes.records_points(2**16, error=0.1, failure=0.05, epsilon=1)
    assert one_sided(n, odds=2**16 - 2, error=0.1, rate=0.5) <= 0.05 + SLACK
    assert one_sided(n - 1, odds=2**16 - 2, error=0.1, rate=0.5) > 0.05
    assert one_sided(int(0.7 * n), odds=2**16 - 2, error=0.1, rate=0.5) > 0.2


# --- estimates ---


def deviation(n: int, *, error: float, gap: float, sides: int) -> float:
    def outside(k: np.ndarray) -> np.ndarray:
        off = k / n - error
        return ((np.abs(off) if sides == 2 else -off) > gap).astype(float)

    return binomial_mean(outside, n=n, chance=error)


@check(gap_holdout=scaled(0.5), records_holdout=scaled(0.3))
def holdout():
    for n, failure, sides in itertools.product((1, 20, 400, 3000), (0.3, 0.05, 0.001), (1, 2)):
        gap = float(generalisation.gap_holdout(n, failure=failure, sides=sides))
        for error in (0.01, 0.2, 0.5, 0.9):
            assert deviation(n, error=error, gap=gap, sides=sides) <= failure + SLACK
    for sides in (1, 2):
        n = generalisation.records_holdout(0.02, failure=0.05, sides=sides)
        assert deviation(n, error=0.5, gap=0.02, sides=sides) <= 0.05
        assert deviation(n, error=0.5, gap=0.6 * 0.02, sides=sides) > 0.05
        assert deviation(n // 3, error=0.5, gap=0.02, sides=sides) > 0.05


@check(gap_class=scaled(0.8), records_class=scaled(0.6))
def own_records():
    """Hypotheses that err independently: the worst case of the union up to its second order."""
    size, failure = 10_000, 0.05
    for sides in (1, 2):
        n = generalisation.records_class(0.02, size=size, failure=failure, sides=sides)
        assert float(generalisation.gap_class(n, size=size, failure=failure, sides=sides)) <= 0.02

        def some(gap: float, n: int = n, sides: int = sides) -> float:
            return 1 - (1 - deviation(n, error=0.5, gap=gap, sides=sides)) ** size

        assert some(0.02) <= failure + SLACK
        own = float(generalisation.gap_class(n, size=size, failure=failure, sides=sides))
        assert some(own) <= failure + SLACK
        assert some(0.8 * 0.02) > failure
        alone = float(generalisation.gap_holdout(n, failure=failure, sides=sides))
        assert some(alone) > failure, "the interval of held-out records is not valid for the learner's own"


# --- the registry ---

PRIVATE = {"interval_private", "rate_above", "rate_below"}  # tests/statistical/test_generalisation.py
NAMES = sorted((set(occam.__all__ + sizes.__all__ + generalisation.__all__) & set(formulas())) - PRIVATE)


@pytest.mark.parametrize("name", NAMES)
def test_promise_holds_and_broken_versions_are_caught(name):
    CHECKS[name]()


def test_no_formula_is_forgotten():
    assert sorted(CHECKS) == NAMES
    assert len(NAMES) >= 17
