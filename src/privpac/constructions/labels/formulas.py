"""Records for learners that protect labels only: candidates come from the features, which are public."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from flint import arb, ctx

from privpac.errors import ParameterError
from privpac.numbers.binomial import rounded_up
from privpac.numbers.exact import PRECISIONS, ball, first_whole, ln_up, sqrt_up
from privpac.numbers.parameters import Number, at_least, below_one, chance, positive
from privpac.theory.occam import first_error
from privpac.theory.register import formula

__all__ = [
    "failure_label_thresholds",
    "label_cuts",
    "label_error",
    "records_label_cover",
    "records_label_thresholds",
]

_WINDOW = 40
"""Numbers of mistakes tried around the best one that floats find."""


@formula("label-thresholds")
def label_cuts(n: int, *, spacing: int, ties: bool = False) -> int:
    """Cuts of which one makes at most `spacing` mistakes on any `n` points labelled by a threshold.

    Statement: both ends, and every (2·spacing + 1)-th of the n + 1 labellings between: 1 + ceil(n/(2·spacing + 1));
    where records may share a value (`ties`), labellings are missing and ceil((n + 1)/(spacing + 1)) may be needed.
    Source: register `label-thresholds`. Holds if: labels follow a threshold of the class.
    Proof: docs/proofs/label-cover.md.

    >>> label_cuts(276, spacing=1), label_cuts(276, spacing=1, ties=True)
    (93, 139)
    """
    have = at_least(1, n, owner="label_cuts", name="n")
    near = at_least(0, spacing, owner="label_cuts", name="spacing")
    return -(-(have + 1) // (near + 1)) if ties else 1 - (-have // (2 * near + 1))


def _failures(
    n: int, cuts: int, spacing: int, tries: list[int], wrong: Fraction, weight: arb
) -> Iterator[arb]:
    """2·P[Bin(n, error) ≤ few] + cuts·weight^(few + 1 - spacing) for every few of an ascending list, in one pass."""
    p = ball(wrong)
    odds, term, tail, k = p / (1 - p), (1 - p) ** n, arb(0), 0
    for few in tries:
        while k <= few:
            tail += term
            term = term * (n - k) / (k + 1) * odds
            k += 1
        yield 2 * tail + cuts * weight ** (few + 1 - spacing)


@formula("label-thresholds")
def failure_label_thresholds(
    n: int, *, error: Number, epsilon: Number, spacing: int = 1, cuts: int | None = None
) -> Fraction:
    """Failure of a label-private threshold from `n` records, under any distribution without atoms; rounded up.

    Statement: the least over E of 2·P[Bin(n, error) ≤ E] + cuts·e^(-epsilon·(E + 1 - spacing)/2), with
    cuts = label_cuts(n). Source: register `label-thresholds` (Chaudhuri–Hsu 2011, Theorem 27, for thresholds).
    Holds if: labels follow a threshold; only labels are protected. Proof: docs/proofs/label-cover.md.

    >>> failure_label_thresholds(276, error=0.1, epsilon=1) <= Fraction(1, 20)
    True
    """
    owner = "failure_label_thresholds"
    have, wrong = at_least(1, n, owner=owner, name="n"), chance(error, owner=owner, name="error")
    loss = positive(epsilon, owner=owner, name="epsilon")
    size = label_cuts(have, spacing=spacing) if cuts is None else at_least(1, cuts, owner=owner, name="cuts")
    tries = range(spacing, int(wrong * have) + 1)
    if not tries:
        return Fraction(1)
    with ctx.workprec(PRECISIONS[0]):
        weight = (-ball(loss) / 2).exp()
        near = _promising(tries, have, wrong, loss, size)
        values = _failures(have, size, spacing, near, wrong, weight)
        return rounded_up(min(values, key=lambda value: float(value.upper())))


def _promising(tries: range, n: int, wrong: Fraction, loss: Fraction, size: int) -> list[int]:
    """Numbers of mistakes near which the sum is smallest: where the second term has come down to Chernoff's bound on
    the first. The bound is far from the mean where there are many records, which is where the sum is smallest."""
    error, half, cuts = float(wrong), float(loss) / 2, math.log(size)

    def few_enough(few: int) -> bool:
        share = few / n
        far = n * (share * math.log(share / error) if share else 0.0)
        far += n * (1 - share) * math.log((1 - share) / (1 - error))
        return cuts - half * (few + 1 - tries.start) > -far

    centre = tries.start + bisect_left(tries[:-1], True, key=lambda few: not few_enough(few))
    window = max(_WINDOW, round(math.sqrt(float(n * wrong * (1 - wrong)))))
    low, high = max(tries.start, centre - window), min(tries.stop, centre + window)
    return sorted({*range(low, high, max(1, window // _WINDOW)), tries.start, centre, tries.stop - 1})


@formula("label-thresholds")
def records_label_thresholds(*, error: Number, failure: Number, epsilon: Number, ties: bool = False) -> int:
    """Records for a label-private threshold, at the best spacing up to 3; `ties`: also where records share values.

    Statement: as `failure_label_thresholds`. Source: register `label-thresholds`.
    Holds if: as `failure_label_thresholds`. Proof: docs/proofs/label-cover.md.

    >>> records_label_thresholds(error=0.1, failure=0.05, epsilon=1)
    276
    """
    owner = "records_label_thresholds"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    loss = positive(epsilon, owner=owner, name="epsilon")

    def enough(n: int, spacing: int) -> bool:
        return _fails(n, spacing, wrong, loss, ties=ties) <= miss

    start = int((1 / wrong) * (8 + 4 / loss)) + 20
    return min(first_whole(partial(enough, spacing=g), start=start, smallest=1) for g in SPACINGS)


SPACINGS = range(4)


def _fails(n: int, spacing: int, error: Fraction, epsilon: Fraction, *, ties: bool) -> Fraction:
    cuts = label_cuts(n, spacing=spacing, ties=ties)
    return failure_label_thresholds(n, error=error, epsilon=epsilon, spacing=spacing, cuts=cuts)


@formula("label-cover")
def label_error(
    n: int, *, vc: int, log_cover: Number, failure: Number, epsilon: Number, level: Number = 0
) -> Fraction:
    """The smallest error (four decimals, rounded up) that `n` records prove for labels drawn over a cover.

    Statement: the least error with 2·ln(2·G/failure)/(epsilon·n) + level ≤ error - √(error·e), where
    e = 4·(vc·ln(2e·n/vc) + ln(8/failure))/n and ln G = log_cover. 1 when none is proved.
    Source: register `label-cover` (Chaudhuri–Hsu 2011, Theorem 27). Holds if: labels follow a concept; n ≥ vc/2.
    Proof: docs/proofs/label-cover.md.
    """
    owner = "label_error"
    have = at_least(1, n, owner=owner, name="n")
    return first_error(
        lambda error: _proves(error, have, vc, log_cover, failure, epsilon, level, owner=owner)
    )


def _proves(
    error: Fraction,
    n: int,
    vc: object,
    log_cover: object,
    failure: object,
    epsilon: object,
    level: object,
    *,
    owner: str,
) -> bool:
    d, miss = at_least(1, vc, owner=owner, name="vc"), chance(failure, owner=owner, name="failure")
    loss, logs = (
        positive(epsilon, owner=owner, name="epsilon"),
        positive(log_cover, owner=owner, name="log_cover"),
    )
    if 2 * n < d:
        return False
    noise = 2 * (logs + ln_up(2 / miss)) / (loss * n) + below_one(level, owner=owner, name="level")
    spread = 4 * (d * (1 + ln_up(Fraction(2 * n, d))) + ln_up(8 / miss)) / n
    return noise <= error - sqrt_up(error * spread)


@formula("label-cover")
def records_label_cover(
    *, vc: int, log_cover: Number, error: Number, failure: Number, epsilon: Number, level: Number = 0
) -> int:
    """Records after which a label-private draw over a cover of the labellings errs at most `error`.

    Statement: as `label_error`, solved for n. Source: register `label-cover`. Holds if: as `label_error`.
    Proof: docs/proofs/label-cover.md.

    >>> records_label_cover(vc=3, log_cover=20, error=0.1, failure=0.05, epsilon=1, level=0.01)
    2433
    """
    owner = "records_label_cover"
    wrong = chance(error, owner=owner, name="error")
    if below_one(level, owner=owner, name="level") >= wrong:  # however many records there are
        raise ParameterError(owner, "level", level, allowed="below the error")
    return first_whole(
        lambda n: _proves(wrong, n, vc, log_cover, failure, epsilon, level, owner=owner),
        start=2_000,
        smallest=1,
    )
