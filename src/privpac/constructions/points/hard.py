"""What learners of points really need on the distributions of `hard_failures`, with the parameters of their proofs.

Tested by tests/unit/constructions/draw/test_hard.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from privpac.constructions.points import hard_failures
from privpac.constructions.points.cover_formulas import cover_ratio, plan_cover
from privpac.constructions.points.formulas import plan_clipped
from privpac.constructions.points.representation_formulas import plan_code
from privpac.constructions.points.sampled_formulas import plan_boosted
from privpac.constructions.points.sparse_formulas import plan_sparse
from privpac.constructions.wish import Wish
from privpac.numbers.exact import first_whole

__all__ = ["NEEDS", "boosted", "clipped", "coded", "covered", "sparse"]

REPETITIONS, SEED = 2000, 0


def _smallest(failures: Callable[..., list[float]], wish: Wish, need: int) -> int:
    """The least n whose mean failure is small enough; the same numbers for every n, so the mean falls with it."""

    def enough(n: int) -> bool:
        values = failures(n, REPETITIONS, SEED, error=float(wish.error))
        return n >= need or math.fsum(values) / REPETITIONS <= wish.failure

    return first_whole(enough, start=max(1, need * 2 // 3), smallest=1)


def clipped(wish: Wish) -> int:
    """Records that clipped counts need in the hardest known case."""
    n, clip = plan_clipped(wish.concepts.size, **wish.goal)
    return _smallest(partial(hard_failures.clipped, domain=wish.concepts.size, clip=clip), wish, n)


def coded(wish: Wish) -> int:
    """Records that sets of a code need in the hardest known case."""
    n, code, _ = plan_code(wish.concepts.size, **wish.goal)
    return _smallest(partial(hard_failures.coded, code=code, rate=float(wish.epsilon) / 2), wish, n)


def covered(wish: Wish) -> int:
    """Records that covers of random sets need in the hardest known case."""
    n, cover = plan_cover(**wish.goal)
    rate = -math.log(cover_ratio(wish.epsilon))
    return _smallest(partial(hard_failures.covered, cover=cover, rate=rate), wish, n)


def sparse(wish: Wish) -> int:
    """Records that sparse sets need in the hardest known case."""
    n, sparsity = plan_sparse(**wish.goal)
    return _smallest(partial(hard_failures.sparse, sparsity=sparsity), wish, n)


def boosted(wish: Wish) -> int:
    """Records that boosted runs need in the hardest known case."""
    n, boost = plan_boosted(**wish.goal)
    return _smallest(partial(hard_failures.boosted, boost=boost, rate=float(wish.epsilon) / 2), wish, n)


NEEDS: Mapping[str, Callable[[Wish], int]] = {
    "clipped": clipped,
    "coded": coded,
    "covered": covered,
    "sparse": sparse,
    "boosted": boosted,
}
