"""The simulated need: right on known curves, honest intervals, few evaluations, clear refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from reproductions.means import interval
from reproductions.needs import Trial, smallest_n

from privpac.errors import ParameterError, SizeError
from privpac.theory.sizes import records_points


def two_point_failures(*, bits: int, error: float, rate: float):
    """Failure given the data of the point learner on its hard family; nested data."""
    rivals = 2.0**bits - 2

    def failures(n: int, repetitions: int, seed: int) -> list[float]:
        stream = np.random.default_rng(seed).random((repetitions, 4096))
        hits = (stream[:, :n] < error).sum(axis=1)
        others = rivals + np.exp(-rate * (n - hits))
        return list(others / (others + np.exp(rate * hits)))

    return failures


def test_finds_the_need_of_a_known_curve_exactly():
    for start in (1, 10, 29, 30, 400):
        found = smallest_n(lambda n, m, _: [0.9**n] * m, failure=0.05, start=start)
        assert found.n == math.ceil(math.log(0.05) / math.log(0.9)) == 29
        assert found.check == Trial(29, *interval([0.9**29] * 2000, confidence=0.99))


@pytest.mark.long
def test_the_interval_around_the_need_contains_the_exact_need():
    exact = records_points(2**16, error=0.1, failure=0.05, epsilon=1)
    found = smallest_n(two_point_failures(bits=16, error=0.1, rate=0.5), failure=0.05, repetitions=2000)
    assert exact == 328
    assert found.at_least <= exact <= found.at_most
    assert abs(found.n - exact) < 15
    assert found.check.low <= 0.05 <= found.check.high + 0.02
    assert found.at_most - found.at_least < 0.35 * exact


def test_progress_sees_every_trial_and_no_size_twice():
    made: list[Trial] = []
    calls: list[tuple[int, int]] = []

    def failures(n: int, repetitions: int, seed: int) -> list[float]:
        calls.append((n, seed))
        return [math.exp(-n / 1000)] * repetitions

    found = smallest_n(failures, failure=0.05, seed=7, repetitions=300, progress=made.append)
    assert len(set(calls)) == len(calls) == len(made) < 50
    assert [seed for _, seed in calls[:-1]] == [7] * (len(calls) - 1)
    assert calls[-1] == (found.n, 8), "the confirmation uses a fresh seed"
    assert [trial.n for trial in found.trials] == sorted(n for n, _ in calls[:-1])


def test_intervals_cover_the_truth_and_shrink():
    generator = np.random.default_rng(1)
    misses = 0
    for _ in range(400):
        values = generator.beta(0.2, 3.8, size=500)  # mean 0.05, most mass near 0: like failures given data
        _, low, high = interval(list(values), confidence=0.95)
        misses += not low <= 0.05 <= high
    assert misses <= 20
    _, low, high = interval([0.05] * 2000, confidence=0.99)
    _, wide_low, wide_high = interval([0.0] * 1900 + [1.0] * 100, confidence=0.99)
    assert high - low < wide_high - wide_low
    assert interval([0.0] * 10, confidence=0.9)[1] == 0.0
    assert interval([1.0] * 10, confidence=0.9)[2] == 1.0
    # Never worse than plain Hoeffding at the level each of the four limits is given.
    hoeffding = math.sqrt(math.log(4 / 0.01) / (2 * 2000))
    assert wide_high - 0.05 <= hoeffding
    assert 0.05 - wide_low <= hoeffding


def test_too_narrow_an_interval_would_be_noticed():
    """Negative control of the coverage test: half the width misses too often."""
    generator = np.random.default_rng(2)
    misses = 0
    for _ in range(400):
        values = generator.integers(0, 2, size=200).astype(float)
        mean, low, high = interval(list(values), confidence=0.95)
        misses += not mean - (mean - low) / 3 <= 0.5 <= mean + (high - mean) / 3
    assert misses > 20


def test_the_limit_is_respected_and_decides():
    assert smallest_n(lambda n, m, _: [0.9**n] * m, failure=0.05, limit=40).n == 29
    assert smallest_n(lambda n, m, _: [float(n < 40)] * m, failure=0.05, limit=40, start=3).n == 40
    assert smallest_n(lambda n, m, _: [0.9**n] * m, failure=0.05, limit=29).at_most is None
    few = smallest_n(lambda n, m, _: [0.9**n] * m, failure=0.05, repetitions=50)
    assert few.at_most is None
    assert max(trial.n for trial in few.trials) < 100, "hopeless searches must not simulate huge data sets"
    with pytest.raises(SizeError, match="limit of 28 records"):
        smallest_n(lambda n, m, _: [0.9**n] * m, failure=0.05, limit=28)


@pytest.mark.parametrize(
    ("name", "bad"),
    [("failure", 0.0), ("failure", 1.0), ("confidence", 1.0), ("repetitions", 1), ("start", 0), ("limit", 0)],
)
def test_nonsense_is_refused_by_name(name, bad):
    with pytest.raises(ParameterError, match=name):
        smallest_n(lambda n, m, _: [0.0] * m, **{"failure": 0.05, name: bad})


def test_wrong_answers_of_the_caller_are_refused():
    with pytest.raises(ParameterError, match="one per data set"):
        smallest_n(lambda n, m, _: [0.0] * (m - 1), failure=0.05)
    with pytest.raises(ParameterError, match=r"probabilities in \[0, 1\]"):
        smallest_n(lambda n, m, _: [1.5] * m, failure=0.05)
    with pytest.raises(ParameterError, match=r"probabilities in \[0, 1\]"):
        interval([math.nan], confidence=0.9)
