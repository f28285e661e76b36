"""The statistical audit: a lower bound on the epsilon of any black box, by running it many times.

Statement. Let f be run independently on neighbouring inputs D and D', m times on each, and let F be an event fixed
before these runs. With p the Clopper–Pearson lower bound on Pr[f(D) in F] and q the upper bound on Pr[f(D') in F],
each wrong with probability at most failure/2: if f is (epsilon, delta)-private, then p <= e^epsilon·q + delta except
with probability `failure`. So ln((p - delta)/q) bounds epsilon from below with confidence 1 - failure.

Pairs and events are looked for with one half of the runs, and exactly one pair and one event are tested with the other
half, so nothing has to be paid for having looked at many. A bound that stays below the claim proves nothing in its
favour: another pair or another event may do better.

Holds if runs are independent: f must draw everything from its seed, or afresh, and keep nothing between runs.
Source: Clopper and Pearson (1934); Ding et al., *Detecting violations of differential privacy* (2018) for the split.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privpac.audit.confidence import epsilon_at_least, share_at_least, share_at_most
from privpac.audit.events import Event, Outcome, best_event, outcome
from privpac.coins import Coins, SeededCoins, SystemCoins
from privpac.errors import ParameterError, PrivpacError
from privpac.numbers.exact import exact_decimal, exp_up

__all__ = ["BlackBox", "Dataset", "Pair", "Sampled", "audit_samples", "candidate_pairs", "read_claim"]

OWNER = "audit sample"
FEWEST = 40
"""Runs on each input of each pair in the first look."""
FINALISTS = 3
"""Pairs that are looked at again before one is chosen."""
SEEDS = 2**32
"""Seeds are below this: the most that numpy's older generators take."""

Dataset = Sequence[Any]
Pair = tuple[Dataset, Dataset]
BlackBox = Callable[[Dataset, int], Any]


@dataclass(frozen=True)
class Sampled:
    """What was seen. Nothing here quotes an input or an output."""

    epsilon: Fraction
    """The claim."""
    delta: Fraction
    lower_bound: Fraction
    """Epsilon is at least this, with the stated confidence, rounded down."""
    confidence: Fraction
    runs: int
    broken: bool
    pair: int
    """Which of the candidate pairs was tested, counted from 0."""
    event: str
    hits: tuple[int, int]
    """How often the event was seen on the input where it is likely, and on the other."""
    tested: int
    """Runs on each of the two inputs in the test."""
    errors: int
    """Runs that raised an exception, which counts as an output."""
    seconds: float

    @property
    def verdict(self) -> str:
        """'broken' or 'not refuted': sampling never proves a claim."""
        return "broken" if self.broken else "not refuted"


def candidate_pairs(records: Sequence[Any], *, sizes: Sequence[int] = (1, 4)) -> list[Pair]:
    """Small neighbouring inputs: all records alike but one, or two halves and one."""
    ends = list(records) if len(records) <= 3 else [records[0], records[len(records) // 2], records[-1]]
    pairs: list[Pair] = []
    for n in sizes:
        for i, a in enumerate(ends):
            pairs += [([a] * n, [a] * (n - 1) + [b]) for b in ends[i + 1 :]]
    if max(sizes) > 2 and len(ends) > 1:
        n, a, b = max(sizes), ends[0], ends[-1]
        half = [a] * (n // 2) + [b] * (n - 1 - n // 2)
        pairs.append(([*half, a], [*half, b]))
        pairs.append(([b] * n, [b] * (n - 1) + [a]))
    return pairs


class _Runner:
    """Calls the black box with independent seeds and counts."""

    def __init__(self, box: BlackBox, coins: Coins, progress: Callable[[int], None] | None) -> None:
        self._box, self._coins, self._progress = box, coins, progress
        self.calls = 0
        self.errors = 0
        self._last_error = ""

    def outcomes(self, data: Dataset, count: int) -> list[Outcome]:
        return [self._one(data) for _ in range(count)]

    def _one(self, data: Dataset) -> Outcome:
        seed = self._coins.below(SEEDS)
        self.calls += 1
        if self._progress is not None:
            self._progress(self.calls)
        try:
            output = self._box(data, seed)
        except Exception as problem:  # that it fails is something the world sees
            self.errors += 1
            self._last_error = type(problem).__name__
            return Outcome(("raised", self._last_error))
        return outcome(output)

    def refuse_nothing_but_errors(self) -> None:
        if self.calls and self.errors == self.calls:
            raise PrivpacError(
                f"Every run of the function raised an exception, the last one a {self._last_error}.",
                remedy="Call it with one of the inputs and a seed to see why.",
            )


def audit_samples(
    box: BlackBox,
    pairs: Sequence[Pair],
    *,
    epsilon: object,
    delta: object = 0,
    runs: int = 10_000,
    confidence: object = Fraction(999, 1000),
    seed: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Sampled:
    """Look for a pair and an event that refute the claim, and test them. `runs` counts every call of `box`."""
    begin = time.monotonic()
    claim, allowance, sure = read_claim(epsilon, delta, confidence, owner=OWNER)
    _check_runs(runs, len(pairs))
    runner = _Runner(box, SystemCoins() if seed is None else SeededCoins(seed), progress)
    place, event = _look(runner, pairs, runs // 2, delta=float(allowance))
    runner.refuse_nothing_but_errors()
    likely, other = pairs[place] if event.first else pairs[place][::-1]
    pairs_run = (runs - runner.calls) // 2
    hits = event.hits(runner.outcomes(likely, pairs_run)), event.hits(runner.outcomes(other, pairs_run))
    failure = (1 - sure) / 2
    low, high = share_at_least(hits[0], pairs_run, failure), share_at_most(hits[1], pairs_run, failure)
    return Sampled(
        epsilon=claim,
        delta=allowance,
        lower_bound=epsilon_at_least(low, high, allowance),
        confidence=sure,
        runs=runner.calls,
        broken=low - allowance > exp_up(claim) * high,
        pair=place,
        event=event.kind,
        hits=hits,
        tested=pairs_run,
        errors=runner.errors,
        seconds=time.monotonic() - begin,
    )


def read_claim(
    epsilon: object, delta: object, confidence: object, *, owner: str
) -> tuple[Fraction, Fraction, Fraction]:
    """What is claimed, and how sure a refutation must be; a number out of its range is a `ParameterError`."""
    ranges: dict[str, tuple[object, str, Callable[[Fraction], bool]]] = {
        "epsilon": (epsilon, "at least 0", lambda value: value >= 0),
        "delta": (delta, "at least 0 and below 1", lambda value: 0 <= value < 1),
        "confidence": (confidence, "above 1/2 and below 1", lambda value: Fraction(1, 2) < value < 1),
    }
    numbers = []
    for name, (value, span, fits) in ranges.items():
        numbers.append(exact_decimal(value, owner=owner, name=name, allowed=span))
        if not fits(numbers[-1]):
            raise ParameterError(owner, name, value, allowed=span)
    claim, allowance, sure = numbers
    return claim, allowance, sure


def _check_runs(runs: int, pairs: int) -> None:
    if pairs == 0:
        raise ParameterError(OWNER, "pairs", 0, allowed="at least one pair of neighbouring inputs")
    fewest = 8 * FEWEST * pairs
    if runs < fewest:
        raise ParameterError(OWNER, "runs", runs, allowed=f"at least {fewest} for {pairs} pairs")


def _look(runner: _Runner, pairs: Sequence[Pair], runs: int, *, delta: float) -> tuple[int, Event]:
    """First all pairs alike, then the most promising ones again."""
    outcomes: dict[int, tuple[list[Outcome], list[Outcome]]] = {i: ([], []) for i in range(len(pairs))}
    events: dict[int, Event] = {}
    places = list(range(len(pairs)))
    for share in (runs // 2, runs - runs // 2):
        each = share // (2 * len(places))
        for i in places:
            for side, data in zip(outcomes[i], pairs[i], strict=True):
                side += runner.outcomes(data, each)
            events[i] = best_event(*outcomes[i], delta=delta)
        places = sorted(places, key=lambda i: -events[i].worth)[:FINALISTS]
    return places[0], events[places[0]]
