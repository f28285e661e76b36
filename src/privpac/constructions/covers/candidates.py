"""Covers as they are built, in public numbers: how fine, how many candidates, and how many records they take.

The theorem's own covers are a little better (`records_reference`): directions of an integer grid are more than the
sphere needs. What is planned is what the learner asks for, so both take their numbers from here.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb, ctx

from privpac.concepts.grids import LARGEST_SPHERE, MOST_DIRECTIONS, PLANE
from privpac.constructions.covers.formulas import cover_thresholds, halfspace_grid
from privpac.guarantee.facts import Against
from privpac.numbers.exact import PRECISIONS, ball, first_whole, ratio_for
from privpac.numbers.sphere import band

__all__ = [
    "SHARES",
    "direction_cover",
    "least_records",
    "promising",
    "records_candidates",
    "root_up",
    "weight",
]

SHARES = tuple(Fraction(i, 200) for i in range(1, 100))
"""Shares of the error that the cover may use up."""

CELLS = 2**32
"""Cells of a numeric column whose resolution was not declared."""


def promising(epsilon: Fraction, against: Against) -> list[Fraction]:
    """The shares in the order in which they are tried: about where the bound is best first."""
    best = Fraction(1, 20) if against is Against.REALIZABLE and epsilon <= 2 else Fraction(1, 18)
    return sorted(SHARES, key=lambda share: abs(math.log(share / float(best))))


def root_up(square: Fraction) -> Fraction:
    """A double at or above √square: the weight of a mistake that the accuracy bound likes best."""
    root = math.sqrt(float(square))
    while Fraction(root) ** 2 < square:
        root = math.nextafter(root, math.inf)
    return Fraction(root)


def weight(epsilon: Fraction, *, error: Fraction, lost: Fraction, against: Against) -> Fraction | None:
    """The ratio of a draw over a cover that loses this much of the error; None where nothing is left of it."""
    gap = error - lost
    best = lost / error if against is Against.REALIZABLE else (1 - gap) / (1 + gap)
    ratio = max(ratio_for(epsilon / 2), root_up(best))
    return ratio if 0 < ratio < 1 else None


def _base(error: Fraction, loss: Fraction, ratio: Fraction, against: Against) -> arb:
    """What one record more multiplies the failure by (register `reference-cover-realizable`, `-agnostic`)."""
    if against is Against.REALIZABLE:
        return ball(1 - error * (1 - ratio) + loss * (1 / ratio - 1))
    gap = error - loss
    return ball((1 - gap) / (2 * ratio) + ratio * (1 + gap) / 2)


def least_records(
    odds: Fraction,
    *,
    error: Fraction,
    failure: Fraction,
    lost: Fraction,
    ratio: Fraction,
    against: Against,
) -> int | None:
    """The fewest records with odds·base^records ≤ failure; None where a record more does not help."""
    with ctx.workprec(PRECISIONS[1]):
        fall = -_base(error, lost, ratio, against).log()
        if not fall > 0:
            return None
        need = (ball(odds).log() - ball(failure).log()) / fall
        return max(1, int(need.upper().ceil().unique_fmpz()))


def direction_cover(
    level: Fraction, *, dimension: int, cells: int, reach: int | None = None
) -> tuple[int, Fraction] | None:
    """Integer directions that cover half-spaces through the middle: the half-side of their cube, and their odds.

    None where it cannot be built: more dimensions or directions than are listed, or cells too wide for the level.
    """
    if dimension > LARGEST_SPHERE:
        return None
    # A record is moved by at most half a cell along each axis when it is put into its cell.
    distance = Fraction(math.isqrt(dimension * 10**8) + 1, 10**4 * cells)
    left = level - Fraction(float(band(min(distance, Fraction(1)), dimension).upper())) * Fraction(1001, 1000)
    if left <= 0:
        return None
    if dimension == 2:
        # A side's middle has the fewest directions to an angle: 2·side·angle of 8·side, one lost to rounding.
        side = reach or PLANE
        share = Fraction(7853981, 10**7) * left - Fraction(1, 8 * side)
        return (side, 1 / share) if share > 0 else None
    side = max(
        math.isqrt(dimension - 1) + 1,
        math.floor(math.sqrt(dimension - 1) / (2 * math.sin(math.pi * min(0.5, float(left))))),
    )
    side = first_whole(lambda m: halfspace_grid(m, dimension=dimension)[1] <= left, start=side, smallest=side)
    count = halfspace_grid(side, dimension=dimension)[0]
    return (side, Fraction(count)) if count <= MOST_DIRECTIONS else None


def records_candidates(
    kappa: Fraction,
    *,
    error: Fraction,
    failure: Fraction,
    epsilon: Fraction,
    dimension: int | None,
    against: Against,
) -> int | None:
    """Records from which `ReferenceCover` promises this error, on columns of 2^32 cells; None if it never does.

    A dimension of None stands for cuts of one column.
    """
    needs: list[int] = []
    for share in SHARES:
        level = share * error / kappa
        odds = _odds(level, dimension)
        ratio = None if odds is None else weight(epsilon, error=error, lost=share * error, against=against)
        if odds is None or ratio is None:
            continue
        need = least_records(
            odds, error=error, failure=failure, lost=share * error, ratio=ratio, against=against
        )
        needs += [] if need is None else [need]
    return min(needs, default=None)


def _odds(level: Fraction, dimension: int | None) -> Fraction | None:
    if dimension is None:
        left = level - Fraction(1, 2 * CELLS)  # a cut lies between two cells
        return Fraction(cover_thresholds(left)) if left > 0 and cover_thresholds(left) <= CELLS else None
    cover = direction_cover(level, dimension=dimension, cells=CELLS)
    return None if cover is None else cover[1]
