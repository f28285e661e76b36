"""Failures on hard distributions: the vectorised formulas against the law of the answer, one data set at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reproductions import hard_failures
from reproductions.long_keys import BlockKeys, LongKeys, RecursionKeys
from scipy.special import expit
from scipy.stats import binom

from privpac import MemorySample, Occam, Points, SeededCoins, Thresholds
from privpac.audit.registry import tiny_schema
from privpac.coins import law
from privpac.concepts.line.cut_regions import CutRegions
from privpac.constructions.base import Learner
from privpac.constructions.points.clipped import Clip, ClippedPoints
from privpac.constructions.points.coded import Code, CodedPoints
from privpac.constructions.points.covered import Cover
from privpac.constructions.points.sampled import Boost, Draw
from privpac.constructions.points.sparse import SparseAccuracy, SparsePoints
from privpac.numbers.exact import ratio_for
from privpac.theory import sizes

N, ERROR, SEED, RUNS = 9, 0.3, 5, 60
RATE = -math.log(ratio_for(Fraction(1, 2)))


def drawn_hits(columns: int = 1) -> np.ndarray:
    return hard_failures._count(hard_failures._spread(RUNS, columns, SEED)[:, 0], N, ERROR)


def cases(found: list[float], hits: np.ndarray) -> Iterator[tuple[int, float]]:
    """Every number of hits that was drawn, with the failure computed for it."""
    assert len(found) == RUNS
    seen = dict(zip(hits.astype(int).tolist(), found, strict=True))
    assert len(seen) > 4
    yield from seen.items()


def failure_of(learner: Learner, cells: list[int], labels: list[int], right: Callable[[Any], bool]) -> float:
    schema = learner.concepts.schema
    sample = MemorySample.from_cells(schema, {"a": np.array(cells)}, np.array(labels))
    return float(
        sum(p for rule, p in law(lambda coins: learner.learn(sample, coins)).items() if not right(rule))
    )


def test_points_are_those_of_the_learner() -> None:
    domain = 16
    learner = Occam(Points(tiny_schema(domain), "a"), Fraction(1))
    found = hard_failures.points(N, RUNS, SEED, domain=domain, error=ERROR, rate=RATE)
    for hits, value in cases(found, drawn_hits()):
        data = [3] * hits + [7] * (N - hits)
        exact = failure_of(learner, data, [int(x == 3) for x in data], lambda rule: rule.cell == 3)
        assert value == pytest.approx(exact, rel=1e-9)


def test_thresholds_are_those_of_the_learner() -> None:
    domain = 16
    learner = Occam(Thresholds(tiny_schema(domain), "a"), Fraction(1))
    found = hard_failures.thresholds(N, RUNS, SEED, domain=domain, error=ERROR, rate=RATE)
    u = hard_failures._spread(RUNS, 2, SEED)
    below = hard_failures._count(u[:, 0], N, ERROR)
    above = hard_failures._count(u[:, 1], N - below, ERROR / (1 - ERROR))
    for low, high, value in zip(below.astype(int).tolist(), above.astype(int).tolist(), found, strict=True):
        data = [7] * low + [8] * high + [0] * (N - low - high)
        exact = failure_of(learner, data, [int(x >= 8) for x in data], lambda rule: rule.cut == 8)
        assert value == pytest.approx(exact, rel=1e-9)


def test_clipped_points_are_those_of_the_learner() -> None:
    domain, clip = 20, Clip(20, Fraction(1, 2), 4, 3)
    learner = ClippedPoints(tiny_schema(domain), "a", Fraction(3), clip)
    found = hard_failures.clipped(N, RUNS, SEED, domain=domain, error=ERROR, clip=clip)
    for hits, value in cases(found, drawn_hits()):
        data = [3] * hits + [7] * (N - hits)
        exact = failure_of(learner, data, [int(x == 3) for x in data], lambda rule: rule.cell == 3)
        assert value == pytest.approx(exact, rel=1e-9)


def test_codes_are_those_of_the_learner() -> None:
    q, digits, target = 5, 2, 0
    other = 5  # the polynomial u, which is that of the target, 0, at one place
    learner = CodedPoints(tiny_schema(q**digits), "a", Fraction(1), Code(q, digits))
    found = hard_failures.coded(N, RUNS, SEED, code=Code(q, digits), error=ERROR, rate=RATE)

    def right(rule: Any) -> bool:
        return rule.predict({"a": np.array([target, other])}).tolist() == [1, 0]

    for hits, value in cases(found, drawn_hits()):
        data = [target] * hits + [other] * (N - hits)
        exact = failure_of(learner, data, [int(x == target) for x in data], right)
        assert value == pytest.approx(exact, rel=1e-9)


def test_random_sets_average_to_the_mean_over_keys() -> None:
    """Few keys, so that covers without a good set occur; six standard errors of 20,000 covers drawn one by one."""
    cover, runs = Cover(40, Fraction(1, 8)), 20_000
    rng = np.random.default_rng(2)
    hits = rng.binomial(N, ERROR, runs)[:, None]
    target, other = rng.random((runs, 40)) < 1 / 8, rng.random((runs, 40)) < 1 / 8
    mistakes = np.where(target, 0, hits) + np.where(other, N - hits, 0)
    weights = np.exp(-RATE * np.hstack([mistakes, hits]))
    wrong = np.hstack([~target | other, np.ones((runs, 1), bool)])
    mean = float(((weights * wrong).sum(axis=1) / weights.sum(axis=1)).mean())
    found = hard_failures.covered(N, runs, SEED, cover=cover, error=ERROR, rate=RATE)
    assert np.mean(found) == pytest.approx(mean, abs=0.006)
    assert (
        max(hard_failures.covered(N, 300, 1, cover=Cover(1, Fraction(1, 1000)), error=ERROR, rate=RATE))
        == 1.0
    )


def test_coins_for_every_value_are_those_of_the_learner() -> None:
    sparsity = SparseAccuracy(Fraction(1, 50), ratio_for(Fraction(1, 2)))
    learner = SparsePoints(tiny_schema(3), "a", Fraction(1), sparsity)
    found = hard_failures.sparse(N, RUNS, SEED, sparsity=sparsity, error=ERROR)

    def right(rule: Any) -> bool:
        return rule.predict({"a": np.array([0, 1])}).tolist() == [1, 0]

    for hits, value in cases(found, drawn_hits()):
        data = [0] * hits + [1] * (N - hits)
        exact = failure_of(learner, data, [1 - x for x in data], right)
        assert value == pytest.approx(exact, rel=1e-9)


def test_boosted_runs_do_better_with_more_records_and_without_noise() -> None:
    boost = Boost(6, 400, 300, Draw(Fraction(1, 50), Fraction(1, 100)), Fraction(1, 20))
    few, many = (
        float(np.mean(hard_failures.boosted(n, 500, SEED, boost=boost, error=0.1, rate=RATE)))
        for n in (300, 2700)
    )
    assert many < 0.05 < few
    loud = Boost(6, 400, 300, Draw(Fraction(1, 50), Fraction(49, 100)), Fraction(1, 20))
    assert np.mean(hard_failures.boosted(2700, 500, SEED, boost=loud, error=0.1, rate=RATE)) > 2 * many


def test_the_measured_mean_is_the_exact_sum() -> None:
    for n in (150, 201, 260):
        found = hard_failures.points(n, 2000, SEED, domain=2**8, error=0.1, rate=0.5)
        exact = float(sizes.failure_points(n, domain=2**8, error=0.1, epsilon=1))
        assert np.mean(found) == pytest.approx(exact, rel=0.02)


def two_sided(n: int, bits: int) -> float:
    """The failure of one draw among cuts on its hard distribution: the sum over both counts."""
    half, total = math.log(2.0**bits / 2), 0.0
    for low in range(n + 1):
        chance = binom.pmf(low, n, 0.1)
        if chance > 1e-13:
            high = np.arange(n - low + 1)
            wrong = np.logaddexp(half + math.log1p(-(2.0 ** (1 - bits))) - low / 2, half - high / 2)
            total += chance * float(np.sum(binom.pmf(high, n - low, 1 / 9) * expit(wrong)))
    return total


@pytest.mark.parametrize(("bits", "need"), [(8, 205), (16, 334), (32, 586)])
def test_cuts_need_what_the_sum_over_both_sides_says(bits: int, need: int) -> None:
    assert two_sided(need - 1, bits) > 0.05 >= two_sided(need, bits)
    found = hard_failures.thresholds(need, 4000, SEED, domain=2**bits, error=0.1, rate=0.5)
    assert np.mean(found) == pytest.approx(0.05, abs=0.005)


def test_uniform_numbers_are_uniform_and_repeat() -> None:
    u = hard_failures.uniforms(5000, 2, 9)
    assert np.array_equal(u, hard_failures.uniforms(5000, 2, 9))
    assert not np.array_equal(u, hard_failures.uniforms(5000, 2, 8))
    assert abs(u.mean() - 0.5) < 0.02
    assert u.min() > 0
    assert u.max() < 1
    spread = hard_failures._spread(100, 1, 9)[:, 0]
    assert np.array_equal((spread * 100).astype(int), np.arange(100))


BUDGETS = {RecursionKeys: (Fraction(4), 150), BlockKeys: (Fraction(1), 100)}
"""Epsilon and records at which a learner sometimes fails."""


@pytest.mark.long_cases(
    "RecursionKeys",
)
@pytest.mark.parametrize("kind", BUDGETS)
def test_long_keys_agree_with_draws_of_the_learner(kind: type[RecursionKeys | BlockKeys]) -> None:
    """Averages of 40 data sets: exact given the offsets against 10 draws each, within six standard errors."""
    epsilon, n = BUDGETS[kind]
    keys = kind(12, error=0.1, failure=Fraction(1, 20), epsilon=epsilon, delta=Fraction(1, 1000))
    sets = 40
    exact = keys.failures(n, sets, 3)
    most = 1 << n.bit_length()
    rows = hard_failures.uniforms(sets, 2 * most, 3)
    wrong = []
    for number, row in enumerate(rows):
        counts = keys._counts(row[:n], row[most : most + n])
        cells = np.repeat(counts.values.astype(np.int64), counts.counts.sum(axis=1))
        labels = np.concatenate([[0] * a + [1] * b for a, b in counts.counts.tolist()])
        assert ((cells >= keys.cut) == labels).all()
        sample = MemorySample.from_cells(keys.learner.concepts.schema, {"key": cells}, labels)
        for turn in range(10):
            answer = keys.learner.learn(sample, SeededCoins(100 * number + turn))
            cut = getattr(answer, "cut", None)
            wrong.append(cut is None or keys._mass(cut) > 0.1)
    mean = float(np.mean(wrong))
    assert 0.02 < mean < 0.98
    assert float(np.mean(exact)) == pytest.approx(mean, abs=6 * math.sqrt(mean / sets) / 3)
    assert isinstance(CutRegions(counts, 2**12, up=True).best, int)


def test_mass_between_cuts_is_that_of_the_keys() -> None:
    keys: LongKeys = RecursionKeys(
        10, error=0.1, failure=Fraction(1, 20), epsilon=Fraction(1), delta=Fraction(1, 1000)
    )
    u = hard_failures.uniforms(40_000, 2, 1)
    counts = keys._counts(u[:, 0], u[:, 1])
    regions = CutRegions(counts, 2**10, up=True)
    for gap in (-100, -3, -1, 0, 1, 5, 90):
        found = sum(regions.mistakes(keys.cut + gap)) / 40_000
        assert found == pytest.approx(keys._mass(keys.cut + gap), abs=0.015)
