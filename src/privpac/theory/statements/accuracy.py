"""How wrong a learnt hypothesis can be, and how far an estimate may lie from the truth."""

from __future__ import annotations

from fractions import Fraction

from privpac.theory.statement import BBKN, BNS, IID, LWY, Statement

__all__ = ["STATEMENTS"]

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "occam-realizable",
        "Direct accuracy bound, some hypothesis nearly right",
        f"{BBKN}, Theorem 3.2 (after Kasiviswanathan et al.); {BNS}, Proposition A.1",
        "derived",
        "The exponential mechanism with rate s = ln(1/ratio) over a fixed class returns a hypothesis"
        " of error above `error` with probability at most (bad/good)·(1 − error·(1 − e^−s) +"
        " tolerated·(e^s − 1))^n, where `good` hypotheses have error at most `tolerated` and the"
        " others count as bad. For 0 < t < s also at most bad·good^(−t/s)·(the same base at t)^n.",
        (
            "the class does not depend on the records",
            IID,
            "at least `good` hypotheses have true error at most `tolerated` (0: realizable)",
            "mistakes count 0 or 1; mean losses in [0, 1] are covered by the same proof",
        ),
        {
            "best exponent": "min(s, ln(error/tolerated)/2)",
            "base there": "1 − (√error − √tolerated)²",
        },
        proof="docs/proofs/occam.md",
    ),
    Statement(
        "occam-agnostic",
        "Direct accuracy bound, any distribution",
        f"{BNS}, Proposition A.1; {LWY}, Lemma 11; compare Chaudhuri–Hsu 2011, Theorem 8",
        "derived",
        "The exponential mechanism over a fixed class of `size` hypotheses, the best of which has"
        " error eta, exceeds eta + excess with probability at most (size − 1)·base^n, base = 1 − (e +"
        " excess)(1 − e^−t) + e·(e^t − 1) with e = min(eta, (1 − excess)/2), for every t in (0, s];"
        " unknown eta: e = (1 − excess)/2.",
        (
            "the class does not depend on the records",
            IID,
            "a declared `noise` bounds eta from above",
        ),
        {
            "best exponent": "min(s, ln((e + excess)/e)/2)",
            "base there, eta unknown": "√(1 − excess²)",
        },
        proof="docs/proofs/occam.md",
    ),
    Statement(
        "occam-prior",
        "Direct accuracy bound with a prior",
        "our proof; the uniform prior is occam-realizable",
        "derived",
        "With prior weights, the bound holds with (1 − mass)/mass in place of bad/good, mass the"
        " prior of the hypotheses of error at most `tolerated`; at exponents t < s the factor is"
        " bad^(1 − t/s)·((1 − mass)/mass)^(t/s). With the smallest prior of the class as mass the factor is"
        " at most (1 − mass)/mass at every exponent.",
        (
            "class and prior do not depend on the records",
            IID,
        ),
        proof="docs/proofs/occam.md",
    ),
    Statement(
        "points-extremal-family",
        "Exact failure of the point learner on its hardest two-point distribution",
        f"{BBKN}, Lemma 3.4 (the learner); the sum is ours",
        "derived",
        "Target of mass just above `error`, the rest on one other point of T: the exponential"
        " mechanism fails with probability E[Y/(Y + e^(s·K))], K binomial(n, error), Y = T − 2 +"
        " e^(−s·(n − K)).",
        (
            "an exact value for this family: a sharp estimate of the need, not a promise for every"
            " distribution",
        ),
        proof="docs/proofs/occam.md",
    ),
    Statement(
        "generalisation-holdout",
        "Held-out records",
        "Hoeffding 1963, Theorem 1",
        "printed",
        "The error rate of a fixed hypothesis on n fresh records is within"
        " sqrt(ln(sides/failure)/(2n)) of its true error, except with probability `failure`.",
        (
            "the hypothesis was chosen without these records",
            IID,
        ),
        {
            "factor": Fraction(1, 2),
        },
        proof="docs/proofs/occam.md",
    ),
    Statement(
        "generalisation-class",
        "The same records, all hypotheses at once",
        "Hoeffding 1963, Theorem 1, and a union over the class",
        "derived",
        "For every hypothesis of a fixed class at once, the error rate on the n records is within"
        " sqrt(ln(sides·size/failure)/(2n)) of the true error, except with probability `failure`.",
        (
            "the class does not depend on the records",
            IID,
        ),
        {
            "factor": Fraction(1, 2),
        },
        proof="docs/proofs/occam.md",
    ),
)
