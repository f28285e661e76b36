"""Private answers from fresh draws: Corollary 1, repaired. The default for a class of concepts.

Statement: for every question, one concept is drawn by its mistakes on all records, at epsilon itself, from the
labellings of a fresh random subset; the answer is turned round with a small probability. Each answer is epsilon-DP,
and errs above
the best concept by at most the certified amount, except with the certified probability over independent records.
Source: Dagan–Feldman 2020, Theorem 1 and Corollary 1; register `flipped-answers`, `listed-from-some`, `delta-removal`.
Holds if: nothing drawn from the records is used twice; representatives depend on the set of points alone.
Proof: docs/proofs/flipped-answers.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Cells, Hypothesis
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.prediction import rules as prediction_rules
from privpac.constructions.prediction.formulas import flip_for, plan_flipped
from privpac.constructions.prediction.redrawn import Redrawn, draw_concept, least_dimensional
from privpac.constructions.stable.stable import listed_from_some
from privpac.data.sample import Sample
from privpac.errors import ParameterError
from privpac.guarantee import rules
from privpac.guarantee.facts import Accuracy, Privacy, Release
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import ratio_for
from privpac.numbers.parameters import positive

__all__ = ["FreshDraws"]


@dataclass(frozen=True)
class FreshDraws(Redrawn):
    """For every answer: `kept` of `records` records list the concepts, all of them draw one, `flip` turns it round."""

    owner: ClassVar[str] = "FreshDraws"
    name: ClassVar[str] = "fresh draws"

    flip: Fraction
    slip: Fraction
    failure: Fraction = FAILURE
    drawing: Fraction | None = None
    """The epsilon of the draw, if it is not that of the answer."""

    @classmethod
    def planned(
        cls, concepts: AnyClass, epsilon: Fraction, *, records: int, failure: Fraction = FAILURE
    ) -> FreshDraws:
        """With the subset and the flips that prove the smallest excess for this many records."""

        def build(vc: int) -> FreshDraws:
            plan = plan_flipped(records, epsilon=epsilon, failure=failure, vc=vc)
            return cls(concepts, epsilon, plan.kept, records, plan.flip, plan.slip, failure)

        return least_dimensional(build, concepts, records=records, owner=cls.owner)

    @classmethod
    def with_subset(cls, concepts: AnyClass, epsilon: Fraction, *, kept: int, records: int) -> FreshDraws:
        """With a subset of this size and the flips that make it pure."""
        flip = flip_for(1 / ratio_for(epsilon / 2) ** 2, delta=Fraction(kept, records))
        return cls(concepts, epsilon, kept, records, flip, Fraction(1, kept + 1))

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.epsilon, owner=self.owner, name="epsilon")
        if not 1 <= self.kept <= self.records:
            raise ParameterError(self.owner, "kept", self.kept, allowed=f"between 1 and {self.records}")

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return ratio_for((self.drawing or self.epsilon) / 2)

    def require_draw(self) -> None:
        self.listed.require_listed(self.kept, elsewhere=self.records - self.kept)

    def privacy(self) -> Proof[Privacy]:
        listing = listed_from_some(rules.bounded_range(ratio=self.ratio), kept=self.kept, of=self.records)
        answer = rules.post_processing(listing, what="the answer to one question", release=Release.ANSWER)
        return prediction_rules.delta_removal(answer, classes=len(self.schema.classes), flip=self.flip)

    def proved(self, vc: int) -> Proof[Accuracy]:
        return prediction_rules.flipped_answers(
            kept=self.kept,
            ratio=self.ratio,
            flip=self.flip,
            slip=self.slip,
            records=self.records,
            vc=vc,
            failure=self.failure,
        )

    def hypothesis(self, sample: Sample, coins: Coins) -> Hypothesis:
        """What answers before it is turned round. Private, and good for one answer only."""
        return draw_concept(self.listed, sample, kept=self.kept, ratio=self.ratio, coins=coins)

    def draw(self, sample: Sample, cells: Cells, coins: Coins) -> int:
        return int(self.hypothesis(sample, coins).predict(cells)[0]) ^ int(coins.flip(self.flip))

    def to_json(self) -> dict[str, Any]:
        return self.document(
            "fresh-draws", "epsilon", "kept", "records", "flip", "slip", "failure", "drawing"
        )
