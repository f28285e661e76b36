"""How many labels SSL-Relabel needs: labelled records keep their whole budget, unlabelled ones pay for the labels.

The score of a labelling z of the k kept points is min over concepts f of change·#{points: z ≠ f} + mistake·#{labelled:
f is wrong}; it weighs ratio^score with ratio = e^(-draw_epsilon/(2·mistake)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from privpac.constructions.few_labels.base_formulas import (
    float_mistakes,
    mistakes_of_base,
    mistakes_of_draw,
    spare_delta,
)
from privpac.constructions.few_labels.formulas import float_labellings, float_transfer
from privpac.constructions.few_labels.label_search import Search, fewest_labels
from privpac.constructions.few_labels.transfer_formulas import Family, Transfer, transfer_error
from privpac.numbers.exact import exp_down, exp_up, ratio_for
from privpac.numbers.parameters import Number, chance
from privpac.numbers.rough import Floats
from privpac.numbers.search import minimum, stepped
from privpac.theory.register import formula

__all__ = [
    "Relabel",
    "RelabelPromise",
    "error_ssl_relabel",
    "records_ssl_relabel",
]

DIGITS = 30
MISTAKE = 16
"""One mistake costs this much; changes cost a whole number, so that their ratio can be chosen in sixteenths."""


@dataclass(frozen=True)
class Relabel:
    """Settings of SSL-Relabel whose base draws from the class itself, or with a delta among occupied blocks."""

    labelled: int
    unlabelled: int
    kept: int
    draw_epsilon: Fraction
    change: int
    base_epsilon: Fraction = Fraction(1)
    base_delta: Fraction = Fraction(0)
    mistake: int = MISTAKE

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return ratio_for(self.draw_epsilon / (2 * self.mistake))


def keep_points(records: int, *, epsilon: Fraction, base: Fraction, ratio: Fraction, change: int) -> int:
    """The largest k with 1 + (k/records)(4·e^base·ratio^(-2·change) - 1) <= e^epsilon."""
    inner = 4 * exp_up(base, DIGITS) / ratio ** (2 * change)
    return min(records, math.floor(records * (exp_down(epsilon, DIGITS) - 1) / (inner - 1)))


@dataclass(frozen=True)
class RelabelPromise:
    """The numbers behind what is promised: no score above `score` is drawn, and what carries the rates over to the
    distribution, for the concept behind the labels and for the released rule."""

    score: int
    near: Transfer
    apart: Transfer

    @property
    def error(self) -> Fraction:
        """An upper bound on the error: both halves together."""
        return min(Fraction(1), self.near.error + self.apart.error)


def relabel_promise(
    relabel: Relabel, rate: Fraction, *, family: Family, failure: Fraction
) -> RelabelPromise | None:
    """What SSL-Relabel promises if the base leaves the drawn labels at this `rate`, with the numbers that prove it;
    None if nothing. Each event has a quarter of the failure probability."""
    quarter = failure / 4
    labellings = family.labellings(relabel.kept)
    score = mistakes_of_draw(labellings - 1, ratio=relabel.ratio, failure=quarter)
    wrong = Fraction(score // relabel.mistake, relabel.labelled)
    distance = Fraction(score // relabel.change, relabel.kept) + rate
    if wrong >= 1 or distance >= 1:
        return None
    promise = RelabelPromise(
        score,
        transfer_error(wrong, points=relabel.labelled, family=family, failure=quarter),
        transfer_error(distance, points=relabel.kept, family=family, failure=quarter, pairs=True),
    )
    return promise if promise.error < 1 else None


@formula("ssl-relabel-accuracy")
def error_ssl_relabel(relabel: Relabel, *, family: Family, failure: Number) -> Fraction:
    """The error SSL-Relabel promises where some concept makes none; 1 if nothing.

    Statement: no score above j is drawn, labellings·ratio^(j + 1) <= failure/4; then some concept errs on at most
    j/mistake labelled records and differs from the drawn labels at j/change points; `transfer_error` carries both over
    to the distribution, the second for pairs. Source: register `ssl-relabel-accuracy`.
    Holds if: labelled and unlabelled records are independent draws from one distribution.
    Proof: docs/proofs/ssl-relabel.md.
    """
    miss = chance(failure, owner="error_ssl_relabel", name="failure")
    mistakes = mistakes_of_base(
        family, epsilon=relabel.base_epsilon, delta=relabel.base_delta, failure=miss / 4
    )
    if mistakes is None:
        return Fraction(1)
    promise = relabel_promise(relabel, Fraction(mistakes, relabel.kept), family=family, failure=miss)
    return Fraction(1) if promise is None else promise.error


def _float_error(
    m: int, k: Floats, draw: float, weight: Floats, mistakes: Floats, family: Family, miss: float
) -> Floats:
    """`error_ssl_relabel` in floats, for this many mistakes of the base; `weight` is change/mistake."""
    quarter = miss / 4
    score = 2 * (float_labellings(family, k) - math.log(quarter)) / draw  # in units of one mistake
    distance = score / weight + mistakes
    near = float_transfer(score / m, m, family=family, failure=quarter)
    return near + float_transfer(distance / k, k, family=family, failure=quarter, times=2)


@lru_cache(maxsize=1024)
def _proposal(
    labelled: int, unlabelled: int, *, family: Family, epsilon: Fraction, failure: Fraction, delta: Fraction
) -> tuple[float, list[float]]:
    """The smallest error that floats find, and (base, weight) for it."""
    room, slip, miss = math.expm1(float(epsilon)), float(delta), float(failure)

    def value(base: Floats, weight: Floats) -> Floats:
        share = np.minimum(1.0, room / (4 * np.exp(base + weight * float(epsilon)) - 1))
        k = np.floor(unlabelled * share)
        mistakes = float_mistakes(family, base, np.minimum(slip / share, base / 4), miss / 4)
        error = _float_error(labelled, np.maximum(k, 2), float(epsilon), weight, mistakes, family, miss)
        return np.where(k < 2, math.inf, error)

    return minimum(value, [(0.002, 5.0), (1 / MISTAKE, 4.0)])


def relabel_settings(
    labelled: int,
    unlabelled: int,
    *,
    family: Family,
    epsilon: Fraction,
    failure: Fraction,
    delta: Fraction = Fraction(0),
) -> Relabel:
    """Settings that meet (epsilon, delta) for everybody and promise a small error, by search."""
    _, (base, weight) = _proposal(
        labelled, unlabelled, family=family, epsilon=epsilon, failure=failure, delta=delta
    )
    inner, change = stepped(base), max(1, round(weight * MISTAKE))
    trial = Relabel(labelled, unlabelled, 1, epsilon, change, inner)
    kept = keep_points(unlabelled, epsilon=epsilon, base=inner, ratio=trial.ratio, change=change)
    share = Fraction(max(1, kept), unlabelled)
    base_delta = spare_delta(delta, epsilon=inner, shares=(share,)) if delta else delta
    return replace(trial, kept=max(1, kept), base_delta=base_delta)


def relabel_search(
    family: Family, epsilon: Fraction, failure: Fraction, delta: Fraction = Fraction(0)
) -> Search[Relabel]:
    """Relabelling, searched for the records that promise an error."""
    return Search(family, epsilon, failure, delta, _proposal, relabel_settings, error_ssl_relabel)


@formula("ssl-relabel-accuracy")
def records_ssl_relabel(
    family: Family,
    *,
    error: Number,
    failure: Number,
    epsilon: Number,
    delta: Number = 0,
    unlabelled: int | None = None,
) -> Relabel:
    """The fewest labelled records for which SSL-Relabel promises `error`, with at most `unlabelled` others.

    Statement: as `error_ssl_relabel`, solved for the number of labels; None: as many others as pay. Source: register
    `ssl-relabel-accuracy`. Holds if: as `error_ssl_relabel`. Proof: docs/proofs/ssl-relabel.md.
    """
    owner = "records_ssl_relabel"
    return fewest_labels(owner, relabel_search, family, error, failure, epsilon, delta, unlabelled)
