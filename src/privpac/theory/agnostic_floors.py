"""Noise costs the square of the error: below this many records no learner, private or not, comes near the best rule.

What tosses coins when it answers can be half right at a point, and half of a bias that is above the error may be within
it. So there are two floors: for learners that release a rule, and for answers by fresh coins, whose error is a mean.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from privpac.numbers.binomial import rounded_up
from privpac.numbers.exact import PRECISIONS, ball, certainly_above, first_whole
from privpac.numbers.parameters import Number, at_least, chance, fraction_below
from privpac.theory.register import formula

__all__ = [
    "floor_agnostic",
    "floor_agnostic_answers",
    "least_failure_agnostic",
    "least_failure_agnostic_answers",
]

_HALF = Fraction(1, 2)

BIASES = tuple(Fraction(i, 2) for i in range(4, 25))
"""Biases of the labels over the error, of which the best is taken: any above 1 is valid."""


def _minority(pairs: int, bias: Fraction) -> arb:
    """P[Bin(2·pairs - 1, (1 - bias)/2) ≥ pairs]: how often the rarer label wins a vote of this many, or one more."""
    share = ball((1 - bias) / 2)
    return share.beta_lower(arb(pairs), arb(pairs), regularized=True)


@formula("floor-agnostic")
def least_failure_agnostic(n: int, *, excess: Number) -> Fraction:
    """A failure probability that no learner gets below with `n` records, for some noise; rounded down.

    Statement: P[Bin(n, (1 - excess)/2) > n/2] + P[= n/2]/2. Source: register `floor-agnostic`. Holds if: two concepts
    differ somewhere; any learner that releases a rule, private or not; failing is to err by more than `excess` above
    the best concept. Proof: docs/proofs/agnostic-floors.md.

    >>> round(float(least_failure_agnostic(1, excess=0.1)), 6)
    0.45
    """
    owner = "least_failure_agnostic"
    have, above = at_least(0, n, owner=owner, name="n"), chance(excess, owner=owner, name="excess")
    return _least_failure(have, above)


@formula("floor-agnostic-answers")
def least_failure_agnostic_answers(n: int, *, excess: Number) -> Fraction:
    """The same where answers may toss coins, and the error is a mean over them; rounded down.

    Statement: P[Bin(n, 1/2 - excess) > n/2] + P[= n/2]/2, and 0 from excess 1/2 on.
    Source: register `floor-agnostic-answers`. Holds if: as `least_failure_agnostic`, whatever answers.
    Proof: docs/proofs/agnostic-floors.md.

    >>> round(float(least_failure_agnostic_answers(1, excess=0.1)), 6)
    0.4
    """
    owner = "least_failure_agnostic_answers"
    have, above = at_least(0, n, owner=owner, name="n"), chance(excess, owner=owner, name="excess")
    return _least_failure(have, 2 * above) if above < _HALF else Fraction(0)


@lru_cache(maxsize=4096)
def _least_failure(n: int, bias: Fraction) -> Fraction:
    if n == 0:
        return _HALF
    with ctx.workprec(PRECISIONS[0]):
        return 1 - rounded_up(1 - _minority((n + 1) // 2, bias))


@formula("floor-agnostic")
def floor_agnostic(vc: int, *, excess: Number, failure: Number) -> int:
    """Records below which no learner of a class that shatters `vc` points comes within `excess` of the best concept.

    Statement: the larger of the first odd n with P[Bin(n, (1 - excess)/2) > n/2] ≤ failure, and of
    ln(1/(4r(1 - r)))/(-2·ln(1 - (1 - √(1 - g²))/vc)) over biases g, r = (excess/g)(1 - failure) + failure below 1/2.
    Source: register `floor-agnostic` (the second after Anthony–Bartlett 1999, Theorem 5.2, by affinities). Holds if:
    any learner that releases a rule, private or not; failure below 1/2. Proof: docs/proofs/agnostic-floors.md.

    >>> floor_agnostic(1, excess=0.1, failure=0.05), floor_agnostic(1000, excess=0.1, failure=0.05)
    (269, 1212)
    """
    dimension, above, miss = _read(vc, excess, failure, owner="floor_agnostic")
    return max(2 * _pairs(above, miss) - 1, _many(dimension, above, miss))


@formula("floor-agnostic-answers")
def floor_agnostic_answers(vc: int, *, excess: Number, failure: Number) -> int:
    """The same where answers may toss coins, and the error is a mean over them.

    Statement: the larger of the first odd n with P[Bin(n, 1/2 - excess) > n/2] ≤ failure (0 from excess 1/2 on), and
    of the second bound of `floor_agnostic`. Source: register `floor-agnostic-answers`. Holds if: any learner, private
    or not, whatever answers; failure below 1/2. Proof: docs/proofs/agnostic-floors.md.

    >>> floor_agnostic_answers(1, excess=0.1, failure=0.05)
    67
    """
    dimension, above, miss = _read(vc, excess, failure, owner="floor_agnostic_answers")
    one = 2 * _pairs(2 * above, miss) - 1 if above < _HALF else 0
    return max(one, _many(dimension, above, miss))


def _read(vc: int, excess: Number, failure: Number, *, owner: str) -> tuple[int, Fraction, Fraction]:
    return (
        at_least(1, vc, owner=owner, name="vc"),
        chance(excess, owner=owner, name="excess"),
        fraction_below(_HALF, failure, owner=owner, name="failure"),
    )


@lru_cache(maxsize=1024)
def _many(vc: int, excess: Fraction, failure: Fraction) -> int:
    """The bound by many points: it speaks of means, so that coins change nothing."""
    spreads = (_spread(vc, excess * by, excess, failure) for by in BIASES if excess * by <= 1)
    return max(spreads, default=0)


@lru_cache(maxsize=1024)
def _pairs(bias: Fraction, failure: Fraction) -> int:
    """How many pairs of votes it takes until the rarer label wins seldom enough; the same for every class."""
    return first_whole(
        lambda m: not certainly_above(lambda: _minority(m, bias), failure),
        start=max(1, int(1 / bias**2)),
        smallest=1,
    )


def _spread(vc: int, bias: Fraction, excess: Fraction, failure: Fraction) -> int:
    """Records until labels of this bias on `vc` points can be told often enough; 0 where nothing is excluded."""
    share = excess / bias * (1 - failure) + failure
    if share >= _HALF:
        return 0
    with ctx.workprec(PRECISIONS[1]):
        affinity = 1 - (1 - (1 - ball(bias**2)).sqrt()) / vc
        if not affinity > 0:
            return 1
        need = -ball(4 * share * (1 - share)).log() / (-2 * affinity.log())
        return max(0, int(need.lower().ceil().unique_fmpz()))
