"""The only functions that make a `Proof`: one a theorem, each with its page in docs/proofs/.

A rule checks its own conditions and refuses (`RuleRefused`) when one fails. Conditions about the code (a class that
does not look at the records, coins that are fresh) cannot be checked here: they are named in the docstring, and the
exact audits in tests/exact/ test them on the code that ships.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

from flint import ctx

from privpac.errors import RuleRefused
from privpac.guarantee.facts import (
    ALL,
    Accuracy,
    Against,
    BoundedRange,
    Fact,
    Loss,
    Privacy,
    Release,
    Stability,
    Unit,
)
from privpac.guarantee.proof import SEAL, Proof, Value
from privpac.theory.composition import fold_delta
from privpac.theory.exact import ball, decimal_text, exp_up, plain, power_up, shortened

__all__ = [
    "assuming",
    "bounded_range",
    "declared",
    "disjoint_parts",
    "exponential_mechanism",
    "geometric_noise",
    "group",
    "k_fold",
    "leafwise_exponential",
    "occam",
    "on_part",
    "permute_and_flip",
    "post_processing",
    "sampling_with_replacement",
    "sequential",
    "subsampling",
    "total_variation",
]

ONE = Fraction(1)
F = TypeVar("F", bound=Fact)

EXP_DIGITS = 30
"""Decimals to which e^epsilon of a declared epsilon is rounded up where a rule needs a rational number."""

STABILITY_DIGITS = 12
"""Decimals of a stability."""

LARGEST_LOG = 1_000
"""Declared epsilons beyond this have no use where e^epsilon itself is needed."""

LARGEST_EPSILON = 5_000
"""Losses beyond this are refused unless declared as a decimal: e^epsilon would fill pages."""

LARGEST_FOLD = 10_000
"""Releases the optimal composition is computed for: a sum over half as many terms, done twice."""


def _need(rule: str, condition: bool, reason: str, remedy: str = "") -> None:
    if not condition:
        raise RuleRefused(rule, reason, remedy=remedy)


def _need_ratio(rule: str, ratio: Fraction, sensitivity: int) -> None:
    _need(rule, 0 < ratio <= 1, "the ratio must lie in (0, 1]")
    _need(rule, sensitivity >= 1, "the sensitivity must be a positive integer")


def _selection(rule: str, ratio: Fraction, sensitivity: int) -> Loss:
    """e^epsilon = ratio^(-2·sensitivity)."""
    return Loss(factor=_power(rule, 1 / ratio, 2 * sensitivity))


def _power(rule: str, base: Fraction, count: int) -> Fraction:
    """base^count for a base of 1 or more, rounded up if it is too long to be written."""
    _need_small(rule, count * _log(base))
    return power_up(base, count)


def _need_small(rule: str, epsilon: float) -> None:
    _need(rule, epsilon <= LARGEST_EPSILON, f"an epsilon above {LARGEST_EPSILON} is out of its range")


def _log(factor: Fraction) -> float:
    """About ln(factor), of any size: decides what is computed at all, never what is promised."""
    return math.log(factor.numerator) - math.log(factor.denominator)


def exponential_mechanism(
    *,
    ratio: Fraction,
    sensitivity: int = 1,
    unit: Unit = Unit.RECORD,
    part: str = ALL,
    release: Release = Release.HYPOTHESIS,
) -> Proof[Privacy]:
    """A member drawn with weight prior·ratio^score is epsilon-DP, e^epsilon = ratio^(-2·sensitivity).

    Source: McSherry–Talwar 2007; register `exponential-mechanism`. Holds if class, prior and ratio are public and one
    unit moves every score by at most `sensitivity` (assumed of the caller).
    """
    rule = "exponential-mechanism"
    _need_ratio(rule, ratio, sensitivity)
    fact = Privacy(_selection(rule, ratio, sensitivity), unit=unit, part=part, release=release)
    return Proof(fact, rule, where={"ratio": str(ratio), "sensitivity": sensitivity}, seal=SEAL)


def bounded_range(*, ratio: Fraction, sensitivity: int = 1, unit: Unit = Unit.RECORD) -> Proof[BoundedRange]:
    """One exponential mechanism moves the log-odds of every event by at most 2·sensitivity·ln(1/ratio).

    Register `bounded-range`. No rule composes this fact: for log-odds of events it could be done, for the range of
    quotients, as the notion was first defined, it cannot (docs/proofs/exponential-mechanism.md).
    """
    rule = "bounded-range"
    _need_ratio(rule, ratio, sensitivity)
    fact = BoundedRange(_selection(rule, ratio, sensitivity), unit)
    return Proof(fact, rule, where={"ratio": str(ratio), "sensitivity": sensitivity}, seal=SEAL)


def total_variation(premise: Proof[BoundedRange]) -> Proof[Stability]:
    """Log-odds that move by at most epsilon move every probability by at most tanh(epsilon/4)."""
    loss, scale = premise.fact.epsilon, 10**STABILITY_DIGITS

    def enough(steps: int) -> bool:  # tanh(epsilon/4) <= g  <=>  e^epsilon <= ((1 + g)/(1 - g))^2
        return steps >= scale or loss <= Loss(factor=Fraction(scale + steps, scale - steps) ** 2)

    with ctx.workprec(192):
        quarter = (ball(loss.log) + ball(loss.factor).log()) / 4
        edge = int((quarter.tanh() * scale).upper().ceil().unique_fmpz())
    while edge > 0 and enough(edge - 1):  # the ball may lie across a whole number
        edge -= 1
    gamma = min(ONE, Fraction(edge, scale))
    return Proof(Stability(gamma, premise.fact.unit), "total-variation", (premise,), seal=SEAL)


def permute_and_flip(
    *, ratio: Fraction, sensitivity: int = 1, unit: Unit = Unit.RECORD, part: str = ALL
) -> Proof[Privacy]:
    """Permute-and-flip with acceptance ratio^(score - best) has the loss of the exponential mechanism.

    Source: McKenna–Sheldon 2020, Theorem 1; register `permute-and-flip`. Holds if the class is public. Not a
    premise for relabelling: those proofs use the exponential weights themselves.
    """
    rule = "permute-and-flip"
    _need_ratio(rule, ratio, sensitivity)
    fact = Privacy(_selection(rule, ratio, sensitivity), unit=unit, part=part)
    return Proof(fact, rule, where={"ratio": str(ratio), "sensitivity": sensitivity}, seal=SEAL)


def leafwise_exponential(
    *, ratio: Fraction, sensitivity: int = 1, unit: Unit = Unit.RECORD, part: str = ALL
) -> Proof[Privacy]:
    """One exponential mechanism in every leaf of a released partition, on the leaf's own records: one loss for all.

    Adding or removing a record multiplies a leaf's weights by factors in [ratio^sensitivity, 1], so it moves that draw
    by at most half the loss of a replacement; a replaced record does this to two leaves, or replaces within one.
    Register `leafwise-exponential`. Holds if scores are non-negative sums over the leaf's records, each at most
    `sensitivity`, and nothing else about a leaf (its number of records, whether it is empty) is looked at (assumed of
    the caller).
    """
    rule = "leafwise-exponential"
    _need_ratio(rule, ratio, sensitivity)
    fact = Privacy(_selection(rule, ratio, sensitivity), unit=unit, part=part)
    return Proof(fact, rule, where={"ratio": str(ratio), "sensitivity": sensitivity}, seal=SEAL)


def geometric_noise(
    *, ratio: Fraction, change: int, unit: Unit = Unit.RECORD, part: str = ALL
) -> Proof[Privacy]:
    """Two-sided geometric noise (mass ∝ ratio^|k|) on counts whose absolute changes add up to at most `change`.

    Source: Ghosh–Roughgarden–Sundararajan 2009; register `geometric-noise`.
    """
    rule = "geometric-noise"
    _need_ratio(rule, ratio, change)
    _need(rule, ratio < 1, "a ratio of 1 is no distribution")
    loss = Loss(factor=_power(rule, 1 / ratio, change))
    fact = Privacy(loss, unit=unit, part=part, release=Release.NUMBERS)
    return Proof(fact, rule, where={"ratio": str(ratio), "change": change}, seal=SEAL)


def post_processing(
    premise: Proof[Privacy], *, what: str, release: Release = Release.HYPOTHESIS
) -> Proof[Privacy]:
    """Whatever is computed from a private release, without the records, is as private."""
    rule = "post-processing"
    _need(rule, bool(what), "it must be said what was computed")
    old = premise.fact
    fact = Privacy(old.epsilon, old.delta, old.unit, old.part, release)
    return Proof(fact, rule, (premise,), {"what": what, "release": release.value}, seal=SEAL)


def _same(rule: str, premises: Sequence[Proof[Privacy]]) -> Privacy:
    _need(rule, len(premises) >= 1, "there is nothing to compose")
    first = premises[0].fact
    _need(rule, all(p.fact.unit == first.unit for p in premises), "the protected units differ")
    return first


def _joint_release(premises: Sequence[Proof[Privacy]]) -> Release:
    released = {p.fact.release for p in premises}
    return released.pop() if len(released) == 1 else Release.HYPOTHESIS


def sequential(*premises: Proof[Privacy]) -> Proof[Privacy]:
    """Releases from the same records, each with fresh coins, add their epsilons and their deltas."""
    rule = "sequential"
    first = _same(rule, premises)
    _need(rule, all(p.fact.part == first.part for p in premises), "the releases speak of different parts")
    _need_small(rule, sum(_log(p.fact.epsilon.factor) for p in premises))
    epsilon = sum((p.fact.epsilon for p in premises), Loss())
    delta = shortened(min(ONE, sum((p.fact.delta for p in premises), Fraction(0))))
    fact = Privacy(epsilon, delta, first.unit, first.part, _joint_release(premises))
    return Proof(fact, rule, tuple(premises), seal=SEAL)


def disjoint_parts(*premises: Proof[Privacy]) -> Proof[Privacy]:
    """Releases from parts fixed beforehand that share no record: the worst part counts.

    Holds if who belongs to which part does not depend on the records' contents (assumed of the caller).
    """
    rule = "disjoint-parts"
    first = _same(rule, premises)
    parts = [p.fact.part for p in premises]
    _need(rule, len(set(parts)) == len(parts) and ALL not in parts, "the parts are not different parts")
    epsilon = first.epsilon
    for premise in premises:
        epsilon = premise.fact.epsilon if epsilon <= premise.fact.epsilon else epsilon
    delta = max(p.fact.delta for p in premises)
    fact = Privacy(epsilon, delta, first.unit, ALL, _joint_release(premises))
    return Proof(fact, rule, tuple(premises), seal=SEAL)


def on_part(premise: Proof[Privacy], *, part: str) -> Proof[Privacy]:
    """A release that looks at one part of the records only, fixed beforehand: the fact speaks of that part.

    Holds if the records of the part are chosen without looking at any record (assumed of the caller).
    """
    rule = "on-part"
    old = premise.fact
    _need(rule, old.part == ALL and part != ALL, "the premise must speak of all records of its input")
    _need(rule, bool(part), "a part needs a name")
    fact = Privacy(old.epsilon, old.delta, old.unit, part, old.release)
    return Proof(fact, rule, (premise,), {"part": part}, seal=SEAL)


def _rational(rule: str, loss: Loss) -> Fraction:
    """e^epsilon as a rational: itself, or a decimal at or above it when a declared epsilon is involved."""
    if loss.log == 0:
        return loss.factor
    _need(rule, loss.log <= LARGEST_LOG, f"an epsilon above {LARGEST_LOG} is out of its range")
    return exp_up(loss.log, EXP_DIGITS) * loss.factor


def group(premise: Proof[Privacy], *, size: int) -> Proof[Privacy]:
    """One person behind `size` records: epsilon grows `size`-fold, delta by (e^(size·eps) - 1)/(e^eps - 1)."""
    rule = "group"
    _need(rule, size >= 1, "the group must have at least one record")
    old = premise.fact
    _need_small(rule, size * _log(old.epsilon.factor))
    epsilon = old.epsilon.times(size)
    # 1 + e^eps + … + e^((size-1)·eps), which grows with e^eps: a value above e^eps gives a bound above.
    e = _rational(rule, old.epsilon) if old.delta else ONE
    grown = Fraction(size) if e == 1 else (_power(rule, e, size) - 1) / (e - 1)
    fact = Privacy(epsilon, shortened(min(ONE, old.delta * grown)), old.unit, old.part, old.release)
    text = f"no person stands behind more than {size} records"
    assumes = (text,) if size > 1 else ()
    return Proof(fact, rule, (premise,), {"size": size}, assumes, seal=SEAL)


def subsampling(premise: Proof[Privacy], *, kept: int, of: int) -> Proof[Privacy]:
    """Run on a uniform `kept`-subset, in uniformly random order: e^eps' = 1 + q(e^eps - 1), delta' = q·delta.

    Source: Beimel–Nissim–Stemmer Claim 4.3 and Dagan–Feldman L5, with the tight constant; register
    `subsampling-without-replacement`. Holds if the kept records are shuffled (or the inner run ignores order).
    """
    rule = "subsampling-without-replacement"
    _need(rule, 1 <= kept <= of, "the number kept must lie between 1 and the number of records")
    q = Fraction(kept, of)
    old = premise.fact
    factor = shortened(1 + q * (_rational(rule, old.epsilon) - 1))
    fact = Privacy(Loss(factor=factor), shortened(q * old.delta), old.unit, old.part, old.release)
    return Proof(fact, rule, (premise,), {"kept": kept, "of": of}, seal=SEAL)


def sampling_with_replacement(premise: Proof[Privacy], *, draws: int, of: int) -> Proof[Privacy]:
    """Run on `draws` independent uniform records of `of`: e^eps' = (1 + (e^eps - 1)/of)^draws.

    delta' = delta·(e^eps' - 1)/(e^eps - 1). Source: Beimel–Nissim–Stemmer Claim 4.5 and Li–Wang–Ye L21, tight
    constant; register `sampling-with-replacement`.
    """
    rule = "sampling-with-replacement"
    _need(rule, draws >= 1 and of >= 1, "the numbers of draws and of records must be positive")
    old = premise.fact
    inner = _rational(rule, old.epsilon)
    factor = _power(rule, 1 + (inner - 1) / of, draws)
    scale = Fraction(draws, of) if inner == 1 else (factor - 1) / (inner - 1)
    delta = shortened(min(ONE, old.delta * scale))
    fact = Privacy(Loss(factor=factor), delta, old.unit, old.part, old.release)
    return Proof(fact, rule, (premise,), {"draws": draws, "of": of}, seal=SEAL)


def k_fold(premise: Proof[Privacy], *, times: int, saved: int) -> Proof[Privacy]:
    """`times` equal pure-epsilon releases declared beforehand: ((times - 2·saved)·eps, delta), the optimal trade.

    delta = sum over l < saved of C(times, l)·(e^((times-l)·eps) - e^((times-2·saved+l)·eps)) / (1 + e^eps)^times.
    Source: Kairouz–Oh–Viswanath 2015, Theorem 3.3; register `k-fold-composition`. One entry for the whole batch:
    not valid as a running total over releases chosen as one goes.
    """
    rule = "k-fold-composition"
    old = premise.fact
    _need(rule, old.delta == 0, "the releases must be pure epsilon")
    _need(rule, times >= 1 and 0 <= 2 * saved <= times, "saved must lie between 0 and half of times")
    _need(rule, times <= LARGEST_FOLD, f"more than {LARGEST_FOLD} releases are out of its range")
    if saved == 0:
        _need_small(rule, times * _log(old.epsilon.factor))
        epsilon, delta = old.epsilon.times(times), Fraction(0)
    else:
        e = _rational(rule, old.epsilon)
        epsilon = Loss(factor=_power(rule, e, times - 2 * saved))
        delta = fold_delta(e, times=times, saved=saved)
    fact = Privacy(epsilon, delta, old.unit, old.part, old.release)
    return Proof(fact, rule, (premise,), {"times": times, "saved": saved}, seal=SEAL)


def declared(premise: Proof[Privacy], *, epsilon: Fraction, delta: Fraction = Fraction(0)) -> Proof[Privacy]:
    """The decimal numbers a person declared are at or above the true loss: these are charged."""
    rule = "declared"
    _need(rule, delta <= 1, "a delta above 1 promises nothing")
    old = premise.fact
    fact = Privacy(Loss(log=epsilon), delta, old.unit, old.part, old.release)
    true = f"({old.epsilon}, {decimal_text(old.delta)})"
    _need(rule, old.implies(fact), f"the true loss {true} is larger than declared")
    where: dict[str, Value] = {"epsilon": plain(epsilon), "delta": plain(delta)}
    return Proof(fact, rule, (premise,), where, seal=SEAL)


def assuming(premise: Proof[F], text: str) -> Proof[F]:
    """The same fact, given something that cannot be checked from the inside."""
    _need("assuming", bool(text), "an assumption needs words")
    return Proof(premise.fact, "assuming", (premise,), assumes=(text,), seal=SEAL)


def occam(
    *,
    odds: int | Fraction,
    records: int,
    ratio: Fraction,
    tilt: Fraction,
    error: Fraction,
    failure: Fraction,
    against: Against,
) -> Proof[Accuracy]:
    """The drawn member errs by more than `error` (above the best) with probability at most odds·base^records.

    Here odds is at least 1/(smallest prior of a member) - 1, which is size - 1 under a uniform prior, and, with
    x = tilt in [ratio, 1]: base = 1 - error·(1 - x) (realizable) or the worst case over the best error,
    ((1 - error)/x + (1 + error)·x)/2 (agnostic).
    Source: our one-step bound, register `occam-realizable` and `occam-agnostic`; replaces Beimel et al. 2013, Theorem
    3.2. Holds for independent records. With costs, errors are average costs divided by the largest, and `ratio` is
    the weight of one largest cost.
    """
    rule = f"occam-{against.value}"
    _need(rule, 0 < ratio <= tilt <= 1, "the tilt must lie between the ratio and 1")
    _need(rule, 0 < error <= 1 and 0 < failure < 1, "error and failure must lie in (0, 1)")
    _need(rule, odds >= 0 and records >= 0, "odds and records must not be negative")
    base = (
        1 - error * (1 - tilt)
        if against is Against.REALIZABLE
        else ((1 - error) / tilt + (1 + error) * tilt) / 2
    )
    with ctx.workprec(192):
        log_bound = ball(Fraction(odds)).log() + records * ball(base).log() if odds else None
        holds = odds == 0 or bool(log_bound <= ball(failure).log())
    _need(rule, holds, "the bound is larger than the failure probability asked for")
    where: dict[str, Value] = {
        "odds": str(odds),
        "records": records,
        "ratio": str(ratio),
        "tilt": str(tilt),
    }
    fact = Accuracy(error, failure, against, records)
    return Proof(fact, rule, where=where, seal=SEAL)
