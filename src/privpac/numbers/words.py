"""Integers of up to 128 bits as two arrays of 64-bit words: sorted, subtracted and added up without Python integers."""

from __future__ import annotations

from itertools import repeat
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Words", "ascending", "differences", "split", "sums_by_slot"]

Words = tuple[NDArray[np.uint64], NDArray[np.uint64]]
"""The high words and the low words."""

BYTES = 16
ORDER: Literal["little"] = "little"
_HALF = np.uint64(32)
_LOW_HALF = np.uint64(2**32 - 1)


def split(values: NDArray[Any]) -> Words:
    """Non-negative Python integers as words; one of more than 128 bits raises OverflowError.

    >>> high, low = split(np.array([3, 2**64 + 5], dtype=object))
    >>> high.tolist(), low.tolist()
    ([0, 1], [3, 5])
    """
    items = values.tolist()
    try:
        octets = b"".join(map(int.to_bytes, items, repeat(BYTES), repeat(ORDER)))
    except TypeError:  # integers of numpy among them
        octets = b"".join(int(item).to_bytes(BYTES, ORDER) for item in items)
    pairs = np.frombuffer(octets, dtype="<u8").reshape(-1, 2).astype(np.uint64, copy=False)
    return np.ascontiguousarray(pairs[:, 1]), np.ascontiguousarray(pairs[:, 0])


def ascending(words: Words) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The order that sorts them, and in this order, whether each differs from the one before."""
    high, low = words
    order = np.lexsort((low, high))
    high, low = high[order], low[order]
    fresh = np.ones(len(order), dtype=np.bool_)
    fresh[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
    return order, fresh


def differences(words: Words) -> Words:
    """Each number of an ascending sequence less the one before; the first has none."""
    high, low = words
    borrow = low[1:] < low[:-1]
    return high[1:] - high[:-1] - borrow, low[1:] - low[:-1]


def sums_by_slot(words: Words, slots: NDArray[np.int64], count: int) -> NDArray[Any]:
    """The sums of the numbers in each of so many slots as Python integers; fewer than 2^31 numbers, sums below 2^128.

    Half words are added up, so that no sum leaves 64 bits, and carried over at the end.
    """
    halves = [half for word in reversed(words) for half in (word & _LOW_HALF, word >> _HALF)]
    sums = np.zeros((4, count), np.uint64)
    for row, half in zip(sums, halves, strict=True):
        np.add.at(row, slots, half)
    for i in range(3):
        sums[i + 1] += sums[i] >> _HALF
        sums[i] &= _LOW_HALF
    low, high = sums[0] | sums[1] << _HALF, sums[2] | sums[3] << _HALF
    whole: NDArray[Any] = low.astype(object) + (high.astype(object) << 64)
    return whole
