"""What learners of one value of a column have in common: whom they need, and what their certificates say."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from privpac.concepts.base import AnyClass
from privpac.concepts.sets.points import Points
from privpac.constructions.base import Certified, ReadsOnce
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import SizeError
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy
from privpac.guarantee.proof import Proof
from privpac.numbers.parameters import chance, positive

__all__ = ["LARGEST_STEP", "ONE_VALUE", "OneRun", "PointLearner", "require_summable"]

LARGEST_STEP = 5000
"""Parameters are never tuned for errors above one half."""

MOST_SUMMED = 10**8
"""Records whose number of class-1 values is summed over: the search takes some seconds."""

ONE_VALUE = "privacy holds for any labels; accuracy is promised only if exactly one value carries class 1"
"""What every certificate about points says beside its numbers."""


class PointLearner(Certified, ReadsOnce):
    """A learner that looks for one value of a `column`."""

    schema: Schema
    column: str
    way: ClassVar[str]
    """How its word ends: `points:COLUMN:WAY`."""
    note = ONE_VALUE

    def __post_init__(self) -> None:
        owner = type(self).__name__
        positive(self.epsilon, owner=owner, name="epsilon")
        chance(self.failure, owner=owner, name="failure")

    @property
    def word(self) -> str:
        return f"points:{self.column}:{self.way}"

    @property
    def domain(self) -> int:
        """Values of the column."""
        return self.schema.column(self.column).size

    @property
    def concepts(self) -> AnyClass:
        """The points of the column."""
        return Points(self.schema, self.column)

    @property
    def outcomes(self) -> int | None:
        """Unknown: an estimate of accuracy needs records of its own."""
        return None

    def require(self, size: Size) -> None:
        """Refuse to learn without a labelled record."""
        size.require_labelled(type(self).__name__)


class OneRun(PointLearner):
    """One that looks at all records with one mechanism."""

    @abstractmethod
    def mechanism(self) -> Proof[Privacy]:
        """What one run loses, exactly."""

    def loss(self, size: Size) -> Proof[Privacy]:
        return rules.declared(self.mechanism(), epsilon=self.epsilon)


def require_summable(size: Size, *, owner: str) -> None:
    """Refuse numbers of records whose counts take too long to sum over, from that number alone."""
    if size.labelled > MOST_SUMMED:
        raise SizeError(
            f"{owner} looks for its parameters by sums over up to {MOST_SUMMED:.0e} records.",
            remedy="With more records points:COLUMN does as well.",
        )
