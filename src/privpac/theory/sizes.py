"""How many records suffice, at which epsilon, and how surely: one function a formula, constants explicit. Which error a
number of records proves is answered in `occam`.

Every answer is certified: inequalities are decided in ball arithmetic (exactly when all numbers are
rational), record counts and grid values are the smallest the formula proves, probabilities are rounded up.

The learner is the exponential mechanism. Say how private it is with `epsilon` (a mistake then weighs exactly
e^(-epsilon/2)), or give the `ratio` it really runs with, which is used exactly; `ratio` wins, and `ratio=0`
is the learner without privacy. Errors may also be mean costs divided by the largest cost: the proof covers
losses in [0, 1]. `size` is the number of hypotheses |H| itself; the formulas subtract the good ones.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx

from privpac.errors import ParameterError, SizeError
from privpac.numbers.binomial import mean_over_binomial, rounded_up
from privpac.numbers.exact import PRECISIONS, certainly_below, first_whole
from privpac.numbers.parameters import Number, at_least, chance
from privpac.theory.occam import GRID, Log, Occam, Rate, Size
from privpac.theory.register import formula

__all__ = [
    "Log",
    "epsilon_agnostic",
    "epsilon_occam",
    "failure_agnostic",
    "failure_occam",
    "failure_points",
    "failure_prior",
    "records_agnostic",
    "records_occam",
    "records_points",
    "records_prior",
]

_LARGEST_EPSILON = 2**16
"""Beyond this e^(-epsilon/2) is below 10^-14000: the privacy-free limit for every purpose."""


@formula("occam-realizable")
def records_occam(
    size: Size,
    *,
    error: Number,
    failure: Number,
    epsilon: Number | None = None,
    ratio: Fraction | float | None = None,
    good: int = 1,
    tolerated: Number = 0,
) -> int:
    """Records after which the drawn hypothesis has error above `error` with probability at most `failure`.

    Statement: (bad/good)·(1 - error·(1 - e^-s) + tolerated·(e^s - 1))^n ≤ failure, bad = size - good,
    e^-s the weight of one mistake; or the same at the best smaller exponent.
    Source: register `occam-realizable` (Beimel–Brenner–Kasiviswanathan–Nissim 2013, Theorem 3.2).
    Symbols: alpha → error, alpha_1 → tolerated, beta → failure, |H| → size, |G| → good.
    Holds if: at least `good` hypotheses of a public class of `size` have true error at most `tolerated`.
    Proof: docs/proofs/occam.md.

    >>> records_occam(2**32, error=0.1, failure=0.05, epsilon=1)
    628
    """
    owner = "records_occam"
    rate = Rate.read(epsilon, ratio, owner=owner)
    bound = Occam.uniform(size, owner=owner, error=error, rate=rate, good=good, tolerated=tolerated)
    return bound.records(chance(failure, owner=owner, name="failure"))


@formula("occam-realizable")
def failure_occam(
    n: int,
    *,
    size: Size,
    error: Number,
    epsilon: Number | None = None,
    ratio: Fraction | float | None = None,
    good: int = 1,
    tolerated: Number = 0,
) -> Fraction:
    """The failure probability `n` records prove for `error`, rounded up; 1 when they prove nothing.

    Statement: as `records_occam`. Source: register `occam-realizable`.
    Holds if: as `records_occam`. Proof: docs/proofs/occam.md.

    >>> float(failure_occam(628, size=2**32, error=0.1, epsilon=1)) < 0.05
    True
    """
    owner = "failure_occam"
    rate = Rate.read(epsilon, ratio, owner=owner)
    bound = Occam.uniform(size, owner=owner, error=error, rate=rate, good=good, tolerated=tolerated)
    return bound.failure(at_least(0, n, owner=owner, name="n"))


@formula("occam-realizable")
def epsilon_occam(
    n: int, *, size: Size, error: Number, failure: Number, good: int = 1, grid: Fraction = GRID
) -> Fraction:
    """The smallest epsilon on the grid at which `n` records prove `error` and `failure`.

    Statement: as `records_occam` with tolerated = 0, solved for epsilon. Source: register `occam-realizable`.
    Holds if: some hypothesis makes no error. Proof: docs/proofs/occam.md.

    >>> float(epsilon_occam(628, size=2**32, error=0.1, failure=0.05))
    0.9984
    """
    owner = "epsilon_occam"
    have, miss = at_least(0, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")

    def need(rate: Rate) -> int:
        return Occam.uniform(size, owner=owner, error=error, rate=rate, good=good).records(miss)

    return _smallest_epsilon(need, have, owner=owner, grid=grid)


def _smallest_epsilon(need: Callable[[Rate], int], have: int, *, owner: str, grid: Fraction) -> Fraction:
    """The first multiple of the grid at which no more than the records at hand are needed."""
    least = need(Rate(Fraction(0), Fraction(0)))
    if least > have:
        raise SizeError(
            f"{owner}: {have} records are too few at any epsilon, since {least} are needed without privacy.",
            remedy="Allow a larger error or failure, or collect more records.",
        )
    largest = int(_LARGEST_EPSILON / grid)
    step = first_whole(
        lambda k: k >= largest or need(Rate(k * grid, None)) <= have, start=int(1 / grid), smallest=1
    )
    return step * grid


@formula("occam-agnostic")
def records_agnostic(
    size: Size,
    *,
    excess: Number,
    failure: Number,
    epsilon: Number | None = None,
    ratio: Fraction | float | None = None,
    noise: Number | None = None,
) -> int:
    """Records after which the error exceeds the best by more than `excess` with chance at most `failure`.

    Statement: (size - 1)·base^n ≤ failure, base = 1 - (e + excess)(1 - x) + e·(1/x - 1), e = min(noise,
    (1 - excess)/2), x the weight of one mistake or √(e/(e + excess)), whichever is larger.
    Source: register `occam-agnostic`. Symbols: alpha → excess, eta → noise, beta → failure.
    Holds if: the class is public; the best error is at most `noise` (None: nothing known about it).
    Proof: docs/proofs/occam.md.

    >>> records_agnostic(2**32, excess=0.1, failure=0.05, epsilon=1)
    5011
    """
    owner = "records_agnostic"
    rate = Rate.read(epsilon, ratio, owner=owner)
    bound = Occam.agnostic(size, owner=owner, excess=excess, noise=noise, rate=rate)
    return bound.records(chance(failure, owner=owner, name="failure"))


@formula("occam-agnostic")
def failure_agnostic(
    n: int,
    *,
    size: Size,
    excess: Number,
    epsilon: Number | None = None,
    ratio: Fraction | float | None = None,
    noise: Number | None = None,
) -> Fraction:
    """The failure probability `n` records prove for `excess`, rounded up; 1 when they prove nothing.

    Statement: as `records_agnostic`. Source: register `occam-agnostic`. Holds if: as `records_agnostic`.
    Proof: docs/proofs/occam.md.
    """
    owner = "failure_agnostic"
    rate = Rate.read(epsilon, ratio, owner=owner)
    bound = Occam.agnostic(size, owner=owner, excess=excess, noise=noise, rate=rate)
    return bound.failure(at_least(0, n, owner=owner, name="n"))


@formula("occam-agnostic")
def epsilon_agnostic(
    n: int,
    *,
    size: Size,
    excess: Number,
    failure: Number,
    noise: Number | None = None,
    grid: Fraction = GRID,
) -> Fraction:
    """The smallest epsilon on the grid at which `n` records prove `excess` and `failure`.

    Statement: as `records_agnostic`, solved for epsilon. Source: register `occam-agnostic`.
    Holds if: as `records_agnostic`. Proof: docs/proofs/occam.md.
    """
    owner = "epsilon_agnostic"
    have, miss = at_least(0, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")

    def need(rate: Rate) -> int:
        return Occam.agnostic(size, owner=owner, excess=excess, noise=noise, rate=rate).records(miss)

    return _smallest_epsilon(need, have, owner=owner, grid=grid)


@formula("occam-prior")
def records_prior(
    mass: Number,
    *,
    size: int | None = None,
    error: Number,
    tolerated: Number = 0,
    failure: Number,
    epsilon: Number | None = None,
    ratio: Fraction | float | None = None,
) -> int:
    """As `records_occam` when the hypotheses of error at most `tolerated` have prior probability `mass`.

    Statement: ((1 - mass)/mass)·base(s)^n ≤ failure; if `size` is given also
    (size - 1)^(1 - t/s)·((1 - mass)/mass)^(t/s)·base(t)^n at the best smaller exponent t.
    Source: register `occam-prior`. Holds if: class and prior are public.
    Proof: docs/proofs/occam.md.

    >>> records_prior(2**-8, error=0.1, failure=0.05, epsilon=1)
    213
    """
    owner = "records_prior"
    rate = Rate.read(epsilon, ratio, owner=owner)
    bound = Occam.prior(mass, size=size, owner=owner, error=error, tolerated=tolerated, rate=rate)
    return bound.records(chance(failure, owner=owner, name="failure"))


@formula("occam-prior")
def failure_prior(
    n: int,
    *,
    mass: Number,
    size: int | None = None,
    error: Number,
    tolerated: Number = 0,
    epsilon: Number | None = None,
    ratio: Fraction | float | None = None,
) -> Fraction:
    """The failure probability `n` records prove under a prior, rounded up; 1 when they prove nothing.

    Statement: as `records_prior`. Source: register `occam-prior`. Holds if: class and prior are public.
    Proof: docs/proofs/occam.md.
    """
    owner = "failure_prior"
    rate = Rate.read(epsilon, ratio, owner=owner)
    bound = Occam.prior(mass, size=size, owner=owner, error=error, tolerated=tolerated, rate=rate)
    return bound.failure(at_least(0, n, owner=owner, name="n"))


def _private(epsilon: object, ratio: object, *, owner: str) -> Rate:
    if ratio is not None and ratio == 0:
        raise ParameterError(owner, "ratio", ratio, allowed="above 0, since the sum is over private draws")
    return Rate.read(epsilon, ratio, owner=owner)


def _failure_points(n: int, *, domain: int, wrong: Fraction, rate: Rate) -> arb:
    weight = rate.weight()
    decay = weight**n

    def fails(power: arb) -> arb:
        others = (domain - 2) + power * decay
        return others / (others + power)

    return mean_over_binomial(fails, n=n, chance=wrong, growth=1 / weight)


@formula("points-extremal-family")
def failure_points(
    n: int,
    *,
    domain: int,
    error: Number,
    epsilon: Number | None = None,
    ratio: Fraction | float | None = None,
) -> Fraction:
    """Exact failure of the point learner on its hard two-point distribution, rounded up.

    Statement: E[Y/(Y + e^(s·K))], K binomial(n, error), Y = domain - 2 + e^(-s·(n - K)).
    Source: register `points-extremal-family`. Symbols: T → domain, alpha → error, lambda → s.
    Holds if: the target has mass just above `error` and the rest lies on one other point: an estimate of the
    need, not a promise for every distribution.
    Proof: docs/proofs/occam.md.

    >>> failure_points(575, domain=2**32, error=0.1, epsilon=1) <= Fraction(5, 100)
    True
    """
    owner = "failure_points"
    have, size = at_least(0, n, owner=owner, name="n"), at_least(2, domain, owner=owner, name="domain")
    wrong, rate = chance(error, owner=owner, name="error"), _private(epsilon, ratio, owner=owner)
    with ctx.workprec(PRECISIONS[0]):
        return rounded_up(_failure_points(have, domain=size, wrong=wrong, rate=rate))


@formula("points-extremal-family")
def records_points(
    domain: int,
    *,
    error: Number,
    failure: Number,
    epsilon: Number | None = None,
    ratio: Fraction | float | None = None,
) -> int:
    """Records after which `failure_points` is at most `failure`: a sharp estimate, below the proved size.

    Statement: the smallest n with E[Y/(Y + e^(s·K))] ≤ failure; the expectation falls as n grows.
    Source: register `points-extremal-family`. Holds if: as `failure_points`.
    Proof: docs/proofs/occam.md.

    >>> records_points(2**16, error=0.1, failure=0.05, epsilon=1)
    328
    """
    owner = "records_points"
    size, miss = at_least(2, domain, owner=owner, name="domain"), chance(failure, owner=owner, name="failure")
    wrong, rate = chance(error, owner=owner, name="error"), _private(epsilon, ratio, owner=owner)

    def enough(n: int) -> bool:
        return certainly_below(lambda: _failure_points(n, domain=size, wrong=wrong, rate=rate), miss)

    return first_whole(
        enough, start=Occam(Fraction(size), Fraction(size), wrong, Fraction(0), rate).records(miss)
    )
