"""What learners of one value of a column have in common: whom they need, and what their certificates say."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privpac.concepts.sets.points import Points
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy, Privacy
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import plain
from privpac.numbers.parameters import chance, positive

__all__ = ["ONE_VALUE", "OfColumn", "OneValue", "require_summable"]

MOST_SUMMED = 10**8
"""Records whose number of class-1 values is summed over: the search takes some seconds."""

ONE_VALUE = "privacy holds for any labels; accuracy is promised only if exactly one value carries class 1"
"""What every certificate about points says beside its numbers."""


class OneValue:
    """A learner of one value of a column, with `epsilon` and the `failure` its accuracy is stated for."""

    epsilon: Fraction
    failure: Fraction

    def __post_init__(self) -> None:
        owner = type(self).__name__
        positive(self.epsilon, owner=owner, name="epsilon")
        chance(self.failure, owner=owner, name="failure")

    def certificate(
        self,
        loss: Proof[Privacy],
        error: Fraction,
        prove: Callable[..., Proof[Accuracy]],
        *,
        records: int,
        name: str,
        word: str,
        **numbers: object,
    ) -> Certificate:
        """What is promised by one that loses this much, if the error is below 1; `numbers` are its own parameters."""
        learner = {"name": name, "concepts": word, "epsilon": plain(self.epsilon), **numbers}
        return Certificate(
            privacy=rules.declared(loss, epsilon=self.epsilon),
            accuracy=(prove(records=records, error=error, failure=self.failure),) if error < 1 else (),
            learner={**learner, "failure": plain(self.failure), "note": ONE_VALUE},
            labelled=records,
        )


class OfColumn(OneValue):
    """A learner that looks for one value of a `column`."""

    schema: Schema
    column: str

    @property
    def concepts(self) -> Points:
        """The points of the column."""
        return Points(self.schema, self.column)

    @property
    def outcomes(self) -> int | None:
        """Unknown: an estimate of accuracy needs records of its own."""
        return None

    def require(self, size: Size) -> None:
        """Refuse to learn without a labelled record."""
        size.require_labelled(type(self).__name__)


def require_summable(size: Size, *, owner: str) -> None:
    """Refuse numbers of records whose counts take too long to sum over, from that number alone."""
    if size.labelled > MOST_SUMMED:
        raise SizeError(
            f"{owner} looks for its parameters by sums over up to {MOST_SUMMED:.0e} records.",
            remedy="With more records points:COLUMN does as well.",
        )
