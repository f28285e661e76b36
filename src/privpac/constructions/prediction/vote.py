"""The vote of models trained on disjoint blocks of the records: any classifier, one price per answer.

Statement: each answer is epsilon-DP when one record is replaced, exactly, whatever the models are and however many.
With concepts that fit their blocks best, if some concept makes no error and records are independent, an answer
errs with at most the certified probability.
Source: Li–Wang–Ye 2025, Lemma 19; Dagan–Feldman 2020, Lemma 6; the vote itself and its constants are ours.
Holds if: a model is a function of its own block. Blocks are slots of a uniformly random order of the records, drawn
without looking at them; the order and the models are kept for all answers, the coins of the vote are fresh for each.
Two classes have a vote of their own, the best there is; more of them, permute-and-flip on the counts. Where a budget
adds rho, exponential weights give four times as many answers of one epsilon, and three times as many of one error.
Proof: docs/proofs/vote.md, docs/proofs/plurality.md, docs/proofs/exponential-vote.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Cells
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.prediction import rules as prediction_rules
from privpac.constructions.prediction.vote_law import VoteLaw
from privpac.constructions.prediction.voters import Voters, largest_block
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.errors import RuleRefused, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate, public_parameters
from privpac.guarantee.facts import Accuracy, Privacy
from privpac.guarantee.proof import Proof
from privpac.mechanisms.exponential_vote import ExponentialVoteLaw
from privpac.mechanisms.plurality import PluralityLaw
from privpac.numbers.exact import ratio_for
from privpac.numbers.parameters import positive, whole_positive

__all__ = ["Law", "PreparedVote", "Vote", "default_models"]

RECORDS_A_MODEL = 12
UNANIMOUS = 1 / 200
MOST_MODELS = 1_001
"""As many models as it takes for noise to turn a unanimous vote round once in 200 times, half a percent of error, while
each has 12 records. Fewer add noise; more starve each of them of records and only sharpen what is sharp. The constants
are choices that did well where they were tried (benchmarks/results/accuracy.md); privacy does not depend on them."""


class Law(StrEnum):
    """How votes become an answer."""

    MAJORITY = "majority"
    """With the least error at one epsilon: for budgets that add epsilons."""
    EXPONENTIAL = "exponential"
    """With the least error at one rho: for budgets that add rho."""


def default_models(n: int, epsilon: Fraction, law: Law = Law.MAJORITY) -> int:
    """An odd number of models that follows from public numbers: the least with an error of unanimous models below
    `UNANIMOUS`, if there are records for them. That error is e^(-epsilon·j)/(1 + e^epsilon), j = (models - 1)/2, and
    1/(1 + e^(models·epsilon/2)) by exponential weights."""
    price = float(epsilon)
    if law is Law.EXPONENTIAL:
        lead = (math.log1p(-UNANIMOUS) - math.log(UNANIMOUS)) / price - 0.5  # half of the models, but for one
    else:
        lead = (-math.log(UNANIMOUS) - price - math.log1p(math.exp(-price))) / price
    models = min(2 * max(0, math.ceil(lead)) + 1, n // RECORDS_A_MODEL, MOST_MODELS)
    return max(1, models - (models + 1) % 2)


@dataclass(frozen=True)
class Vote:
    """`models` voters on disjoint shuffled blocks, asked at `epsilon` an answer."""

    voters: Voters
    epsilon: Fraction
    models: int
    failure: Fraction = FAILURE
    law: Law = Law.MAJORITY

    def __post_init__(self) -> None:
        positive(self.epsilon, owner="Vote", name="epsilon")
        whole_positive(self.models, owner="Vote", name="models")

    @property
    def schema(self) -> Schema:
        """The schema of the questions."""
        return self.voters.schema

    @property
    def columns(self) -> tuple[str, ...]:
        return self.voters.columns

    @property
    def _two(self) -> bool:
        return len(self.schema.classes) == 2

    @property
    def ratio(self) -> Fraction:
        """Of one vote: by the majority of two a changed vote is one step, elsewhere two counts move."""
        one_step = self._two and self.law is Law.MAJORITY
        return ratio_for(self.epsilon if one_step else self.epsilon / 2)

    def require(self, size: Size) -> None:
        if size.labelled < self.models:
            raise SizeError(
                f"A vote of {self.models} models needs at least as many records, and there are {size.labelled}.",
                remedy="Ask for fewer models.",
            )
        self.voters.require(largest_block(size.labelled, self.models))

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        return Certificate(
            privacy=rules.declared(self._privacy(), epsilon=self.epsilon),
            accuracy=self._accuracy(size.labelled),
            learner={"name": "vote", **self.to_json()},
            labelled=size.labelled,
        )

    def _privacy(self) -> Proof[Privacy]:
        ratio, models, classes = self.ratio, self.models, len(self.schema.classes)
        if self.law is Law.EXPONENTIAL:
            return prediction_rules.exponential_vote(ratio=ratio, models=models, classes=classes)
        if self._two:
            return prediction_rules.vote(classes=classes, ratio=ratio, models=models)
        return prediction_rules.plurality(ratio=ratio, models=models, classes=classes)

    def _accuracy(self, records: int) -> tuple[Proof[Accuracy], ...]:
        vc = self.voters.dimension(2 * (records // self.models))
        if vc is None:
            return ()
        is_exponential = self.law is Law.EXPONENTIAL
        promise = (
            prediction_rules.exponential_vote_accuracy if is_exponential else prediction_rules.vote_accuracy
        )
        try:
            return (
                promise(models=self.models, ratio=self.ratio, records=records, vc=vc, failure=self.failure),
            )
        except RuleRefused:  # so few records that nothing is proved
            return ()

    def prepare(self, sample: Sample, coins: Coins) -> PreparedVote:
        self.require(sample.size)
        n = sample.size.labelled
        order = np.asarray(coins.subset(n, n), dtype=np.int64)
        blocks = [sample.take(order[slot :: self.models]) for slot in range(self.models)]
        return PreparedVote(self, tuple(self.voters.train(block) for block in blocks))

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "vote",
            "voters": dict(self.voters.to_json()),
            **public_parameters(self, "epsilon", "models", "failure"),
            **({} if self.law is Law.MAJORITY else {"law": self.law.value}),
        }


@dataclass(frozen=True, eq=False, repr=False)
class PreparedVote:
    """Trained models. Private: it has no repr."""

    predictor: Vote
    models: Sequence[Any]

    @cached_property
    def _law(self) -> VoteLaw:
        """The same for every answer, and its fractions take longer than a draw from them."""
        return VoteLaw(self.predictor.models, self.predictor.ratio)

    def answer(self, cells: Cells, coins: Coins) -> NDArray[np.uint8]:
        vote = self.predictor
        votes = vote.voters.tally(self.models, cells)
        if vote.law is Law.EXPONENTIAL:
            return ExponentialVoteLaw(vote.ratio).draw(votes, coins)
        if votes.shape[1] == 2:
            return self._law.draw(votes[:, 1], coins)
        return PluralityLaw(vote.ratio).draw(votes, coins)
