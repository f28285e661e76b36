"""Reconstruction: promises against exact or simulated failures, and the printed statements where they fail."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from scipy.stats import binom

from privpac import MemorySample, SeededCoins, Size
from privpac.audit.registry import tiny_schema
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.concepts.line.unions import Unions
from privpac.concepts.sets.generated import GeneratedPoints
from privpac.constructions.cuts.formulas import (
    error_switch,
    failure_denoising,
    largest_noise,
    records_switch,
    tilt_switch,
)
from privpac.constructions.cuts.noisy import NoisyCuts, nearest_cut
from privpac.constructions.cuts.switches import SwitchCuts
from privpac.constructions.draw.occam import Occam
from privpac.guarantee.facts import Against
from privpac.theory import floors, sizes
from privpac.theory.statements import statement
from tests.statistical.claims import claims, scaled

ONE = Fraction(1)


def exact_failure(masses: np.ndarray, errors: np.ndarray, *, error: float, n: int, ratio: float) -> float:
    """Chance that a draw among few candidates errs by more than `error`: a sum over all counts of mistakes.

    Candidate i is wrong on its own atom and on none of the others' (atoms apart): counts are multinomial.
    """
    total = 0.0
    rest = 1.0 - masses.sum()
    for counts in product(range(n + 1), repeat=len(masses)):
        left = n - sum(counts)
        if left < 0:
            continue
        log = math.lgamma(n + 1) - math.lgamma(left + 1) - sum(math.lgamma(c + 1) for c in counts)
        chance = math.exp(log) * rest**left * float(np.prod(masses ** np.array(counts)))
        weights = ratio ** np.array(counts)
        total += chance * weights[errors > error].sum() / weights.sum()
    return total


@pytest.mark.long_cases(
    "0.1",
)
@claims({"tolerated": 0.02}, records_switch=scaled(0.25), error_switch=scaled(0.4), tilt_switch=scaled(0.9))
@pytest.mark.parametrize("tolerated", [0.02, 0.1])
def test_selection_among_switches_fails_no_more_than_promised(tolerated: float) -> None:
    error, ratio = 0.3, Fraction(3, 5)
    n = records_switch(3, error=error, failure=0.2, tolerated=tolerated, ratio=ratio)
    masses = np.array([tolerated, error + 1e-9, error + 1e-9])
    assert exact_failure(masses, masses, error=error, n=n, ratio=0.6) <= 0.2
    assert exact_failure(masses, masses, error=error, n=n // 4, ratio=0.6) > 0.2
    found = error_switch(n, candidates=3, failure=0.2, tolerated=tolerated, ratio=ratio)
    assert found <= Fraction("0.3")
    heavier = np.array([tolerated, float(found) + 1e-9, float(found) + 1e-9])
    assert exact_failure(heavier, heavier, error=float(found), n=n, ratio=0.6) <= 0.2
    tilt = tilt_switch(error, tolerated=tolerated, ratio=ratio)
    base = 1 - error * (1 - tilt) + tolerated * (1 / tilt - 1)
    assert 2 * float(base) ** n <= 0.2
    assert ratio <= tilt < 1, "a smaller weight than that of the draw proves too much"


@pytest.mark.long
def test_cuts_made_of_unions_keep_their_promise() -> None:
    """Simulated: 200 runs; more than 30 failures at a rate of 0.05 happen once in a million times."""
    cells, cut = 1000, 437
    schema = tiny_schema(cells)
    inner = Occam(Unions(schema, "a", intervals=2), ONE, failure=Fraction(1, 40))
    learner = SwitchCuts(Thresholds(schema, "a"), inner, ONE, most=4)
    rng = np.random.default_rng(5)

    def failed(n: int, runs: int, error: float) -> int:
        wrong = 0
        for run in range(runs):
            values = rng.integers(0, cells, n)
            sample = MemorySample.from_cells(schema, {"a": values}, (values >= cut).astype(np.int64))
            rule = learner.learn(sample, SeededCoins(run))
            assert isinstance(rule, Threshold)
            wrong += abs(rule.cut - cut) / cells > error
        return wrong

    (fact,) = (p.fact for p in learner.certify(Size(1200)).accuracy if p.fact.against is Against.REALIZABLE)
    assert failed(1200, 60, float(fact.error)) <= 14
    assert failed(60, 40, float(fact.error)) > 2  # far fewer records are not enough for the same error


@claims({"rate": 0.1}, failure_denoising=scaled(0.8))
@pytest.mark.parametrize("rate", [0.01, 0.1])
def test_noise_is_taken_off_as_often_as_promised(rate: float) -> None:
    """Six standard errors of 4000 runs on either side: once in a hundred million times by bad luck."""
    rng, cells, runs = np.random.default_rng(7), 200, 4000
    flips = rng.random((runs, cells)) < rate
    noisy = (np.arange(cells) >= 100) ^ flips
    # Mismatches of every cut at once: wrong ones below it, wrong zeros from it on.
    below = np.pad(np.cumsum(noisy, axis=1), ((0, 0), (1, 0)))
    above = np.pad(np.cumsum(~noisy[:, ::-1], axis=1), ((0, 0), (1, 0)))[:, ::-1]
    gaps = below + above
    best = gaps.min(axis=1)
    lost = np.mean((gaps[:, 100] > best) | ((gaps == best[:, None]).sum(axis=1) > 1))
    exact = float(failure_denoising(str(rate), below=100, above=100))
    assert abs(lost - exact) < 6 * math.sqrt(exact / runs)
    assert exact == pytest.approx(1 - (1 - 2 * rate) ** 2, abs=1e-6)
    assert exact < 0.6 * 8 * rate  # printed: 8·rate
    runs_of = [i for i in range(cells + 1) if i == cells or noisy[0, i] != (noisy[0, i - 1] if i else False)]
    ones = tuple(zip(runs_of[::2], runs_of[1::2], strict=False))
    assert nearest_cut(ones, domain=cells, up=True) == int(gaps[0].argmin())


def test_noise_adds_no_more_error_than_promised() -> None:
    schema = tiny_schema(400)
    learner = NoisyCuts(Thresholds(schema, "a"), ONE, Fraction(1, 400))
    fact = learner.certify(Size(2000)).accuracy[0].fact
    rng, wrong = np.random.default_rng(3), 0
    for run in range(40):
        values = rng.integers(0, 400, 2000)
        sample = MemorySample.from_cells(schema, {"a": values}, (values >= 100).astype(np.int64))
        answers = learner.learn(sample, SeededCoins(run)).predict({"a": np.arange(400)})
        wrong += float(np.mean(answers != (np.arange(400) >= 100))) > fact.error
    assert wrong <= 12
    assert not fact.proper


@claims(largest_noise=scaled(0.99))
def test_no_learner_is_noisier_than_its_accuracy_allows() -> None:
    """k atoms heavier than the error: success means that none of them was flipped."""
    for error, failure in ((0.0025, 0.25), (0.1, 0.05)):
        k = math.ceil(1 / error) - 1
        rate = float(largest_noise(error=str(error), failure=str(failure)))
        assert (1 - rate) ** k <= 1 - failure < (1 - 0.99 * rate) ** k
    assert float(largest_noise(error="0.0025", failure="0.25")) == pytest.approx(7.2e-4, abs=1e-6)


class TestPrintedStatements:
    """What the sources print, where it fails."""

    def test_mean_noise_given_a_small_error_is_not_the_rate(self) -> None:
        # Theorem 5.8, equation (8): E[|h - c*| given that the error is small] = rate.
        rate, atoms, allowed = 0.1, 9, 0.1  # one atom weighs 1/9 > 0.1: no atom may be dirty
        dirty = np.arange(atoms + 1)
        chances = binom.pmf(dirty, atoms, rate)
        good = dirty / atoms <= allowed
        mean = float((chances * dirty / atoms)[good].sum() / chances[good].sum())
        assert mean == 0.0
        assert (chances * dirty / atoms).sum() == pytest.approx(rate)
        assert "biases the noise down" in str(statement("noise-reconstruction").erratum)

    def test_a_floor_with_one_over_failure_is_refuted_by_the_learner(self) -> None:
        # Lemma 5.2 prints Omega((d + 1/failure)/epsilon): 1/failure outgrows what the learner needs.
        needs = [
            sizes.records_occam(2**16 + 1, error=0.1, failure=10.0**-k, epsilon=1) for k in (3, 6, 9, 12)
        ]
        assert [need / 10.0**k < 10.0 ** (3 - k) for need, k in zip(needs, (3, 6, 9, 12), strict=True)] == [
            True
        ] * 4
        assert all(b - a < 200 for a, b in pairwise(needs))  # it grows like the logarithm
        floor = floors.floor_thresholds_proper(2**16, error=0.1, failure=10**-6, epsilon=1)
        assert floor <= needs[1] < 10**6

    def test_with_as_many_switches_as_printed_the_selection_alone_needs_too_many_records(self) -> None:
        # Theorem 5.4, last paragraph: 2^Omega(d) switches would give a proper learner from o(d) records.
        wanted = {"error": 0.1, "failure": 0.05, "epsilon": 1}
        for bits in (32, 64, 128):
            half = records_switch(2 ** (bits // 2), tolerated=0.01, **wanted)
            assert half > floors.floor_thresholds_proper(2**bits, **wanted)
            assert half >= 6 * bits

    def test_uniform_convergence_on_both_sides_needs_more_than_the_printed_rate(self) -> None:
        # A concept of true error 1/2, K·ln(1/(error·failure))/error records, K = 100: off by more than `error`.
        error, failure = 1e-5, 0.05
        n = int(100 * math.log(1 / (error * failure)) / error)
        off = 2 * binom.cdf(math.floor(n * (0.5 - error)), n, 0.5)
        assert off > failure

    def test_usefulness_for_two_queries_separates_no_data_structures(self) -> None:
        # Theorem 7.2: useful for D_i is said of the queries i and 1 only; these answers are useful for all D_i at once.
        error = 0.1
        answers = {1: 1 - 3 * error, 2: 3 * error, 3: 3 * error, 4: 3 * error}

        def useful(i: int) -> bool:
            return 2 * error < answers[i] < 4 * error and 1 - 4 * error < answers[1] < 1 - 2 * error

        assert all(useful(i) for i in (2, 3, 4))
        assert sum(answers.values()) > 1  # no table of records has such shares, but a data structure may
        assert [n for n in (10, 11, 20) if (3 * n) % 10] == [11]  # 3·error·n need not be whole

    @pytest.mark.long
    def test_the_image_of_a_generator_is_denser_than_printed(self) -> None:
        concepts = GeneratedPoints(tiny_schema(2**16), "a", 8)
        image = {concepts.value(seed) for seed in range(2**8)}
        assert len(image) > 2**7
        assert len(image) / 2**16 > 10 * 8 / 2**16  # printed: seed bits over the domain

    def test_three_quarters_do_not_make_a_distinguisher(self) -> None:
        # A learner may name 3/4 of the values surely and the others almost as often as the printed argument allows.
        says_yes = Fraction(3, 4) * 1 + Fraction(1, 4) * Fraction(3, 4)
        assert says_yes == Fraction(15, 16) > Fraction(3, 4)
        assert 1 - Fraction(1, 5) < says_yes  # so at failure 1/5 < 1/4 nothing is distinguished
        with_mean = floors.floor_generated_points(2**64, failure="0.2", epsilon=1)
        assert with_mean == math.ceil(math.log((2**64 - 1) * 0.8 / 0.2))
