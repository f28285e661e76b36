"""Accuracy: how far from the best a drawn hypothesis is, and how surely."""

from __future__ import annotations

from fractions import Fraction

from flint import ctx

from privpac.guarantee.facts import Accuracy, Against
from privpac.guarantee.proof import SEAL, Proof, Value
from privpac.guarantee.rules.conditions import need
from privpac.numbers.exact import ball

__all__ = ["occam"]


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

    Here odds is at least 1/(smallest prior of a member) - 1, which is size - 1 under a uniform prior, and, with
    x = tilt in [ratio, 1]: base = 1 - error·(1 - x) (realizable) or the worst case over the best error,
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
    where: dict[str, Value] = {
        "odds": str(odds),
        "records": records,
        "ratio": str(ratio),
        "tilt": str(tilt),
    }
    fact = Accuracy(error, failure, against, records)
    return Proof(fact, rule, where=where, seal=SEAL)
