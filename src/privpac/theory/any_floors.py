"""Lower bounds for every answer, a rule of the class or not: below this many records no private learner that releases a
rule keeps its promise.

Two rules that differ at one point are enough for the first, which holds with a delta too; the second lets the records
spell a path through a tree of points at which any rule makes mistakes for most targets. Conventions as in `floors`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from flint import ctx

from privpac.numbers.binomial import rounded_up
from privpac.numbers.exact import PRECISIONS, about_log
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.theory.packing import (
    first_named,
    first_of_two,
    named_target,
    read_delta,
    rounded_down,
    wrong_of_two,
)
from privpac.theory.register import formula

__all__ = [
    "floor_mistake_tree",
    "floor_two_rules",
    "least_failure_two_rules",
    "most_success_mistake_tree",
]

MOST_LEVELS = 1024
"""Levels of a tree that are used: deeper trees have all shallower ones."""

CANDIDATES = 64
"""Numbers of mistakes that are compared: any of them is valid."""


@formula("floor-two-rules")
def least_failure_two_rules(n: int, *, error: Number, epsilon: Number, delta: Number = 0) -> Fraction:
    """A failure that no private learner gets below where two rules agree at one point and differ at another.

    Statement: E[max(0, c·e^(-epsilon·m) - delta·(e^-epsilon + … + e^(-epsilon·m)))], K binomial(n, error), m = K/2
    rounded down, c = 1/2 for even K and (1 - delta)/(1 + e^epsilon) for odd K; rounded down.
    Source: register `floor-two-rules` (our proof). Holds if: a rule is released; labels, or whole records, are private.
    Proof: docs/proofs/floors.md.
    """
    owner = "least_failure_two_rules"
    have, mass = at_least(0, n, owner=owner, name="n"), chance(error, owner=owner, name="error")
    loss, slack = positive(epsilon, owner=owner, name="epsilon"), read_delta(delta, owner=owner)
    return _failure_of_two(have, mass, loss, slack)


@lru_cache(maxsize=4096)  # every row of a plan asks for the same
def _failure_of_two(n: int, mass: Fraction, epsilon: Fraction, delta: Fraction) -> Fraction:
    return rounded_down(lambda: wrong_of_two(n, mass=mass, epsilon=epsilon, delta=delta))


@formula("floor-two-rules")
def floor_two_rules(*, error: Number, failure: Number, epsilon: Number, delta: Number = 0) -> int:
    """Records below which no private learner exists for any class with two rules that agree here and differ there.

    Statement: the first n for which `least_failure_two_rules` does not exceed the failure.
    Source: register `floor-two-rules` (our proof). Holds if: a rule is released; labels, or whole records, are private.
    Proof: docs/proofs/floors.md.

    >>> [floor_two_rules(error=0.1, failure=0.05, epsilon=epsilon, delta="1e-6") for epsilon in (1, "0.1")]
    [56, 471]
    """
    owner = "floor_two_rules"
    mass, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    loss, slack = positive(epsilon, owner=owner, name="epsilon"), read_delta(delta, owner=owner)
    return _records_of_two(mass, miss, loss, slack)


@lru_cache(maxsize=1024)
def _records_of_two(mass: Fraction, failure: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    return first_of_two(mass=mass, failure=failure, epsilon=epsilon, delta=delta)


@formula("floor-mistake-tree")
def most_success_mistake_tree(
    n: int, *, depth: int, mistakes: int, error: Number, epsilon: Number
) -> Fraction:
    """How often a private learner can be accurate for the paths of a tree of `depth` levels, rounded up.

    Statement: E[min(1, w·2^-d·e^(epsilon·K))], K binomial(n, d·error/(k + 1)), d = depth, k = mistakes, w = the sum of
    C(d, j) for j up to k. Source: register `floor-mistake-tree` (our proof). Holds if: as `floor_mistake_tree`, and
    d·error below k + 1. Proof: docs/proofs/floors.md.
    """
    owner = "most_success_mistake_tree"
    levels = at_least(1, depth, owner=owner, name="depth")
    most = at_least(0, mistakes, owner=owner, name="mistakes")
    have, wrong = at_least(0, n, owner=owner, name="n"), chance(error, owner=owner, name="error")
    mass = chance(levels * wrong / (most + 1), owner=owner, name="depth·error/(mistakes + 1)")
    loss = positive(epsilon, owner=owner, name="epsilon")
    with ctx.workprec(PRECISIONS[0]):
        return rounded_up(named_target(have, share=_share(levels, most), mass=mass, epsilon=loss))


@formula("floor-mistake-tree")
def floor_mistake_tree(depth: int, *, error: Number, failure: Number, epsilon: Number) -> int:
    """Records below which no private learner exists for a class with a tree of mistakes of `depth` levels.

    Statement: 1 - failure ≤ E[min(1, w·2^-d·e^(epsilon·K))], as `most_success_mistake_tree`, for the best of some
    numbers of mistakes. Source: register `floor-mistake-tree` (our proof; the order is that of Feldman–Xiao 2014).
    Holds if: pure epsilon; a rule is released, of the class or not; every path of the tree is explained by a member
    of the class, and all of these agree at one further point. Thresholds on T cells: depth log2 T.
    Proof: docs/proofs/floors.md.

    >>> [floor_mistake_tree(bits, error=0.1, failure=0.05, epsilon=1) for bits in (32, 64, 128)]
    [26, 41, 69]
    """
    owner = "floor_mistake_tree"
    levels = min(at_least(1, depth, owner=owner, name="depth"), MOST_LEVELS)
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    loss = positive(epsilon, owner=owner, name="epsilon")
    most = best_mistakes(levels, error=wrong, epsilon=loss)
    if most is None:
        return 0
    mass = levels * wrong / (most + 1)
    return first_named(_share(levels, most), often=1 - miss, mass=mass, epsilon=loss)


def _share(levels: int, mistakes: int) -> Fraction:
    """The share of all paths on which one rule makes at most this many mistakes."""
    return Fraction(sum(math.comb(levels, j) for j in range(min(mistakes, levels) + 1)), 2**levels)


@lru_cache(maxsize=1024)
def best_mistakes(depth: int, *, error: Fraction, epsilon: Fraction) -> int | None:
    """How many mistakes to allow: where most records are excluded, in floats. None where no number is possible."""
    levels = min(depth, MOST_LEVELS)
    least = math.floor(levels * error)  # the first k with levels·error below k + 1
    row = range(least, (levels + 1) // 2 or 1)
    candidates = (
        row
        if len(row) <= CANDIDATES
        else [row[i * (len(row) - 1) // CANDIDATES] for i in range(CANDIDATES + 1)]
    )

    def rough_floor(mistakes: int) -> float:
        """About the mean number of records at which the count of those on the path is rarely too small."""
        count = -about_log(_share(levels, mistakes)) / float(epsilon)
        return (math.sqrt(count) + 0.8) ** 2 * (mistakes + 1)

    return max(candidates, key=rough_floor, default=None)
