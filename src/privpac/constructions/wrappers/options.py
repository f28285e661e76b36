"""Noisy labels through a vote: most records vote on the labels of the others, and a learner of clean labels follows."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from privpac.constructions.class_facts import can_list, can_vote, dimension
from privpac.constructions.commands import learn_command
from privpac.constructions.few_labels.after_labels import mistakes_of_draw
from privpac.constructions.option import Need, Option, fewest
from privpac.constructions.wish import Wish
from privpac.constructions.wrappers.calibrate import best_split, excess_relabelled
from privpac.numbers.exact import decimal_text, ratio_for

__all__ = ["OPTIONS", "agnostic_split"]

PLACE = 50

_split = lru_cache(maxsize=64)(best_split)


def agnostic_split(epsilon: Fraction, n: int) -> tuple[int, Fraction, Fraction]:
    """How many of n records are relabelled, and the epsilons of the vote and of the draw."""
    split = _split(epsilon)
    return min(n - 1, max(1, round(split.share * n))), split.vote, split.inner


def _error(wish: Wish, n: int) -> Fraction | None:
    """What `Agnostic` over one draw certifies, split as `calibrate_agnostic` does; half of the failure each."""
    kept, vote, inner = agnostic_split(wish.epsilon, n)
    if kept < 1:
        return None
    vc = dimension(wish.concepts, counted=min(kept, n - kept), drawn=kept, voted=True)
    if vc is None:
        return None
    half = wish.failure / 2
    mistakes = mistakes_of_draw(wish.concepts.odds, ratio=ratio_for(inner / 2), failure=half)
    if mistakes >= kept:
        return None
    wrong = Fraction(mistakes, kept)
    excess = excess_relabelled(n, kept=kept, vote=vote, inner_error=wrong, vc=vc, failure=half)
    return excess if excess < Fraction(1, 2) else None


def _at(wish: Wish, n: int) -> Need | None:
    excess = _error(wish, n)
    if excess is None or excess > wish.error:
        return None
    kept, vote, inner = agnostic_split(wish.epsilon, n)
    numbers = {"kept": str(kept), "vote": decimal_text(vote), "inner": decimal_text(inner)}
    return Need(n, parameters=numbers)


def _needs(wish: Wish) -> Need | None:
    start = int(100 * wish.concepts.vc / (wish.error**2 * min(Fraction(1), wish.epsilon)))
    return fewest(wish, _at, start=start, smallest=2)


def _command(wish: Wish, need: Need) -> str | None:
    kept, _, _ = agnostic_split(wish.epsilon, need.labelled)
    if not can_list(wish.concepts, voted=True, points=kept, voters=need.labelled - kept):
        return None
    return learn_command(wish, need, concepts=f"agnostic:{wish.concepts.word}")


OPTIONS: tuple[Option, ...] = (
    Option(
        "agnostic",
        "most records vote on labels of the others, one draw follows them",
        "relabelling-accuracy",
        _needs,
        setting="agnostic",
        serves=can_vote,
        at=_at,
        error=_error,
        command=_command,
    ),
)
