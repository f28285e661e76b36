"""Lower bounds for continuous features and for label privacy: below this many records no private learner exists."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from flint import ctx

from privpac.constructions.covers.formulas import density
from privpac.numbers.exact import PRECISIONS, ball
from privpac.numbers.parameters import Number, at_least, chance, fraction_below, positive
from privpac.numbers.sphere import cap
from privpac.theory.packing import first_target, packing_distance, rounded_down, wrong_target
from privpac.theory.register import formula

__all__ = [
    "floor_label_ball",
    "floor_label_chain",
    "floor_label_halfspaces",
    "floor_label_packing",
    "floor_label_sample",
    "floor_thresholds_smooth",
    "least_failure_label_chain",
    "least_failure_thresholds_smooth",
    "windows",
]

_HALF = Fraction(1, 2)
_RADII = 64
"""Radii tried for the best packing: any of them is valid."""


@formula("floor-thresholds-smooth")
def windows(kappa: Number, *, error: Number) -> int:
    """Disjoint windows of the bad family: places where a threshold may hide under a density of at most `kappa`.

    Statement: ceil(kappa/(4·error)) - 1. Source: register `floor-thresholds-smooth`.
    Holds if: kappa ≥ 2 and error below 1/2. Proof: docs/proofs/cover-floors.md.

    >>> windows(10, error=0.1)
    24
    """
    owner = "windows"
    bound, wrong = density(kappa, owner=owner), fraction_below(_HALF, error, owner=owner, name="error")
    return 0 if bound < 2 else math.ceil(bound / (4 * wrong)) - 1


@formula("floor-thresholds-smooth")
def least_failure_thresholds_smooth(n: int, *, kappa: Number, error: Number, epsilon: Number) -> Fraction:
    """A failure no private learner of thresholds on an interval gets below, over densities up to `kappa`.

    Statement: E[(N - 1)/(N - 1 + e^(epsilon·K))], K binomial(n, 2·error), N = windows(kappa); rounded down.
    Source: register `floor-thresholds-smooth` (Chaudhuri–Hsu 2011, Theorem 5, made quantitative).
    Holds if: pure epsilon; the answer is a threshold. Proof: docs/proofs/cover-floors.md.
    """
    owner = "least_failure_thresholds_smooth"
    rivals = max(0, windows(kappa, error=error) - 1)
    have, loss = at_least(0, n, owner=owner, name="n"), positive(epsilon, owner=owner, name="epsilon")
    mass = 2 * fraction_below(_HALF, error, owner=owner, name="error")
    return rounded_down(lambda: wrong_target(have, rivals=rivals, mass=mass, epsilon=loss))


@formula("floor-thresholds-smooth")
def floor_thresholds_smooth(kappa: Number, *, error: Number, failure: Number, epsilon: Number) -> int:
    """Records below which no private learner places a threshold on an interval under every density up to `kappa`.

    Statement: failure ≥ E[(N - 1)/(N - 1 + e^(epsilon·K))], K binomial(n, 2·error), N = windows(kappa). It grows
    with kappa without bound: with no density bound, no number of records suffices.
    Source: register `floor-thresholds-smooth` (Chaudhuri–Hsu 2011, Theorem 5).
    Holds if: pure epsilon; the answer is a threshold; kappa ≥ 2. Proof: docs/proofs/cover-floors.md.

    >>> tuple(floor_thresholds_smooth(k, error=0.1, failure=0.05, epsilon=1) for k in (10, 100, 10**6))
    (41, 56, 111)
    """
    owner = "floor_thresholds_smooth"
    rivals = max(0, windows(kappa, error=error) - 1)
    mass = 2 * fraction_below(_HALF, error, owner=owner, name="error")
    miss, loss = chance(failure, owner=owner, name="failure"), positive(epsilon, owner=owner, name="epsilon")
    return first_target(rivals, mass=mass, failure=miss, epsilon=loss)


@formula("floor-label-packing")
def floor_label_packing(packing: int, *, failure: Number, epsilon: Number) -> int:
    """Records below which no label-private learner tells apart concepts that differ pairwise on more than 2·error.

    Statement: n ≥ ln((packing - 1)(1 - failure)/failure)/epsilon. Source: register `floor-label-packing`
    (Chaudhuri–Hsu 2011, Theorem 12, with confidence). Holds if: pure epsilon for labels; distances strictly above
    2·error. Proof: docs/proofs/cover-floors.md.
    """
    owner = "floor_label_packing"
    rivals = at_least(1, packing, owner=owner, name="packing") - 1
    miss, loss = chance(failure, owner=owner, name="failure"), positive(epsilon, owner=owner, name="epsilon")
    return packing_distance(rivals, failure=miss, epsilon=loss)


def _ball_floor(packing: Fraction, distance: Fraction, miss: Fraction, loss: Fraction) -> int:
    """(1 - failure)/(distance·epsilon)·ln((packing - 1)(1 - failure)/failure), never rounded up too far."""
    rivals = packing - 1
    if rivals * (1 - miss) <= miss:
        return 0
    with ctx.workprec(PRECISIONS[1]):
        need = ball(rivals * (1 - miss) / miss).log() * ball((1 - miss) / (distance * loss))
        return max(0, int(need.lower().ceil().unique_fmpz()))


@formula("floor-label-ball")
def floor_label_ball(packing: int, *, distance: Number, failure: Number, epsilon: Number) -> int:
    """The same for concepts that lie close together: pairs differ on more than 2·error and on at most `distance`.

    Statement: n ≥ (1 - failure)/(distance·epsilon)·ln((packing - 1)(1 - failure)/failure).
    Source: register `floor-label-ball` (replaces Chaudhuri–Hsu 2011, Theorem 10). Holds if: pure epsilon for labels.
    Proof: docs/proofs/cover-floors.md.

    >>> floor_label_ball(16, distance="0.8", failure=0.1, epsilon=1)
    6
    """
    owner = "floor_label_ball"
    size = Fraction(at_least(1, packing, owner=owner, name="packing"))
    far = positive(distance, owner=owner, name="distance")
    miss, loss = chance(failure, owner=owner, name="failure"), positive(epsilon, owner=owner, name="epsilon")
    return _ball_floor(size, min(far, Fraction(1)), miss, loss)


@formula("floor-label-chain")
def least_failure_label_chain(n: int, *, packing: int, span: Number, epsilon: Number) -> Fraction:
    """A failure no label-private learner gets below on concepts that differ within one event of mass `span`.

    Statement: E[(P - 1)/(P - 1 + e^(epsilon·K))], K binomial(n, span), P = packing; rounded down.
    Source: register `floor-label-chain`. Holds if: as `floor_label_chain`. Proof: docs/proofs/cover-floors.md.
    """
    owner = "least_failure_label_chain"
    have, rivals = (
        at_least(0, n, owner=owner, name="n"),
        at_least(1, packing, owner=owner, name="packing") - 1,
    )
    mass, loss = chance(span, owner=owner, name="span"), positive(epsilon, owner=owner, name="epsilon")
    return _failure_of_chain(have, rivals, mass, loss)


@lru_cache(maxsize=4096)  # a plan asks for several rows that the same floor binds
def _failure_of_chain(n: int, rivals: int, mass: Fraction, epsilon: Fraction) -> Fraction:
    return rounded_down(lambda: wrong_target(n, rivals=rivals, mass=mass, epsilon=epsilon))


@formula("floor-label-chain")
def floor_label_chain(packing: int, *, span: Number, failure: Number, epsilon: Number) -> int:
    """Records below which no label-private learner tells apart concepts that differ within an event of mass `span`.

    Statement: failure ≥ E[(P - 1)/(P - 1 + e^(epsilon·K))], K binomial(n, span), P = packing. Source: register
    `floor-label-chain`. Holds if: pure epsilon for labels; pairs differ on more than 2·error; all of them agree outside
    the event, as cuts outside the outermost two do. Proof: docs/proofs/cover-floors.md.

    >>> floor_label_chain(2, span="0.2", failure=0.05, epsilon=1)
    21
    """
    owner = "floor_label_chain"
    rivals = at_least(1, packing, owner=owner, name="packing") - 1
    mass, miss = chance(span, owner=owner, name="span"), chance(failure, owner=owner, name="failure")
    loss = positive(epsilon, owner=owner, name="epsilon")
    return first_target(rivals, mass=mass, failure=miss, epsilon=loss)


@formula("floor-label-halfspaces")
def floor_label_halfspaces(dimension: int, *, error: Number, failure: Number, epsilon: Number) -> int:
    """Records below which no label-private learner finds a half-space through the origin, uniform points.

    Statement: the best of `floor_label_ball` over packings of caps: at least cap(R)/cap(2·error) concepts within R,
    pairwise at most min(1, 2R) apart, and of `floor_label_packing` on the whole sphere.
    Source: register `floor-label-halfspaces`. Holds if: pure epsilon for labels; error below 1/4.
    Proof: docs/proofs/cover-floors.md.

    >>> floor_label_halfspaces(10, error=0.01, failure=0.1, epsilon=1)
    95
    """
    owner = "floor_label_halfspaces"
    d = at_least(2, dimension, owner=owner, name="dimension")
    wrong = fraction_below(Fraction(1, 4), error, owner=owner, name="error")
    miss, loss = chance(failure, owner=owner, name="failure"), positive(epsilon, owner=owner, name="epsilon")
    best = 0
    for step in range(1, _RADII + 1):
        radius = 2 * wrong + (1 - 2 * wrong) * Fraction(step, _RADII) ** 3
        packing = _volume_ratio(radius, 2 * wrong, d)
        best = max(best, _ball_floor(packing, min(Fraction(1), 2 * radius), miss, loss))
        if radius == 1:
            best = max(best, packing_distance(math.floor(packing) - 1, failure=miss, epsilon=loss))
    return best


def _volume_ratio(radius: Fraction, level: Fraction, dimension: int) -> Fraction:
    """A whole number at or below cap(radius)/cap(level): a maximal packing is a cover."""
    with ctx.workprec(PRECISIONS[1]):
        ratio = cap(radius, dimension) / cap(level, dimension)
        return Fraction(int(ratio.lower().floor().unique_fmpz()))


@formula("floor-label-sample")
def floor_label_sample(packing: int, *, spacing: Number, epsilon: Number) -> int:
    """Below this many records half of a packing of a ball around one concept is missed half of the time.

    Statement: n < ln(packing/2 - 1)/(8·epsilon·s), for an s-packing (s = spacing) of the ball of radius 4s in the
    sample's own metric. Source: register `floor-label-sample` (Chaudhuri–Hsu 2011, Lemma 11).
    Holds if: pure epsilon for labels, these very features. Proof: docs/proofs/cover-floors.md.
    """
    owner = "floor_label_sample"
    size = at_least(1, packing, owner=owner, name="packing")
    near, loss = (
        positive(spacing, owner=owner, name="spacing"),
        positive(epsilon, owner=owner, name="epsilon"),
    )
    if size <= 4:
        return 0
    with ctx.workprec(PRECISIONS[1]):
        need = ball(Fraction(size, 2) - 1).log() / ball(8 * loss * near)
        return int(need.lower().ceil().unique_fmpz())
