"""Answers to single queries instead of a released rule: votes, and a stable draw with flips."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privpac.constructions.class_facts import ClassFacts, listed
from privpac.constructions.option import FloorRow, Need, Option
from privpac.constructions.prediction.floors import floor_private_prediction
from privpac.constructions.wish import FAILURE, Wish
from privpac.numbers.exact import plain
from privpac.theory.listing import MOST_BLOCK

__all__ = ["FLOORS", "OPTIONS"]

PLACE = 80

MOST_VC = 200
"""Beyond this the growth function has so many terms that a plan would take seconds; the plain draw wins there."""


def _small(concepts: ClassFacts) -> bool:
    return concepts.vc <= MOST_VC and concepts.kappa is None


def _vote(wish: Wish) -> Need:
    from privpac.constructions.prediction.formulas import models_vote, records_vote

    models = models_vote(wish.error, epsilon=wish.epsilon)
    n = records_vote(wish.error, failure=wish.failure, epsilon=wish.epsilon, vc=wish.concepts.vc)
    return Need(n, parameters={"models": str(models)})


def _flipped(wish: Wish) -> Need:
    from privpac.constructions.prediction.formulas import records_flipped

    return Need(records_flipped(wish.error, failure=wish.failure, epsilon=wish.epsilon, vc=wish.concepts.vc))


def _flipped_at(wish: Wish, n: int) -> Need | None:
    from privpac.constructions.prediction.formulas import plan_flipped

    plan = plan_flipped(n, failure=wish.failure, epsilon=wish.epsilon, vc=wish.concepts.vc)
    return Need(n) if plan.excess <= wish.error else None


def _net(wish: Wish) -> Need:
    from privpac.constructions.prediction.net_formulas import records_net_relabelled

    return Need(
        records_net_relabelled(wish.error, failure=wish.failure, epsilon=wish.epsilon, vc=wish.concepts.vc)
    )


def _net_at(wish: Wish, n: int) -> Need | None:
    from privpac.constructions.prediction.net_formulas import error_net_relabelled

    if n < 2:
        return None
    found = error_net_relabelled(n, failure=wish.failure, epsilon=wish.epsilon, vc=wish.concepts.vc)
    return Need(n) if found <= wish.error else None


def _relabelled(wish: Wish) -> Need:
    from privpac.constructions.prediction.relabelled_formulas import records_relabelled_vote

    return Need(
        records_relabelled_vote(wish.error, failure=wish.failure, epsilon=wish.epsilon, vc=wish.concepts.vc)
    )


def _relabelled_error(wish: Wish, records: int) -> Fraction | None:
    from privpac.constructions.prediction.relabelled_formulas import error_relabelled_vote

    if records < 2:
        return None
    error = error_relabelled_vote(records, failure=wish.failure, epsilon=wish.epsilon, vc=wish.concepts.vc)
    return error if error < 1 else None


def _relabelled_epsilon(wish: Wish, records: int) -> Fraction | None:
    from privpac.constructions.prediction.relabelled_formulas import epsilon_relabelled_vote

    if records < 2:
        return None
    return epsilon_relabelled_vote(wish.error, records=records, failure=wish.failure, vc=wish.concepts.vc)


COUNTED = ("points", "thresholds", "intervals", "unions", "stumps")
"""Classes whose best member is found without a list of labellings."""


def _voters_fit(concepts: ClassFacts, records: int, models: int) -> bool:
    """Whether a voter can be trained on every one of so many blocks."""
    block = -(-records // models)
    return concepts.kind in COUNTED or (block <= MOST_BLOCK and listed(concepts, points=block))


def _runs(way: str, concepts: ClassFacts, n: int, *, epsilon: Fraction, models: int) -> bool:
    """Whether a way to answer is not refused for so many records, planned as its command plans it."""
    from privpac.constructions.prediction.formulas import plan_flipped
    from privpac.constructions.prediction.net_formulas import plan_net_relabelled
    from privpac.constructions.prediction.relabelled_formulas import plan_relabelled_vote

    numbers: dict[str, Any] = {"epsilon": epsilon, "failure": FAILURE, "vc": concepts.vc}
    if way == "consistent":
        return _voters_fit(concepts, n, models)
    if way == "relabelled":
        split = plan_relabelled_vote(n, **numbers)
        return listed(concepts, voted=True, points=split.kept) and _voters_fit(
            concepts, split.kept, split.models
        )
    if way == "reference":
        net = plan_net_relabelled(n, **numbers)
        return net is not None and listed(concepts, points=net.kept) and _voters_fit(concepts, n, net.models)
    return listed(concepts, points=plan_flipped(n, **numbers).kept)


def _answers(way: str) -> Callable[[Wish, Need], str | None]:
    """`privpac learn` with the word for a way to answer, for classes whose labellings of given points are listed."""

    def command(wish: Wish, need: Need) -> str | None:
        if not listed(wish.concepts, voted=way == "relabelled"):
            return None
        models = int(need.parameters.get("models", 1))
        if not _runs(way, wish.concepts, need.labelled, epsilon=wish.epsilon, models=models):
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
        "a noisy vote of consistent models on disjoint parts; epsilon per answer",
        "realizable",
        "predictions",
        False,
        "vote-accuracy",
        _vote,
        serves=_small,
        command=_answers("consistent"),
    ),
    Option(
        "flipped-answers",
        "a stable draw, answers flipped now and then; epsilon per answer",
        "agnostic",
        "predictions",
        False,
        "flipped-answers",
        _flipped,
        serves=_small,
        at=_flipped_at,
        command=_answers(""),
    ),
    Option(
        "relabelled-vote",
        "a vote of models on records that the others relabel; epsilon per answer",
        "agnostic",
        "predictions",
        False,
        "relabelled-vote",
        _relabelled,
        serves=_small,
        error=_relabelled_error,
        epsilon=_relabelled_epsilon,
        command=_answers("relabelled"),
    ),
    Option(
        "net-relabelled",
        "a vote of models on all records, relabelled by a fresh draw; epsilon per answer",
        "agnostic",
        "predictions",
        False,
        "net-relabelling",
        _net,
        serves=_small,
        at=_net_at,
        command=_answers("reference"),
    ),
)


def _private_answers(option: Option, wish: Wish) -> bool:
    """What protects whole records answers every query privately, and unlabelled records do not help there.

    All mass lies on a few points, which a density bound excludes.
    """
    anything = wish.concepts.shatters > 1 and wish.concepts.kappa is None
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
