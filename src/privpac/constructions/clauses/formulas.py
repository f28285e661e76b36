"""How many records noisy counts of patterns need until they find the exceptions of a rule."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from privpac.errors import ParameterError
from privpac.numbers.binomial import rounded_up
from privpac.numbers.exact import PRECISIONS, ball, certainly_below, first_power, first_whole, ratio_for
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.theory.occam import GRID, first_error
from privpac.theory.register import formula

__all__ = ["ClausePlan", "error_clauses", "failure_clauses", "plan_clauses", "records_clauses"]

MOST_EPSILON = Fraction(1000)
"""Spent at most: beyond it the noise of every count is 0 already, and the rule of the noise ends."""

TILT = Fraction(7, 8)
"""How far the bound leans from no noise at all towards where the noise has no mean: nearer, logarithms weigh less and
the factor before them more; between 3/4 and 15/16 the records change by less than 8 %."""


@dataclass(frozen=True)
class ClausePlan:
    """Public numbers of the counts: `clauses` of them, in noise of this `ratio`; a pattern with a noisy count above
    the `threshold` is no exception."""

    clauses: int
    ratio: Fraction
    threshold: int

    @property
    def tilt(self) -> Fraction:
        """The base s at which the bound weighs counts, ratio < s < 1."""
        return 1 - TILT * (1 - self.ratio)


@formula("clause-counts")
def plan_clauses(tests: int, width: int, *, failure: Number, epsilon: Number) -> ClausePlan:
    """The public numbers for a budget: half of all failures are left to patterns that are missed.

    Statement: clauses M = 2^width·(tests choose width), ratio g = e^-(epsilon/(2·(tests choose width))) rounded up, and
    the smallest threshold t with M·g^(t + 1)/(1 + g) ≤ failure/2. Source: register `clause-counts`.
    Holds if: 1 ≤ width ≤ tests. Proof: docs/proofs/clause-counts.md.

    >>> plan_clauses(6, 2, failure=0.05, epsilon=1).threshold
    213
    """
    owner = "plan_clauses"
    have, size = at_least(1, tests, owner=owner, name="tests"), at_least(1, width, owner=owner, name="width")
    miss, loss = chance(failure, owner=owner, name="failure"), positive(epsilon, owner=owner, name="epsilon")
    if size > have:
        raise ParameterError(owner, "width", size, allowed=f"at most the number of tests, {have}")
    return _plan(math.comb(have, size), size, miss, loss)


@lru_cache(maxsize=64)
def _plan(sets: int, width: int, failure: Fraction, epsilon: Fraction) -> ClausePlan:
    clauses, ratio = sets << width, ratio_for(min(epsilon, MOST_EPSILON) / (2 * sets))
    if ratio == 1:
        raise ParameterError(
            "plan_clauses", "epsilon", str(epsilon), allowed="larger: counts would drown in their noise"
        )
    steps = first_power(ratio, lambda: ball(failure * (1 + ratio) / (2 * clauses)).log())
    return ClausePlan(clauses, ratio, max(0, steps - 1))


def _failure(n: int, *, error: Fraction, plan: ClausePlan) -> arb:
    ratio, tilt, clauses = ball(plan.ratio), ball(plan.tilt), plan.clauses
    miss = clauses * ratio ** (plan.threshold + 1) / (1 + ratio)
    noise = (1 - ratio) ** 2 / ((1 - ratio * tilt) * (1 - ratio / tilt))
    heavy = ball(1 - error / clauses * (1 - plan.tilt)) ** n
    return miss + clauses * noise * heavy / tilt**plan.threshold


@formula("clause-counts")
def failure_clauses(n: int, *, error: Number, plan: ClausePlan) -> Fraction:
    """The failure probability `n` records prove for `error` under a plan, rounded up.

    Statement: M·g^(t + 1)/(1 + g) + M·(1 - g)²/((1 - g·s)(1 - g/s))·s^-t·(1 - (error/M)·(1 - s))^n, M = clauses,
    g = ratio, t = threshold, s = tilt. Source: register `clause-counts`.
    Holds if: independent records; some rule with exceptions of at most `width` tests makes no error.
    Proof: docs/proofs/clause-counts.md.
    """
    owner = "failure_clauses"
    have, wrong = at_least(0, n, owner=owner, name="n"), chance(error, owner=owner, name="error")
    with ctx.workprec(PRECISIONS[1]):
        return rounded_up(_failure(have, error=wrong, plan=plan))


@formula("clause-counts")
def records_clauses(tests: int, width: int, *, error: Number, failure: Number, epsilon: Number) -> int:
    """Records after which noisy counts of patterns find a rule of error at most `error`.

    Statement: the smallest n at which `failure_clauses` of the plan is at most `failure`; it grows like
    (M·sets/(error·epsilon))·ln(M/failure): a power of the number of tests. Source: register `clause-counts`.
    Holds if: as `failure_clauses`. Proof: docs/proofs/clause-counts.md.

    >>> records_clauses(4, 2, error=0.1, failure=0.05, epsilon=1)
    46704
    """
    owner = "records_clauses"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    plan = plan_clauses(tests, width, failure=miss, epsilon=epsilon)

    def enough(n: int) -> bool:
        return certainly_below(lambda: _failure(n, error=wrong, plan=plan), miss)

    return first_whole(enough, start=int(2 * plan.threshold * plan.clauses / wrong), smallest=1)


@formula("clause-counts")
def error_clauses(n: int, *, failure: Number, plan: ClausePlan) -> Fraction:
    """The smallest error on the grid that `n` records prove under a plan; 1 when they prove none.

    Statement: as `failure_clauses`, solved for the error. Source: register `clause-counts`.
    Holds if: as `failure_clauses`. Proof: docs/proofs/clause-counts.md.
    """
    owner = "error_clauses"
    have, miss = at_least(0, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")

    def proves(error: Fraction) -> bool:
        return certainly_below(lambda: _failure(have, error=error, plan=plan), miss)

    return first_error(proves, start=Fraction(2 * plan.threshold * plan.clauses, max(1, have)) + GRID)
