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

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.constructions.prediction.formulas import vote_wrong

__all__ = ["VoteLaw"]


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
