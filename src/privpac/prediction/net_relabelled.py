"""All records relabelled by a fresh draw, then a vote: Theorem 2 of Dagan–Feldman, as a reference.

Statement: for every question, a concept is drawn by its mistakes on all records from the labellings of a random subset;
all records get its labels; concepts fitted to blocks of them vote, and the answer is turned round now and then. Each
answer is epsilon-DP. It needs far more records than `FreshDraws` wherever that was computed: for comparison only.
Source: Dagan–Feldman 2020, Theorem 2; register `net-relabelling`, `delta-removal`, `vote`.
Holds if: everything is drawn afresh for every question; representatives depend on the set of points alone.
Proof: docs/proofs/net-relabelling.md. Tested by tests/exact/test_prediction.py,
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
from privpac.mechanisms import gibbs
from privpac.prediction.fresh_draws import PreparedDraws
from privpac.prediction.relabelled_vote import voted
from privpac.prediction.voters import Concepts, require_two_classes
from privpac.theory.exact import plain, ratio_for
from privpac.theory.relabelled_prediction import plan_net_relabelled

__all__ = ["NetRelabelled"]

OWNER = "NetRelabelled"


@dataclass(frozen=True)
class NetRelabelled:
    """A draw at epsilon `drawing` labels all records; `models` concepts vote at `inner`; `flip` turns answers round."""

    concepts: ConceptClass
    epsilon: Fraction
    kept: int
    records: int
    net: Fraction
    drawing: Fraction
    models: int
    inner: Fraction
    flip: Fraction
    failure: Fraction = FAILURE

    @classmethod
    def planned(
        cls, concepts: ConceptClass, epsilon: Fraction, *, records: int, failure: Fraction = FAILURE
    ) -> NetRelabelled:
        """With the parameters that prove the smallest excess for so many records."""
        if concepts.vc is None:
            raise ParameterError(
                OWNER, "concepts", concepts.word, allowed="a class whose VC dimension is known"
            )
        plan = plan_net_relabelled(records, epsilon=epsilon, failure=failure, vc=concepts.vc)
        if plan is None:
            raise SizeError(f"{OWNER}: {records} records are too few at epsilon {plain(epsilon)}.")
        return cls(
            concepts,
            epsilon,
            plan.kept,
            records,
            plan.net,
            plan.drawing,
            plan.models,
            plan.inner,
            plan.flip,
            failure,
        )

    def __post_init__(self) -> None:
        require_two_classes(self.schema, "a vote")
        with_dichotomies(self.concepts, owner=OWNER)
        Concepts(self.concepts)
        if not (2 <= self.kept < self.records and 1 <= self.models <= self.records):
            raise ParameterError(OWNER, "kept", self.kept, allowed=f"between 2 and {self.records - 1}")
        if min(self.epsilon, self.drawing, self.inner, self.flip) <= 0:
            raise ParameterError(OWNER, "epsilon", plain(self.epsilon), allowed="positive, as all its parts")

    @property
    def schema(self) -> Schema:
        return self.concepts.schema

    @property
    def columns(self) -> tuple[str, ...]:
        return self.concepts.statistic.columns

    @property
    def ratio(self) -> Fraction:
        return ratio_for(self.drawing / 2)

    def certify(self, size: Size) -> Certificate:
        vc = self.concepts.vc
        if size.labelled != self.records or vc is None:
            raise SizeError(
                f"{OWNER} was planned for {self.records} records of a class of known VC dimension.",
                remedy="Plan it for the number of records there are.",
            )
        inner = rules.vote(ratio=ratio_for(self.inner), models=self.models)
        proof = rules.net_relabelling(
            inner, ratio=self.ratio, kept=self.kept, of=self.records, net=self.net, vc=vc
        )
        return Certificate(
            privacy=rules.declared(rules.delta_removal(proof, flip=self.flip), epsilon=self.epsilon),
            accuracy=self._accuracy(vc),
            learner={"name": "all records relabelled", **self.to_json()},
            labelled=size.labelled,
        )

    def _accuracy(self, vc: int) -> tuple[Proof[Accuracy], ...]:
        try:
            proof = rules.net_relabelling_accuracy(
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
        listed = with_dichotomies(self.concepts, owner=OWNER).dichotomies(sample.take(chosen))
        drawn = listed.member(gibbs.draw(listed.mistakes(sample), self.ratio, coins))
        order = np.asarray(coins.subset(self.records, self.records), dtype=np.int64)
        shuffled = sample.take(order)
        labelled = shuffled.relabelled(drawn.predict(shuffled.block().cells))
        ratio = ratio_for(self.inner)
        answer = voted(self.concepts, labelled, models=self.models, ratio=ratio, cells=cells, coins=coins)
        return answer ^ int(coins.flip(self.flip))

    def to_json(self) -> dict[str, Any]:
        parts = {
            name: plain(getattr(self, name))
            for name in ("epsilon", "net", "drawing", "inner", "flip", "failure")
        }
        return {
            "kind": "net-relabelled",
            "concepts": stored_concepts(self.concepts),
            "kept": self.kept,
            "records": self.records,
            "models": self.models,
            **parts,
        }
