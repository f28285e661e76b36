"""Accuracy over covers: under a bounded density against a public reference, and where only labels are protected."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from privpac.guarantee.facts import Accuracy, Against
from privpac.guarantee.proof import SEAL, Proof, need, parameters
from privpac.numbers.exact import ball, ln_down, ln_up, plain, written
from privpac.theory.occam import within
from privpac.theory.refined import mean_agnostic

__all__ = ["density_text", "label_cover", "label_thresholds", "labellings", "reference_cover"]

_BITS = 192
_DIGITS = 9

REALIZABLE, AGNOSTIC = Against.REALIZABLE, Against.AGNOSTIC


def density_text(kappa: Fraction, reference: str) -> str:
    """What an accuracy statement against a reference assumes of the world."""
    return f"records come from a distribution whose density against {reference} is at most {plain(kappa)}"


def _need_targets(rule: str, error: Fraction, failure: Fraction, records: int) -> None:
    need(rule, 0 < error <= 1 and 0 < failure < 1, "error and failure must lie in (0, 1)")
    need(rule, records >= 1, "there must be records")


def reference_cover(
    *,
    odds: int | Fraction,
    records: int,
    ratio: Fraction,
    tilt: Fraction,
    kappa: Fraction,
    level: Fraction,
    miss: Fraction,
    reference: str,
    error: Fraction,
    failure: Fraction,
    against: Against,
) -> Proof[Accuracy]:
    """A draw over candidates of which one is within `level` of every concept, measured by the reference.

    Under a density of at most kappa that candidate is within t = kappa·level, and with x = tilt the draw errs by more
    than `error` (above the best concept) with probability at most miss + odds·base^records: base is
    1 - error·(1 - x) + t·(1/x - 1), or, where no concept is perfect, (1 - D)/(2x) + x(1 + D)/2 with D = error - t.
    Source: Chaudhuri–Hsu 2011, Theorems 8 and 9, with a direct bound; register `reference-cover-realizable` and
    `reference-cover-agnostic`. Holds for independent records, candidates chosen without them, odds at least (bad
    candidates)/(good ones), or at least the number of candidates where x is above the ratio, and `miss` at least the
    chance that the candidates hold no good one.
    """
    rule = f"reference-cover-{against.value}"
    _need_targets(rule, error, failure, records)
    need(rule, 0 < ratio <= tilt < 1, "the tilt must lie between the ratio and 1")
    need(rule, kappa >= 1, "a density bound below 1 holds for no distribution")
    need(rule, odds >= 0 and level >= 0 and 0 <= miss < failure, "odds, level or miss is out of range")
    loss = kappa * level
    need(rule, loss < error, "the cover is too coarse for the error asked for")
    need(rule, bool(reference), "the reference needs a name")
    gap = error - loss
    if against is REALIZABLE:
        base = 1 - error * (1 - tilt) + loss * (1 / tilt - 1)
    else:
        base = (1 - gap) / (2 * tilt) + tilt * (1 + gap) / 2
    with ctx.workprec(_BITS):
        holds = odds == 0 or bool(
            ball(Fraction(odds)).log() + records * ball(base).log() <= ball(failure - miss).log()
        )
    need(rule, holds, "the bound is larger than the failure probability asked for")
    where = parameters(
        odds=written(odds),
        records=records,
        ratio=ratio,
        tilt=tilt,
        kappa=plain(kappa),
        level=level,
        miss=miss,
        reference=reference,
    )
    fact = Accuracy(error, failure, against, records)
    return Proof(fact, rule, where=where, assumes=(density_text(kappa, reference),), seal=SEAL)


def labellings(
    *,
    members: int,
    records: int,
    ratio: Fraction,
    tilt: Fraction,
    error: Fraction,
    failure: Fraction,
    against: Against,
) -> Proof[Accuracy]:
    """A concept drawn over the labellings of the features, each once, errs as one drawn from its whole class.

    It errs by more than `error` (above the best) with probability at most (members - 1)·base^records, where with
    x = tilt in [ratio, 1) base = 1 - error·(1 - x), or, where no concept is perfect, ((1 - error)/x + (1 + error)·x)/2.
    Source: ours, register `labellings-realizable` and `labellings-agnostic`. Holds for independent records if every
    labelling is represented by a concept of a class of at most `members`, chosen by the features in any way.
    """
    rule = f"labellings-{against.value}"
    need(rule, against in (REALIZABLE, AGNOSTIC), "it speaks of errors under the distribution")
    _need_targets(rule, error, failure, records)
    need(rule, 0 < ratio <= tilt < 1, "the tilt must lie between the ratio and 1")
    need(rule, members >= 1, "there must be a member")
    base = 1 - error * (1 - tilt) if against is REALIZABLE else mean_agnostic(error, tilt=tilt)
    need(
        rule,
        within(Fraction(members - 1), base, records, failure),
        "the bound is larger than the failure probability asked for",
    )
    where = parameters(members=written(members), records=records, ratio=ratio, tilt=tilt)
    return Proof(Accuracy(error, failure, against, records), rule, where=where, seal=SEAL)


def label_thresholds(
    *,
    records: int,
    cuts: int,
    spacing: int,
    few: int,
    ratio: Fraction,
    error: Fraction,
    failure: Fraction,
) -> Proof[Accuracy]:
    """A threshold drawn over cuts taken from the features, whatever their distribution.

    Error above `error` has probability at most 2·P[Bin(records, error) ≤ few] + cuts·ratio^(few + 1 - spacing).
    Source: register `label-thresholds` (Chaudhuri–Hsu 2011, Theorem 27). Holds for independent records whose labels
    follow a threshold, if one of `cuts` cuts makes at most `spacing` mistakes.
    """
    rule = "label-thresholds"
    _need_targets(rule, error, failure, records)
    need(rule, 0 < ratio < 1, "the ratio must lie between 0 and 1")
    need(rule, cuts >= 1 and 0 <= spacing <= few < records, "cuts, spacing or few is out of range")
    need(rule, error < 1, "an error of 1 promises nothing")
    with ctx.workprec(_BITS):
        p = ball(error)
        term, tail = (1 - p) ** records, arb(0)
        for k in range(few + 1):
            tail += term
            term = term * (records - k) / (k + 1) * p / (1 - p)
        holds = bool(2 * tail + cuts * ball(ratio) ** (few + 1 - spacing) <= ball(failure))
    need(rule, holds, "the bound is larger than the failure probability asked for")
    where = parameters(records=records, cuts=cuts, spacing=spacing, few=few, ratio=ratio)
    return Proof(Accuracy(error, failure, REALIZABLE, records), rule, where=where, seal=SEAL)


def label_cover(
    *,
    records: int,
    vc: int,
    candidates: int,
    ratio: Fraction,
    level: Fraction,
    error: Fraction,
    failure: Fraction,
) -> Proof[Accuracy]:
    """A concept drawn over labellings of the features, of which one is within `level` of the true labels.

    Error at most `error` if ln(2·candidates/failure)/(records·ln(1/ratio)) + level ≤ error - √(error·e), where
    e = 4·(vc·(1 + ln(2·records/vc)) + ln(8/failure))/records.
    Source: register `label-cover` (Chaudhuri–Hsu 2011, Theorem 27). Holds for independent records whose labels follow
    a concept of a class of VC dimension `vc`.
    """
    rule = "label-cover"
    _need_targets(rule, error, failure, records)
    need(rule, 0 < ratio < 1, "the ratio must lie between 0 and 1")
    need(rule, vc >= 1 and candidates >= 1 and 0 <= level < 1, "vc, candidates or level is out of range")
    need(rule, 2 * records >= vc, "there are too few records for this VC dimension")
    # Logarithms are rounded outward to nine decimals, so that the checker decides by the same numbers.
    spent = ln_down(1 / ratio, _DIGITS)
    need(rule, spent > 0, "the ratio is too close to 1 for nine decimals")
    noise = ln_up(2 * candidates / failure, _DIGITS) / (records * spent) + level
    spread = vc * (1 + ln_up(Fraction(2 * records, vc), _DIGITS)) + ln_up(8 / failure, _DIGITS)
    holds = error > noise and (error - noise) ** 2 >= error * 4 * spread / records
    need(rule, holds, "the bound is larger than the error asked for")
    where = parameters(records=records, vc=vc, candidates=written(candidates), ratio=ratio, level=level)
    return Proof(Accuracy(error, failure, REALIZABLE, records), rule, where=where, seal=SEAL)
