"""A vote on records relabelled by the others: Theorem 20 of Li–Wang–Ye.

Statement: for every question, `kept` random records are relabelled by a private vote of all others, concepts are fitted
to `models` blocks of them, and these vote. Each answer is epsilon-DP, and errs above the best concept by at most the
certified amount, except with the certified probability over independent records.
Source: Li–Wang–Ye 2025, Theorem 20; register `relabelled-vote`, `relabelling`, `vote`.
Holds if: everything is drawn afresh for every question; the relabelled records come in uniformly random order.
Proof: docs/proofs/relabelled-vote.md.
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
from privpac.constructions.prediction.redrawn import Redrawn, least_dimensional
from privpac.constructions.prediction.relabelled_formulas import plan_relabelled_vote
from privpac.constructions.prediction.vote_law import VoteLaw
from privpac.constructions.prediction.voters import Concepts, largest_block
from privpac.constructions.wrappers import relabelling
from privpac.data.sample import Sample
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.facts import Accuracy, Privacy
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import plain, ratio_for

__all__ = ["RelabelledVote", "votes_of"]


def votes_of(concepts: AnyClass, records: Sample, *, models: int, cells: Cells) -> NDArray[np.int64]:
    """How many concepts fitted to slots of records in random order say class 1, for every question."""
    voters, n = Concepts(concepts), records.size.labelled
    slots = [np.arange(slot, n, models) for slot in range(models)]
    return voters.tally([voters.train(records.take(slot)) for slot in slots], cells)[:, 1]


@dataclass(frozen=True)
class RelabelledVote(Redrawn):
    """`kept` of `records` records get labels voted for at epsilon `labels`; `models` concepts vote at `inner`."""

    owner: ClassVar[str] = "RelabelledVote"
    name: ClassVar[str] = "relabelled vote"

    labels: Fraction
    weight: Fraction
    models: int
    inner: Fraction
    failure: Fraction = FAILURE

    @classmethod
    def planned(
        cls, concepts: AnyClass, epsilon: Fraction, *, records: int, failure: Fraction = FAILURE
    ) -> RelabelledVote:
        """With the parameters that prove the smallest excess for this many records."""

        def build(vc: int) -> RelabelledVote:
            plan = plan_relabelled_vote(records, epsilon=epsilon, failure=failure, vc=vc)
            if plan.inner <= 0 or plan.kept < plan.models:
                raise SizeError(
                    f"{cls.owner}: {records} records are too few to relabel some and vote on them."
                )
            parts = plan.labels, plan.weight, plan.models, plan.inner
            return cls(concepts, epsilon, plan.kept, records, *parts, failure)

        return least_dimensional(build, concepts, records=records, owner=cls.owner)

    def __post_init__(self) -> None:
        super().__post_init__()
        Concepts(self.concepts)
        if not 1 <= self.models <= self.kept < self.records:
            raise ParameterError(
                self.owner, "kept", self.kept, allowed=f"between {self.models} and {self.records - 1}"
            )
        if min(self.epsilon, self.labels, self.weight, self.inner) <= 0:
            raise ParameterError(
                self.owner, "epsilon", plain(self.epsilon), allowed="positive, and so must all its parts be"
            )

    @property
    def label_vote(self) -> relabelling.Vote:
        """The vote that relabels the kept records."""
        return relabelling.Vote(self.kept, self.records - self.kept, self.labels, self.weight)

    def dimension(self) -> int | None:
        """Labellings of the records that vote, of those kept, and of two blocks are counted."""
        fewest = min(self.records - self.kept, self.kept, 2 * (self.kept // self.models))
        return dimension(self.concepts, counted=fewest, drawn=self.kept, voted=True)

    def require_draw(self) -> None:
        self.listed.require_relabelled(self.kept, voters=self.records - self.kept)
        Concepts(self.concepts).require(largest_block(self.kept, self.models))

    def privacy(self) -> Proof[Privacy]:
        vote, classes = self.label_vote, len(self.schema.classes)
        return relabelling.relabelling(
            prediction_rules.vote(classes=classes, ratio=ratio_for(self.inner), models=self.models),
            classes=classes,
            kept=self.kept,
            of=self.records,
            ratio=vote.ratio,
            change=vote.change,
            mistake=vote.mistake,
        )

    def proved(self, vc: int) -> Proof[Accuracy]:
        vote = self.label_vote
        return prediction_rules.relabelled_vote(
            kept=self.kept,
            ratio=vote.ratio,
            mistake=vote.mistake,
            weight=self.weight,
            models=self.models,
            inner=ratio_for(self.inner),
            records=self.records,
            vc=vc,
            failure=self.failure,
        )

    def votes(self, sample: Sample, cells: Cells, coins: Coins) -> NDArray[np.int64]:
        """The votes for class 1, from one relabelling. Private, and good for one answer only."""
        positions = np.asarray(coins.subset(self.records, self.kept), dtype=np.int64)
        labelled = self.label_vote.relabel(
            self.concepts, sample.take(positions), sample.rest(positions), coins
        )
        return votes_of(self.concepts, labelled, models=self.models, cells=cells)

    def draw(self, sample: Sample, cells: Cells, coins: Coins) -> int:
        votes = self.votes(sample, cells, coins)
        return int(VoteLaw(self.models, ratio_for(self.inner)).draw(votes, coins)[0])

    def to_json(self) -> dict[str, Any]:
        names = ("epsilon", "kept", "records", "labels", "weight", "models", "inner", "failure")
        return self.document("relabelled-vote", *names)
