"""What can be promised: frozen values with a partial order and one line of text.

Nothing here says why a promise holds; that is a `Proof`, and only `rules` makes those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from fractions import Fraction
from typing import Any, ClassVar

from privpac.guarantee.sentences import (
    ALL,
    accuracy_sentence,
    answers_sentence,
    bounded_range_sentence,
    concentrated_sentence,
    privacy_sentence,
    range_sentence,
    stability_sentence,
)
from privpac.numbers.exact import decimal_text, ln_up, power_up, shortened, sign_of_log_sum, written

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


POSITIONS = (Release.WITH_LIST, Release.WITH_COINS)
"""What tells who was looked at, beside a rule."""

_STRONGER = (Release.HYPOTHESIS, Release.ANSWER)
"""Who may release a hypothesis may also answer one question with it."""


class Against(StrEnum):
    """What an accuracy statement compares with."""

    REALIZABLE = "realizable"
    AGNOSTIC = "agnostic"
    EMPIRICAL = "empirical"
    """Mistakes on the given records themselves, whatever they are, if some member makes none."""


MEMBERS = "the class"
"""All members of the class that a learner draws from: what a promise is against unless it names others."""

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
class Loss:
    """A privacy loss, kept exactly: e^epsilon = e^log · factor.

    Mechanisms have a rational factor and log 0, so that equality of a bound and an enumerated worst case can be
    tested with ==; a declared decimal epsilon has a log and factor 1. The pair is unique: e^log is rational only for
    log 0. Factors too long to be written down (4,096 bits) are rounded up when losses are added.

    >>> Loss(factor=Fraction(25, 9)) + Loss(log=Fraction(1, 10)) <= Loss(log=Fraction(12, 10))
    True
    """

    log: Fraction = field(default=Fraction(0))
    factor: Fraction = field(default=Fraction(1))

    def __add__(self, other: Loss) -> Loss:
        return Loss(self.log + other.log, shortened(self.factor * other.factor))

    def times(self, count: int) -> Loss:
        return Loss(self.log * count, power_up(self.factor, count))

    def __le__(self, other: Loss) -> bool:
        return sign_of_log_sum(self.log - other.log, self.factor / other.factor) <= 0

    def __lt__(self, other: Loss) -> bool:
        return self <= other and self != other

    @property
    def upper(self) -> Fraction:
        """A decimal at or above epsilon."""
        return self.log + ln_up(self.factor)

    def __str__(self) -> str:
        return decimal_text(max(self.upper, Fraction(0)))

    def to_json(self) -> dict[str, str]:
        return {"log": written(self.log), "factor": written(self.factor)}


class _Fact:
    """A fact and its stored form: its kind, and its fields in their order."""

    kind: ClassVar[str]

    def to_json(self) -> dict[str, object]:
        stored = {
            name: _stored_form(value) for name, value in vars(self).items() if (name, value) not in _PLAIN
        }
        return {"kind": self.kind, **stored}


_PLAIN = (("records_per_person", 1), ("roles", 0))
"""What is not written: that a fact speaks of one record, and that its part is all that is looked at."""


def _stored_form(value: object) -> object:
    if isinstance(value, Loss):
        return value.to_json()
    if isinstance(value, Fraction):
        return written(value)
    return str(value) if isinstance(value, StrEnum) else value


class _Scoped(_Fact):
    """A fact about one kind of unit in one part of the records, and one kind of release; true but for `delta`.

    `records_per_person` says how many units are replaced at once: all those of a person who has no more of them.
    `roles` says what of the records beside the part: with 0 nothing else is looked at; otherwise all records have
    one of so many roles, of which the part is one, and nothing is said of the others.
    """

    delta: Fraction
    unit: Unit
    part: str
    release: Release
    records_per_person: int
    roles: int

    def _covers(self, other: _Scoped) -> bool:
        """Whether what is said of units, parts and releases covers what the other says of them."""
        return (
            self.delta <= other.delta
            and self.unit in (other.unit, Unit.RECORD)
            and self.part in (other.part, ALL)
            and (self.release == other.release or (self.release, other.release) == _STRONGER)
            and self.records_per_person >= other.records_per_person
            and (self.part == ALL or self.roles == other.roles)
        )


@dataclass(frozen=True)
class Privacy(_Scoped):
    """(epsilon, delta)-differential privacy when one unit is replaced, or all those of one person.

    >>> print(Privacy(Loss(log=Fraction(2)), records_per_person=2))
    (2, 0)-DP, up to 2 records of one person replaced, the rule is released
    """

    kind: ClassVar[str] = "privacy"
    epsilon: Loss
    delta: Fraction = Fraction(0)
    unit: Unit = Unit.RECORD
    part: str = ALL
    release: Release = Release.HYPOTHESIS
    records_per_person: int = 1
    roles: int = 0

    def implies(self, other: Fact) -> bool:
        return isinstance(other, Privacy) and self.epsilon <= other.epsilon and self._covers(other)

    def __str__(self) -> str:
        return privacy_sentence(
            epsilon=str(self.epsilon),
            delta=decimal_text(self.delta),
            unit=self.unit.value,
            part=self.part,
            release=self.release.value,
            records_per_person=self.records_per_person,
            roles=self.roles,
        )

    def to_json(self) -> dict[str, object]:
        return {**super().to_json(), "neighbours": "replace-one"}


@dataclass(frozen=True)
class BoundedRange(_Fact):
    """The log-odds of every event move by at most epsilon when one unit is replaced.

    Stronger than epsilon-DP, which lets log-odds move by 2 epsilon. True of one exponential mechanism.
    """

    kind: ClassVar[str] = "bounded-range"
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
        return bounded_range_sentence(epsilon=str(self.epsilon), unit=self.unit.value)


@dataclass(frozen=True)
class Range(_Fact):
    """The quotients of the chances of outcomes on two neighbours all lie in one interval [c, c·e^epsilon].

    Stronger than `BoundedRange`, which speaks of events: of these two only this one gives rho = epsilon²/8. True of one
    exponential mechanism, of one stage of them in all leaves, and of what is computed from such a draw.

    >>> Range(Loss(log=Fraction(1))).implies(BoundedRange(Loss(log=Fraction(1))))
    True
    """

    kind: ClassVar[str] = "range"
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
        return range_sentence(epsilon=str(self.epsilon), unit=self.unit.value, part=self.part)


@dataclass(frozen=True)
class Concentrated(_Scoped):
    """rho-zCDP when one unit is replaced, or all those of one person.

    Rényi divergences of every order alpha > 1 are at most alpha·rho. With a delta: up to a bad event of probability
    delta, the same for both inputs, which may tell everything.

    >>> Concentrated(Fraction(1, 8)).implies(Concentrated(Fraction(1, 2), Fraction(1, 10**6)))
    True
    """

    kind: ClassVar[str] = "concentrated"
    rho: Fraction
    delta: Fraction = Fraction(0)
    unit: Unit = Unit.RECORD
    part: str = ALL
    release: Release = Release.HYPOTHESIS
    records_per_person: int = 1
    roles: int = 0

    def implies(self, other: Fact) -> bool:
        return isinstance(other, Concentrated) and self.rho <= other.rho and self._covers(other)

    def __str__(self) -> str:
        rho, delta = decimal_text(self.rho), decimal_text(self.delta)
        return concentrated_sentence(
            rho=rho,
            delta=delta,
            unit=self.unit.value,
            part=self.part,
            records_per_person=self.records_per_person,
            roles=self.roles,
        )


@dataclass(frozen=True)
class Stability(_Fact):
    """The probability of every event moves by at most gamma when one record is replaced."""

    kind: ClassVar[str] = "stability"
    gamma: Fraction
    unit: Unit = Unit.RECORD

    def implies(self, other: Fact) -> bool:
        return (
            isinstance(other, Stability)
            and self.gamma <= other.gamma
            and self.unit in (other.unit, Unit.RECORD)
        )

    def __str__(self) -> str:
        return stability_sentence(gamma=decimal_text(self.gamma), unit=self.unit.value)


@dataclass(frozen=True)
class Accuracy(_Fact):
    """With probability at least 1 - failure, over an independent sample of `records` and the coins, the error is at
    most `error` (realizable) or at most `error` above the best of the class (agnostic). Empirical: for every `records`
    records that some member labels without mistakes, over the coins alone, at most that part of them is mistaken."""

    kind: ClassVar[str] = "accuracy"
    error: Fraction
    failure: Fraction
    against: Against
    records: int
    proper: bool = True
    rivals: str = MEMBERS
    """Whose best the error is compared with: all members of the class, or those that are named."""

    def implies(self, other: Fact) -> bool:
        return (
            isinstance(other, Accuracy)
            and self.rivals == other.rivals
            and self.error <= other.error
            and self.failure <= other.failure
            and self.records == other.records  # a learner need not be better on more records
            and (self.against == other.against or (self.against, other.against) == _WIDER)
            and self.proper >= other.proper
        )

    def __str__(self) -> str:
        return accuracy_sentence(
            error=decimal_text(self.error),
            failure=decimal_text(self.failure),
            against=self.against.value,
            records=self.records,
            rivals=self.rivals,
        )


@dataclass(frozen=True)
class Answers(_Fact):
    """With probability at least 1 - failure, over the coins alone, every query is answered within `error` of its true
    value on these `records`, whatever they are."""

    kind: ClassVar[str] = "answers"
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
        return answers_sentence(
            error=decimal_text(self.error),
            failure=decimal_text(self.failure),
            queries=self.queries.value,
            records=self.records,
        )


Fact = Privacy | BoundedRange | Range | Concentrated | Stability | Accuracy | Answers


_KINDS: Mapping[str, type[Fact]] = {
    fact.kind: fact for fact in (Privacy, BoundedRange, Range, Concentrated, Stability, Accuracy, Answers)
}


def _loss(tree: Mapping[str, str]) -> Loss:
    return Loss(Fraction(tree["log"]), Fraction(tree["factor"]))


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "epsilon": _loss,
    **dict.fromkeys(("delta", "rho", "gamma", "error", "failure"), Fraction),
    "unit": Unit,
    "part": str,
    "release": Release,
    "against": Against,
    "queries": Queries,
    "records": int,
    "records_per_person": int,
    "roles": int,
    "proper": bool,
    "rivals": str,
}


def fact_from_json(tree: Mapping[str, Any]) -> Fact:
    """Read a stored fact. Reading it says nothing about whether it holds."""
    kind = _KINDS.get(tree["kind"])
    if kind is None:
        raise ValueError(f"unknown kind of fact: {tree['kind']!r}")
    plain = {name for name, _ in _PLAIN}
    stored = (part.name for part in fields(kind) if part.name in tree or part.name not in plain)
    return kind(**{name: _READERS[name](tree[name]) for name in stored})
