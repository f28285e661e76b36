"""What a predictor is: it certifies one answer before it sees records, and answers as it certified.

`prepare` may fix nothing but coins that do not depend on the records, and models that are functions of such coins and
the records: then one replaced record changes what it changes, whatever is asked. Every other coin is fresh for every
distinct question. A hypothesis that was *drawn* from the records and answers twice would lose more than twice.

Predictors that draw everything afresh for every question (`Redrawn`) keep the records themselves, since nothing that
was drawn from them may be used twice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Cells, Hypothesis
from privpac.concepts.catalogue import stored_class
from privpac.concepts.labellings.base import Dichotomous, dimension, with_dichotomies
from privpac.constructions.prediction.voters import require_two_classes
from privpac.data.sample import Remembered, Sample, Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, RuleRefused, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate, public_parameters
from privpac.guarantee.facts import Accuracy, Privacy
from privpac.guarantee.proof import Proof

__all__ = [
    "Predictor",
    "Prepared",
    "PreparedDraws",
    "Reader",
    "Redrawn",
    "draw_concept",
    "known_vc",
    "least_dimensional",
]


class Prepared(Protocol):
    """A predictor that has seen its records. Private: it never leaves the server, and has no telling repr."""

    def answer(self, cells: Cells, coins: Coins) -> NDArray[np.uint8]:
        """One class number for every row, each with fresh coins. The rows must be distinct questions."""


class Predictor(Protocol):
    """A pair of methods on one frozen value of public parameters."""

    @property
    def schema(self) -> Schema:
        """The schema of the questions."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns an answer depends on: questions that agree on them are the same question."""

    def require(self, size: Size) -> None:
        """Refuse what could not be prepared or answered from so many records, whatever they are and whatever is asked.

        From public parameters alone; `certify` begins with it. After it, nothing may be refused that depends on the
        records: a refusal would be an answer that nobody paid for.
        """

    def certify(self, size: Size) -> Certificate:
        """What is promised about one answer, from public parameters alone."""

    def prepare(self, sample: Sample, coins: Coins) -> Prepared:
        """What answers questions about these records; random choices that all answers share are made here."""

    def to_json(self) -> Mapping[str, Any]:
        """The public parameters: enough to certify anew (`readers.py` of the family)."""


Reader = Callable[[Mapping[str, Any], Schema], Predictor]
"""What undoes `Predictor.to_json`."""


R = TypeVar("R", bound="Redrawn")


MORE_DIMENSIONS = 100
"""Beyond the VC dimension: a class of 2^100 members has no more where a hundred records are kept."""


@dataclass(frozen=True)
class Redrawn(ABC):
    """`kept` random ones of `records` records, others for every question, list the labellings of a class."""

    owner: ClassVar[str]
    name: ClassVar[str]
    """How certificates call it."""

    concepts: AnyClass
    epsilon: Fraction
    kept: int
    records: int

    def __post_init__(self) -> None:
        require_two_classes(self.schema, self.owner)
        with_dichotomies(self.concepts, owner=self.owner)

    @property
    def schema(self) -> Schema:
        """The schema of the questions."""
        return self.concepts.schema

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns an answer depends on."""
        return self.concepts.statistic.columns

    @property
    def listed(self) -> Dichotomous:
        """The class, whose labellings of the kept records are listed."""
        return with_dichotomies(self.concepts, owner=self.owner)

    def require(self, size: Size) -> None:
        """Refuse any other number of records than was planned for."""
        if size.labelled != self.records:
            raise SizeError(
                f"{self.owner} was planned for {self.records} records, and there are {size.labelled}.",
                remedy="Plan it for the number of records there are.",
            )
        self.require_draw()

    @abstractmethod
    def require_draw(self) -> None:
        """Refuse what `draw` could not do, whatever the records are."""

    def certify(self, size: Size) -> Certificate:
        """What is promised about one answer."""
        self.require(size)
        return Certificate(
            privacy=rules.declared(self.privacy(), epsilon=self.epsilon),
            accuracy=self.accuracy(),
            learner={"name": self.name, **self.to_json()},
            labelled=size.labelled,
        )

    @abstractmethod
    def privacy(self) -> Proof[Privacy]:
        """What one answer loses, before it is rounded to the epsilon that was declared."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The public parameters."""

    def accuracy(self) -> tuple[Proof[Accuracy], ...]:
        """What is proved of the error, if anything is."""
        vc = self.dimension()
        try:
            return () if vc is None else (self.proved(vc),)
        except RuleRefused:  # so few records that nothing is proved
            return ()

    def dimension(self) -> int | None:
        """The VC dimension that counts here; None if nothing is known, or so few points are kept that nothing is
        promised."""
        return dimension(self.concepts, counted=self.kept, drawn=self.kept)

    @abstractmethod
    def proved(self, vc: int) -> Proof[Accuracy]:
        """What is proved about the error, for a class of this VC dimension."""

    @abstractmethod
    def draw(self, sample: Sample, cells: Cells, coins: Coins) -> int:
        """One answer to one question, with coins for nothing else."""

    def prepare(self, sample: Sample, coins: Coins) -> PreparedDraws:
        """The records themselves: nothing that was drawn from them may be kept."""
        self.require(sample.size)
        return self.over(sample)

    def document(self, kind: str, *names: str) -> dict[str, Any]:
        """The public parameters of these names, as JSON."""
        concepts = stored_class(self.concepts)
        return {"kind": kind, "concepts": concepts, **public_parameters(self, *names)}

    def over(self, sample: Sample) -> PreparedDraws:
        """The predictor over these records."""
        return PreparedDraws(self, Remembered(sample))


@dataclass(frozen=True, eq=False, repr=False)
class PreparedDraws:
    """The records. Private: it has no repr."""

    predictor: Redrawn
    sample: Sample

    def answer(self, cells: Cells, coins: Coins) -> NDArray[np.uint8]:
        rows = [_row(cells, i) for i in range(len(next(iter(cells.values()))))]
        runs = [lambda inner, row=row: self.predictor.draw(self.sample, row, inner) for row in rows]
        return np.array(coins.each(runs), dtype=np.uint8)


def _row(cells: Cells, place: int) -> dict[str, NDArray[Any]]:
    """One question."""
    return {name: values[place : place + 1] for name, values in cells.items()}


def known_vc(concepts: AnyClass, owner: str) -> int:
    """The VC dimension of the class; refused if it is unknown."""
    if concepts.vc is None:
        raise ParameterError(owner, "concepts", concepts.word, allowed="a class whose VC dimension is known")
    return concepts.vc


def least_dimensional(build: Callable[[int], R], concepts: AnyClass, *, records: int, owner: str) -> R:
    """What is planned with the least VC dimension that counts for it (see `labellings.dimension`).

    A plan for fewer dimensions keeps other records, for which more dimensions may count: so they are tried in turn.
    Where so few are kept that none counts, the class's own is planned with, and nothing is promised.
    """
    bound = max(1, known_vc(concepts, owner))
    first = dimension(concepts, counted=records, drawn=records) or bound
    for vc in range(first, max(first, bound) + MORE_DIMENSIONS):
        learner = build(vc)
        answer = learner.dimension()
        if answer is None or answer <= vc:
            break
    return learner if answer is not None else build(bound)


def draw_concept(
    concepts: Dichotomous, sample: Sample, *, kept: int, ratio: Fraction, coins: Coins
) -> Hypothesis:
    """One concept by its mistakes on all records, from the labellings of `kept` random ones of them."""
    positions = np.asarray(coins.subset(sample.size.labelled, kept), dtype=np.int64)
    dichotomies = concepts.dichotomies(sample.take(positions))
    return dichotomies.member(dichotomies.mistakes(sample).draw(ratio, coins))
