"""What a person asks for, read once: on the command line, in Python, on a page.

Each dataclass holds the public numbers of one kind of wish, exactly as they were written, and travels inwards as it is.
Whether a wish can be granted is decided further in, by what is built for it; here it is only read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from privpac.errors import ParameterError

if TYPE_CHECKING:
    from privpac.concepts.base import AnyClass, Costs

__all__ = [
    "AIMS",
    "LEAST_EPSILON",
    "MOST_EPSILON",
    "AnswerWishes",
    "FewLabelWishes",
    "RuleWishes",
    "TableWishes",
    "read_aim",
    "read_costs",
    "read_delta",
    "read_epsilon",
    "warning_of_large",
]

LEAST_EPSILON, MOST_EPSILON = Fraction(1, 10**12), Fraction(10**6)
"""The epsilons a person may ask for. With less, 10^12 records, more than are ever computed with, tell nothing; with
more, nothing is kept secret; and beyond either end numbers arise that no double holds."""

AUTO = "auto"
"""For a share of records kept aside: what public numbers say is best."""

EPSILONS = "a positive number from 1e-12 to 1e6"

AIMS = ("label", "rank")
"""What a rule is for: a class for every record, or their order by risk, with the risk itself."""


def _number(value: object, *, owner: str, name: str, allowed: str = "a number") -> Fraction:
    from privpac.numbers.exact import exact_decimal  # balls, which `--help` has no use for

    return exact_decimal(value, owner=owner, name=name, allowed=allowed)


def read_epsilon(value: object, *, owner: str, name: str = "epsilon") -> Fraction:
    """A privacy loss as a person wrote it, within the range that everything here computes with.

    >>> read_epsilon(0.1, owner="learn")
    Fraction(1, 10)
    """
    number = _number(value, owner=owner, name=name, allowed=EPSILONS)
    if not LEAST_EPSILON <= number <= MOST_EPSILON:
        raise ParameterError(
            owner, name, value, allowed=EPSILONS, remedy=f"Write it as a decimal, such as {name}=0.5."
        )
    return number


LARGE_EPSILON = 10
"""Above it the odds of an outcome may change by a factor of more than 20,000 with one record."""


def warning_of_large(epsilon: Fraction) -> str:
    """What a large epsilon means, in words; empty for one that is not large.

    >>> warning_of_large(Fraction(1)), warning_of_large(Fraction(12))[:54]
    ('', 'Epsilon 12 is large: one record may change the odds of')
    """
    from privpac.numbers.exact import plain

    if epsilon <= LARGE_EPSILON:
        return ""
    factor = f"{math.exp(epsilon):,.0f}" if epsilon < 20 else f"10^{float(epsilon) / math.log(10):.0f}"
    return (
        f"Epsilon {plain(epsilon)} is large: one record may change the odds of an outcome by a factor of about"
        f" {factor}, which protects hardly anybody. Most releases keep to 1 or less."
    )


def read_delta(value: object, *, owner: str) -> Fraction:
    """A delta as a person wrote it."""
    return _between(value, owner=owner, name="delta")


def read_aim(value: object, *, owner: str) -> str:
    """What a rule is for, as a person wrote it.

    >>> read_aim("rank", owner="learn")
    'rank'
    """
    if not isinstance(value, str) or value not in AIMS:
        raise ParameterError(owner, "aim", value, allowed=f"one of {', '.join(AIMS)}")
    return value


def read_costs(text: str | None, *, owner: str) -> tuple[int, ...] | str | None:
    """The price of misjudging a record of each class, as a person wrote it: with commas, or one word.

    >>> read_costs("1, 5", owner="learn"), read_costs("balanced", owner="learn")
    ((1, 5), 'balanced')
    """
    if text is None or text == "balanced":
        return text
    parts = [part.strip() for part in text.split(",")]
    if not all(
        part.isascii() and part.isdecimal() and 0 < len(part) <= 18 and int(part) > 0 for part in parts
    ):
        raise ParameterError(
            owner,
            "costs",
            text,
            allowed="positive integers, one per class in the schema's order, such as 1,5, or balanced",
        )
    return tuple(int(part) for part in parts)


def _flag(value: object, *, owner: str, name: str) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(owner, name, value, allowed="True or False")
    return value


def _between(value: object, *, owner: str, name: str) -> Fraction:
    requirement = "at least 0 and below 1"
    number = _number(value, owner=owner, name=name, allowed=requirement)
    if not 0 <= number < 1:
        raise ParameterError(owner, name, value, allowed=requirement)
    return number


def _positive(value: object, *, owner: str, name: str) -> Fraction | None:
    if value is None:
        return None
    requirement = "a positive number"
    number = _number(value, owner=owner, name=name, allowed=requirement)
    if number <= 0:
        raise ParameterError(owner, name, value, allowed=requirement)
    return number


@dataclass(frozen=True)
class RuleWishes:
    """A rule, and if paid for an estimate of its accuracy and counts in its leaves."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    concepts: str | AnyClass = "auto"
    protect: str = "records"
    costs: Costs | str | None = None
    """The price of misjudging a record of each class, or 'balanced'."""
    records_per_person: int = 1
    estimate_epsilon: Fraction | None = None
    leaf_epsilon: Fraction | None = None
    holdout: Fraction | None = None
    """The share of records kept aside for the estimate; None: what promises the narrower interval."""
    aim: str = "label"
    probabilities: bool = False
    """Whether a share of epsilon goes to counts in the leaves, from which risks are told."""

    @classmethod
    def read(
        cls,
        *,
        epsilon: object,
        delta: object = 0,
        concepts: str | AnyClass = "auto",
        protect: str = "records",
        costs: Iterable[int] | str | None = None,
        records_per_person: int = 1,
        estimate_epsilon: object = None,
        leaf_epsilon: object = None,
        holdout: object = AUTO,
        aim: str = "label",
        probabilities: bool = False,
    ) -> RuleWishes:
        """Numbers as they were written, on the command line or in Python: 0.1 is one tenth."""
        owner = "learn"

        def further(value: object, name: str) -> Fraction | None:
            return None if value is None else read_epsilon(value, owner=owner, name=name)

        return cls(
            read_epsilon(epsilon, owner=owner),
            read_delta(delta, owner=owner),
            concepts,
            protect,
            costs if costs is None or isinstance(costs, str) else tuple(costs),
            records_per_person,
            further(estimate_epsilon, "estimate_epsilon"),
            further(leaf_epsilon, "leaf_epsilon"),
            None if holdout == AUTO else _between(holdout, owner=owner, name="holdout"),
            read_aim(aim, owner=owner),
            _flag(probabilities, owner=owner, name="probabilities"),
        )


@dataclass(frozen=True)
class FewLabelWishes:
    """How records without labels are used, and the error that must be promised for it."""

    method: str = "auto"
    error: Fraction | None = None

    @classmethod
    def read(cls, *, method: str, error: object) -> FewLabelWishes:
        return cls(method, _positive(error, owner="learn", name="error"))


@dataclass(frozen=True)
class AnswerWishes:
    """Answers at a price each, one by one or a number of them declared beforehand."""

    base: object
    price: Fraction
    delta: Fraction = Fraction(0)
    answers: int | None = None
    models: int | None = None
    records_per_person: int = 1
    adds_rho: bool = False
    """Whether the budget adds rho: classifiers then vote by the law that is best there."""


@dataclass(frozen=True)
class TableWishes:
    """Synthetic records of some columns."""

    columns: tuple[str, ...]
    """Empty: every column of the schema, and the label."""
    epsilon: Fraction
    method: str
    error: Fraction | None
    failure: Fraction
    records_per_person: int = 1
    delta: Fraction = Fraction(0)

    @classmethod
    def read(
        cls,
        *,
        columns: str | Iterable[str] | None,
        epsilon: object,
        method: str,
        error: object,
        failure: object,
        records_per_person: int,
        delta: object = 0,
    ) -> TableWishes:
        """Numbers as they were written; one column may be given as its name."""
        owner = "release"
        return cls(
            (columns,) if isinstance(columns, str) else tuple(columns or ()),
            read_epsilon(epsilon, owner=owner),
            method,
            _positive(error, owner=owner, name="error"),
            _number(failure, owner=owner, name="failure"),
            records_per_person,
            read_delta(delta, owner=owner),
        )
