"""Labellings, nets and deviations of classes of bounded VC dimension."""

from __future__ import annotations

from fractions import Fraction

from privpac.theory.statement import BBKN, BNS, CH, DF, IID, LWY, Statement

__all__ = ["STATEMENTS"]

_PAGE = "docs/proofs/vc.md"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "sauer",
        "How many labellings a class puts on points",
        f"Sauer 1972, Shelah 1972; {BNS}, Theorem B.2; {DF}, Lemma 2; {LWY}, Lemma 6",
        "printed",
        "A class of VC dimension d labels n points in at most C(n, 0) + … + C(n, d) ways, and in at most 2^n.",
        ("the VC dimension is at most d",),
        erratum="B.2 prints (e·n/d)^d, which needs n of at least d; the exact sum holds for every n.",
        proof=_PAGE,
    ),
    Statement(
        "half-plane-labellings",
        "How many labellings half-planes put on points",
        "our proof, by a turning direction",
        "derived",
        "Half-planes label k distinct points of the plane in at most k(k − 1) + 2 ways, and in exactly that many if no"
        " three lie on a line. Each of them is a prefix of the points in the order of some direction, with either class"
        " on it, or a constant.",
        ("the points are distinct", "k is at least 1"),
        proof="docs/proofs/plane-sweep.md",
    ),
    Statement(
        "epsilon-net",
        "Concepts that agree on a sample agree nearly everywhere",
        f"Blumer–Ehrenfeucht–Haussler–Warmuth 1989, Theorem A2.1; {BNS}, Theorem B.4;"
        f" {DF}, Lemmas 1 to 3; {BBKN}, Theorem 2.4",
        "printed",
        "Of n independent records, no concept that agrees with the target on all of them differs from it on more than"
        " `error` of the distribution, except with probability 2·growth(2n)^t·2^(−error·n/2); t = 1 for one target,"
        " t = 2 for every pair of concepts at once.",
        (IID, "error·n is at least 8"),
        {"factor": Fraction(2), "exponent": Fraction(1, 2), "least error·n": Fraction(8)},
        proof=_PAGE,
    ),
    Statement(
        "uniform-convergence",
        "All errors of a class are near those seen",
        f"symmetrisation, Massart 2000 and McDiarmid 1989; compare {BNS}, Theorem B.6, and {LWY}, Lemma 8",
        "derived",
        "For all concepts at once the true error exceeds the one seen on n records by at most sqrt(2·ln growth(n)/n) +"
        " sqrt(ln(1/failure)/(2n)), except with probability `failure`.",
        (IID,),
        {"Massart": Fraction(2), "McDiarmid": Fraction(1, 2)},
        proof=_PAGE,
    ),
    Statement(
        "relative-deviation",
        "Small rates are estimated better",
        f"Vapnik 1982; Anthony–Shawe-Taylor 1993, Theorem 2.1; used as {LWY}, Lemma 7;"
        f" {CH}, Lemmas 16 and 17; {BNS}, Theorem B.5",
        "printed",
        "For all concepts at once a rate of r on n records is at most r + 2·sqrt(r·A) + 4A in truth, A = (t·ln"
        " growth(2n) + ln(4/failure))/n, except with probability `failure`; the other way round except with a further"
        " `failure`; t = 2 for pairs.",
        (IID,),
        {"factor": Fraction(4), "exponent": Fraction(1, 4)},
        proof=_PAGE,
    ),
)
