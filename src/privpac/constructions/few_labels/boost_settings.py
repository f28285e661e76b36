"""Settings of LabelBoost that meet a target with the records one has, or the reason why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privpac.concepts.labellings.base import Dichotomous
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels.formulas import (
    Boost,
    boost_settings,
    error_label_boost,
    keep_labelled,
    keep_unlabelled,
    records_label_boost,
)
from privpac.constructions.few_labels.transfer_formulas import Family
from privpac.data.sample import Size
from privpac.errors import SizeError
from privpac.guarantee import rules
from privpac.guarantee.facts import Loss
from privpac.numbers.exact import decimal_text

__all__ = ["Settings", "Step", "fitting", "scheduled"]

DRAW = Fraction(27, 20)
"""Epsilon of the draw in schedules that are not searched: near the best for any later budget."""

BASE = Fraction(1, 10)
"""Epsilon of a base that was not given, in a schedule of several rounds."""


@dataclass(frozen=True)
class Step:
    """One round of a schedule."""

    epsilon: Fraction
    kept_labelled: int
    taken: int
    kept_unlabelled: int


@dataclass(frozen=True)
class Settings:
    """A base learner and the rounds of relabelling before it."""

    base: Learner
    rounds: tuple[Step, ...]


def fitting(
    family: Family, size: Size, *, epsilon: Fraction, failure: Fraction, error: Fraction | None
) -> Boost:
    """One round for these records; refused if it does not promise `error`."""
    if size.labelled < 1 or size.unlabelled < 1:
        raise SizeError(
            "LabelBoost needs labelled and unlabelled records.",
            remedy="Leave labels empty, or write -1, for records without one.",
        )
    boost = boost_settings(size.labelled, size.unlabelled, family=family, epsilon=epsilon, failure=failure)
    if boost.kept_labelled < 1:
        raise SizeError(
            f"LabelBoost: {size.labelled} labelled records are too few to keep a random part of them.",
            remedy="Collect more labels, or allow a larger epsilon.",
        )
    if error is not None:
        _refuse_weak(boost, family, size, epsilon=epsilon, failure=failure, error=error)
    return boost


def _refuse_weak(
    boost: Boost, family: Family, size: Size, *, epsilon: Fraction, failure: Fraction, error: Fraction
) -> None:
    reached = error_label_boost(boost, family=family, failure=failure)
    if reached <= error:
        return
    have = f"{size.labelled} labelled and {size.unlabelled} unlabelled records"
    best = f"promise an error of {decimal_text(reached)} at best" if reached < 1 else "promise nothing"
    raise SizeError(
        f"LabelBoost: {have} {best}, not {decimal_text(error)}.",
        remedy=_enough(family, size, epsilon=epsilon, failure=failure, error=error),
    )


def _enough(family: Family, size: Size, *, epsilon: Fraction, failure: Fraction, error: Fraction) -> str:
    """The size that would do: more labels if that helps, else more of both."""
    try:
        need = records_label_boost(
            family, error=error, failure=failure, epsilon=epsilon, unlabelled=size.unlabelled
        )
    except SizeError:
        need = records_label_boost(family, error=error, failure=failure, epsilon=epsilon)
    return f"{need.labelled} labelled and {need.unlabelled} unlabelled records would do."


def scheduled(
    concepts: Dichotomous,
    size: Size,
    *,
    epsilon: Fraction,
    base: Learner | None,
    draws: int | None,
    rounds: int,
) -> Settings:
    """Rounds of equal blocks whose later stages are private enough for the first to keep most labels.

    With a base of its own the loss of the end depends on how many records are relabelled, and those on the loss: the
    smallest loss on a grid that is consistent is taken.
    """
    block = size.unlabelled // rounds
    learner = base if base is not None else Occam(concepts, BASE)
    for late in _grid(epsilon):
        steps = _backwards(size, block, rounds, epsilon=epsilon, late=late)
        if steps is None:
            continue
        loss = _end_loss(learner, draws, points=steps[-1].kept_labelled + steps[-1].kept_unlabelled)
        if loss <= Loss(log=late):
            return Settings(learner, steps)
    raise SizeError(
        f"LabelBoost: {size.labelled} labelled and {size.unlabelled} unlabelled records are too few for this base.",
        remedy="Collect more records without labels, or use fewer rounds or draws.",
    )


def _grid(epsilon: Fraction) -> list[Fraction]:
    return [Fraction(k, 100) * epsilon for k in (*range(1, 20), *range(20, 100, 5))]


def _end_loss(base: Learner, draws: int | None, *, points: int) -> Loss:
    proof = base.certify(Size(points if draws is None else draws)).privacy
    if draws is not None:
        proof = rules.sampling_with_replacement(proof, draws=draws, of=points)
    return proof.fact.epsilon


def _backwards(
    size: Size, block: int, rounds: int, *, epsilon: Fraction, late: Fraction
) -> tuple[Step, ...] | None:
    """Keep rates for which every stage but the first is `late`-private, and the first `epsilon`-private."""
    steps: list[Step] = []
    count = size.labelled
    for i in range(rounds):
        kept = keep_labelled(count, epsilon=late if i else epsilon, later=late, draw=DRAW)
        others = keep_unlabelled(block, epsilon=epsilon, later=late)
        if kept < 1:
            return None
        steps.append(Step(DRAW, kept, block, others))
        count = kept + others
    return tuple(steps)
