"""Look at few records, take the value that is seen, answer with a random set that favours it: alone, and boosted.

A learner looks at every record with probability `rate` only. A_1 to A_5 of Beimel–Brenner–Kasiviswanathan–Nissim 2013,
kept for the theorems they make run: covers and codes need far fewer records. Keys by rejection (Theorem 4.8) are not
offered, because they are not private; accuracy of keyed sets assumes a pseudorandom function, and the certificate says
so, privacy does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Protocol

import numpy as np
from flint import arb
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.line.stumps import Constant
from privpac.concepts.no_answer import NoAnswer
from privpac.concepts.sets.hashes import HashFamily
from privpac.concepts.sets.keys import KeyedFamily
from privpac.concepts.sets.sparse import ListedFamily
from privpac.constructions.base import DrawsOnce
from privpac.constructions.cases import Case, learner_case, tiny_schema, with_claim
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.points.base import LARGEST_STEP, OneRun, PointLearner
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts
from privpac.errors import SizeError
from privpac.guarantee import rules
from privpac.guarantee.facts import Accuracy, Against, Privacy
from privpac.guarantee.proof import Proof, need
from privpac.guarantee.theorem import AccuracyBound, PrivacyBound
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import Row, Runs
from privpac.numbers.exact import ball, certainly_below, exp_down, first_whole, ln_up
from privpac.numbers.parameters import Number, chance, positive, up_to_one
from privpac.numbers.rough import Floats
from privpac.theory.occam import GRID, Occam, Rate
from privpac.theory.register import formula

__all__ = [
    "Boost",
    "BoostAccuracy",
    "BoostedPoints",
    "Draw",
    "Family",
    "SampledAccuracy",
    "SampledLoss",
    "SampledPoint",
    "StarLoss",
    "plan_boosted",
    "plan_sampled",
    "rate_star",
    "records_boosted",
]

PLACE = 100.5

# --- What one run loses, and how right it is ---


@dataclass(frozen=True)
class StarLoss(PrivacyBound, key="star-entries"):
    """Records kept with probability p each and starred otherwise lose

    e^epsilon = (1 - p + p·c)/(1 - p + p/c),

    if a star in place of one record changes every probability by a factor between 1/c and c; p = rate, c = spread.

    >>> StarLoss(Fraction(1, 2), Fraction(3)).factor()
    Fraction(3, 1)
    """

    rate: Fraction
    spread: Fraction

    def check(self) -> None:
        need(self.key, 0 <= self.rate <= 1, "the rate must lie in [0, 1]")
        need(self.key, self.spread >= 1, "the spread must be at least 1")

    def factor(self) -> Fraction:
        rate, spread = self.rate, self.spread
        return (1 - rate + rate * spread) / (1 - rate + rate / spread)


@dataclass(frozen=True)
class SampledLoss(PrivacyBound, key="sampled-point"):
    """The sampled learner that gives no answer with probability `fail`, whatever the records, loses at most

    e^epsilon = max(1 + p(1 - fail)/fail, 1 + p·c/(1 - p)),

    if one more record looked at multiplies the probability of an answer by at most c; p = rate, c = spread.
    """

    rate: Fraction
    fail: Fraction
    spread: Fraction

    def check(self) -> None:
        need(self.key, 0 < self.rate < 1 and 0 < self.fail < 1, "rate and fail must lie in (0, 1)")
        need(self.key, self.spread >= 1, "the spread must be at least 1")

    def factor(self) -> Fraction:
        rate, fail = self.rate, self.fail
        return max(1 + rate * (1 - fail) / fail, 1 + rate * self.spread / (1 - rate))


@dataclass(frozen=True)
class SampledAccuracy(AccuracyBound, key="sampled-point-accuracy"):
    """One run errs by more than `error` with probability at most

    fail + (1 - p·x)^n + f + f/(error - x),

    if one value carries class 1; p = rate, f = flip, and a target lighter than x = light may be missed.
    """

    rate: Fraction
    flip: Fraction
    fail: Fraction = Fraction(0)
    light: Fraction = Fraction(0)

    def check(self) -> None:
        need(self.key, 0 < self.rate <= 1 and 0 < self.flip < 1, "rate and flip must lie in (0, 1)")
        need(self.key, 0 <= self.fail < 1 and self.light > 0, "fail or light is out of range")

    def failure(self, n: int, error: Fraction) -> arb:
        if not 0 < self.light < error:
            return arb(1)
        sure = self.fail + self.flip + self.flip / (error - self.light)
        return ball(sure) + ball(1 - self.rate * self.light) ** n

    def suited(self, n: int, error: Fraction, failure: Fraction) -> SampledAccuracy:
        """Half of the error for what is light, and half for noise."""
        return replace(self, light=error / 2)


_RATE_STEPS = 10**6
"""Rates of looking are rounded down to a millionth."""


@dataclass(frozen=True)
class Draw:
    """Parameters of one sampled run: the `rate` of looking, and the probability `flip` of every cell."""

    rate: Fraction
    flip: Fraction

    @property
    def spread(self) -> Fraction:
        """(1 - flip)/flip: one cell answered 1 instead of 0, or the other way round."""
        return (1 - self.flip) / self.flip


@formula("star-entries")
def rate_star(*, epsilon: Number, spread: Fraction) -> Fraction:
    """The rate at which `StarLoss` reaches e^epsilon, rounded down to a millionth; at most 1.

    Statement: (e^eps - 1)/(spread - 1 + e^eps·(1 - 1/spread)). Source: register `star-entries`.
    Holds if: as `StarLoss`. Proof: docs/proofs/sampled-points.md.

    >>> float(rate_star(epsilon=1, spread=Fraction(79)))
    0.021296
    """
    loss = exp_down(positive(epsilon, owner="rate_star", name="epsilon"), 30)
    rate = (loss - 1) / (spread - 1 + loss * (1 - 1 / spread))
    return min(Fraction(1), Fraction(math.floor(rate * _RATE_STEPS), _RATE_STEPS))


@formula("sampled-point-accuracy")
def plan_sampled(*, error: Number, failure: Number, epsilon: Number) -> tuple[int, Draw]:
    """Records one two-sided run needs, with half of the error left to a light target and half to noise.

    Statement: `SampledAccuracy` at light = error/2, flip = error/8 (the printed choice), and the rate of `rate_star`.
    Source: register `sampled-point-accuracy`. Holds if: as `SampledAccuracy`.
    Proof: docs/proofs/sampled-points.md.

    >>> plan_sampled(error=0.1, failure=0.5125, epsilon=1)[0]
    1302
    """
    owner = "plan_sampled"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    flip = wrong / 8
    draw = Draw(rate_star(epsilon=epsilon, spread=(1 - flip) / flip), flip)
    if miss <= flip + flip / (wrong / 2) or draw.rate == 0:
        raise SizeError(
            f"{owner}: one run never fails as rarely as {float(miss):g}.",
            remedy="Boost it: plan_boosted repeats runs and selects one.",
        )
    run = SampledAccuracy(draw.rate, draw.flip, light=wrong / 2)
    n = first_whole(
        lambda k: run.proves(k, wrong, miss),
        start=int(2 / (draw.rate * wrong)) + 1,
        smallest=1,
    )
    return n, draw


def draw_for(n: int, *, failure: Fraction, epsilon: Fraction) -> Draw:
    """The run for `n` records: flips an eighth of the smallest error they prove; any are private."""

    def draw(step: int) -> Draw:
        flip = step * GRID / 8
        return Draw(rate_star(epsilon=epsilon, spread=(1 - flip) / flip), flip)

    def enough(step: int) -> bool:
        wrong = step * GRID
        run = SampledAccuracy(draw(step).rate, draw(step).flip, light=wrong / 2)
        return step >= LARGEST_STEP or run.proves(n, wrong, failure)

    return draw(first_whole(enough, start=1000, smallest=1))


# --- One run ---

ONE_RUN_FAILURE = Fraction(1, 2)
"""What a single run is promised to stay below: noise alone fails more often than people accept (boost it)."""


class Family(Protocol):
    """Random sets whose cells have exactly the same probability; conditioned without rejection."""

    assumption: ClassVar[str | None]
    """What accuracy, never privacy, assumes of the sets."""
    conditioned: ClassVar[bool]
    """Whether a set drawn for a cell can be made to hold it always."""

    @property
    def share(self) -> Fraction:
        """The probability that a set holds a given cell."""

    def contains(self, hypothesis: Hypothesis) -> bool:
        """Whether a draw could ever be this set."""

    def draw(self, coins: Coins) -> Hypothesis:
        """A random set."""

    def draw_given(self, cell: int, *, holds: bool, coins: Coins) -> Hypothesis:
        """A random set among those that hold the cell, or among those that do not."""


def family_sharing(schema: Schema, column: str, share: Fraction, *, keyed: bool) -> Family:
    """Keyed or pairwise independent sets that hold a cell with about this probability."""
    return KeyedFamily.sharing(column, share) if keyed else HashFamily.sharing(schema, column, share)


@dataclass(frozen=True)
class SampledPoint(OneRun):
    """One run. `fail` None: two-sided, always an answer; else as printed, with that chance of none."""

    schema: Schema
    column: str
    epsilon: Fraction
    rate: Fraction
    family: Family
    fail: Fraction | None = None
    failure: Fraction = ONE_RUN_FAILURE

    name: ClassVar[str] = "sampled point"
    way: ClassVar[str] = "sampled"

    def __post_init__(self) -> None:
        super().__post_init__()
        up_to_one(self.rate, owner="SampledPoint", name="rate")

    @classmethod
    def tuned(
        cls,
        schema: Schema,
        column: str,
        *,
        epsilon: Fraction,
        size: Size,
        keyed: bool = False,
        failure: Fraction = ONE_RUN_FAILURE,
    ) -> SampledPoint:
        """Two-sided, with pairwise independent or keyed sets, tuned to this many records; promised no more surely than
        a single run can be."""
        failure = max(failure, ONE_RUN_FAILURE)
        share = draw_for(size.labelled, failure=failure, epsilon=epsilon).flip
        family = family_sharing(schema, column, share, keyed=keyed)
        rate = rate_star(epsilon=epsilon, spread=Draw(Fraction(1), family.share).spread)
        return cls(schema, column, epsilon, rate, family, failure=failure)

    @property
    def _sure(self) -> bool:
        """Whether a set drawn for a value always holds it: only where a failure outcome hides what is inconsistent."""
        return self.fail is not None and self.family.conditioned

    @property
    def spread(self) -> Fraction:
        """The largest factor by which one more record that is looked at changes the probability of an answer."""
        return 1 / self.family.share if self._sure else self.run.spread

    @property
    def run(self) -> Draw:
        """The rate of the draw and the share of cells in a set."""
        return Draw(self.rate, self.family.share)

    @property
    def theorem(self) -> StarLoss | SampledLoss:
        """What says how much it loses."""
        if self.fail is None:
            return StarLoss(self.rate, self.spread)
        return SampledLoss(self.rate, self.fail, self.spread)

    def mechanism(self) -> Proof[Privacy]:
        return self.theorem.proof()

    def bounds(self, size: Size) -> Iterator[SampledAccuracy]:
        if self.rate > 0:
            yield SampledAccuracy(self.rate, self.family.share, self.fail or Fraction(0))

    def accuracy(self, size: Size) -> tuple[Proof[Accuracy], ...]:
        return tuple(map(self.assumed, super().accuracy(size)))

    def parameters(self, size: Size) -> Mapping[str, object]:
        sets = type(self.family).__name__
        return {"sets": sets, "rate": self.rate, "share": self.family.share, "fail": self.fail}

    def assumed(self, proof: Proof[Accuracy]) -> Proof[Accuracy]:
        """The proof under what it assumes of the sets, if it assumes anything."""
        return proof if self.family.assumption is None else rules.assuming(proof, self.family.assumption)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        if self.fail is not None and hypothesis == NoAnswer(self.column):
            return True
        return self.family.contains(hypothesis)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        if self.fail is not None and coins.flip(self.fail):
            return NoAnswer(self.column)
        point, consistent = self._look(sample.reduce(self.concepts.statistic), coins)
        if not consistent:
            if self.fail is not None:
                return NoAnswer(self.column)
            point = None
        if point is None:
            return self.family.draw(coins)
        holds = self._sure or coins.flip(1 - self.family.share)
        return self.family.draw_given(point, holds=holds, coins=coins)

    def _look(self, evidence: ColumnCounts, coins: Coins) -> tuple[int | None, bool]:
        """The value of class 1 among the records looked at, if any, and whether they are consistent with one.

        One coin per value: of n records at least one is looked at with probability 1 - (1 - rate)^n.
        """
        skip_rate = 1 - self.rate
        point: int | None = None
        for value, (zeros, ones) in zip(evidence.values.tolist(), evidence.counts.tolist(), strict=True):
            if ones and coins.flip(1 - skip_rate**ones):
                if point is not None or (zeros and coins.flip(1 - skip_rate**zeros)):
                    return None, False
                point = int(value)
        return point, True


# --- Several runs, and a private choice among them: how right it is ---


@dataclass(frozen=True)
class BoostAccuracy(AccuracyBound, key="boosted-points"):
    """Of N runs on parts of their own, each bad with probability at most g, one is chosen on k further records: it errs
    by more than `error` with probability at most

    g^N + (N - 1)·base^k, base = 1 - error·(1 - x) + tolerated·(1/x - 1), for any x in [ratio, 1),

    if parts are fixed beforehand; N = runs, k = selecting, x = tilt. Claim 4.5, repaired.
    """

    run: Proof[Accuracy]
    """What one run promises: an error of at most `tolerated`."""
    runs: int
    selecting: int
    tolerated: Fraction
    ratio: Fraction
    tilt: Fraction

    def check(self) -> None:
        fact = self.run.fact
        need(
            self.key,
            fact.against is Against.REALIZABLE,
            "the runs must be compared with a rule without errors",
        )
        need(self.key, fact.error <= self.tolerated, "the premise is about other runs")
        need(self.key, 0 < self.ratio <= self.tilt < 1, "the tilt must lie between the ratio and 1")

    @property
    def all_records(self) -> int:
        """Those of the runs and of the choice."""
        return self.runs * self.run.fact.records + self.selecting

    def records(self, error: Fraction, failure: Fraction) -> int:
        """Those that it speaks of: no others are proved."""
        need(self.key, self.proves(self.all_records, error, failure), "these runs do not prove this error")
        return self.all_records

    def failure(self, n: int, error: Fraction) -> arb:
        if self.tolerated >= error or n != self.all_records:
            return arb(1)
        missed = self.run.fact.failure
        return _selected(missed, self.runs, self.selecting, self.tolerated, error=error, tilt=self.tilt)


def _selected(
    missed: Fraction, runs: int, selecting: int, tolerated: Fraction, *, error: Fraction, tilt: Fraction
) -> arb:
    base = 1 - error * (1 - tilt) + tolerated * (1 / tilt - 1)  # one bad and one good candidate on one record
    return arb(1) if base >= 1 else ball(missed) ** runs + (runs - 1) * ball(base) ** selecting


# --- Its split ---


@dataclass(frozen=True)
class Boost:
    """`runs` sampled runs on `each` records, of which one is selected on `selecting` further ones.

    A run counts as good if it errs by at most 2·light: a target lighter than `light` is missed, noise weighs `light`.
    """

    runs: int
    each: int
    selecting: int
    draw: Draw
    light: Fraction

    @property
    def records(self) -> int:
        """All records that are needed."""
        return self.runs * self.each + self.selecting

    @property
    def tolerated(self) -> Fraction:
        """The error up to which a run counts as good."""
        return 2 * self.light

    @property
    def run(self) -> SampledAccuracy:
        """How right one run is."""
        return SampledAccuracy(self.draw.rate, self.draw.flip, light=self.light)

    def fails(self, missed: Fraction, error: Fraction, tilt: Fraction) -> arb:
        """How often the chosen run is bad, if each is with probability `missed`."""
        return _selected(missed, self.runs, self.selecting, self.tolerated, error=error, tilt=tilt)

    def bound(self, run: Proof[Accuracy], *, ratio: Fraction, tilt: Fraction) -> BoostAccuracy:
        """The theorem for this split."""
        return BoostAccuracy(run, self.runs, self.selecting, self.tolerated, ratio, tilt)


OWNER = "plan_boosted"
_MOST_RUNS = 60
_LIGHT_PARTS = np.arange(5, 50) / 100.0
_FLIP_PARTS = np.arange(4, 61) / 100.0


def _best_boost(*, error: Fraction, failure: Fraction, epsilon: Fraction) -> tuple[int, int, int, int, int]:
    """(records, runs, each, part of the error that is light, part of light that is flipped), in floats.

    Half of the failure probability goes to runs that are all bad, half to selecting a bad one.
    """
    wrong, half, loss = float(error), float(failure) / 2, math.expm1(float(epsilon))
    light = wrong * _LIGHT_PARTS[:, None]
    flip = light * _FLIP_PARTS
    runs = np.arange(1, _MOST_RUNS + 1).astype(np.float64)
    spread = (1 - flip) / flip
    rate = np.minimum(1.0, loss / (spread - 1 + (loss + 1) * (1 - 1 / spread)))
    decay = np.log1p(-rate * light)
    tilt = np.maximum(math.exp(-float(epsilon) / 2), np.sqrt(2 * light / wrong))
    base = 1 - wrong * (1 - tilt) + 2 * light * (1 / tilt - 1)

    def each(i: NDArray[np.intp], j: NDArray[np.intp]) -> Floats:
        room = half ** (1 / runs) - flip[i, j, None] - (flip / light)[i, j, None]
        return np.where(room > 0, np.ceil(np.round(np.log(room) / decay[i, j, None], 6)), np.inf)

    with np.errstate(divide="ignore", invalid="ignore"):
        select = np.where(runs > 1, np.ceil(np.round(np.log((runs - 1) / half) / -np.log(base), 6)), 0)
        select = np.where(base < 1, np.maximum(select, 0), np.inf)
        # One place in seven says what is to be beaten; where not even runs without flips could do so, nothing is tried.
        i, j = (axis.ravel() for axis in np.indices(decay.shape))
        most = (runs * each(i[::7], j[::7]) + select[i[::7]]).min()
        i, j = (axis[(math.log(half) / decay).ravel() <= most + 1] for axis in (i, j))
        number = each(i, j)
        total = runs * number + select[i]
    place, k = np.unravel_index(int(total.argmin()), total.shape)
    if not math.isfinite(total[place, k]):
        raise SizeError("No number of sampled runs reaches this error.", remedy="Use points:COLUMN:improper.")
    return int(total[place, k]), int(runs[k]), int(number[place, k]), int(i[place]), int(j[place])


def _boost(error: Fraction, epsilon: Fraction, runs: int, each: int, i: int, j: int) -> Boost:
    light = error * Fraction(round(float(_LIGHT_PARTS[i]) * 100), 100)
    flip = light * Fraction(round(float(_FLIP_PARTS[j]) * 100), 100)
    draw = Draw(rate_star(epsilon=epsilon, spread=(1 - flip) / flip), flip)
    return Boost(runs, each, 0, draw, light)


@formula("boosted-points")
def plan_boosted(*, error: Number, failure: Number, epsilon: Number) -> tuple[int, Boost]:
    """Records that boosted runs need, and how they are split.

    Statement: `BoostAccuracy` with missed = failure/2 to the power 1/runs, and half of the failure probability
    for the selection. Source: register `boosted-points`. Holds if: as `BoostAccuracy`.
    Proof: docs/proofs/sampled-points.md.

    >>> plan_boosted(error=0.1, failure=0.05, epsilon=1)[0]
    15161
    """
    wrong, miss = chance(error, owner=OWNER, name="error"), chance(failure, owner=OWNER, name="failure")
    boost = _planned_boost(wrong, miss, positive(epsilon, owner=OWNER, name="epsilon"))
    return boost.records, boost


@lru_cache(maxsize=4096)  # plans for tables of many sizes ask for the same errors
def _planned_boost(wrong: Fraction, miss: Fraction, loss: Fraction) -> Boost:
    _, runs, each, i, j = _best_boost(error=wrong, failure=miss, epsilon=loss)
    boost = _boost(wrong, loss, runs, each, i, j)
    # Rates were rounded down: a few records more, or few in ten thousand.
    each = first_whole(
        lambda more: more >= each and _run_is_good(replace(boost, each=more), miss / 2), start=each, step=1
    )
    boost = replace(boost, each=each)
    bound = Occam.uniform(
        runs, owner=OWNER, error=wrong, rate=Rate.read(loss, None, owner=OWNER), tolerated=boost.tolerated
    )
    # A part of its own, also for a single run.
    return replace(boost, selecting=max(1, bound.records(miss / 2)))


def _run_is_good(boost: Boost, half: Fraction) -> bool:
    """Whether all runs are bad with probability at most half of the failure."""
    draw, light = boost.draw, boost.light
    loss = draw.flip + draw.flip / light
    return certainly_below(
        lambda: (ball(1 - draw.rate * light) ** boost.each + ball(loss)) ** boost.runs, half
    )


@formula("boosted-points")
def records_boosted(*, error: Number, failure: Number, epsilon: Number) -> int:
    """Records that boosted runs need: `plan_boosted` without the split.

    Statement: as `plan_boosted`. Source: register `boosted-points`. Holds if: as `plan_boosted`.
    Proof: docs/proofs/sampled-points.md.
    """
    return plan_boosted(error=error, failure=failure, epsilon=epsilon)[0]


def boost_for(n: int, *, failure: Fraction, epsilon: Fraction) -> tuple[Fraction, Boost]:
    """The smallest error (to two digits) `n` records prove, and the split for it; what is left over selects."""
    steps = [Fraction(k, 100) for k in range(2, 50)]
    for error in steps:
        try:
            records, boost = plan_boosted(error=error, failure=failure, epsilon=epsilon)
        except SizeError:
            continue
        if records <= n:
            spare = n - records
            return error, Boost(boost.runs, boost.each, boost.selecting + spare, boost.draw, boost.light)
    raise SizeError(
        f"{n} records are too few for boosted runs at this epsilon.",
        remedy="points:COLUMN:improper needs far fewer.",
    )


LOOSER = tuple(Fraction(share) for share in ("0.1", "0.2", "0.4"))
"""Failures that are tried in turn where too few records are there for the usual one: a plan may have asked for them."""


def boost_with(n: int, *, failure: Fraction, epsilon: Fraction) -> tuple[Fraction, Fraction, Boost]:
    """The failure, the error and the split of `n` records: a larger failure than asked for where they prove none."""
    for looser in LOOSER:
        if looser > failure:
            with suppress(SizeError):
                return failure, *boost_for(n, failure=failure, epsilon=epsilon)
            failure = looser
    return failure, *boost_for(n, failure=failure, epsilon=epsilon)


@dataclass(frozen=True)
class BoostProof:
    """What shows that a split reaches an error: how often one run is bad at most, and the tilt of the selection."""

    missed: Fraction
    tilt: Fraction


def boost_proof(boost: Boost, *, error: Fraction, failure: Fraction, ratio: Fraction) -> BoostProof | None:
    """Whether a split proves an error with the sets that a column really has; None if not."""
    miss = _least(lambda g: boost.run.proves(boost.each, boost.tolerated, g))
    tilt = max(ratio, _root(boost.tolerated / error))
    if miss is None or not (boost.tolerated < error and ratio <= tilt < 1):
        return None
    holds = certainly_below(lambda: boost.fails(miss, error, tilt), failure)
    return BoostProof(miss, tilt) if holds else None


def with_share(boost: Boost, share: Fraction, *, epsilon: Fraction) -> Boost:
    """The split with sets of another share, which a column of few cells may have: records are looked at no oftener."""
    rate = rate_star(epsilon=epsilon, spread=(1 - share) / share)
    return replace(boost, draw=Draw(min(rate, boost.draw.rate), share))


_STEPS = 10**4


def _least(proves: Callable[[Fraction], bool]) -> Fraction | None:
    """The smallest failure probability of a run that is proved, to four digits."""
    low, high = 0, _STEPS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if proves(Fraction(middle, _STEPS)) else (middle, high)
    return Fraction(high, _STEPS) if high < _STEPS else None


def _root(square: Fraction) -> Fraction:
    """About the square root, from above: any tilt is valid, this one nearly best."""
    return Fraction(int(float(square) ** 0.5 * 10**6) + 1, 10**6)


# --- The boosted learner ---


@dataclass(frozen=True)
class BoostedPoints(DrawsOnce, PointLearner):
    """`boost.runs` runs on `boost.each` records each, in order; the rest of the records choose."""

    schema: Schema
    column: str
    epsilon: Fraction
    boost: Boost
    family: Family
    error: Fraction
    failure: Fraction = FAILURE

    name: ClassVar[str] = "boosted points"

    @classmethod
    def tuned(
        cls,
        schema: Schema,
        column: str,
        *,
        epsilon: Fraction,
        size: Size,
        keyed: bool = False,
        failure: Fraction = FAILURE,
    ) -> BoostedPoints:
        """The split that proves the smallest error with this many records; a larger failure where they prove none."""
        failure, error, boost = boost_with(size.labelled, failure=failure, epsilon=epsilon)
        family = family_sharing(schema, column, boost.draw.flip, keyed=keyed)
        return cls(schema, column, epsilon, boost, family, error, failure)

    @property
    def word(self) -> str:
        keyed = isinstance(self.family, KeyedFamily)
        return f"points:{self.column}:{'boosted-keyed' if keyed else 'boosted'}"

    @property
    def run(self) -> SampledPoint:
        """The learner of one run."""
        rate = with_share(self.boost, self.family.share, epsilon=self.epsilon).draw.rate
        return SampledPoint(self.schema, self.column, self.epsilon, rate, self.family)

    def _split(self, size: Size) -> Boost:
        """The split of this many records: all that the runs leave over chooses among them."""
        left = size.labelled - self.boost.runs * self.boost.each
        if left < 1:
            raise SizeError(
                f"BoostedPoints: {size.labelled} records leave none to choose among {self.boost.runs} runs.",
                remedy="Make it with BoostedPoints.tuned for the number of records there is.",
            )
        return replace(self.boost, selecting=left)

    @property
    def passes(self) -> int:
        return self.boost.runs + 1

    def require(self, size: Size) -> None:
        self.run.require(Size(self._split(size).each))

    def loss(self, size: Size) -> Proof[Privacy]:
        boost = self._split(size)
        run = self.run.certify(Size(boost.each)).privacy
        parts = [rules.on_part(run, part=f"run {i + 1}") for i in range(boost.runs)]
        choice = rules.declared(rules.exponential_mechanism(ratio=self.ratio), epsilon=self.epsilon)
        return rules.disjoint_parts(*parts, rules.on_part(choice, part="the choice"))

    def parameters(self, size: Size) -> Mapping[str, object]:
        boost = self._split(size)
        split = {"runs": boost.runs, "each": boost.each, "selecting": boost.selecting}
        return {**split, "rate": self.run.rate, "share": self.family.share}

    def accuracy(self, size: Size) -> tuple[Proof[Accuracy], ...]:
        run, boost = self.run, self._split(size)
        boost = replace(boost, draw=run.run)
        found = boost_proof(boost, error=self.error, failure=self.failure, ratio=self.ratio)
        if found is None:
            return ()
        one = boost.run.proof(boost.each, error=boost.tolerated, failure=found.missed)
        bound = boost.bound(run.assumed(one), ratio=self.ratio, tilt=found.tilt)
        return (bound.proof(boost.records, error=self.error, failure=self.failure),)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return hypothesis == Constant(0) or self.family.contains(hypothesis)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        boost = self._split(sample.size)
        each, runs = boost.each, boost.runs
        candidates = coins.each(
            [self._runner(sample.take(np.arange(i * each, (i + 1) * each))) for i in range(runs)]
        )
        last = sample.take(np.arange(runs * each, boost.records))
        evidence: ColumnCounts = last.reduce(self.concepts.statistic)
        scores = np.array([_mistakes(rule, self.column, evidence) for rule in candidates], dtype=np.int64)
        row = Row.of(0, np.arange(runs - 1, dtype=np.uint64), scores, runs - 1)
        return candidates[gibbs.draw(Runs([row]), self.ratio, coins)[1]]

    def _runner(self, part: Sample) -> Callable[[Coins], Hypothesis]:
        def run(coins: Coins) -> Hypothesis:
            answer = self.run.learn(part, coins)
            return Constant(0) if isinstance(answer, NoAnswer) else answer

        return run


def _mistakes(rule: Hypothesis, column: str, evidence: ColumnCounts) -> int:
    counts = np.asarray(evidence.counts, dtype=np.int64)
    answers: NDArray[np.uint8] = rule.predict({column: evidence.values})
    return int(counts[answers == 0, 1].sum() + counts[answers == 1, 0].sum())


# --- What the exact audit runs ---


TENTH = Fraction(1, 10)


def sampled_case(
    name: str, family: Family, *, cells: int, n: int, rate: Fraction, fail: Fraction | None = None
) -> Case:
    """A random set conditioned on one record, and the loss itself as claim."""
    schema = tiny_schema(cells)
    learner = SampledPoint(schema, "a", Fraction(1), rate, family, fail)
    loss = learner.theorem.factor()
    return with_claim(learner_case(name, replace(learner, epsilon=ln_up(loss)), schema, n), loss)


def boosted_case(
    name: str = "points-boosted",
    *,
    cells: int = 2,
    runs: int = 2,
    each: int = 1,
    selecting: int = 1,
    family: Family | None = None,
) -> Case:
    """Order matters: parts are cut by position."""
    schema = tiny_schema(cells)
    family = family or ListedFamily("a", cells, TENTH)
    draw = Draw(Fraction(1, 5), family.share)
    boost = Boost(runs, each, selecting, draw, Fraction(1, 4))
    epsilon = ln_up(StarLoss(draw.rate, draw.spread).factor(), 5)
    learner = BoostedPoints(schema, "a", epsilon, boost, family, Fraction(3, 4))
    return replace(learner_case(name, learner, schema, boost.records), ordered=True)


ROWS: Mapping[str, Callable[[], Case]] = {
    "points-sampled-printed": lambda: sampled_case(
        "points-sampled-printed",
        ListedFamily("a", 3, Fraction(1, 32)),
        cells=3,
        n=4,
        rate=Fraction(1, 16),
        fail=Fraction(1, 32),
    ),
    "points-sampled-printed-keys": lambda: sampled_case(
        "points-sampled-printed-keys",
        HashFamily("a", 3, 1, 2),
        cells=2,
        n=4,
        rate=Fraction(1, 4),
        fail=Fraction(1, 8),
    ),
    "points-sampled": lambda: sampled_case(
        "points-sampled", ListedFamily("a", 3, TENTH), cells=3, n=4, rate=Fraction(1, 5)
    ),
    "points-sampled-pairwise": lambda: sampled_case(
        "points-sampled-pairwise", HashFamily("a", 5, 1, 3), cells=3, n=3, rate=TENTH
    ),
    "points-sampled-keyed": lambda: sampled_case(
        "points-sampled-keyed", KeyedFamily("a", 2, modulus=7, key_bits=1), cells=3, n=4, rate=TENTH
    ),
    "points-boosted": boosted_case,
    "points-boosted-keyed": lambda: boosted_case(
        "points-boosted-keyed", family=KeyedFamily("a", 1, modulus=5, key_bits=1)
    ),
}
