"""Rules with exceptions: how right they are. What they lose is that of noisy counts."""

from __future__ import annotations

from fractions import Fraction

from flint import ctx

from privpac.guarantee.facts import Accuracy, Against
from privpac.guarantee.proof import SEAL, Proof, need, parameters
from privpac.numbers.exact import ball

__all__ = ["clause_counts"]

LARGEST = 2**30
"""Thresholds and numbers of patterns of a certificate: what is larger is nobody's."""


def clause_counts(
    *,
    clauses: int,
    ratio: Fraction,
    threshold: int,
    tilt: Fraction,
    records: int,
    error: Fraction,
    failure: Fraction,
) -> Proof[Accuracy]:
    """Exceptions found by noisy counts: the rule errs by more than `error` with probability at most
    M·g^(t + 1)/(1 + g) + M·(1 - g)²/((1 - g·s)(1 - g/s))·s^-t·(1 - (error/M)·(1 - s))^records, M = clauses, g = ratio,
    t = threshold, s = tilt.

    Register `clause-counts`. Holds for independent records, if some disjunction of at most as many conjunctions as a
    pattern has tests makes no error. The rule lies outside of that class.
    """
    rule = "clause-counts"
    need(rule, 0 < ratio < tilt < 1, "ratio and tilt must lie in (0, 1), the ratio below the tilt")
    need(rule, 1 <= clauses <= LARGEST and 0 <= threshold <= LARGEST, "a number is out of its range")
    need(rule, records >= 0, "the number of records must not be negative")
    need(rule, 0 < error < 1 and 0 < failure < 1, "error and failure must lie in (0, 1)")
    with ctx.workprec(192):
        noise, weight = ball(ratio), ball(tilt)
        miss = clauses * noise ** (threshold + 1) / (1 + noise)
        lighter = (1 - noise) ** 2 / ((1 - noise * weight) * (1 - noise / weight))
        heavy = ball(1 - error / clauses * (1 - tilt)) ** records / weight**threshold
        holds = bool(miss + clauses * lighter * heavy <= ball(failure))
    need(rule, holds, "the bound is larger than the failure probability asked for")
    where = parameters(clauses=clauses, ratio=ratio, threshold=threshold, tilt=tilt, records=records)
    fact = Accuracy(error, failure, Against.REALIZABLE, records, proper=False)
    return Proof(fact, rule, where=where, seal=SEAL)
