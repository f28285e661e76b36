"""Concentrated privacy: what releases cost in rho, and what a sum of rhos promises."""

from __future__ import annotations

from privpac.theory.statement import Statement

__all__ = ["STATEMENTS"]

PAGE = "docs/proofs/concentrated.md"

_FRESH = (
    "fresh coins for every release",
    "each release keeps its promise whatever came before",
)

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "draw-range",
        "The range of an exponential draw",
        "Durfee–Rogers 2019; for leaves, medians and votes derived here",
        "derived",
        "The quotients of the chances of all outcomes on two neighbours lie in one interval [c, c·e^epsilon] if the"
        " outcome is one stage of exponential draws of this epsilon.",
        (
            "one exponential mechanism, or one in every leaf of a fixed partition; not adaptive stages",
            "not permute-and-flip and not `vote`, which have no such range",
            "given all coins that were drawn without looking at records",
        ),
        {"range": "epsilon", "two leaves": "epsilon/2 each"},
        proof=PAGE,
    ),
    Statement(
        "range-log-odds",
        "From quotients to events",
        "definition",
        "derived",
        "Quotients within a range of epsilon move the log-odds of every event by at most epsilon; the converse is"
        " false.",
        ("one interval holds the quotients of all outcomes",),
        proof=PAGE,
    ),
    Statement(
        "range-concentrated",
        "Concentrated privacy of a range",
        "Cesar–Rogers 2021; Popoviciu 1935",
        "printed",
        "A release whose quotients have a range of epsilon is epsilon²/8-zCDP.",
        ("the range is that of quotients, not the log-odds of events",),
        {"rho": "epsilon²/8", "least possible": "g − 1 − ln g, g = epsilon/(1 − e^(−epsilon))"},
        proof=PAGE,
    ),
    Statement(
        "log-odds-concentrated",
        "Concentrated privacy of log-odds of events",
        "derived here",
        "derived",
        "A release that moves the log-odds of every event by at most epsilon is rho-zCDP with"
        " rho = epsilon·coth(epsilon/2) − 2, which is at most epsilon²/6, and no smaller rho holds for all of them.",
        (
            "epsilon²/8 is false for events: eight outcomes with odds within 2.7 have divergence 0.158046 > 0.123319",
        ),
        {"rho": "epsilon·coth(epsilon/2) − 2"},
        proof=PAGE,
    ),
    Statement(
        "pure-concentrated",
        "Concentrated privacy of a pure release",
        "Kairouz–Oh–Viswanath 2015 (domination); Bun–Steinke 2016, Proposition 3 (epsilon²/2)",
        "derived",
        "An epsilon-private release is rho-zCDP with rho = epsilon·tanh(epsilon/2), at most epsilon²/2, and randomised"
        " response needs that. An (epsilon, delta)-private one is so but for a bad event of probability delta.",
        ("epsilon is fixed before the release, without looking at a record",),
        {"rho": "epsilon·tanh(epsilon/2)"},
        proof=PAGE,
    ),
    Statement(
        "noise-concentrated",
        "Concentrated privacy of geometric noise",
        "derived here",
        "derived",
        "Geometric noise on m counts that move by 1 each, epsilon in all, costs epsilon·tanh(epsilon/(2m)); on one"
        " count that moves by 2, epsilon·(1 − e^(−epsilon/2)).",
        (
            "counts are integers",
            "no single count moves by more than stated: a bound on the sum of all changes is not enough",
        ),
        {
            "histogram, one record replaced": "epsilon·tanh(epsilon/4)",
            "difference": "epsilon·(1 − e^(−epsilon/2))",
        },
        proof=PAGE,
    ),
    Statement(
        "subsampled-concentrated",
        "Concentrated privacy of a subsampled draw",
        "derived here",
        "derived",
        "A release of range E from k of n records, drawn uniformly and in random order, costs (g·E)²/8 with"
        " g = q·e^E/(1 + q(e^E − 1)), q = k/n.",
        (
            "whole records are replaced: where only labels are, public features may tell which records were kept",
            "the subset is uniform and its size fixed",
            "the kept records are shuffled uniformly, and who they are stays secret",
            "g and not q: (q·E)²/8 is false, at E = 1 and q = 0.1 a draw costs 0.001643 > 0.00125",
        ),
        proof=PAGE,
    ),
    Statement(
        "concentrated-sum",
        "Sum of concentrated releases",
        "Bun–Steinke 2016, Lemma 7 (adaptive form)",
        "printed",
        "Releases on the same records, later ones possibly chosen after seeing earlier ones, cost the sum of the rhos"
        " and the sum of the deltas.",
        _FRESH,
        proof=PAGE,
    ),
    Statement(
        "concentrated-post-processing",
        "Post-processing of concentrated releases",
        "Bun–Steinke 2016, Lemma 8",
        "printed",
        "Anything computed from a release without looking at the records again keeps its rho.",
        ("the later computation uses no record and no coin of the earlier one",),
        proof=PAGE,
    ),
    Statement(
        "concentrated-on-part",
        "A concentrated release from one part",
        "definition of zCDP",
        "derived",
        "A release that is run on one part of the records has its rho for a record of that part and does not depend on"
        " the others.",
        ("the part is chosen without looking at a record", "the size of the part is public"),
        proof=PAGE,
    ),
    Statement(
        "concentrated-parts",
        "Disjoint parts of concentrated releases",
        "derived here",
        "derived",
        "Releases on parts that share no record cost the largest rho among them, also if they are asked in turns.",
        (
            "which record belongs to which part is fixed by position, not by its content",
            "part sizes are public",
        ),
        proof=PAGE,
    ),
    Statement(
        "concentrated-mixture",
        "Coins that look at no record",
        "joint convexity of E(P/Q)^alpha·Q",
        "derived",
        "A release chosen by secret coins that do not depend on the records costs the largest rho of those it is chosen"
        " from.",
        ("the coins are independent of the records",),
        proof=PAGE,
    ),
    Statement(
        "concentrated-group",
        "Groups of records, concentrated",
        "Bun–Steinke 2016, Proposition 27",
        "printed",
        "If one record costs rho, replacing k records costs k²·rho.",
        ("k is public and bounds the records of one person",),
        proof=PAGE,
    ),
    Statement(
        "concentrated-privacy",
        "From rho to (epsilon, delta)",
        "Canonne–Kamath–Steinke 2020, Proposition 12",
        "printed",
        "A rho-zCDP release is (epsilon, delta)-private with epsilon = alpha·rho + (ln c + ln(1/delta))/(alpha − 1),"
        " c = (alpha − 1)^(alpha − 1)/alpha^alpha, for every alpha > 1.",
        (
            "rho is fixed beforehand: what was spent at a moment chosen by looking is no promise",
            "alpha does not depend on the records",
        ),
        proof=PAGE,
    ),
    Statement(
        "range-fold",
        "Optimal composition of k equal draws",
        "derived here; compare Dong–Durfee–Rogers 2020",
        "derived",
        "k releases, declared beforehand, each of which moves the log-odds of every event by at most epsilon0 given the"
        " earlier ones, are together (epsilon, delta)-private with the delta of k independent logistic pairs: the tail"
        " of a tilted B-spline, a finite sum of exponentials. No smaller delta holds for all of them.",
        (
            "k and epsilon0 are fixed before the first release: not a running filter",
            "every release moves log-odds of events by at most epsilon0, given the earlier ones",
        ),
        {"4 draws within (1, 1e-6)": "0.272968 each", "8 draws within (1, 1e-6)": "0.164330 each"},
        proof="docs/proofs/range-fold.md",
    ),
)
