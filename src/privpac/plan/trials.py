"""The number a question asks for, found by trying a row on simulated records.

What is estimated depends on the question: the records from which on the promise is kept often enough, the error that is
kept often enough, or the epsilon from which on it is. Sizes and epsilons are rungs of a ladder, some fifteen percent
apart: no simulation tells closer ones from each other. It is climbed from below, where records are few and trials
cheap, with a handful of trials a rung until one does; then the rungs around it get as many trials as the public
estimate of their seconds allows, so that the result is the same on every machine that is quick enough for them.
Intervals have confidence 0.99.
Tested by tests/unit/plan/test_trials.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate

from privpac.coins import SeededCoins
from privpac.coins.tosses import BitCoins
from privpac.errors import PrivpacError, SizeError
from privpac.numbers.exact import first_whole
from privpac.plan.answer import Answer, Estimate, Loss
from privpac.plan.question import Question
from privpac.plan.simulation import Clock, TimeUp, Unsimulated, interval

__all__ = [
    "FREE",
    "Experiment",
    "Progress",
    "Trial",
    "Unsimulated",
    "coins_of",
    "estimate",
    "ladder",
    "outcomes",
    "quantile",
]

Progress = Callable[[int, int], None]
"""(done, of)."""

Trial = Callable[[BitCoins], float]
"""From coins to the error of one rule, one released table or one answer, above what no member can avoid."""

Rung = int | Fraction

Setting = tuple[int, Fraction]
"""Records and epsilon."""

CONFIDENCE = 0.99
STEPS = 5
"""Rungs between a number and its double."""
FIRST = 12
"""Trials of a rung on the way up."""
SURE = 2
"""Failures on the way up after which one more ends it: three of three are too many for any target that is asked for."""
LEAST, MOST = 16, 120
"""Trials of a number that is told: of 120 that are all kept, one in twenty is an upper limit for the failure."""
LOOKS = 8
"""Rungs that are looked at with all these trials, about."""
EASE = 0.5
"""The part of the seconds that goes into more trials than the fewest."""
DEARER = 1.5
"""A trial that takes no more than this many times as long as the shortest one is as cheap."""
FREE = Fraction(600)
"""An epsilon at which nothing is hidden: a draw is the best member, for all purposes."""
COMPARED, LEAST_COMPARED = 16, 8
"""Trials with and without privacy that are compared; of fewer, nothing is said."""
LOSS = 0.4
"""The part of the time that these may take."""
DIGITS = 3
"""Of an epsilon that was tried."""
SMALLEST = 2**10
"""Epsilons are tried down to this part of the one that is proved."""


@dataclass(frozen=True)
class Experiment:
    """One row, ready to be tried."""

    on: str
    """What the records are drawn from."""
    trial: Callable[[int, Fraction], Trial]
    """Set up for this many labelled records and an epsilon. A `SizeError` says that so few cannot do."""
    seconds: Callable[[int], float]
    """About what one trial on this many records takes, by public numbers alone."""
    promised: bool = True
    """Whether the proof speaks of these records, so that the proved number is an upper limit."""
    unlabelled: int = 0
    """Records without labels that every trial has besides."""
    free: Callable[[int, Fraction], Trial] | None = None
    """The trial of this many records and an epsilon that chooses from the same rules, and hides nothing."""


def estimate(
    question: Question,
    row: Answer,
    experiment: Experiment,
    *,
    seconds: float,
    clock: Clock | None = None,
    progress: Progress | None = None,
) -> tuple[Estimate, float]:
    """The number asked for, and the seconds that went into it by the public estimates.

    Raises `Unsimulated` where it would take longer than `seconds` or the time is up, or nothing up to the proved number
    does.
    """
    run = _reachable if question.kind == "reachable" else _search
    clock = Clock(math.inf) if clock is None else clock
    return run(question, row, experiment, seconds, clock, progress or (lambda part, of: None))


def coins_of(number: int) -> SeededCoins:
    """The coins of one trial: the same for every number of records, and every epsilon."""
    return SeededCoins(number)


def outcomes(trial: Trial, repetitions: int, *, seed: int = 0) -> list[float]:
    """The errors of this many trials. Each has coins of its own, the same for every size."""
    return [trial(SeededCoins(seed * 1_000_003 + number)) for number in range(repetitions)]


def ladder(top: Rung) -> list[Rung]:
    """Ascending rungs that end with the proved number itself."""
    if isinstance(top, int):
        octaves = max(1, top).bit_length()
        return sorted({math.ceil(top / 2 ** (k / STEPS)) for k in range(1, octaves * STEPS)} | {top})
    lower = (_digits(float(top) / 2 ** (k / STEPS)) for k in range(1, SMALLEST.bit_length() * STEPS))
    return sorted({rung for rung in lower if rung < top} | {top})


def _digits(value: float) -> Fraction:
    return Fraction(f"{value:.{DIGITS}g}")


def quantile(values: Sequence[float], failure: float) -> tuple[float, float, float | None]:
    """The value exceeded with probability at most `failure`, with limits from the order of the values alone.

    The limits are order statistics: a binomial count says how many values lie below the true quantile.
    """
    ascending = sorted(values)
    count = len(ascending)
    # at_most[k]: the probability that at most k of the values lie below the quantile.
    at_most = list(accumulate(_binomial(count, k, 1.0 - failure) for k in range(count)))
    half = (1.0 - CONFIDENCE) / 2.0
    place = min(count - 1, math.ceil(count * (1.0 - failure)) - 1)
    low = max((rank for rank in range(1, count) if at_most[rank - 1] <= half), default=0)
    high = next((rank for rank in range(count) if at_most[rank] >= 1.0 - half), None)
    return ascending[place], ascending[low], None if high is None else ascending[high]


def _binomial(n: int, k: int, chance: float) -> float:
    ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(ways + k * math.log(chance) + (n - k) * math.log1p(-chance))


def _too_long(experiment: Experiment, n: int) -> Unsimulated:
    each = experiment.seconds(n)
    seconds = f"{each:.0f}" if each >= 1 else f"{each:.1g}"
    others = f" and {experiment.unlabelled:,} without labels" if experiment.unlabelled else ""
    return Unsimulated(
        f"a run on {n:,} records{others} takes about {seconds} s, too long to repeat it often enough"
    )


def _reachable(
    question: Question, row: Answer, experiment: Experiment, seconds: float, clock: Clock, progress: Progress
) -> tuple[Estimate, float]:
    assert question.records is not None
    n, each = question.records, experiment.seconds(question.records)
    if LEAST * each > seconds:
        raise _too_long(experiment, n)
    count = max(LEAST, min(MOST, int(EASE * seconds / each)))
    errors = _errors(experiment.trial(n, row.wish.epsilon), each, count, clock, progress)
    # The largest of few values may lie above what is proved of their quantile; then the proof is the better estimate.
    most = row.wish.error if experiment.promised else None
    value, low, high = (_four(value, most) for value in quantile(errors, float(row.wish.failure)))
    assert value is not None
    assert low is not None
    return Estimate(value, low, high, experiment.on, repetitions=len(errors)), len(errors) * each


def _errors(
    trial: Trial, each: float, count: int, clock: Clock, progress: Progress, *, least: int = LEAST
) -> list[float]:
    """Of this many trials, or of those that there was time for; `TimeUp` if these are too few."""
    errors: list[float] = []
    while len(errors) < count:
        try:
            errors.append(clock.timed(each, lambda: trial(SeededCoins(len(errors)))))
        except TimeUp:
            if len(errors) < least:
                raise
            break
        progress(len(errors), count)
    return errors


def privacy_loss(experiment: Experiment, setting: Setting, clock: Clock) -> Loss | None:
    """What privacy cost: how much larger errors were than those of the same choice without it, from the same records;
    None where there is no time for it, or nothing that runs without privacy."""
    if experiment.free is None:
        return None
    part, each = clock.part(LOSS), experiment.seconds(setting[0])
    try:
        private, free = (
            _errors(make(*setting), each, COMPARED, part, lambda part, of: None, least=LEAST_COMPARED)
            for make in (experiment.trial, experiment.free)
        )
    except PrivpacError:
        return None
    return Loss.of(private, free)


def _four(value: float | None, most: Fraction | None) -> Fraction | None:
    """Four decimals, and no more than is proved."""
    if value is None:
        return most
    decimal = Fraction(round(value * 10_000), 10_000)
    return decimal if most is None else min(decimal, most)


def _search(
    question: Question, row: Answer, experiment: Experiment, seconds: float, clock: Clock, progress: Progress
) -> tuple[Estimate, float]:
    """The lowest rung that does, of records or of epsilons."""
    wish, asks_records = row.wish, question.kind == "needed"
    have = question.records or 1

    def setting(rung: Rung) -> Setting:
        return (int(rung), wish.epsilon) if asks_records else (have, Fraction(rung))

    climb = _Climb(
        experiment,
        ladder(row.need.labelled if asks_records else wish.epsilon),
        setting,
        error=float(wish.error),
        failure=float(wish.failure),
        seconds=seconds,
        clock=clock,
        progress=progress,
    )
    try:
        return climb.estimate(), climb.spent
    except (Unsimulated, SizeError) as problem:
        reason = Unsimulated(str(problem))
        reason.spent = climb.spent
        raise reason from None


@dataclass
class _Climb:
    """One search of a ladder, within its seconds."""

    experiment: Experiment
    rungs: list[Rung]
    setting: Callable[[Rung], Setting]
    error: float
    failure: float
    seconds: float
    clock: Clock
    progress: Progress
    spent: float = 0.0
    seen: dict[int, tuple[float, float, float]] = field(default_factory=dict)

    @property
    def _last(self) -> int:
        return len(self.rungs) - 1

    def estimate(self) -> Estimate:
        first = self._climb()
        each, left = LOOKS * self._each(first), self.seconds - self.spent
        if LEAST * each > left:  # no time to look closer: what the way up has told
            return self._estimate(first, FIRST)
        count = max(LEAST, min(MOST, int((EASE * self.seconds - self.spent) / each)))
        rough, self.seen = self.seen, {}
        try:
            return self._closer(first, count)
        except TimeUp:
            self.seen = rough
            return self._estimate(first, FIRST)

    def _closer(self, first: int, count: int) -> Estimate:
        """With all these trials a rung, around the first that does."""

        def lowest(meets: Callable[[int], bool], start: int) -> int | None:
            place = first_whole(lambda k: k > self._last or meets(k), start=start, step=1)
            return place if place <= self._last else None

        rung = lowest(lambda k: self._does(k, self._look(k, count)), first)
        if rung is None:
            raise self._never()
        lowest(lambda k: self._look(k, count)[1] <= self.failure, rung)
        # With few trials not even no failure at all would prove the target: do not look for it.
        hopeless = interval([0.0] * count, confidence=CONFIDENCE)[2] > self.failure
        if not hopeless and self.spent < self.seconds:
            lowest(lambda k: self._look(k, count)[2] <= self.failure, rung)
        return self._estimate(rung, count)

    def _estimate(self, rung: int, count: int) -> Estimate:
        """A rung, between the highest one that surely does not do and the lowest one that surely does."""
        self.progress(100, 100)
        least = max((k for k, limits in self.seen.items() if limits[1] > self.failure), default=-1)
        most = min((k for k, limits in self.seen.items() if limits[2] <= self.failure), default=None)
        if most is None and self.experiment.promised:
            most = self._last
        high = None if most is None else self.rungs[max(rung, most)]
        low = self._above(min(least, rung - 1))
        return Estimate(self.rungs[rung], low, high, self.experiment.on, repetitions=count)

    def _above(self, place: int) -> Rung:
        """The least number above a rung."""
        if place < 0:
            return self.rungs[0]
        below = self.rungs[place]
        return below + 1 if isinstance(below, int) else below

    def _each(self, place: int) -> float:
        return self.experiment.seconds(self.setting(self.rungs[place])[0])

    def _spend(self, place: int, trials: int) -> None:
        self.spent += trials * self._each(place)
        self.progress(min(99, int(100 * self.spent / self.seconds)), 100)

    def _never(self) -> Unsimulated:
        return Unsimulated("nothing up to the proved number was enough on these records")

    def _climb(self) -> int:
        """The first of every so-many-th rung at which none, or few, of a handful of trials fail.

        It begins with the largest rung that costs about as much as the lowest: below, halving is cheapest, and above,
        one step after the other.
        """
        places: list[int] = [*range(0, self._last, STEPS), self._last]
        cheap = DEARER * self._each(0)
        start = max(k for k, place in enumerate(places) if self._each(place) <= cheap)
        is_promise = places[start] == self._last and self.experiment.promised
        if is_promise or self._enough(places[start]):
            low = places[first_whole(lambda k: k >= start or self._enough(places[k]), start=start // 2)]
            if low in self.seen or self._enough(low):
                return low
        for place in places[start + 1 :]:
            if self._enough(place):
                return place
        raise self._never()

    def _enough(self, place: int) -> bool:
        if self.spent + FIRST * self._each(place) > self.seconds:
            raise _too_long(self.experiment, self.setting(self.rungs[place])[0])
        return self._does(place, self._try(place, FIRST, most=SURE))

    def _does(self, place: int, limits: tuple[float, float, float]) -> bool:
        """Whether few enough fail; at what is proved, unless they surely are too many."""
        is_promise = place == self._last and self.experiment.promised
        return limits[1 if is_promise else 0] <= self.failure

    def _look(self, place: int, count: int) -> tuple[float, float, float]:
        if place not in self.seen:
            self._try(place, count, most=count)
        return self.seen[place]

    def _try(self, place: int, count: int, *, most: float) -> tuple[float, float, float]:
        """The share of trials that fail, with its limits; it ends when more than `most` have failed."""
        failures: list[float] = []
        try:
            trial = self.experiment.trial(*self.setting(self.rungs[place]))
            while len(failures) < count and sum(failures) <= most:
                self._spend(place, 1)
                error = self.clock.timed(self._each(place), lambda: trial(SeededCoins(len(failures))))
                failures.append(float(error > self.error))
        except SizeError:  # so few records cannot do at all
            if place == self._last:
                raise
            failures = [1.0] * count
        self.seen[place] = interval(failures, confidence=CONFIDENCE)
        return self.seen[place]
