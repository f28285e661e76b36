"""The three questions, and which classes and options they are about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypedDict

from privpac.constructions.class_facts import ClassFacts, Description, SchemaSource, description_from
from privpac.constructions.wish import OWNER, Wish
from privpac.errors import ParameterError
from privpac.planning.kinds import facts_of
from privpac.planning.options import OPTIONS, Option
from privpac.request import PlanRequest, PlanWishes

__all__ = ["Kind", "Question", "QuestionWishes"]

Kind = Literal["needed", "reachable", "smallest_epsilon"]

COVERS = {"records": ("records",), "labels": ("records", "labels"), "predictions": ("records", "predictions")}
"""What protects at least what was asked: a rule that protects whole records protects its labels and its predictions."""

RELEASABLE = ("points", "thresholds", "intervals")
"""Queries about a column that a released table answers."""

PLACEHOLDER = Fraction(1, 4)
"""Stands for the number a question asks for until it is found."""


class SubjectWishes(TypedDict, total=False):
    """A schema, in place of the numbers that a request has for what a table is like."""

    schema: SchemaSource | None


class QuestionWishes(PlanWishes, SubjectWishes, total=False):
    """What may be said beside error, epsilon and records, as a person writes it."""


@dataclass(frozen=True)
class Question:
    """What is asked, and of which table."""

    asked: PlanRequest
    subject: Description

    @classmethod
    def read(cls, *, schema: SchemaSource | None = None, **said: object) -> Question:
        """Numbers as they were written, exact and inside their allowed sets; what was left out stays None."""
        return cls.of(PlanRequest.read(said), schema)

    @classmethod
    def of(cls, asked: PlanRequest, schema: SchemaSource | None = None) -> Question:
        """A request, once it is read, about the table of a schema or one of its own numbers."""
        sizes = {name: getattr(asked, name) for name in ("bits", "columns", "tests", "records")}
        return cls(asked, description_from(**sizes, schema=schema))

    @property
    def kind(self) -> Kind:
        """Which number is asked for: the one that was left out; with all of them, whether the records are enough."""
        if self.asked.error is None:
            return "reachable"
        return "smallest_epsilon" if self.asked.epsilon is None else "needed"

    def asking(self, **other: Any) -> Question:
        """The same question but for what is `other` in it."""
        return replace(self, asked=replace(self.asked, **other))

    @property
    def card(self) -> str | None:
        """The word of the card that this is about, of two classes; None if it is about another rule."""
        names_card = self.asked.concepts.partition(":")[0] == "card"
        if not (names_card or (self.asked.concepts == "auto" and self.asked.aim == "rank")):
            return None
        schema = self.subject.schema
        classes = self.subject.classes if schema is None else len(schema.classes)
        if self.asked.release or self.asked.protect == "predictions" or classes != 2:
            return None
        return self.asked.concepts if names_card else "card"

    def __post_init__(self) -> None:
        if self.asked.release and self.asked.concepts.partition(":")[0] not in RELEASABLE:
            raise ParameterError(
                OWNER,
                "concepts",
                self.asked.concepts,
                allowed="one of " + ", ".join(RELEASABLE) + " for a release",
                remedy="They say which queries about a column are answered.",
            )
        given = {name: getattr(self.asked, name) for name in ("records", "error", "epsilon")}
        missing = [name for name, value in given.items() if value is None]
        if len(missing) > 1:
            raise ParameterError(
                OWNER,
                missing[-1],
                None,
                allowed="given",
                remedy="Give two of records, error and epsilon; the third is computed. For example:"
                " privpac plan --records 3000 --columns 12 --epsilon 0.5",
            )

    @property
    def classes(self) -> tuple[ClassFacts, ...]:
        """The classes of rules that the word stands for."""
        return facts_of(self.asked.concepts, self.subject)

    def wish(self, concepts: ClassFacts) -> Wish:
        """The numbers of a promise about one class; what is asked for holds a place."""
        return Wish(
            concepts,
            PLACEHOLDER if self.asked.error is None else self.asked.error,
            self.asked.failure,
            PLACEHOLDER if self.asked.epsilon is None else self.asked.epsilon,
            self.asked.delta,
            self.asked.noise,
            self.asked.unlabelled,
        )

    def options(self, concepts: ClassFacts) -> Iterator[Option]:
        """The rows that answer: protecting enough, for this class, within the delta, and not more than is known.

        Where the best member is known to err, nothing that needs an errorless one can be promised.
        """
        for option in OPTIONS:
            if (option.purpose == "release") != self.asked.release:
                continue
            suits = option.protects in COVERS[self.asked.protect] and option.serves(concepts)
            suits = suits and concepts.way in ("", option.way)
            noisy = self.asked.noise is not None and self.asked.noise > 0
            if (
                suits
                and (option.pure or self.asked.delta > 0)
                and not (noisy and option.setting == "realizable")
            ):
                yield option

    def at(self, name: str, value: int | Fraction) -> Question:
        """The same question with another error or epsilon, or with a column of other bits."""
        if name == "bits":
            return replace(self, subject=self.subject.at("bits", int(value)))
        return self.asking(**{name: Fraction(value)})

    def to_json(self) -> dict[str, Any]:
        """The question as JSON."""

        def number(value: Fraction | None) -> float | None:
            return None if value is None else float(value)

        return {
            "asks": self.kind,
            "concepts": self.asked.concepts,
            "bits": self.subject.bits,
            "columns": self.subject.columns,
            "tests": self.subject.tests,
            "error": number(self.asked.error),
            "failure": number(self.asked.failure),
            "epsilon": number(self.asked.epsilon),
            "delta": number(self.asked.delta),
            "records": self.asked.records,
            "unlabelled": self.asked.unlabelled,
            "noise": number(self.asked.noise),
            "protect": self.asked.protect,
            "release": self.asked.release,
            "aim": self.asked.aim,
            "attainable": self.asked.attainable,
        }
