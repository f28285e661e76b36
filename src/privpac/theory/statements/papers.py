"""What the papers state besides: small lemmas with their proofs, and orders of growth that never become a number."""

from __future__ import annotations

from privpac.theory.statement import BBKN, BNS, CH, DF, IID, LWY, Statement

__all__ = ["STATEMENTS"]

_PAGE = "docs/proofs/papers.md"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "packing-is-cover",
        "A largest packing is a cover",
        f"{CH}, Lemma 13 (Kolmogorov and Tikhomirov 1961)",
        "printed",
        "In a metric space in which packings are finite, a packing at distances above r to which no point can be added"
        " is an r-cover.",
        ("packings are finite, as in spaces of finite doubling dimension",),
        proof=_PAGE,
    ),
    Statement(
        "doubling-packing",
        "Packings of a ball, by the doubling dimension",
        f"{CH}, Lemma 14 (Gupta, Krauthgamer and Lee 2003)",
        "printed",
        "In a space of doubling dimension d, a packing at distances above s of a ball of radius r ≥ s/2 has at most"
        " (4r/s)^d points.",
        ("every ball is covered by 2^d balls of half its radius",),
        proof=_PAGE,
    ),
    Statement(
        "doubling-ball-packing",
        "A ball with a large packing",
        f"{CH}, Lemma 15",
        "printed",
        "If some ball of radius r needs at least 2^d balls of radius r/2 to be covered, it has an (r/2)-packing of at"
        " least 2^d points.",
        ("packings of the ball are finite",),
        proof=_PAGE,
    ),
    Statement(
        "packing-on-sample",
        "Packings survive sampling",
        f"{CH}, Lemmas 23 and 24",
        "shape",
        "From order (V/r)·log(1/r) records on, a packing of a ball under the distribution is one under the sample at"
        " comparable distances; hence order (doubling dimension)/(r·epsilon) records are needed under label privacy.",
        (IID, "the VC dimension V is finite"),
        {
            "printed": "an unnamed C > 1",
            "read off the proof": "(8V·ln(2em/V) + 4·ln 16)/m ≤ r/3",
            "ours": "floor-label-ball and floor-label-packing, with constants and without the condition",
        },
    ),
    Statement(
        "points-minimal",
        "No point can be spared",
        f"{BBKN}, Proposition 3.7 and Corollary 3.8",
        "printed",
        "The class of points represents itself at every error below 1, and no longer does when a member is left out;"
        " so floor-minimal-class holds for it with the size of the domain.",
        ("answers are points",),
        {"printed": "order (d + ln(1/failure))/epsilon", "ours": "floor-minimal-class, exactly"},
        proof=_PAGE,
    ),
    Statement(
        "representation-size",
        "A representation of points has at least d members",
        f"{BBKN}, Lemma 3.10",
        "printed",
        "Every class that represents the points of a domain of 2^d at an error below 1/2 has at least d members.",
        ("error below 1/2",),
        {"printed": "d", "ours": "d; Reed–Solomon sets have order d/error squared"},
        proof=_PAGE,
    ),
    Statement(
        "log-inequality",
        "Solving n·a ≥ d·ln(en/d) + ln(1/b)",
        f"{LWY}, Lemma 22",
        "printed",
        "n ≥ (2d·ln(2/a) + 2·ln(1/b))/a implies n·a ≥ d·ln(en/d) + ln(1/b), for d ≥ 1 and a, b in (0, 1).",
        ("d is at least 1",),
        {"printed": "2", "ours": "solved numerically where a number is wanted"},
        proof=_PAGE,
    ),
    Statement(
        "proper-improper-computational",
        "Proper private learning can be hard where improper is easy",
        f"{BBKN}, Observation 2.7",
        "shape",
        "Unless RP = NP, no efficient proper private learner of k-term DNF exists, while an efficient improper one"
        " does.",
        ("a conjecture of complexity theory",),
        {
            "ours": "the improper half is clause-counts (the word clauses:K), with constants; the proper half is a"
            " reduction from colouring graphs (Pitt–Valiant 1988), and a private learner is a learner"
        },
    ),
    Statement(
        "thresholds-few-labels",
        "Thresholds with few labels under delta",
        f"{BNS}, Corollary 3.4",
        "shape",
        "With a delta, thresholds of d bits can be learnt from a number of labels independent of d and about 8^(log* d)"
        " unlabelled records.",
        ("delta above 0",),
        {
            "ours": "generic-learner with block-quantile-answers for its sanitiser (method generic with a delta); log d"
            " where the paper has 8^(log* d), with constants that are smaller for every length of keys there is"
        },
    ),
    Statement(
        "label-boost-tower",
        "LabelBoost as printed: sizes and rounds",
        f"{BNS}, Observation 4.7, Claims 4.8, 4.9 and 4.11, Theorems 4.13 and 4.14",
        "shape",
        "With 90,000 n unlabelled and (96,000/error)·VC·log(2240/(error·failure)) labelled records no round fails,"
        " sizes grow like a tower of exponentials, and the result is a private learner of 11 times the error"
        " and twice the failure.",
        ("the base learner is proper and private at epsilon 1", "records are independent"),
        {
            "printed": "90,000 n unlabelled, 41·delta, error times 11",
            "ours": "one round with free rates: label-boost-realizable",
        },
        erratum="The printed sizes are not rounded to whole numbers and their last part may be negative.",
    ),
    Statement(
        "rectangles-few-labels",
        "Boxes with few labels",
        f"{BNS}, Corollary 4.17",
        "shape",
        "Boxes in l dimensions of d bits can be learnt privately from order l labels and about l^3·8^(log* d)"
        " unlabelled records.",
        ("delta above 0",),
        {
            "ours": "generic-learner with 2l slabs and l sanitised columns, delta 0: 1,124 labels and 2,000,000 others"
            " for two columns of 32 bits at error 0.1, epsilon 1, where one draw needs 2,251 labels"
        },
    ),
    Statement(
        "improper-few-labels",
        "Improper learners with few labels",
        f"{BNS}, Corollary 4.18",
        "shape",
        "Every class has a pure private improper learner with order VC labels and order representation-dimension"
        " unlabelled records.",
        ("the base learner may be improper",),
        erratum="The utility proof uses a bound for concepts of the class, so improper base learners are not covered by"
        " it as printed.",
    ),
    Statement(
        "active-few-labels",
        "Active learners with few labels",
        f"{BNS}, Theorem 5.8",
        "shape",
        "If queried positions are hidden, order VC/error labels suffice whatever epsilon is, among order n/epsilon"
        " records.",
        ("only the released rule is seen, not which labels were asked",),
        {"ours": "active-subsampling"},
    ),
    Statement(
        "agnostic-transformation",
        "From learners of clean records to learners of noisy ones",
        f"{LWY}, Theorem 1 (informal)",
        "shape",
        "A private learner of clean records from m records becomes a private agnostic one from order m + VC/error²"
        " records, up to logarithms.",
        (IID,),
        {"ours": "relabelling and relabelling-accuracy, with every constant"},
    ),
    Statement(
        "agnostic-prediction",
        "Private prediction against the best concept",
        f"{DF}, Theorems 2 and 5, Lemmas 8 to 11; {LWY}, Theorems 2 and 20",
        "shape",
        "Order VC/(error·epsilon) + VC/error² records suffice for private answers near the best concept, up to"
        " logarithms; the older proof has VC² in the first term.",
        (IID,),
        {
            "printed": "4e^6 inside the older proof",
            "ours": "flipped-answers, whose sizes are smaller down to 0.005",
        },
    ),
    Statement(
        "private-generalisation",
        "What is private generalises",
        f"{LWY}, Lemma 12",
        "shape",
        "The true rate of a predicate chosen by an (epsilon, delta)-private algorithm is at most e^(2·epsilon) times"
        " its rate on the records plus order log(1/(epsilon·delta·n))/(epsilon·n), with high probability.",
        (IID, "delta above 0: the expression has no meaning at delta = 0"),
        erratum="The failure probability hides a constant, and nothing is stated for pure privacy.",
    ),
)
