"""Stages of trees in public numbers, without their kernels: what each spends, and how likely it is to change nothing.

Statement: a stage that grows every leaf of a tree leaves all of them as they are with prior (stop·keep)^leaves.
Proof: docs/proofs/staged-draws.md. Tested by tests/unit/constructions/draw/test_stages.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from privpac.numbers.exact import power_up, ratio_for
from privpac.theory.staged import Stage

__all__ = [
    "KEEP_LABEL",
    "LATER_STOP",
    "SECOND_STAGE_ABOVE",
    "SHARES",
    "THIRD_STAGE_FROM",
    "later_odds",
    "outcomes_of",
    "stage_steps",
    "trees_up_to",
]

SHARES: dict[int, tuple[Fraction, ...]] = {
    1: (Fraction(1),),
    2: (Fraction(3, 10), Fraction(7, 10)),
    3: (Fraction(2, 10), Fraction(4, 10), Fraction(4, 10)),
}
"""How epsilon is shared among the stages: later stages see fewer records per leaf and need more."""

LATER_STOP = Fraction(1, 2)
"""A fair coin at every node of later stages: trees stay a third of the size at the same accuracy."""

KEEP_LABEL = Fraction(3, 4)
"""Prior probability, in later stages, of the label the region already has."""


SECOND_STAGE_ABOVE, THIRD_STAGE_FROM = 5_000, 40_000
"""n·epsilon from where on another look at the leaves pays for its share of epsilon."""


def trees_up_to(depth: int, tests: int, classes: int) -> int:
    """How many trees of at most this many levels there are, with their labels.

    >>> trees_up_to(1, 3, 2)
    14
    """
    trees = classes
    for _ in range(depth):
        trees = tests * trees**2 + classes
    return trees


def later_odds(levels: int) -> Fraction:
    """Prior of some change over that of none, for all leaves of a tree of this many levels together.

    >>> later_odds(0)
    Fraction(5, 3)
    """
    odds: Fraction = (1 / (LATER_STOP * KEEP_LABEL)) ** 2**levels - 1
    return odds


def stage_steps(
    odds: Fraction, levels: Sequence[int], *, epsilon: Fraction, shares: Sequence[Fraction], price: int = 1
) -> list[Stage]:
    """All stages in numbers: a first draw is compared with the best member, a later one with no change at all.

    `levels` are those of the tree before each later stage, `price` is the largest of a mistake.
    """
    ratios = [power_up(ratio_for(epsilon * share / (2 * price)), price) for share in shares]
    return [Stage(*pair) for pair in zip([odds, *map(later_odds, levels)], ratios, strict=True)]


def outcomes_of(first: int, later: Sequence[tuple[int, int]], *, trees: int) -> int:
    """How many rules there can be: as many as sequences of draws, or as `trees` if these are fewer.

    `later` has, for each later stage, the members it has for one leaf and the levels of the tree before it.
    """
    draws = first
    for members, levels in later:
        draws *= members**2**levels
    return min(draws, trees)
