"""The vote on labels: what a mistake and a changed label cost, and the draw of a labelling (A_Relabel).

Statement: a labelling z of the kept points is drawn with weight e^(-(epsilon·w/2)·score(z)), score(z) = min over
concepts f of weight·(share of kept records with z ≠ f) + (share of the w voters that f gets wrong). Both shares over a
common denominator make whole numbers: a changed label costs `change` and a mistake `mistake` units, change/mistake =
weight·w/kept, and one unit is worth e^(-epsilon/(2·mistake)), rounded up to a double: smaller loss, never larger.
Source: Li–Wang–Ye 2025, Algorithm 1. Proof: docs/proofs/relabelling.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.concepts.labellings.base import with_dichotomies
from privpac.concepts.labellings.members import voted_on
from privpac.concepts.labellings.ranks import RankDichotomies
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.base import Around
from privpac.constructions.wrappers.nested import labelled_only, positive_number
from privpac.data.sample import InMemory, Sample, Size
from privpac.errors import ParameterError, SizeError
from privpac.numbers.exact import ratio_for
from privpac.numbers.parameters import chance, whole_positive

__all__ = ["AroundVote", "Vote"]

LARGEST_SCORE = 2**61
"""Scores are 64-bit integers, and sums of two of them must fit."""


@dataclass(frozen=True)
class Vote:
    """`voters` records choose labels for `kept` others."""

    kept: int
    voters: int
    epsilon: Fraction
    weight: Fraction

    def __post_init__(self) -> None:
        if self.change * self.kept + self.mistake * self.voters >= LARGEST_SCORE:
            raise SizeError(
                "The vote on labels has scores beyond 64 bits.",
                remedy="Keep a number of records that shares a factor with the number of voters, or a round weight.",
            )

    @property
    def change(self) -> int:
        """The score of one changed label among the kept records."""
        return (self.weight * Fraction(self.voters, self.kept)).numerator

    @property
    def mistake(self) -> int:
        """The score of one mistake among the voters."""
        return (self.weight * Fraction(self.voters, self.kept)).denominator

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return ratio_for(self.epsilon / (2 * self.mistake))

    def relabel(self, concepts: AnyClass, sample: InMemory, rest: Sample, coins: Coins) -> InMemory:
        """The kept records with labels drawn by the vote."""
        labellings = voted_on(with_dichotomies(concepts, owner="Vote"), sample)
        scores = labellings.relabelling(sample, rest, change=self.change, mistake=self.mistake)
        return sample.relabelled(labellings.labels(scores.draw(self.ratio, coins), sample.block().cells))

    def relabel_ranks(self, concepts: AnyClass, sample: InMemory, rest: Sample, coins: Coins) -> InMemory:
        """The same by ranks in the shuffled order: equal points may get different labels."""
        ranks = RankDichotomies(needs_cuts(concepts), sample)
        scores = ranks.relabelling(rest, change=self.change, mistake=self.mistake)
        return sample.relabelled(ranks.labels(scores.draw(self.ratio, coins)))


def needs_cuts(concepts: AnyClass) -> Thresholds:
    """The class as thresholds; refused if it is another one."""
    if not isinstance(concepts, Thresholds):
        raise ParameterError(
            "Agnostic",
            "ranks",
            True,
            allowed="False for " + concepts.word,
            remedy="Ranks are for thresholds on one ordered column.",
        )
    return concepts


class AroundVote(Around):
    """A learner around one that gets `kept` records with the labels that all others vote for."""

    owner: ClassVar[str]
    """How refusals call it."""
    kept: int
    epsilon: Fraction
    weight: Fraction
    labelling: AnyClass | None
    failure: Fraction

    def check_vote(self) -> None:
        """Refuse parameters of the vote that are out of range."""
        whole_positive(self.kept, owner=self.owner, name="kept")
        positive_number(self.owner, "epsilon", self.epsilon)
        positive_number(self.owner, "weight", self.weight)
        chance(self.failure, owner=self.owner, name="failure")

    @property
    def classes(self) -> AnyClass:
        """The class whose labellings are voted on."""
        return self.labelling or self.learner.concepts

    @property
    def passes(self) -> int:
        """One takes the records kept, one lets the others vote."""
        return 2

    def require(self, size: Size) -> None:
        """Refuse what the learner inside refuses, and more labellings than can be voted on."""
        voters = self.vote(size).voters
        with_dichotomies(self.classes, owner=self.owner).require_relabelled(self.kept, voters=voters)
        self.learner.require(Size(self.kept))

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        """Whether the learner inside could release it from the kept records."""
        return self.learner.releases(hypothesis, Size(self.kept))

    def vote(self, size: Size) -> Vote:
        """The vote for this many records; refused if no voter is left."""
        n = labelled_only(self.owner, size, least=self.kept + 1)
        return Vote(self.kept, n - self.kept, self.epsilon, self.weight)
