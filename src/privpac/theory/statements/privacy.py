"""What private mechanisms and their combinations cost."""

from __future__ import annotations

from fractions import Fraction

from privpac.theory.statement import BBKN, BNS, CH, DF, LWY, Statement

__all__ = ["STATEMENTS"]

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "exponential-mechanism",
        "Exponential mechanism",
        f"McSherry–Talwar 2007, Theorem 6; {BNS}, Proposition A.1; {CH}, Theorems 7 and 26, Lemma 18",
        "printed",
        "Choosing h with probability proportional to prior(h)·ratio^score(h) is epsilon-DP with"
        " e^epsilon = ratio^(−2·sensitivity).",
        (
            "candidates, prior and ratio do not depend on the data",
            "replacing one record changes every score by at most the sensitivity",
            "the draw follows the stated law exactly",
        ),
        {
            "loss": "2·sensitivity·ln(1/ratio)",
        },
        proof="docs/proofs/exponential-mechanism.md",
    ),
    Statement(
        "bounded-range",
        "Bounded range of the exponential mechanism",
        "Durfee–Rogers 2019 (the notion); stated here for events",
        "derived",
        "The log-odds of every event move by at most epsilon between neighbours; a general epsilon-DP"
        " mechanism may move them by 2·epsilon.",
        ("one exponential mechanism, or several whose parameters are fixed beforehand; not adaptive stages",),
        {
            "log-odds shift": "epsilon",
        },
        proof="docs/proofs/exponential-mechanism.md",
    ),
    Statement(
        "total-variation",
        "Total variation of the exponential mechanism",
        f"from bounded range; compare {DF}, Lemma 4 and Section 2",
        "derived",
        "The output laws on neighbours are at total variation distance at most tanh(epsilon/4);"
        " without bounded range it is tanh(epsilon/2).",
        ("one exponential mechanism, or several whose parameters are fixed beforehand; not adaptive stages",),
        {
            "total variation": "tanh(epsilon/4)",
            "general pure epsilon": "tanh(epsilon/2)",
        },
        proof="docs/proofs/exponential-mechanism.md",
    ),
    Statement(
        "permute-and-flip",
        "Permute-and-flip",
        "McKenna–Sheldon 2020",
        "printed",
        "Visiting candidates in uniformly random order and accepting h with probability"
        " ratio^(score(h) − best score) has the epsilon of the exponential mechanism and never a"
        " larger expected score.",
        (
            "the conditions of the exponential mechanism",
            "not inside relabelling, and without bounded range: those proofs need the exponential weights",
        ),
        {
            "loss": "2·sensitivity·ln(1/ratio)",
        },
        proof="docs/proofs/permute-and-flip.md",
    ),
    Statement(
        "geometric-noise",
        "Two-sided geometric noise",
        "Ghosh–Roughgarden–Sundararajan 2009 (geometric mechanism, range-restricted form)",
        "printed",
        "Adding integer noise with P(k) proportional to a^|k| to counts whose total change is at most"
        " L for one replaced record is epsilon-DP with e^epsilon = a^(−L); clamping to public bounds"
        " keeps it.",
        (
            "counts are integers",
            "L bounds the L1 change of all released counts together",
        ),
        {
            "loss": "L·ln(1/a)",
            "L for a histogram, one record replaced": Fraction(2, 1),
        },
        proof="docs/proofs/geometric-noise.md",
    ),
    Statement(
        "post-processing",
        "Post-processing",
        "Dwork–Roth 2014, Proposition 2.1",
        "printed",
        "Anything computed from a private output without looking at the records again keeps its"
        " (epsilon, delta).",
        ("the later computation uses no record and no coin of the earlier one",),
        proof="docs/proofs/post-processing.md",
    ),
    Statement(
        "sequential",
        "Sequential composition",
        "Dwork–Roth 2014, Theorem 3.16 and Appendix B",
        "printed",
        "Releases on the same records, later ones possibly chosen after seeing earlier ones, cost the"
        " sum of the epsilons and the sum of the deltas.",
        (
            "fresh coins for every release",
            "each release keeps its promise whatever came before",
        ),
        proof="docs/proofs/sequential.md",
    ),
    Statement(
        "disjoint-parts",
        "Disjoint parts",
        "McSherry 2009, Theorem 4 (replace-one form)",
        "derived",
        "Releases on parts that share no record cost the largest epsilon and delta among them.",
        (
            "which record belongs to which part is fixed by position, not by its content",
            "part sizes are public",
            "replacing one record changes one part",
        ),
        proof="docs/proofs/disjoint-parts.md",
    ),
    Statement(
        "on-part",
        "A release from one part",
        "definition of differential privacy",
        "derived",
        "An (epsilon, delta)-private release that is run on one part of the records is (epsilon, delta)-private"
        " for a record of that part and does not depend on the others.",
        (
            "the part is chosen without looking at a record",
            "the size of the part is public",
        ),
        proof="docs/proofs/on-part.md",
    ),
    Statement(
        "group",
        "Groups of records",
        f"Dwork–Roth 2014, Theorem 2.2 (with delta: by induction); {CH}, Lemma 22",
        "derived",
        "If one record costs (epsilon, delta), replacing k records costs (k·epsilon,"
        " delta·(e^(k·epsilon) − 1)/(e^epsilon − 1)).",
        ("k is public and bounds the records of one person",),
        proof="docs/proofs/group.md",
    ),
    Statement(
        "subsampling-without-replacement",
        "Subsampling without replacement",
        f"{BNS}, Claim 4.3; {DF}, Lemma 5",
        "derived",
        "Running an (E, D)-private algorithm on a uniformly random k of n records costs (ln(1 +"
        " (k/n)(e^E − 1)), (k/n)·D), and no smaller number holds for every inner algorithm.",
        (
            "whole records are replaced: where only labels are, public features may tell which records were kept",
            "the subset is uniform and its size fixed",
            "the kept records are shuffled uniformly, or the inner algorithm ignores order",
        ),
        {
            "printed rate": "epsilon/(3 + e^E), epsilon at most 1",
            "rate": "(e^epsilon − 1)/(e^E − 1)",
        },
        erratum="The printed rate is smaller than needed; keeping index order breaks the claim (0.9534"
        " against a certificate of 0.9054 at n = 7, k = 6).",
        proof="docs/proofs/subsampling-without-replacement.md",
    ),
    Statement(
        "sampling-with-replacement",
        "Sampling with replacement",
        f"{BNS}, Claim 4.5; {LWY}, Lemma 21",
        "derived",
        "Running an (E, D)-private algorithm on m independent uniform draws from N records costs"
        " (m·ln(1 + (e^E − 1)/N), D·(e^epsilon − 1)/(e^E − 1)), with epsilon the first number; it is"
        " tight.",
        (
            "whole records are replaced: where only labels are, public features may tell which records were drawn",
            "draws are independent and uniform",
        ),
        {
            "printed": "epsilon 6·E·m/N, or ln 244 at m = N, E = 1",
            "ours at m = N, E = 1": "below e − 1",
        },
        erratum="The printed conditions E ≤ 1 and 6·E·m/N ≤ 1 are not needed.",
        proof="docs/proofs/sampling-with-replacement.md",
    ),
    Statement(
        "k-fold-composition",
        "Optimal composition of k equal releases",
        "Kairouz–Oh–Viswanath 2015, Theorem 3.3",
        "printed",
        "k releases of epsilon0 each, declared beforehand, are together (epsilon, delta)-private with"
        " delta = (1 + e^epsilon0)^(−k) · sum over l of C(k, l)·max(0, e^((k−l)·epsilon0) − e^(epsilon"
        " + l·epsilon0)), and no smaller delta holds for all of them.",
        (
            "k and epsilon0 are fixed before the first release: not a running filter",
            "every release is pure epsilon0-private given the earlier ones",
        ),
        proof="docs/proofs/k-fold-composition.md",
    ),
    Statement(
        "privacy-filter",
        "The filter of a ledger",
        "Feldman–Zrnic 2021; Whitehouse–Ramdas–Rogers–Wu 2023; Canonne–Kamath–Steinke 2020, Proposition 12;"
        " either-or here",
        "derived",
        "Releases chosen while one goes on, each run only if then the deltas sum to at most delta0 and"
        " either the epsilons to at most epsilon or the rhos to at most rho, are together (epsilon, delta +"
        " delta0)-private if rho = (epsilon − (ln c + ln(1/delta))/(a − 1))/a for some order a > 1, with c ="
        " (a − 1)^(a−1)/a^a.",
        (
            "the new release is in the sums that are compared",
            "the numbers of a release follow from public numbers and earlier outcomes",
            "totals are fixed before the first release",
        ),
        {"pure epsilon": "rho = epsilon·tanh(epsilon/2)"},
        proof="docs/proofs/privacy-filter.md",
    ),
    Statement(
        "declared",
        "Declared weakening",
        "definition of differential privacy",
        "printed",
        "An (epsilon, delta)-private release is (epsilon', delta')-private for all epsilon' ≥ epsilon"
        " and delta' ≥ delta.",
        ("the declared numbers are at least the proved ones",),
        proof="docs/proofs/declared.md",
    ),
    Statement(
        "assuming",
        "A fact under an assumption",
        "propositional logic",
        "printed",
        "A fact that was proved still holds when an assumption is written next to it; the certificate then"
        " lists the assumption on top.",
        ("the assumption is shown wherever the fact is",),
        proof="docs/proofs/assuming.md",
    ),
    Statement(
        "points-outside-count",
        "Unseen points of the point learner",
        f"{BBKN}, Lemma 3.4",
        "repaired",
        "Points that occur in no record number 2^d minus the number of distinct points seen, and"
        " share one weight.",
        ("repeated records are allowed",),
        erratum="Printed as 2^d − m with m records: with repeats the law is a different one, its loss exceeds"
        " epsilon (1.61976 at T = 4, m = 3, epsilon = 1) and is infinite once m ≥ 2^d.",
        proof="docs/proofs/points.md",
    ),
)
