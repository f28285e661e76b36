"""The learners of points that sample first: what they lose, and how many records they need, alone and boosted.

A learner looks at every record with probability `rate` only, takes the point it then sees (if any), and answers with a
random set that favours that point. `spread` bounds by how much one more record that is looked at can change the
probability of an answer. Kept for the theorems they make run; `representations` need far fewer records.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privpac.constructions.points.formulas import LARGEST_STEP
from privpac.errors import SizeError
from privpac.numbers.exact import ball, certainly_below, exp_down, first_whole
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.numbers.rough import Floats
from privpac.theory.occam import GRID, Occam, Rate, first_error
from privpac.theory.register import formula

__all__ = [
    "Boost",
    "Draw",
    "error_sampled",
    "loss_sampled",
    "loss_star",
    "plan_boosted",
    "plan_sampled",
    "proves_boosted",
    "proves_sampled",
    "rate_star",
    "records_boosted",
]

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
def loss_star(*, rate: Fraction, spread: Fraction) -> Fraction:
    """e^epsilon when every record is kept with probability `rate` and otherwise replaced by a star.

    Statement: (1 - rate + rate·spread)/(1 - rate + rate/spread).
    Source: register `star-entries` (Beimel–Brenner–Kasiviswanathan–Nissim 2013, Lemma 4.4).
    Holds if: putting a star in place of one record changes every probability by a factor between 1/spread and spread.
    Proof: docs/proofs/sampled-points.md.

    >>> loss_star(rate=Fraction(1, 2), spread=Fraction(3))
    Fraction(3, 1)
    """
    return (1 - rate + rate * spread) / (1 - rate + rate / spread)


@formula("star-entries")
def rate_star(*, epsilon: Number, spread: Fraction) -> Fraction:
    """The rate at which `loss_star` reaches e^epsilon, rounded down to a millionth; at most 1.

    Statement: (e^eps - 1)/(spread - 1 + e^eps·(1 - 1/spread)). Source: register `star-entries`.
    Holds if: as `loss_star`. Proof: docs/proofs/sampled-points.md.

    >>> float(rate_star(epsilon=1, spread=Fraction(79)))
    0.021296
    """
    loss = exp_down(positive(epsilon, owner="rate_star", name="epsilon"), 30)
    rate = (loss - 1) / (spread - 1 + loss * (1 - 1 / spread))
    return min(Fraction(1), Fraction(math.floor(rate * _RATE_STEPS), _RATE_STEPS))


@formula("sampled-point")
def loss_sampled(*, rate: Fraction, fail: Fraction, spread: Fraction) -> Fraction:
    """e^epsilon of the printed sampled learner, which may answer "no answer".

    Statement: the larger of 1 + rate·(1 - fail)/fail and 1 + rate·spread/(1 - rate).
    Source: register `sampled-point` (Beimel–Brenner–Kasiviswanathan–Nissim 2013, Claim 4.3).
    Holds if: `fail` is the chance of giving no answer whatever the records; one more record looked at multiplies the
    probability of an answer by at most `spread`. Proof: docs/proofs/sampled-points.md.
    """
    return max(1 + rate * (1 - fail) / fail, 1 + rate * spread / (1 - rate))


@formula("sampled-point-accuracy")
def proves_sampled(
    n: int, *, draw: Draw, light: Fraction, error: Fraction, failure: Fraction, fail: Fraction = Fraction(0)
) -> bool:
    """Whether one sampled run on `n` records errs by more than `error` at most `failure` often.

    Statement: fail + (1 - rate·light)^n + flip + flip/(error - light) ≤ failure.
    Source: register `sampled-point-accuracy`. Symbols: a target lighter than `light` may be missed.
    Holds if: one value carries all of class 1; records independent. Proof: docs/proofs/sampled-points.md.
    """
    if not 0 < light < error:
        return False
    rest = failure - fail - draw.flip - draw.flip / (error - light)
    return rest > 0 and certainly_below(lambda: ball(1 - draw.rate * light) ** n, rest)


@formula("sampled-point-accuracy")
def plan_sampled(*, error: Number, failure: Number, epsilon: Number) -> tuple[int, Draw]:
    """Records one two-sided run needs, with half of the error left to a light target and half to noise.

    Statement: as `proves_sampled` at light = error/2, flip = error/8 (the printed choice), and the rate of `rate_star`.
    Source: register `sampled-point-accuracy`. Holds if: as `proves_sampled`.
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
    n = first_whole(
        lambda k: proves_sampled(k, draw=draw, light=wrong / 2, error=wrong, failure=miss),
        start=int(2 / (draw.rate * wrong)) + 1,
        smallest=1,
    )
    return n, draw


@formula("sampled-point-accuracy")
def error_sampled(n: int, *, draw: Draw, failure: Number, fail: Fraction = Fraction(0)) -> Fraction:
    """The smallest error on the grid that one run proves with light = error/2; 1 when it proves none.

    Statement: as `proves_sampled`. Source: register `sampled-point-accuracy`. Holds if: as `proves_sampled`.
    Proof: docs/proofs/sampled-points.md.
    """
    owner = "error_sampled"
    have, miss = at_least(0, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")

    def proves(error: Fraction) -> bool:
        return proves_sampled(have, draw=draw, light=error / 2, error=error, failure=miss, fail=fail)

    return first_error(proves)


def draw_for(n: int, *, failure: Fraction, epsilon: Fraction) -> Draw:
    """The run for `n` records: flips an eighth of the smallest error they prove; any are private."""

    def draw(step: int) -> Draw:
        flip = step * GRID / 8
        return Draw(rate_star(epsilon=epsilon, spread=(1 - flip) / flip), flip)

    def enough(step: int) -> bool:
        wrong = step * GRID
        return step >= LARGEST_STEP or proves_sampled(
            n, draw=draw(step), light=wrong / 2, error=wrong, failure=failure
        )

    return draw(first_whole(enough, start=1000, smallest=1))


# --- Boosting ------------------------------------------------------------------------------------------------------


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


def selection_base(*, error: Fraction, tolerated: Fraction, tilt: Fraction) -> Fraction:
    """1 - error·(1 - x) + tolerated·(1/x - 1): one bad and one good candidate on one record, x = tilt."""
    return 1 - error * (1 - tilt) + tolerated * (1 / tilt - 1)


@formula("boosted-points")
def proves_boosted(
    boost: Boost, *, missed: Fraction, ratio: Fraction, tilt: Fraction, error: Fraction, failure: Fraction
) -> bool:
    """Whether a boosted answer errs by more than `error` at most `failure` often.

    Statement: missed^runs + (runs - 1)·base^selecting ≤ failure, base = `selection_base` at tilt in [ratio, 1);
    `missed` is the chance that one run errs by more than 2·light. Source: register `boosted-points`
    (Beimel–Brenner–Kasiviswanathan–Nissim 2013, Claim 4.5, repaired).
    Holds if: the parts are fixed beforehand and records independent. Proof: docs/proofs/sampled-points.md.
    """
    if not (ratio <= tilt < 1 and 0 <= missed < 1 and boost.tolerated < error):
        return False
    base = selection_base(error=error, tolerated=boost.tolerated, tilt=tilt)
    return base < 1 and certainly_below(
        lambda: ball(missed) ** boost.runs + (boost.runs - 1) * ball(base) ** boost.selecting, failure
    )


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

    Statement: as `proves_boosted` with missed = failure/2 to the power 1/runs, and half of the failure probability
    for the selection. Source: register `boosted-points`. Holds if: as `proves_boosted`.
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
    miss = _least(
        lambda g: proves_sampled(
            boost.each, draw=boost.draw, light=boost.light, error=boost.tolerated, failure=g
        )
    )
    tilt = max(ratio, _root(boost.tolerated / error))
    if miss is None or not proves_boosted(
        boost, missed=miss, ratio=ratio, tilt=tilt, error=error, failure=failure
    ):
        return None
    return BoostProof(miss, tilt)


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
