"""Private answers from fresh draws: Corollary 1, repaired. The default for a class of concepts.

Statement: for every question, one concept is drawn by its mistakes on all records, at epsilon itself, from the
labellings of a fresh random subset; the answer is turned round with a small probability. Each answer is epsilon-DP,
and errs above
the best concept by at most the certified amount, except with the certified probability over independent records.
Source: Dagan–Feldman 2020, Theorem 1 and Corollary 1; register `flipped-answers`, `listed-from-some`, `delta-removal`.
Holds if: nothing drawn from the records is used twice; representatives depend on the set of points alone.
Proof: docs/proofs/flipped-answers.md. Tested by tests/exact/test_prediction.py, tests/statistical/test_prediction.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Cells, ConceptClass
from privpac.concepts.dichotomies import with_dichotomies
from privpac.data.remembered import Remembered
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, RuleRefused, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy, Release
from privpac.guarantee.proof import Proof
from privpac.learners.occam import FAILURE
from privpac.learners.stored_classes import stored_concepts
from privpac.mechanisms import gibbs
from privpac.prediction.voters import require_two_classes
from privpac.theory.exact import plain, ratio_for
from privpac.theory.prediction import flip_for, plan_flipped

__all__ = ["Drawing", "FreshDraws", "PreparedDraws"]

OWNER = "FreshDraws"


class Drawing(Protocol):
    """A predictor that draws everything afresh for every question."""

    def draw(self, sample: Sample, cells: Cells, coins: Coins) -> int:
        """One answer to one question, with coins for nothing else."""


def _row(cells: Cells, place: int) -> dict[str, NDArray[Any]]:
    """One question."""
    return {name: values[place : place + 1] for name, values in cells.items()}


@dataclass(frozen=True)
class FreshDraws:
    """For every answer: `kept` of `records` records list the concepts, all of them draw one, `flip` turns it round."""

    concepts: ConceptClass
    epsilon: Fraction
    kept: int
    records: int
    flip: Fraction
    slip: Fraction
    failure: Fraction = FAILURE
    drawing: Fraction | None = None
    """The epsilon of the draw, if it is not that of the answer."""

    @classmethod
    def planned(
        cls, concepts: ConceptClass, epsilon: Fraction, *, records: int, failure: Fraction = FAILURE
    ) -> FreshDraws:
        """With the subset and the flips that prove the smallest excess for so many records."""
        vc = concepts.vc
        if vc is None:
            raise ParameterError(
                OWNER, "concepts", concepts.word, allowed="a class whose VC dimension is known"
            )
        plan = plan_flipped(records, epsilon=epsilon, failure=failure, vc=vc)
        return cls(concepts, epsilon, plan.kept, records, plan.flip, plan.slip, failure)

    @classmethod
    def with_subset(cls, concepts: ConceptClass, epsilon: Fraction, *, kept: int, records: int) -> FreshDraws:
        """With a subset of this size and the flips that make it pure."""
        flip = flip_for(1 / ratio_for(epsilon / 2) ** 2, delta=Fraction(kept, records))
        return cls(concepts, epsilon, kept, records, flip, Fraction(1, kept + 1))

    def __post_init__(self) -> None:
        require_two_classes(self.schema, "a fresh draw")
        with_dichotomies(self.concepts, owner=OWNER)
        if self.epsilon <= 0:
            raise ParameterError(OWNER, "epsilon", plain(self.epsilon), allowed="a positive number")
        if not 1 <= self.kept <= self.records:
            raise ParameterError(OWNER, "kept", self.kept, allowed=f"between 1 and {self.records}")

    @property
    def schema(self) -> Schema:
        return self.concepts.schema

    @property
    def columns(self) -> tuple[str, ...]:
        return self.concepts.statistic.columns

    @property
    def ratio(self) -> Fraction:
        return ratio_for((self.drawing or self.epsilon) / 2)

    def certify(self, size: Size) -> Certificate:
        if size.labelled != self.records:
            raise SizeError(
                f"{OWNER} was planned for {self.records} records, and there are {size.labelled}.",
                remedy="Plan it for the number of records there are.",
            )
        drawn = rules.listed_from_some(rules.bounded_range(ratio=self.ratio), kept=self.kept, of=self.records)
        given = rules.post_processing(drawn, what="the answer to one question", release=Release.ANSWER)
        return Certificate(
            privacy=rules.declared(rules.delta_removal(given, flip=self.flip), epsilon=self.epsilon),
            accuracy=self._accuracy(),
            learner={"name": "fresh draws", **self.to_json()},
            labelled=size.labelled,
        )

    def _accuracy(self) -> tuple[Proof[Accuracy], ...]:
        vc = self.concepts.vc
        try:
            return () if vc is None else (self._proved(vc),)
        except RuleRefused:  # so few records that nothing is proved
            return ()

    def _proved(self, vc: int) -> Proof[Accuracy]:
        return rules.flipped_answers(
            kept=self.kept,
            ratio=self.ratio,
            flip=self.flip,
            slip=self.slip,
            records=self.records,
            vc=vc,
            failure=self.failure,
        )

    def prepare(self, sample: Sample, coins: Coins) -> PreparedDraws:
        """The records themselves: nothing that was drawn from them may be kept."""
        return self.over(sample)

    def over(self, sample: Sample) -> PreparedDraws:
        return PreparedDraws(self, Remembered(sample))

    def draw(self, sample: Sample, cells: Cells, coins: Coins) -> int:
        """One answer to one question, with coins for nothing else."""
        kept = np.asarray(coins.subset(self.records, self.kept), dtype=np.int64)
        listed = with_dichotomies(self.concepts, owner=OWNER).dichotomies(sample.take(kept))
        member = listed.member(gibbs.draw(listed.mistakes(sample), self.ratio, coins))
        return int(member.predict(cells)[0]) ^ int(coins.flip(self.flip))

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "fresh-draws",
            "concepts": stored_concepts(self.concepts),
            "epsilon": plain(self.epsilon),
            "kept": self.kept,
            "records": self.records,
            "flip": plain(self.flip),
            "slip": plain(self.slip),
            "failure": plain(self.failure),
            "drawing": None if self.drawing is None else plain(self.drawing),
        }


@dataclass(frozen=True, eq=False, repr=False)
class PreparedDraws:
    """The records. Private: it has no repr."""

    predictor: Drawing
    sample: Sample

    def answer(self, cells: Cells, coins: Coins) -> NDArray[np.uint8]:
        rows = [_row(cells, i) for i in range(len(next(iter(cells.values()))))]
        runs = [lambda own, asked=asked: self.predictor.draw(self.sample, asked, own) for asked in rows]
        return np.array(coins.each(runs), dtype=np.uint8)
