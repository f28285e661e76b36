"""Risk cards: what one record can change in a round."""

from __future__ import annotations

from privpac.theory.statement import Statement

__all__ = ["STATEMENTS"]

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "weighted-rounds",
        "Rounds of draws on capped weights",
        "McSherry–Talwar 2007 for one draw; the width of the window and the weights of a round are ours",
        "derived",
        "In each round a test t with a sign s is drawn with weight ratio^(-S), S = s·(sum of w over records where t"
        " holds, less the sum of w over the others). Each w is an integer of size at most cap, computed from its"
        " own record and from what earlier rounds released. A test may ask another question in every leaf of a tree"
        " that earlier rounds released. Then k rounds are epsilon-DP with e^epsilon = ratio^(-4·cap·k).",
        (
            "tests, ratio, cap and the number of rounds are public, 0 < ratio <= 1",
            "a weight depends on no other record, and on nothing that was not released",
            "neighbours differ by replacing one record, or its label",
        ),
        proof="docs/proofs/weighted-rounds.md",
    ),
)
