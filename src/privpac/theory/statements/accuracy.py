"""How wrong a learnt hypothesis can be, and how far an estimate may lie from the truth."""

from __future__ import annotations

from fractions import Fraction

from privpac.theory.statement import BBKN, BNS, IID, LWY, PURE, Statement

__all__ = ["STATEMENTS"]

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "occam-realizable",
        "Direct accuracy bound, some hypothesis nearly right",
        f"{BBKN}, Theorem 3.2 (after Kasiviswanathan–Lee–Nissim–Raskhodnikova–Smith 2011); {BNS}, Proposition A.1",
        "derived",
        "The exponential mechanism with rate s = ln(1/ratio) over a fixed class returns a hypothesis"
        " of error above `error` with probability at most (bad/good)·(1 − error·(1 − e^−s) +"
        " tolerated·(e^s − 1))^n, where `good` hypotheses have error at most `tolerated` and the"
        " others count as bad. For 0 < t < s also at most bad·good^(−t/s)·(the same base at t)^n.",
        (
            "the class does not depend on the records",
            "the prior is uniform (`occam-prior` is for others)",
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
            "the prior is uniform (`occam-prior` is for others)",
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
    Statement(
        "generalisation-privacy",
        "The same records, a private learner",
        "our proof, by conditioning on the released rule, as Jung–Ligett–Neel–Roth–Sharifi–Shenfeld 2020 do for a"
        " delta; compare the maximal information of Dwork–Feldman–Hardt–Pitassi–Reingold–Roth 2015",
        "derived",
        "Given the rule that an epsilon-private learner released, the number of its n records that fulfil a"
        " condition which the rule decides on, of true probability p, lies stochastically between Binomial(n, q) and"
        " Binomial(n, Q), where q and Q have e^−epsilon and e^epsilon times the odds of p. So except with probability"
        " `failure` the odds of p are between e^−epsilon times those of the observed rate less g and e^epsilon times"
        " those of the rate plus g, g = sqrt(ln(2/failure)/(2n)). For the condition 'the rule is right', drawn by"
        " weight prior·ratio^mistakes: the upper factor is 1, and for trees grown in stages e^(epsilon less the last"
        " stage's share).",
        (
            PURE,
            IID,
            "for the smaller factors: the score is the number of mistakes, all at one price",
        ),
        {
            "largest difference of p and Q": "tanh(epsilon/4)",
        },
        proof="docs/proofs/private-generalisation.md",
    ),
    Statement(
        "refined-draw-realizable",
        "Refine or start afresh, some member without an error",
        "our proof",
        "derived",
        "A rule h1 is drawn by an e1-private mechanism. Then h is drawn with weight prior·ratio^mistakes, the prior"
        " public given h1, from members of a class and refinements of h1 together. If a member makes no error, h errs"
        " by more than e with probability at most odds·(1 − e'(1 − ratio))^n, where e' has e^−e1 times the odds of e"
        " and `odds` is the prior of all other outcomes over that of the member, whatever h1 is.",
        (
            "class, priors and ratio do not depend on the records, the refinements only through h1",
            "the first draw protects whole records, without a delta",
            IID,
            "losses lie in [0, 1]",
        ),
        proof="docs/proofs/refined-draw.md",
    ),
    Statement(
        "refined-draw-agnostic",
        "Refine or start afresh, any distribution",
        "our proof",
        "derived",
        "In the same setting h is worse than the best member by more than D with probability at most `failure`, if"
        " what is left of it, once the bound for what is drawn afresh (occam-agnostic) is taken off, bounds what is"
        " refined: odds·base^n, base the mean of ratio^(mistakes more) at D' with (1 + D')/2 of e^−e1 times the odds"
        " of (1 + D)/2; or, with b a third of what is left and s = b/(number of kinds), D at least"
        " ln(odds/s)/(n·ln(1/ratio)) + √(ln(1/b)/2n) + √(ln(size/s)/2n) for every kind of refinements, `size` the"
        " number of its rules for all h1 together.",
        (
            "as refined-draw-realizable; by counting, nothing need be known of the first draw",
            IID,
        ),
        proof="docs/proofs/refined-draw.md",
    ),
    Statement(
        "halfspace-band",
        "How far a half-space may be from those that are listed",
        "our proof",
        "derived",
        "Half-spaces with all integer points up to P, levels 0 to t and C cut-offs per direction are listed. For any"
        " weights of d features, the largest of them 1, and any cut-off b some listed one decides like a·x >= b unless"
        " |a·x - b| is at most d/t + d/(2P) + d/C + 2/t: so the best listed one errs by at most the share of records"
        " there more than the best half-space.",
        ("features run from 0 to 1", "all patterns of points are listed, not a table or declared directions"),
        {"two columns": "P = 16, t = 31, C = 256: 0.199"},
        proof="docs/proofs/halfspaces.md",
    ),
    Statement(
        "box-slabs",
        "How far a box may be from those of a coarse grid",
        "our proof",
        "derived",
        "For any box in l columns some box whose edges lie between the groups of a grid, or the empty one, differs from"
        " it at most on one group at each of its 2l edges: so the best of them errs by at most the share of records in"
        " these groups more than the box.",
        ("groups are ranges of cells that cover each column",),
        {"slabs": "2l, each of one group"},
        proof="docs/proofs/rectangle-sums.md",
    ),
)
