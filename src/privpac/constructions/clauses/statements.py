"""Rules with exceptions, from noisy counts."""

from __future__ import annotations

from privpac.theory.statement import BBKN, IID, Statement

__all__ = ["STATEMENTS"]

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "clause-counts",
        "Disjunctions of a few conjunctions, learnt improperly from noisy counts",
        f"{BBKN}, Observation 2.7 (after Pitt–Valiant 1988, Kearns 1998 and Blum–Dwork–McSherry–Nissim 2005);"
        " constants ours",
        "derived",
        "Count, for each of M patterns of `width` answers to public tests, the records of class 1 that have it, in"
        " two-sided geometric noise of ratio g; patterns whose noisy count is at most t are exceptions (class 0), and"
        " everything else is class 1. If some disjunction of at most `width` conjunctions of tests makes no error, the"
        " rule errs by more than `error` with probability at most M·g^(t + 1)/(1 + g) + M·(1 − g)²/((1 − g·s)(1 − g/s))"
        "·s^−t·(1 − (error/M)·(1 − s))^n, for every s in (g, 1). Time and records are powers of the number of tests.",
        (IID, "some disjunction of at most `width` conjunctions of the tests makes no error"),
        {
            "records at 4 tests, width 2, error 0.1, failure 0.05, epsilon 1": "46704",
            "sets of tests that one record moves": "all of them, by at most 2 each: the noise of each count has ratio"
            " e^(−epsilon/(2·sets))",
        },
        proof="docs/proofs/clause-counts.md",
    ),
)
