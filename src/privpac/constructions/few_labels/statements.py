"""Few labels, many records: relabelling, active learning, and how few labels can ever do."""

from __future__ import annotations

from fractions import Fraction

from privpac.theory.statement import BNS, IID, LWY, Statement

__all__ = ["STATEMENTS"]

_BOOST = "docs/proofs/label-boost.md"
_SSL = "docs/proofs/ssl-relabel.md"
_ACTIVE = "docs/proofs/active.md"
_FLOORS = "docs/proofs/label-floors.md"
_DRAW = (
    "there are two classes",
    "every dichotomy of the points by the class is drawn from, each once",
    "the draw is the exponential mechanism itself: no permute-and-flip, no clamp on scores",
)
_SIZES = "who has a label, and all numbers of records, are public"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "label-boost-labelled",
        "Relabelling, seen from a labelled record",
        f"{BNS}, Algorithm 2 and Lemma 4.1",
        "repaired",
        "Drawing one labelling of all points with weight ratio^(mistakes on labelled records), relabelling every record"
        " by it and running an (E, D)-private algorithm costs a labelled record (E + 2·ln(1 + 1/ratio), D); both"
        " numbers are attained.",
        (*_DRAW, _SIZES),
        {"printed at ratio e^(−1/2)": "(E + 3, 4e·D)", "ours": "(E + 1.9482, D)"},
        erratum="Lemma 4.1 rounds a factor 4e up to e^3 and multiplies delta by 4e; the factor is (1 + e^(1/2))² ="
        " 7.016 and delta is not multiplied. Scores cut off at a cap break it: 8.2206 instead of 7.0157.",
        proof=_BOOST,
    ),
    Statement(
        "label-boost-unlabelled",
        "Relabelling, seen from a record without label",
        f"{BNS}, Algorithm 2 and Lemma 4.1",
        "derived",
        "In the same run a record without label loses (E + ln 4, D), whatever the ratio.",
        (*_DRAW, _SIZES),
        {"factor": Fraction(4)},
        proof=_BOOST,
    ),
    Statement(
        "label-boost",
        "LabelBoost: rounds of relabelling on subsamples",
        f"{BNS}, Algorithm 3 and Lemma 4.6",
        "repaired",
        "Backwards from the base learner: a block of unlabelled records loses ln(1 + q(4·e^E − 1)), and the labelled"
        " ones E ← ln(1 + q(e^E·(1 + 1/ratio)² − 1)), delta ← q·delta, q the keep rates of that round; everybody is"
        " promised the worst of these.",
        (
            _SIZES,
            "blocks of unlabelled records are disjoint and used once",
            "kept records are uniform subsets of fixed sizes, shuffled",
            "somebody who changes from one part to another loses the sum",
        ),
        {
            "printed keep rates": "1/100, 1/100, 1/300",
            "ours at epsilon 1": "1/10.52, 1/5.75, and 1.72·n at the end",
        },
        erratum="Lemma 4.6 prints (ln 244, 2476) where (ln 244, 2467·delta) is meant, and none of 244, 2467, 300 is"
        " needed; Algorithm 3 asks for 90,000·n records and leaves rounding, negative block sizes and indivisible"
        " sizes open, with the budget fixed at 1. Remark 4.15, Lemma 4.12 and Corollary 4.18 use a bound for concepts"
        " of the class only: an improper base is not covered.",
        proof=_BOOST,
    ),
    Statement(
        "label-boost-realizable",
        "How accurate one round is if some concept makes no error",
        f"{BNS}, Claim 4.2, Lemma 4.12; a transductive bound of our own",
        "derived",
        "The drawn labels are wrong at a rate above a on the M kept points with probability at most"
        " (labellings − 1)·(1 − a(1 − ratio))^kept; the base's rule differs from them at a rate b, and the rate a + b"
        " is carried over to the distribution.",
        (
            IID,
            "labelled and unlabelled records come from one distribution",
            "the base releases a concept of the class",
        ),
        erratum="Claim 4.2 applies (e·P/vc)^vc to a number of points P that may be below vc; the exact sum holds"
        " always.",
        proof=_BOOST,
    ),
    Statement(
        "label-boost-agnostic",
        "How accurate one round is with noisy labels",
        f"{BNS}, Theorem 4.16; a transductive bound of our own",
        "derived",
        "The same with ((1 − a)/x + (1 + a)·x)/2 in place of 1 − a(1 − ratio), x any weight from the ratio to 1, for"
        " the error above the best of the class.",
        (
            IID,
            "labelled and unlabelled records come from one distribution",
            "the base releases a concept of the class",
        ),
        proof=_BOOST,
    ),
    Statement(
        "empirical-draw",
        "A drawn member is nearly best on its own records",
        f"McSherry–Talwar 2007; {BNS}, Proposition A.1",
        "printed",
        "The exponential mechanism draws a member with more than j mistakes above the best with probability at most"
        " odds·ratio^(j + 1).",
        ("class, prior and ratio are public",),
        proof=_BOOST,
    ),
    Statement(
        "relative-deviation-by-size",
        "Small rates are estimated better, for a finite class",
        "Chernoff 1952 and a union over the class",
        "derived",
        "For all of `size` concepts at once true <= seen + t·sqrt(true), except with probability size·e^(−n·t²/2); for"
        " pairs of concepts with the square of the size.",
        (IID,),
        {"exponent": Fraction(1, 2)},
        proof=_BOOST,
    ),
    Statement(
        "dichotomy-representatives",
        "Which concept stands for a labelling",
        f"{BNS}, Algorithm 1, Step 4, and Algorithm 2, Step 3",
        "repaired",
        "A concept that stands for a labelling of released points must be chosen by these points alone; in relabelling"
        " the choice does not matter, since only the labels of the points are used.",
        ("the order of the class is public",),
        erratum="Both algorithms print 'an arbitrary concept'. In Algorithm 1 the concept itself is released: chosen by"
        " the records, it tells them.",
        proof=_BOOST,
    ),
    Statement(
        "ssl-relabel-accuracy",
        "How accurate SSL-Relabel is if some concept makes no error",
        f"{LWY}, Claim 16, for a labelled part of its own",
        "derived",
        "If no score above j is drawn, some concept errs on j/mistake labelled records and differs from the drawn"
        " labels at j/change points; both rates are carried over to the distribution, the second for pairs.",
        (
            IID,
            "labelled and unlabelled records come from one distribution",
            "the base releases a concept of the class",
        ),
        proof=_SSL,
    ),
    Statement(
        "positions-known",
        "When positions are known",
        f"{BNS}, Theorem 5.5",
        "derived",
        "Positions that coins alone have chosen tell nothing: given them, each role is promised what the inner run"
        " promises it.",
        ("positions are drawn without looking at records",),
        proof=_ACTIVE,
    ),
    Statement(
        "active-subsampling",
        "Asking for labels within a random part",
        f"{BNS}, Algorithm 4 and Claim 5.7",
        "repaired",
        "Keep n of t records, ask for the labels of a uniformly random m of them, run an (E, D)-private learner on both"
        " parts, each shuffled: (ln(1 + (n/t)(e^E − 1)), (n/t)·D), and no smaller number holds for every learner.",
        (
            "the asked are a uniform part of the kept, never the smallest positions",
            "which were kept stays secret",
        ),
        {"printed": "t = (n/epsilon)(3 + e^(2E))", "ours": "t = n(e^E − 1)/(e^epsilon − 1)"},
        erratum="Claim 5.7 states (7 + E) where its proof has (7 + e^E). Asking the smallest positions, as printed,"
        " moves two entries: 1.619 at t = 5, n = 2, m = 1, E = 2, where a random part gives 1.2685.",
        proof=_ACTIVE,
    ),
    Statement(
        "floor-labels",
        "No learner with too few labels",
        f"{BNS}, Theorem B.3 (Ehrenfeucht–Haussler–Kearns–Valiant 1989)",
        "repaired",
        "m ≥ (vc − 1)(1 − 2·failure)²/(8(1 − failure)·error).",
        ("error at most (1 − 2·failure)/(4(1 − failure))", "any learner, private or not"),
        {"printed": "(vc − 1)/(16·error)"},
        erratum="B.3 is printed for every failure below 1/2 and is false near it: two points and all four labellings,"
        " error 1/1000: memorising 21 records and guessing fails with probability 0.4896, where B.3 asks for 62.5.",
        proof=_FLOORS,
    ),
    Statement(
        "floor-labels-transcript",
        "No active learner of thresholds with too few private questions",
        f"{BNS}, Theorem 5.6",
        "repaired",
        "m ≥ e^(−2·epsilon)(1 − 25·failure/9)/(9·error) − n·delta·(e^(−epsilon) + e^(−2·epsilon)).",
        (
            "error at most 1/9, failure at most 1/4, a large domain",
            "the learner and its questions together are (epsilon, delta)-private",
            "n is at least 100·ln(1/(error·failure))/error²",
        ),
        erratum="Printed as an order of 1/error: it hides e^(−2·epsilon) and a term n·delta, and 'without loss of"
        " generality n is large' pulls against a small n·delta. Its delta(1 + e^(−epsilon)) is valid but loose.",
        proof=_FLOORS,
    ),
)
