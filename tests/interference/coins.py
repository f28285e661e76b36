"""Coins under which tables that differ in one record often draw the same."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privpac.coins import SeededCoins, Weights, coins_for, tosses

__all__ = ["SteadyCoins", "released", "steady"]


class SteadyCoins(SeededCoins):
    """Every kind of question has a stream of its own.

    Seeded coins are one stream: a learner that flips one coin more for one of two tables gets other numbers from there
    on. Here the key it draws afterwards stays the same.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._seed = int(seed)
        self._streams: dict[str, SeededCoins] = {}

    def _stream(self, question: str) -> SeededCoins:
        if question not in self._streams:
            self._streams[question] = SeededCoins(self._seed << 32 | zlib.crc32(question.encode()))
        return self._streams[question]

    def below(self, n: int) -> int:
        return self._stream(f"below {n.bit_length()}").below(n)

    def flip(self, p: Fraction) -> bool:
        return self._stream("flip").flip(p)

    def flips(self, chances: Sequence[Fraction], picks: Sequence[int] | NDArray[Any]) -> NDArray[np.bool_]:
        return self._stream("flips").flips(chances, picks)

    def choose(self, weights: Weights) -> int:
        return self._stream("choose").choose(weights)

    def choose_many(self, weights: Weights, count: int) -> NDArray[np.int64]:
        return self._stream("choose many").choose_many(weights, count)


class ReleasedCoins(SteadyCoins):
    """Steady ones that pass for the system's: of a file made with a seed there is no statement and no signature."""

    origin = "system"


def released(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Without a `random_state`, coins are steady ones of this seed."""
    monkeypatch.setattr(tosses, "SystemCoins", lambda: ReleasedCoins(seed))
    assert isinstance(coins_for(None), ReleasedCoins), "nobody looks there any more"


@pytest.fixture
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """`random_state` means steady coins."""
    monkeypatch.setattr(tosses, "SeededCoins", SteadyCoins)
    assert isinstance(coins_for(1), SteadyCoins), "nobody looks there any more"
