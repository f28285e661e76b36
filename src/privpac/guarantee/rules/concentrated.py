"""Concentrated privacy: what releases cost in rho, what several of them cost together, and the (epsilon, delta) of it.

The fact `Concentrated` speaks of all Rényi orders at once and is what a ledger adds. Where it has a delta, it holds but
for a bad event of that probability; the same event serves the (epsilon, delta) fact of the same release.
Proofs: docs/proofs/concentrated.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from privpac.guarantee.facts import ALL, BoundedRange, Concentrated, Loss, Privacy, Range, Release
from privpac.guarantee.proof import (
    ONE,
    SEAL,
    Proof,
    need,
    need_all_roles,
    need_computed,
    need_record,
    need_secret,
    parameters,
)
from privpac.numbers.concentrated import (
    log_odds_rho,
    noise_rho,
    order_epsilon,
    pure_rho,
    range_rho,
    rho_up,
    subsampled_range,
)
from privpac.numbers.exact import shortened

__all__ = [
    "concentrated_group",
    "concentrated_mixture",
    "concentrated_on_part",
    "concentrated_parts",
    "concentrated_post_processing",
    "concentrated_privacy",
    "concentrated_sum",
    "draw_range",
    "log_odds_concentrated",
    "noise_concentrated",
    "pure_concentrated",
    "range_concentrated",
    "range_log_odds",
    "subsampled_concentrated",
]

DRAWS = ("exponential-mechanism", "leafwise-medians", "exponential-vote")
"""Rules about one stage of draws with exponential weights: only they have a range."""

LARGEST_ORDER = 10**9
"""A witness beyond this helps nobody."""


def draw_range(premise: Proof[Privacy]) -> Proof[Range]:
    """One stage of exponential draws moves the quotients of all outcomes within one interval of its epsilon.

    Source: Durfee–Rogers 2019, for leaves and votes ours; register `draw-range`. Holds given all coins that were drawn
    without looking at records. Not true of permute-and-flip, of `vote`, or of adaptive stages together.
    """
    rule = "draw-range"
    need(rule, premise.rule in DRAWS, "the premise must be one stage of exponential draws")
    old = premise.fact
    return Proof(Range(old.epsilon, old.unit, old.part, old.release), rule, (premise,), seal=SEAL)


def range_log_odds(premise: Proof[Range]) -> Proof[BoundedRange]:
    """Quotients within a range of epsilon move the log-odds of every event by at most epsilon.

    Register `range-log-odds`.
    """
    rule = "range-log-odds"
    need(rule, premise.fact.part == ALL, "the range must speak of all records")
    return Proof(BoundedRange(premise.fact.epsilon, premise.fact.unit), rule, (premise,), seal=SEAL)


def range_concentrated(premise: Proof[Range]) -> Proof[Concentrated]:
    """A range of epsilon costs epsilon²/8.

    Source: Cesar–Rogers 2021, proof by Popoviciu's inequality; register `range-concentrated`.
    """
    old = premise.fact
    rho = range_rho(_upper(old.epsilon))
    fact = Concentrated(rho, unit=old.unit, part=old.part, release=old.release)
    return Proof(fact, "range-concentrated", (premise,), seal=SEAL)


def log_odds_concentrated(
    premise: Proof[BoundedRange], *, release: Release = Release.HYPOTHESIS
) -> Proof[Concentrated]:
    """Log-odds of events that move by at most epsilon cost epsilon·coth(epsilon/2) - 2, not epsilon²/8.

    Register `log-odds-concentrated`.
    """
    fact = Concentrated(log_odds_rho(_upper(premise.fact.epsilon)), unit=premise.fact.unit, release=release)
    return Proof(fact, "log-odds-concentrated", (premise,), parameters(release=release.value), seal=SEAL)


def pure_concentrated(premise: Proof[Privacy]) -> Proof[Concentrated]:
    """Any (epsilon, delta)-private release costs epsilon·tanh(epsilon/2), but for delta.

    Source: Kairouz–Oh–Viswanath 2015 (domination by randomised response); register `pure-concentrated`.
    """
    old = premise.fact
    rho = pure_rho(_upper(old.epsilon))
    fact = Concentrated(rho, old.delta, old.unit, old.part, old.release, old.records_per_person, old.roles)
    return Proof(fact, "pure-concentrated", (premise,), seal=SEAL)


def noise_concentrated(premise: Proof[Privacy], *, largest: int) -> Proof[Concentrated]:
    """Geometric noise on counts of which one unit moves each by at most `largest`, and all by `change` together.

    Moved by 1 each: epsilon·tanh(epsilon/(2·change)); one moved by 2: epsilon·(1 - e^(-epsilon/2)). Register
    `noise-concentrated`. Holds if no count moves by more than `largest` (assumed of the caller).
    """
    rule = "noise-concentrated"
    need(rule, premise.rule == "geometric-noise", "the premise must be geometric noise")
    change, old = int(premise.where["change"]), premise.fact
    need(rule, 1 <= largest <= change, "the largest change must lie between 1 and the whole change")
    need(
        rule, largest == 1 or change == 2, "of a count that moves by more than 1 only a change of 2 is priced"
    )
    rho = noise_rho(_upper(old.epsilon), counts=change if largest == 1 else 1, largest=largest)
    fact = Concentrated(rho, unit=old.unit, part=old.part, release=old.release)
    return Proof(fact, rule, (premise,), {"largest": largest}, seal=SEAL)


def subsampled_concentrated(premise: Proof[Range], *, kept: int, of: int) -> Proof[Concentrated]:
    """A draw of range E on a uniform `kept`-subset in random order costs (g·E)²/8, g = q·e^E/(1 + q·(e^E - 1)).

    Not (q·E)²/8, which is false. Register `subsampled-concentrated`. Refused unless whole records are protected, as
    `subsampling`. Holds if the kept records are shuffled and who they are stays secret (assumed of the caller).
    """
    rule = "subsampled-concentrated"
    need(rule, 1 <= kept <= of, "the number kept must lie between 1 and the number of records")
    old = premise.fact
    need_record(rule, old)
    need_secret(rule, old)
    rho = range_rho(subsampled_range(_upper(old.epsilon), Fraction(kept, of)))
    fact = Concentrated(rho, unit=old.unit, part=old.part, release=old.release)
    return Proof(fact, rule, (premise,), {"kept": kept, "of": of}, seal=SEAL)


def _upper(loss: Loss) -> Fraction:
    """A decimal at or above epsilon, and not below 0."""
    return max(Fraction(0), loss.upper)


def _joint(rule: str, premises: Sequence[Proof[Concentrated]]) -> tuple[Concentrated, Release]:
    need(rule, len(premises) >= 1, "there is nothing to compose")
    first = premises[0].fact
    need(rule, all(p.fact.unit == first.unit for p in premises), "the protected units differ")
    releases = {p.fact.release for p in premises}
    return first, first.release if len(releases) == 1 else Release.HYPOTHESIS


def concentrated_sum(*premises: Proof[Concentrated], times: int = 1) -> Proof[Concentrated]:
    """Releases from the same records, each with fresh coins, add their rhos and their deltas; all of it `times` times.

    Source: Bun–Steinke 2016, Lemma 7 (adaptive form); register `concentrated-sum`.
    """
    rule = "concentrated-sum"
    first, release = _joint(rule, premises)
    need(rule, all(p.fact.part == first.part for p in premises), "the releases speak of different parts")
    need(rule, times >= 1, "something must be released")
    rho = times * sum((p.fact.rho for p in premises), Fraction(0))
    delta = shortened(min(ONE, times * sum((p.fact.delta for p in premises), Fraction(0))))
    fact = replace(first, rho=rho, delta=delta, release=release)
    return Proof(fact, rule, tuple(premises), {"times": times}, seal=SEAL)


def concentrated_post_processing(
    premise: Proof[Concentrated], *, what: str, release: Release = Release.HYPOTHESIS
) -> Proof[Concentrated]:
    """Whatever is computed from a release, without the records, costs no more: divergences do not grow.

    Register `concentrated-post-processing`.
    """
    rule = "concentrated-post-processing"
    need(rule, bool(what), "it must be said what was computed")
    need_computed(rule, premise.fact.release, release)
    fact = replace(premise.fact, release=release)
    return Proof(fact, rule, (premise,), {"what": what, "release": release.value}, seal=SEAL)


def concentrated_on_part(premise: Proof[Concentrated], *, part: str) -> Proof[Concentrated]:
    """A release that looks at one part of the records only, fixed beforehand: the fact speaks of that part.

    Register `concentrated-on-part`. Holds if the part is chosen without looking at a record (assumed of the caller).
    """
    rule = "concentrated-on-part"
    old = premise.fact
    need(rule, old.part == ALL and part != ALL, "the premise must speak of all records of its input")
    need(rule, bool(part), "a part needs a name")
    fact = Concentrated(old.rho, old.delta, old.unit, part, old.release)
    return Proof(fact, rule, (premise,), {"part": part}, seal=SEAL)


def concentrated_parts(*premises: Proof[Concentrated]) -> Proof[Concentrated]:
    """Releases from parts fixed beforehand that share no record: the dearest part counts. Or one, in all its roles.

    Register `concentrated-parts`. Holds if who belongs to which part does not depend on the records' contents (assumed
    of the caller).
    """
    rule = "concentrated-parts"
    first, release = _joint(rule, premises)
    need_all_roles(rule, [p.fact for p in premises])
    fact = replace(_dearest(premises, first, ALL, release), roles=0)
    return Proof(fact, rule, tuple(premises), seal=SEAL)


def concentrated_mixture(*premises: Proof[Concentrated]) -> Proof[Concentrated]:
    """One of several releases, chosen by secret coins that look at no record: the dearest one counts.

    Register `concentrated-mixture`. Holds if the coins do not depend on the records (assumed of the caller).
    """
    rule = "concentrated-mixture"
    first, release = _joint(rule, premises)
    need(rule, all(p.fact.part == first.part for p in premises), "the releases speak of different parts")
    fact = _dearest(premises, first, first.part, release)
    return Proof(fact, rule, tuple(premises), seal=SEAL)


def _dearest(
    premises: Sequence[Proof[Concentrated]], first: Concentrated, part: str, release: Release
) -> Concentrated:
    rho = max(p.fact.rho for p in premises)
    return replace(first, rho=rho, delta=max(p.fact.delta for p in premises), part=part, release=release)


def concentrated_group(premise: Proof[Concentrated], *, size: int) -> Proof[Concentrated]:
    """One person behind `size` records costs size² times as much, not size times.

    Source: Bun–Steinke 2016, Proposition 27; register `concentrated-group`.
    """
    rule = "concentrated-group"
    need(rule, size >= 1, "the group must have at least one record")
    old = premise.fact
    need(rule, old.delta == 0, "the release must have no delta")
    fact = replace(old, rho=size * size * old.rho, records_per_person=size)
    text = f"no person stands behind more than {size} records"
    return Proof(fact, rule, (premise,), {"size": size}, (text,) if size > 1 else (), seal=SEAL)


def concentrated_privacy(premise: Proof[Concentrated], *, delta: Fraction, order: Fraction) -> Proof[Privacy]:
    """rho as (epsilon, delta): epsilon = order·rho + (ln c + ln(1/delta))/(order - 1), rounded up.

    c = (order - 1)^(order - 1)/order^order. Every order above 1 is sound. Source: Canonne–Kamath–Steinke 2020,
    Proposition 12; register `concentrated-privacy`. For an amount of rho fixed beforehand: what was spent at a moment
    chosen by looking is no promise.
    """
    rule = "concentrated-privacy"
    need(rule, 0 < delta < 1, "delta must lie in (0, 1)")
    need(rule, 1 < order <= LARGEST_ORDER, f"the order must lie above 1 and not above {LARGEST_ORDER}")
    old = premise.fact
    epsilon = Loss(log=order_epsilon(rho_up(old.rho), delta, order))
    total = shortened(min(ONE, old.delta + delta))
    fact = Privacy(epsilon, total, old.unit, old.part, old.release, old.records_per_person)
    return Proof(fact, rule, (premise,), parameters(delta=delta, order=order), seal=SEAL)
