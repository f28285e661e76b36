"""A private plurality: the answer of r models that know more than two classes, by permute-and-flip on their votes.

Statement: look at the classes in random order and answer with each with probability ratio^(most votes - its votes). If
one record changes at most one vote, so that one count falls by one and another grows by one, this is epsilon-DP with
e^epsilon = ratio^-2; a class that is g votes behind the first is answered with probability at most ratio^g/2.
Source: McKenna–Sheldon 2020, Theorem 1, on the votes of Li–Wang–Ye 2025, Lemma 19; register `plurality`.
Holds if: one record changes at most one vote.
Proof: docs/proofs/plurality.md.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.coins import Coins

__all__ = ["PluralityLaw"]


@dataclass(frozen=True)
class _Uniform:
    """Equal weights for this many outcomes."""

    outcomes: int

    @property
    def key(self) -> Hashable:
        return ("uniform", self.outcomes)

    def floats(self) -> tuple[NDArray[np.float64], float]:
        return np.ones(self.outcomes), 0.0

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits):
            return [arb(1)] * self.outcomes

    def exact(self) -> Sequence[Fraction]:
        return [Fraction(1)] * self.outcomes


@dataclass(frozen=True)
class PluralityLaw:
    """The law of an answer given the votes for every class."""

    ratio: Fraction

    def draw(self, votes: NDArray[np.int64], coins: Coins) -> NDArray[np.uint8]:
        """One answer for every row of votes, each with coins of its own."""
        rows, classes = votes.shape
        behind = votes.max(axis=1, keepdims=True) - votes
        answers = np.empty(rows, dtype=np.uint8)
        left = np.tile(
            np.arange(classes), (rows, 1)
        )  # classes not yet looked at, row by row, in the first places
        open_rows = np.arange(rows)
        for many in range(classes, 0, -1):
            if not len(open_rows):
                break
            place = coins.choose_many(_Uniform(many), len(open_rows))
            looked_at = left[open_rows, place]
            accepts = self._flips(behind[open_rows, looked_at], coins)
            answers[open_rows[accepts]] = looked_at[accepts]
            left[open_rows, place] = left[open_rows, many - 1]
            open_rows = open_rows[~accepts]
        return answers

    def _flips(self, gaps: NDArray[np.int64], coins: Coins) -> NDArray[np.bool_]:
        present, which = np.unique(gaps, return_inverse=True)
        return coins.flips([self.ratio ** int(gap) for gap in present], which.reshape(-1))
