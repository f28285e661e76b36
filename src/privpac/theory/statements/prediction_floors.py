"""What no stable or private prediction can do with too few records."""

from __future__ import annotations

from privpac.theory.statement import DF, Statement

__all__ = ["PREDICTION_FLOORS"]

PREDICTION_FLOORS = (
    Statement(
        "floor-stable-prediction",
        "No stable prediction with fewer records",
        f"{DF}, Theorem 4",
        "printed",
        "If replacing a record changes the probability of each answer by at most gamma, and the expected error is at"
        " most `error` ≤ 1/4 for every target, then n ≥ (d − 1)/(8·gamma·error), d the VC dimension.",
        (
            "the class shatters d points",
            "the error is an expectation over records and coins",
            "error at most 1/4",
        ),
        {"printed": "1/8", "ours": "1/8: the best constant of this construction"},
        proof="docs/proofs/prediction-floors.md",
    ),
    Statement(
        "floor-private-prediction",
        "No private prediction with fewer records",
        f"our proof, after {DF}, Theorem 4",
        "derived",
        "If every answer is epsilon-private and the expected error is at most `error` for every target, then"
        " n ≥ y·artanh(1 − y)·(d − 1)/(epsilon·error) for every y with 2·error ≤ y < 1.",
        (
            "the class shatters d points",
            "the error is an expectation over records and coins",
            "released rules that are epsilon-DP are covered: their answers are private too",
        ),
        {
            "ours": "0.2784, at y = 0.4356 (error at most 0.2178)",
            "from the printed bound": "1/(8·tanh(epsilon/2)), 0.25 per epsilon",
        },
        proof="docs/proofs/prediction-floors.md",
    ),
)
