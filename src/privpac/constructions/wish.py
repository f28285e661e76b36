"""What is asked of a plan, as exact public numbers; nonsense gets one sentence with the remedy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from privpac.constructions.class_facts import ClassFacts
from privpac.errors import ParameterError
from privpac.numbers.exact import plain
from privpac.numbers.parameters import rational
from privpac.wishes import read_epsilon

__all__ = ["FAILURE", "OWNER", "PROTECTS", "Wish", "read_numbers"]

OWNER = "plan"
FAILURE = Fraction(1, 20)
"""One promise in twenty may fail: the field's habit."""
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

    def at(self, name: str, value: Fraction) -> Wish:
        """The same wish with another error or epsilon."""
        return replace(self, error=value) if name == "error" else replace(self, epsilon=value)


def _number(name: str, value: object, requirement: str, remedy: str) -> Fraction:
    try:
        return rational(value, owner=OWNER, name=name, allowed=requirement)
    except ParameterError:
        raise ParameterError(OWNER, name, value, allowed=requirement, remedy=remedy) from None


def _between(
    name: str, value: object, low: Fraction, high: Fraction, *, remedy: str, closed: bool = False
) -> Fraction:
    ends = "at least" if closed else "above"
    requirement = f"a number {ends} {plain(low)} and below {plain(high)}"
    number = _number(name, value, requirement, remedy)
    if number >= high or number < low or (number == low and not closed):
        raise ParameterError(OWNER, name, value, allowed=requirement, remedy=remedy)
    return number


def read_numbers(
    *,
    error: object = None,
    failure: object = FAILURE,
    epsilon: object = None,
    delta: object = 0,
    records: object = None,
    unlabelled: object = None,
    noise: object = None,
) -> dict[str, Any]:
    """All numbers of a question, exact and inside their allowed sets; what was not given stays None."""
    half, zero, one = Fraction(1, 2), Fraction(0), Fraction(1)
    numbers: dict[str, Any] = {
        "failure": _between("failure", failure, zero, one, remedy="No proof is certain: try 0.05."),
        "delta": _between("delta", delta, zero, one, closed=True, remedy="0 is pure privacy; else try 1e-6."),
        "error": None,
        "epsilon": None,
        "noise": None,
    }
    if error is not None:
        numbers["error"] = _between(
            "error", error, zero, half, remedy="A coin reaches 1/2 without any record: try 0.1."
        )
    if epsilon is not None:
        numbers["epsilon"] = read_epsilon(epsilon, owner=OWNER)
    if noise is not None:
        numbers["noise"] = _between(
            "noise", noise, zero, half, closed=True, remedy="It bounds the error of the best rule: try 0.1."
        )
    for name, value in (("records", records), ("unlabelled", unlabelled)):
        numbers[name] = None if value is None else _count(name, value)
    return numbers


def _count(name: str, value: object) -> int:
    requirement, least = (
        ("a positive whole number", 1) if name == "records" else ("a whole number from 0 up", 0)
    )
    remedy = "Say how many people are in the table, such as 3000."
    number = _number(name, value, requirement, remedy)
    if number.denominator != 1 or number < least:
        raise ParameterError(OWNER, name, value, allowed=requirement, remedy=remedy)
    return int(number)
