"""The smallest number of records that meets a target in simulation, with an interval around it.

What is averaged over simulated data sets is the *exact* failure probability given the data, not the outcome
of one draw: the learner's own coins add no noise. This module has no randomness of its own; the caller's
function makes the data from the seed it is handed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from privpac.errors import ParameterError, SizeError
from privpac.numbers.exact import first_whole
from reproductions.means import interval

__all__ = ["Failures", "Simulated", "Trial", "smallest_n"]

Failures = Callable[[int, int, int], Sequence[float]]
"""(n, repetitions, seed) to one exact failure probability per simulated data set of n records. Data sets should
be nested: the first n records of the same stream for every n (common random numbers), so that the average
falls with n as smoothly as the truth does."""


@dataclass(frozen=True)
class Trial:
    """The average failure at one n, with a confidence interval for the true value."""

    n: int
    failure: float
    low: float
    high: float


@dataclass(frozen=True)
class Simulated:
    """What simulation says about the records needed.

    `n` is the smallest size whose average failure met the target on the search seed, `check` the same size on
    a fresh seed (so its interval is not biased by the search). `at_least` and `at_most` bound the true need:
    below the first the lower confidence limit is above the target, at the second the upper limit is at most
    the target (None: too few repetitions, or not within the limit of the search).
    """

    n: int
    at_least: int
    at_most: int | None
    check: Trial
    failure: float
    confidence: float
    repetitions: int
    trials: tuple[Trial, ...]


def smallest_n(
    failures: Failures,
    *,
    failure: float,
    repetitions: int = 2000,
    seed: int = 0,
    confidence: float = 0.99,
    start: int = 64,
    limit: int = 10_000_000,
    progress: Callable[[Trial], None] | None = None,
) -> Simulated:
    """The smallest n whose simulated failure probability is at most `failure`.

    Doubles away from `start`, then halves the bracket; every n is evaluated once, all with the same seed, so
    a difference between two sizes is not a difference between two samples. `progress` sees every trial as it
    is made. `at_least` and `at_most` hold with the stated confidence if the average failure falls with n
    (then one size decides each side); the trials are returned, so that can be looked at.

    >>> need = smallest_n(lambda n, repetitions, seed: [0.9**n] * repetitions, failure=0.05)
    >>> need.n, need.at_least <= need.n <= (need.at_most or 0)
    (29, True)
    """
    _check(failure=failure, repetitions=repetitions, confidence=confidence, start=start, limit=limit)
    seen: dict[int, Trial] = {}

    def trial(n: int) -> Trial:
        if n not in seen:
            seen[n] = _trial(failures, n, repetitions=repetitions, seed=seed, confidence=confidence)
            if progress is not None:
                progress(seen[n])
        return seen[n]

    def first(meets: Callable[[Trial], bool], guess: int) -> int | None:
        # Beyond the limit everything counts as met, so that the search stops there; then the limit decides.
        n = first_whole(lambda n: n > limit or meets(trial(n)), start=guess, smallest=1)
        return n if n <= limit else None

    rung = first(lambda trials: trials.failure <= failure, min(start, limit))
    if rung is None:
        raise SizeError(
            f"smallest_n: the simulated failure is above {failure} at the limit of {limit} records.",
            remedy="Raise the limit, or allow a larger error or failure.",
        )
    at_least = first(lambda trials: trials.low <= failure, rung) or rung
    # With few repetitions not even failure 0 throughout would prove the target: do not look for it.
    hopeless = interval([0.0] * repetitions, confidence=confidence)[2] > failure
    at_most = None if hopeless else first(lambda trials: trials.high <= failure, rung)
    check = _trial(failures, rung, repetitions=repetitions, seed=seed + 1, confidence=confidence)
    if progress is not None:
        progress(check)
    trials = tuple(seen[n] for n in sorted(seen))
    return Simulated(rung, at_least, at_most, check, failure, confidence, repetitions, trials)


def _trial(failures: Failures, n: int, *, repetitions: int, seed: int, confidence: float) -> Trial:
    values = failures(n, repetitions, seed)
    if len(values) != repetitions:
        raise ParameterError(
            "smallest_n",
            "failures",
            f"{len(values)} values",
            allowed=f"{repetitions} values, one per data set",
        )
    return Trial(n, *interval(values, confidence=confidence))


def _check(*, failure: float, repetitions: int, confidence: float, start: int, limit: int) -> None:
    for name, value in (("failure", failure), ("confidence", confidence)):
        if not 0.0 < value < 1.0:
            raise ParameterError("smallest_n", name, value, allowed="a number strictly between 0 and 1")
    for name, count, least in (("repetitions", repetitions, 2), ("start", start, 1), ("limit", limit, 1)):
        if count < least:
            raise ParameterError("smallest_n", name, count, allowed=f"a whole number of at least {least}")
