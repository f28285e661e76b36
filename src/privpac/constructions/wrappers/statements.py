"""Relabelling, sampling around a learner, stable draws: privacy and accuracy."""

from __future__ import annotations

from fractions import Fraction

from privpac.theory.statement import DF, IID, LWY, Statement

__all__ = ["STATEMENTS"]

_PAGE = "docs/proofs/relabelling.md"
_STABLE = "docs/proofs/stable.md"
_CARRIED_PROOF = "docs/proofs/carried-accuracy.md"
_DRAW = "labellings are drawn by the exponential mechanism itself: no permute-and-flip, no clamped scores"
_TWO = "there are two classes"
_ONCE = "all labellings of the kept points by the class are listed, each once"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "relabelling",
        "Learning from records that others relabel",
        f"{LWY}, Algorithms 1 and 2, Lemma 15",
        "repaired",
        "A random share q of the records, shuffled, relabelled by a vote of the rest and given to an (E,"
        " D)-private run,"
        " costs e^eps = ((1 − q)·a² + q·h·4·b·e^E)/((1 − q) + q·h), but at least a², and delta = q·D, where a ="
        " e^(vote/2), b = e^(weight·vote·(1 − q)/q), and h = a(1 + a)/2 if weight·(1 − q) ≥ q, else a².",
        (_TWO, _ONCE, _DRAW, "the kept records are shuffled", "who was kept stays secret"),
        {"extensions": Fraction(4), "printed": "ln(e^eps + 177·eps) from its proof"},
        erratum="The printed proof needs eps of at most 1/3 and eps·n of at least 1 without saying so, states"
        " no shuffle"
        " although its own inner learner needs one, multiplies delta, and writes one of its two inequalities twice."
        " Removing its constants by further sampling multiplies the records by 30 to 180; splitting the budget"
        " does not.",
        proof=_PAGE,
    ),
    Statement(
        "relabelling-scores",
        "Relabelling scores are shortest paths",
        "our proof; for lists Alman–Williams 2015",
        "derived",
        "If any two labellings of a class are joined by single changes without detours, all scores are one distance"
        " transform on the graph of single changes. Labellings by half-planes are, wherever the points lie.",
        ("points that coincide are one point, with the sum of their weights",),
        {"edges of half-planes, a prefix and class": Fraction(2)},
        erratum="Not for every class: for an arbitrary list of labellings scores contain the closest pair of two sets,"
        " which no algorithm finds in time below the square of their number unless the strong exponential time"
        " hypothesis is false. There pairs are compared.",
        proof="docs/proofs/relabelling-scores.md",
    ),
    Statement(
        "relabelling-part",
        "What relabelled records lose when they are fixed beforehand",
        f"{LWY}, Lemma 17 and Claim 23 (A_Auxiliary)",
        "derived",
        "With the voters unchanged, replacing a relabelled record costs ln 4 + weight·vote·voters/kept + E, and"
        " delta D.",
        (_TWO, _ONCE, _DRAW, "the own labels of relabelled records are not looked at"),
        {"extensions": Fraction(4)},
        erratum="The printed lemma compares errors on half of the kept records with errors on all of them as if they"
        " were at most equal; they may be twice as large.",
        proof=_PAGE,
    ),
    Statement(
        "relabelling-accuracy",
        "A learner of clean records, run on relabelled ones, is near the best on noisy ones",
        f"{LWY}, Claim 16 and Theorem 18",
        "repaired",
        "Above the best concept by at most deviations of the voters, a = 2(ln growth(kept) + ln(1/miss))/(vote·voters),"
        " and the relative deviation of inner error + a/weight on the kept records, except with probability 4·miss"
        " and the inner failure.",
        (
            IID,
            "the learner inside follows clean labels on any records of exactly this number",
            "answers belong to the class",
        ),
        {"events": Fraction(4)},
        erratum="Claim 16 uses ln(size/failure) where its share of the failure asks for ln(3·size/failure), and the"
        " learner inside at numbers of records it was not promised for; its alpha/3 can be alpha/9.",
        proof=_PAGE,
    ),
    Statement(
        "listed-from-some",
        "Drawing from a class that some of the records list",
        f"{DF}, Lemma 7",
        "derived",
        "One concept for each labelling of the points of a random k of n records, and a draw among them by the mistakes"
        " of all records at epsilon g: (g, k/n)-private.",
        ("representatives depend on the set of the k points alone, never on other records",),
        {"delta": "k/n"},
        erratum="The text lets the representative be any consistent concept; chosen by the other records it loses"
        " everything.",
        proof=_STABLE,
    ),
    Statement(
        "stable-from-some",
        "The stable learner",
        f"{DF}, Lemma 7 and Theorem 1",
        "derived",
        "The same draw moves the probability of any event by at most q + (1 − q)·tanh(g/4), q = k/n.",
        ("as listed-from-some", "the draw is one exponential mechanism"),
        {"printed": "q + 2g", "general pure epsilon": "tanh(eps/2)"},
        erratum="Printed with 2g, from 'eps-private is (e^eps − 1)-stable': tanh(eps/2) in general, tanh(eps/4) for one"
        " exponential mechanism. Theorems 1 and 3 differ in log(1/alpha) and log(d/alpha).",
        proof=_STABLE,
    ),
    Statement(
        "stable-accuracy",
        "The stable learner is near the best concept",
        f"{DF}, Theorems 1 and 3",
        "derived",
        "Above the best by at most the deviation of n records, (ln growth(n) + ln(1/miss))/k for listing few concepts,"
        " and 2(ln growth(k) + ln(1/miss))/(g·n) for the draw, except with probability 4·miss.",
        (IID,),
        {"events": Fraction(4)},
        erratum="Only one concept, the best on the records, has to be approximated: growth, not its square. Remark 2"
        " quotes a rate of d/alpha² for the base learner, where that of nets, d/alpha, is what is needed.",
        proof=_STABLE,
    ),
    Statement(
        "subsampling-accuracy",
        "A random part of independent records is independent",
        "elementary",
        "printed",
        "A bound for k independent records holds for a uniform k of n.",
        (IID, "who is kept does not depend on the records"),
        proof=_CARRIED_PROOF,
    ),
    Statement(
        "resampling-empirical",
        "The empirical learner",
        f"{LWY}, Lemma 14",
        "printed",
        "A bound for m independent records of any distribution is, on m draws from a table, a bound for the table.",
        ("the bound inside holds for every distribution",),
        erratum="The printed conditions 6·eps·m/n ≤ 1 and n ≥ 2 are not needed.",
        proof=_CARRIED_PROOF,
    ),
    Statement(
        "resampling-accuracy",
        "From the table to its distribution",
        f"{LWY}, Lemma 14 with Lemmas 7 and 8",
        "derived",
        "An error on n independent records becomes an error of the distribution: relative deviation for one target if"
        " some concept is right, uniform deviation otherwise.",
        (
            IID,
            "answers belong to a class of this VC dimension",
            "the bound inside holds for every distribution",
        ),
        proof=_CARRIED_PROOF,
    ),
    Statement(
        "confidence",
        "Several runs and a private pick",
        "Haussler–Kearns–Littlestone–Warmuth 1991",
        "derived",
        "The pick on m further records from the answers of r runs on different records errs by more than error + gap"
        " with probability at most failure^r + (r − 1)·base^m.",
        (IID, "the runs use different records"),
        proof=_CARRIED_PROOF,
    ),
)
