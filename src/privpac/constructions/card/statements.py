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
        " that earlier rounds released, or hold where two answers are given at once. Then k rounds are epsilon-DP with"
        " e^epsilon = ratio^(-4·cap·k).",
        (
            "tests, ratio, cap and the number of rounds are public, 0 < ratio <= 1",
            "a weight depends on no other record, and on nothing that was not released",
            "neighbours differ by replacing one record, or its label",
        ),
        proof="docs/proofs/weighted-rounds.md",
    ),
    Statement(
        "boosted-rounds",
        "Rounds of draws on capped weights, if each has a test with an edge",
        "our proof for a capped logistic loss; compare the smooth weights of Bun–Carmosino–Sorrell 2020",
        "derived",
        "Log-odds begin at those of `start`, and round k adds a_k·h_k, h_k = 1 or −1 being the drawn test with"
        " its sign. A record's weight is its residual, cut at `cap`, in whole parts of 1/units. If in every round"
        " some candidate h has an edge, (sum of weights where h is right, less the others) ≥ edge·(sum of"
        " weights), then except with probability `failure` every drawn one falls short of that by at most `lost`"
        " per record, and after all rounds the part of the records on the wrong side of log-odds 0 is at most"
        " Phi/P(0), by a recursion over the steps: Phi·(1 − d·cap/P(−M)) + lost·sinh a for d = edge·sinh a − cosh a +"
        " 1 ≥ 0, and Phi·(1 − d) + lost·sinh a for d < 0. A step helps only where its edge is above tanh(a/2).",
        (
            "the points of a round lie on the drawn test alone",
            "0 < cap ≤ 1/2",
            "of the records themselves, and of the sign of the points: a card's own cut-off comes from its table",
        ),
        {
            "P(m)": "ln(1 + e^−m) for m ≥ ln((1 − cap)/cap), below it the tangent",
        },
        proof="docs/proofs/boosted-rounds.md",
    ),
)
