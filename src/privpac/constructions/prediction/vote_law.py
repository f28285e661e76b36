"""A private majority: the answer of r models of which one record can change one.

Statement: with v votes for class 1 out of r, answer 1 with probability x^(j-v+1)/(1+x) if v <= j and
1 - x^(v-j)/(1+x) otherwise, j = (r-1)/2, for odd r; and x^(r/2-v)/2 or 1 - x^(v-r/2)/2 for even r.
This is epsilon-DP with e^epsilon = 1/x, exactly, for every r; and no
symmetric rule of that epsilon errs less when all models agree.
Source: Li–Wang–Ye 2025, Lemma 19, and Dagan–Feldman 2020, Lemma 6, where the mechanism is not given; register `vote`.
Holds if: one record changes at most one vote.
Proof: docs/proofs/vote.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.guarantee.facts import Loss, Privacy, Release
from privpac.guarantee.proof import (
    SEAL,
    Proof,
    need,
    need_ratio,
    need_two_classes,
    parameters,
    selection,
)
from privpac.numbers.exact import written
from privpac.theory.register import formula

__all__ = [
    "VoteLaw",
    "exponential_vote",
    "exponential_vote_chances",
    "exponential_vote_wrong",
    "plurality",
    "plurality_chances",
    "plurality_wrong",
    "vote",
    "vote_wrong",
]


# --- privacy of one answer ---


def vote(*, classes: int, ratio: Fraction, models: int) -> Proof[Privacy]:
    """One answer by the vote of `models` models of which one record changes at most one: e^epsilon = 1/ratio.

    Source: Li–Wang–Ye 2025, Lemma 19, Dagan–Feldman 2020, Lemma 6, mechanism and constant ours; register `vote`.
    Refused unless there are two `classes`: `plurality` is for more. Holds if models are trained on blocks that share no
    record and chosen without looking at records (assumed of the caller).
    """
    rule = "vote"
    need_two_classes(rule, classes)
    need_ratio(rule, ratio, 1)
    need(rule, models >= 1, "there must be at least one model")
    fact = Privacy(Loss(factor=1 / ratio), release=Release.ANSWER)
    return Proof(fact, rule, where={"ratio": written(ratio), "models": models}, seal=SEAL)


def plurality(*, ratio: Fraction, models: int, classes: int) -> Proof[Privacy]:
    """One answer by permute-and-flip on the votes of `models` models for `classes` classes: e^epsilon = ratio^-2.

    Source: McKenna–Sheldon 2020, Theorem 1, where a record changes one vote: one count falls by one, another grows by
    one; register `plurality`. Holds if models are trained on blocks that share no record and chosen without looking
    at records (assumed of the caller).
    """
    return _choice("plurality", ratio, models, classes)


def exponential_vote(*, ratio: Fraction, models: int, classes: int) -> Proof[Privacy]:
    """One answer by exponential weights on the votes of `models` models for `classes` classes: e^epsilon = ratio^-2.

    It has a range of epsilon (`draw_range`), which is why it is worth its larger error where rho is added. Source:
    McSherry–Talwar 2007; register `exponential-vote`. Holds if models are trained on blocks that share no record and
    chosen without looking at records (assumed of the caller).
    """
    return _choice("exponential-vote", ratio, models, classes)


def _choice(rule: str, ratio: Fraction, models: int, classes: int) -> Proof[Privacy]:
    """One of this many classes, chosen by votes of which a record moves two counts by one each."""
    need_ratio(rule, ratio, 1)
    need(rule, models >= 1, "there must be at least one model")
    need(rule, classes >= 2, "there must be at least two classes")
    fact = Privacy(selection(rule, ratio, 1), release=Release.ANSWER)
    return Proof(fact, rule, where=parameters(ratio=ratio, models=models, classes=classes), seal=SEAL)


# --- between two classes ---


@formula("vote")
def vote_wrong(wrong: int, *, models: int, ratio: Fraction) -> Fraction:
    """The probability of the wrong answer when this many of the models are wrong.

    Statement: with x = ratio = e^-epsilon and j = (models-1)/2: x^(j-W+1)/(1+x) up to W = j wrong ones, and
    1 - x^(W-j)/(1+x) beyond; for an even number x^(models/2-W)/2 and 1 - x^(W-models/2)/2. Source: register `vote`.
    Holds if: one record changes one model. Proof: docs/proofs/vote.md.

    >>> vote_wrong(0, models=3, ratio=Fraction(1, 2)), vote_wrong(2, models=3, ratio=Fraction(1, 2))
    (Fraction(1, 6), Fraction(2, 3))
    """
    half, odd = divmod(models, 2)
    if odd:
        few = wrong <= half
        rest = ratio ** (half - wrong + 1 if few else wrong - half) / (1 + ratio)
    else:
        few = wrong <= half
        rest = ratio ** abs(half - wrong) / 2
    return rest if few else 1 - rest


@dataclass(frozen=True)
class VoteLaw:
    """The law of an answer given the number of votes for class 1."""

    models: int
    ratio: Fraction

    @cached_property
    def chances(self) -> tuple[Fraction, ...]:
        """The probability of answering 1 with 0, 1, …, r votes for it."""
        return tuple(
            vote_wrong(votes, models=self.models, ratio=self.ratio) for votes in range(self.models + 1)
        )

    def draw(self, votes: NDArray[np.int64], coins: Coins) -> NDArray[np.uint8]:
        """One answer for every count of votes, each with coins of its own."""
        present, which = np.unique(
            votes, return_inverse=True
        )  # all r + 1 chances would take longer than the draw
        chances = [vote_wrong(int(count), models=self.models, ratio=self.ratio) for count in present]
        return coins.flips(chances, which.reshape(-1)).astype(np.uint8)


# --- by exponential weights ---


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


# --- between more classes, by permute-and-flip ---


@formula("plurality")
def plurality_chances(votes: Sequence[int], *, ratio: Fraction) -> tuple[Fraction, ...]:
    """The probability of every class as the answer, given the votes for each.

    Statement: with q = ratio^(most votes - votes of a class), class h is answered with probability q_h times the
    integral over t from 0 to 1 of the product of 1 - t·q_g over all other classes g. Source: register `plurality`.
    Holds if: nothing more. Proof: docs/proofs/plurality.md.

    >>> plurality_chances((2, 0, 0), ratio=Fraction(1, 2))
    (Fraction(37, 48), Fraction(11, 96), Fraction(11, 96))
    """
    weights = [ratio ** (max(votes) - count) for count in votes]
    return tuple(_chance(h, weights) for h in range(len(weights)))


def _chance(h: int, weights: Sequence[Fraction]) -> Fraction:
    """Coefficients of the product, lowest power first; t^k has the integral 1/(k + 1)."""
    product = [weights[h]]
    for g, chance in enumerate(weights):
        if g != h:
            product = [
                a - chance * b for a, b in zip([*product, Fraction(0)], [Fraction(0), *product], strict=True)
            ]
    return sum((c / (k + 1) for k, c in enumerate(product)), Fraction(0))


@formula("plurality")
def plurality_wrong(votes: Sequence[int], *, ratio: Fraction) -> Fraction:
    """An upper bound on the probability of another answer than the class with most votes.

    Statement: half the sum of ratio^(votes that a class is behind) over all classes but the first. Source: register
    `plurality`. Holds if: nothing more. Proof: docs/proofs/plurality.md.

    >>> plurality_wrong((5, 1, 1), ratio=Fraction(1, 2))
    Fraction(1, 16)
    """
    most = max(votes)
    others = sorted(votes, reverse=True)[1:]
    return sum((ratio ** (most - count) for count in others), Fraction(0)) / 2
