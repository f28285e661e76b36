"""Coins that are tossed: those of the operating system, for release, and those of a seed, for trying out."""

from __future__ import annotations

import hashlib
import os

import numpy as np
from numpy.typing import NDArray

from privpac.coins.bits import WORD_BITS, BitCoins
from privpac.errors import ParameterError

__all__ = ["SeededCoins", "SystemCoins", "coins_for"]


class SystemCoins(BitCoins):
    """Entropy of the operating system; every bit is asked for when it is needed.

    Nothing is buffered: a buffer copied into another process would deal the same coins twice.
    """

    origin = "system"

    def bits(self, count: int) -> int:
        size = (count + 7) // 8
        return int.from_bytes(os.urandom(size), "little") >> (8 * size - count)

    def words(self, count: int) -> NDArray[np.uint64]:
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


class SeededCoins(BitCoins):
    """Reproducible coins for tests, tutorials and simulations: BLAKE2b of seed and counter.

    A model made with them is marked as not for release: whoever knows the seed can undo the noise.
    """

    origin = "seeded"

    def __init__(self, seed: int) -> None:
        self._key = hashlib.blake2b(str(int(seed)).encode(), digest_size=32).digest()
        self._counter = 0
        self._pool = 0
        self._pooled = 0

    def bits(self, count: int) -> int:
        if self._pooled < count:
            self._fill(count)
        value = self._pool & ((1 << count) - 1)
        self._pool >>= count
        self._pooled -= count
        return value

    def words(self, count: int) -> NDArray[np.uint64]:
        size = WORD_BITS // 8 * count
        return np.frombuffer(self.bits(8 * size).to_bytes(size, "little"), dtype="<u8")

    def _fill(self, wanted: int) -> None:
        """Blocks for so many bits, joined before they become one integer: adding them one by one takes square time."""
        first = self._counter
        self._counter += -(-(wanted - self._pooled) // (8 * hashlib.blake2b.MAX_DIGEST_SIZE))
        blocks = b"".join(
            hashlib.blake2b(i.to_bytes(8, "little"), key=self._key).digest()
            for i in range(first, self._counter)
        )
        self._pool |= int.from_bytes(blocks, "little") << self._pooled
        self._pooled += 8 * len(blocks)


def coins_for(random_state: int | None, *, owner: str = "learn") -> SystemCoins | SeededCoins:
    """System entropy for release, or reproducible coins for trying out."""
    if random_state is None:
        return SystemCoins()
    if isinstance(random_state, bool) or not isinstance(random_state, (int, np.integer)):
        allowed = "None (for release) or an integer (for trying out)"
        raise ParameterError(owner, "random_state", random_state, allowed=allowed)
    return SeededCoins(int(random_state))
