"""Answers to single queries instead of a released rule: votes, and a stable draw with flips."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from privpac.constructions.class_facts import (
    MEMBERS,
    ONE_WAY,
    ClassFacts,
    can_list,
    dimension,
    least_dimensional,
)
from privpac.constructions.option import FloorRow, Need, Option
from privpac.constructions.prediction.floors import floor_private_prediction
from privpac.constructions.prediction.forms import TITLES
from privpac.constructions.prediction.fresh_draws import plan_flipped, records_flipped
from privpac.constructions.prediction.net_relabelled import (
    error_net_relabelled,
    plan_net_relabelled,
    records_net_relabelled,
)
from privpac.constructions.prediction.relabelled_vote import (
    epsilon_relabelled_vote,
    error_relabelled_vote,
    plan_relabelled_vote,
    records_relabelled_vote,
)
from privpac.constructions.prediction.vote import models_vote, records_vote
from privpac.constructions.wish import FAILURE, Wish
from privpac.numbers.exact import plain
from privpac.theory.listing import MOST_BLOCK

__all__ = ["FLOORS", "OPTIONS"]

PLACE = 80

P = TypeVar("P")

MOST_VC = 200
"""Beyond this the growth function has so many terms that a plan would take seconds; the plain draw wins there."""


def _small(concepts: ClassFacts) -> bool:
    return concepts.vc <= MOST_VC and concepts.kappa is None and concepts.kind not in ONE_WAY


Counts = Callable[[Wish, int, int], int | None]
"""The VC dimension that counts for this many records, planned with a VC dimension; None if none does."""


def _enough(records: Callable[..., int], counts: Counts) -> Callable[[Wish], Need | None]:
    """Records for the least VC dimension that counts for them."""

    def needs(wish: Wish) -> Need | None:
        def solve(vc: int) -> tuple[int, int]:
            return records(wish.error, vc=vc, **wish.without("error")), vc

        least = least_dimensional(wish.concepts, solve, lambda pair: counts(wish, *pair))
        return None if least is None else Need(least[0])

    return needs


def _vote_counts(wish: Wish, n: int, vc: int) -> int | None:
    return dimension(wish.concepts, counted=2 * (n // models_vote(wish.error, epsilon=wish.epsilon)))


def _vote(wish: Wish) -> Need | None:
    models = models_vote(wish.error, epsilon=wish.epsilon)
    need = _enough(records_vote, _vote_counts)(wish)
    return None if need is None else replace(need, parameters={"models": str(models)})


def _flipped_counts(wish: Wish, n: int, vc: int) -> int | None:
    kept = plan_flipped(n, vc=vc, **wish.without("error")).kept
    return dimension(wish.concepts, counted=kept, drawn=kept)


def _flipped_at(wish: Wish, n: int) -> Need | None:
    vc = _at_size(wish, n, _flipped_counts)
    enough = vc is not None and plan_flipped(n, vc=vc, **wish.without("error")).excess <= wish.error
    return Need(n) if enough else None


def _at_size(wish: Wish, n: int, counts: Counts) -> int | None:
    """The least VC dimension that counts for this many records."""
    return least_dimensional(wish.concepts, lambda vc: vc, lambda vc: counts(wish, n, vc))


def _net_counts(wish: Wish, n: int, vc: int) -> int | None:
    plan = plan_net_relabelled(n, vc=vc, **wish.without("error"))
    if plan is None:
        return None
    fewest = min(n - 1, plan.kept, 2 * (n // plan.models))
    return dimension(wish.concepts, counted=fewest, drawn=plan.kept)


def _net_at(wish: Wish, n: int) -> Need | None:
    vc = None if n < 2 else _at_size(wish, n, _net_counts)
    if vc is None:
        return None
    return Need(n) if error_net_relabelled(n, vc=vc, **wish.without("error")) <= wish.error else None


def _relabelled_counts(wish: Wish, n: int, vc: int) -> int | None:
    plan = plan_relabelled_vote(n, vc=vc, **wish.without("error"))
    fewest = min(n - plan.kept, plan.kept, 2 * (plan.kept // plan.models))
    return dimension(wish.concepts, counted=fewest, drawn=plan.kept, voted=True)


def _relabelled_error(wish: Wish, records: int) -> Fraction | None:
    vc = None if records < 2 else _at_size(wish, records, _relabelled_counts)
    if vc is None:
        return None
    error = error_relabelled_vote(records, vc=vc, **wish.without("error"))
    return error if error < 1 else None


def _relabelled_epsilon(wish: Wish, records: int) -> Fraction | None:
    """By the VC dimension that counts whatever the epsilon is, which may be more than counts in the end."""
    if records < 2:
        return None
    return epsilon_relabelled_vote(wish.error, records=records, failure=wish.failure, vc=wish.concepts.vc)


COUNTABLE = ("points", "thresholds", "intervals", "unions", "stumps", *MEMBERS)
"""Classes whose best member is found without a list of labellings."""


def _voters_fit(concepts: ClassFacts, records: int, models: int) -> bool:
    """Whether a voter can be trained on every one of this many blocks."""
    block = -(-records // models)
    return concepts.kind in COUNTABLE or (block <= MOST_BLOCK and can_list(concepts, points=block))


def _runs(way: str, wish: Wish, n: int, *, models: int) -> bool:
    """Whether a way to answer is not refused for this many records, planned as its command plans it."""
    usual, concepts = replace(wish, failure=FAILURE), wish.concepts
    if way == "predict-by-vote":
        return _voters_fit(concepts, n, models)
    if way == "predict-by-relabelling":
        split = _as_planned(plan_relabelled_vote, usual, n, _relabelled_counts)
        votes = can_list(concepts, voted=True, points=split.kept, voters=n - split.kept)
        return votes and _voters_fit(concepts, split.kept, split.models)
    if way == "predict-by-net":
        net = _as_planned(plan_net_relabelled, usual, n, _net_counts)
        return (
            net is not None and can_list(concepts, points=net.kept) and _voters_fit(concepts, n, net.models)
        )
    plan = _as_planned(plan_flipped, usual, n, _flipped_counts)
    return can_list(concepts, points=plan.kept)


def _as_planned(plan: Callable[..., P], wish: Wish, n: int, counts: Counts) -> P:
    """The plan of this many records, for the VC dimension that counts, or that of the class if none does."""
    return plan(n, vc=_at_size(wish, n, counts) or wish.concepts.vc, **wish.without("error"))


def _answers(way: str) -> Callable[[Wish, Need], str | None]:
    """`privpac learn` with the word for a way to answer, for classes whose labellings of given points are listed."""

    def command(wish: Wish, need: Need) -> str | None:
        if not can_list(wish.concepts, voted=way == "predict-by-relabelling"):
            return None
        models = int(need.parameters.get("models", 1))
        if not _runs(way, wish, need.labelled, models=models):
            return None
        word = f"{way}:{wish.concepts.word}" if way else wish.concepts.word
        count = f" --models {need.parameters['models']}" if "models" in need.parameters else ""
        return (
            f"privpac learn DATA --schema SCHEMA --protect predictions --concepts {word}"
            f" --epsilon {plain(wish.epsilon)}{count}"
        )

    return command


OPTIONS: tuple[Option, ...] = (
    Option(
        "vote",
        TITLES["predict-by-vote:{word}"],
        "vote-accuracy",
        _vote,
        protects="predictions",
        proper=False,
        serves=_small,
        command=_answers("predict-by-vote"),
    ),
    Option(
        "flipped-answers",
        TITLES["{word}"],
        "flipped-answers",
        _enough(records_flipped, _flipped_counts),
        setting="agnostic",
        protects="predictions",
        proper=False,
        serves=_small,
        at=_flipped_at,
        command=_answers(""),
    ),
    Option(
        "relabelled-vote",
        TITLES["predict-by-relabelling:{word}"],
        "relabelled-vote",
        _enough(records_relabelled_vote, _relabelled_counts),
        setting="agnostic",
        protects="predictions",
        proper=False,
        serves=_small,
        error=_relabelled_error,
        epsilon=_relabelled_epsilon,
        command=_answers("predict-by-relabelling"),
    ),
    Option(
        "net-relabelled",
        TITLES["predict-by-net:{word}"],
        "net-relabelling",
        _enough(records_net_relabelled, _net_counts),
        setting="agnostic",
        protects="predictions",
        proper=False,
        serves=_small,
        at=_net_at,
        command=_answers("predict-by-net"),
    ),
)


def _private_answers(option: Option, wish: Wish) -> bool:
    """What protects whole records answers every query privately, and unlabelled records do not help there.

    All mass lies on a few points, which a density bound excludes. Who asks for labels can ask at these points alone.
    """
    anything = wish.concepts.shatters > 1 and wish.concepts.kappa is None and not option.asks
    return anything and option.protects in ("records", "predictions") and option.pure


def _prediction_records(wish: Wish) -> int:
    """A promise that may fail has a mean error that is larger by its failure."""
    mean = wish.error + wish.failure
    if mean >= Fraction(1, 2):
        return 0
    return floor_private_prediction(wish.concepts.shatters, error=mean, epsilon=wish.epsilon)


FLOORS: tuple[FloorRow, ...] = (
    FloorRow(60, "floor-private-prediction", _private_answers, _prediction_records),
)
