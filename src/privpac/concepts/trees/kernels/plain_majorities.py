"""The prices of all majorities by numpy alone, for small tables: what the kernels of `majority` compute."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.literals.cooccurrence import offsets

__all__ = ["majority_prices"]


def majority_prices(signed: NDArray[np.int64], p: int, everything: int) -> NDArray[Any]:
    """[set, k]: the price of rule 2k of every set, by numpy alone; that of rule 2k + 1 is the rest of everything."""
    kind = np.int32 if 32 * everything < 2**31 else np.int64
    levels: list[NDArray[Any]] = np.split(signed.astype(kind), offsets(p, 3)[1:4])
    everyone, one, two, three = levels
    larger, smaller = np.tril_indices(p, -1)
    pairs, alone = 4 * two, 2 * one - everyone
    both = alone[smaller] + alone[larger]
    prices = np.empty((len(three), 4), kind)
    for c in range(2, p):
        place, many = comb(c, 3), comb(c, 2)
        a, b = smaller[:many], larger[:many]
        with_c = pairs[many : many + c]  # of c and each smaller test
        total = both[:many] + alone[c]
        product = (
            8 * three[place : place + many] - (pairs[:many] + with_c[a] + with_c[b]) + (total + 2 * everyone)
        )
        out = prices[place : place + many]
        out[:, 0] = (everything - (total - product) // 2) // 2
        for k, one_alone in enumerate((alone[a], alone[b], alone[c])):
            out[:, k + 1] = (everything - (total - 2 * one_alone + product) // 2) // 2
    return prices
