"""What is asked of one class in a plan, as exact public numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from privpac.constructions.class_facts import ClassFacts
from privpac.request import FAILURE

__all__ = ["FAILURE", "OWNER", "PROTECTS", "Wish"]

OWNER = "plan"
PROTECTS = ("records", "labels", "predictions")
LARGEST_EPSILON = 50
"""e^50: nothing is protected any more, so that no search for an epsilon goes further."""


@dataclass(frozen=True)
class Wish:
    """One class and the numbers of a promise about it.

    `error` is the true error where some member is right, and the excess over the best member otherwise; `noise` bounds
    the error of the best member (None: nothing is known about it).
    """

    concepts: ClassFacts
    error: Fraction
    failure: Fraction
    epsilon: Fraction
    delta: Fraction = Fraction(0)
    noise: Fraction | None = None
    unlabelled: int | None = None
    """Records without labels at hand; None: any number."""

    @property
    def goal(self) -> dict[str, Fraction]:
        """The numbers of the promise by the names that formulas have for them."""
        return {"error": self.error, "failure": self.failure, "epsilon": self.epsilon}

    def without(self, name: str) -> dict[str, Fraction]:
        """The numbers of the promise but for one."""
        return {other: value for other, value in self.goal.items() if other != name}

    def number(self, name: str) -> Fraction:
        """The error or the epsilon."""
        return self.error if name == "error" else self.epsilon

    def at(self, name: str, value: Fraction) -> Wish:
        """The same wish with another error or epsilon."""
        return replace(self, error=value) if name == "error" else replace(self, epsilon=value)
