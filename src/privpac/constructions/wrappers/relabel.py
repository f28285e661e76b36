"""Let some records choose the labels of others, and learn from those: who is who is fixed beforehand.

Statement: the first `kept` records are relabelled and learnt from; their own labels are never looked at, and they lose
ln 4 + weight·epsilon·voters/kept + what the learner inside loses. The others vote and lose `epsilon`.
Source: Li–Wang–Ye 2025, Algorithm 1 and Lemma 17 (A_Auxiliary). Accuracy as `Agnostic`.
Holds if: positions are public, and the order of the records does not depend on what they say.
Proof: docs/proofs/relabelling.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.concepts.labellings.base import dimension, with_dichotomies
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.wrappers import rules as wrappers_rules
from privpac.constructions.wrappers.nested import (
    empirical_accuracy,
    parameters_of,
    places,
)
from privpac.constructions.wrappers.vote import AroundVote, Vote
from privpac.data.sample import Sample, Size
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy
from privpac.guarantee.proof import Proof

__all__ = ["RELABELLED", "VOTING", "Relabelled", "accuracy_of_vote"]

RELABELLED, VOTING = "relabelled records", "voting records"


def accuracy_of_vote(
    learner: Learner, vote: Vote, concepts: AnyClass, *, failure: Fraction
) -> tuple[Proof[Accuracy], ...]:
    """Near the best concept on noisy records, if the learner inside is proved to follow clean labels."""
    inner = empirical_accuracy(learner, Size(vote.kept))
    vc = dimension(concepts, counted=min(vote.kept, vote.voters), drawn=vote.kept, voted=True)
    if inner is None or vc is None or concepts != learner.concepts or vote.ratio == 1:
        return ()
    proof = rules.relabelling_accuracy(
        inner,
        kept=vote.kept,
        of=vote.kept + vote.voters,
        ratio=vote.ratio,
        change=vote.change,
        mistake=vote.mistake,
        vc=vc,
        miss=failure / 4,
    )
    return (proof,) if proof.fact.error < 1 else ()


@dataclass(frozen=True)
class Relabelled(AroundVote):
    """The learner inside gets the first `kept` records with the labels that the others vote for."""

    learner: Learner
    kept: int
    epsilon: Fraction
    """Of the vote."""
    weight: Fraction = Fraction(1)
    """How much a label that differs from a concept's counts against a voter's mistake."""
    labelling: AnyClass | None = None
    """The class whose labellings are voted on; the learner's own when not given."""
    failure: Fraction = FAILURE
    """How often the vote may fail, besides the learner inside."""

    owner: ClassVar[str] = "Relabelled"

    def __post_init__(self) -> None:
        self.check_vote()
        with_dichotomies(self.classes, owner="Relabelled")

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        vote, inner = self.vote(size), self.learner.certify(Size(self.kept))
        relabelling = wrappers_rules.relabelling_part(
            inner.privacy,
            classes=len(self.classes.schema.classes),
            ratio=vote.ratio,
            change=vote.change,
            part=RELABELLED,
        )
        draw = rules.exponential_mechanism(ratio=vote.ratio, sensitivity=vote.mistake)
        voting = rules.post_processing(
            rules.declared(draw, epsilon=self.epsilon), what="an answer from the labels"
        )
        return Certificate(
            privacy=rules.disjoint_parts(relabelling, rules.on_part(voting, part=VOTING)),
            accuracy=accuracy_of_vote(self.learner, vote, self.classes, failure=self.failure),
            learner=parameters_of(
                "relabelled", inner, kept=self.kept, epsilon=self.epsilon, weight=self.weight
            ),
            labelled=size.labelled,
        )

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        self.require(sample.size)
        vote, first = self.vote(sample.size), places(range(self.kept))
        labelled = vote.relabel(self.classes, sample.take(first), sample.rest(first), coins)
        return self.learner.learn(labelled, coins)
