"""What coins can do, and what they choose between."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from flint import arb
from numpy.typing import NDArray

__all__ = ["Coins", "EnclosureError", "Repeatable", "Weights"]

T = TypeVar("T", bound=Hashable)


class EnclosureError(AssertionError):
    """A reading of some weights does not enclose them, or not tightly enough: a fault in a kernel."""


class Weights(Protocol):
    """One recipe for a list of positive weights, in three readings that agree up to one common factor."""

    @property
    def key(self) -> Hashable:
        """Equal keys mean equal weights."""

    def floats(self) -> tuple[NDArray[np.float64], float]:
        """Values v and a bound e with sum |v_i - s·w_i| <= e · sum v_i for some s > 0.

        Weights too small for the table may be given as 0, or left out at the end; their mass is part of e.
        """

    def balls(self, bits: int) -> Sequence[arb]:
        """Enclosures of all weights, ever tighter as `bits` grows.

        The list may be cut short: then its last ball encloses the sum of all weights from there on, and that sum is
        below 2^-bits of the total, so that a draw is never decided in favour of it.
        """

    def exact(self) -> Sequence[Fraction]:
        """The weights themselves; for enumeration on small inputs."""


class Coins(Protocol):
    """What a learner may ask of chance."""

    @property
    def origin(self) -> str:
        """'system', 'seeded' or 'enumerated': goes into the certificate."""

    def choose(self, weights: Weights) -> int:
        """Index i with probability exactly proportional to weight i."""

    def choose_many(self, weights: Weights, count: int) -> NDArray[np.int64]:
        """`count` independent choices from the same weights."""

    def below(self, n: int) -> int:
        """A uniform integer from 0 to n - 1, for n of any size."""

    def flip(self, p: Fraction) -> bool:
        """True with probability exactly p."""

    def flips(self, chances: Sequence[Fraction], picks: Sequence[int] | NDArray[Any]) -> NDArray[np.bool_]:
        """Independent flips, many at once: the i-th is True with probability exactly chances[picks[i]]."""

    def subset(self, n: int, k: int) -> tuple[int, ...]:
        """k different integers below n, every ordered choice equally likely.

        The order is random too: keeping the index order would break subsampling for learners that look at it.
        """

    def each(self, runs: Sequence[Callable[[Coins], T]]) -> list[T]:
        """The results of several independent runs, in order; one that raises is the last.

        Nothing but a list to a tossing coin; an enumeration computes each run's law once instead of every branch of
        every combination.
        """


class Repeatable(ABC, Generic[T]):
    """A run for `Coins.each` that is a value (a frozen dataclass): equal ones have equal laws, and an enumeration works
    out one of them."""

    @abstractmethod
    def __call__(self, coins: Coins) -> T:
        """The run."""
