"""Below this many labels no learner of a kind can succeed; printed floors repaired."""

from __future__ import annotations

import math
from fractions import Fraction

from privpac.numbers.exact import exp_down, exp_up
from privpac.numbers.parameters import Number, at_least, below_one, chance, fraction_below, positive
from privpac.theory.register import formula

__all__ = ["labels_floor", "transcript_labels_floor"]


@formula("floor-labels")
def labels_floor(vc: int, *, error: Number, failure: Number) -> int:
    """Labels below which no learner of a class of this VC dimension succeeds, private or not.

    Statement: m >= (vc - 1)(1 - 2·failure)²/(8(1 - failure)·error). Source: register `floor-labels`
    (Beimel–Nissim–Stemmer 2015, Theorem B.3, which prints (vc - 1)/(16·error) for every failure below 1/2).
    Holds if: error <= (1 - 2·failure)/(4(1 - failure)); the target and the distribution may be any.
    Proof: docs/proofs/label-floors.md.

    >>> labels_floor(11, error=0.001, failure=0.05)
    1066
    """
    owner = "labels_floor"
    dimension = at_least(1, vc, owner=owner, name="vc")
    miss = fraction_below(Fraction(1, 2), failure, owner=owner, name="failure")
    limit = (1 - 2 * miss) / (4 * (1 - miss))
    wrong = fraction_below(limit, error, owner=owner, name="error")
    return math.ceil((dimension - 1) * (1 - 2 * miss) ** 2 / (8 * (1 - miss) * wrong))


@formula("floor-labels-transcript")
def transcript_labels_floor(
    *, error: Number, failure: Number, epsilon: Number, delta: Number = 0, records: int = 0
) -> int:
    """Labels below which no active learner of thresholds succeeds whose questions are private too.

    Statement: m >= e^(-2·epsilon)(1 - 25·failure/9)/(9·error) - records·delta·(e^(-epsilon) + e^(-2·epsilon)).
    Source: register `floor-labels-transcript` (Beimel–Nissim–Stemmer 2015, Theorem 5.6).
    Holds if: error <= 1/9, failure <= 1/4, and the learner is given at least 100·ln(1/(error·failure))/error² records;
    the domain is large. Proof: docs/proofs/label-floors.md.

    >>> transcript_labels_floor(error=0.01, failure=0.05, epsilon=1), transcript_labels_floor(
    ...     error=0.01, failure=0.05, epsilon=0.1)
    (2, 8)
    """
    owner = "transcript_labels_floor"
    wrong = chance(error, owner=owner, name="error")
    miss = chance(failure, owner=owner, name="failure")
    loss = positive(epsilon, owner=owner, name="epsilon")
    slack = below_one(delta, owner=owner, name="delta")
    if wrong > Fraction(1, 9) or miss > Fraction(1, 4):
        return 0
    main = exp_down(-2 * loss, 30) * (1 - 25 * miss / 9) / (9 * wrong)
    spoilt = at_least(0, records, owner=owner, name="records") * slack
    spoilt *= exp_up(-loss, 30) + exp_up(-2 * loss, 30)
    return max(0, math.ceil(main - spoilt))
