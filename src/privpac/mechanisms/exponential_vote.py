"""A vote by exponential weights: the answer of r models, each class with weight ratio^(-votes for it).

Statement: if one record changes at most one vote, so that one count falls by one and another grows by one, the
quotients of the chances of all answers lie within a range of epsilon = 2·ln(1/ratio), for any number of classes. That
costs epsilon²/8 of rho, a quarter of what an answer of the same epsilon by any other law costs.
Source: McSherry–Talwar 2007 on the votes of Li–Wang–Ye 2025, Lemma 19; register `exponential-vote`.
Holds if: one record changes at most one vote.
Proof: docs/proofs/exponential-vote.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.mechanisms import gibbs

__all__ = ["ExponentialVoteLaw"]


@dataclass(frozen=True)
class ExponentialVoteLaw:
    """The law of an answer given the votes for every class."""

    ratio: Fraction

    def draw(self, votes: NDArray[np.int64], coins: Coins) -> NDArray[np.uint8]:
        """One answer for every row of votes, each with coins of its own."""
        if votes.shape[1] == 2:
            return self._between_two(votes[:, 0] - votes[:, 1], coins)
        behind = votes.max(axis=1, keepdims=True) - votes
        answers = [gibbs.draw_index(row, self.ratio, coins) for row in behind.tolist()]
        return np.array(answers, dtype=np.uint8)

    def _between_two(self, lead: NDArray[np.int64], coins: Coins) -> NDArray[np.uint8]:
        """Class 1 with probability 1/(1 + ratio^-lead), where class 0 leads by this many votes."""
        present, which = np.unique(lead, return_inverse=True)
        chances = [1 / (1 + self.ratio ** -int(gap)) for gap in present]
        return coins.flips(chances, which.reshape(-1)).astype(np.uint8)
