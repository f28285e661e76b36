"""A vote by exponential weights, in fractions: its law, its errors, and what records prove for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from privpac.numbers.parameters import Number, at_least, chance
from privpac.theory.register import formula
from privpac.theory.vc import net_error

__all__ = [
    "error_exponential_vote",
    "exponential_vote_chances",
    "exponential_vote_error",
    "exponential_vote_wrong",
]

ONE = Fraction(1)

_FAR = 700.0
"""The exponential of more is no float any more, and one over it is nothing."""


@formula("exponential-vote")
def exponential_vote_chances(votes: Sequence[int], *, ratio: Fraction) -> tuple[Fraction, ...]:
    """The probability of every class as the answer, given the votes for each.

    Statement: proportional to ratio^(-votes). Source: register `exponential-vote`. Holds if: nothing more.
    Proof: docs/proofs/exponential-vote.md.

    >>> exponential_vote_chances((2, 0, 0), ratio=Fraction(1, 2))
    (Fraction(2, 3), Fraction(1, 6), Fraction(1, 6))
    """
    weights = [ratio ** (max(votes) - count) for count in votes]
    total = sum(weights, Fraction(0))
    return tuple(weight / total for weight in weights)


@formula("exponential-vote")
def exponential_vote_wrong(wrong: int, *, models: int, ratio: Fraction) -> Fraction:
    """The probability of the wrong one of two answers when this many of the models are wrong.

    Statement: 1/(1 + ratio^(2·wrong - models)); unanimous models are contradicted with probability
    1/(1 + ratio^-models). Source: register `exponential-vote`. Holds if: there are two classes.
    Proof: docs/proofs/exponential-vote.md.

    >>> exponential_vote_wrong(0, models=3, ratio=Fraction(1, 2))
    Fraction(1, 9)
    """
    return 1 / (1 + ratio ** (2 * wrong - models))


@lru_cache(maxsize=4096)
def _envelope(models: int, ratio: Fraction) -> tuple[Fraction, Fraction]:
    """The error if no model errs, and its growth per average error of the models.

    The chance of a wrong answer is convex in the wrong models up to half of them and concave beyond, so the slope of
    the chord from 0 rises and then falls: the best of its neighbours is the best of all.
    """
    base = exponential_vote_wrong(0, models=models, ratio=ratio)

    def slope(wrong: int) -> Fraction:
        return (exponential_vote_wrong(wrong, models=models, ratio=ratio) - base) / wrong

    best = _steepest(models, float(ratio))
    near = range(max(1, best - 2), min(models, best + 2) + 1)
    return base, models * max(map(slope, near))


def _steepest(models: int, x: float) -> int:
    """About where the chord from 0 is steepest, in floats."""

    def wrong(count: int) -> float:
        return 1 / (1 + math.exp(min(_FAR, (2 * count - models) * math.log(x))))

    return max(range(1, models + 1), key=lambda count: (wrong(count) - wrong(0)) / count)


@formula("exponential-vote-accuracy")
def exponential_vote_error(error: Number, *, models: int, ratio: Fraction) -> Fraction:
    """The error of the vote if its models err by `error` on average, however they depend on each other.

    Statement: wrong(0) + models·max over W of (wrong(W) - wrong(0))/W · error, with `exponential_vote_wrong`.
    Source: register `exponential-vote-accuracy`. Holds if: there are two classes.
    Proof: docs/proofs/exponential-vote.md.

    >>> exponential_vote_error(Fraction(1, 10), models=3, ratio=Fraction(1, 2))
    Fraction(7, 36)
    """
    base, slope = _envelope(models, ratio)
    return min(ONE, base + slope * chance(error, owner="exponential_vote_error", name="error"))


@formula("exponential-vote-accuracy")
def error_exponential_vote(n: int, *, models: int, ratio: Fraction, failure: Number, vc: int) -> Fraction:
    """What `n` records prove for a vote of this many consistent concepts, if some concept makes no error.

    Statement: `exponential_vote_error` at the error of an epsilon-net from n // models records, for all models except
    with probability `failure`; 1 if nothing is proved. Source: register `exponential-vote-accuracy`, `epsilon-net`.
    Holds if: records are independent and a concept errs nowhere. Proof: docs/proofs/exponential-vote.md.
    """
    owner = "error_exponential_vote"
    block = at_least(1, n, owner=owner, name="n") // models
    if block < 1:
        return ONE
    average = net_error(block, failure=chance(failure, owner=owner, name="failure") / models, vc=vc)
    return ONE if average >= 1 else exponential_vote_error(average, models=models, ratio=ratio)
