"""Bounds in floats for whole grids of settings at once: searches propose with them, and whoever asks certifies."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Floats",
    "binomial_window",
    "rough_growth_of",
    "rough_ln_growth",
    "rough_mean",
]

Floats = NDArray[np.float64]

_ENOUGH = 1e-15
"""Terms of a sum that are smaller than this change no digit."""


def _stirling(x: Floats) -> Floats:
    """What is left of ln x! beyond x·ln x - x + ln(2πx)/2."""
    square = 1 / (x * x)  # powers by multiplication: `**` takes ten times as long
    return (1 / 12 - square * (1 / 360 - square / 1260)) / x


def _terms(rest: float, vc: int) -> int:
    """How many of the smaller binomials count beside the largest, with `rest` points more than the dimension."""
    term = total = 1.0
    for i in range(vc):
        term *= (vc - i) / (rest + 1 + i)
        total += term
        if term <= _ENOUGH * total:
            return i + 1
    return vc


def rough_ln_growth(points: object, vc: int) -> Floats:
    """`vc.ln_growth` for many numbers of points at once, to about ten digits (three, next to the dimension).

    ln C(n, d) is written as differences of Stirling's formula, whose terms are of the size of the answer; the smaller
    binomials are a series of products of ratios beside it.
    """
    n = np.asarray(points, dtype=np.float64)
    if vc == 1:
        return np.log1p(np.maximum(n, 0.0))
    rest = np.maximum(n - vc, 1.0)
    whole = rest + vc
    top = (rest + 0.5) * np.log1p(vc / rest) + vc * np.log(whole) - vc + _stirling(whole) - _stirling(rest)
    top -= math.lgamma(vc + 1)
    term: Floats | float = 1.0
    total: Floats | float = 1.0
    for i in range(_terms(float(rest.min()), vc)):
        term = term * ((vc - i) / (rest + (1 + i)))
        total = total + term
    growth: Floats = np.minimum(top + np.log(total), n * math.log(2))
    return np.where(n <= vc, n * math.log(2), growth)


@lru_cache(maxsize=4096)
def rough_growth_of(points: int, vc: int) -> float:
    """`rough_ln_growth` of one number, which a search asks for again at every setting."""
    return float(rough_ln_growth(points, vc))


def binomial_window(n: int, chances: Floats) -> tuple[Floats, Floats]:
    """Counts around the means of some binomials, and a row of their probabilities each."""
    spread = math.sqrt(n * float(chances.max()) * (1 - float(chances.min())))
    low = max(0, int(n * float(chances.min()) - 10 * spread) - 10)
    high = min(n, int(n * float(chances.max()) + 10 * spread) + 10)
    k = np.arange(low, high + 1, dtype=np.float64)
    steps = np.concatenate(([0.0], np.cumsum(np.log((n - k[:-1]) / (k[:-1] + 1.0)))))
    first = math.lgamma(n + 1) - math.lgamma(low + 1) - math.lgamma(n - low + 1)
    p = chances[:, None]
    return k, np.exp(first + steps + k * np.log(p) + (n - k) * np.log1p(-p))


def rough_mean(outcome: Callable[[Floats], Floats], *, n: int, chance: float) -> float:
    """`binomial.mean_over_binomial`, for an outcome of the count itself."""
    counts, chances = binomial_window(n, np.array([chance]))
    return float(chances[0] @ outcome(counts))
