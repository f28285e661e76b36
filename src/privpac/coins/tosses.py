"""Coins that are tossed: those of the operating system, for release, and those of a seed, for trying out.

Choices from a stream of fair bits: floats decide what they certainly can, balls the rest, and no bit is redrawn.
"""

from __future__ import annotations

import hashlib
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from flint import arb, ctx, fmpz
from numpy.typing import NDArray

from privpac.coins.base import Coins, EnclosureError, Weights
from privpac.errors import ParameterError
from privpac.numbers.exact import UNIT_ROUNDOFF

__all__ = ["WORD_BITS", "BitCoins", "SeededCoins", "SystemCoins", "coins_for"]


T = TypeVar("T", bound=Hashable)

WORD_BITS = 64
"""Digits a draw starts with."""
_MOST_BITS = 2**16
"""A draw that is still in doubt after so many digits has balls that do not tighten; chance alone: 2^-65000."""
_DOUBT = -1
"""Instead of an index: floats do not decide this draw."""
_ROUNDINGS = 16
"""Roundings in the search besides one per summand: quotients and conversions, counted generously."""


class BitCoins(ABC):
    """Everything from a stream of fair bits."""

    origin: str

    @abstractmethod
    def bits(self, count: int) -> int:
        """A uniform integer of `count` bits."""

    def words(self, count: int) -> NDArray[np.uint64]:
        """`count` uniform integers of 64 bits."""
        return np.array([self.bits(WORD_BITS) for _ in range(count)], dtype=np.uint64)

    def below(self, n: int) -> int:
        if n < 1:
            raise ValueError("below(n) needs n >= 1")
        count = (n - 1).bit_length()
        while True:  # each round succeeds with probability above one half
            value = self.bits(count)
            if value < n:
                return value

    def flip(self, p: Fraction) -> bool:
        """Compare a uniform real with p, 64 binary digits at a time: no digit beyond the first difference."""
        rest, whole = p.numerator, p.denominator  # whole numbers: fractions would take three times as long
        if not 0 <= rest <= whole:
            raise ValueError("flip(p) needs 0 <= p <= 1")
        while True:
            digits, rest = divmod(rest << WORD_BITS, whole)
            word = self.bits(WORD_BITS)
            if word != digits:
                return word < digits
            if rest == 0:
                return False

    def flips(self, chances: Sequence[Fraction], picks: Sequence[int] | NDArray[Any]) -> NDArray[np.bool_]:
        """As `flip`, with the first 64 digits of all of them compared at once."""
        if not all(0 <= p <= 1 for p in chances):
            raise ValueError("flips(chances) needs numbers from 0 to 1")
        which = np.asarray(picks, dtype=np.int64)
        products = [p * (1 << WORD_BITS) for p in chances]
        # A chance of 1 has no 64 digits after the point; all ones and a rest of 1 mean the same.
        digits = [min(math.floor(p), (1 << WORD_BITS) - 1) for p in products]
        stream = self.bits(WORD_BITS * len(which)).to_bytes(WORD_BITS // 8 * len(which), "little")
        words = np.frombuffer(stream, dtype="<u8")
        edges = np.array(digits, dtype=np.uint64)[which]
        heads = words < edges
        for i in np.flatnonzero(words == edges).tolist():
            heads[i] = self.flip(products[which[i]] - digits[which[i]])
        return heads

    def subset(self, n: int, k: int) -> tuple[int, ...]:
        """Fisher–Yates on a sparse array: k draws, memory for k entries."""
        if not 0 <= k <= n:
            raise ValueError("subset(n, k) needs 0 <= k <= n")
        swaps: dict[int, int] = {}
        picks = []
        for i in range(k):
            j = i + self.below(n - i)
            picks.append(swaps.get(j, j))
            swaps[j] = swaps.get(i, i)
        return tuple(picks)

    def each(self, runs: Sequence[Callable[[Coins], T]]) -> list[T]:
        return [run(self) for run in runs]

    def choose(self, weights: Weights) -> int:
        values, error = weights.floats()
        word = self.bits(WORD_BITS)
        index = _locate(values, error, word)
        return index if index is not None else self._refine(weights, word)

    def choose_many(self, weights: Weights, count: int) -> NDArray[np.int64]:
        values, error = weights.floats()
        words = self.words(count)
        indices = _locate_many(values, error, words)
        for place in np.flatnonzero(indices == _DOUBT).tolist():
            indices[place] = self._refine(weights, int(words[place]))
        return indices

    def _refine(self, weights: Weights, word: int) -> int:
        """Decide a doubtful draw by balls, extending the same random number; it is never drawn again.

        Starting afresh would favour outcomes far from the doubtful edges.
        """
        bits = WORD_BITS
        while bits < _MOST_BITS:
            word = (word << bits) | self.bits(bits)
            bits *= 2
            index = _locate_in_balls(weights.balls(bits + 64), word, bits)
            if index is not None:
                return index
        raise EnclosureError("the balls of some weights do not tighten")


def _locate(values: NDArray[np.float64], error: float, word: int) -> int | None:
    """As `_locate_many`, for one number; None if that is in doubt."""
    index = int(_locate_many(values, error, np.array([word], dtype=np.uint64))[0])
    return None if index == _DOUBT else index


def _locate_many(values: NDArray[np.float64], error: float, words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The indices whose parts of [0, 1) certainly contain the drawn numbers, `_DOUBT` where that is in doubt.

    A number is known to 64 bits: it lies in [drawn, drawn + 1) / 2^64. With E the relative error of the cumulative
    sums (the weights' own, plus one rounding per summand), a true cumulative probability differs from the computed
    quotient by at most 3E for E <= 1/4; the fourth E, at least 16 roundings, covers those of the comparison itself.
    """
    sums = np.cumsum(values)
    total = float(sums[-1])
    bound = error + (len(values) + _ROUNDINGS) * UNIT_ROUNDOFF * 1.01
    if not (bound <= 0.25 and math.isfinite(total) and total > 0):
        return np.full(len(words), _DOUBT, dtype=np.int64)
    doubt = 4.0 * bound * total
    points = (
        words.astype(np.float64) * 2.0**-WORD_BITS * total
    )  # two roundings: of the integer, of the product
    index = np.searchsorted(sums, points, side="right")
    inside = np.minimum(index, len(sums) - 1)
    sure = index < len(sums)
    sure &= (index == 0) | (points - doubt > sums[np.maximum(inside - 1, 0)])
    # The last one too: a dropped tail may follow.
    sure &= points + doubt + 2.0**-WORD_BITS * total < sums[inside]
    return np.where(sure, index, _DOUBT)


def _locate_in_balls(weights: Sequence[arb], word: int, bits: int) -> int | None:
    with ctx.workprec(bits + 64):
        sums: list[arb] = []
        running = arb(0)
        for weight in weights:
            running += weight
            sums.append(running)
        scale = arb(fmpz(1) << bits)
        low = arb(fmpz(word)) * running
        high = arb(fmpz(word + 1)) * running
        first, last = 0, len(sums) - 1
        while first < last:  # the first index whose scaled sum is not certainly at or below `low`
            middle = (first + last) // 2
            if sums[middle] * scale <= low:
                first = middle + 1
            else:
                last = middle
        certain = first == len(sums) - 1 or high <= sums[first] * scale
        return first if certain else None


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

    def _fill(self, words: int) -> None:
        """Blocks for so many bits, joined before they become one integer: adding them one by one takes square time."""
        first = self._counter
        self._counter += -(-(words - self._pooled) // (8 * hashlib.blake2b.MAX_DIGEST_SIZE))
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
        requirement = "None (for release) or an integer (for trying out)"
        raise ParameterError(owner, "random_state", random_state, allowed=requirement)
    return SeededCoins(int(random_state))
