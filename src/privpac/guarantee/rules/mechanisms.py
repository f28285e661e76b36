"""Mechanisms: what one private choice or one noisy count loses."""

from __future__ import annotations

from fractions import Fraction

from privpac.guarantee.facts import ALL, BoundedRange, Loss, Privacy, Release, Unit
from privpac.guarantee.proof import SEAL, Proof, Value, need, need_ratio, power, selection
from privpac.guarantee.rules.concentrated import noise_concentrated

__all__ = [
    "bounded_range",
    "exponential_mechanism",
    "geometric_noise",
    "leafwise_exponential",
    "permute_and_flip",
]


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
    return Proof(fact, rule, where={"ratio": str(ratio), "sensitivity": sensitivity}, seal=SEAL)


def bounded_range(*, ratio: Fraction, sensitivity: int = 1, unit: Unit = Unit.RECORD) -> Proof[BoundedRange]:
    """One exponential mechanism moves the log-odds of every event by at most 2·sensitivity·ln(1/ratio).

    Register `bounded-range`. No rule composes this fact: for log-odds of events it could be done, for the range of
    quotients, as the notion was first defined, it cannot (docs/proofs/exponential-mechanism.md).
    """
    rule = "bounded-range"
    need_ratio(rule, ratio, sensitivity)
    fact = BoundedRange(selection(rule, ratio, sensitivity), unit)
    return Proof(fact, rule, where={"ratio": str(ratio), "sensitivity": sensitivity}, seal=SEAL)


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
    need_ratio(rule, ratio, sensitivity)
    fact = Privacy(selection(rule, ratio, sensitivity), unit=unit, part=part)
    return Proof(fact, rule, where={"ratio": str(ratio), "sensitivity": sensitivity}, seal=SEAL)


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
    where: dict[str, Value] = {"ratio": str(ratio), "change": change}
    plain = Proof(fact, rule, where=where, seal=SEAL)
    if not single:
        return plain
    return Proof(fact, rule, where=where, beside=(noise_concentrated(plain, largest=1),), seal=SEAL)
