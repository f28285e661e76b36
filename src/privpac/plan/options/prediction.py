"""Answers to single queries instead of a released rule: a vote of models, a stable draw with flips.

The relabelled vote (register `relabelled-vote`) is left out: its plan takes seconds, and it needs more records than the
stable draw at every error above about half a percent.
"""

from __future__ import annotations

from privpac.plan.class_facts import ClassFacts
from privpac.plan.options.base import Need, Option
from privpac.plan.wish import Wish
from privpac.theory.exact import plain

__all__ = ["PREDICTION"]

MOST_VC = 200
"""Beyond this the growth function has so many terms that a plan would take seconds; the plain draw wins there."""


def _small(concepts: ClassFacts) -> bool:
    return concepts.vc <= MOST_VC and concepts.kappa is None


def _vote(wish: Wish) -> Need:
    from privpac.theory.prediction import models_vote, records_vote

    models = models_vote(wish.error, epsilon=wish.epsilon)
    n = records_vote(wish.error, failure=wish.failure, epsilon=wish.epsilon, vc=wish.concepts.vc)
    return Need(n, parameters={"models": str(models)})


def _flipped(wish: Wish) -> Need:
    from privpac.theory.prediction import records_flipped

    return Need(records_flipped(wish.error, failure=wish.failure, epsilon=wish.epsilon, vc=wish.concepts.vc))


def _answer_command(wish: Wish, need: Need) -> str | None:
    if wish.concepts.kind in ("any", "one-test"):
        return None
    return (
        f"privpac learn DATA --schema SCHEMA --protect predictions --concepts consistent:{wish.concepts.word}"
        f" --epsilon {plain(wish.epsilon)}"
    )


PREDICTION = (
    Option(
        "vote",
        "a noisy vote of consistent models on disjoint parts; epsilon an answer",
        "realizable",
        "predictions",
        False,
        "vote-accuracy",
        _vote,
        serves=_small,
        command=_answer_command,
    ),
    Option(
        "flipped-answers",
        "a stable draw, answers flipped now and then; epsilon an answer",
        "agnostic",
        "predictions",
        False,
        "flipped-answers",
        _flipped,
        serves=_small,
    ),
)
