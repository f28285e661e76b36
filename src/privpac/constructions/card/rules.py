"""Risk cards: what rounds of draws on capped weights lose."""

from __future__ import annotations

from fractions import Fraction

from privpac.constructions.card.formulas import loss_weighted_rounds
from privpac.guarantee.facts import Loss, Privacy, Unit
from privpac.guarantee.proof import SEAL, Proof, need, need_ratio, need_small
from privpac.numbers.exact import about_log, written

__all__ = ["weighted_rounds"]


def weighted_rounds(*, ratio: Fraction, cap: int, rounds: int, unit: Unit = Unit.RECORD) -> Proof[Privacy]:
    """Rounds of draws of a test and a sign with weight ratio^(-S), S a signed sum of weights of size at most `cap`.

    Register `weighted-rounds`. Holds if a record's weight is computed from that record and from what earlier rounds
    released, and tests and ratio are public (assumed of the caller).
    """
    rule = "weighted-rounds"
    need_ratio(rule, ratio, cap)
    need(rule, rounds >= 1, "there must be a round")
    need_small(rule, 4 * cap * rounds * about_log(1 / ratio))
    fact = Privacy(Loss(factor=loss_weighted_rounds(rounds, ratio=ratio, cap=cap)), unit=unit)
    return Proof(fact, rule, where={"ratio": written(ratio), "cap": cap, "rounds": rounds}, seal=SEAL)
