"""Learners of points: what they lose, how right they are, and what is wrong in print."""

from __future__ import annotations

from fractions import Fraction

from privpac.theory.statement import BBKN, IID, Statement

__all__ = ["STATEMENTS"]

PUBLIC = "all parameters are public; the records decide nothing but the draw"
ONE_VALUE = (
    "exactly one value carries all records of class 1 (with other labels privacy holds, accuracy need not)"
)

_CLIPPED_PROOF = "docs/proofs/clipped-points.md"
_SPARSE = "docs/proofs/sparse-sets.md"
_CODE = "docs/proofs/reed-solomon-points.md"
_COVER = "docs/proofs/pairwise-cover.md"
_SAMPLED_PROOF = "docs/proofs/sampled-points.md"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "clipped-points",
        "Margin-clipped choice of a point",
        f"ours; replaces the exponential mechanism of {BBKN}, Lemma 3.4, where d is large",
        "derived",
        "With N class-1 records, n_x of them at x, and s_x = max(0, K_0 + n_x − max(K, N)), drawing x with"
        " probability proportional to r^−s_x has e^epsilon = (1/r)·(T − 1 + W)/(T − 1 + W·r), W = r^−max(0, 2K_0 −"
        " K).",
        (PUBLIC, "records of class 0 are not looked at"),
        proof=_CLIPPED_PROOF,
    ),
    Statement(
        "clipped-points-accuracy",
        "How right the clipped choice of a point is",
        "ours",
        "derived",
        "The answer errs by more than `error` with probability at most the largest, over target masses p ≤ `error`, of"
        " E[(T − 1)/(T − 1 + r^−s(B))]·min(1, (1 − p)/((`error` − p)(T − 1))), B binomial(n, p), s(b) = max(0, K_0 + b"
        " − max(K, b)).",
        (PUBLIC, ONE_VALUE, IID),
        proof=_CLIPPED_PROOF,
    ),
    Statement(
        "sparse-sets-accuracy",
        "How right coordinate Gibbs is",
        "ours",
        "derived",
        "Every cell enters the answer by itself, with odds f/(1 − f)·r^−(its class-1 minus its class-0 records). The"
        " answer errs by more than `error` with probability at most the largest, over target masses p ≤ `error`, of"
        " m·min(1, f(1 − p)/(`error` − p)) + (1 − m)·f(1 − p)/`error`, m = E[1/(1 + f/(1 − f)·r^−B)], B binomial(n,"
        " p). Privacy is that of the exponential mechanism over all sets of cells.",
        (PUBLIC, ONE_VALUE, IID),
        proof=_SPARSE,
    ),
    Statement(
        "reed-solomon-points",
        "An explicit small class that represents all points",
        f"{BBKN}, Lemma 4.1 and Theorem 4.2; the construction is ours",
        "repaired",
        "Write points in base q as polynomials of degree below t; the set (u, v) holds those with value v at u. The"
        " exponential mechanism over all q·N sets errs by more than `error` with probability at most (qN − G)/G·base^n,"
        " base = 1 − `error`·(1 − r) + `tolerated`·(1/r − 1), G = N(1 − (t − 1)/(N·`tolerated`)) rounded up, for every"
        " target and every distribution.",
        (PUBLIC, ONE_VALUE, IID, "q is prime, q^t is at least the number of points, N = q (or t = N = 1)"),
        erratum="Lemma 4.1 shows that a class of size O(d/error²) exists, by drawing sets of a domain twice as large"
        " and testing every point: it needs d ≥ 16, 5.6·10^7 sets and 2^65 tests at d = 64 and error 1/200. Nothing"
        " that can be run; an explicit code can.",
        proof=_CODE,
    ),
    Statement(
        "representation-existence",
        "A small class of random sets exists",
        f"{BBKN}, Lemma 4.1",
        "shape",
        "Some class of O(d/error²) sets represents all points up to `error`.",
        ("d ≥ 16 in the proof; no such class is computed",),
        erratum="Existence only; see reed-solomon-points for a class that can be used.",
    ),
    Statement(
        "pairwise-cover",
        "Random hashed sets that cover every point",
        f"ours; {BBKN}, Section 4.2 compresses its answers in the same way",
        "derived",
        "Draw k sets {x: (a·x + b mod q) < t} with independent uniform keys, never looking at a record, and add the"
        " empty set. With share f = t/q, the exponential mechanism over them errs by more than `error` with"
        " probability at most P[Binomial(k, f/2) < G] + (k + 1 − G)/G·base^n, base = 1 − `error`·(1 − r) + 2f·(1/r −"
        " 1).",
        (
            PUBLIC,
            ONE_VALUE,
            IID,
            "q is a prime not below the number of points",
            "target and distribution do not depend on the keys",
        ),
        proof=_COVER,
    ),
    Statement(
        "star-entries",
        "Records replaced by stars",
        f"{BBKN}, Lemma 4.4",
        "derived",
        "If putting a star in place of one record changes every probability by a factor between 1/c and c, then the"
        " algorithm that keeps every record with probability p and runs on the result has e^epsilon = (1 − p +"
        " p·c)/(1 − p + p/c).",
        (
            "the factor holds in both directions, for all records and all stars elsewhere",
            "coins of different records are independent",
        ),
        erratum="Printed for an algorithm that is private between records; what the proof uses is the factor between a"
        " record and a star, in both directions. For the sampled learner the composition is a smaller rate: its true"
        " loss at epsilon = 1/2 is 0.26172, half of what is claimed.",
        proof=_SAMPLED_PROOF,
    ),
    Statement(
        "sampled-point",
        "The sampled learner with a failure outcome",
        f"{BBKN}, Claim 4.3 (A_1 and A_2) and Section 4.2.1 (A_4 and A_5)",
        "derived",
        "Give no answer with probability `fail`; else look at every record with probability p, give no answer if what"
        " is seen is consistent with no point, and otherwise answer with a random set that favours the point seen. Then"
        " e^epsilon is at most the larger of 1 + p(1 − `fail`)/`fail` and 1 + p·c/(1 − p), c = (1 − f)/f for"
        " independent flips with probability f, c = 1/f for keys conditioned on holding the point.",
        (PUBLIC, "the marginal probability of every cell is exactly f"),
        {"printed, with fail = f = error/8, p = error/4": "ln 4", "ours there": "ln 3.0 to ln 3.14"},
        erratum="The printed ln 4 is loose: the bound for `fail` forgets that the neighbour fails at least as often"
        " without the record. Without the failure outcome the same conditioning is not private at all: 7.264 at"
        " p = f = 0.05 and n = 200.",
        proof=_SAMPLED_PROOF,
    ),
    Statement(
        "sampled-point-accuracy",
        "How right one sampled run is",
        f"{BBKN}, Claim 4.3",
        "derived",
        "One run errs by more than `error` with probability at most `fail` + (1 − p·x)^n + f + f/(`error` − x), for"
        " every x in (0, `error`).",
        (
            PUBLIC,
            ONE_VALUE,
            IID,
            "cells of the answer are pairwise independent, or nearly so (assumed of keyed ones)",
        ),
        proof=_SAMPLED_PROOF,
    ),
    Statement(
        "boosted-points",
        "Several runs and a private selection among them",
        f"{BBKN}, Claim 4.5",
        "repaired",
        "N runs on disjoint parts, each bad with probability at most g, and an exponential mechanism on n further"
        " records: the answer errs by more than `error` with probability at most g^N + (N − 1)·base^n, base = 1 −"
        " `error`·(1 − x) + `tolerated`·(1/x − 1) for any x in [ratio, 1). Privacy is that of the worst part.",
        ("parts are fixed beforehand", ONE_VALUE, IID),
        {
            "records at the printed constants, error 0.1": Fraction(70_300_000),
            "re-optimised": Fraction(15_161),
        },
        erratum="The selection is printed with 24·ln(3/b²)/(eps·a) records in one place and 24·ln(3/b)/(eps·a) in"
        " another, and only the first is enough; N ≤ 1/b needs b ≤ 0.048, the claim says b ≤ 1; 'increasing the sum"
        " by at most e^(−eps/2)' must read 'multiplying it by at most e^(eps/2)'; what a failed run answers is left"
        " open (here: the empty set).",
        proof=_SAMPLED_PROOF,
    ),
    Statement(
        "key-rejection",
        "Keys of a pseudorandom function by rejection",
        f"{BBKN}, Theorem 4.8",
        "false",
        "Drawing keys until the set holds the point seen loses no more than with truly random sets of the same share.",
        (
            "refuted: the loss is governed by the smallest true marginal of the key family, which nobody can verify",
        ),
        {"marginals 1/4, 1/3, 1/6 instead of the nominal 1/4: true loss": "0.51083", "nominal": "0.36773"},
        erratum="1/((error/4) − negligible) ≤ 8/error hides the marginals of the keys. Keys with a uniform shift have"
        " exact marginals for any function whatever, so privacy is unconditional; that is what is offered.",
        proof=_SAMPLED_PROOF,
    ),
    Statement(
        "points-separation",
        "Points: proper against improper",
        f"{BBKN}, Theorem 4.9",
        "derived",
        "Proper private learners of points of d bits need order d/(epsilon·error) records, improper ones a number that"
        " does not depend on d: from some d on, no proper learner does with the records of an improper one.",
        ("pure epsilon",),
        {"bits, error 0.1, failure 0.05, epsilon 1": Fraction(28), "records there": Fraction(275)},
        proof="docs/proofs/points.md",
    ),
)
