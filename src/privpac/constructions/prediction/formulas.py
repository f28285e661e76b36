"""Answers instead of models: errors of private votes and of stable predictors, and how many records they need.

Searches for good parameters run in floats; whatever is returned is then evaluated in fractions that are rounded
outwards, so a poor search costs records and never a guarantee.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import fmpq

from privpac.errors import ParameterError
from privpac.numbers.exact import first_whole, ln_down, ln_up, ratio_for
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.numbers.rough import Floats, rough_growth_of, rough_ln_growth
from privpac.numbers.search import first_by_value
from privpac.theory.register import formula
from privpac.theory.vc import erm_excess, ln_growth, net_error, records_net

__all__ = [
    "error_vote",
    "excess_flipped",
    "flip_for",
    "models_vote",
    "models_vote_printed",
    "plan_flipped",
    "plan_flipped_printed",
    "records_flipped",
    "records_flipped_printed",
    "records_vote",
    "records_vote_printed",
    "vote_error",
    "vote_wrong",
]

ONE = Fraction(1)
GRID = 10**12
"""Flips are rounded up to twelve decimals."""

_STEPS = 6
"""Of an iteration that gains more than a digit each."""

MOST_MODELS = 2_001
"""Votes of more models are not searched."""

MOST_VOTES = 2**14
"""Models that may vote where a promise is made of the answers: the checker re-derives no promise of more."""


# --- votes ---


@formula("vote")
def vote_wrong(wrong: int, *, models: int, ratio: Fraction) -> Fraction:
    """The probability of the wrong answer when this many of the models are wrong.

    Statement: with x = ratio = e^-epsilon and j = (models-1)/2: x^(j-W+1)/(1+x) up to W = j wrong ones, and
    1 - x^(W-j)/(1+x) beyond; for an even number x^(models/2-W)/2 and 1 - x^(W-models/2)/2. Source: register `vote`.
    Holds if: one record changes one model. Proof: docs/proofs/vote.md.

    >>> vote_wrong(0, models=3, ratio=Fraction(1, 2)), vote_wrong(2, models=3, ratio=Fraction(1, 2))
    (Fraction(1, 6), Fraction(2, 3))
    """
    half, odd = divmod(models, 2)
    if odd:
        few = wrong <= half
        rest = ratio ** (half - wrong + 1 if few else wrong - half) / (1 + ratio)
    else:
        few = wrong <= half
        rest = ratio ** abs(half - wrong) / 2
    return rest if few else 1 - rest


@lru_cache(maxsize=4096)
def _envelope(models: int, ratio: Fraction) -> tuple[fmpq, fmpq]:
    """The error if no model errs, and its growth per average error of the models.

    The growth is models · max over W of (wrong(W) - wrong(0))/W; the maximum is found in floats among neighbours of the
    best, which are then compared exactly. wrong(W) is convex up to half of the models and concave beyond, so that the
    slope from 0 rises and then falls: the best of the neighbours is the best of all. These fractions have as many
    digits as there are models, and more: flint's arithmetic takes a thousandth of the time of Python's.
    """
    exact = _quick(ratio)
    base = vote_wrong(0, models=models, ratio=exact)

    def slope(wrong: int) -> fmpq:
        return (vote_wrong(wrong, models=models, ratio=exact) - base) / wrong

    best = _steepest(models, float(ratio))
    near = range(max(1, best - 2), min(models, best + 2) + 1)
    return base, models * max(map(slope, near))


def _quick(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _float_wrong(wrong: int, models: int, x: float) -> float:
    half, odd = divmod(models, 2)
    if odd:
        rest = float(x ** (half - wrong + 1 if wrong <= half else wrong - half)) / (1 + x)
    else:
        rest = float(x ** abs(half - wrong)) / 2
    return rest if wrong <= half else 1 - rest


@formula("vote-accuracy")
def vote_error(error: Number, *, models: int, ratio: Fraction) -> Fraction:
    """The error of a vote whose models err by `error` on average, however they depend on each other.

    Statement: wrong(0) + models·max over W of (wrong(W) - wrong(0))/W · error, with `vote_wrong`.
    Source: register `vote-accuracy`. Holds if: nothing more. Proof: docs/proofs/vote.md.

    >>> float(vote_error(0.0549, models=5, ratio=ratio_for(ONE))) <= 0.1
    True
    """
    base, slope = _envelope(models, ratio)
    bound = base + slope * _quick(chance(error, owner="vote_error", name="error"))
    return ONE if bound >= 1 else Fraction(int(bound.p), int(bound.q))


def rough_vote(average: Floats, models: Floats, x: Floats) -> Floats:
    """About `vote_error`, in floats, for arrays of votes with odd numbers of models: for searches.

    The steepest chord from 0 ends at half of the models, or j beyond it with x^j·(1 + L·(half + j)) =
    (1 + x)(1 - base), L = ln(1/x), which a few steps of iteration find.
    """
    half, rate = models // 2, -np.log(x)
    base = x ** (half + 1) / (1 + x)
    beyond = np.ones(np.broadcast(half, x).shape)
    for _ in range(_STEPS):
        beyond = np.maximum(1.0, np.log((1 + rate * (half + beyond)) / ((1 + x) * (1 - base))) / rate)
    steepest = np.where(half > 0, (x / (1 + x) - base) / np.maximum(half, 1), 0.0)
    for whole in (np.floor(beyond), np.ceil(beyond)):
        wrong = np.minimum(half + whole, models)
        steepest = np.maximum(steepest, (1 - x ** (wrong - half) / (1 + x) - base) / wrong)
    error: Floats = base + models * average * steepest
    return error


def _average_for(error: float, models: int, x: float) -> float:
    """The average error of the models at which the vote errs by `error`, in floats; negative if there is none."""
    base = _float_wrong(0, models, x)
    if base >= error:
        return -1.0
    worst = _steepest(models, x)
    return (error - base) * worst / (models * (_float_wrong(worst, models, x) - base))


def _steepest(models: int, x: float) -> int:
    """Where the chord from 0 is steepest: its slope rises, then falls."""
    base = _float_wrong(0, models, x)

    def slope(wrong: int) -> float:
        return (_float_wrong(wrong, models, x) - base) / wrong

    low, high = max(1, models // 2), models
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if slope(middle) < slope(middle + 1) else (low, middle)
    return low


@formula("vote-accuracy")
def models_vote(error: Number, *, epsilon: Number) -> int:
    """The odd number of models for which a vote of this error asks least of them all together.

    Statement: the r that minimises r/a, a the average error with `vote_error`(a) = error. Source: register
    `vote-accuracy`. Holds if: nothing more. Proof: docs/proofs/vote.md.

    >>> models_vote(0.1, epsilon=1), models_vote(0.1, epsilon=0.1)
    (5, 55)
    """
    owner = "models_vote"
    wrong = float(chance(error, owner=owner, name="error"))
    x = float(ratio_for(positive(epsilon, owner=owner, name="epsilon")))
    return min(_enough(wrong, x), key=lambda r: r / _average_for(wrong, r, x))


def _enough(error: float, x: float) -> Iterable[int]:
    """Odd numbers of models whose noise alone errs by less than `error`, up to four times the smallest."""
    first = next(
        (r for r in range(1, MOST_MODELS + 1, 2) if _float_wrong(0, r, x) < error * (1 - 1e-9)), MOST_MODELS
    )
    return range(first, min(4 * first + 8, MOST_MODELS) + 1, 2)


@formula("vote-accuracy")
def records_vote(
    error: Number, *, failure: Number, epsilon: Number, vc: int, models: int | None = None
) -> int:
    """Records for a vote of consistent concepts of this error, if some concept makes no error.

    Statement: r · (records after which all r models err by at most a, each except with failure/r), E0 + c·a <= error.
    Source: register `vote-accuracy`, `epsilon-net`. Holds if: records are independent and a concept errs nowhere.
    Proof: docs/proofs/vote.md.

    >>> records_vote(0.1, failure=0.05, epsilon=1, vc=1)
    3280
    """
    owner = "records_vote"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    ratio = ratio_for(positive(epsilon, owner=owner, name="epsilon"))
    x = float(ratio)

    def rough(r: int) -> float:
        average = _average_for(float(wrong), r, x)
        return r * (math.log(r / float(miss)) + vc) / average if average > 0 else math.inf

    best = models or min(_enough(float(wrong), x), key=rough)
    average = Fraction(_average_for(float(wrong), best, x)) * (1 - Fraction(1, 10**9))
    if average <= 0 or vote_error(average, models=best, ratio=ratio) > wrong:
        requirement = f"larger: the noise alone errs by {float(_envelope(best, ratio)[0]):.3g}"
        raise ParameterError(owner, "error", float(wrong), allowed=requirement)
    return best * records_net(average, failure=miss / best, vc=vc)


@formula("vote-accuracy")
def models_vote_printed(error: Number, *, epsilon: Number) -> int:
    """The printed number of models.

    Statement: 6·ln(4/error)/epsilon, rounded up. Source: Li–Wang–Ye 2025, Lemma 19; register `vote-accuracy`.
    Holds if: nothing more. Proof: docs/proofs/vote.md.

    >>> models_vote_printed(0.1, epsilon=1)
    23
    """
    owner = "models_vote_printed"
    wrong = chance(error, owner=owner, name="error")
    return math.ceil(6 * ln_up(4 / wrong) / positive(epsilon, owner=owner, name="epsilon"))


@formula("vote-accuracy")
def records_vote_printed(error: Number, *, failure: Number, epsilon: Number, vc: int) -> int:
    """The same with the printed numbers: 6·ln(4/error)/epsilon models of error/4 each.

    Statement: as `records_vote`. Source: Li–Wang–Ye 2025, Lemma 19; register `vote-accuracy`.
    Holds if: as `records_vote`. Proof: docs/proofs/vote.md.
    """
    owner = "records_vote_printed"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    price = positive(epsilon, owner=owner, name="epsilon")
    models = models_vote_printed(wrong, epsilon=price)
    return models * records_net(wrong / 4, failure=miss / models, vc=vc)


@formula("vote-accuracy")
def error_vote(n: int, *, models: int, ratio: Fraction, failure: Number, vc: int) -> Fraction:
    """What `n` records prove for a vote of this many consistent concepts, if some concept makes no error.

    Statement: as `records_vote`, solved for the error; blocks have at least n // models records. 1 if nothing is
    proved. Source: register `vote-accuracy`, `epsilon-net`. Holds if: as `records_vote`. Proof: docs/proofs/vote.md.
    """
    owner = "error_vote"
    block = at_least(1, n, owner=owner, name="n") // models
    if block < 1:
        return ONE
    average = net_error(block, failure=chance(failure, owner=owner, name="failure") / models, vc=vc)
    return ONE if average >= 1 else vote_error(average, models=models, ratio=ratio)


# --- stable predictors with flips (Corollary 1, repaired) ---


@formula("delta-removal")
def flip_for(factor: Fraction, *, delta: Fraction) -> Fraction:
    """How often an (epsilon, delta) answer must be turned round to be epsilon-DP; factor = e^epsilon.

    Statement: delta/(factor - 1 + 2·delta), rounded up to twelve decimals. Source: register `delta-removal`.
    Holds if: there are two answers. Proof: docs/proofs/delta-removal.md.
    """
    exact = delta / (factor - 1 + 2 * delta) if delta else Fraction(0)
    return min(Fraction(1, 2), Fraction(math.ceil(exact * GRID), GRID))


@formula("flipped-answers")
def excess_flipped(
    n: int, *, kept: int, ratio: Fraction, flip: Fraction, slip: Fraction, failure: Number, vc: int
) -> Fraction:
    """How far a flipped answer of the stable learner errs above the best of the class.

    Statement: erm_excess(n) + (ln growth(n) + ln(1/slip))/kept + slip + ln growth(kept)/(n·ln(1/ratio)) + flip, for any
    slip in (0, 1); 1 if that is larger. Source: register `flipped-answers`.
    Holds if: records are independent. Proof: docs/proofs/flipped-answers.md.
    """
    near = (ln_growth(n, vc=vc) + ln_up(1 / slip)) / kept
    draw = ln_growth(kept, vc=vc) / (n * ln_down(1 / ratio))
    return min(ONE, erm_excess(n, failure=failure, vc=vc) + near + slip + draw + flip)


@dataclass(frozen=True)
class FlippedPlan:
    """Public parameters of a stable predictor: the size of the subset, the ratio of the draw, how often to flip."""

    kept: int
    ratio: Fraction
    flip: Fraction
    slip: Fraction
    excess: Fraction


@formula("flipped-answers")
def plan_flipped(n: int, *, epsilon: Number, failure: Number, vc: int) -> FlippedPlan:
    """The subset, the draw and the flips of `n` records at `epsilon` with the smallest proved excess.

    Statement: the draw runs at epsilon itself, `flip_for`(e^epsilon, kept/n) makes the answer pure, and kept and slip
    minimise `excess_flipped`. Source: register `flipped-answers` (Dagan–Feldman 2020, Corollary 1).
    Holds if: as `excess_flipped`. Proof: docs/proofs/flipped-answers.md.
    """
    owner = "plan_flipped"
    have, miss = at_least(1, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")
    ratio = ratio_for(positive(epsilon, owner=owner, name="epsilon") / 2)
    kept, slip = _best_flipped(have, float(epsilon), float(miss), vc)[1:]
    flip = flip_for(1 / ratio**2, delta=Fraction(kept, have))
    rest = Fraction(slip).limit_denominator(10**9)
    excess = excess_flipped(have, kept=kept, ratio=ratio, flip=flip, slip=rest, failure=miss, vc=vc)
    return FlippedPlan(kept, ratio, flip, rest, excess)


@formula("flipped-answers")
def records_flipped(error: Number, *, failure: Number, epsilon: Number, vc: int) -> int:
    """Records after which a stable predictor with flips errs by at most `error` above the best of the class.

    Statement: the smallest n with `plan_flipped`(n).excess <= error. Source: register `flipped-answers`.
    Holds if: as `excess_flipped`. Proof: docs/proofs/flipped-answers.md.

    >>> records_flipped(0.1, failure=0.05, epsilon=1, vc=1)
    18128
    """
    owner = "records_flipped"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    price = positive(epsilon, owner=owner, name="epsilon")

    def hope(n: int) -> float:
        return _best_flipped(n, float(price), float(miss), vc)[0]

    rough = first_by_value(hope, float(wrong), start=int(200 * vc / wrong**2), owner=owner)
    return first_whole(
        lambda n: plan_flipped(n, epsilon=price, failure=miss, vc=vc).excess <= wrong,
        start=rough,
        smallest=rough,
        step=max(1, rough // 10**4),
    )


@formula("flipped-answers")
def records_flipped_printed(error: Number, *, failure: Number, epsilon: Number, vc: int) -> int:
    """The same with the printed parameters: stability epsilon·flip/2, a third of it for subset and draw each.

    Statement: as `records_flipped`, with kept = floor(s·n), ratio = e^(-s/2), s = epsilon·flip/6.
    Source: Dagan–Feldman 2020, Corollary 1 and Lemma 7; register `flipped-answers`.
    Holds if: as `excess_flipped`. Proof: docs/proofs/flipped-answers.md.
    """
    owner = "records_flipped_printed"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    price = float(positive(epsilon, owner=owner, name="epsilon"))

    def rough(n: int) -> float:
        return _best_printed(n, float(wrong), price, float(miss), vc)[0]

    return first_whole(lambda n: rough(n) <= float(wrong) * (1 - 1e-9), start=10_000, smallest=2)


@formula("flipped-answers")
def plan_flipped_printed(
    n: int, *, error: Number, epsilon: Number, failure: Number, vc: int
) -> tuple[Fraction, int, Fraction]:
    """The printed parameters for an error: flip, kept records, epsilon of the draw.

    Statement: as `records_flipped_printed`. Source: Dagan–Feldman 2020, Corollary 1 and Lemma 7; register
    `flipped-answers`. Holds if: as there. Proof: docs/proofs/flipped-answers.md.
    """
    owner = "plan_flipped_printed"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    price = positive(epsilon, owner=owner, name="epsilon")
    place = _best_printed(n, float(wrong), float(price), float(miss), vc)[1]
    flip = place * wrong / 60
    share = price * flip / 6
    return flip, math.floor(share * n), share


def _best_printed(n: int, error: float, epsilon: float, failure: float, vc: int) -> tuple[float, int]:
    """The excess, and the flip in sixtieths of the error."""
    places = np.arange(6, 54)
    flips = places * error / 60
    share = epsilon * flips / 6
    kept = np.floor(share * n)
    excess = _rough_flipped(n, np.maximum(kept, 1), share, failure, vc) + flips
    best = int(np.argmin(np.where(kept < 1, math.inf, excess)))
    return (float(excess[best]) if kept[best] >= 1 else math.inf), int(places[best])


def _best_flipped(n: int, epsilon: float, failure: float, vc: int) -> tuple[float, int, float]:
    """(excess, kept, slip) in floats: a search over the size of the subset on a scale of ratios, then refined."""

    def excess(kept: Floats) -> Floats:
        share = kept / n
        return _rough_flipped(n, kept, epsilon, failure, vc) + share / (math.expm1(epsilon) + 2 * share)

    low, high = 0.0, math.log(n)
    for _ in range(4):
        step = (high - low) / 24
        kept = np.clip(np.round(np.exp(low + np.arange(25) * step)), 1, n)
        values = excess(kept)
        best = int(np.argmin(values))
        centre = math.log(kept[best])
        low, high = max(0.0, centre - 2 * step), min(math.log(n), centre + 2 * step)
    best_kept = int(kept[best])
    return float(values[best]), best_kept, min(0.5, 1 / best_kept)


def _rough_flipped(n: int, kept: Floats, rate: Floats | float, failure: float, vc: int) -> Floats:
    """`excess_flipped` without the flip, in floats; rate is the epsilon of the draw."""
    whole = rough_growth_of(n, vc)
    gap = math.sqrt(2 * whole / n) + 2 * math.sqrt(math.log(2 / failure) / (2 * n))
    slip = np.minimum(0.5, 1 / kept)  # minimises ln(1/slip)/kept + slip
    near = (whole - np.log(slip)) / kept
    bound: Floats = gap + near + slip + 2 * rough_ln_growth(kept, vc) / (rate * n)
    return bound
