"""Noisy labels through a vote: most records vote on the labels of the others, and a learner of clean labels follows."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from privpac.numbers.binomial import first_whole
from privpac.numbers.exact import decimal_text, ratio_for
from privpac.plan.class_facts import ClassFacts
from privpac.plan.options.base import Need, Option
from privpac.plan.options.python import agnostic_python
from privpac.plan.wish import Wish
from privpac.theory.listing import LARGEST_GRID, LARGEST_TABLE, interval_points, stump_labels

__all__ = ["RELABELLING", "agnostic_split"]

MOST = 10**12
DICHOTOMIES = ("points", "thresholds", "intervals", "rectangles", "stumps")
"""Classes whose labellings of given points are listed, so that records can vote on them."""


def listed(concepts: ClassFacts, *, voted: bool = False, points: int = 1) -> bool:
    """Whether the labellings of so many points can be listed, or voted on: of boxes only on small grids, and no votes.

    As the classes themselves refuse, by the worst points there could be.
    """
    match concepts.kind:
        case "rectangles":
            return not voted and concepts.size - 1 <= LARGEST_GRID
        case "intervals":
            return min(points, concepts.cells or points) <= interval_points()
        case "stumps":
            candidates, distinct = stump_labels(concepts.table, points)
            return candidates * distinct <= LARGEST_TABLE
    return concepts.kind in DICHOTOMIES


def voted(concepts: ClassFacts) -> bool:
    """Whether records can vote on the labellings of others."""
    return listed(concepts, voted=True)


@lru_cache(maxsize=64)
def _split(epsilon: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    from privpac.theory.relabelling import best_split

    found = best_split(epsilon)
    return found.share, found.vote, found.inner


def agnostic_split(epsilon: Fraction, n: int) -> tuple[int, Fraction, Fraction]:
    """How many of n records are relabelled, and the epsilons of the vote and of the draw."""
    share, vote, inner = _split(epsilon)
    return min(n - 1, max(1, round(share * n))), vote, inner


def _error(wish: Wish, n: int) -> Fraction | None:
    """What `Agnostic` over one draw certifies, split as `calibrate_agnostic` does; half of the failure each."""
    from privpac.theory.few_labels import mistakes_of_draw
    from privpac.theory.relabelling import excess_relabelled

    kept, vote, inner = agnostic_split(wish.epsilon, n)
    if kept < 1:
        return None
    half = wish.failure / 2
    mistakes = mistakes_of_draw(wish.concepts.odds, ratio=ratio_for(inner / 2), failure=half)
    if mistakes >= kept:
        return None
    found = excess_relabelled(
        n,
        kept=kept,
        vote=vote,
        inner_error=Fraction(mistakes, kept),
        vc=wish.concepts.vc,
        failure=half,
    )
    return found if found < Fraction(1, 2) else None


def _at(wish: Wish, n: int) -> Need | None:
    found = _error(wish, n)
    if found is None or found > wish.error:
        return None
    kept, vote, inner = agnostic_split(wish.epsilon, n)
    numbers = {"kept": str(kept), "vote": decimal_text(vote), "inner": decimal_text(inner)}
    return Need(n, parameters=numbers)


def _needs(wish: Wish) -> Need | None:
    start = int(100 * wish.concepts.vc / (wish.error**2 * min(Fraction(1), wish.epsilon)))
    n = first_whole(lambda n: n > MOST or _at(wish, n) is not None, start=start, smallest=2)
    return _at(wish, n) if n <= MOST else None


def _python(wish: Wish, need: Need) -> str | None:
    kept, _, _ = agnostic_split(wish.epsilon, need.labelled)
    return agnostic_python(wish, need) if listed(wish.concepts, voted=True, points=kept) else None


RELABELLING = (
    # Agnostic nests around any learner in Python; the command line has no word for it.
    Option(
        "agnostic",
        "most records vote on labels of the others, one draw follows them",
        "agnostic",
        "records",
        True,
        "relabelling-accuracy",
        _needs,
        serves=voted,
        at=_at,
        error=_error,
        python=_python,
    ),
)
