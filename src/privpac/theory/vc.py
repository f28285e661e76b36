"""What the VC dimension of a class says about labellings, nets and deviations: explicit constants, outward rounding.

Every number is a fraction at or above the true value: logarithms and roots are rounded up to twelve decimals, so that
the independent checker can compute the same ones.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from privpac.numbers.exact import first_whole, ln_down, ln_up, sqrt_up
from privpac.numbers.parameters import Number, at_least, chance
from privpac.theory.register import formula

__all__ = [
    "counting_dimension",
    "differences_vc",
    "erm_excess",
    "growth",
    "ln_growth",
    "net_error",
    "records_net",
    "relative_error",
    "uniform_gap",
]


@formula("sauer")
def growth(n: int, *, vc: int) -> int:
    """The most labellings a class of this VC dimension puts on `n` points.

    Statement: sum of C(n, i) for i up to vc; 2^n when n is at most vc. Source: register `sauer`.
    Holds if: the VC dimension is at most `vc`. Proof: docs/proofs/vc.md.

    >>> growth(10, vc=1), growth(3, vc=5)
    (11, 8)
    """
    if n <= vc:
        return int(2**n)
    total = term = 1
    for i in range(vc):
        term = term * (n - i) // (i + 1)
        total += term
    return total


@formula("sauer")
def ln_growth(n: int, *, vc: int) -> Fraction:
    """ln(growth), rounded up to twelve decimals.

    Statement: as `growth`. Source: register `sauer`. Holds if: as `growth`.
    Proof: docs/proofs/vc.md.
    """
    return _ln(Fraction(growth(n, vc=vc)))


@lru_cache(maxsize=4096)
def _dimension_for(count: Fraction | int, points: int) -> int | None:
    """The least dimension, at least 1, whose `growth` at this many points is `count`; None if 2^points are fewer."""
    if points < 64 and 2**points < count:
        return None
    total, term, vc = 1, 1, 0
    while vc == 0 or total < count:
        if vc == points:
            return max(1, vc) if total >= count else None
        term = term * (points - vc) // (vc + 1)
        total, vc = total + term, vc + 1
    return vc


@formula("sauer")
def counting_dimension(
    size: int | None,
    *,
    vc: int | None,
    counted: int,
    candidates: Fraction | int | None = None,
    drawn: int | None = None,
) -> int | None:
    """A number v such that a class has at most growth(m, vc=v) labellings of any m >= `counted` points.

    The smaller of its VC dimension and of the least v with growth(counted, vc=v) >= size: a class of `size` concepts
    has no more labellings than that, of however many points. None if neither is known. With `candidates`, also
    growth(drawn, vc=v) >= candidates.
    Statement: as `growth`, which does not fall as points or v are added. Source: register `sauer`.
    Holds if: the class has at most `size` concepts and at most this VC dimension.
    Proof: docs/proofs/members-as-labellings.md.

    >>> counting_dimension(10_000, vc=13, counted=500), counting_dimension(2**64, vc=1, counted=500)
    (2, 1)
    """
    few = None if size is None else _dimension_for(size, counted)
    bound = min((v for v in (few, vc) if v is not None), default=None)
    if candidates is None or drawn is None or bound is None:
        return None if bound is None else max(1, bound)
    dimension = _dimension_for(candidates, drawn)
    return None if dimension is None else max(bound, dimension)


@lru_cache(maxsize=4096)
def _ln(value: Fraction) -> Fraction:
    return ln_up(value)


LN_2_DOWN, LN_2_UP = ln_down(Fraction(2)), ln_up(Fraction(2))


@formula("epsilon-net")
def net_error(n: int, *, failure: Number, vc: int, pairs: bool = False) -> Fraction:
    """The error above which no concept agrees with the target on `n` records, except with probability `failure`.

    Statement: (2/(n·ln 2))·(ln 2 + t·ln growth(2n) + ln(1/failure)), and at least 8/n; t is 1 for one fixed target and
    2 for all pairs of concepts at once. Source: register `epsilon-net` (Blumer et al. 1989).
    Holds if: records are independent. Proof: docs/proofs/vc.md.

    >>> float(net_error(291, failure=0.05, vc=1)) <= 0.1
    True
    """
    owner = "net_error"
    have, miss = at_least(1, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")
    log = LN_2_UP + (2 if pairs else 1) * ln_growth(2 * have, vc=vc) + _ln(1 / miss)
    return min(Fraction(1), max(2 * log / (have * LN_2_DOWN), Fraction(8, have)))


@formula("epsilon-net")
def records_net(error: Number, *, failure: Number, vc: int, pairs: bool = False) -> int:
    """Records after which every concept that agrees with the target on all of them has at most this error.

    Statement: as `net_error`. Source: register `epsilon-net`. Holds if: as `net_error`.
    Proof: docs/proofs/vc.md.

    >>> records_net(0.1, failure=0.05, vc=1), records_net(0.1, failure=0.05, vc=1, pairs=True)
    (291, 506)
    """
    owner = "records_net"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")

    def enough(n: int) -> bool:
        return net_error(n, failure=miss, vc=vc, pairs=pairs) <= wrong

    return first_whole(enough, start=int(8 * (vc + 2) / wrong), smallest=1)


@formula("uniform-convergence")
def uniform_gap(n: int, *, failure: Number, vc: int, sides: int = 1) -> Fraction:
    """How far the errors of all concepts at once may lie above (or, with two sides, away from) those seen.

    Statement: sqrt(2·ln growth(n)/n) + sqrt(ln(sides/failure)/(2n)). Source: register `uniform-convergence`.
    Holds if: records are independent. Proof: docs/proofs/vc.md.
    """
    owner = "uniform_gap"
    have, miss = at_least(1, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")
    gap = sqrt_up(2 * ln_growth(have, vc=vc) / have) + sqrt_up(_ln(sides / miss) / (2 * have))
    return min(Fraction(1), gap)


@formula("uniform-convergence")
def erm_excess(n: int, *, failure: Number, vc: int) -> Fraction:
    """What a concept that is nearly best on `n` records loses against the best concept, besides being nearly best.

    Statement: sqrt(2·ln growth(n)/n) + 2·sqrt(ln(2/failure)/(2n)): one side uniform, the other for one concept, half of
    `failure` each. Source: register `uniform-convergence`. Holds if: records are independent.
    Proof: docs/proofs/vc.md.
    """
    owner = "erm_excess"
    have, miss = at_least(1, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")
    gap = sqrt_up(2 * ln_growth(have, vc=vc) / have) + 2 * sqrt_up(_ln(2 / miss) / (2 * have))
    return min(Fraction(1), gap)


@formula("relative-deviation")
def relative_error(seen: Fraction, *, n: int, failure: Number, vc: int, pairs: bool = False) -> Fraction:
    """The most that a rate of `seen` on `n` records can be in truth, for all concepts (or pairs of them) at once.

    Statement: seen + 2·sqrt(seen·A) + 4A, A = (t·ln growth(2n) + ln(4/failure))/n, t is 1, or 2 for pairs.
    Source: register `relative-deviation` (Vapnik; Anthony and Shawe-Taylor 1993).
    Holds if: records are independent. Proof: docs/proofs/vc.md.
    """
    owner = "relative_error"
    have, miss = at_least(1, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")
    a = ((2 if pairs else 1) * ln_growth(2 * have, vc=vc) + _ln(4 / miss)) / have
    return min(Fraction(1), seen + 2 * sqrt_up(seen * a) + 4 * a)


@formula("differences-vc")
def differences_vc(vc: int) -> int:
    """An upper bound on the VC dimension of the symmetric differences of a class.

    Statement: the largest l with growth(l)² at least 2^l. Source: register `differences-vc` (Beimel–Nissim–Stemmer
    2015, Observation 3.2, which prints 10·vc). Holds if: the class has VC dimension at most `vc`.
    Proof: docs/proofs/generic-learner.md.

    >>> differences_vc(1), differences_vc(2)
    (5, 13)
    """
    points = 2 * vc
    while growth(points + 1, vc=vc) ** 2 >= 2 ** (points + 1):
        points += 1
    return points
