"""What can be promised: frozen values with a partial order and one line of text.

Nothing here says why a promise holds; that is a `Proof`, and only `rules` makes those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from privpac.guarantee.loss import Loss
from privpac.numbers.exact import decimal_text

__all__ = [
    "ALL",
    "Accuracy",
    "Against",
    "Answers",
    "BoundedRange",
    "Concentrated",
    "Fact",
    "Loss",
    "Privacy",
    "Queries",
    "Range",
    "Release",
    "Stability",
    "Unit",
    "fact_from_json",
]

ALL = "all records"
"""The part of the data a fact speaks of when it speaks of every record."""


class Unit(StrEnum):
    """What is protected of one person."""

    RECORD = "record"
    LABEL = "label"


class Release(StrEnum):
    """What the world sees."""

    HYPOTHESIS = "hypothesis"
    ANSWER = "one answer"
    ANSWERS = "several answers"
    NUMBERS = "noisy numbers"
    WITH_LIST = "hypothesis and positions asked"
    WITH_COINS = "hypothesis and positions kept"


_STRONGER = (Release.HYPOTHESIS, Release.ANSWER)
"""Who may release a hypothesis may also answer one question with it."""


class Against(StrEnum):
    """What an accuracy statement compares with."""

    REALIZABLE = "realizable"
    AGNOSTIC = "agnostic"
    EMPIRICAL = "empirical"
    """Mistakes on the given records themselves, whatever they are, if some member makes none."""


_WIDER = (Against.AGNOSTIC, Against.REALIZABLE)
"""Who comes near the best of the class also makes few errors if the best makes none."""


class Queries(StrEnum):
    """What a released table is asked: the share of records that ..."""

    POINTS = "points"
    """... have these values."""
    THRESHOLDS = "thresholds"
    """... lie below a value."""
    RANGES = "ranges"
    """... lie between two values."""
    LISTED = "listed queries"
    """... fulfil a condition of a public list."""


@dataclass(frozen=True)
class Privacy:
    """(epsilon, delta)-differential privacy when one unit is replaced."""

    epsilon: Loss
    delta: Fraction = Fraction(0)
    unit: Unit = Unit.RECORD
    part: str = ALL
    release: Release = Release.HYPOTHESIS

    def implies(self, other: Fact) -> bool:
        return (
            isinstance(other, Privacy)
            and self.epsilon <= other.epsilon
            and self.delta <= other.delta
            and self.unit in (other.unit, Unit.RECORD)
            and self.part in (other.part, ALL)
            and (self.release == other.release or (self.release, other.release) == _STRONGER)
        )

    def __str__(self) -> str:
        part = "" if self.part == ALL else f" of the {self.part}"
        whose = "one record" if self.unit is Unit.RECORD else "one label"
        verb = "given" if self.release in (Release.ANSWER, Release.ANSWERS) else "released"
        delta = decimal_text(self.delta)
        return f"({self.epsilon}, {delta})-DP, {whose}{part} replaced, {self.release.value} {verb}"

    def to_json(self) -> dict[str, object]:
        return {
            "kind": "privacy",
            "epsilon": self.epsilon.to_json(),
            "delta": str(self.delta),
            "unit": self.unit.value,
            "part": self.part,
            "release": self.release.value,
            "neighbours": "replace-one",
        }


@dataclass(frozen=True)
class BoundedRange:
    """The log-odds of every event move by at most epsilon when one unit is replaced.

    Stronger than epsilon-DP, which lets log-odds move by 2 epsilon. True of one exponential mechanism.
    """

    epsilon: Loss
    unit: Unit = Unit.RECORD

    def implies(self, other: Fact) -> bool:
        if isinstance(other, Privacy):
            return Privacy(self.epsilon, unit=self.unit).implies(other)
        return (
            isinstance(other, BoundedRange)
            and self.epsilon <= other.epsilon
            and self.unit in (other.unit, Unit.RECORD)
        )

    def __str__(self) -> str:
        return f"log-odds of any event move by at most {self.epsilon}, one {self.unit.value} replaced"

    def to_json(self) -> dict[str, object]:
        return {"kind": "bounded-range", "epsilon": self.epsilon.to_json(), "unit": self.unit.value}


@dataclass(frozen=True)
class Range:
    """The quotients of the chances of outcomes on two neighbours all lie in one interval [c, c·e^epsilon].

    Stronger than `BoundedRange`, which speaks of events: of these two only this one gives rho = epsilon²/8. True of one
    exponential mechanism, of one stage of them in all leaves, and of what is computed from such a draw.

    >>> Range(Loss(log=Fraction(1))).implies(BoundedRange(Loss(log=Fraction(1))))
    True
    """

    epsilon: Loss
    unit: Unit = Unit.RECORD
    part: str = ALL
    release: Release = Release.HYPOTHESIS

    def implies(self, other: Fact) -> bool:
        if isinstance(other, Range):
            return self._private().implies(other._private())
        if isinstance(other, BoundedRange):
            return self.part == ALL and BoundedRange(self.epsilon, self.unit).implies(other)
        return self._private().implies(other)

    def _private(self) -> Privacy:
        return Privacy(self.epsilon, unit=self.unit, part=self.part, release=self.release)

    def __str__(self) -> str:
        part = "" if self.part == ALL else f" of the {self.part}"
        return f"quotients of chances within a range of {self.epsilon}, one {self.unit.value}{part} replaced"

    def to_json(self) -> dict[str, object]:
        return {
            "kind": "range",
            "epsilon": self.epsilon.to_json(),
            "unit": self.unit.value,
            "part": self.part,
            "release": self.release.value,
        }


@dataclass(frozen=True)
class Concentrated:
    """rho-zCDP when one unit is replaced: Rényi divergences of every order alpha > 1 are at most alpha·rho.

    With a delta: up to a bad event of probability delta, the same for both inputs, which may tell everything.

    >>> Concentrated(Fraction(1, 8)).implies(Concentrated(Fraction(1, 2), Fraction(1, 10**6)))
    True
    """

    rho: Fraction
    delta: Fraction = Fraction(0)
    unit: Unit = Unit.RECORD
    part: str = ALL
    release: Release = Release.HYPOTHESIS

    def implies(self, other: Fact) -> bool:
        return (
            isinstance(other, Concentrated)
            and self.rho <= other.rho
            and self.delta <= other.delta
            and self.unit in (other.unit, Unit.RECORD)
            and self.part in (other.part, ALL)
            and (self.release == other.release or (self.release, other.release) == _STRONGER)
        )

    def __str__(self) -> str:
        part = "" if self.part == ALL else f" of the {self.part}"
        but = f" but for {decimal_text(self.delta)}" if self.delta else ""
        return f"{decimal_text(self.rho)}-zCDP{but}, one {self.unit.value}{part} replaced"

    def to_json(self) -> dict[str, object]:
        return {
            "kind": "concentrated",
            "rho": str(self.rho),
            "delta": str(self.delta),
            "unit": self.unit.value,
            "part": self.part,
            "release": self.release.value,
        }


@dataclass(frozen=True)
class Stability:
    """The probability of every event moves by at most gamma when one record is replaced."""

    gamma: Fraction
    unit: Unit = Unit.RECORD

    def implies(self, other: Fact) -> bool:
        return (
            isinstance(other, Stability)
            and self.gamma <= other.gamma
            and self.unit in (other.unit, Unit.RECORD)
        )

    def __str__(self) -> str:
        return f"{decimal_text(self.gamma)}-stable, one {self.unit.value} replaced"

    def to_json(self) -> dict[str, object]:
        return {"kind": "stability", "gamma": str(self.gamma), "unit": self.unit.value}


@dataclass(frozen=True)
class Accuracy:
    """With probability at least 1 - failure, over an independent sample of `records` and the coins, the error is at
    most `error` (realizable) or at most `error` above the best of the class (agnostic). Empirical: for every `records`
    records that some member labels without mistakes, over the coins alone, at most that part of them is mistaken."""

    error: Fraction
    failure: Fraction
    against: Against
    records: int
    proper: bool = True

    def implies(self, other: Fact) -> bool:
        return (
            isinstance(other, Accuracy)
            and self.error <= other.error
            and self.failure <= other.failure
            and self.records == other.records  # a learner need not be better on more records
            and (self.against == other.against or (self.against, other.against) == _WIDER)
            and self.proper >= other.proper
        )

    def __str__(self) -> str:
        if self.against is Against.EMPIRICAL:
            return (
                f"at most {decimal_text(self.error)} of {self.records} records mistaken if some member mistakes none, "
                f"except with probability {decimal_text(self.failure)}"
            )
        compared = "error" if self.against is Against.REALIZABLE else "error above the best of the class"
        condition = " if some member makes no error" if self.against is Against.REALIZABLE else ""
        return (
            f"{compared} at most {decimal_text(self.error)}{condition}, "
            f"except with probability {decimal_text(self.failure)}, from {self.records} independent records"
        )

    def to_json(self) -> dict[str, object]:
        return {
            "kind": "accuracy",
            "error": str(self.error),
            "failure": str(self.failure),
            "against": self.against.value,
            "records": self.records,
            "proper": self.proper,
        }


@dataclass(frozen=True)
class Answers:
    """With probability at least 1 - failure, over the coins alone, every query is answered within `error` of its true
    value on these `records`, whatever they are."""

    error: Fraction
    failure: Fraction
    queries: Queries
    records: int

    def implies(self, other: Fact) -> bool:
        return (
            isinstance(other, Answers)
            and self.error <= other.error
            and self.failure <= other.failure
            and self.records == other.records
            and self.queries in (other.queries, Queries.RANGES)
            # One value is a range, and so is everything below a value.
            and (self.queries == other.queries or other.queries is not Queries.LISTED)
        )

    def __str__(self) -> str:
        return (
            f"all {self.queries.value} are answered within {decimal_text(self.error)} of their share of these "
            f"{self.records} records, except with probability {decimal_text(self.failure)}"
        )

    def to_json(self) -> dict[str, object]:
        return {
            "kind": "answers",
            "error": str(self.error),
            "failure": str(self.failure),
            "queries": self.queries.value,
            "records": self.records,
        }


Fact = Privacy | BoundedRange | Range | Concentrated | Stability | Accuracy | Answers


def _loss(tree: Mapping[str, str]) -> Loss:
    return Loss(Fraction(tree["log"]), Fraction(tree["factor"]))


def fact_from_json(tree: Mapping[str, Any]) -> Fact:
    """Read a stored fact. Reading it says nothing about whether it holds."""
    match tree["kind"]:
        case "privacy":
            return Privacy(
                _loss(tree["epsilon"]),
                Fraction(tree["delta"]),
                Unit(tree["unit"]),
                tree["part"],
                Release(tree["release"]),
            )
        case "bounded-range":
            return BoundedRange(_loss(tree["epsilon"]), Unit(tree["unit"]))
        case "range":
            return Range(_loss(tree["epsilon"]), Unit(tree["unit"]), tree["part"], Release(tree["release"]))
        case "concentrated":
            return Concentrated(
                Fraction(tree["rho"]),
                Fraction(tree["delta"]),
                Unit(tree["unit"]),
                tree["part"],
                Release(tree["release"]),
            )
        case "stability":
            return Stability(Fraction(tree["gamma"]), Unit(tree["unit"]))
        case "accuracy":
            return Accuracy(
                Fraction(tree["error"]),
                Fraction(tree["failure"]),
                Against(tree["against"]),
                int(tree["records"]),
                bool(tree["proper"]),
            )
        case "answers":
            return Answers(
                Fraction(tree["error"]),
                Fraction(tree["failure"]),
                Queries(tree["queries"]),
                int(tree["records"]),
            )
    raise ValueError(f"unknown kind of fact: {tree['kind']!r}")
