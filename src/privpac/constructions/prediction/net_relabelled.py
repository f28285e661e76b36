"""All records relabelled by a fresh draw, then a vote: Theorem 2 of Dagan–Feldman, as a reference.

Statement: for every question, a concept is drawn by its mistakes on all records from the labellings of a random subset;
all records get its labels; concepts fitted to blocks of them vote, and the answer is turned round now and then. Each
answer is epsilon-DP. It needs far more records than `FreshDraws` wherever that was computed: for comparison only.
Source: Dagan–Feldman 2020, Theorem 2; register `net-relabelling`, `delta-removal`, `vote`.
Holds if: everything is drawn afresh for every question; representatives depend on the set of points alone.
Proof: docs/proofs/net-relabelling.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Cells
from privpac.concepts.labellings.base import dimension
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.prediction import rules as prediction_rules
from privpac.constructions.prediction.net_formulas import plan_net_relabelled
from privpac.constructions.prediction.redrawn import Redrawn, draw_concept, known_vc, least_dimensional
from privpac.constructions.prediction.relabelled_vote import votes_of
from privpac.constructions.prediction.vote_law import VoteLaw
from privpac.constructions.prediction.voters import Concepts, largest_block
from privpac.data.sample import Sample
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.facts import Accuracy, Privacy
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import plain, ratio_for

__all__ = ["NetRelabelled"]


@dataclass(frozen=True)
class NetRelabelled(Redrawn):
    """A draw at epsilon `drawing` labels all records; `models` concepts vote at `inner`; `flip` turns answers round."""

    owner: ClassVar[str] = "NetRelabelled"
    name: ClassVar[str] = "all records relabelled"

    net: Fraction
    drawing: Fraction
    models: int
    inner: Fraction
    flip: Fraction
    failure: Fraction = FAILURE

    @classmethod
    def planned(
        cls, concepts: AnyClass, epsilon: Fraction, *, records: int, failure: Fraction = FAILURE
    ) -> NetRelabelled:
        """With the parameters that prove the smallest excess for this many records."""

        def build(vc: int) -> NetRelabelled:
            plan = plan_net_relabelled(records, epsilon=epsilon, failure=failure, vc=vc)
            if plan is None:
                raise SizeError(f"{cls.owner}: {records} records are too few at epsilon {plain(epsilon)}.")
            parts = plan.net, plan.drawing, plan.models, plan.inner, plan.flip
            return cls(concepts, epsilon, plan.kept, records, *parts, failure)

        return least_dimensional(build, concepts, records=records, owner=cls.owner)

    def __post_init__(self) -> None:
        super().__post_init__()
        Concepts(self.concepts)
        if not (2 <= self.kept < self.records and 1 <= self.models <= self.records):
            raise ParameterError(self.owner, "kept", self.kept, allowed=f"between 2 and {self.records - 1}")
        if min(self.epsilon, self.drawing, self.inner, self.flip) <= 0:
            raise ParameterError(
                self.owner, "epsilon", plain(self.epsilon), allowed="positive, and so must all its parts be"
            )

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return ratio_for(self.drawing / 2)

    def dimension(self) -> int | None:
        """Labellings of the records but one, of those kept, and of two blocks are counted."""
        fewest = min(self.records - 1, self.kept, 2 * (self.records // self.models))
        return dimension(self.concepts, counted=fewest, drawn=self.kept)

    def require_draw(self) -> None:
        self.listed.require_listed(self.kept, elsewhere=self.records - self.kept)
        Concepts(self.concepts).require(largest_block(self.records, self.models))

    def privacy(self) -> Proof[Privacy]:
        vc = self.dimension() or known_vc(self.concepts, self.owner)
        classes = len(self.schema.classes)
        inner = prediction_rules.vote(classes=classes, ratio=ratio_for(self.inner), models=self.models)
        proof = prediction_rules.net_relabelling(
            inner,
            classes=classes,
            ratio=self.ratio,
            kept=self.kept,
            of=self.records,
            net=self.net,
            vc=vc,
        )
        return prediction_rules.delta_removal(proof, classes=classes, flip=self.flip)

    def proved(self, vc: int) -> Proof[Accuracy]:
        return prediction_rules.net_relabelling_accuracy(
            kept=self.kept,
            ratio=self.ratio,
            models=self.models,
            inner=ratio_for(self.inner),
            flip=self.flip,
            slip=Fraction(1, self.kept + 1),
            records=self.records,
            vc=vc,
            failure=self.failure,
        )

    def votes(self, sample: Sample, cells: Cells, coins: Coins) -> NDArray[np.int64]:
        """The votes for class 1, from one draw and one order. Private, and good for one answer only."""
        concept = draw_concept(self.listed, sample, kept=self.kept, ratio=self.ratio, coins=coins)
        shuffle = sample.take(np.asarray(coins.subset(self.records, self.records), dtype=np.int64))
        labelled = shuffle.relabelled(concept.predict(shuffle.block().cells))
        return votes_of(self.concepts, labelled, models=self.models, cells=cells)

    def draw(self, sample: Sample, cells: Cells, coins: Coins) -> int:
        votes = self.votes(sample, cells, coins)
        answer = int(VoteLaw(self.models, ratio_for(self.inner)).draw(votes, coins)[0])
        return answer ^ int(coins.flip(self.flip))

    def to_json(self) -> dict[str, Any]:
        parts = ("epsilon", "net", "drawing", "inner", "flip", "failure")
        return self.document("net-relabelled", "kept", "records", "models", *parts)
