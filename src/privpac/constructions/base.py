"""What a learner is: it certifies before it sees records, and learns what it certified."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import ClassVar, Protocol, final

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.data.sample import Sample, Size
from privpac.data.semi import SemiSample
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy, Privacy
from privpac.guarantee.proof import Proof
from privpac.guarantee.theorem import AccuracyBound
from privpac.numbers.exact import plain, ratio_for

__all__ = [
    "Around",
    "Certified",
    "DrawsMembers",
    "DrawsOnce",
    "Learner",
    "ReadsOnce",
    "SemiLearner",
]


class ReadsOnce:
    """A learner that looks at its records once: it counts them, or takes some of them into memory."""

    @property
    def passes(self) -> int:
        """Records are read once."""
        return 1


class DrawsOnce:
    """A learner whose one private draw may lose all of its `epsilon`."""

    epsilon: Fraction

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return ratio_for(self.epsilon / 2)


class _OfClass(Protocol):
    @property
    def concepts(self) -> AnyClass: ...


class DrawsMembers:
    """A learner that may release every member of its class, and nothing else."""

    @property
    def outcomes(self: _OfClass) -> int | None:
        """As many as the class has members."""
        return self.concepts.size

    def releases(self: _OfClass, hypothesis: Hypothesis, size: Size) -> bool:
        """Whether it is a member of the class."""
        return self.concepts.contains(hypothesis)


class Certified(ABC):
    """A learner whose certificate follows from what it loses, how right it is and what it says of its own numbers."""

    epsilon: Fraction
    failure: Fraction
    name: ClassVar[str]
    note: ClassVar[str] = ""
    """What its certificates say beside their numbers."""

    @property
    @abstractmethod
    def word(self) -> str:
        """What a person writes for it."""

    @abstractmethod
    def require(self, size: Size) -> None:
        """Refuse what `learn` could not do with this many records."""

    @abstractmethod
    def loss(self, size: Size) -> Proof[Privacy]:
        """What a run on this many records loses."""

    def bounds(self, size: Size) -> Iterable[AccuracyBound]:
        """How right it is on this many records; none, where nothing is promised about errors."""
        return ()

    def accuracy(self, size: Size) -> tuple[Proof[Accuracy], ...]:
        """What is proved about the errors of a run on this many records."""
        return tuple(
            proof for bound in self.bounds(size) for proof in bound.promise(size.labelled, self.failure)
        )

    def parameters(self, size: Size) -> Mapping[str, object]:
        """Its own numbers, for people to read."""
        return {}

    @final
    def certify(self, size: Size) -> Certificate:
        """What will be true of `learn` on this many records, from public parameters alone."""
        self.require(size)
        told = {"name": self.name, "concepts": self.word, "epsilon": self.epsilon, **self.parameters(size)}
        told |= {"failure": self.failure} | ({"note": self.note} if self.note else {})
        return Certificate(
            privacy=self.loss(size),
            accuracy=self.accuracy(size),
            learner={
                key: plain(value) if isinstance(value, Fraction) else value for key, value in told.items()
            },
            labelled=size.labelled,
        )


class AnyLearner(Protocol):
    """What every learner says of itself before it sees records."""

    @property
    def concepts(self) -> AnyClass:
        """The class that the rule is learnt from."""

    @property
    def outcomes(self) -> int | None:
        """How many hypotheses it could ever release, or more; public. None: unknown, so that an estimate of accuracy
        needs records of its own."""

    def require(self, size: Size) -> None:
        """Refuse what `learn` could not do with this many records, whatever they are, from public parameters alone.

        `certify` begins with it, so there is no certificate for what cannot be run. After it, nothing may be refused
        that depends on the records: a refusal would be a release that nobody certified.
        """

    def certify(self, size: Size) -> Certificate:
        """What will be true of `learn` on this many records, from public parameters alone."""

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        """Whether `learn` on this many records could ever return this hypothesis, from public parameters alone."""


class Learner(AnyLearner, Protocol):
    """A pair of methods on one frozen value of public parameters."""

    @property
    def passes(self) -> int:
        """How often `learn` reads all records at most, where they pass by; public."""

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        """The rule to release, drawn with these coins."""


class SemiLearner(AnyLearner, Protocol):
    """A learner of few labels: it sees labelled and unlabelled records, and `size` counts both; `Certificate.parts`
    tells labelled and unlabelled people apart."""

    def learn(self, sample: SemiSample, coins: Coins) -> Hypothesis:
        """The rule to release, drawn with these coins."""


class Around:
    """A learner that hands records to another one, and releases what that one could."""

    learner: Learner

    @property
    def concepts(self) -> AnyClass:
        """The inner learner's."""
        return self.learner.concepts

    @property
    def outcomes(self) -> int | None:
        """The inner learner's."""
        return self.learner.outcomes

    @property
    def passes(self) -> int:
        """The inner learner's."""
        return self.learner.passes

    def require(self, size: Size) -> None:
        """Refuse what the inner learner refuses."""
        self.learner.require(size)
