"""What a learner is: it certifies before it sees records, and learns what it certified."""

from __future__ import annotations

from typing import Protocol

from privpac.coins import Coins
from privpac.concepts.base import ConceptClass, Hypothesis
from privpac.data.sample import Sample, Size
from privpac.data.semi import SemiSample
from privpac.guarantee.certificate import Certificate

__all__ = ["Learner", "SemiLearner"]


class Learner(Protocol):
    """A pair of methods on one frozen value of public parameters."""

    @property
    def concepts(self) -> ConceptClass: ...

    @property
    def outcomes(self) -> int | None:
        """How many hypotheses it could ever release, or more; public. None: unknown, so that an estimate of accuracy
        needs records of its own."""

    def certify(self, size: Size) -> Certificate:
        """What will be true of `learn` on this many records, from public parameters alone."""

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        """Whether `learn` on this many records could ever return this hypothesis, from public parameters alone."""

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis: ...


class SemiLearner(Protocol):
    """A learner of few labels: it sees labelled and unlabelled records, and `size` counts both."""

    @property
    def concepts(self) -> ConceptClass: ...

    @property
    def outcomes(self) -> int | None: ...

    def certify(self, size: Size) -> Certificate:
        """As a learner's; `Certificate.parts` tells labelled and unlabelled people apart."""

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool: ...

    def learn(self, sample: SemiSample, coins: Coins) -> Hypothesis: ...
