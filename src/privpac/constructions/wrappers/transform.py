"""A learner around another one: it hands that one other records, and says what this costs and what it proves.

A transform answers three questions: which records the learner inside is `given`, what everybody then loses (`privacy`),
and what is proved of errors (`accuracy`). Everything else follows here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.constructions.base import Around, Learner
from privpac.data.sample import Sample, Size
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.certificate import Certificate, public_parameters
from privpac.guarantee.facts import Accuracy, Privacy
from privpac.guarantee.proof import Proof
from privpac.numbers.parameters import chance, whole_positive

__all__ = ["Empirical", "Transform", "empirical_accuracy", "labelled_only", "places", "positive_number"]

CHANCES = ("failure", "miss")
"""Fields that are probabilities; all other fractions are positive numbers."""


@runtime_checkable
class Empirical(Protocol):
    """A learner that is proved to make few mistakes on the very records it is given, whatever they are."""

    def certify_empirical(self, size: Size) -> Proof[Accuracy] | None:
        """What is promised about mistakes on the records themselves; None if nothing is."""


def empirical_accuracy(learner: Learner, size: Size) -> Proof[Accuracy] | None:
    """What is proved of its mistakes on its own records; None if nothing is."""
    return learner.certify_empirical(size) if isinstance(learner, Empirical) else None


def places(positions: tuple[int, ...] | range | list[int]) -> npt.NDArray[np.int64]:
    """Positions as an array."""
    return np.fromiter(positions, dtype=np.int64, count=len(positions))


def positive_number(owner: str, name: str, value: Fraction) -> None:
    """Refuse anything but a positive fraction."""
    if not isinstance(value, Fraction | int) or value <= 0:
        raise ParameterError(owner, name, value, allowed="a positive fraction")


def labelled_only(owner: str, size: Size, *, least: int) -> int:
    """How many records there are, all of which must have labels."""
    if size.unlabelled:
        raise SizeError(f"{owner} has no use for records without labels.")
    if size.labelled < least:
        raise SizeError(f"{owner} needs at least {least} records, there are {size.labelled}.")
    return size.labelled


@dataclass(frozen=True)
class Transform(Around, ABC):
    """`learner` on other records; the fields of a subclass that are numbers are its public parameters."""

    name: ClassVar[str]
    """How certificates call it."""
    stored: ClassVar[tuple[str, ...]]
    """The fields that a certificate tells."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value, owner = getattr(self, field.name), type(self).__name__
            if field.type == "int":
                whole_positive(value, owner=owner, name=field.name)
            elif field.name in CHANCES:
                chance(value, owner=owner, name=field.name)
            elif field.type == "Fraction":
                positive_number(owner, field.name, value)

    @property
    @abstractmethod
    def inside(self) -> int:
        """How many records the learner inside gets."""

    @property
    def least(self) -> int:
        """How many records there must be."""
        return self.inside

    @abstractmethod
    def given(self, sample: Sample, coins: Coins) -> Sample:
        """The records that the learner inside gets."""

    @abstractmethod
    def privacy(self, inner: Proof[Privacy], n: int) -> Proof[Privacy]:
        """What n records are promised, if the learner inside promises `inner`."""

    @abstractmethod
    def accuracy(self, inner: Certificate, n: int) -> tuple[Proof[Accuracy], ...]:
        """What is proved of errors; bounds of 1 and more are left out of the certificate."""

    def records(self, size: Size) -> int:
        """How many records there are; refused if some have no label, or there are too few."""
        return labelled_only(type(self).__name__, size, least=self.least)

    def require(self, size: Size) -> None:
        """Refuse what the learner inside refuses, and too few records."""
        self.records(size)
        self.learner.require(Size(self.inside))

    def certify(self, size: Size) -> Certificate:
        """What all records are promised, and what is proved of errors."""
        self.require(size)
        n, inner = size.labelled, self.learner.certify(Size(self.inside))
        return Certificate(
            privacy=self.privacy(inner.privacy, n),
            accuracy=tuple(proof for proof in self.accuracy(inner, n) if proof.fact.error < 1),
            learner={
                "name": self.name,
                **public_parameters(self, *self.stored),
                "inner": dict(inner.learner),
            },
            labelled=n,
        )

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        """Whether the learner inside could release it from what it is given."""
        return self.learner.releases(hypothesis, Size(self.inside))

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        """The rule that the learner inside releases."""
        self.require(sample.size)
        return self.learner.learn(self.given(sample, coins), coins)
