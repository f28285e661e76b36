"""What no private algorithm of a kind can do with too few records."""

from __future__ import annotations

from fractions import Fraction

from privpac.theory.statement import BBKN, PURE, Statement

__all__ = ["STATEMENTS"]

RECORDS = "the algorithm is (epsilon, delta)-differentially private for replacing one record"
GROUP = "delta_K = the smaller of 1 and delta·(e^(epsilon·K) − 1)/(e^epsilon − 1)"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "floor-minimal-class",
        "No learner whose answers lie in a minimal class",
        f"{BBKN}, Theorem 3.6 (and Proposition 3.7, Corollary 3.8), with other constants",
        "derived",
        "n ≥ ln((size − 1)(1 − failure)/failure)/epsilon.",
        (
            PURE,
            "answers lie in a class that stops representing the concepts if any hypothesis is removed",
        ),
        proof="docs/proofs/floors.md",
    ),
    Statement(
        "floor-points-proper",
        "No proper learner of points",
        f"{BBKN}, Lemma 3.9; with a delta ours",
        "repaired",
        f"failure ≥ E[(1 − delta_K)·(T − 2)/(T − 2 + e^(epsilon·K))], K binomial(n, error), {GROUP}.",
        (
            RECORDS,
            "the answer is one point of a domain of T",
        ),
        erratum="The printed proof puts mass exactly `error` on the target, where a wrong point is still"
        " accepted, and its inequality is empty for small n.",
        proof="docs/proofs/floors.md",
    ),
    Statement(
        "floor-thresholds-proper",
        "No proper learner of thresholds",
        f"{BBKN}, Lemma 5.2; with a delta ours",
        "derived",
        f"failure ≥ E[(1 − delta_K)·(T − 1)/(T − 1 + e^(epsilon·K))], K binomial(n, 2·error), {GROUP}.",
        (
            RECORDS,
            "the answer is a threshold on an ordered domain of T",
            "error below 1/2",
        ),
        erratum="Printed with 1/failure where log(1/failure) is meant, and without the factor 1/error.",
        proof="docs/proofs/floors.md",
    ),
    Statement(
        "floor-points-light",
        "No learner of points with light hypotheses",
        f"{BBKN}, Theorem 4.11",
        "derived",
        "P[accurate and at most `weight` points labelled 1] ≤ E[min(1, weight·e^(epsilon·K)/(T −"
        " 1))], K binomial(n, error).",
        (PURE,),
        erratum="The printed proof feeds the inner learner too few records and may select from an empty"
        " class.",
        proof="docs/proofs/floors.md",
    ),
    Statement(
        "floor-thresholds-few-switches",
        "No learner of thresholds with few switches",
        f"{BBKN}, Theorem 5.4",
        "derived",
        "P[accurate and at most `switches` changes of label] ≤ E[min(1, (switches/2 +"
        " 1)·e^(epsilon·K)/T)], K binomial(n, 2·error).",
        (
            PURE,
            "error below 1/2",
        ),
        erratum="The printed last paragraph says 2^Omega(d) switching points where 2^o(d) is meant.",
        proof="docs/proofs/floors.md",
    ),
    Statement(
        "floor-points-any",
        "No learner of points at all, proper or not",
        f"our proof; question of {BBKN}, Section 4",
        "derived",
        "1 − failure ≤ n(1 − error)/T + E[min(1, (w/T)·e^(epsilon·K))], K binomial(n, error), w = 1 +"
        " floor(error·(T − 1)/(1 − error)).",
        (PURE,),
        proof="docs/proofs/floors.md",
    ),
    Statement(
        "floor-two-rules",
        "No private learner of anything, proper or not, with a delta or without",
        "our proof; the argument of two targets is folklore",
        "derived",
        "failure ≥ E[max(0, c·e^(−epsilon·m) − delta·(e^(−epsilon) + … + e^(−epsilon·m)))], K binomial(n, error), "
        "m = K/2 rounded down, c = 1/2 for even K and (1 − delta)/(1 + e^epsilon) for odd K.",
        (
            "the algorithm is (epsilon, delta)-differentially private for replacing one record, or one label",
            "it releases a rule: the same answer whenever a question is asked again",
            "two members of the class agree at one point and differ at another; every distribution is allowed",
        ),
        proof="docs/proofs/floors.md",
    ),
    Statement(
        "floor-mistake-tree",
        "No learner of a class with a deep tree of mistakes, proper or not",
        "our proof; the order is that of Feldman–Xiao 2014",
        "derived",
        "1 − failure ≤ E[min(1, (w/2^d)·e^(epsilon·K))], K binomial(n, d·error/(k + 1)), w = Σ C(d, j) over j ≤ k, for"
        " every d up to the depth of the tree and every k with d·error < k + 1.",
        (
            PURE,
            "it releases a rule, of the class or not: the same answer whenever a question is asked again",
            "for every path of a binary tree of points some member of the class has the labels of the path, and all"
            " these members agree at one further point",
        ),
        {"for every level of a deep tree, over error·epsilon, as failure is fixed": "0.0406, at k = 0.155·d"},
        proof="docs/proofs/floors.md",
    ),
    Statement(
        "floor-point-counts",
        "No sanitizer that answers every point or threshold count",
        f"{BBKN}, Theorem 7.2",
        "derived",
        "floor(2·error·n) + 1 ≥ ln((T − 1)(1 − failure)/failure)/epsilon.",
        (
            PURE,
            "every count is answered within `error`·n",
            "error below 1/2",
        ),
        {
            "printed": Fraction(3, 1),
            "ours": Fraction(2, 1),
        },
        erratum="The printed separation uses two queries only and needs a synthetic table; all queries work"
        " for any output.",
        proof="docs/proofs/floors.md",
    ),
    Statement(
        "floor-agnostic",
        "Noise costs the square of the error, private or not",
        "Anthony–Bartlett 1999, Theorem 5.2, with other constants; the bound by one point is folklore",
        "derived",
        "failure ≥ P[Bin(n, (1 − excess)/2) > n/2] + P[= n/2]/2; and n ≥ ln(1/(4r(1 − r)))/(−2·ln A), A = 1 − (1 −"
        " √(1 − g²))/d, r = (excess/g)(1 − failure) + failure, for every bias g with r below 1/2: about"
        " 0.0126·d/excess² as excess falls to 0.",
        (
            "any learner, private or not, that releases a rule: the same answer whenever a question is asked again",
            "failing is to err by more than `excess` above the best concept of a class that shatters d points",
            "every distribution is allowed: none of the noise is known beforehand",
        ),
        {"printed": Fraction(1, 320), "ours, for many points, as excess falls to 0": Fraction(126, 10_000)},
        proof="docs/proofs/agnostic-floors.md",
    ),
    Statement(
        "floor-agnostic-answers",
        "Noise costs the square of the error, also for answers that toss coins",
        "ours; the second bound after Anthony–Bartlett 1999, Theorem 5.2",
        "derived",
        "failure ≥ P[Bin(n, 1/2 − excess) > n/2] + P[= n/2]/2, which is `floor-agnostic` with 2·excess in place of"
        " excess: about a quarter of the records. The bound of `floor-agnostic` by many points holds as it is.",
        (
            "any learner, private or not; answers may toss coins, and the error is a mean over them",
            "failing is to err by more than `excess` above the best concept of a class that shatters d points",
            "every distribution is allowed: none of the noise is known beforehand",
            "for the first bound: excess below 1/2",
        ),
        proof="docs/proofs/agnostic-floors.md",
    ),
    Statement(
        "private-optimum",
        "The best private learner of a tiny class",
        "ours: linear programming, with a dual certificate in rationals",
        "derived",
        "failure ≥ 1 − Σ over inputs of the largest, over answers, of gain − flow, for any weights of the targets and"
        " of the privacy constraints; with the weights of a linear program this is what the best private learner"
        " reaches on the same distributions.",
        (
            PURE,
            "a finite class on a few cells, error below 1/2",
            "the distributions put just above `error` on the fewest cells that tell the target from all other rules, or"
            " from most, the rest on one cell, which may be one of them",
        ),
        proof="docs/proofs/optimum.md",
    ),
)
