"""Fewer labels at the price of records without any: relabelling by a private draw, and a sanitised table first."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from privpac.plan.class_facts import ClassFacts
from privpac.plan.options.base import Need, Option
from privpac.plan.wish import Wish

__all__ = ["FEW_LABELS"]

LARGE = 256
"""Bits of a class from which on relabelling has been seen to save labels; smaller classes only where asked for."""

POINTS = (8, 16, 32, 64, 128, 256)
"""As in learners/generic.py: points a column that are tried."""

POOLS = tuple(10**k * step for k in range(3, 9) for step in (1, 2, 5))
"""Unlabelled records that are tried, fewest first."""

ENOUGH = Fraction(3, 2)
"""The smallest pool within this factor of the fewest labels: further labels cost ten times the pool each."""


def _large(concepts: ClassFacts) -> bool:
    return concepts.size.bit_length() > LARGE


def _boost(wish: Wish) -> Need:
    from privpac.theory.few_labels import records_label_boost
    from privpac.theory.transfer import Family

    family = Family(wish.concepts.size, wish.concepts.vc, wish.concepts.odds)
    found = records_label_boost(
        family, error=wish.error, failure=wish.failure, epsilon=wish.epsilon, unlabelled=wish.unlabelled
    )
    return Need(found.labelled, found.unlabelled, {"kept": str(found.kept_labelled)})


def _ssl(wish: Wish) -> Need:
    from privpac.theory.ssl_relabel import records_ssl_relabel
    from privpac.theory.transfer import Family

    family = Family(wish.concepts.size, wish.concepts.vc, wish.concepts.odds)
    found = records_ssl_relabel(
        family, error=wish.error, failure=wish.failure, epsilon=wish.epsilon, unlabelled=wish.unlabelled
    )
    return Need(found.labelled, found.unlabelled, {"kept": str(found.kept)})


def _line(concepts: ClassFacts) -> bool:
    ordered = concepts.kind in ("intervals", "unions") or (concepts.kind == "thresholds" and concepts.vc == 1)
    return ordered and (concepts.cells or 0) > POINTS[-1]


def _generic(wish: Wish) -> Need | None:
    """The smallest pool that saves nearly as many labels as the largest one."""
    pools = [n for n in POOLS if wish.unlabelled is None or n <= wish.unlabelled]
    found = [(n, labels) for n in pools if (labels := _labels(wish, n)) is not None]
    if not found:
        return None
    fewest = min(labels for _, labels in found)
    pool, labels = next((n, labels) for n, labels in found if labels <= ENOUGH * fewest)
    return Need(labels, pool)


@lru_cache(maxsize=512)
def _labels(wish: Wish, pool: int) -> int | None:
    """Labelled records needed beside a pool of so many unlabelled ones, a third of the failure for each step."""
    from privpac.theory.exact import ratio_for
    from privpac.theory.generic import labels_generic, tolerated_generic
    from privpac.theory.release import plan_quantiles

    concepts, third = wish.concepts, wish.failure / 3
    assert concepts.cells is not None
    ends = 1 if concepts.kind == "thresholds" else 2 * concepts.parts
    answers = plan_quantiles(
        pool, cells=concepts.cells, epsilon=wish.epsilon, failure=third, ratio_of=ratio_for
    )
    best = None
    for points in POINTS:
        # Between two kept points lies at most one share of the table; a range is two cuts, each off by the error.
        seen = ends * (Fraction(1, points) + 2 * answers.error)
        if seen >= wish.error:
            continue
        tolerated = tolerated_generic(seen, unlabelled=pool, failure=third, vc=concepts.vc)
        if tolerated >= wish.error:
            continue
        labels = labels_generic(
            sum(_choices(points, k) for k in range(ends + 1)),
            error=wish.error,
            tolerated=tolerated,
            failure=third,
            ratio=ratio_for(wish.epsilon / 2),
        )
        best = labels if best is None else min(best, labels)
    return best


def _choices(points: int, ends: int) -> int:
    """Ways to put so many ends on points and the two sides of the table."""
    return math.comb(points + 2, ends)


FEW_LABELS = (
    Option(
        "generic-learner",
        "a sanitised table names the candidates, labels choose",
        "realizable",
        "records",
        True,
        "generic-learner",
        _generic,
        serves=_line,
        pool=True,
    ),
    Option(
        "ssl-relabel",
        "unlabelled points relabelled by a draw, then learnt from",
        "realizable",
        "records",
        True,
        "ssl-relabel-accuracy",
        _ssl,
        serves=_large,
        pool=True,
    ),
    Option(
        "label-boost",
        "labels spread over unlabelled points, then a draw",
        "realizable",
        "records",
        True,
        "label-boost-realizable",
        _boost,
        serves=_large,
        pool=True,
    ),
)
