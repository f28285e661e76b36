"""What reconstructing a cut takes: records to choose among switches, chances to see through independent noise."""

from __future__ import annotations

from fractions import Fraction

from flint import ctx

from privpac.errors import ParameterError
from privpac.numbers.exact import PRECISIONS, ball
from privpac.numbers.parameters import Number, at_least, chance, fraction_below
from privpac.theory import sizes
from privpac.theory.occam import Occam, Rate, error_occam
from privpac.theory.register import formula

__all__ = [
    "SWITCH_SHARE",
    "error_switch",
    "failure_denoising",
    "largest_noise",
    "records_switch",
    "tilt_switch",
]

_HALF = Fraction(1, 2)

SWITCH_SHARE = Fraction(1, 2)
"""The part of the records that chooses among the switches, unless somebody says otherwise."""


@formula("switch-reconstruction")
def records_switch(
    candidates: int,
    *,
    error: Number,
    failure: Number,
    tolerated: Number,
    epsilon: Number | None = None,
    ratio: Fraction | None = None,
) -> int:
    """Records that choose a cut of error at most `error` among the switches of a rule of error `tolerated`.

    Statement: (candidates - 1)·(1 - error·(1 - x) + tolerated·(1/x - 1))^n ≤ failure at the best x in [ratio, 1].
    Source: register `switch-reconstruction` (Beimel–Brenner–Kasiviswanathan–Nissim 2013, Theorem 5.4).
    Holds if: the rule was learnt from other records; `candidates` counts both ends.
    Proof: docs/proofs/switch-reconstruction.md.

    >>> records_switch(6, error=0.1, failure=0.05, tolerated=0.02, epsilon=1)
    173
    """
    return sizes.records_occam(
        candidates, error=error, failure=failure, tolerated=tolerated, epsilon=epsilon, ratio=ratio
    )


@formula("switch-reconstruction")
def error_switch(n: int, *, candidates: int, failure: Number, tolerated: Number, ratio: Fraction) -> Fraction:
    """The smallest error on the grid that `n` records of selection prove; 1 when they prove none.

    Statement: as `records_switch`, solved for the error. Source: register `switch-reconstruction`.
    Holds if: as `records_switch`. Proof: docs/proofs/switch-reconstruction.md.
    """
    return error_occam(n, size=candidates, failure=failure, tolerated=tolerated, ratio=ratio)


@formula("switch-reconstruction")
def tilt_switch(error: Number, *, tolerated: Number, ratio: Fraction) -> Fraction:
    """The weight x in [ratio, 1) at which the bound of `records_switch` is proved, for a stored derivation.

    Statement: max(ratio, √(tolerated/error)), the root as a nearby rational. Source: register
    `switch-reconstruction`. Holds if: tolerated is below error. Proof: docs/proofs/switch-reconstruction.md.
    """
    owner = "tilt_switch"
    rate = Rate.read(None, ratio, owner=owner)
    bound = Occam.uniform(2, owner=owner, error=error, rate=rate, tolerated=tolerated)
    rate_ratio = rate.ratio or Fraction(0)
    return rate_ratio if bound.tilt is None else max(rate_ratio, bound.tilt)


@formula("noise-reconstruction")
def failure_denoising(rate: Number, *, below: int | None = None, above: int | None = None) -> Fraction:
    """How often the cut nearest to a noisy copy of a cut is not that cut, or not the only nearest.

    Statement: 1 - (1 - q(below))·(1 - q(above)), q(m) the chance that a walk of m steps, each down with probability
    `rate` and up otherwise, is at or below its start after at least one step; without an end q = 2·rate.
    Source: register `noise-reconstruction` (Beimel–Brenner–Kasiviswanathan–Nissim 2013, Theorem 5.8, printed 8·rate).
    Symbols: mu → rate; below, above: cells on either side of the cut (None: many).
    Holds if: every cell is flipped independently. Proof: docs/proofs/noise-reconstruction.md.

    >>> float(failure_denoising("0.01"))
    0.0396
    """
    owner = "failure_denoising"
    noise = fraction_below(_HALF, rate, owner=owner, name="rate")
    sides = [
        2 * noise if cells is None else _returns(noise, at_least(0, cells, owner=owner, name="cells"))
        for cells in (below, above)
    ]
    return 1 - (1 - sides[0]) * (1 - sides[1])


def _returns(rate: Fraction, steps: int) -> Fraction:
    """The chance that the walk is at or below its start within this many steps: exact, by heights."""
    heights, back = {0: Fraction(1)}, Fraction(0)
    for _ in range(steps):
        after: dict[int, Fraction] = {}
        for height, mass in heights.items():
            for place, part in ((height + 1, mass * (1 - rate)), (height - 1, mass * rate)):
                if place <= 0:
                    back += part
                else:
                    after[place] = after.get(place, Fraction(0)) + part
        heights = after
    return back


@formula("noise-reconstruction")
def largest_noise(*, error: Number, failure: Number) -> Fraction:
    """No learner that flips every answer independently at a higher rate has error at most `error`, rounded up.

    Statement: rate ≤ 1 - (1 - failure)^(1/k), k = ceil(1/error) - 1 atoms of equal mass.
    Source: register `noise-reconstruction`; replaces 2·error of the printed proof of Theorem 5.8.
    Holds if: the learner works for every distribution, rate below 1/2. Proof: docs/proofs/noise-reconstruction.md.

    >>> round(float(largest_noise(error="0.0025", failure="0.25")), 6)
    0.000721
    """
    owner = "largest_noise"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    atoms = -(-wrong.denominator // wrong.numerator) - 1
    if atoms < 1:
        raise ParameterError(owner, "error", error, allowed="a number below 1")
    with ctx.workprec(PRECISIONS[0]):
        root = (ball(1 - miss).log() / atoms).exp()
        units = ((1 - root) * 10**12).upper().ceil().upper().unique_fmpz()
        return Fraction(int(units), 10**12)
