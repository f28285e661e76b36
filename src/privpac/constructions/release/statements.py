"""Released counts and synthetic records: what they lose and how far they lie from the truth."""

from __future__ import annotations

from fractions import Fraction

from privpac.theory.statement import BBKN, BNS, IID, Statement

__all__ = ["STATEMENTS"]

_BLR = "Blum–Ligett–Roth 2008, Theorem 3.1"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "sparse-histogram",
        "Noisy counts of a huge domain without visiting it",
        f"{BBKN}, Section 7 (the problem); Cormode–Procopiuc–Srivastava–Tran 2012 (the idea)",
        "derived",
        "Noise on every cell followed by dropping counts up to `above` has the same law as: noise on the occupied"
        " cells, a binomial(empty cells, ratio^(above+1)/(1 + ratio)) number of empty cells at uniform places, and"
        " above + 1 plus a one-sided geometric count on each of these.",
        ("above is at least 0 and public",),
        proof="docs/proofs/sparse-histogram.md",
    ),
    Statement(
        "histogram-answers",
        "Every cell's released count is nearly right",
        f"{BBKN}, Section 7; constants ours",
        "derived",
        "Some released count is off by more than k with probability at most (cells·ratio^(k+1) + min(records,"
        " cells)·ratio^(k+1−above))/(1 + ratio).",
        ("two-sided geometric noise at `ratio` per unit on every cell", "k is at least above"),
        {"upward": Fraction(1), "downward, occupied cells only": Fraction(1)},
        proof="docs/proofs/sparse-histogram.md",
    ),
    Statement(
        "tree-answers",
        "Every threshold is nearly right in a tree of counts",
        "Dwork–Naor–Pitassi–Rothblum 2010 and Chan–Shi–Song 2011 (b = 2); b-ary, lazy and with constants: ours",
        "derived",
        "The number of records below any threshold is a sum of at most levels·branching/2 noisy counts, for the fewer"
        " of the two ways round, so a moment bound and a union over all thresholds apply; a node that was not expanded"
        " hides at most `hidden` records.",
        ("noise is independent between nodes, empty ones included", "the root's count is public"),
        {"noisy counts a level": "branching/2"},
        proof="docs/proofs/tree-answers.md",
    ),
    Statement(
        "leafwise-medians",
        "A median drawn in every range of a released partition",
        "our proof",
        "derived",
        "Draw a cut of every range with weight ratio^|2·(records below the cut) − (records of the range)|. Replacing"
        " one record changes all draws of one partition together by a factor of at most ratio^−4.",
        (
            "each record lies in one range",
            "the score is that whole number: half the size, rounded, loses twice",
        ),
        {"exponent": Fraction(4)},
        proof="docs/proofs/quantile-answers.md",
    ),
    Statement(
        "quantile-answers",
        "Every threshold is nearly right between released quantiles",
        "our proof",
        "derived",
        "After L halvings with rank errors of at most e each, every threshold is answered within 1/2^(L+1) + E_L/n,"
        " E_l = (E_(l−1) + E_(l−2))/2 + e. Copies of one value are put on places of their own, `batch` copies a place.",
        ("copies of a value have places: without them a value held by everyone has no cut near its median",),
        {"E_5 / e": Fraction(57, 16)},
        proof="docs/proofs/quantile-answers.md",
    ),
    Statement(
        "leafwise-blocks",
        "A cut among occupied blocks in every range of a released partition",
        "our proof",
        "derived",
        "In every range draw, with weight ratio^cost, the middle of a block that holds records of the range, an end of"
        " the column, or a blank that counts `stake` times. Replacing one record costs all draws of one partition"
        " together e^epsilon = ratio^−4·(1 + lone)² and delta = 2·lone/(1 + lone), lone = bits/(ratio·stake).",
        (
            "each record lies in one range",
            "one record added or removed moves every cost by at most 1",
            "a block that one record alone occupies costs at least one less than the blank",
        ),
        {"exponent": Fraction(4)},
        proof="docs/proofs/block-quantiles.md",
    ),
    Statement(
        "block-quantile-answers",
        "Every threshold is nearly right between cuts among occupied blocks",
        f"our proof; the purpose is that of {BNS}, Corollary 3.4",
        "derived",
        "As `quantile-answers`, with e = reach − 1 + steps/2, except with probability"
        " (2^L − 1)·(stake·r^(2·reach) + 2·(2·bits + 1)·r^steps/(1 − r²)), r = ratio: the number of bits enters by its"
        " logarithm only.",
        ("every copy of a value has a place of its own", "bits are those of the last of cells·n places"),
        proof="docs/proofs/block-quantiles.md",
    ),
    Statement(
        "candidate-answers",
        "A synthetic database drawn from all candidates",
        f"{_BLR}; {BNS}, Theorem A.3; {BBKN}, Theorem 7.1",
        "derived",
        "Score a candidate by how far its worst answer lies beyond `radius`, in records, rounded up. If some candidate"
        " lies within `radius`, the drawn one is off by more than radius + (k − 1)/n with probability at most"
        " (candidates − 1)·ratio^k.",
        ("the candidates are public", "some candidate lies within `radius` of every database"),
        proof="docs/proofs/candidate-answers.md",
    ),
    Statement(
        "quantile-candidates",
        "Quantiles are near every threshold",
        "our proof; the generic family is listed-candidates",
        "derived",
        "The m quantiles at levels (j − 1/2)/m of any records answer all thresholds within 1/(2m), so m = 1/(2·radius)"
        " points do where a random sample needs ln(2·queries)/(2·radius²).",
        ("the column is ordered",),
        {"radius": "1/(2m)"},
        proof="docs/proofs/candidate-answers.md",
    ),
    Statement(
        "listed-candidates",
        "Small databases are near every database on listed queries",
        f"{_BLR}; {BNS}, Theorem A.3",
        "derived",
        "For any records some multiset of m cells answers q counting queries within sqrt(ln(2q)/(2m)), and any queries"
        " at all within floor(T²/4)/(T·m) on T cells.",
        ("queries count the records of some cells",),
        proof="docs/proofs/candidate-answers.md",
    ),
    Statement(
        "ranges-from-thresholds",
        "Ranges from thresholds",
        "triangle inequality",
        "printed",
        "If every threshold is answered within e, every range is answered within 2e as a difference of two thresholds.",
        ("both ends are answered from the same release",),
        {"factor": Fraction(2)},
        proof="docs/proofs/tree-answers.md",
    ),
    Statement(
        "generic-learner",
        "Few labels: learn from what a sanitised sample tells apart",
        f"{BNS}, Algorithm 1 and Theorem 3.3",
        "repaired",
        "Sanitise the unlabelled records, keep one concept for each way the class labels the synthetic points, and draw"
        " one of them by the exponential mechanism on the labelled records. The failure is at most that of the answers,"
        " plus 4·growth(2N)·e^(−N·(tolerated − seen)²/(4·tolerated)), plus (hypotheses − 1)·(1 − error·(1 − x) +"
        " tolerated·(1/x − 1))^m for any x between ratio and 1.",
        (
            IID,
            "some concept makes no error",
            "the representatives are chosen by the synthetic points alone",
            "labelled and unlabelled records are different people",
        ),
        {"printed step on both sizes, error 0.1, failure 0.05": "1,064,650 records"},
        erratum="The printed size of the labelled sample lacks the term VC·ln(1/failure)/error² that inequality (2) of"
        " its proof asks for, and bounds ln|H| by the number of synthetic records, where Sauer's lemma gives"
        " VC·ln of it: error^−3 becomes error^−1. Step 4 says 'an arbitrary concept': one that looks at the records"
        " voids the privacy proof.",
        proof="docs/proofs/generic-learner.md",
    ),
    Statement(
        "differences-vc",
        "The VC dimension of differences",
        f"{BNS}, Observation 3.2",
        "repaired",
        "The symmetric differences of a class of VC dimension d have VC dimension at most the largest l with"
        " growth(l)² ≥ 2^l: 5 for d = 1, and below 9.09·d for every d.",
        ("the class has VC dimension d",),
        {"d = 1": Fraction(5), "thresholds (intervals)": Fraction(2), "printed factor": Fraction(10)},
        erratum="Printed as 10·d; 9.09·d suffices, and for a concrete class the true value is smaller still.",
        proof="docs/proofs/generic-learner.md",
    ),
    Statement(
        "relative-deviation-printed",
        "A concept that looks good on the records is good",
        f"{BNS}, Theorem B.5",
        "repaired",
        "With n ≥ (4.94/error)·(2·ln growth(2n) + ln(4/failure)) records no pair of concepts differs on `error` of the"
        " distribution and on at most a tenth of that share of the records, except with probability `failure`.",
        (IID,),
        {"n at VC 1, error 0.1, failure 0.05": Fraction(964), "printed there": Fraction(36_645)},
        erratum="Printed with 48·eps/alpha for 48·e/alpha, and with constants 30 to 40 times too large.",
        proof="docs/proofs/generic-learner.md",
    ),
    Statement(
        "uniform-convergence-printed",
        "All errors of a class are near those seen, as printed",
        f"{BNS}, Theorem B.6",
        "repaired",
        "The printed size implies `uniform-convergence` where error·failure ≤ 0.9.",
        (IID, "error·failure is at most 0.9"),
        {"n at VC 1, error 0.1, failure 0.05": Fraction(2_860), "printed there": Fraction(26_492)},
        erratum="The printed size tends to 0 as error·failure tends to 1: it needs error·failure at most 0.9, and asks"
        " for ten times more records than necessary elsewhere.",
        proof="docs/proofs/generic-learner.md",
    ),
)
