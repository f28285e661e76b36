"""How much of epsilon goes to the private counts behind the verdict, where nobody says: from public numbers.

Statement: with x = records times epsilon per record, the share is max(0, min(1/10, 1 - 600/x)). What is left for the
rule, x·(1 - share) = max(min(x, 600), 9x/10), never falls as x grows, so what is promised of it does not either.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privpac.fields import whole
from privpac.numbers.exact import read_number

__all__ = ["asks_for_interval", "estimate_share", "left_for_rule", "whole_for_rule"]

ESTIMATE_SHARE = Fraction(1, 10)
"""Of epsilon, for the counts behind the verdict. On twelve tables it cost the default .0018 of accuracy where records
times epsilon were 200 to 1,000, and .0005 above (exact expectations, benchmarks/accuracy)."""
ESTIMATE_FROM = 600
"""Records times epsilon of the rule that a share never takes it below: with fewer, a tenth tells nothing."""


def estimate_share(records: int, epsilon: Fraction) -> Fraction:
    """The share of an epsilon per record that goes to the counts behind the verdict, from public numbers.

    What is left for the rule, in records times epsilon, never falls as either of them grows.

    >>> estimate_share(600, Fraction(1)), estimate_share(625, Fraction(1)), estimate_share(5000, Fraction(1))
    (Fraction(0, 1), Fraction(1, 25), Fraction(1, 10))
    """
    product = records * epsilon
    return Fraction(0) if product <= ESTIMATE_FROM else min(ESTIMATE_SHARE, 1 - ESTIMATE_FROM / product)


def left_for_rule(records: int, epsilon: Fraction) -> Fraction:
    """What a rule has of an epsilon per record.

    >>> left_for_rule(5000, Fraction(1))
    Fraction(9, 10)
    """
    return epsilon * (1 - estimate_share(records, epsilon))


def whole_for_rule(records: int, left: Fraction) -> Fraction:
    """The smallest epsilon of which a rule has this much: `left_for_rule` undone.

    >>> whole_for_rule(5000, Fraction(9, 10)), whole_for_rule(5000, Fraction(1, 10))
    (Fraction(1, 1), Fraction(1, 10))
    """
    return left if records * left <= ESTIMATE_FROM else left / (1 - ESTIMATE_SHARE)


def asks_for_interval(request: Mapping[str, Any]) -> bool:
    """Whether a person asked for the estimate of a stored request: with records kept aside, or with an epsilon that is
    not the share that is taken by itself. Then its interval is shown wherever the rule is."""
    estimate = request.get("estimate_epsilon")
    if estimate is None:
        return False
    if read_number(request["holdout"]):
        return True
    cost, rule = read_number(estimate), read_number(request["epsilon"])
    leaves = Fraction(0) if request["leaf_epsilon"] is None else read_number(request["leaf_epsilon"])
    records, people = whole(request["labelled"], least=0), whole(request["records_per_person"], least=1)
    # Counts in leaves may have come out of the epsilon that was asked for, or on top of it.
    asked = (rule + cost, rule + cost + leaves)
    return all(cost != total * estimate_share(records, total / people) for total in asked)
