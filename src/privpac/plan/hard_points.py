"""What learners of points really need on the hard distributions of `hard_cases`, with the parameters of their proofs.

Tested by tests/unit/test_hard.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from privpac.numbers.binomial import first_whole
from privpac.plan import hard_cases
from privpac.plan.wish import Wish

__all__ = ["boosted", "clipped", "coded", "covered", "sparse"]

REPETITIONS, SEED = 2000, 0


def _smallest(failures: Callable[..., list[float]], wish: Wish, proved: int) -> int:
    """The least n whose mean failure is small enough; the same numbers for every n, so the mean falls with it."""

    def enough(n: int) -> bool:
        values = failures(n, REPETITIONS, SEED, error=float(wish.error))
        return n >= proved or math.fsum(values) / REPETITIONS <= wish.failure

    return first_whole(enough, start=max(1, proved * 2 // 3), smallest=1)


def _numbers(wish: Wish) -> dict[str, object]:
    return {"error": wish.error, "failure": wish.failure, "epsilon": wish.epsilon}


def clipped(wish: Wish) -> int:
    from privpac.theory.points import plan_clipped

    n, clip = plan_clipped(wish.concepts.size, **_numbers(wish))  # type: ignore[arg-type]
    return _smallest(partial(hard_cases.clipped, domain=wish.concepts.size, clip=clip), wish, n)


def coded(wish: Wish) -> int:
    from privpac.theory.representations import plan_code

    n, code, _ = plan_code(wish.concepts.size, **_numbers(wish))  # type: ignore[arg-type]
    return _smallest(partial(hard_cases.coded, code=code, rate=float(wish.epsilon) / 2), wish, n)


def covered(wish: Wish) -> int:
    from privpac.theory.representations import cover_ratio, plan_cover

    n, cover = plan_cover(**_numbers(wish))  # type: ignore[arg-type]
    rate = -math.log(cover_ratio(wish.epsilon))
    return _smallest(partial(hard_cases.covered, cover=cover, rate=rate), wish, n)


def sparse(wish: Wish) -> int:
    from privpac.theory.points import plan_sparse

    n, sparsity = plan_sparse(**_numbers(wish))  # type: ignore[arg-type]
    return _smallest(partial(hard_cases.sparse, sparsity=sparsity), wish, n)


def boosted(wish: Wish) -> int:
    from privpac.theory.sampled_points import plan_boosted

    n, boost = plan_boosted(**_numbers(wish))  # type: ignore[arg-type]
    return _smallest(partial(hard_cases.boosted, boost=boost, rate=float(wish.epsilon) / 2), wish, n)
