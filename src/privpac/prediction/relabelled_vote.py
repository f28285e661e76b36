"""A vote on records relabelled by the others: Theorem 20 of Li–Wang–Ye.

Statement: for every question, `kept` random records are relabelled by a private vote of all others, concepts are fitted
to `models` blocks of them, and these vote. Each answer is epsilon-DP, and errs above the best concept by at most the
certified amount, except with the certified probability over independent records.
Source: Li–Wang–Ye 2025, Theorem 20; register `relabelled-vote`, `relabelling`, `vote`.
Holds if: everything is drawn afresh for every question; the relabelled records come in uniformly random order.
Proof: docs/proofs/relabelled-vote.md. Tested by tests/exact/test_prediction.py,
tests/statistical/test_prediction.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privpac.coins import Coins
from privpac.concepts.base import Cells, ConceptClass
from privpac.concepts.dichotomies import with_dichotomies
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, RuleRefused, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy
from privpac.guarantee.proof import Proof
from privpac.learners.occam import FAILURE
from privpac.learners.stored_classes import stored_concepts
from privpac.mechanisms.vote import VoteLaw
from privpac.prediction.fresh_draws import PreparedDraws
from privpac.prediction.voters import Concepts, require_two_classes
from privpac.theory.exact import plain, ratio_for
from privpac.theory.relabelled_prediction import plan_relabelled_vote
from privpac.transforms.vote import Vote as LabelVote

__all__ = ["RelabelledVote", "voted"]

OWNER = "RelabelledVote"


def voted(
    concepts: ConceptClass, records: Sample, *, models: int, ratio: Fraction, cells: Cells, coins: Coins
) -> int:
    """The answer of concepts fitted to slots of records that are in random order."""
    voters, n = Concepts(concepts), records.size.labelled
    slots = [np.arange(slot, n, models) for slot in range(models)]
    counts = voters.tally([voters.train(records.take(slot)) for slot in slots], cells)[:, 1]
    return int(VoteLaw(models, ratio).draw(counts, coins)[0])


@dataclass(frozen=True)
class RelabelledVote:
    """`kept` of `records` records get labels voted for at epsilon `labels`; `models` concepts vote at `inner`."""

    concepts: ConceptClass
    epsilon: Fraction
    kept: int
    records: int
    labels: Fraction
    weight: Fraction
    models: int
    inner: Fraction
    failure: Fraction = FAILURE

    @classmethod
    def planned(
        cls, concepts: ConceptClass, epsilon: Fraction, *, records: int, failure: Fraction = FAILURE
    ) -> RelabelledVote:
        """With the parameters that prove the smallest excess for so many records."""
        if concepts.vc is None:
            raise ParameterError(
                OWNER, "concepts", concepts.word, allowed="a class whose VC dimension is known"
            )
        plan = plan_relabelled_vote(records, epsilon=epsilon, failure=failure, vc=concepts.vc)
        if plan.inner <= 0 or plan.kept < plan.models:
            raise SizeError(f"{OWNER}: {records} records are too few to relabel some and vote on them.")
        return cls(
            concepts, epsilon, plan.kept, records, plan.labels, plan.weight, plan.models, plan.inner, failure
        )

    def __post_init__(self) -> None:
        require_two_classes(self.schema, "a vote")
        with_dichotomies(self.concepts, owner=OWNER)
        Concepts(self.concepts)
        if not 1 <= self.models <= self.kept < self.records:
            raise ParameterError(
                OWNER, "kept", self.kept, allowed=f"between {self.models} and {self.records - 1}"
            )
        if min(self.epsilon, self.labels, self.weight, self.inner) <= 0:
            raise ParameterError(OWNER, "epsilon", plain(self.epsilon), allowed="positive, as all its parts")

    @property
    def schema(self) -> Schema:
        return self.concepts.schema

    @property
    def columns(self) -> tuple[str, ...]:
        return self.concepts.statistic.columns

    @property
    def label_vote(self) -> LabelVote:
        return LabelVote(self.kept, self.records - self.kept, self.labels, self.weight)

    def certify(self, size: Size) -> Certificate:
        if size.labelled != self.records:
            raise SizeError(
                f"{OWNER} was planned for {self.records} records, and there are {size.labelled}.",
                remedy="Plan it for the number of records there are.",
            )
        vote = self.label_vote
        proof = rules.relabelling(
            rules.vote(ratio=ratio_for(self.inner), models=self.models),
            kept=self.kept,
            of=self.records,
            ratio=vote.ratio,
            change=vote.change,
            mistake=vote.mistake,
        )
        return Certificate(
            privacy=rules.declared(proof, epsilon=self.epsilon),
            accuracy=self._accuracy(),
            learner={"name": "relabelled vote", **self.to_json()},
            labelled=size.labelled,
        )

    def _accuracy(self) -> tuple[Proof[Accuracy], ...]:
        if self.concepts.vc is None:
            return ()
        vote = self.label_vote
        try:
            proof = rules.relabelled_vote(
                kept=self.kept,
                ratio=vote.ratio,
                mistake=vote.mistake,
                weight=self.weight,
                models=self.models,
                inner=ratio_for(self.inner),
                records=self.records,
                vc=self.concepts.vc,
                failure=self.failure,
            )
        except RuleRefused:  # so few records that nothing is proved
            return ()
        return (proof,)

    def prepare(self, sample: Sample, coins: Coins) -> PreparedDraws:
        """The records themselves: nothing that was drawn from them may be kept."""
        return self.over(sample)

    def over(self, sample: Sample) -> PreparedDraws:
        return PreparedDraws(self, sample)

    def draw(self, sample: Sample, cells: Cells, coins: Coins) -> int:
        """One answer to one question, with coins for nothing else."""
        chosen = np.asarray(coins.subset(self.records, self.kept), dtype=np.int64)
        labelled = self.label_vote.relabel(self.concepts, sample.take(chosen), sample.rest(chosen), coins)
        ratio = ratio_for(self.inner)
        return voted(self.concepts, labelled, models=self.models, ratio=ratio, cells=cells, coins=coins)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "relabelled-vote",
            "concepts": stored_concepts(self.concepts),
            "epsilon": plain(self.epsilon),
            "kept": self.kept,
            "records": self.records,
            "labels": plain(self.labels),
            "weight": plain(self.weight),
            "models": self.models,
            "inner": plain(self.inner),
            "failure": plain(self.failure),
        }
