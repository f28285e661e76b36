"""How many records cuts behind noise really need where a lone atom decides.

Tested by tests/unit/plan/runs/test_runs.py (draws of the learners themselves).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privpac.constructions.draw.hard import lone_atom, smallest
from privpac.constructions.wish import Wish

__all__ = ["denoised_failure", "denoised_need", "noisy_failure", "noisy_need"]


def noisy_need(wish: Wish, *, rate: float) -> int | None:
    """Records for a cut whose answers are flipped one by one: both the atom's and the background's must be right."""
    return _need(wish, lambda miss: noisy_failure(miss, rate))


def _need(wish: Wish, failure: Callable[[float], float]) -> int | None:
    """Records until what fails so often, if the cut misses a lone atom so often, fails rarely enough."""
    need = lone_atom(wish)
    if need is None:
        return None
    fails, start = need
    return smallest(lambda n: failure(fails(n)), float(wish.failure), start)


def noisy_failure(miss: float, rate: float) -> float:
    """How often the answer at the atom or at the background is wrong, if the cut misses the atom so often."""
    return 1.0 - (1.0 - rate) * ((1.0 - miss) * (1.0 - rate) + miss * rate)


def denoised_need(wish: Wish, *, rate: float) -> int | None:
    """Records for the cut nearest to such answers."""
    cells = wish.concepts.cells or 2
    return _need(wish, lambda miss: denoised_failure(miss, rate, cells))


def denoised_failure(miss: float, rate: float, cells: int) -> float:
    """How often the nearest cut is wrong: where the drawn one is, or flips next to it move it.

    The background's answer may not be flipped, and walking away from it the flipped ones may never be ahead: a walk
    that steps down with probability `rate` and stays at 0 or above. (A wrong cut that flips put right is left out.)
    """
    clean = (1.0 - rate) * _never_below(min(cells - 1, _FAR), rate)
    return 1.0 - (1.0 - miss) * clean


_FAR = 400
"""Steps after which a walk that was never below 0 never will be, for all purposes."""


def _never_below(steps: int, down: float) -> float:
    heights = np.zeros(steps + 2)
    heights[0] = 1.0
    for _ in range(steps):
        heights = (1.0 - down) * np.concatenate(([0.0], heights[:-1])) + down * np.append(heights[1:], 0.0)
    return float(heights.sum())
