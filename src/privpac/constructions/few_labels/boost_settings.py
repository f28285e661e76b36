"""Settings of LabelBoost that meet a target with the records one has, or the reason why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privpac.concepts.labellings.base import Dichotomous
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels.formulas import (
    Boost,
    boost_search,
    keep_labelled,
    keep_unlabelled,
)
from privpac.constructions.few_labels.transfer_formulas import Family
from privpac.data.sample import Size
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.facts import Loss

__all__ = ["Round", "fitting", "scheduled"]

DRAW = Fraction(27, 20)
"""Epsilon of the draw in schedules that are not searched: near the best for any later budget."""

BASE = Fraction(1, 10)
"""Epsilon of a base that was not given, in a schedule of several rounds."""


@dataclass(frozen=True)
class Round:
    """One round: `kept_labelled` of the labelled records, and `kept_unlabelled` of the next `taken` others."""

    epsilon: Fraction
    """Of the draw of labels: one mistake weighs e^(-epsilon/2)."""
    kept_labelled: int
    taken: int
    kept_unlabelled: int

    def __post_init__(self) -> None:
        if not (self.kept_labelled >= 1 and 0 <= self.kept_unlabelled <= self.taken):
            raise ParameterError(
                "Round",
                "kept_labelled, kept_unlabelled, taken",
                (self.kept_labelled, self.kept_unlabelled, self.taken),
                allowed="at least one labelled record, and no more others kept than taken",
            )

    @property
    def points(self) -> int:
        """All points that a round keeps."""
        return self.kept_labelled + self.kept_unlabelled


def fitting(
    family: Family,
    size: Size,
    *,
    epsilon: Fraction,
    delta: Fraction,
    failure: Fraction,
    error: Fraction | None,
) -> Boost:
    """One round for these records; refused if it does not promise `error`."""
    if size.labelled < 1 or size.unlabelled < 1:
        raise SizeError(
            "LabelBoost needs labelled and unlabelled records.",
            remedy="Leave labels empty, or write -1, for records without one.",
        )
    search = boost_search(family, epsilon, failure, delta)
    boost = search.settings_at(size.labelled, size.unlabelled)
    if boost.kept_labelled < 1:
        raise SizeError(
            f"LabelBoost: {size.labelled} labelled records are too few to keep a random part of them.",
            remedy="Collect more labels, or allow a larger epsilon.",
        )
    if error is not None:
        search.require(boost, error, owner="LabelBoost")
    return boost


def scheduled(
    concepts: Dichotomous,
    size: Size,
    *,
    epsilon: Fraction,
    base: Learner | None,
    draws: int | None,
    rounds: int,
) -> tuple[Learner, tuple[Round, ...]]:
    """A base, and rounds of equal blocks whose later stages are private enough for the first to keep most labels.

    With a base of its own the loss of the end depends on how many records are relabelled, and those on the loss: the
    smallest loss on a grid that is consistent is taken.
    """
    block = size.unlabelled // rounds
    learner = base if base is not None else Occam(concepts, BASE)
    for late in _grid(epsilon):
        steps = _backwards(size, block, rounds, epsilon=epsilon, late=late)
        if steps is None:
            continue
        loss = _end_loss(learner, draws, points=steps[-1].points)
        if loss <= Loss(log=late):
            return learner, steps
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
) -> tuple[Round, ...] | None:
    """Keep rates for which every stage but the first is `late`-private, and the first `epsilon`-private."""
    steps: list[Round] = []
    count = size.labelled
    for i in range(rounds):
        kept = keep_labelled(count, epsilon=late if i else epsilon, later=late, draw=DRAW)
        others = keep_unlabelled(block, epsilon=epsilon, later=late)
        if kept < 1:
            return None
        steps.append(Round(DRAW, kept, block, others))
        count = kept + others
    return tuple(steps)
