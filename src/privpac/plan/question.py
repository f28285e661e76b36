"""The three questions, and which classes and options they are about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypedDict

from privpac.constructions.class_facts import ClassFacts, Description, SchemaSource, description_from
from privpac.constructions.wish import FAILURE, OWNER, PROTECTS, Wish
from privpac.errors import ParameterError
from privpac.numbers.exact import plain
from privpac.numbers.parameters import Number, rational
from privpac.plan.kinds import facts_of
from privpac.plan.options import OPTIONS, Option
from privpac.wishes import read_aim, read_epsilon

__all__ = ["KINDS", "Kind", "Question", "QuestionWishes"]

Kind = Literal["needed", "reachable", "smallest_epsilon"]
KINDS: tuple[Kind, ...] = ("needed", "reachable", "smallest_epsilon")

COVERS = {"records": ("records",), "labels": ("records", "labels"), "predictions": ("records", "predictions")}
"""What protects at least what was asked: a rule that protects whole records protects its labels and its predictions."""

RELEASABLE = ("points", "thresholds", "intervals")
"""Queries about a column that a released table answers."""

PLACEHOLDER = Fraction(1, 4)
"""Stands for the number a question asks for until it is found."""


class QuestionWishes(TypedDict, total=False):
    """What may be said beside error, epsilon and records, as a person writes it; `Question.read` reads it."""

    failure: Number
    delta: Number
    noise: Number | None
    unlabelled: Number | None
    protect: str
    release: bool
    aim: str
    bits: Number | None
    columns: Number | None
    tests: Number | None
    schema: SchemaSource | None


@dataclass(frozen=True)
class Question:
    """What is given, and which number is asked for."""

    kind: Kind
    word: str
    subject: Description
    failure: Fraction
    error: Fraction | None = None
    epsilon: Fraction | None = None
    delta: Fraction = Fraction(0)
    records: int | None = None
    unlabelled: int | None = None
    noise: Fraction | None = None
    protect: str = "records"
    release: bool = False
    """Whether answers to all queries about a table are wanted, not a rule."""
    aim: str = "label"
    """What a rule is for: a class for every record, or their order by risk."""

    @classmethod
    def read(
        cls,
        kind: Kind,
        word: str,
        *,
        error: Number | None = None,
        epsilon: Number | None = None,
        records: Number | None = None,
        failure: Number = FAILURE,
        delta: Number = 0,
        noise: Number | None = None,
        unlabelled: Number | None = None,
        protect: str = "records",
        release: bool = False,
        aim: str = "label",
        bits: Number | None = None,
        columns: Number | None = None,
        tests: Number | None = None,
        schema: SchemaSource | None = None,
    ) -> Question:
        """Numbers as they were written, exact and inside their allowed sets; what was left out stays None."""
        risk = _between("failure", failure, ONE, remedy="No proof is certain: try 0.05.")
        slack = _between("delta", delta, ONE, closed=True, remedy="0 is pure privacy; else try 1e-6.")
        wrong = _half("error", error, remedy="A coin reaches 1/2 without any record: try 0.1.")
        loss = None if epsilon is None else read_epsilon(epsilon, owner=OWNER)
        best = _half("noise", noise, closed=True, remedy="It bounds the error of the best rule: try 0.1.")
        have, others = _count("records", records, least=1), _count("unlabelled", unlabelled, least=0)
        subject = description_from(bits=bits, columns=columns, tests=tests, schema=schema, records=have)
        return cls(kind, word, subject, risk, wrong, loss, slack, have, others, best, protect, release, aim)

    @property
    def card(self) -> str | None:
        """The word of the card that this is about, of two classes; None if it is about another rule."""
        names_card = self.word.partition(":")[0] == "card"
        if not (names_card or (self.word == "auto" and self.aim == "rank")):
            return None
        schema = self.subject.schema
        classes = self.subject.classes if schema is None else len(schema.classes)
        if self.release or self.protect == "predictions" or classes != 2:
            return None
        return self.word if names_card else "card"

    def __post_init__(self) -> None:
        read_aim(self.aim, owner=OWNER)
        if self.protect not in PROTECTS:
            raise ParameterError(OWNER, "protect", self.protect, allowed="one of " + ", ".join(PROTECTS))
        if self.release and self.word.partition(":")[0] not in RELEASABLE:
            raise ParameterError(
                OWNER,
                "concepts",
                self.word,
                allowed="one of " + ", ".join(RELEASABLE) + " for a release",
                remedy="They say which queries about a column are answered.",
            )
        fields = {
            "needed": ("error", "epsilon"),
            "reachable": ("records", "epsilon"),
            "smallest_epsilon": ("records", "error"),
        }
        for name in fields[self.kind]:
            if getattr(self, name) is None:
                raise ParameterError(
                    OWNER, name, None, allowed="given", remedy="Give two of records, error and epsilon."
                )

    @property
    def classes(self) -> tuple[ClassFacts, ...]:
        """The classes of rules that the word stands for."""
        return facts_of(self.word, self.subject)

    def wish(self, concepts: ClassFacts) -> Wish:
        """The numbers of a promise about one class; what is asked for holds a place."""
        return Wish(
            concepts,
            PLACEHOLDER if self.error is None else self.error,
            self.failure,
            PLACEHOLDER if self.epsilon is None else self.epsilon,
            self.delta,
            self.noise,
            self.unlabelled,
        )

    def options(self, concepts: ClassFacts) -> Iterator[Option]:
        """The rows that answer: protecting enough, for this class, within the delta, and not more than is known.

        Where the best member is known to err, nothing that needs an errorless one can be promised.
        """
        for option in OPTIONS:
            if (option.purpose == "release") != self.release:
                continue
            suits = option.protects in COVERS[self.protect] and option.serves(concepts)
            suits = suits and concepts.way in ("", option.way)
            noisy = self.noise is not None and self.noise > 0
            if suits and (option.pure or self.delta > 0) and not (noisy and option.setting == "realizable"):
                yield option

    def at(self, name: str, value: int | Fraction) -> Question:
        """The same question with another error or epsilon, or with a column of other bits."""
        if name == "bits":
            return replace(self, subject=self.subject.at("bits", int(value)))
        return (
            replace(self, error=Fraction(value))
            if name == "error"
            else replace(self, epsilon=Fraction(value))
        )

    def to_json(self) -> dict[str, Any]:
        """The question as JSON."""

        def number(value: Fraction | None) -> float | None:
            return None if value is None else float(value)

        return {
            "asks": self.kind,
            "concepts": self.word,
            "bits": self.subject.bits,
            "columns": self.subject.columns,
            "tests": self.subject.tests,
            "error": number(self.error),
            "failure": number(self.failure),
            "epsilon": number(self.epsilon),
            "delta": number(self.delta),
            "records": self.records,
            "unlabelled": self.unlabelled,
            "noise": number(self.noise),
            "protect": self.protect,
            "release": self.release,
            "aim": self.aim,
        }


ONE = Fraction(1)


def _number(name: str, value: Number, requirement: str, remedy: str) -> Fraction:
    try:
        return rational(value, owner=OWNER, name=name, allowed=requirement)
    except ParameterError:
        raise ParameterError(OWNER, name, value, allowed=requirement, remedy=remedy) from None


def _between(name: str, value: Number, high: Fraction, *, remedy: str, closed: bool = False) -> Fraction:
    """A number between 0 and `high`, which it is never; it is 0 only where the set is closed."""
    requirement = f"a number {'at least' if closed else 'above'} 0 and below {plain(high)}"
    number = _number(name, value, requirement, remedy)
    if number >= high or number < 0 or (number == 0 and not closed):
        raise ParameterError(OWNER, name, value, allowed=requirement, remedy=remedy)
    return number


def _half(name: str, value: Number | None, *, remedy: str, closed: bool = False) -> Fraction | None:
    return None if value is None else _between(name, value, ONE / 2, remedy=remedy, closed=closed)


def _count(name: str, value: Number | None, *, least: int) -> int | None:
    if value is None:
        return None
    requirement = "a positive whole number" if least == 1 else "a whole number from 0 up"
    remedy = "Say how many people are in the table, such as 3000."
    number = _number(name, value, requirement, remedy)
    if number.denominator != 1 or number < least:
        raise ParameterError(OWNER, name, value, allowed=requirement, remedy=remedy)
    return int(number)
