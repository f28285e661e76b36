"""How many records a small class needs that represents all points: an explicit code, or random hashed sets.

Both draw by the exponential mechanism from a class in which many members are nearly right, so the accuracy bound
pays for the share of good members and not for the number of points (register `occam-realizable`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from privpac.constructions.points.formulas import LARGEST_STEP
from privpac.errors import ParameterError
from privpac.numbers.exact import ball, certainly_below, exp_down, first_whole
from privpac.numbers.parameters import Number, at_least, chance, positive, rational
from privpac.numbers.primes import prime_from
from privpac.numbers.rough import Floats
from privpac.theory.occam import GRID, Occam, Rate
from privpac.theory.register import formula

__all__ = ["Code", "error_code", "plan_code", "proves_code", "records_code"]


def represents(
    n: int,
    *,
    size: int,
    good: int,
    tolerated: Fraction,
    error: Fraction,
    failure: Fraction,
    ratio: Fraction,
) -> bool:
    """Whether (size - good)/good·base^n ≤ failure, proved: the direct bound at the exponent the learner runs with."""
    if good < 1 or not 0 <= tolerated < error < 1:
        return False
    base = 1 - error * (1 - ratio) + (tolerated * (1 / ratio - 1) if tolerated else 0)
    odds = Fraction(size - good, good)
    return base < 1 and certainly_below(lambda: ball(odds) * ball(base) ** n, failure)


# --- An explicit code ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Code:
    """Points as polynomials over the field of `prime` elements: `digits` coefficients, evaluated everywhere.

    Set (u, v) holds the points whose polynomial takes the value v at u; two points share at most digits - 1 of the
    `prime` sets that hold one. With one digit there is nothing to evaluate: the sets are the points themselves.
    """

    prime: int
    digits: int

    @property
    def evaluations(self) -> int:
        """The number of places where a polynomial is evaluated."""
        return 1 if self.digits == 1 else self.prime

    @property
    def size(self) -> int:
        """The number of sets."""
        return self.prime * self.evaluations


def good_codewords(code: Code, tolerated: Fraction) -> int:
    """Of the sets that hold the target, how many err by at most `tolerated`, at least, whatever the distribution.

    On average over them the other points weigh at most (digits - 1)/evaluations (Markov's inequality).
    """
    if code.digits == 1:
        return 1
    agreement = Fraction(code.digits - 1, code.evaluations)
    return 0 if tolerated <= agreement else math.ceil(code.evaluations * (1 - agreement / tolerated))


_PARTS = tuple(Fraction(k, 1000) for k in (*range(4, 40), *range(40, 160, 4), *range(160, 500, 20)))
"""Tolerated errors tried, as parts of the error: the optimum is flat."""


def _bound(code: Code, *, error: Fraction, tolerated: Fraction, epsilon: Fraction) -> Occam | None:
    """The bound at the exponent the learner runs with, which is what `proves_code` proves; None if it proves nothing.

    A good set loses to a bad one unless tolerated < error·e^(-epsilon/2).
    """
    good = good_codewords(code, tolerated)
    if good < 1 or tolerated >= error * exp_down(-epsilon / 2, 30):
        return None
    return occam_bound(code.size, good, error=error, tolerated=tolerated, rate=Rate(epsilon, None))


def occam_bound(size: int, good: int, *, error: Fraction, tolerated: Fraction, rate: Rate) -> Occam:
    """(size - good)/good·base^n at the learner's own exponent, which is the one certificates know."""
    return Occam(None, Fraction(size - good, good), error, tolerated, rate)


_FLOAT_PARTS = np.array([float(part) for part in _PARTS])[None, :]


@lru_cache(maxsize=8)
def _numbers(codes: tuple[Code, ...]) -> tuple[Floats, Floats]:
    """Logarithms of the primes, and the shares of a set that two points have in common; a row a code."""
    primes = np.array([min(code.prime, 2**1023) for code in codes], dtype=np.float64)[:, None]
    return np.log(primes), np.array([code.digits - 1 for code in codes], dtype=np.float64)[:, None] / primes


@lru_cache(maxsize=64)
def _codes(domain: int) -> tuple[Code, ...]:
    """For every useful number of digits, primes from the smallest that has room for the domain, in steps of 2%."""
    codes = []
    for digits in range(1, max(2, domain.bit_length())):
        if digits == 1:
            codes.append(Code(prime_from(domain), 1))
            continue
        if domain > _LARGEST_PRIME**digits:
            continue
        prime = prime_from(_root(domain, digits))
        if prime < digits:
            break
        last = min(_LARGEST_PRIME, max(16 * prime, 2**14))
        while prime <= last:
            codes.append(Code(prime, digits))
            prime = prime_from(prime + max(1, prime // 50))
    return tuple(codes)


_LARGEST_PRIME = 2**14
"""Sets of a code are prime², and every one is scored: 2^28 is where that stops being quick."""

_MOST_STEPS = 2**31
"""Evaluations of polynomials a draw may take, times their digits: some seconds."""


def _root(domain: int, digits: int) -> int:
    """The smallest whole number whose power is at least the domain."""
    guess = max(1, int(2 ** (math.log2(domain) / digits)) - 2)
    while guess**digits < domain:
        guess += 1
    return guess


_FLOAT_EPSILON = Fraction(1400)
"""Beyond it, floats take a mistake's weight for 0; what they choose is only a guess, and certified exactly."""


def _best_code(
    codes: tuple[Code, ...], *, error: Fraction, failure: Fraction, epsilon: Fraction
) -> tuple[int, Code, Fraction]:
    """Records needed as floats see it, the code, and the tolerated error; ties go to the smaller code."""
    weight, wrong = math.exp(-float(min(epsilon, _FLOAT_EPSILON)) / 2), float(error)
    logs, agreements = _numbers(codes)
    tolerated = wrong * _FLOAT_PARTS
    base = 1 - wrong * (1 - weight) + tolerated * (1 / weight - 1)
    share = np.where(agreements > 0, 1 - agreements / tolerated, 1.0)
    fall = np.where(
        agreements > 0, np.where(base < 1, -np.log(base), 0.0), -math.log1p(-wrong * (1 - weight))
    )
    useful = (share > 0) & (fall > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        need = (logs - np.log(share) - math.log(failure)) / fall
    records = np.ceil(np.round(np.where(useful, need, np.inf), 6))
    least = records.min()
    if not math.isfinite(least):  # nothing is proved at so small an epsilon; any code is private
        return 2**62, codes[0], Fraction(0)
    row, column = min(
        np.argwhere(records == least).tolist(), key=lambda at: (codes[at[0]].size, codes[at[0]].digits, at[1])
    )
    code = codes[row]
    return int(least), code, Fraction(0) if code.digits == 1 else error * _PARTS[column]


def code_for(n: int, *, domain: int, failure: Fraction, epsilon: Fraction) -> Code:
    """The code for `n` records: the one with which the search sees the smallest error; any is private.

    Codes that would take too long on this many records are left out; one digit, which is points themselves, never does.
    """
    codes = tuple(
        code for code in _codes(domain) if code.digits == 1 or code.prime * code.digits * n <= _MOST_STEPS
    )

    def best(step: int) -> tuple[int, Code, Fraction]:
        return _best_code(codes, error=step * GRID, failure=failure, epsilon=epsilon)

    step = first_whole(
        lambda k: k >= LARGEST_STEP or best(k)[0] <= n, start=first_guess(n, epsilon), smallest=1
    )
    return best(step)[1]


def first_guess(n: int, epsilon: Fraction) -> int:
    return min(LARGEST_STEP, int(30 / (min(epsilon, _FLOAT_EPSILON) * max(n, 1) * GRID)))


@formula("reed-solomon-points")
def plan_code(domain: int, *, error: Number, failure: Number, epsilon: Number) -> tuple[int, Code, Fraction]:
    """Records that suffice with an explicit code, the code, and the error its good sets may have.

    Statement: (prime·N - good)/good·base^n ≤ failure with base = 1 - error·(1 - e^-s) + tolerated·(e^s - 1),
    s = epsilon/2, N evaluations, good = N(1 - (digits - 1)/(N·tolerated)) rounded up, prime^digits ≥ domain.
    Source: register `reed-solomon-points`, instead of Beimel–Brenner–Kasiviswanathan–Nissim 2013, Lemma 4.1.
    Holds if: one value carries all of class 1; records independent. Proof: docs/proofs/reed-solomon-points.md.

    >>> plan_code(2**32, error=0.1, failure=0.05, epsilon=1)[:2]
    (287, Code(prime=1627, digits=3))
    """
    owner = "plan_code"
    size, miss = at_least(2, domain, owner=owner, name="domain"), chance(failure, owner=owner, name="failure")
    wrong, loss = chance(error, owner=owner, name="error"), positive(epsilon, owner=owner, name="epsilon")
    _, code, tolerated = _best_code(_codes(size), error=wrong, failure=miss, epsilon=loss)
    return records_code(code, tolerated=tolerated, error=wrong, failure=miss, epsilon=loss), code, tolerated


@formula("reed-solomon-points")
def records_code(code: Code, *, tolerated: Number, error: Number, failure: Number, epsilon: Number) -> int:
    """Records that suffice with this very code.

    Statement: as `plan_code`. Source: register `reed-solomon-points`. Holds if: as `plan_code`.
    Proof: docs/proofs/reed-solomon-points.md.

    >>> records_code(Code(2963, 12), tolerated=0.0065, error=0.1, failure=0.05, epsilon=1)
    331
    """
    owner = "records_code"
    tolerance = rational(tolerated, owner=owner, name="tolerated")
    loss = positive(epsilon, owner=owner, name="epsilon")
    bound = _bound(code, error=chance(error, owner=owner, name="error"), tolerated=tolerance, epsilon=loss)
    if bound is None:
        least = Fraction(code.digits - 1, code.evaluations)
        raise ParameterError(
            owner,
            "tolerated",
            tolerated,
            allowed=f"above (digits - 1)/prime = {least} and below error·e^(-epsilon/2)",
        )
    return bound.records(chance(failure, owner=owner, name="failure"))


@formula("reed-solomon-points")
def proves_code(
    n: int, *, code: Code, tolerated: Fraction, error: Fraction, failure: Fraction, ratio: Fraction
) -> bool:
    """Whether `n` records prove `error` and `failure` for draws from this code at `ratio` a mistake.

    Statement: as `plan_code`, with e^-s = ratio. Source: register `reed-solomon-points`. Holds if: as `plan_code`.
    Proof: docs/proofs/reed-solomon-points.md.
    """
    good = good_codewords(code, tolerated)
    return represents(
        n, size=code.size, good=good, tolerated=tolerated, error=error, failure=failure, ratio=ratio
    )


@formula("reed-solomon-points")
def error_code(n: int, *, code: Code, failure: Number, ratio: Fraction) -> tuple[Fraction, Fraction]:
    """The smallest error on the grid that `n` records prove with this code, and the tolerated error of the proof.

    Error 1, which always holds, when they prove none. Statement: as `plan_code`.
    Source: register `reed-solomon-points`. Holds if: as `plan_code`.
    Proof: docs/proofs/reed-solomon-points.md.
    """
    owner = "error_code"
    have, miss = at_least(0, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")
    parts = _PARTS if code.digits > 1 else (Fraction(0),)

    def proof(step: int) -> Fraction | None:
        """The first tolerated error that works."""
        wrong = step * GRID
        for part in parts:
            if proves_code(have, code=code, tolerated=wrong * part, error=wrong, failure=miss, ratio=ratio):
                return wrong * part
        return None

    step = first_whole(lambda k: k * GRID >= 1 or proof(k) is not None, start=1000, smallest=1)
    if step * GRID >= 1:
        return Fraction(1), Fraction(0)
    tolerated = proof(step)
    assert tolerated is not None  # the search said so
    return step * GRID, tolerated


# --- Random hashed sets --------------------------------------------------------------------------------------------
