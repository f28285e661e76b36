"""What rounds of draws on capped weights lose."""

from __future__ import annotations

from fractions import Fraction

from privpac.numbers.exact import power_up
from privpac.theory.register import formula

__all__ = ["loss_weighted_rounds"]


@formula("weighted-rounds")
def loss_weighted_rounds(rounds: int, *, ratio: Fraction, cap: int) -> Fraction:
    """e^epsilon of this many rounds, rounded up if it is too long to be written.

    Statement: ratio^(-4·cap·rounds). Source: register `weighted-rounds` (ours). Symbols: cap → the largest weight.
    Holds if: weights follow from a record and what was released. Proof: docs/proofs/weighted-rounds.md.
    """
    return power_up(1 / ratio, 4 * cap * rounds)
