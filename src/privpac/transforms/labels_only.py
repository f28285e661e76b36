"""A plain learner among learners of few labels: it looks at labelled records only."""

from __future__ import annotations

from dataclasses import dataclass, replace

from privpac.coins import Coins
from privpac.concepts.base import ConceptClass, Hypothesis
from privpac.data.sample import Size
from privpac.data.semi import SemiSample
from privpac.guarantee.certificate import Certificate
from privpac.learners.base import Learner

__all__ = ["LabelsOnly"]


@dataclass(frozen=True)
class LabelsOnly:
    """`inner` on the labelled part; people without labels lose nothing."""

    inner: Learner

    @property
    def concepts(self) -> ConceptClass:
        return self.inner.concepts

    @property
    def outcomes(self) -> int | None:
        return self.inner.outcomes

    def require(self, size: Size) -> None:
        self.inner.require(Size(size.labelled))

    def certify(self, size: Size) -> Certificate:
        return replace(self.inner.certify(Size(size.labelled)), unlabelled=size.unlabelled)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.inner.releases(hypothesis, Size(size.labelled))

    def learn(self, sample: SemiSample, coins: Coins) -> Hypothesis:
        return self.inner.learn(sample.labelled, coins)
