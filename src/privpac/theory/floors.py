"""Lower bounds: below this many records no private algorithm of the stated kind can keep its promise.

A floor of N means: for every n < N the theorem proves that no algorithm reaches the failure probability asked
for. Sums are ball arithmetic and ties count as not proved, so a floor is never too high. All hold for one
replaced record, and for pure epsilon where they take no delta; `least_failure_*` and `most_success_*` evaluate the
inequality at one n, rounded towards "possible". Floors for every answer are in `any_floors`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb, ctx

from privpac.errors import ParameterError
from privpac.numbers.binomial import rounded_up
from privpac.numbers.exact import PRECISIONS, ball
from privpac.numbers.parameters import Number, at_least, chance, fraction_below, positive, rational
from privpac.theory.packing import (
    first_named,
    first_possible,
    first_target,
    guess,
    named_target,
    packing_distance,
    read_delta,
    rough_named,
    rounded_down,
    wrong_target,
)
from privpac.theory.register import formula

__all__ = [
    "floor_generated_points",
    "floor_minimal_class",
    "floor_point_counts",
    "floor_points_any",
    "floor_points_light",
    "floor_points_proper",
    "floor_thresholds_few_switches",
    "floor_thresholds_proper",
    "least_failure_points",
    "least_failure_points_any",
    "least_failure_thresholds",
    "most_success_points_light",
    "most_success_thresholds_few_switches",
]

_HALF = Fraction(1, 2)


@formula("floor-minimal-class")
def floor_minimal_class(size: int, *, failure: Number, epsilon: Number) -> int:
    """Records below which no private learner can answer within a minimal class of `size` hypotheses.

    Statement: n ≥ ln((size - 1)(1 - failure)/failure)/epsilon.
    Source: register `floor-minimal-class` (Beimel–Brenner–Kasiviswanathan–Nissim 2013, Theorem 3.6).
    Holds if: pure epsilon; without any one hypothesis the class no longer represents the concepts at the
    error asked for (points: every error below 1; thresholds, size = domain + 1: every error below 1/2).
    Proof: docs/proofs/floors.md.

    >>> floor_minimal_class(2**32, failure=0.05, epsilon=1)
    26
    """
    owner = "floor_minimal_class"
    rivals = at_least(1, size, owner=owner, name="size") - 1
    miss, loss = (
        chance(failure, owner=owner, name="failure"),
        positive(epsilon, owner=owner, name="epsilon"),
    )
    return packing_distance(rivals, failure=miss, epsilon=loss)


@formula("floor-generated-points")
def floor_generated_points(domain: int, *, failure: Number, epsilon: Number, advantage: Number = 0) -> int:
    """Records below which no *efficient* private learner that answers with a point learns generated points.

    Statement: n ≥ ln((T - 1)(1 - failure - advantage)/(failure + advantage))/epsilon.
    Source: register `floor-generated-points` (Beimel–Brenner–Kasiviswanathan–Nissim 2013, Theorem 6.1, repaired).
    Symbols: T = 2^d → domain, beta → failure, nu → advantage.
    Holds if: nobody who runs as long as the learner tells generated values from random ones better than `advantage`:
    an assumption about the generator. Proof: docs/proofs/generated-points.md.

    >>> floor_generated_points(2**64, failure=0.05, epsilon=1)
    48
    """
    owner = "floor_generated_points"
    rivals = at_least(1, domain, owner=owner, name="domain") - 1
    miss, loss = chance(failure, owner=owner, name="failure"), positive(epsilon, owner=owner, name="epsilon")
    lucky = rational(advantage, owner=owner, name="advantage")
    if not 0 <= lucky < 1 - miss:
        raise ParameterError(owner, "advantage", advantage, allowed="at least 0 and below 1 - failure")
    return packing_distance(rivals, failure=miss + lucky, epsilon=loss)


@formula("floor-points-proper")
def least_failure_points(
    n: int, *, domain: int, error: Number, epsilon: Number, delta: Number = 0
) -> Fraction:
    """A failure probability no proper private learner of points gets below with `n` records, rounded down.

    Statement: E[(1 - delta_K)·(T - 2)/(T - 2 + e^(epsilon·K))], K binomial(n, error), T = domain, delta_K =
    the smaller of 1 and delta·(e^(epsilon·K) - 1)/(e^epsilon - 1). Source: register `floor-points-proper` (Lemma 3.9,
    repaired).
    Holds if: the answer is a point.
    Proof: docs/proofs/floors.md.
    """
    owner = "least_failure_points"
    size, have = at_least(2, domain, owner=owner, name="domain"), at_least(0, n, owner=owner, name="n")
    mass, loss = chance(error, owner=owner, name="error"), positive(epsilon, owner=owner, name="epsilon")
    slack = read_delta(delta, owner=owner)
    return rounded_down(lambda: wrong_target(have, rivals=size - 2, mass=mass, epsilon=loss, delta=slack))


@formula("floor-points-proper")
def floor_points_proper(
    domain: int, *, error: Number, failure: Number, epsilon: Number, delta: Number = 0
) -> int:
    """Records below which no private learner can find a point of `domain` and answer with a point.

    Statement: failure ≥ E[(1 - delta_K)·(T - 2)/(T - 2 + e^(epsilon·K))], K binomial(n, error), T = domain, delta_K
    as in `least_failure_points`.
    Source: register `floor-points-proper` (Beimel–Brenner–Kasiviswanathan–Nissim 2013, Lemma 3.9, repaired).
    Symbols: T = 2^d → domain, alpha → error, beta → failure. Holds if: the answer is a point.
    Proof: docs/proofs/floors.md.

    >>> floor_points_proper(2**32, error=0.1, failure=0.05, epsilon=1)
    312
    """
    owner = "floor_points_proper"
    rivals = at_least(2, domain, owner=owner, name="domain") - 2
    mass, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    loss = positive(epsilon, owner=owner, name="epsilon")
    slack = read_delta(delta, owner=owner)
    return first_target(rivals, mass=mass, failure=miss, epsilon=loss, delta=slack)


@formula("floor-thresholds-proper")
def least_failure_thresholds(
    n: int, *, domain: int, error: Number, epsilon: Number, delta: Number = 0
) -> Fraction:
    """A failure probability no proper private learner of thresholds gets below with `n` records.

    Statement: E[(1 - delta_K)·(T - 1)/(T - 1 + e^(epsilon·K))], K binomial(n, 2·error), T = domain, delta_K =
    the smaller of 1 and delta·(e^(epsilon·K) - 1)/(e^epsilon - 1); rounded down.
    Source: register `floor-thresholds-proper` (Lemma 5.2, sharpened).
    Holds if: the answer is a threshold; error below 1/2.
    Proof: docs/proofs/floors.md.
    """
    owner = "least_failure_thresholds"
    size, have = at_least(1, domain, owner=owner, name="domain"), at_least(0, n, owner=owner, name="n")
    mass = 2 * fraction_below(_HALF, error, owner=owner, name="error")
    loss = positive(epsilon, owner=owner, name="epsilon")
    slack = read_delta(delta, owner=owner)
    return rounded_down(lambda: wrong_target(have, rivals=size - 1, mass=mass, epsilon=loss, delta=slack))


@formula("floor-thresholds-proper")
def floor_thresholds_proper(
    domain: int, *, error: Number, failure: Number, epsilon: Number, delta: Number = 0
) -> int:
    """Records below which no private learner can place a threshold on `domain` and answer with a threshold.

    Statement: failure ≥ E[(1 - delta_K)·(T - 1)/(T - 1 + e^(epsilon·K))], K binomial(n, 2·error), T = domain,
    delta_K as in `least_failure_thresholds`.
    Source: register `floor-thresholds-proper` (Beimel–Brenner–Kasiviswanathan–Nissim 2013, Lemma 5.2).
    Holds if: the answer is a threshold; error below 1/2.
    Proof: docs/proofs/floors.md.

    >>> [floor_thresholds_proper(2**32, error=0.1, failure=0.05, epsilon=1, delta=delta) for delta in (0, "1e-6")]
    [154, 100]
    """
    owner = "floor_thresholds_proper"
    rivals = at_least(1, domain, owner=owner, name="domain") - 1
    mass = 2 * fraction_below(_HALF, error, owner=owner, name="error")
    miss = chance(failure, owner=owner, name="failure")
    loss = positive(epsilon, owner=owner, name="epsilon")
    slack = read_delta(delta, owner=owner)
    return first_target(rivals, mass=mass, failure=miss, epsilon=loss, delta=slack)


@formula("floor-points-light")
def most_success_points_light(
    n: int, *, domain: int, weight: int, error: Number, epsilon: Number
) -> Fraction:
    """How often a private learner of points can be accurate with at most `weight` ones, rounded up.

    Statement: E[min(1, weight·e^(epsilon·K)/(T - 1))], K binomial(n, error), T = domain.
    Source: register `floor-points-light` (Theorem 4.11, with an explicit constant). Holds if: pure epsilon.
    Proof: docs/proofs/floors.md.
    """
    owner = "most_success_points_light"
    share = _light_share(domain, weight, owner=owner)
    have, mass = at_least(0, n, owner=owner, name="n"), chance(error, owner=owner, name="error")
    loss = positive(epsilon, owner=owner, name="epsilon")
    with ctx.workprec(PRECISIONS[0]):
        return rounded_up(named_target(have, share=share, mass=mass, epsilon=loss))


@formula("floor-points-light")
def floor_points_light(domain: int, *, weight: int, success: Number, error: Number, epsilon: Number) -> int:
    """Records below which no private learner of points is accurate with at most `weight` ones that often.

    Statement: success ≤ E[min(1, weight·e^(epsilon·K)/(T - 1))], K binomial(n, error), T = domain.
    Source: register `floor-points-light` (Beimel–Brenner–Kasiviswanathan–Nissim 2013, Theorem 4.11).
    Symbols: z → weight. Holds if: pure epsilon. Proof: docs/proofs/floors.md.

    >>> floor_points_light(2**32, weight=2, success=0.45, error=0.1, epsilon=1)
    202
    """
    owner = "floor_points_light"
    share = _light_share(domain, weight, owner=owner)
    often, mass = (
        chance(success, owner=owner, name="success"),
        chance(error, owner=owner, name="error"),
    )
    loss = positive(epsilon, owner=owner, name="epsilon")
    return first_named(share, often=often, mass=mass, epsilon=loss)


def _light_share(domain: object, weight: object, *, owner: str) -> Fraction:
    targets = at_least(2, domain, owner=owner, name="domain") - 1
    return Fraction(at_least(1, weight, owner=owner, name="weight"), targets)


@formula("floor-thresholds-few-switches")
def most_success_thresholds_few_switches(
    n: int, *, domain: int, switches: int, error: Number, epsilon: Number
) -> Fraction:
    """How often a private learner of thresholds can be accurate with few changes of label, rounded up.

    Statement: E[min(1, (switches/2 + 1)·e^(epsilon·K)/T)], K binomial(n, 2·error), T = domain.
    Source: register `floor-thresholds-few-switches` (Theorem 5.4, with an explicit constant).
    Holds if: pure epsilon; error below 1/2. Proof: docs/proofs/floors.md.
    """
    owner = "most_success_thresholds_few_switches"
    share = _switch_share(domain, switches, owner=owner)
    have = at_least(0, n, owner=owner, name="n")
    mass = 2 * fraction_below(_HALF, error, owner=owner, name="error")
    loss = positive(epsilon, owner=owner, name="epsilon")
    with ctx.workprec(PRECISIONS[0]):
        return rounded_up(named_target(have, share=share, mass=mass, epsilon=loss))


@formula("floor-thresholds-few-switches")
def floor_thresholds_few_switches(
    domain: int, *, switches: int, success: Number, error: Number, epsilon: Number
) -> int:
    """Records below which no private learner of thresholds is accurate with few changes of label that often.

    Statement: success ≤ E[min(1, (switches/2 + 1)·e^(epsilon·K)/T)], K binomial(n, 2·error),
    T = domain. Source: register `floor-thresholds-few-switches` (Beimel–Brenner–Kasiviswanathan–Nissim 2013,
    Theorem 5.4).
    Symbols: z → switches. Holds if: pure epsilon; error below 1/2. Proof: docs/proofs/floors.md.

    >>> floor_thresholds_few_switches(2**32, switches=2, success=0.45, error=0.1, epsilon=1)
    101
    """
    owner = "floor_thresholds_few_switches"
    share = _switch_share(domain, switches, owner=owner)
    often = chance(success, owner=owner, name="success")
    mass = 2 * fraction_below(_HALF, error, owner=owner, name="error")
    loss = positive(epsilon, owner=owner, name="epsilon")
    return first_named(share, often=often, mass=mass, epsilon=loss)


def _switch_share(domain: object, switches: object, *, owner: str) -> Fraction:
    targets = at_least(1, domain, owner=owner, name="domain")
    return Fraction(at_least(0, switches, owner=owner, name="switches") // 2 + 1, targets)


def _heaviest(size: int, mass: Fraction) -> Fraction:
    """w/T: what the most values that may all be answered are of the domain."""
    return Fraction(1 + int(mass * (size - 1) / (1 - mass)), size)


def _any_failure(n: int, *, size: int, mass: Fraction, epsilon: Fraction) -> arb:
    """1 - n(1 - error)/T - E[min(1, (w/T)·e^(epsilon·K))]: what is left to failure."""
    target = named_target(n, share=_heaviest(size, mass), mass=mass, epsilon=epsilon)
    return 1 - ball(n * (1 - mass) / size) - target


def _rough_any(n: int, *, size: int, mass: Fraction, epsilon: Fraction) -> float:
    """`_any_failure` in floats."""
    target = rough_named(n, share=_heaviest(size, mass), mass=mass, epsilon=epsilon)
    return 1 - float(n * (1 - mass) / size) - target


@formula("floor-points-any")
def least_failure_points_any(n: int, *, domain: int, error: Number, epsilon: Number) -> Fraction:
    """A failure probability no private learner of points gets below, whatever it answers; rounded down.

    Statement: 1 - n(1 - error)/T - E[min(1, (w/T)·e^(epsilon·K))], K binomial(n, error), T = domain,
    w = 1 + floor(error·(T - 1)/(1 - error)). Source: register `floor-points-any`. Holds if: pure epsilon.
    Proof: docs/proofs/floors.md.
    """
    owner = "least_failure_points_any"
    size, have = at_least(2, domain, owner=owner, name="domain"), at_least(0, n, owner=owner, name="n")
    mass, loss = chance(error, owner=owner, name="error"), positive(epsilon, owner=owner, name="epsilon")
    return rounded_down(lambda: _any_failure(have, size=size, mass=mass, epsilon=loss))


@formula("floor-points-any")
def floor_points_any(domain: int, *, error: Number, failure: Number, epsilon: Number) -> int:
    """Records below which no private learner of points exists, proper or improper.

    Statement: 1 - failure ≤ n(1 - error)/T + E[min(1, (w/T)·e^(epsilon·K))], K binomial(n, error),
    T = domain, w = 1 + floor(error·(T - 1)/(1 - error)).
    Source: register `floor-points-any` (our proof). Holds if: pure epsilon.
    Proof: docs/proofs/floors.md.

    >>> floor_points_any(2**32, error=0.1, failure=0.05, epsilon=1)
    47
    """
    owner = "floor_points_any"
    size = at_least(2, domain, owner=owner, name="domain")
    mass, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    loss = positive(epsilon, owner=owner, name="epsilon")
    return first_possible(
        lambda n: _any_failure(n, size=size, mass=mass, epsilon=loss),
        lambda n: _rough_any(n, size=size, mass=mass, epsilon=loss),
        miss,
        start=guess(int(1 / mass), mass=mass, epsilon=loss),
    )


@formula("floor-point-counts")
def floor_point_counts(domain: int, *, error: Number, failure: Number, epsilon: Number) -> int:
    """Records below which no private release answers every point count, or every threshold count.

    Statement: floor(2·error·n) + 1 ≥ ln((T - 1)(1 - failure)/failure)/epsilon, T = domain.
    Source: register `floor-point-counts` (Beimel–Brenner–Kasiviswanathan–Nissim 2013, Theorem 7.2).
    Holds if: pure epsilon; every answer is off by at most error·n; error below 1/2.
    Proof: docs/proofs/floors.md.

    >>> floor_point_counts(2**32, error=0.1, failure=0.05, epsilon=1)
    125
    """
    owner = "floor_point_counts"
    rivals = at_least(2, domain, owner=owner, name="domain") - 1
    wrong = fraction_below(_HALF, error, owner=owner, name="error")
    miss, loss = (
        chance(failure, owner=owner, name="failure"),
        positive(epsilon, owner=owner, name="epsilon"),
    )
    copies = packing_distance(rivals, failure=miss, epsilon=loss)
    # floor(2·error·n) + 1 ≥ copies exactly when 2·error·n ≥ copies - 1.
    return 0 if copies == 0 else math.ceil((copies - 1) / (2 * wrong))
