"""From a learner of clean records to one of noisy records, with its guarantee (A_Agnostic).

Statement: a random `kept` of n records are relabelled by the vote of the others and given, in random order, to the
learner inside. With q = kept/n, a = e^(epsilon/2) of the vote, b = e^(weight·epsilon·(1 - q)/q):
e^eps' = ((1 - q)·a^2 + q·w·4·b·e^eps)/((1 - q) + q·w), w = a(1 + a)/2 (a^2 if weight·(1 - q) < q); delta' = q·delta.
With `ranks` (thresholds): e^eps' = ((1 - q)·a^2 + q·a^2·b·e^(2 eps))/((1 - q) + q·a^2), delta' = q·(1 + e^eps)·delta.
Source: Li–Wang–Ye 2025, Algorithm 2, Lemma 15, Claim 16; constants ours, all parameters free, no smallness needed.
Holds if: as `wrappers_rules.relabelling`; `ranks` hands equal points with different labels to the learner inside.
Proof: docs/proofs/relabelling.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.concepts.labellings.base import with_dichotomies
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.wrappers import rules as wrappers_rules
from privpac.constructions.wrappers.nested import (
    parameters_of,
    places,
)
from privpac.constructions.wrappers.relabel import accuracy_of_vote
from privpac.constructions.wrappers.vote import AroundVote, Vote, needs_cuts
from privpac.data.sample import InMemory, Sample, Size
from privpac.guarantee.certificate import Certificate

__all__ = ["Agnostic"]


@dataclass(frozen=True)
class Agnostic(AroundVote):
    """The learner inside gets `kept` random records with the labels that all others vote for."""

    learner: Learner
    kept: int
    epsilon: Fraction
    """Of the vote."""
    weight: Fraction = Fraction(1)
    """How much a label that differs from a concept's counts against a voter's mistake."""
    ranks: bool = False
    """Tell equal points of a threshold apart by their place: a smaller loss while the inner epsilon is below ln 4."""
    labelling: AnyClass | None = None
    """The class whose labellings are voted on; the learner's own when not given."""
    failure: Fraction = FAILURE
    """How often the vote may fail, besides the learner inside."""

    owner: ClassVar[str] = "Agnostic"

    def __post_init__(self) -> None:
        self.check_vote()
        if self.ranks:
            needs_cuts(self.classes)
        else:
            with_dichotomies(self.classes, owner="Agnostic")

    def require(self, size: Size) -> None:
        if not self.ranks:
            return super().require(size)
        self.vote(size)
        return self.learner.require(Size(self.kept))

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        vote, inner = self.vote(size), self.learner.certify(Size(self.kept))
        rule = wrappers_rules.rank_relabelling if self.ranks else wrappers_rules.relabelling
        # By ranks the labels may belong to no concept, so nothing is proved of a learner that expects one.
        accuracy = (
            () if self.ranks else accuracy_of_vote(self.learner, vote, self.classes, failure=self.failure)
        )
        return Certificate(
            privacy=rule(
                inner.privacy,
                classes=len(self.classes.schema.classes),
                kept=self.kept,
                of=size.labelled,
                ratio=vote.ratio,
                change=vote.change,
                mistake=vote.mistake,
            ),
            accuracy=accuracy,
            learner=parameters_of(
                "agnostic",
                inner,
                kept=self.kept,
                epsilon=self.epsilon,
                weight=self.weight,
                ranks=self.ranks,
            ),
            labelled=size.labelled,
        )

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        self.require(sample.size)
        vote = self.vote(sample.size)
        positions = places(coins.subset(sample.size.labelled, self.kept))
        return self.after(vote, sample.take(positions), sample.rest(positions), coins)

    def after(self, vote: Vote, sample: InMemory, rest: Sample, coins: Coins) -> Hypothesis:
        """What happens once it is drawn who is kept; `sample` comes in random order."""
        return self.learner.learn(self.labelled(vote, sample, rest, coins), coins)

    def labelled(self, vote: Vote, sample: InMemory, rest: Sample, coins: Coins) -> Sample:
        """The kept records with labels that the others voted for."""
        relabel = vote.relabel_ranks if self.ranks else vote.relabel
        return relabel(self.classes, sample, rest, coins)
