"""Covers of continuous classes: how fine, how many records, and for which distributions.

Numbers are rounded outward: records and densities to the safe side, shares of directions down.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from privpac.errors import ParameterError
from privpac.numbers.exact import PRECISIONS, ball, first_whole, ln_up, plain
from privpac.numbers.parameters import Number, at_least, chance, positive, rational
from privpac.numbers.sphere import band, cap
from privpac.theory.occam import Occam, Rate
from privpac.theory.register import formula

__all__ = [
    "cap_share",
    "cover_halfspaces",
    "cover_thresholds",
    "density_band",
    "density_mixture",
    "density_outside_band",
    "halfspace_grid",
    "kappa_reference",
    "kappa_reference_agnostic",
    "records_reference",
    "records_reference_agnostic",
]

SHARES = tuple(Fraction(i, 1000) for i in range(2, 400))
"""Shares of the error that a cover may use up; the best is chosen, and any of them is valid."""

_SCALE = 10**12
"""Densities and shares are rounded to twelve decimals of their size."""

NO_BOUND = (
    "No number of records suffices for all distributions on a continuum (register `floor-thresholds-smooth`)."
)
WAYS_OUT = (
    "Declare a density bound (kappa) against a reference, declare the column on a finite grid and learn over its "
    "cells, or protect labels only (protect='labels')."
)


def _dimension(value: object, *, owner: str) -> int:
    return at_least(2, value, owner=owner, name="dimension")


@formula("halfspace-caps")
def cap_share(level: Number, *, dimension: int) -> Fraction:
    """The share of half-spaces through the origin that disagree with a given one on at most `level`, rounded down.

    Statement: half the regularised incomplete beta function I at sin²(pi·level) with parameters (d - 1)/2 and 1/2, for
    level up to 1/2. Source: register `halfspace-caps`. Holds if: directions and points are uniform on the sphere.
    Proof: docs/proofs/reference-cover.md.

    >>> float(cap_share(0.01, dimension=2))
    0.01
    """
    owner = "cap_share"
    d, near = _dimension(dimension, owner=owner), positive(level, owner=owner, name="level")
    if near > 1:
        raise ParameterError(owner, "level", level, allowed="a disagreement above 0 and at most 1")
    if near == 1 or d == 2:
        return near
    with ctx.workprec(PRECISIONS[1]):
        return _significant(cap(near, d), up=False)


def _significant(value: arb, *, up: bool) -> Fraction:
    """A positive number rounded to twelve significant digits, outward."""
    edge = value.upper() if up else value.lower()
    exponent = math.floor(float(edge.log() / arb(10).log())) + 1
    scale = Fraction(_SCALE) / Fraction(10) ** exponent
    product = edge * ball(scale)
    whole = product.upper().ceil() if up else product.lower().floor()
    return int(whole.unique_fmpz()) / scale


@formula("threshold-cover")
def cover_thresholds(level: Number) -> int:
    """Cuts such that every threshold disagrees with one of them on at most `level` of the reference.

    Statement: ceil(1/(2·level)), at the quantiles (i + 1/2)/N. Source: register `threshold-cover`.
    Holds if: the reference has no atoms. Proof: docs/proofs/reference-cover.md.

    >>> cover_thresholds(0.01)
    50
    """
    near = positive(level, owner="cover_thresholds", name="level")
    return max(1, math.ceil(1 / (2 * near)))


@formula("halfspace-caps")
def cover_halfspaces(level: Number, *, dimension: int, failure: Number) -> int:
    """Random directions of which one lies within `level` of any one fixed half-space, but for chance `failure`.

    Statement: ceil(ln(1/failure)/cap), cap = cap_share(level). Source: register `halfspace-caps`.
    Holds if: directions are independent and uniform on the sphere. Proof: docs/proofs/reference-cover.md.

    >>> cover_halfspaces(0.01, dimension=3, failure=0.025)
    14952
    """
    miss = chance(failure, owner="cover_halfspaces", name="failure")
    return math.ceil(ln_up(1 / miss) / cap_share(level, dimension=dimension))


@formula("halfspace-grid")
def halfspace_grid(reach: int, *, dimension: int) -> tuple[int, Fraction]:
    """Integer directions on the surface of a cube: how many, and how far any half-space is from the nearest.

    Statement: (2m + 1)^d - (2m - 1)^d directions; every half-space disagrees with one of them on at most
    arcsin(√(d - 1)/(2m))/pi of the uniform sphere, rounded up. Source: register `halfspace-grid`.
    Holds if: m ≥ √(d - 1)/2. Proof: docs/proofs/reference-cover.md.

    >>> halfspace_grid(28, dimension=3)[0]
    18818
    """
    owner = "halfspace_grid"
    d, m = _dimension(dimension, owner=owner), at_least(1, reach, owner=owner, name="reach")
    if 4 * m * m < d - 1:
        raise ParameterError(owner, "reach", reach, allowed=f"at least {math.isqrt(d - 1)} in dimension {d}")
    count = (2 * m + 1) ** d - (2 * m - 1) ** d
    with ctx.workprec(PRECISIONS[1]):
        sine = (ball(Fraction(d - 1))).sqrt() / (2 * m)
        far = arb(1) / 2 if 4 * m * m == d - 1 else sine.asin() / arb.pi()
        return count, _significant(far, up=True)


@formula("band-density")
def density_band(width: Number, *, dimension: int) -> Fraction:
    """Largest density, against the uniform sphere, of the uniform law on the points with |u·x| ≤ width; rounded up.

    Statement: 1/I, I the regularised incomplete beta function at width² with parameters 1/2 and (d - 1)/2.
    Source: register `band-density` (Lemma 20, repaired). Holds if: u is a unit vector, 0 < width ≤ 1.
    Proof: docs/proofs/reference-cover.md.

    >>> round(float(density_band("0.5", dimension=10)), 3)
    1.133
    """
    return _inverse(width, dimension, owner="density_band", outside=False)


@formula("band-density")
def density_outside_band(width: Number, *, dimension: int) -> Fraction:
    """The same for the points with |u·x| ≥ width, which are separated by a margin; rounded up.

    Statement: 1/(1 - I), I as in `density_band`. Source: register `band-density` (Lemma 21, sharpened).
    Holds if: u is a unit vector, 0 < width < 1. Proof: docs/proofs/reference-cover.md.

    >>> round(float(density_outside_band("0.5", dimension=10)), 3)
    8.525
    """
    return _inverse(width, dimension, owner="density_outside_band", outside=True)


def _inverse(width: object, dimension: object, *, owner: str, outside: bool) -> Fraction:
    d, half = _dimension(dimension, owner=owner), positive(width, owner=owner, name="width")
    if half > 1 or (outside and half == 1):
        raise ParameterError(owner, "width", width, allowed="a half-width above 0 and below 1")
    with ctx.workprec(PRECISIONS[1]):
        inside = band(half, d)
        return _significant(1 / (1 - inside if outside else inside), up=True)


@formula("density-bound")
def density_mixture(parts: Sequence[tuple[Number, Number]]) -> Fraction:
    """A density bound of a mixture: the average of its parts' bounds.

    Statement: sum of weight·kappa over the parts. Source: register `density-bound`.
    Holds if: weights add up to 1 and each part has density at most its kappa. Proof: docs/proofs/reference-cover.md.

    >>> density_mixture([("0.9", 1), ("0.1", 50)])
    Fraction(59, 10)
    """
    owner = "density_mixture"
    weights = [rational(weight, owner=owner, name="weight") for weight, _ in parts]
    kappas = [density(kappa, owner=owner) for _, kappa in parts]
    if not weights or min(weights) < 0 or sum(weights) != 1:
        raise ParameterError(owner, "parts", list(parts), allowed="non-negative weights that add up to 1")
    return sum((w * k for w, k in zip(weights, kappas, strict=True)), Fraction(0))


def density(value: object, *, owner: str) -> Fraction:
    """A declared density bound; without one, the three ways out."""
    if value is None:
        raise ParameterError(
            owner, "kappa", value, allowed="a density bound", remedy=f"{NO_BOUND} {WAYS_OUT}"
        )
    kappa = rational(value, owner=owner, name="kappa")
    if kappa < 1:
        raise ParameterError(
            owner,
            "kappa",
            plain(value) if isinstance(value, Fraction) else value,
            allowed="at least 1",
            remedy="A density is 1 on average, so no distribution has a smaller bound.",
        )
    return kappa


@dataclass(frozen=True)
class _Goal:
    """What is promised of a draw over a cover: cuts of one column where the dimension is None, else half-spaces."""

    owner: str
    error: Fraction
    failure: Fraction
    rate: Rate
    dimension: int | None
    agnostic: bool

    @classmethod
    def read(
        cls, owner: str, error: object, failure: object, epsilon: object, dimension: object, *, agnostic: bool
    ) -> _Goal:
        """The numbers that a formula was given."""
        wrong = chance(error, owner=owner, name="excess" if agnostic else "error")
        miss = chance(failure, owner=owner, name="failure")
        d = None if dimension is None else _dimension(dimension, owner=owner)
        return cls(owner, wrong, miss, Rate.read(epsilon, None, owner=owner), d, agnostic)

    def _bound(self, kappa: Fraction, share: Fraction) -> Occam:
        """The direct bound when the best candidate is within share·error of the best concept; odds are bad over good
        candidates of the cover: cuts, or one over the share of good directions."""
        level = share * self.error / kappa
        if self.dimension is None:
            odds = Fraction(cover_thresholds(level))
        else:
            odds = 1 / cap_share(min(level, Fraction(1)), dimension=self.dimension)
        if not self.agnostic:
            return Occam(odds, odds, self.error, share * self.error, self.rate)
        gap = self.error * (1 - share)
        best = (1 - gap) / 2
        return Occam(odds, odds, gap + best, best, self.rate)

    def _about_fall(self, share: float) -> float:
        """About -ln base: floats that choose a share, never what is promised."""
        error, most = float(self.error), float(self.rate.epsilon) / 2
        if self.agnostic:
            gap = error * (1 - share)
            rate = min(most, math.atanh(gap))
            return -math.log(math.cosh(rate) - gap * math.sinh(rate))
        rate = min(most, math.log(1 / share) / 2)
        return -math.log(1 - error * (1 - math.exp(-rate)) + share * error * (math.exp(rate) - 1))

    def records(self, kappa: object) -> int:
        """Records for a density of at most kappa, at the best share."""
        density_bound = density(kappa, owner=self.owner)

        def guess(share: Fraction) -> float:
            odds = _about_odds(float(share * self.error / density_bound), self.dimension)
            return (math.log(max(odds, 1.0)) - math.log(self.failure)) / self._about_fall(float(share))

        near = min(range(0, len(SHARES), _COARSE), key=lambda place: guess(SHARES[place]))
        best = sorted(SHARES[max(0, near - _COARSE) : near + _COARSE + 1], key=guess)[:3]
        return min(self._bound(density_bound, share).records(self.failure) for share in best)

    def largest_density(self, n: object) -> Fraction:
        """The largest kappa for which n records are enough, at about the best share."""
        have = at_least(0, n, owner=self.owner, name="n")
        power = 1 if self.dimension is None else self.dimension - 1

        def log_kappa(share: Fraction) -> float:
            """About ln(kappa) for a cover of this share."""
            most = math.log(self.failure) + have * self._about_fall(float(share))
            return math.log(share) + most / power

        best = max(SHARES, key=log_kappa)
        return _largest(lambda kappa: self._bound(kappa, best).failure(have) <= self.failure)


_COARSE = 20
"""Shares are looked at in steps of this many first: what is guessed has one minimum."""


def _about_odds(level: float, dimension: int | None) -> float:
    if dimension is None:
        return math.ceil(1 / (2 * level))
    with ctx.workprec(64):
        return float(1 / cap(Fraction(min(level, 1.0)), dimension))


@formula("reference-cover-realizable")
def records_reference(
    kappa: Number, *, error: Number, failure: Number, epsilon: Number, dimension: int | None = None
) -> int:
    """Records after which a cover of the reference learns under every distribution of density at most `kappa`.

    Statement: odds·(1 - error·(1 - x) + f·error·(1/x - 1))^n ≤ failure at the best share f; odds counts a cover of
    level f·error/kappa: cuts for thresholds (dimension None), one over the cap's share for half-spaces through the
    origin. x is the weight of a mistake, e^(-epsilon/2) or √f, whichever is larger.
    Source: register `reference-cover-realizable` (Chaudhuri–Hsu 2011, Theorem 9). Symbols: alpha → epsilon, epsilon →
    error, delta → failure. Holds if: some concept makes no error; the reference was chosen without the records.
    Proof: docs/proofs/reference-cover.md.

    >>> tuple(records_reference(k, error=0.1, failure=0.05, epsilon=1) for k in (1, 10, 100))
    (206, 270, 332)
    """
    goal = _Goal.read("records_reference", error, failure, epsilon, dimension, agnostic=False)
    return goal.records(kappa)


@formula("reference-cover-agnostic")
def records_reference_agnostic(
    kappa: Number, *, excess: Number, failure: Number, epsilon: Number, dimension: int | None = None
) -> int:
    """The same when no concept is perfect, for an error of at most `excess` above the best.

    Statement: odds·(cosh s - D·sinh s)^n ≤ failure, D = excess·(1 - f), s = min(epsilon/2, artanh D); odds as in
    `records_reference`. Source: register `reference-cover-agnostic` (Chaudhuri–Hsu 2011, Theorem 8).
    Holds if: the reference was chosen without the records. Proof: docs/proofs/reference-cover.md.

    >>> records_reference_agnostic(10, excess=0.1, failure=0.05, epsilon=1)
    2185
    """
    goal = _Goal.read("records_reference_agnostic", excess, failure, epsilon, dimension, agnostic=True)
    return goal.records(kappa)


_STEPS, _LEAST, _MOST = 2_000, -5, 300
"""Densities are tried in this many steps a power of ten, between these powers."""


def _largest(holds: Callable[[Fraction], bool]) -> Fraction:
    """The largest density tried for which a bound holds; 0 if it holds for none."""

    def trial(step: int) -> Fraction:
        whole, part = divmod(step, _STEPS)
        return Fraction(round(10 ** (6 + part / _STEPS)), 10**6) * Fraction(10) ** (whole + _LEAST)

    most = (_MOST - _LEAST) * _STEPS
    step = first_whole(lambda k: k > most or not holds(trial(k)), start=-_LEAST * _STEPS)
    return trial(step - 1) if step else Fraction(0)


@formula("reference-cover-realizable")
def kappa_reference(
    n: int, *, error: Number, failure: Number, epsilon: Number, dimension: int | None = None
) -> Fraction:
    """The largest density against the reference for which `n` records prove `error`; rounded down, 0 if tiny.

    Statement: as `records_reference`, solved for kappa. Below 1 nothing is promised: no density is smaller.
    Source: register `reference-cover-realizable`. Holds if: as `records_reference`.
    Proof: docs/proofs/reference-cover.md.

    >>> kappa_reference(150, error=0.1, failure=0.05, epsilon=1) < 1
    True
    """
    goal = _Goal.read("kappa_reference", error, failure, epsilon, dimension, agnostic=False)
    return goal.largest_density(n)


@formula("reference-cover-agnostic")
def kappa_reference_agnostic(
    n: int, *, excess: Number, failure: Number, epsilon: Number, dimension: int | None = None
) -> Fraction:
    """The same when no concept is perfect.

    Statement: as `records_reference_agnostic`, solved for kappa. Source: register `reference-cover-agnostic`.
    Holds if: as `records_reference_agnostic`. Proof: docs/proofs/reference-cover.md.
    """
    goal = _Goal.read("kappa_reference_agnostic", excess, failure, epsilon, dimension, agnostic=True)
    return goal.largest_density(n)
