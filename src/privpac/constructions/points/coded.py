"""Find a value of a column with a set of an explicit code: improper, deterministic class, O(log d) records.

The exponential mechanism draws from a class in which many members are nearly right, so that the accuracy bound pays for
the share of good members and not for the number of points. It is Beimel–Brenner–Kasiviswanathan–Nissim 2013, Theorem
4.2, made constructive.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
from flint import arb

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.sets.codes import CodeSets
from privpac.constructions.base import DrawsMembers, DrawsOnce
from privpac.constructions.cases import Case, learner_case, tiny_schema
from privpac.constructions.draw.occam import FAILURE, draw_from
from privpac.constructions.points.base import LARGEST_STEP, OneRun
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy
from privpac.guarantee.proof import Proof, need
from privpac.guarantee.theorem import AccuracyBound
from privpac.numbers.exact import ball, exp_down, first_whole
from privpac.numbers.parameters import Number, at_least, chance, positive, rational
from privpac.numbers.primes import prime_from
from privpac.numbers.rough import Floats
from privpac.theory.occam import GRID, Occam, Rate
from privpac.theory.register import formula

__all__ = ["Code", "CodeAccuracy", "CodedPoints", "plan_code", "records_code"]

PLACE = 100

# --- How right it is ---


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

    def good(self, tolerated: Fraction) -> int:
        """Of the sets that hold the target, how many err by at most `tolerated`, at least, whatever the distribution.

        On average over them the other points weigh at most (digits - 1)/evaluations (Markov's inequality).
        """
        if self.digits == 1:
            return 1
        agreement = Fraction(self.digits - 1, self.evaluations)
        return 0 if tolerated <= agreement else math.ceil(self.evaluations * (1 - agreement / tolerated))


_PARTS = tuple(Fraction(k, 1000) for k in (*range(4, 40), *range(40, 160, 4), *range(160, 500, 20)))
"""Tolerated errors tried, as parts of the error: the optimum is flat."""


@dataclass(frozen=True)
class CodeAccuracy(AccuracyBound, key="reed-solomon-points"):
    """A set of the code over q elements with t digits, drawn at r a mistake, errs by more than `error` with probability
    at most

    (q·N - G)/G·base^n, base = 1 - error·(1 - r) + tolerated·(1/r - 1), G = N(1 - (t - 1)/(N·tolerated)) rounded up,

    for every target and every distribution; N = q evaluations, and q^t is at least the number of points.
    """

    as_text: ClassVar[tuple[str, ...]] = ("domain",)

    domain: int
    prime: int
    digits: int
    tolerated: Fraction = Fraction(0)
    ratio: Fraction = Fraction(1)

    def check(self) -> None:
        need(self.key, 0 < self.ratio < 1, "the ratio must lie in (0, 1)")
        is_prime = self.prime >= 2 and prime_from(self.prime) == self.prime
        need(self.key, is_prime, "a field has a prime number of elements")
        need(self.key, self.digits >= 2, "one digit is no code: points are drawn themselves")
        need(self.key, 1 <= self.domain <= self.prime**self.digits, "the code has no room for the domain")

    def failure(self, n: int, error: Fraction) -> arb:
        code, tolerated = Code(self.prime, self.digits), self.tolerated
        good = code.good(tolerated)
        base = 1 - error * (1 - self.ratio) + (tolerated * (1 / self.ratio - 1) if tolerated else 0)
        if good < 1 or not 0 <= tolerated < error < 1 or base >= 1:
            return arb(1)
        return ball(Fraction(code.size - good, good)) * ball(base) ** n

    def suited(self, n: int, error: Fraction, failure: Fraction) -> CodeAccuracy:
        """The first tolerated error that works."""
        bounds = (
            replace(self, tolerated=error * part) for part in (_PARTS if self.digits > 1 else (Fraction(0),))
        )
        return next((bound for bound in bounds if bound.proves(n, error, failure)), self)


# --- Its parameters ---


def _bound(code: Code, *, error: Fraction, tolerated: Fraction, epsilon: Fraction) -> Occam | None:
    """The bound at the exponent the learner runs with, which is that of `CodeAccuracy`; None if it proves nothing.

    A good set loses to a bad one unless tolerated < error·e^(-epsilon/2).
    """
    good = code.good(tolerated)
    if good < 1 or tolerated >= error * exp_down(-epsilon / 2, 30):
        return None
    return occam_bound(code.size, good, error=error, tolerated=tolerated, rate=Rate(epsilon, None))


def occam_bound(size: int, good: int, *, error: Fraction, tolerated: Fraction, rate: Rate) -> Occam:
    """(size - good)/good·base^n at the learner's own exponent, which is the one certificates know."""
    return Occam(None, Fraction(size - good, good), error, tolerated, rate)


_FLOAT_PARTS = np.array([float(part) for part in _PARTS])[None, :]
_LARGEST_PRIME = 2**14
"""Sets of a code are prime², and every one is scored: 2^28 is where that stops being quick."""
_MOST_STEPS = 2**31
"""Evaluations of polynomials a draw may take, times their digits: some seconds."""
_FLOAT_EPSILON = Fraction(1400)
"""Beyond it, floats take a mistake's weight for 0; what they choose is only a guess, and certified exactly."""


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


def _root(domain: int, digits: int) -> int:
    """The smallest whole number whose power is at least the domain."""
    guess = max(1, int(2 ** (math.log2(domain) / digits)) - 2)
    while guess**digits < domain:
        guess += 1
    return guess


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


# --- The learner ---

EACH_SUM = 6e-9
"""Seconds of one digit of one value at one place, on the slow side."""
MOST_SECONDS = 60
"""What a draw may take after it was paid for."""


@dataclass(frozen=True)
class CodedPoints(DrawsMembers, DrawsOnce, OneRun):
    """Draw a set of a code with weight ratio^mistakes."""

    schema: Schema
    column: str
    epsilon: Fraction
    code: Code
    failure: Fraction = FAILURE

    name: ClassVar[str] = "coded points"

    @classmethod
    def tuned(
        cls, schema: Schema, column: str, *, epsilon: Fraction, size: Size, failure: Fraction = FAILURE
    ) -> CodedPoints | None:
        """The code that proves most with this many records; None where that is points themselves (one digit)."""
        code = code_for(size.labelled, domain=schema.column(column).size, failure=failure, epsilon=epsilon)
        if code.digits == 1:
            return None
        return cls(schema, column, epsilon, code, failure)

    @cached_property
    def concepts(self) -> CodeSets:
        """All sets of the code."""
        return CodeSets(self.schema, self.column, self.code.prime, self.code.digits)

    @property
    def word(self) -> str:
        return self.concepts.word

    def require(self, size: Size) -> None:
        """Refuse more sums of a code's digits than a minute has time for, were all values different."""
        size.require_labelled("CodedPoints")
        sums = self.code.prime * self.code.digits * min(size.labelled, self.domain)
        if sums * EACH_SUM > MOST_SECONDS:
            raise SizeError(
                f"points:{self.column}:improper evaluates {self.code.digits} digits of up to {size.labelled} values at"
                f" {self.code.prime} places, which takes more than {MOST_SECONDS} seconds.",
                remedy=f"Use points:{self.column}:clipped, which takes keys of any length, or fewer records.",
            )

    def mechanism(self) -> Proof[Privacy]:
        return rules.exponential_mechanism(ratio=self.ratio)

    def bounds(self, size: Size) -> Iterator[CodeAccuracy]:
        yield CodeAccuracy(self.domain, **vars(self.code), ratio=self.ratio)

    def parameters(self, size: Size) -> Mapping[str, object]:
        return vars(self.code)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        return draw_from(self.concepts, sample, coins, ratio=self.ratio)


# --- What the exact audit runs ---


def coded_case(name: str = "points-code", *, cells: int = 9, prime: int = 3, n: int = 3) -> Case:
    """Sets of a Reed–Solomon code."""
    schema = tiny_schema(cells)
    return learner_case(name, CodedPoints(schema, "a", Fraction(1), Code(prime, 2)), schema, n)


ROWS: Mapping[str, Callable[[], Case]] = {"points-code": coded_case}
