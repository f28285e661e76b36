"""Points found by a cover of pairwise independent sets: sizes and errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privpac.constructions.points.formulas import LARGEST_STEP
from privpac.constructions.points.representation_formulas import first_guess, occam_bound
from privpac.numbers.binomial import at_most
from privpac.numbers.exact import ball, certainly_below, first_whole, ratio_for
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.theory.occam import GRID, Rate, first_error
from privpac.theory.register import formula

__all__ = ["Cover", "error_cover", "plan_cover", "proves_cover", "records_cover"]


@dataclass(frozen=True)
class Cover:
    """`keys` random sets of a pairwise independent family, each holding a point with probability `share`."""

    keys: int
    share: Fraction

    @property
    def tolerated(self) -> Fraction:
        """A set that holds the target weighs no more besides with probability one half."""
        return 2 * self.share


GOOD = 64
"""Good sets a cover is made to hold."""


STRONGEST = Fraction(2237, 10_000)
"""Just above √(tolerated/error) = √(1/20): what a mistake weighs where the bound of a cover is best."""


def cover_ratio(epsilon: Fraction) -> Fraction:
    """What a mistake weighs in draws from a cover: as epsilon allows, and never less than where the bound is best. A
    stronger pull proves less, at last nothing: good sets make mistakes, too.

    >>> cover_ratio(Fraction(8))
    Fraction(2237, 10000)
    """
    return max(ratio_for(epsilon / 2), STRONGEST)


SPENT_ON_KEYS = Fraction(1, 10)
"""Part of the failure probability left to unlucky keys."""


def sure_hits(cover: Cover, *, failure: Fraction) -> int:
    """How many good sets the cover holds, except with a tenth of the failure probability."""
    spent, good = SPENT_ON_KEYS * failure, cover.share / 2

    def too_many(hits: int) -> bool:
        return not certainly_below(lambda: at_most(hits - 1, n=cover.keys, chance=good), spent)

    return first_whole(too_many, start=GOOD, smallest=1) - 1


@lru_cache(maxsize=4096)  # a search asks for the same shares at every number of records
def _fewest_keys(share: Fraction, spent: Fraction) -> int:
    """Sets of such a share of which `GOOD` are good, except with probability `spent`."""

    def enough(keys: int) -> bool:
        return certainly_below(lambda: at_most(GOOD - 1, n=keys, chance=share / 2), spent)

    return first_whole(enough, start=int(1.4 * GOOD * 2 / share), smallest=GOOD)


@formula("pairwise-cover")
def proves_cover(
    n: int, *, cover: Cover, good: int, error: Fraction, failure: Fraction, ratio: Fraction
) -> bool:
    """Whether `n` records prove `error` and `failure` for draws from this many random sets at `ratio` a mistake.

    Statement: P[Binomial(keys, share/2) < good] + (keys + 1 - good)/good·base^n ≤ failure, base = 1 - error·(1 - ratio)
    + 2·share·(1/ratio - 1). Source: register `pairwise-cover`. Holds if: as `plan_cover`.
    Proof: docs/proofs/pairwise-cover.md.
    """
    tolerated = cover.tolerated
    if good < 1 or not tolerated < error < 1:
        return False
    base = 1 - error * (1 - ratio) + tolerated * (1 / ratio - 1)
    odds = Fraction(cover.keys + 1 - good, good)
    return base < 1 and certainly_below(
        lambda: at_most(good - 1, n=cover.keys, chance=cover.share / 2) + ball(odds) * ball(base) ** n,
        failure,
    )


@formula("pairwise-cover")
def plan_cover(*, error: Number, failure: Number, epsilon: Number) -> tuple[int, Cover]:
    """Records that suffice with random hashed sets, for any domain, and how many sets of what share.

    Statement: sets of share error/40; keys so many that 64 of them are good (error at most error/20) except with
    probability failure/10; then (keys + 1 - 64)/64·base^n ≤ 9/10·failure, base as in `plan_code` with e^-s =
    `cover_ratio`.
    Source: register `pairwise-cover` (ours). Holds if: one value carries all of class 1, records independent, keys
    drawn after the distribution was fixed. Proof: docs/proofs/pairwise-cover.md.

    >>> plan_cover(error=0.1, failure=0.05, epsilon=1)
    (275, Cover(keys=69172, share=Fraction(1, 400)))
    """
    owner = "plan_cover"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    rate = Rate.read(None, cover_ratio(positive(epsilon, owner=owner, name="epsilon")), owner=owner)
    share, spent = wrong / 40, SPENT_ON_KEYS * miss
    cover = Cover(_fewest_keys(share, spent), share)
    bound = occam_bound(cover.keys + 1, GOOD, error=wrong, tolerated=cover.tolerated, rate=rate)
    return bound.records(miss - spent), cover


@formula("pairwise-cover")
def records_cover(*, error: Number, failure: Number, epsilon: Number) -> int:
    """Records that suffice with random hashed sets: `plan_cover` without the sets.

    Statement: as `plan_cover`. Source: register `pairwise-cover`. Holds if: as `plan_cover`.
    Proof: docs/proofs/pairwise-cover.md.

    >>> records_cover(error=0.1, failure=0.05, epsilon=0.5)
    483
    """
    return plan_cover(error=error, failure=failure, epsilon=epsilon)[0]


@formula("pairwise-cover")
def error_cover(n: int, *, cover: Cover, failure: Number, ratio: Fraction) -> Fraction:
    """The smallest error on the grid that `n` records prove with such a cover; 1 when they prove none.

    Statement: as `plan_cover`. Source: register `pairwise-cover`. Holds if: as `plan_cover`.
    Proof: docs/proofs/pairwise-cover.md.
    """
    owner = "error_cover"
    have, miss = at_least(0, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")
    good = sure_hits(cover, failure=miss)

    def proves(error: Fraction) -> bool:
        return proves_cover(have, cover=cover, good=good, error=error, failure=miss, ratio=ratio)

    return first_error(proves)


def cover_for(n: int, *, failure: Fraction, epsilon: Fraction) -> Cover:
    """The cover for `n` records: that of the smallest error they prove; any is private. At most a million keys."""
    smallest = max(1, math.ceil(40 * Fraction(7, 2) * GOOD / (_MOST_KEYS * GRID)))

    def enough(step: int) -> bool:
        if step >= LARGEST_STEP:
            return True
        return records_cover(error=step * GRID, failure=failure, epsilon=epsilon) <= n

    step = first_whole(enough, start=first_guess(n, epsilon), smallest=smallest)
    return plan_cover(error=step * GRID, failure=failure, epsilon=epsilon)[1]


_MOST_KEYS = 10**6
