"""How many labels SSL-Relabel needs: labelled records keep their whole budget, unlabelled ones pay for the labels.

The score of a labelling z of the k kept points is min over concepts f of change·#{points: z ≠ f} + mistake·#{labelled:
f is wrong}; it weighs ratio^score with ratio = e^(-draw_epsilon/(2·mistake)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from privpac.constructions.few_labels.formulas import float_labellings, float_transfer, mistakes_of_draw
from privpac.constructions.few_labels.label_search import Search, fewest_labels
from privpac.constructions.few_labels.transfer_formulas import Family, Transfer, transfer_error
from privpac.numbers.exact import about_log, exp_down, exp_up, ratio_for
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
"""One mistake costs so much; changes cost a whole number, so that their ratio can be chosen in sixteenths."""


@dataclass(frozen=True)
class Relabel:
    """Settings of SSL-Relabel whose base draws from the class itself."""

    labelled: int
    unlabelled: int
    kept: int
    draw_epsilon: Fraction
    base_epsilon: Fraction
    change: int
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
    """The numbers behind what is promised: no score above `score` is drawn, the base makes at most `mistakes`, and
    what carries the rates over to the distribution, for the concept behind the labels and for the released rule."""

    score: int
    mistakes: int
    near: Transfer
    apart: Transfer

    @property
    def error(self) -> Fraction:
        """An upper bound on the error: both halves together."""
        return min(Fraction(1), self.near.error + self.apart.error)


def relabel_promise(relabel: Relabel, *, family: Family, failure: Fraction) -> RelabelPromise | None:
    """What SSL-Relabel promises, with the numbers that prove it; None if nothing. Each event has a quarter of the
    failure probability."""
    quarter = failure / 4
    labellings = family.labellings(relabel.kept)
    score = mistakes_of_draw(labellings - 1, ratio=relabel.ratio, failure=quarter)
    base_ratio = ratio_for(relabel.base_epsilon / 2)
    mistakes = mistakes_of_draw(family.odds, ratio=base_ratio, failure=quarter)
    wrong = Fraction(score // relabel.mistake, relabel.labelled)
    apart = Fraction(score // relabel.change + mistakes, relabel.kept)
    if wrong >= 1 or apart >= 1:
        return None
    promise = RelabelPromise(
        score,
        mistakes,
        transfer_error(wrong, points=relabel.labelled, family=family, failure=quarter),
        transfer_error(apart, points=relabel.kept, family=family, failure=quarter, pairs=True),
    )
    return promise if promise.error < 1 else None


@formula("ssl-relabel-accuracy")
def error_ssl_relabel(relabel: Relabel, *, family: Family, failure: Number) -> Fraction:
    """The error SSL-Relabel promises where some concept makes none; 1 if nothing.

    Statement: no score above j is drawn, labellings·ratio^(j + 1) <= failure/4; then some concept errs on at most
    j/mistake labelled records and differs from the drawn labels at j/change points; `transfer_error` carries both over
    to the distribution, the second for pairs. Source: register `ssl-relabel-accuracy`.
    Holds if: labelled and unlabelled records are independent draws from one distribution.
    Proof: docs/proofs/ssl-relabel.md. Tested by: tests/statistical/test_few_labels.py.
    """
    miss = chance(failure, owner="error_ssl_relabel", name="failure")
    promise = relabel_promise(relabel, family=family, failure=miss)
    return Fraction(1) if promise is None else promise.error


def _float_error(
    m: int, k: Floats, draw: float, weight: Floats, base: Floats, family: Family, miss: float
) -> Floats:
    """`error_ssl_relabel` in floats; `weight` is change/mistake."""
    quarter = miss / 4
    score = 2 * (float_labellings(family, k) - math.log(quarter)) / draw  # in units of one mistake
    apart = score / weight + 2 * (about_log(family.odds) - math.log(quarter)) / base
    near = float_transfer(score / m, m, family=family, failure=quarter)
    return near + float_transfer(apart / k, k, family=family, failure=quarter, times=2)


@lru_cache(maxsize=1024)
def _proposed(
    labelled: int, unlabelled: int, *, family: Family, epsilon: Fraction, failure: Fraction
) -> tuple[float, list[float]]:
    """The smallest error that floats find, and (base, weight) for it."""
    room = math.expm1(float(epsilon))

    def value(base: Floats, weight: Floats) -> Floats:
        share = np.minimum(1.0, room / (4 * np.exp(base + weight * float(epsilon)) - 1))
        k = np.floor(unlabelled * share)
        error = _float_error(labelled, np.maximum(k, 2), float(epsilon), weight, base, family, float(failure))
        return np.where(k < 2, math.inf, error)

    return minimum(value, [(0.002, 5.0), (1 / MISTAKE, 4.0)])


def relabel_settings(
    labelled: int, unlabelled: int, *, family: Family, epsilon: Fraction, failure: Fraction
) -> Relabel:
    """Settings that meet `epsilon` for everybody and promise a small error, by search."""
    _, (base, weight) = _proposed(labelled, unlabelled, family=family, epsilon=epsilon, failure=failure)
    chosen, change = stepped(base), max(1, round(weight * MISTAKE))
    trial = Relabel(labelled, unlabelled, 1, epsilon, chosen, change)
    kept = keep_points(unlabelled, epsilon=epsilon, base=chosen, ratio=trial.ratio, change=change)
    return Relabel(labelled, unlabelled, max(1, kept), epsilon, chosen, change)


def relabel_search(family: Family, epsilon: Fraction, failure: Fraction) -> Search[Relabel]:
    """Relabelling, searched for the records that promise an error."""
    return Search(family, epsilon, failure, _proposed, relabel_settings, error_ssl_relabel)


@formula("ssl-relabel-accuracy")
def records_ssl_relabel(
    family: Family, *, error: Number, failure: Number, epsilon: Number, unlabelled: int | None = None
) -> Relabel:
    """The fewest labelled records for which SSL-Relabel promises `error`, with at most `unlabelled` others.

    Statement: as `error_ssl_relabel`, solved for the number of labels; None: as many others as pay. Source: register
    `ssl-relabel-accuracy`. Holds if: as `error_ssl_relabel`. Proof: docs/proofs/ssl-relabel.md.
    Tested by: tests/unit/constructions/few_labels/test_boost.py.
    """
    return fewest_labels("records_ssl_relabel", relabel_search, family, error, failure, epsilon, unlabelled)
