"""A learner of somebody's own: private by the shipped rules, and as good as its author says, which nobody proves here.

A certificate keeps its name, and the assumption that it does what its author says. What the author says of errors is
stored as text: it is no step of the derivation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.constructions.request import Request
from privpac.data.sample import Block, Sample, Size
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Privacy
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import plain

__all__ = ["ASSUMED", "Concepts", "OwnLearner", "built", "counted"]

ASSUMED = "the learner does what its author says"


class OwnLearner(ABC):
    """A learner of your own, to be given to `learn` as a class: `learn(table, concepts=Mine, ...)`.

    Write a frozen dataclass of public parameters. It looks at records through `Sample.reduce` alone, draws all
    randomness from its coins, and whether it fails does not depend on the records.
    """

    word: ClassVar[str]
    """What people call it."""
    claimed: ClassVar[str] = ""
    """What you say of its errors; stored as your claim, and never as proved."""
    takes_delta: ClassVar[bool] = False
    epsilon: Fraction

    @classmethod
    @abstractmethod
    def tuned(cls, request: Request) -> Self:
        """The learner for a schema, a number of records and a budget: `request.per_record` for one record."""

    @abstractmethod
    def loss(self, size: Size) -> Proof[Privacy]:
        """What a run on this many records loses, by the rules of `privpac.extend.rules`."""

    @abstractmethod
    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        """The rule to release, of a kind that files can hold."""

    @abstractmethod
    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        """Whether `learn` on this many records could ever return this rule."""

    def require(self, size: Size) -> None:
        """Refuse what `learn` could not do with this many records; afterwards nothing may be refused."""
        size.require_labelled(type(self).__name__)

    @property
    def concepts(self) -> AnyClass:
        """The class that it learns from; what asks for one refuses a learner that has none."""
        raise ParameterError(self.word, "concepts", None, allowed="a class, where one is asked for")

    @property
    def outcomes(self) -> int | None:
        """How many rules it could ever release; None: unknown, so that an estimate needs records of its own."""
        return None

    @property
    def passes(self) -> int:
        """How often all records are read."""
        return 1

    @final
    def certify(self, size: Size) -> Certificate:
        """What will be true of `learn` on this many records, if the learner does what its author says."""
        self.require(size)
        loss = self.loss(size)
        declared = rules.declared(loss, epsilon=self.epsilon, delta=loss.fact.delta)
        claim = {"claimed_by_author": self.claimed} if self.claimed else {}
        return Certificate(
            privacy=rules.assuming(declared, ASSUMED),
            accuracy=(),
            learner={"name": self.word, "concepts": self.word, "epsilon": plain(self.epsilon), **claim},
            labelled=size.labelled,
        )


Concepts = str | AnyClass | type[OwnLearner]
"""What `learn` takes: a word, a class of concepts, or a learner of somebody's own."""


def built(kind: type[Any], request: Request) -> OwnLearner:
    """The learner of this kind for a request; refused if it is none, or spends more than was asked for."""
    if not issubclass(kind, OwnLearner):
        allowed = "a word, a class of concepts, or a subclass of privpac.extend.Learner"
        raise ParameterError("learn", "concepts", kind.__name__, allowed=allowed)
    if request.protect != "records":
        raise ParameterError("learn", "protect", request.protect, allowed=f"'records' for {kind.word}")
    request.refuse_costs(kind.word)
    learner = kind.tuned(request)
    if learner.epsilon > request.per_record:
        allowed = f"at most {plain(request.per_record)}, which was asked for"
        raise ParameterError(kind.word, "epsilon", plain(learner.epsilon), allowed=allowed)
    return learner


Counting = Callable[[Mapping[str, NDArray[Any]], NDArray[np.uint8]], Any]


@dataclass(frozen=True)
class _Sums:
    columns: tuple[str, ...]
    of: Counting

    def zero(self) -> Any:
        return 0

    def absorb(self, state: Any, block: Block) -> Any:
        if block.labels is None:
            raise SizeError("Counting needs labelled records.")
        return state + self.of(block.cells, block.labels)

    def merge(self, a: Any, b: Any) -> Any:
        return a + b


def counted(sample: Sample, of: Counting, columns: tuple[str, ...] = ()) -> Any:
    """The sum of `of(cells, labels)` over blocks of records: a number or an array of numbers."""
    return sample.reduce(_Sums(columns, of))
