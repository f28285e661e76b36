"""Primes of any length."""

from __future__ import annotations

from functools import lru_cache

from flint import fmpz

__all__ = ["prime_from"]


@lru_cache(maxsize=256)
def prime_from(least: int) -> int:
    """The smallest prime at or above a number, proved prime.

    >>> prime_from(2**64) - 2**64
    13
    """
    candidate = max(2, least)
    while not fmpz(candidate).is_prime():
        candidate += 1
    return candidate
