"""What learners of a cut in one direction share that may decline to answer: their class, budget and outcomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from privpac.concepts.base import Hypothesis
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.no_answer import NoAnswer
from privpac.constructions.base import ReadsOnce
from privpac.constructions.draw.occam import FAILURE
from privpac.data.sample import Size
from privpac.errors import ParameterError
from privpac.guarantee.certificate import public_parameters
from privpac.numbers.exact import plain
from privpac.numbers.parameters import chance, positive, rational

__all__ = ["DirectedCuts"]


@dataclass(frozen=True)
class DirectedCuts(ReadsOnce):
    """A cut of `concepts`, which point up or down, for (`epsilon`, `delta`); no answer counts as a `failure`."""

    concepts: Thresholds
    epsilon: Fraction
    delta: Fraction
    failure: Fraction = FAILURE

    def _check(self, *, requirement: str, holds: Callable[[], bool]) -> None:
        """Refuse a delta that is not what `requirement` says, and cuts that may point either way."""
        owner = type(self).__name__
        positive(self.epsilon, owner=owner, name="epsilon")
        chance(self.failure, owner=owner, name="failure")
        rational(self.delta, owner=owner, name="delta", allowed=requirement)
        if not holds():
            raise ParameterError(
                owner,
                "delta",
                plain(self.delta),
                allowed=requirement,
                remedy="Say delta, such as 1e-6; without one, thresholds:COLUMN is private for any number of bits.",
            )
        if self.concepts.direction == "either":
            raise ParameterError(owner, "direction", "either", allowed="'up' or 'down'")

    @property
    def _domain(self) -> int:
        return self.concepts.schema.column(self.concepts.column).size

    @property
    def outcomes(self) -> int:
        """How many results there are: every cut, and one more for no answer."""
        return self.concepts.size + 1

    def require(self, size: Size) -> None:
        """Refuse a table without labelled records."""
        size.require_labelled(type(self).__name__)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        """Whether this can be an outcome."""
        return hypothesis == NoAnswer(self.concepts.column) or self.concepts.contains(hypothesis)

    def _parameters(self, name: str) -> dict[str, object]:
        """The public parameters, as a certificate stores them."""
        return {
            "name": name,
            "concepts": self.concepts.word,
            **public_parameters(self, "epsilon", "delta", "failure"),
            "no_answer": "counts as a failure",
        }
