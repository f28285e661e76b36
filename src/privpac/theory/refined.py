"""What a draw proves that may refine an earlier one or start afresh.

A rule h1 is drawn with a small part of epsilon. A second draw, from all records, takes either any member of a public
class, afresh, or one of the refinements of h1, of several kinds. Nothing is lost if h1 is bad: the second draw need not
use it. Statements `refined-draw-realizable` and `refined-draw-agnostic`; proof: docs/proofs/refined-draw.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from privpac.errors import ParameterError
from privpac.numbers.exact import ln_down, ln_up, power_up, sqrt_up
from privpac.numbers.parameters import at_least, chance
from privpac.theory.occam import first_error, within
from privpac.theory.register import formula

__all__ = ["Kind", "error_refined", "excess_counted", "failure_left", "refined_within", "shifted"]

_VOID = 10**18
"""More mistakes than there are records: a ratio so near 1 that its logarithm is rounded to 0."""


class Kind(NamedTuple):
    """Refinements of one kind: their prior over that of the rule compared with, and how many rules there can be."""

    odds: Fraction
    size: int


@formula("refined-draw-realizable")
def shifted(rate: Fraction, *, growth: Fraction) -> Fraction:
    """The rate whose odds are `growth` times smaller: what is left of a mean once a private draw is known.

    Statement: rate/(rate + growth·(1 - rate)). Source: register `refined-draw-realizable` (ours).
    Holds if: the draw is ln(growth)-private. Proof: docs/proofs/refined-draw.md.

    >>> shifted(Fraction(1, 2), growth=Fraction(3))
    Fraction(1, 4)
    """
    if growth < 1:
        raise ParameterError("shifted", "growth", growth, allowed="at least 1")
    return rate / (rate + growth * (1 - rate))


def mean_agnostic(excess: Fraction, *, tilt: Fraction) -> Fraction:
    """The mean of tilt^(mistakes more than the best's) on one record, at most, for a rule that is worse by `excess`."""
    return ((1 - excess) / tilt + (1 + excess) * tilt) / 2


@formula("refined-draw-realizable")
def error_refined(
    n: int, *, odds: Fraction, ratio: Fraction, growth: Fraction, failure: Fraction
) -> Fraction:
    """The smallest error on the grid that is proved if some member makes none; 1 where nothing is.

    Statement: odds·(1 - shifted(error)·(1 - ratio))^n at most `failure`, odds the prior of all other outcomes over that
    of the member, `growth` e^epsilon of the first draw. Source: register `refined-draw-realizable` (ours).
    Holds if: records are independent, the member can be drawn afresh. Proof: docs/proofs/refined-draw.md.

    >>> float(error_refined(1000, odds=Fraction(10**6), ratio=Fraction(3, 5), growth=Fraction(11, 10),
    ...     failure=Fraction(1, 20)))
    0.0457
    """
    have = at_least(0, n, owner="error_refined", name="n")
    miss = chance(failure, owner="error_refined", name="failure")

    def proves(error: Fraction) -> bool:
        return within(odds, 1 - shifted(error, growth=growth) * (1 - ratio), have, miss)

    return first_error(proves)


_SCALE = 10**24
"""What is drawn afresh fails in units of so many: a power of n records has millions of digits."""


@formula("refined-draw-agnostic")
def failure_left(n: int, *, odds: Fraction, tilt: Fraction, excess: Fraction, failure: Fraction) -> Fraction:
    """How much of the failure what is drawn afresh leaves to refinements; nothing where this is not above 0.

    Statement: failure - odds·base^n, base the mean of tilt^(mistakes more) at this excess (occam-agnostic).
    Source: register `refined-draw-agnostic` (ours). Holds if: as `error_refined`.
    Proof: docs/proofs/refined-draw.md.

    >>> float(failure_left(1000, odds=Fraction(100), tilt=Fraction(9, 10), excess=Fraction(1, 5),
    ...     failure=Fraction(1, 20)))
    0.04998...
    """
    fails = odds * power_up(mean_agnostic(excess, tilt=tilt), n)
    return failure - Fraction(math.ceil(fails * _SCALE), _SCALE)


@formula("refined-draw-agnostic")
def refined_within(
    n: int, *, odds: Fraction, ratio: Fraction, growth: Fraction, excess: Fraction, failure: Fraction
) -> bool:
    """Whether no refinement is drawn that is worse than the best by more than `excess`, but for `failure`.

    Statement: odds·base^n at most `failure`, base the mean of ratio^(mistakes more) at the excess D' with
    (1 + D')/2 = shifted((1 + excess)/2); odds are those of all refinements. However many rules there are.
    Source: register `refined-draw-agnostic` (ours). Holds if: as `error_refined`.
    Proof: docs/proofs/refined-draw.md.

    >>> refined_within(1000, odds=Fraction(100), ratio=Fraction(3, 5), growth=Fraction(11, 10),
    ...     excess=Fraction(3, 5), failure=Fraction(1, 20))
    True
    """
    left = 2 * shifted((1 + excess) / 2, growth=growth) - 1
    return left > 0 and within(odds, mean_agnostic(left, tilt=ratio), n, failure)


@formula("refined-draw-agnostic")
def excess_counted(n: int, *, kinds: Sequence[Kind], ratio: Fraction, failure: Fraction) -> Fraction:
    """The same by counting rules: at or above it, and it may exceed 1.

    Statement: the largest over the kinds of ln(odds/s)/(n·ln(1/ratio)) + sqrt(ln(1/b)/(2n)) + sqrt(ln(size/s)/(2n)),
    b = failure/3, s = b/(number of kinds). Source: register `refined-draw-agnostic` (ours).
    Holds if: as `error_refined`; at most `size` rules of a kind can be released, whatever the first draw was.
    Proof: docs/proofs/refined-draw.md.
    """
    have = at_least(1, n, owner="excess_counted", name="n")
    each = chance(failure, owner="excess_counted", name="failure") / 3
    one = each / len(kinds)
    best = sqrt_up(ln_up(1 / each) / (2 * have))
    return best + max(
        _slack(kind.odds / one, ratio) / have + sqrt_up(ln_up(kind.size / one) / (2 * have)) for kind in kinds
    )


def _slack(odds: Fraction, ratio: Fraction) -> Fraction:
    """Mistakes more than the best's; fewer than none where a handicap makes the odds small."""
    if odds < 1:
        return -ln_down(1 / odds) / ln_up(1 / ratio)
    per_mistake = ln_down(1 / ratio)
    return ln_up(odds) / per_mistake if per_mistake else Fraction(_VOID)
