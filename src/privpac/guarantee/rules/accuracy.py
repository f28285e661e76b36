"""Accuracy: how far from the best a drawn hypothesis is, and how surely."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from flint import ctx

from privpac.guarantee.facts import ALL, Accuracy, Against, Loss, Privacy, Unit
from privpac.guarantee.proof import ONE, SEAL, Proof, need, parameters, rational
from privpac.numbers.exact import ball
from privpac.theory.staged import Stage, error_staged, excess_staged

__all__ = ["occam", "staged_draws"]


def occam(
    *,
    odds: int | Fraction,
    records: int,
    ratio: Fraction,
    tilt: Fraction,
    error: Fraction,
    failure: Fraction,
    against: Against,
) -> Proof[Accuracy]:
    """The drawn member errs by more than `error` (above the best) with probability at most odds·base^records.

    Here odds is at least 1/(smallest prior of a member) - 1, which is size - 1 under a uniform prior. Where nothing is
    promised against some members, `odds` is others^(1 - theta)·(odds of the rest)^theta instead, with theta at most
    ln(tilt)/ln(ratio). With x = tilt in [ratio, 1]: base = 1 - error·(1 - x) (realizable) or, the worst case over the
    best error,
    ((1 - error)/x + (1 + error)·x)/2 (agnostic).
    Source: our one-step bound, register `occam-realizable` and `occam-agnostic`; replaces Beimel et al. 2013, Theorem
    3.2. Holds for independent records. With costs, errors are average costs divided by the largest, and `ratio` is
    the weight of one largest cost.
    """
    rule = f"occam-{against.value}"
    need(
        rule, against in (Against.REALIZABLE, Against.AGNOSTIC), "it speaks of errors under the distribution"
    )
    need(rule, 0 < ratio <= tilt <= 1, "the tilt must lie between the ratio and 1")
    need(rule, 0 < error <= 1 and 0 < failure < 1, "error and failure must lie in (0, 1)")
    need(rule, odds >= 0 and records >= 0, "odds and records must not be negative")
    base = (
        1 - error * (1 - tilt)
        if against is Against.REALIZABLE
        else ((1 - error) / tilt + (1 + error) * tilt) / 2
    )
    with ctx.workprec(192):
        log_bound = ball(Fraction(odds)).log() + records * ball(base).log() if odds else None
        holds = odds == 0 or bool(log_bound <= ball(failure).log())
    need(rule, holds, "the bound is larger than the failure probability asked for")
    where = parameters(odds=str(odds), records=records, ratio=ratio, tilt=tilt)
    fact = Accuracy(error, failure, against, records)
    return Proof(fact, rule, where=where, seal=SEAL)


def staged_draws(
    private: Proof[Privacy] | None = None,
    *,
    stages: Sequence[Stage],
    records: int,
    size: int,
    failure: Fraction,
    against: Against,
) -> Proof[Accuracy]:
    """A rule drawn in stages errs by at most this much (above the best member of the first stage's class).

    Register `staged-draws-realizable` and `staged-draws-agnostic`. Holds if at most `size` rules can be released, and
    each stage draws with weight prior·ratio^mistakes, its odds being the prior of all other outcomes over that of the
    best member (first stage: at most 1/(smallest prior) - 1) or of leaving everything as it is (assumed of the caller).
    With the learner's own privacy as a premise the size does not count; then mistakes must have one price, and
    e^epsilon must be at least what the draws lose together, the product of ratio^(-2): a smaller one is not theirs.
    With costs, errors are average costs divided by the largest, and a ratio is the weight of one largest cost.
    """
    rule = f"staged-draws-{against.value}"
    need(
        rule, against in (Against.REALIZABLE, Against.AGNOSTIC), "it speaks of errors under the distribution"
    )
    need(
        rule, len(stages) >= 1 and all(0 < stage.ratio < 1 for stage in stages), "a ratio must lie in (0, 1)"
    )
    need(rule, all(stage.odds >= 0 for stage in stages), "odds must not be negative")
    need(rule, 0 < failure < 1 and records >= 1 and size >= 1, "failure, records or size is out of range")
    growth = None
    if private is not None:
        fact = private.fact
        whole = fact.delta == 0 and fact.unit is Unit.RECORD and fact.part == ALL
        need(rule, whole, "whole records must be protected, without a delta")
        loss = Loss(factor=math.prod((1 / stage.ratio**2 for stage in stages), start=ONE))
        need(
            rule,
            loss <= fact.epsilon,
            "the draws of all stages lose more than the privacy that is its premise",
        )
        growth = rational(rule, fact.epsilon)
    bound = error_staged if against is Against.REALIZABLE else excess_staged
    error = bound(records, stages, failure=failure, size=size, growth=growth)
    need(rule, error < 1, "so few records prove nothing")
    where = parameters(
        odds=" ".join(str(stage.odds) for stage in stages),
        ratios=" ".join(str(stage.ratio) for stage in stages),
        records=records,
        **{"size": str(size)} if private is None else {},
    )
    premises = () if private is None else (private,)
    return Proof(
        Accuracy(error, failure, against, records, proper=len(stages) == 1),
        rule,
        premises,
        where=where,
        seal=SEAL,
    )
