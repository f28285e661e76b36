"""A plain learner among learners of few labels: it looks at labelled records only."""

from __future__ import annotations

from dataclasses import dataclass, replace

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.constructions.base import Around, Learner
from privpac.data.sample import Size
from privpac.data.semi import SemiSample
from privpac.guarantee.certificate import Certificate

__all__ = ["LabelsOnly"]


@dataclass(frozen=True)
class LabelsOnly(Around):
    """`learner` on the labelled part; people without labels lose nothing."""

    learner: Learner

    def require(self, size: Size) -> None:
        self.learner.require(Size(size.labelled))

    def certify(self, size: Size) -> Certificate:
        return replace(self.learner.certify(Size(size.labelled)), unlabelled=size.unlabelled)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.learner.releases(hypothesis, Size(size.labelled))

    def learn(self, sample: SemiSample, coins: Coins) -> Hypothesis:
        return self.learner.learn(sample.labelled, coins)
