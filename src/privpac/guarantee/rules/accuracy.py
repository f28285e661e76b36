"""Accuracy: how far from the best a drawn hypothesis is, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from privpac.guarantee.facts import ALL, MEMBERS, Accuracy, Against, Privacy, Release, Unit
from privpac.guarantee.proof import ONE, SEAL, Proof, need, parameters, rational
from privpac.numbers.exact import written
from privpac.theory.occam import within
from privpac.theory.refined import Kind, excess_counted, failure_left, mean_agnostic, refined_within, shifted

__all__ = ["occam", "refined_draw"]


def occam(
    *,
    odds: int | Fraction,
    records: int,
    ratio: Fraction,
    tilt: Fraction,
    error: Fraction,
    failure: Fraction,
    against: Against,
    rivals: str = MEMBERS,
) -> Proof[Accuracy]:
    """The drawn member errs by more than `error` (above the best) with probability at most odds·base^records.

    Here odds is at least 1/(smallest prior of a member) - 1, which is size - 1 under a uniform prior. Where nothing is
    promised against some members, `odds` is others^(1 - theta)·(odds of the rest)^theta instead, with theta at most
    ln(tilt)/ln(ratio). With x = tilt in [ratio, 1]: base = 1 - error·(1 - x) (realizable) or, the worst case over the
    best error,
    ((1 - error)/x + (1 + error)·x)/2 (agnostic).
    Source: our one-step bound, register `occam-realizable` and `occam-agnostic`; replaces Beimel et al. 2013, Theorem
    3.2. Holds for independent records. With costs, errors are average costs divided by the largest, and `ratio` is
    the weight of one largest cost. `rivals` names the members that something is promised against, where not all are.
    """
    rule = f"occam-{against.value}"
    need(
        rule, against in (Against.REALIZABLE, Against.AGNOSTIC), "it speaks of errors under the distribution"
    )
    need(rule, 0 < ratio <= tilt <= 1, "the tilt must lie between the ratio and 1")
    need(rule, 0 < error <= 1 and 0 < failure < 1, "error and failure must lie in (0, 1)")
    need(rule, odds >= 0 and records >= 0, "odds and records must not be negative")
    base = 1 - error * (1 - tilt) if against is Against.REALIZABLE else mean_agnostic(error, tilt=tilt)
    need(
        rule,
        within(odds, base, records, failure),
        "the bound is larger than the failure probability asked for",
    )
    where = parameters(odds=written(odds), records=records, ratio=ratio, tilt=tilt)
    fact = Accuracy(error, failure, against, records, rivals=rivals)
    return Proof(fact, rule, where=where, seal=SEAL)


def refined_draw(
    first: Proof[Privacy] | None,
    *,
    odds: int | Fraction,
    records: int,
    ratio: Fraction,
    error: Fraction,
    failure: Fraction,
    against: Against,
    tilt: Fraction | None = None,
    kinds: Sequence[Kind] = (),
    rivals: str = MEMBERS,
) -> Proof[Accuracy]:
    """A rule drawn afresh, or as a refinement of a rule that was drawn before, errs at most so much (above the best).

    Register `refined-draw-realizable` and `refined-draw-agnostic`. The second draw has weight prior·ratio^mistakes, its
    prior is public given the first. Realizable: odds·(1 - shifted(error)·(1 - ratio))^records must be at most
    `failure`, odds being the prior of all other outcomes over that of the member that makes no error, and the premise
    the privacy of the first draw. Agnostic: drawn afresh, the rule is too bad as rarely as `occam-agnostic` has it
    with these odds and this tilt; as a refinement, no more often than what this leaves of the failure, by the odds of
    all refinements together and the privacy of the first draw, or, without a premise, by the odds and the number of
    rules of each kind.
    With costs, errors are average costs divided by the largest, and `ratio` is the weight of one largest cost.
    """
    rule = f"refined-draw-{against.value}"
    need(
        rule, against in (Against.REALIZABLE, Against.AGNOSTIC), "it speaks of errors under the distribution"
    )
    need(rule, 0 < ratio < 1, "a ratio must lie in (0, 1)")
    need(rule, 0 < error < 1 and 0 < failure < 1, "error and failure must lie in (0, 1)")
    need(rule, odds >= 0 and records >= 1, "odds and records must not be negative")
    growth = ONE if first is None else _growth(rule, first)
    where = parameters(odds=written(odds), records=records, ratio=ratio)
    if against is Against.REALIZABLE:
        need(rule, first is not None, "the privacy of the first draw must be its premise")
        need(rule, tilt is None and not kinds, "the kinds do not count here")
        base = 1 - shifted(error, growth=growth) * (1 - ratio)
        holds = within(odds, base, records, failure)
    else:
        need(rule, tilt is not None and len(kinds) >= 1, "a tilt and the refinements are needed")
        weight = Fraction(tilt or 1)
        need(rule, ratio <= weight < 1, "the tilt must lie between the ratio and 1")
        need(rule, all(kind.odds > 0 and kind.size >= 1 for kind in kinds), "odds or a size is out of range")
        rest = failure_left(records, odds=Fraction(odds), tilt=weight, excess=error, failure=failure)
        need(rule, rest > 0, "the bound of what is drawn afresh leaves nothing of the failure")
        where |= parameters(tilt=weight, refined=" ".join(written(kind.odds) for kind in kinds))
        if first is None:
            where["sizes"] = " ".join(written(kind.size) for kind in kinds)
            holds = excess_counted(records, kinds=kinds, ratio=ratio, failure=rest) <= error
        else:
            need(rule, len(kinds) == 1, "all refinements together must have their odds")
            holds = refined_within(
                records, odds=kinds[0].odds, ratio=ratio, growth=growth, excess=error, failure=rest
            )
    need(rule, holds, "the bound is larger than the failure probability asked for")
    fact = Accuracy(error, failure, against, records, proper=False, rivals=rivals)
    return Proof(fact, rule, () if first is None else (first,), where=where, seal=SEAL)


def _growth(rule: str, first: Proof[Privacy]) -> Fraction:
    """e^epsilon of the draw of a rule that protects whole records, without a delta."""
    fact = first.fact
    whole = fact.delta == 0 and fact.unit is Unit.RECORD and fact.part == ALL
    need(rule, whole, "whole records must be protected, without a delta")
    need(rule, fact.release is Release.HYPOTHESIS, "the first draw must release a rule")
    return rational(rule, fact.epsilon)
