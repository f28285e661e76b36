"""Continuous features and label privacy: densities, covers, and what no learner can do."""

from __future__ import annotations

from fractions import Fraction

from privpac.theory.statement import CH, IID, PURE, Statement

__all__ = ["STATEMENTS"]

_COVER = "docs/proofs/reference-cover.md"
_LABELS = "docs/proofs/label-cover.md"
_FLOORS = "docs/proofs/cover-floors.md"

REFERENCE = "the reference distribution was chosen without looking at the records"
LABELS = "the algorithm is epsilon-differentially private for replacing one label; the features are public"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "density-bound",
        "A bounded density carries a cover over",
        f"{CH}, Definition 6 and Lemma 19",
        "repaired",
        "If D(A) ≤ kappa·U(A) for every set A, concepts that disagree on r under the reference U disagree on at most"
        " kappa·r under D. A mixture has the average of its parts' kappas, a product the product.",
        ("kappa is finite; it is at least 1, since densities are 1 on average",),
        erratum="The remark after Definition 6 takes absolute continuity for a finite kappa; 1/(2·√x) on the unit"
        " interval is absolutely continuous and unbounded. In the proof of Lemma 19 the second probability is under"
        " the reference.",
        proof=_COVER,
    ),
    Statement(
        "band-density",
        "Densities of a band of the sphere and of what lies outside of it",
        f"{CH}, Lemmas 20 and 21",
        "repaired",
        "Uniform on {|u·x| ≤ g}: kappa = 1/I; uniform on {|u·x| ≥ g}: kappa = 1/(1 − I), with I the regularised"
        " incomplete beta function at g² with parameters 1/2 and (d − 1)/2.",
        ("u is a unit vector in R^d, 0 < g < 1",),
        erratum="The printed kappa of Lemma 20 is negative for g below √(2·ln 2/d), where the text uses it; that of"
        " Lemma 21 is right and 10^33 times too large at d = 200, g = 1/√d.",
        proof=_COVER,
    ),
    Statement(
        "threshold-cover",
        "Evenly spaced quantiles cover thresholds",
        f"{CH}, Section 4",
        "derived",
        "ceil(1/(2r)) cuts at the quantiles (i + 1/2)/N of the reference are within r of every threshold.",
        ("the reference has no atoms, or the level is counted from its cells",),
        proof=_COVER,
    ),
    Statement(
        "halfspace-caps",
        "Half-spaces through the origin under the uniform sphere",
        f"{CH}, Section 4 and Lemma 25",
        "derived",
        "Two half-spaces disagree on (angle between them)/pi. The share of directions within r of a given one is half"
        " the regularised incomplete beta function at sin²(pi·r) with parameters (d − 1)/2 and 1/2; ln(1/b)/share"
        " random directions contain one of them except with probability b.",
        ("points are uniform on the sphere in R^d", "r ≤ 1/2"),
        proof=_COVER,
    ),
    Statement(
        "halfspace-grid",
        "Integer directions on a cube cover half-spaces",
        "our proof",
        "derived",
        "The (2m + 1)^d − (2m − 1)^d integer points on the surface of a cube of half-side m are, as directions, within"
        " arcsin(√(d − 1)/(2m))/pi of every half-space through the origin.",
        ("points are uniform on the sphere in R^d", "4m² ≥ d − 1"),
        proof=_COVER,
    ),
    Statement(
        "halfspace-doubling-printed",
        "Half-spaces have large doubling dimension at every scale",
        f"{CH}, Lemma 25",
        "false",
        "For every r a ball of radius r of half-spaces in R^d contains 2^(d − 2) of them that are pairwise more than"
        " r/2 apart.",
        ("points are uniform on the sphere in R^d",),
        erratum="At r = 1 these would be 2^(d − 2) unit vectors at pairwise angles above pi/2, of which there are at"
        " most d + 1: 256 against 11 in R^10. The ratio of caps is at least 2^(1 − d), not equal to it.",
        proof=_COVER,
    ),
    Statement(
        "halfspace-doubling",
        "Doubling dimension of half-spaces by volume",
        f"our proof; replaces {CH}, Lemma 25",
        "derived",
        "A ball of radius r contains at least cap(r)/cap(r/2) half-spaces that are pairwise more than r/2 apart; the"
        " logarithm to base 2 tends to d − 1 as r falls.",
        ("points are uniform on the sphere in R^d",),
        proof=_COVER,
    ),
    Statement(
        "reference-cover-realizable",
        "Learning over a cover of a reference distribution, realizable",
        f"{CH}, Theorem 9 (A_1r)",
        "repaired",
        "If some candidate errs at most t, a draw with weight x per mistake errs above `error` with probability at"
        " most miss + odds·(1 − error·(1 − x) + t·(1/x − 1))^n; a cover of level r has t = kappa·r under every"
        " density of at most kappa.",
        (IID, REFERENCE, "some concept makes no error", "odds bounds bad over good candidates"),
        erratum="The printed proof drops the privacy parameter in the step of the exponential mechanism, leaves"
        " densities below 1 and covers wider than the class open, and its universal constant exists only for errors"
        " and failures bounded away from 1.",
        proof=_COVER,
    ),
    Statement(
        "reference-cover-agnostic",
        "Learning over a cover of a reference distribution, no concept perfect",
        f"{CH}, Theorem 8 (A_1)",
        "repaired",
        "With D = error − kappa·r a draw with weight x per mistake errs more than `error` above the best concept with"
        " probability at most miss + odds·((1 − D)/(2x) + x·(1 + D)/2)^n.",
        (IID, REFERENCE, "odds bounds the number of candidates where x is above the weight of a mistake"),
        erratum="The proof of Theorem 7 lets an error rate change by 1 where it is the number of errors; the universal"
        " constant of Theorem 8 exists only for errors and failures bounded away from 1.",
        proof=_COVER,
    ),
    Statement(
        "labellings-realizable",
        "Labellings of the records are drawn as well as members of their class, for a perfect fit",
        "ours",
        "derived",
        "failure ≤ (H − 1)·(1 − error·(1 − r))^n for a draw over the labellings of the features, each once, with weight"
        " r^mistakes, if each is represented by a member of a class of H concepts.",
        (IID, LABELS, "labels follow a concept of the class"),
        proof=_LABELS,
    ),
    Statement(
        "labellings-agnostic",
        "Labellings of the records are drawn as well as members of their class, for any records",
        "ours",
        "derived",
        "failure ≤ (H − 1)·(((1 − D)/x + (1 + D)·x)/2)^n for every x in [r, 1), where D is how much more the drawn"
        " concept errs than the best of the class.",
        (IID, LABELS),
        proof=_LABELS,
    ),
    Statement(
        "label-thresholds",
        "Thresholds that protect labels only",
        f"{CH}, Theorem 27, for thresholds",
        "derived",
        "failure ≤ 2·P[Bin(n, error) ≤ E] + G·x^(E + 1 − g) for every E ≥ g, where x is the weight of a mistake and G"
        " cuts are taken from the features, of which one makes at most g mistakes: both ends included,"
        " G = ceil((n + 1)/(g + 1)) are enough for any features, and G = 1 + ceil(n/(2g + 1)) if no two records share a"
        " value.",
        (IID, LABELS, "labels follow a threshold of one direction"),
        proof=_LABELS,
    ),
    Statement(
        "label-cover",
        "Any class that protects labels only",
        f"{CH}, Theorem 27 (A_2)",
        "derived",
        "error is reached if 2·ln(2G/failure)/(epsilon·n) + level ≤ error − √(error·e), e = 4·(vc·ln(2e·n/vc) +"
        " ln(8/failure))/n, for G candidates that cover the labellings of the features at `level`.",
        (IID, LABELS, "labels follow a concept of VC dimension vc"),
        {"relative deviation": Fraction(4)},
        erratum="The figures of A_1r and A_2 are exchanged in the text.",
        proof=_LABELS,
    ),
    Statement(
        "floor-thresholds-smooth",
        "No private learner of thresholds on a continuum",
        f"{CH}, Theorem 5",
        "derived",
        "failure ≥ E[(N − 1)/(N − 1 + e^(epsilon·K))], K binomial(n, 2·error), N = ceil(kappa/(4·error)) − 1, over all"
        " densities up to kappa.",
        (PURE, "the answer is a threshold", "kappa ≥ 2, error below 1/2"),
        erratum="Printed with 1/eta − 2 targets where there are floor(1/eta) − 2; without a number of records.",
        proof=_FLOORS,
    ),
    Statement(
        "floor-label-packing",
        "No label-private learner of a packed class",
        f"{CH}, Theorem 12",
        "derived",
        "n ≥ ln((P − 1)(1 − failure)/failure)/epsilon for P concepts that disagree pairwise on more than 2·error.",
        (LABELS,),
        proof=_FLOORS,
    ),
    Statement(
        "floor-label-ball",
        "No label-private learner of a ball",
        f"replaces {CH}, Theorem 10",
        "derived",
        "n ≥ (1 − failure)/(rho·epsilon)·ln((P − 1)(1 − failure)/failure) for P concepts that disagree pairwise on more"
        " than 2·error and on at most rho.",
        (LABELS,),
        erratum="The printed theorem asks for small epsilon and error and a finite VC dimension; none is needed.",
        proof=_FLOORS,
    ),
    Statement(
        "floor-label-chain",
        "No label-private learner of concepts that differ within one event",
        "our proof, by Lemma A of `docs/proofs/floors.md`",
        "derived",
        "failure ≥ E[(P − 1)/(P − 1 + e^(epsilon·K))], K binomial(n, rho), for P concepts that disagree pairwise on"
        " more than 2·error and only within one event of mass rho, as cuts do between the outermost two. A plan takes"
        " the best number of cuts, evenly spaced under a uniform distribution; at error 0.1, failure 0.05 and epsilon 1"
        " that is P = 2, rho just above 0.2.",
        (LABELS, "whatever rule answers"),
        proof=_FLOORS,
    ),
    Statement(
        "floor-label-halfspaces",
        "No label-private learner of half-spaces",
        f"our proof; compare {CH}, Section 5",
        "derived",
        "`floor-label-ball` with at least cap(R)/cap(2·error) half-spaces within R of one, pairwise at most min(1, 2R)"
        " apart, at the best R.",
        (LABELS, "points are uniform on the sphere", "error below 1/4"),
        proof=_FLOORS,
    ),
    Statement(
        "floor-label-sample",
        "Half of a packing of a sample's ball is missed",
        f"{CH}, Lemma 11",
        "repaired",
        "If n < ln(P/2 − 1)/(8·epsilon·s), for an s-packing P of a ball of radius 4s in the metric of these very"
        " features, half of P is missed with probability at least 1/2.",
        (LABELS,),
        erratum="The statement is right; its proof prints exp(−8sm) for exp(−8·epsilon·s·m), and an indicator of the"
        " wrong concept.",
        proof=_FLOORS,
    ),
)
