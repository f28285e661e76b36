"""How few labels suffice when records without labels abound: settings of LabelBoost and what they promise.

A search in floats proposes settings; what is promised for them is certified. One mistake on a labelled record weighs
ratio = e^(-draw_epsilon/2) in the draw of a labelling.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from privpac.constructions.few_labels.base_formulas import float_mistakes, mistakes_of_base, spare_delta
from privpac.constructions.few_labels.label_search import Search, fewest_labels
from privpac.constructions.few_labels.transfer_formulas import (
    Family,
    Spread,
    Transfer,
    transfer_error,
    transfer_excess,
)
from privpac.numbers.exact import exp_down, exp_up, ln_up, ratio_for
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.numbers.rough import Floats, rough_ln_growth
from privpac.numbers.search import minimum, stepped
from privpac.theory.occam import GRID, error_occam, excess_agnostic, tilt_agnostic
from privpac.theory.register import formula

__all__ = [
    "Boost",
    "RoundPromise",
    "error_label_boost",
    "excess_label_boost",
    "keep_labelled",
    "keep_unlabelled",
    "label_boost_loss",
    "labels_as_printed",
    "records_active",
    "records_label_boost",
]

DIGITS = 30
ONE = Fraction(1)
GRIDS = (GRID, GRID / 100)
"""What a draw errs is rounded up to four decimals, small errors to six: a hundredth of them at most."""
DRAW, BASE, DEVIATION = Fraction(8, 10), Fraction(1, 10), Fraction(1, 10)
"""How the failure probability is shared out: most to the draw of the labels, since labels are scarce."""


@dataclass(frozen=True)
class Boost:
    """Settings of one round of LabelBoost whose base draws from the class itself, or with a delta among blocks."""

    labelled: int
    unlabelled: int
    """How many are taken; there may be more."""
    kept_labelled: int
    kept_unlabelled: int
    draw_epsilon: Fraction
    base_epsilon: Fraction
    base_delta: Fraction = Fraction(0)

    @property
    def points(self) -> int:
        """All points that the round keeps."""
        return self.kept_labelled + self.kept_unlabelled

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return ratio_for(self.draw_epsilon / 2)


@dataclass(frozen=True)
class RoundPromise:
    """The numbers behind what one round promises: a rate of `drawn` wrong labels, and what carries it, with the base's
    own mistakes, over to the distribution."""

    drawn: Fraction
    tilt: Fraction
    transfer: Transfer | Spread

    @property
    def error(self) -> Fraction:
        """What the round adds to the error."""
        return self.transfer.error if isinstance(self.transfer, Transfer) else self.transfer.excess


@formula("label-boost-labelled")
def label_boost_loss(base: Number, *, draw: Number) -> Fraction:
    """What relabelling costs a labelled record in front of a `base`-private learner; rounded up.

    Statement: base + 2·ln(1 + e^(draw/2)); a record without label loses base + ln 4. Source: register
    `label-boost-labelled`. Holds if: the draw is the exponential mechanism itself, without a clamp on scores.
    Proof: docs/proofs/label-boost.md.

    >>> float(label_boost_loss(1, draw=1))
    2.948153968362
    """
    owner = "label_boost_loss"
    inner = positive(base, owner=owner, name="base")
    half = positive(draw, owner=owner, name="draw") / 2
    return inner + 2 * ln_up(1 + exp_up(half, DIGITS))


def _most_kept(records: int, epsilon: Fraction, inner: Fraction) -> int:
    """The largest k with 1 + (k/records)(inner - 1) <= e^epsilon."""
    room = exp_down(epsilon, DIGITS) - 1
    return min(records, math.floor(records * room / (inner - 1)))


@formula("subsampling-without-replacement")
def keep_labelled(records: int, *, epsilon: Fraction, later: Fraction, draw: Fraction) -> int:
    """Labelled records that may be kept so that each is promised `epsilon`, if all that follows is `later`-private.

    Statement: k/records <= (e^epsilon - 1)/(e^later·(1 + e^(draw/2))² - 1). Source: register
    `subsampling-without-replacement`, `label-boost-labelled`. Holds if: the kept are a uniform subset, shuffled.
    Proof: docs/proofs/label-boost.md.

    >>> keep_labelled(10_000, epsilon=Fraction(1), later=Fraction(1), draw=Fraction(1))
    950
    """
    return _most_kept(records, epsilon, exp_up(later, DIGITS) * (1 + 1 / ratio_for(draw / 2)) ** 2)


@formula("subsampling-without-replacement")
def keep_unlabelled(records: int, *, epsilon: Fraction, later: Fraction) -> int:
    """The same for records without labels.

    Statement: k/records <= (e^epsilon - 1)/(4·e^later - 1). Source: register `subsampling-without-replacement`,
    `label-boost-unlabelled`. Holds if: as `keep_labelled`. Proof: docs/proofs/label-boost.md.

    >>> keep_unlabelled(10_000, epsilon=Fraction(1), later=Fraction(1))
    1740
    """
    return _most_kept(records, epsilon, 4 * exp_up(later, DIGITS))


def round_promise(
    *,
    kept: int,
    points: int,
    ratio: Fraction,
    apart: Fraction,
    family: Family,
    failure: Fraction,
    agnostic: bool,
) -> RoundPromise | None:
    """What one round promises if the base's rule leaves the drawn labels at a rate of `apart`; None if nothing."""
    ask = excess_agnostic if agnostic else error_occam
    size, draw = family.labellings(points), ONE
    for grid in GRIDS if kept else ():
        draw = ask(kept, size=size, failure=failure * DRAW, ratio=ratio, grid=grid)
        if draw >= 100 * grid:
            break
    if draw + apart >= 1:
        return None
    tilt = tilt_agnostic(draw, ratio=ratio) if agnostic else ratio
    carry = transfer_excess if agnostic else transfer_error
    transfer = carry(draw + apart, points=points, family=family, failure=failure * DEVIATION)
    promise = RoundPromise(draw, tilt, transfer)
    return promise if promise.error < 1 else None


def boost_promise(boost: Boost, *, family: Family, failure: Fraction, agnostic: bool) -> RoundPromise | None:
    """The same for settings with a base of their own."""
    mistakes = mistakes_of_base(
        family, epsilon=boost.base_epsilon, delta=boost.base_delta, failure=failure * BASE
    )
    if mistakes is None:
        return None
    return round_promise(
        kept=boost.kept_labelled,
        points=boost.points,
        ratio=boost.ratio,
        apart=Fraction(mistakes, max(1, boost.points)),
        family=family,
        failure=failure,
        agnostic=agnostic,
    )


@formula("label-boost-realizable")
def error_label_boost(boost: Boost, *, family: Family, failure: Number) -> Fraction:
    """The error one round promises where some concept makes none; 1 if nothing.

    Statement: on the M kept points the drawn labels are wrong at a rate a with growth(M)·(1 - a(1 - ratio))^kept <=
    8/10 failure, the base's own draw adds at most j/M, odds·e^(-(j + 1)·base_epsilon/2) <= failure/10 (with a delta as
    `mistakes_of_blocks`), and
    `transfer_error` carries the sum over to the distribution. Source: register `label-boost-realizable`
    (Beimel–Nissim–Stemmer 2015, Claim 4.2 and Lemma 4.12).
    Holds if: labelled and unlabelled records are independent draws from one distribution.
    Proof: docs/proofs/label-boost.md.
    """
    miss = chance(failure, owner="error_label_boost", name="failure")
    promise = boost_promise(boost, family=family, failure=miss, agnostic=False)
    return ONE if promise is None else promise.error


@formula("label-boost-agnostic")
def excess_label_boost(boost: Boost, *, family: Family, failure: Number) -> Fraction:
    """The error above the best of the class that one round promises; 1 if nothing.

    Statement: as `error_label_boost`, with the worst case over the best error in the draw, and `transfer_excess` at the
    end. Source: register `label-boost-agnostic`. Holds if: as `error_label_boost`; labels may be noisy.
    Proof: docs/proofs/label-boost.md.
    """
    miss = chance(failure, owner="excess_label_boost", name="failure")
    promise = boost_promise(boost, family=family, failure=miss, agnostic=True)
    return ONE if promise is None else promise.error


# --- the search: floats propose ---


def float_transfer(
    rate: Floats, points: Floats | int, *, family: Family, failure: float, times: int = 1
) -> Floats:
    """`transfer_error` in floats."""
    square = 2 * (times * math.log(family.size) - math.log(failure)) / np.asarray(points, dtype=np.float64)
    if family.vc is not None:
        growth = times * rough_ln_growth(2 * np.asarray(points), family.vc)
        square = np.minimum(square, 4 * (growth + math.log(4 / failure)) / points)
    bound: Floats = rate + square / 2 + np.sqrt(square * (rate + square / 4))
    return bound


def float_labellings(family: Family, points: Floats) -> Floats:
    """ln of `Family.labellings`."""
    most = np.full(points.shape, math.log(family.size))
    return most if family.vc is None else np.minimum(most, rough_ln_growth(points, family.vc))


def _float_error(
    kept: Floats, points: Floats, half: Floats, mistakes: Floats, family: Family, miss: float
) -> Floats:
    """`error_label_boost` in floats, for this many mistakes of the base; infinite where nothing is kept."""
    weight = -np.expm1(-half)
    log_odds = float_labellings(family, points) - math.log(DRAW * Fraction(miss))
    draw = -np.expm1(-log_odds / np.maximum(kept, 1)) / weight
    rate = draw + mistakes / points
    bound = float_transfer(rate, np.maximum(points, 1), family=family, failure=miss / 10)
    return np.where(kept < 1, math.inf, bound)


@lru_cache(maxsize=1024)
def _proposal(
    labelled: int, unlabelled: int, *, family: Family, epsilon: Fraction, failure: Fraction, delta: Fraction
) -> tuple[float, list[float]]:
    """The smallest error that floats find for one round, and (draw, base, share of the unlabelled) for it."""
    room, miss, slip = math.expm1(float(epsilon)), float(failure), float(delta)

    def value(draw: Floats, base: Floats, share: Floats) -> Floats:
        loss = np.exp(base)
        kept = np.floor(labelled * np.minimum(1.0, room / (loss * (1 + np.exp(draw / 2)) ** 2 - 1)))
        taken = np.maximum(1.0, unlabelled * share)
        bare = np.minimum(1.0, room / (4 * loss - 1))
        points = kept + np.floor(taken * bare)
        mistakes = float_mistakes(family, base, np.minimum(slip / bare, base / 4), miss / 10)
        return _float_error(kept, points, draw / 2, mistakes, family, miss)

    return minimum(value, [(0.05, 20.0), (0.002, 10.0), (min(1.0, 10 / unlabelled), 1.0)])


def boost_settings(
    labelled: int,
    unlabelled: int,
    *,
    family: Family,
    epsilon: Fraction,
    failure: Fraction,
    delta: Fraction = Fraction(0),
) -> Boost:
    """Settings of one round that meet (epsilon, delta) for everybody and promise a small error, by search."""
    _, (draw, base, share) = _proposal(
        labelled, unlabelled, family=family, epsilon=epsilon, failure=failure, delta=delta
    )
    first, second, taken = stepped(draw), stepped(base), max(1, math.floor(unlabelled * share))
    kept = keep_labelled(labelled, epsilon=epsilon, later=second, draw=first)
    others = keep_unlabelled(taken, epsilon=epsilon, later=second)
    shares = Fraction(max(1, kept), labelled), Fraction(max(1, others), taken)
    base_delta = spare_delta(delta, epsilon=second, shares=shares) if delta else delta
    return Boost(labelled, taken, kept, others, first, second, base_delta)


@formula("label-boost-realizable")
def records_label_boost(
    family: Family,
    *,
    error: Number,
    failure: Number,
    epsilon: Number,
    delta: Number = 0,
    unlabelled: int | None = None,
) -> Boost:
    """The fewest labelled records for which one round promises `error`, with at most `unlabelled` others.

    Statement: as `error_label_boost`, solved for the number of labels; None: as many others as pay; with a delta the
    base draws among occupied blocks. Source: register
    `label-boost-realizable`. Holds if: as `error_label_boost`. Proof: docs/proofs/label-boost.md.
    """
    owner = "records_label_boost"
    return fewest_labels(owner, boost_search, family, error, failure, epsilon, delta, unlabelled)


def boost_search(
    family: Family, epsilon: Fraction, failure: Fraction, delta: Fraction = Fraction(0)
) -> Search[Boost]:
    """One round of boosting, searched for the records that promise an error."""
    return Search(family, epsilon, failure, delta, _proposal, boost_settings, error_label_boost)


@formula("subsampling-without-replacement")
def records_active(kept: int, *, inner: Number, epsilon: Number) -> int:
    """Records of which `kept` may be used by an `inner`-private learner so that everybody is promised `epsilon`.

    Statement: t >= kept·(e^inner - 1)/(e^epsilon - 1). Source: register `subsampling-without-replacement`
    (Beimel–Nissim–Stemmer 2015, Claim 5.7, which asks for (kept/epsilon)(3 + e^(2·inner))).
    Holds if: the kept are a uniform subset, and those whose label is asked a uniform part of it.
    Proof: docs/proofs/active.md.

    >>> records_active(1000, inner=1, epsilon=0.1)
    16338
    """
    owner = "records_active"
    count = at_least(1, kept, owner=owner, name="kept")
    within, goal = positive(inner, owner=owner, name="inner"), positive(epsilon, owner=owner, name="epsilon")
    return max(count, math.ceil(count * (exp_up(within, DIGITS) - 1) / (exp_down(goal, DIGITS) - 1)))


@formula("label-boost")
def labels_as_printed(vc: int, *, error: Number, failure: Number) -> int:
    """Labels that LabelBoost asks for with the constants in print, for the same error and failure.

    Statement: (96,000/a)·vc·ln(2240/(a·b)), a = error/11, b = failure/2; it also asks for 90,000 times the records of
    its base without labels. Source: register `label-boost` (Beimel–Nissim–Stemmer 2015, Claim 4.9 and Lemma 4.12).
    Holds if: as there, at epsilon 1. Proof: docs/proofs/label-boost.md.

    >>> labels_as_printed(1, error=0.1, failure=0.05)
    170053921
    """
    owner = "labels_as_printed"
    wrong = chance(error, owner=owner, name="error") / 11
    miss = chance(failure, owner=owner, name="failure") / 2
    dimension = at_least(1, vc, owner=owner, name="vc")
    return math.ceil(96_000 * dimension * ln_up(2240 / (wrong * miss)) / wrong)
