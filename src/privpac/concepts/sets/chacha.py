"""The ChaCha20 block function (RFC 8439): a public pseudorandom generator, compiled, to try millions of seeds.

Nothing private is drawn with it: coins come from `privpac.coins`. Here it only says which values a public class holds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled

__all__ = ["block", "expand", "hits"]

WORDS_A_BLOCK = 16


LANES = 256
"""Seeds that are mixed side by side: word by word, so that the processor takes several at once."""


@compiled
def _turn(states: NDArray[np.uint32], a: int, b: int, c: int, d: int) -> None:
    """A quarter round of every lane."""
    for lane in range(states.shape[1]):
        states[a, lane] += states[b, lane]
        x = states[d, lane] ^ states[a, lane]
        states[d, lane] = (x << np.uint32(16)) | (x >> np.uint32(16))
        states[c, lane] += states[d, lane]
        x = states[b, lane] ^ states[c, lane]
        states[b, lane] = (x << np.uint32(12)) | (x >> np.uint32(20))
        states[a, lane] += states[b, lane]
        x = states[d, lane] ^ states[a, lane]
        states[d, lane] = (x << np.uint32(8)) | (x >> np.uint32(24))
        states[c, lane] += states[d, lane]
        x = states[b, lane] ^ states[c, lane]
        states[b, lane] = (x << np.uint32(7)) | (x >> np.uint32(25))


@compiled
def _mix(states: NDArray[np.uint32]) -> None:
    """Twenty rounds; the start is still to be added."""
    for _ in range(10):
        _turn(states, 0, 4, 8, 12)
        _turn(states, 1, 5, 9, 13)
        _turn(states, 2, 6, 10, 14)
        _turn(states, 3, 7, 11, 15)
        _turn(states, 0, 5, 10, 15)
        _turn(states, 1, 6, 11, 12)
        _turn(states, 2, 7, 8, 13)
        _turn(states, 3, 4, 9, 14)


def _start(key: NDArray[np.uint32], counter: int, nonce: tuple[int, int, int]) -> NDArray[np.uint32]:
    constants = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)
    return np.array([*constants, *key.tolist(), counter, *nonce], dtype=np.uint32)


def block(
    key: NDArray[np.uint32], *, counter: int, nonce: tuple[int, int, int] = (0, 0, 0)
) -> NDArray[np.uint32]:
    """Sixteen words of keystream under a key of eight words."""
    start = _start(key, counter, nonce)
    states = start.reshape(WORDS_A_BLOCK, 1).copy()
    _mix(states)
    return states[:, 0] + start


def _key(seed: int, salt: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """A seed of 64 bits and a salt of six words make a key."""
    return np.array([seed & 0xFFFFFFFF, seed >> 32, *salt.tolist()], dtype=np.uint32)


def expand(seed: int, *, salt: NDArray[np.uint32], bits: int) -> int:
    """The first `bits` bits of the keystream of a seed, the first word lowest."""
    blocks = -(-bits // (32 * WORDS_A_BLOCK))
    words = [word for i in range(blocks) for word in block(_key(seed, salt), counter=i).tolist()]
    whole: int = sum(word << (32 * i) for i, word in enumerate(words))
    return whole & ((1 << bits) - 1)


def hits(values: NDArray[np.uint64], *, seeds: int, salt: NDArray[np.uint32], bits: int) -> NDArray[np.int64]:
    """Seeds 0..seeds-1 whose first min(bits, 64) bits are in the sorted list `values`, ascending."""
    mask = np.uint64((1 << min(bits, 64)) - 1)
    seeds_that_hit: NDArray[np.int64] = _hits(_start(_key(0, salt), 0, (0, 0, 0)), values, mask, seeds)
    return seeds_that_hit


@compiled
def _hits(
    start: NDArray[np.uint32], values: NDArray[np.uint64], mask: np.uint64, seeds: int
) -> NDArray[np.int64]:
    states = np.empty((WORDS_A_BLOCK, LANES), np.uint32)
    hits, count = np.empty(64, np.int64), 0
    for first in range(0, seeds, LANES):
        for word in range(WORDS_A_BLOCK):
            states[word, :] = start[word]
        for lane in range(LANES):
            states[4, lane] = np.uint32((first + lane) & 0xFFFFFFFF)
            states[5, lane] = np.uint32((first + lane) >> 32)
        _mix(states)
        for lane in range(min(LANES, seeds - first)):
            low, high = np.uint32(states[0, lane] + start[0]), np.uint32(states[1, lane] + start[1])
            value = (np.uint64(low) | (np.uint64(high) << np.uint64(32))) & mask
            place = np.searchsorted(values, value)
            if place < len(values) and values[place] == value:
                if count == len(hits):
                    more = np.empty(2 * count, np.int64)
                    more[:count] = hits
                    hits = more
                hits[count] = first + lane
                count += 1
    return hits[:count]
