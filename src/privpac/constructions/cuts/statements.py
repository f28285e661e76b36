"""Reconstruction: proper cuts from other hypotheses, generated points, and thresholds with long keys."""

from __future__ import annotations

from fractions import Fraction

from privpac.theory.statement import BBKN, IID, PURE, Statement

__all__ = ["STATEMENTS"]

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "stable-choice",
        "The best of a list, released only if its lead is clear",
        "propose-test-release after Dwork–Lei 2009 and Thakurta–Smith 2013; integer form ours",
        "derived",
        "Scores of a public list move by at most 1 each when one record is replaced. The best member is"
        " released if its lead over the second plus two-sided geometric noise (mass ∝ ratio^|k|) is at least"
        " 2 + threshold, and nothing otherwise: (epsilon, delta)-DP with e^epsilon = ratio^-2 and delta ="
        " ratio^threshold/(1 + ratio).",
        (
            "list and ratio are public; scores are whole numbers",
            "ties are broken by a public order; the lead may be capped at a public number",
            "threshold at least 0, ratio below 1",
        ),
        {"lead moves by": Fraction(2)},
        proof="docs/proofs/stable-choice.md",
    ),
    Statement(
        "rec-concave",
        "Thresholds of long keys under (epsilon, delta): one level of recursion",
        "after Beimel–Nissim–Stemmer 2013 (RecConcave), simplified to one level; bound and integer form ours",
        "derived",
        "The width of the good region is drawn among powers of two, its block released by `stable-choice`, and a cut"
        " drawn near it. If some cut makes no error, the released cut errs by more than `error`, or none is"
        " released, with probability at most w·r1^(s1+1) + 1/m + r2^u/(1+r2) + (2m+1)·r3^(s3+1) + 2·P[Bin(n,"
        " error) ≤ E], with E = 2·s1 + (1 + t + u) + s3, w = floor(log2(T + 1)).",
        (
            IID,
            "some cut makes no error",
            "a direction of the cut is fixed beforehand",
        ),
        {
            "audited delta, all steps seen, at (T, n, delta) = (4, 3, 0.1)": "0.0687",
            "at (4, 4, 0.05)": "0.0278",
            "at (4, 4, 0.2)": "0.1242",
            "at (8, 3, 0.1)": "0.0743",
        },
        proof="docs/proofs/rec-concave.md",
    ),
    Statement(
        "rec-concave-laplace",
        "The same with Laplace noise, for comparison",
        "after Beimel–Nissim–Stemmer 2013, simplified to one level",
        "derived",
        "With Laplace noise of scale 2/e2 on the lead and real thresholds: E = 2·(2/e1)·ln((d + 2)/b) + 2 +"
        " (2/e2)·ln(1/(4·delta·b)) + (2/e3)·ln((2m + 3)/b), b = failure/5, m = ceil(1/b), and n the smallest with"
        " 2·P[Bin(n, error) ≤ E] ≤ b. Not shipped: floating-point Laplace noise is not private.",
        (IID, "some cut makes no error", "noise is a real number, which no machine draws"),
        {
            "audited delta at (T, n, delta) = (4, 3, 0.1)": "0.0749",
            "at (4, 4, 0.05)": "0.0428",
            "at (4, 4, 0.2)": "0.1573",
            "at (8, 3, 0.1)": "0.0847",
        },
        proof="docs/proofs/rec-concave.md",
    ),
    Statement(
        "occupied-blocks",
        "One draw among the middles of occupied blocks is private, for a small delta",
        "after Beimel–Nissim–Stemmer 2013 (choosing mechanism) and Bun–Nissim–Stemmer–Vadhan 2015 (prefixes);"
        " construction and bound ours",
        "derived",
        "A column of 2^levels cells is halved again and again. Drawn, with weight ratio^cost, is the middle of a block"
        " that holds a record, an end of the column, or a blank that counts `stake` times. Costs move by at most 1"
        " when one record is replaced, and a block with one record costs no less than the blank less one:"
        " (epsilon, delta)-DP with e^epsilon = ratio^−2·(1 + (levels − 1)/(ratio·stake)) and delta = (levels − 1)/"
        "(levels − 1 + ratio·stake).",
        (
            "column, levels, ratio, stake and blank are public; costs are whole numbers",
            "a block is a candidate exactly if it holds a record, and the whole column always is one",
        ),
        {"blocks that one record alone can occupy": "levels − 1"},
        proof="docs/proofs/occupied-blocks.md",
    ),
    Statement(
        "occupied-blocks-accuracy",
        "What a draw among occupied blocks finds",
        "construction and bound ours",
        "derived",
        "The middle of a block costs max(2a − records in it, mistakes − (a − 1)), an end its mistakes − (a − 1), the"
        " blank 2a. If some cut makes no error, the released cut errs by more than `error`, or none is released, with"
        " probability at most stake·r^(2a) + 2·(2·levels/(1 − r) + 1)·r^(1 − a)·(1 − error·(1 − r))^n.",
        (IID, "some cut makes no error", "a direction of the cut is fixed beforehand"),
        {"records at 64 bits, error 0.1, failure 0.05, epsilon 1, delta 1e-6": "517"},
        proof="docs/proofs/occupied-blocks.md",
    ),
    Statement(
        "occupied-blocks-empirical",
        "A draw among occupied blocks is nearly right on its own records",
        "construction and bound ours",
        "derived",
        "Costs as for `occupied-blocks-accuracy`. If some cut makes no mistake on the records, whatever they are, the"
        " released cut makes more than m of them, or none is released, with probability at most stake·r^(2a) +"
        " 2·(2·levels/(1 − r) + 1)·r^(1 − a)·r^(m + 1).",
        ("some cut makes no mistake on the records", "a direction of the cut is fixed beforehand"),
        {"mistakes at 64 bits, failure 0.05, epsilon 1, delta 1e-6": "41, of a draw from all cuts 94"},
        proof="docs/proofs/occupied-blocks.md",
    ),
    Statement(
        "switch-reconstruction",
        "A proper cut from any rule with few switches",
        f"{BBKN}, Theorem 5.4 (the reconstruction in its proof)",
        "repaired",
        "Let h be learnt, and let SWITCH(h) hold the cuts where its answer changes and both ends. If the"
        " target is a cut, some member of SWITCH(h) errs only where h errs. The exponential mechanism among"
        " z candidates, on n further records, errs by more than `error` with probability at most the failure"
        " of h plus (z − 1)·(1 − error·(1 − x) + tolerated·(1/x − 1))^n, x in [ratio, 1], `tolerated` the"
        " error promised of h.",
        (IID, "some cut makes no error", "h was learnt from other records", "x lies between the ratio and 1"),
        {
            "printed, records of selection": "8·ln(12/b)/a² + 8·ln((6 − b)z/b)/(a·eps) + K·(ln(1/b) + ln(1/a))/a"
        },
        erratum="The last printed paragraph says 2^Omega(d) switching points where 2^o(d) is needed: with that many the"
        " selection itself takes Omega(d) records. The printed uniform convergence, both sides at a rate of 1/error,"
        " holds one-sided and relative only; two-sided it takes 1/error². Neither is needed: the direct bound has no"
        " such step, and no term 1/error².",
        proof="docs/proofs/switch-reconstruction.md",
    ),
    Statement(
        "independent-noise",
        "Every answer flipped independently",
        f"{BBKN}, Definition 5.6 and Example 5.7",
        "derived",
        "If h errs by at most `error` except with probability `failure`, h with every answer flipped"
        " independently at a rate errs by at most error + noise, except with probability failure + rate/noise.",
        ("flips are independent of the records and of h", "noise above 0"),
        proof="docs/proofs/noise-reconstruction.md",
    ),
    Statement(
        "noise-reconstruction",
        "Independent noise on a cut can be taken off again",
        f"{BBKN}, Theorem 5.8",
        "repaired",
        "The cut nearest to a noisy copy of a cut is that cut, and the only nearest one, except with probability"
        " 1 − (1 − 2·rate)². A learner that flips answers at a rate and still works for every distribution has rate ≤"
        " 1 − (1 − failure)^(1/k), k = ceil(1/error) − 1.",
        ("every cell is flipped independently with the same probability below 1/2",),
        {"printed failure": "8·rate", "ours": "4·rate − 4·rate²", "printed rate": "2·error"},
        erratum="The printed proof computes the mean noise given that the error is small as if the condition did not"
        " matter; it biases the noise down (to 0 if every atom is heavier than the error allowed). The bound"
        " on the rate is repaired by atoms; the printed failure is twice too large.",
        proof="docs/proofs/noise-reconstruction.md",
    ),
    Statement(
        "floor-generated-points",
        "No efficient learner of generated points that answers with a point",
        f"{BBKN}, Theorem 6.1",
        "repaired",
        "n ≥ ln((T − 1)(1 − failure − advantage)/(failure + advantage))/epsilon, for values of a generator"
        " that nobody as fast as the learner tells from random ones better than `advantage`. A learner that"
        " tries every seed of l bits needs records for l bits only (`occam-realizable` with 2^l members).",
        (
            PURE,
            "the generator's values look random to everyone who runs as long as the learner (an assumption)",
            "the answer is a point",
        ),
        erratum="The image of the generator has density 2^l/2^d, printed l/2^d. The printed argument by three quarters"
        " of the values bounds the distinguisher by 15/16, not 3/4, so that failure below 1/4 is not enough;"
        " averaging over the values needs no such condition.",
        proof="docs/proofs/generated-points.md",
    ),
)
