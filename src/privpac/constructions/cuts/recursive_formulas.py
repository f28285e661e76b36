"""How many records thresholds need under (epsilon, delta) when keys are very long: one level of recursion.

Instead of a draw among all cuts, three draws with few candidates each: the width of the good region among powers of
two, its place among blocks of that width (released only if its lead is clear), and a cut near it. What is paid grows
with the logarithm of the number of *bits*, not of cells. All noise is geometric, so every count here is whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from privpac.errors import SizeError
from privpac.numbers.binomial import at_most, rounded_up
from privpac.numbers.exact import (
    PRECISIONS,
    ball,
    certainly_below,
    first_whole,
    power_up,
    ratio_for,
    shortened,
)
from privpac.numbers.parameters import Number, at_least, chance, positive, rational
from privpac.theory.occam import first_error
from privpac.theory.register import formula

__all__ = [
    "Plan",
    "delta_stable_choice",
    "error_rec_concave",
    "failure_rec_concave",
    "plan_rec_concave",
    "records_rec_concave",
    "records_rec_concave_laplace",
    "threshold_stable_choice",
    "widths",
]

SPLITS = 20
"""Budgets of the three steps are multiples of a twentieth of epsilon: finer ones save less than one record in 100."""

_TRIES = 12
"""Splits whose whole numbers are worked out, the most promising ones first."""

_STEPS = 5
"""Things that can go wrong, each with the same share of the failure: width, place, release, cut, generalisation."""


@dataclass(frozen=True)
class Plan:
    """Public numbers of the three steps; they depend on the domain, the budget and the failure, not on n.

    `ratios` weigh one unit of cost in each step. A width is missed by at most `slack`, the last draw by at most
    `last`. The best block is released when its noisy lead reaches 2 + `threshold`; a lead of 1 + threshold + `margin`
    passes except with the step's share of the failure. Blocks are `blocks` times wider than the region they must hold.
    """

    ratios: tuple[Fraction, Fraction, Fraction]
    slack: int
    threshold: int
    margin: int
    last: int
    blocks: int

    @property
    def goal(self) -> int:
        """Cost at which the width of the good region is measured: enough for a clear lead after a missed width."""
        return self.slack + 1 + self.threshold + self.margin

    @property
    def mistakes(self) -> int:
        """Mistakes of either kind the released cut makes at most, if nothing goes wrong."""
        return self.goal + self.slack + self.last


@formula("rec-concave")
def widths(domain: int) -> int:
    """How many powers of two are tried besides 1: 2^widths is the last that fits among domain + 1 cuts.

    Statement: floor(log2(domain + 1)). Source: register `rec-concave`. Holds if: always.
    Proof: docs/proofs/rec-concave.md.
    """
    return (domain + 1).bit_length() - 1


@formula("stable-choice")
def threshold_stable_choice(*, ratio: Fraction, delta: Number) -> int:
    """The smallest t with ratio^t/(1 + ratio) ≤ delta: a lead of 2 + t may be released.

    Statement: two-sided geometric noise G has P[G ≥ t] = ratio^t/(1 + ratio) for t ≥ 0.
    Source: register `stable-choice`. Holds if: 0 < ratio < 1.
    Proof: docs/proofs/stable-choice.md.

    >>> threshold_stable_choice(ratio=ratio_for(Fraction(1, 6)), delta="0.000001")
    80
    """
    owner = "threshold_stable_choice"
    weight, limit = chance(ratio, owner=owner, name="ratio"), chance(delta, owner=owner, name="delta")
    return _first_power(weight, limit * (1 + weight))


@formula("stable-choice")
def delta_stable_choice(*, ratio: Fraction, threshold: int) -> Fraction:
    """How often a choice is released that a neighbour would not make, at most; long numbers are rounded up.

    Statement: ratio^threshold/(1 + ratio). Source: register `stable-choice`. Holds if: as `threshold_stable_choice`.
    Proof: docs/proofs/stable-choice.md.
    """
    owner = "delta_stable_choice"
    weight = chance(ratio, owner=owner, name="ratio")
    steps = at_least(0, threshold, owner=owner, name="threshold")
    return shortened(power_up(weight, steps) / (1 + weight))


def _first_power(weight: Fraction, limit: Fraction) -> int:
    """The smallest k ≥ 0 with weight^k ≤ limit."""
    if limit >= 1:
        return 0
    guess = max(1, round(math.log(limit) / math.log(weight)))
    return first_whole(lambda k: certainly_below(lambda: ball(weight) ** k, limit), start=guess)


@formula("rec-concave")
def plan_rec_concave(domain: int, *, failure: Number, epsilon: Number, delta: Number) -> Plan:
    """The plan with the fewest mistakes among splits of epsilon into twentieths.

    Statement: see `failure_rec_concave`; the first four of its terms are at most failure/5 each.
    Source: register `rec-concave`. Holds if: epsilon and delta are positive.
    Proof: docs/proofs/rec-concave.md.

    >>> plan_rec_concave(2**64, failure=0.05, epsilon=1, delta="0.000001").mistakes
    265
    """
    owner = "plan_rec_concave"
    size = at_least(1, domain, owner=owner, name="domain")
    miss, loss = chance(failure, owner=owner, name="failure"), positive(epsilon, owner=owner, name="epsilon")
    return _best_plan(size, miss, loss, chance(delta, owner=owner, name="delta"))


@lru_cache(maxsize=64)
def _best_plan(domain: int, failure: Fraction, epsilon: Fraction, delta: Fraction) -> Plan:
    splits = [(i, j, SPLITS - i - j) for i in range(1, SPLITS - 1) for j in range(1, SPLITS - i)]
    splits.sort(key=lambda split: _about(domain, float(failure), float(epsilon), float(delta), split))
    plans = [_plan(domain, failure / _STEPS, epsilon, delta, split) for split in splits[:_TRIES]]
    return min(plans, key=lambda plan: plan.mistakes)


def _plan(
    domain: int, share: Fraction, epsilon: Fraction, delta: Fraction, split: tuple[int, int, int]
) -> Plan:
    first, second, third = (ratio_for(epsilon * part / (2 * SPLITS)) for part in split)
    if 1 in (first, second, third):
        raise SizeError(
            f"rec_concave: epsilon {float(epsilon):.3g} is too small to tell any two scores apart.",
            remedy="Use a larger epsilon.",
        )
    blocks = math.ceil(1 / share)
    return Plan(
        ratios=(first, second, third),
        slack=_slack(widths(domain), first, share),
        threshold=threshold_stable_choice(ratio=second, delta=delta),
        margin=_first_power(second, share * (1 + second)),
        last=_slack(2 * blocks + 1, third, share),
        blocks=blocks,
    )


def _about(domain: int, failure: float, epsilon: float, delta: float, split: tuple[int, int, int]) -> float:
    """About the mistakes of a split: decides which is taken, never what is promised of it."""
    share = failure / _STEPS
    rates = [epsilon * part / (2 * SPLITS) for part in split]
    first = math.log(max(2.0, widths(domain)) / share) / rates[0]
    second = (math.log(1 / delta) + math.log(1 / share)) / rates[1]
    return 2 * first + second + math.log((2 / share + 3) / share) / rates[2]


def _slack(rivals: int, ratio: Fraction, share: Fraction) -> int:
    """The smallest s with rivals·ratio^(s + 1) ≤ share."""
    return max(0, _first_power(ratio, share / max(1, rivals)) - 1)


def _failure(n: int, *, domain: int, error: Fraction, plan: Plan) -> arb:
    first, second, third = (ball(ratio) for ratio in plan.ratios)
    return (
        widths(domain) * first ** (plan.slack + 1)
        + ball(Fraction(1, plan.blocks))
        + second**plan.margin / (1 + second)
        + (2 * plan.blocks + 1) * third ** (plan.last + 1)
        + 2 * at_most(plan.mistakes, n=n, chance=error)
    )


@formula("rec-concave")
def failure_rec_concave(n: int, *, domain: int, error: Number, plan: Plan) -> Fraction:
    """The failure probability `n` records prove for `error` under a plan, rounded up; no answer is a failure.

    Statement: w·r1^(slack+1) + 1/blocks + r2^margin/(1+r2) + (2·blocks+1)·r3^(last+1) + 2·P[Bin(n, error) ≤ mistakes],
    w = floor(log2(domain + 1)).
    Source: register `rec-concave`. Holds if: independent records and some cut makes no error.
    Proof: docs/proofs/rec-concave.md.
    """
    owner = "failure_rec_concave"
    have, size = at_least(0, n, owner=owner, name="n"), at_least(1, domain, owner=owner, name="domain")
    wrong = chance(error, owner=owner, name="error")
    with ctx.workprec(PRECISIONS[1]):
        return rounded_up(_failure(have, domain=size, error=wrong, plan=plan))


@formula("rec-concave")
def records_rec_concave(
    domain: int, *, error: Number, failure: Number, epsilon: Number, delta: Number
) -> int:
    """Records after which one level of recursion finds a cut of error at most `error`, no answer counted as failure.

    Statement: the smallest n at which `failure_rec_concave` of the best plan is at most `failure`.
    Source: register `rec-concave` (after Beimel–Nissim–Stemmer 2013, simplified). Symbols: alpha → error, beta →
    failure, T → domain. Holds if: independent records and some cut makes no error.
    Proof: docs/proofs/rec-concave.md.

    >>> records_rec_concave(2**64, error=0.1, failure=0.05, epsilon=1, delta="0.000001")
    3068
    """
    owner = "records_rec_concave"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    plan = plan_rec_concave(domain, failure=miss, epsilon=epsilon, delta=delta)

    def enough(n: int) -> bool:
        return certainly_below(lambda: _failure(n, domain=domain, error=wrong, plan=plan), miss)

    return first_whole(enough, start=int(plan.mistakes * 11 / (10 * wrong)), smallest=1)


@formula("rec-concave")
def error_rec_concave(n: int, *, domain: int, failure: Number, plan: Plan) -> Fraction:
    """The smallest error on the grid that `n` records prove under a plan; 1 when they prove none.

    Statement: as `failure_rec_concave`, solved for the error. Source: register `rec-concave`.
    Holds if: as `failure_rec_concave`. Proof: docs/proofs/rec-concave.md.
    """
    owner = "error_rec_concave"
    have, miss = at_least(0, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")

    def proves(error: Fraction) -> bool:
        return certainly_below(lambda: _failure(have, domain=domain, error=error, plan=plan), miss)

    return first_error(proves, start=Fraction(plan.mistakes * 11, 10 * max(1, have)))


@formula("rec-concave-laplace")
def records_rec_concave_laplace(
    bits: int,
    *,
    error: Number,
    failure: Number,
    epsilon: Number,
    delta: Number,
    split: tuple[int, int, int] = (1, 1, 1),
) -> int:
    """The same with Laplace noise on the lead, as the idea is usually written: for comparison, nothing ships it.

    Statement: b = failure/5, m = ceil(1/b), E = 2·(2/e1)·ln((bits + 2)/b) + 2 + (2/e2)·ln(1/(4·delta·b)) +
    (2/e3)·ln((2m + 3)/b), n the smallest with 2·P[Bin(n, error) ≤ E] ≤ b; epsilon is divided by `split`.
    Source: register `rec-concave-laplace`. Holds if: as `failure_rec_concave`, and the noise were a real number.
    Proof: docs/proofs/rec-concave.md.

    >>> records_rec_concave_laplace(64, error=0.1, failure=0.05, epsilon=1, delta="0.000001")
    3119
    """
    owner = "records_rec_concave_laplace"
    wrong, share = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure") / 5
    loss, slip = positive(epsilon, owner=owner, name="epsilon"), chance(delta, owner=owner, name="delta")
    parts = [loss * rational(part, owner=owner, name="split") / sum(split) for part in split]
    widest, blocks = at_least(1, bits, owner=owner, name="bits") + 2, math.ceil(1 / share)
    with ctx.workprec(PRECISIONS[0]):
        logs = [
            ball(widest / share).log() * 2,
            -ball(4 * slip * share).log(),
            ball((2 * blocks + 3) / share).log(),
        ]
        mistakes = 2 + sum((2 * log / ball(part) for log, part in zip(logs, parts, strict=True)), arb(0))
        most = int(mistakes.upper().floor().unique_fmpz())

    def enough(n: int) -> bool:
        return certainly_below(lambda: 2 * at_most(most, n=n, chance=wrong), share)

    return first_whole(enough, start=int(most * 11 / (10 * wrong)), smallest=1)
