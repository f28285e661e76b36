"""Privacy: what one private choice or one noisy count loses, and what follows for several of them, for a part, for a
person behind several records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from flint import ctx

from privpac.errors import RuleRefused
from privpac.guarantee.facts import ALL, BoundedRange, Fact, Loss, Privacy, Release, Stability, Unit
from privpac.guarantee.proof import (
    LARGEST_LOG,
    ONE,
    SEAL,
    Proof,
    need,
    need_all_roles,
    need_computed,
    need_ratio,
    need_small,
    parameters,
    power,
    rational,
    selection,
)
from privpac.guarantee.rules.concentrated import noise_concentrated
from privpac.numbers.composition import fold_delta
from privpac.numbers.exact import about_log, ball, decimal_text, plain, shortened, written
from privpac.numbers.range_folds import LARGEST_TIMES, range_fold_delta

__all__ = [
    "assuming",
    "bounded_range",
    "declared",
    "disjoint_parts",
    "exponential_mechanism",
    "geometric_noise",
    "group",
    "k_fold",
    "on_part",
    "permute_and_flip",
    "post_processing",
    "range_fold",
    "sequential",
    "total_variation",
]

F = TypeVar("F", bound=Fact)

STABILITY_DIGITS = 12
"""Decimals of a stability."""

LARGEST_FOLD = 10_000
"""Releases the optimal composition is computed for: a sum over half as many terms, done twice."""


# One choice, one count


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
    need_ratio(rule, ratio, sensitivity)
    fact = Privacy(selection(rule, ratio, sensitivity), unit=unit, part=part, release=release)
    return Proof(fact, rule, where={"ratio": written(ratio), "sensitivity": sensitivity}, seal=SEAL)


def bounded_range(*, ratio: Fraction, sensitivity: int = 1, unit: Unit = Unit.RECORD) -> Proof[BoundedRange]:
    """One exponential mechanism moves the log-odds of every event by at most 2·sensitivity·ln(1/ratio).

    Register `bounded-range`. No rule composes this fact: for log-odds of events it could be done, for the range of
    quotients, as the notion was first defined, it cannot (docs/proofs/exponential-mechanism.md).
    """
    rule = "bounded-range"
    need_ratio(rule, ratio, sensitivity)
    fact = BoundedRange(selection(rule, ratio, sensitivity), unit)
    return Proof(fact, rule, where={"ratio": written(ratio), "sensitivity": sensitivity}, seal=SEAL)


def permute_and_flip(
    *, ratio: Fraction, sensitivity: int = 1, unit: Unit = Unit.RECORD, part: str = ALL
) -> Proof[Privacy]:
    """Permute-and-flip with acceptance ratio^(score - best) has the loss of the exponential mechanism.

    Source: McKenna–Sheldon 2020, Theorem 1; register `permute-and-flip`. Holds if the class is public. Not a
    premise for relabelling: those proofs use the exponential weights themselves.
    """
    rule = "permute-and-flip"
    need_ratio(rule, ratio, sensitivity)
    fact = Privacy(selection(rule, ratio, sensitivity), unit=unit, part=part)
    return Proof(fact, rule, where={"ratio": written(ratio), "sensitivity": sensitivity}, seal=SEAL)


def geometric_noise(
    *, ratio: Fraction, change: int, single: bool = False, unit: Unit = Unit.RECORD, part: str = ALL
) -> Proof[Privacy]:
    """Two-sided geometric noise (mass ∝ ratio^|k|) on counts whose absolute changes add up to at most `change`.

    `single` says that no count moves by more than 1: the same epsilon costs less rho then. Source:
    Ghosh–Roughgarden–Sundararajan 2009; register `geometric-noise`.
    """
    rule = "geometric-noise"
    need_ratio(rule, ratio, change)
    need(rule, ratio < 1, "a ratio of 1 is no distribution")
    loss = Loss(factor=power(rule, 1 / ratio, change))
    fact = Privacy(loss, unit=unit, part=part, release=Release.NUMBERS)
    where = parameters(ratio=ratio, change=change)
    plain = Proof(fact, rule, where=where, seal=SEAL)
    if not single:
        return plain
    return Proof(fact, rule, where=where, beside=(noise_concentrated(plain, largest=1),), seal=SEAL)


# Several, a part, a person


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


def post_processing(
    premise: Proof[Privacy], *, what: str, release: Release = Release.HYPOTHESIS
) -> Proof[Privacy]:
    """Whatever is computed from a private release, without the records, is as private."""
    rule = "post-processing"
    need(rule, bool(what), "it must be said what was computed")
    need_computed(rule, premise.fact.release, release)
    fact = replace(premise.fact, release=release)
    return Proof(fact, rule, (premise,), {"what": what, "release": release.value}, seal=SEAL)


def _same(rule: str, premises: Sequence[Proof[Privacy]]) -> Privacy:
    need(rule, len(premises) >= 1, "there is nothing to compose")
    first = premises[0].fact
    need(rule, all(p.fact.unit == first.unit for p in premises), "the protected units differ")
    return first


def _joint_release(premises: Sequence[Proof[Privacy]]) -> Release:
    releases = {p.fact.release for p in premises}
    return releases.pop() if len(releases) == 1 else Release.HYPOTHESIS


def sequential(*premises: Proof[Privacy]) -> Proof[Privacy]:
    """Releases from the same records, each with fresh coins, add their epsilons and their deltas."""
    rule = "sequential"
    first = _same(rule, premises)
    need(rule, all(p.fact.part == first.part for p in premises), "the releases speak of different parts")
    need_small(rule, sum(about_log(p.fact.epsilon.factor) for p in premises))
    epsilon = sum((p.fact.epsilon for p in premises), Loss())
    delta = shortened(min(ONE, sum((p.fact.delta for p in premises), Fraction(0))))
    fact = replace(first, epsilon=epsilon, delta=delta, release=_joint_release(premises))
    return Proof(fact, rule, tuple(premises), seal=SEAL)


def disjoint_parts(*premises: Proof[Privacy]) -> Proof[Privacy]:
    """Releases from parts fixed beforehand that share no record: the worst part counts.

    Or one release, of which something is known for every role that a record may have: all of them must be there.
    Of one record each: those of one person may lie in several parts, so `group` comes after. Holds if who belongs to
    which part does not depend on the records' contents (assumed of the caller).
    """
    rule = "disjoint-parts"
    first = _same(rule, premises)
    need_all_roles(rule, [p.fact for p in premises])
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
    need(rule, old.part == ALL and part != ALL, "the premise must speak of all records of its input")
    need(rule, bool(part), "a part needs a name")
    fact = Privacy(old.epsilon, old.delta, old.unit, part, old.release)
    return Proof(fact, rule, (premise,), {"part": part}, seal=SEAL)


def group(premise: Proof[Privacy], *, size: int) -> Proof[Privacy]:
    """One person behind `size` records: epsilon grows `size`-fold, delta by (e^(size·eps) - 1)/(e^eps - 1).

    The fact says so: `records_per_person` is `size`, and rules that count one record refuse it.
    """
    rule = "group"
    need(rule, size >= 1, "the group must have at least one record")
    old = premise.fact
    need_small(rule, size * about_log(old.epsilon.factor))
    epsilon = old.epsilon.times(size)
    # 1 + e^eps + … + e^((size-1)·eps), which grows with e^eps: a value above e^eps gives a bound above.
    e = rational(rule, old.epsilon) if old.delta else ONE
    growth = Fraction(size) if e == 1 else (power(rule, e, size) - 1) / (e - 1)
    delta = shortened(min(ONE, old.delta * growth))
    fact = replace(old, epsilon=epsilon, delta=delta, records_per_person=size)
    text = f"no person stands behind more than {size} records"
    assumes = (text,) if size > 1 else ()
    return Proof(fact, rule, (premise,), {"size": size}, assumes, seal=SEAL)


def k_fold(premise: Proof[Privacy], *, times: int, saved: int) -> Proof[Privacy]:
    """`times` equal pure-epsilon releases declared beforehand: ((times - 2·saved)·eps, delta), the optimal trade.

    delta = sum over l < saved of C(times, l)·(e^((times-l)·eps) - e^((times-2·saved+l)·eps)) / (1 + e^eps)^times.
    Source: Kairouz–Oh–Viswanath 2015, Theorem 3.3; register `k-fold-composition`. One entry for the whole batch:
    not valid as a running total over releases chosen as one goes.
    """
    rule = "k-fold-composition"
    old = premise.fact
    need(rule, old.delta == 0, "the releases must be pure epsilon")
    need(rule, times >= 1 and 0 <= 2 * saved <= times, "saved must lie between 0 and half of times")
    need(rule, times <= LARGEST_FOLD, f"more than {LARGEST_FOLD} releases are out of its range")
    if saved == 0:
        need_small(rule, times * about_log(old.epsilon.factor))
        epsilon, delta = old.epsilon.times(times), Fraction(0)
    else:
        e = rational(rule, old.epsilon)
        epsilon = Loss(factor=power(rule, e, times - 2 * saved))
        delta = fold_delta(e, times=times, saved=saved)
    fact = replace(old, epsilon=epsilon, delta=delta)
    return Proof(fact, rule, (premise,), {"times": times, "saved": saved}, seal=SEAL)


def range_fold(
    premise: Proof[BoundedRange], *, times: int, epsilon: Fraction, release: Release = Release.HYPOTHESIS
) -> Proof[Privacy]:
    """`times` releases declared beforehand, each as the premise given the past: (epsilon, delta), the optimal trade.

    Nearly twice as good as `k_fold` for exponential draws, whose log-odds move by epsilon and not by 2 epsilon.
    Register `range-fold`. One entry for the whole batch: not valid as a running total over releases chosen as one goes.
    """
    rule = "range-fold"
    old = premise.fact
    need(rule, 1 <= times <= LARGEST_TIMES, f"the number of releases must lie between 1 and {LARGEST_TIMES}")
    need(rule, 0 <= epsilon <= LARGEST_LOG, f"epsilon must lie between 0 and {LARGEST_LOG}")
    each = max(Fraction(0), old.epsilon.upper)
    need(rule, times * each <= LARGEST_LOG, f"together they must lose at most {LARGEST_LOG}")
    delta = range_fold_delta(each, times=times, total=epsilon)
    fact = Privacy(Loss(log=epsilon), delta, old.unit, ALL, release)
    where = parameters(times=times, epsilon=plain(epsilon), release=release.value)
    return Proof(fact, rule, (premise,), where, seal=SEAL)


def declared(premise: Proof[Privacy], *, epsilon: Fraction, delta: Fraction = Fraction(0)) -> Proof[Privacy]:
    """The decimal numbers a person declared are at or above the true loss: these are charged."""
    rule = "declared"
    need(rule, delta <= 1, "a delta above 1 promises nothing")
    old = premise.fact
    fact = replace(old, epsilon=Loss(log=epsilon), delta=delta)
    if not old.implies(fact):  # numbers are written out only for somebody who reads them
        true = f"({old.epsilon}, {decimal_text(old.delta)})"
        raise RuleRefused(rule, f"the true loss {true} is larger than declared")
    return Proof(fact, rule, (premise,), parameters(epsilon=plain(epsilon), delta=plain(delta)), seal=SEAL)


def assuming(premise: Proof[F], text: str) -> Proof[F]:
    """The same fact, given something that cannot be checked from the inside."""
    need("assuming", bool(text), "an assumption needs words")
    return Proof(premise.fact, "assuming", (premise,), assumes=(text,), seal=SEAL)
