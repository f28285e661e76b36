"""What is asked of a learner, what a word is, and what words have in common.

Costs may make up for rare classes. With plain costs a rule that never names a class of 6 % is right 94 times in 100. If
misjudging a record costs the inverse of its class's share, every class weighs the same, and what is drawn for is
balanced accuracy. The shares must be public: counted from the records they would be a release of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import Any, cast

from privpac.concepts.base import AnyClass, Costs, ManyLabels
from privpac.concepts.literals.conjunctions import Conjunctions, Disjunctions
from privpac.concepts.trees.lists import DecisionLists
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import Merged, Occam, read_costs
from privpac.constructions.labels.classes import LabelPrivateDichotomies, are_fewer
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SchemaError, SizeError
from privpac.fields import as_list, text, whole
from privpac.guarantee.certificate import for_people
from privpac.guarantee.facts import Privacy, Unit
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import exp_up, plain, read_number
from privpac.numbers.parameters import below_one, is_count, positive, whole_positive
from privpac.request import LearnRequest, read_failure

__all__ = [
    "BALANCED",
    "DRAW",
    "MERGEABLE",
    "OWNER",
    "PROTECTS",
    "Asked",
    "Builder",
    "Naming",
    "Planned",
    "Request",
    "Transform",
    "Word",
    "balanced_costs",
    "class_of_draw",
    "column_of",
    "costs_for",
    "count_of",
    "inner_word",
    "merged",
    "one_draw",
    "request_from_json",
]


OWNER = "concepts"

PROTECTS = ("records", "labels")
"""Whose change a released rule can hide; what only answers is made by `PrivatePredictor`."""

MOST_RECORDS = 10**12
"""Beyond it searches and sums over records take too long, whoever asks, and a stored request asks too."""


MERGEABLE = (Trees, DecisionLists, Conjunctions, Disjunctions)
"""Classes whose members may hold parts that change nothing."""


@dataclass(frozen=True)
class Request:
    """Everything public that decides which learner is built."""

    schema: Schema
    size: Size
    asked: LearnRequest
    """What a person asked, or what a learner around this one asks of it; what follows from an aim is spelt out."""
    drawn: bool = True
    """Whether a member is drawn with all these records; where a word only names a class, its limits do not matter."""

    def __post_init__(self) -> None:
        whole_positive(self.records_per_person, owner="learn", name="records_per_person")
        positive(self.epsilon, owner="learn", name="epsilon")
        below_one(self.delta, owner="learn", name="delta")
        read_failure(self.failure, owner="learn")
        if self.size.total > MOST_RECORDS:
            raise SizeError(f"More than {MOST_RECORDS:,} records are beyond what is computed here.")

    @property
    def epsilon(self) -> Fraction:
        """What may be spent on a person."""
        return self.asked.epsilon

    @property
    def delta(self) -> Fraction:
        """The delta that may be spent on a person."""
        return self.asked.delta

    @property
    def failure(self) -> Fraction:
        """How likely what is proved of errors may fail: learners are tuned for it."""
        return self.asked.failure

    @property
    def protect(self) -> str:
        """Whose change is hidden."""
        return self.asked.protect

    @property
    def records_per_person(self) -> int:
        """How many records one person may have."""
        return self.asked.records_per_person

    @cached_property
    def costs(self) -> Costs | None:
        """The price of misjudging a record of each class; balanced ones follow from the schema."""
        return costs_for(self.asked.costs, self.schema)

    def asking(self, **other: Any) -> Request:
        """The same request but for what is `other` in it."""
        return replace(self, asked=replace(self.asked, **other))

    @property
    def per_record(self) -> Fraction:
        """The epsilon a learner may spend on one record, so that a person behind several is protected."""
        return self.epsilon / self.records_per_person

    @property
    def delta_per_record(self) -> Fraction:
        """A delta for one record that the rule for groups does not take above what was asked for a person."""
        people = self.records_per_person
        return self.delta / people / exp_up(self.per_record * (people - 1))

    def for_people(self, proof: Proof[Privacy]) -> Proof[Privacy]:
        """What the people behind the records are promised, given what a record is."""
        return for_people(
            proof,
            records_per_person=self.records_per_person,
            from_data=self.schema.origin == "from_data",
        )

    def to_json(self) -> dict[str, Any]:
        """The public wishes a learner was built from (schema and size are stored elsewhere)."""
        return {
            "epsilon": plain(self.epsilon),
            "delta": plain(self.delta),
            "failure": plain(self.failure),
            "protect": self.protect,
            "costs": None if self.costs is None else list(self.costs),
            "records_per_person": self.records_per_person,
        }

    def inside(self, size: int, epsilon: Fraction, delta: Fraction) -> Request:
        """The same, asked of so many records by a learner around this one, which answers for the people behind them."""
        if not delta < 1:
            raise ParameterError(
                "learn",
                "delta",
                plain(self.delta),
                allowed="so small that what is left of it for the records within is below 1",
            )
        asked = replace(self.asked, epsilon=epsilon, delta=delta, records_per_person=1)
        return replace(self, size=Size(size), asked=asked)

    def refuse_costs(self, form: str) -> None:
        """Refuse prices of mistakes for a word whose learner counts all of them alike."""
        if self.costs is not None and set(self.costs) != {1}:
            raise ParameterError(OWNER, "costs", self.costs, allowed=f"left out for {form}")

    def occam(self, concepts: AnyClass) -> Learner:
        """The learner of one draw from a class, for what is to be protected; refused if there are too many labels or
        records."""
        if not isinstance(concepts, ManyLabels):
            self.require_two_classes(concepts.word)
        labels, even = self.protect == "labels", self.costs is None or len(set(self.costs)) == 1
        if labels and even and are_fewer(concepts, self.size.labelled):
            return LabelPrivateDichotomies(concepts, self.per_record, self.failure)
        if self.drawn:
            concepts.require(self.size.labelled)
        unit = Unit.LABEL if labels else Unit.RECORD
        return merged(Occam(concepts, self.per_record, self.costs, self.failure, unit=unit))

    def require_two_classes(self, word: str) -> None:
        """Refuse more classes than the two that the rules a word names can tell apart."""
        count = len(self.schema.classes)
        if count > 2:
            raise SchemaError(
                f"Label '{self.schema.label}' has {count} classes, but {word} separates two.",
                column=self.schema.label,
                remedy="Trees and decision lists take any number: concepts='trees:3'.",
            )


Builder = Callable[[Request, str], Learner]

Naming = Callable[[str, Request], Learner]
"""From a word to the learner it names."""

Transform = Callable[[Request, str, Naming], Learner]
"""From a word that stands behind another one to a learner around what it names."""


@dataclass(frozen=True)
class Asked:
    """What a plan knows where it chooses the word of a row: the class as it is named, and the numbers."""

    schema: Schema
    word: str
    error: Fraction
    failure: Fraction
    records: int

    @property
    def rest(self) -> str:
        """What stands behind the colon of the class."""
        return self.word.partition(":")[2]


DRAW = "one rule is drawn, the likelier the better it fits (exponential mechanism)"


@dataclass(frozen=True)
class Planned:
    """A row of a plan: which word it tries for a class, and how a rule is then found.

    What it promises, to whom and at which cost, its certificates say.
    """

    form: str | Callable[[Asked], str] = "{word}"
    """With {word}, the class as it is named, {rest}, what stands behind its colon, and {error}, what is to be proved;
    or what finds the word."""
    title: str = DRAW
    aims: bool = False
    """Whether the word depends on the error that is to be proved."""
    drawn: bool = True
    """Whether it is a row too where the word stands for one draw from the class, which has a row of its own."""

    def word(self, asked: Asked) -> str:
        """The word for a class and these numbers."""
        if not isinstance(self.form, str):
            return self.form(asked)
        error = plain(Fraction(math.floor(asked.error * _BILLION), _BILLION))
        return self.form.format(word=asked.word, rest=asked.rest, error=error)


_BILLION = 10**9
"""Words name errors of nine digits."""


@dataclass(frozen=True)
class Word:
    """How a word is written, what it means, and what builds it: by itself, or around what a further word names."""

    form: str
    meaning: str
    build: Builder | Transform
    protects: tuple[str, ...] = ("records",)
    many_classes: bool = False
    """Whether the rules end in any number of classes; otherwise they separate two."""
    risks: bool = False
    """Whether the rules tell the risk of each class by themselves."""
    takes_delta: bool = False
    """Whether a delta can be of use; where it cannot, nobody is let believe that it was."""
    leaves: bool = False
    """Whether the rules are trees, whose leaves can be counted."""
    counted: bool = False
    """Whether the leaves are counted without anybody asking for it."""
    transforms: bool = False
    """Whether a further word stands behind it, and `build` is a `Transform`."""
    way_of: str = ""
    """The word for the class, where this one names a way to learn it: its plan compares all ways."""
    planned: tuple[Planned, ...] = ()
    """Rows of a plan: for a class, the ways to learn it that no word of their own names; for a way, how it is written
    for the class that it is a way of; for a transform, how around any class. Empty for a class: one draw."""
    choice: Callable[[Request], str] | None = None
    """Where public numbers choose among the forms of a word: which of them the bare word stands for."""

    def learner(self, request: Request, rest: str, naming: Naming) -> Learner:
        """What the word means with what was written behind its colon."""
        if self.transforms:
            return cast(Transform, self.build)(request, rest, naming)
        return cast(Builder, self.build)(request, rest)


def column_of(request: Request, name: str, form: str) -> str:
    """The column a word names, which the schema must have."""
    if not name:
        raise ParameterError(OWNER, "word", form, allowed=f"of the form {form}", remedy="Name a column.")
    return request.schema.column(name).name


def count_of(word: str, rest: str) -> int:
    """The number after a word, three if there is none."""
    if rest and not is_count(rest):
        raise ParameterError(
            OWNER, "word", f"{word}:{rest}", allowed=f"of the form {word}:K, such as {word}:3"
        )
    return int(rest or "3")


def inner_word(rest: str, form: str) -> tuple[int | None, str]:
    """The number, if there is one, and the word that stand behind the colon of a transform.

    >>> inner_word("200:thresholds:age", "subsampled:WORD"), inner_word("stumps", "subsampled:WORD")
    ((200, 'thresholds:age'), (None, 'stumps'))
    """
    head, _, tail = rest.partition(":")
    number, word = (int(head), tail) if is_count(head) else (None, rest)
    if not word or number == 0:
        raise ParameterError(
            OWNER,
            "word",
            f"{form.partition(':')[0]}:{rest}",
            allowed=f"of the form {form}",
            remedy="Name what to learn behind the colon, such as thresholds:COLUMN.",
        )
    return number, word


def class_of_draw(learner: Learner, word: str, *, owner: str) -> AnyClass:
    """The class that a learner draws one member of; refused where more than one draw is made."""
    draw = one_draw(learner)
    if draw is None:
        raise ParameterError(
            owner,
            "concepts",
            word,
            allowed="a class of which one member is drawn",
            remedy="Use thresholds, intervals, unions, points, stumps, rectangles, halfspaces, trees:DEPTH or lists.",
        )
    return draw.concepts


def one_draw(learner: Learner) -> Occam | None:
    """The one draw that a learner makes, as a learner of its own; None where it makes more than one."""
    if isinstance(learner, Merged):
        return one_draw(learner.learner)
    return learner if isinstance(learner, Occam) else None


def merged(learner: Learner) -> Learner:
    """The learner, with what it releases written without parts that change nothing, where its class has such."""
    return Merged(learner) if isinstance(learner.concepts, MERGEABLE) else learner


def request_from_json(tree: Mapping[str, Any], *, schema: Schema, size: Size) -> Request:
    """The request a stored certificate answers. What was spelt out may be less than a person can ask for."""
    costs = tree["costs"]
    asked = LearnRequest(
        epsilon=read_number(tree["epsilon"]),
        delta=read_number(tree["delta"]),
        failure=read_number(tree["failure"]),
        protect=text(tree["protect"]),
        costs=None if costs is None else tuple(whole(cost, least=1) for cost in as_list(costs)),
        records_per_person=whole(tree["records_per_person"], least=1),
    )
    return Request(schema, size, asked)


BALANCED = "balanced"

TOLERANCE = Fraction(1, 20)
"""Costs are the smallest whole numbers within 5 % of the inverse shares, so that tables of powers stay short."""


def costs_for(costs: Iterable[int] | str | None, schema: Schema) -> Costs | None:
    """The costs that were asked for; those of a declared base rate for `balanced`."""
    if costs is None:
        return None
    if isinstance(costs, str):
        if costs != BALANCED:
            raise ParameterError(
                "learn", "costs", costs, allowed=f"one positive integer per class, or {BALANCED!r}"
            )
        return balanced_costs(schema)
    return read_costs(tuple(costs), len(schema.classes), "learn")


def balanced_costs(schema: Schema) -> Costs:
    """One positive integer per class, within 5 % in proportion to the inverse of its share.

    >>> columns = [{"name": "x", "kind": "boolean"}]
    >>> balanced_costs(Schema.from_json({"label": "y", "base_rate": 0.06, "columns": columns}))
    (1, 16)
    """
    if schema.base_rate is None:
        raise ParameterError(
            "learn",
            "costs",
            BALANCED,
            allowed="costs of your own where the schema declares no base rate",
            remedy='Write the publicly known share of the classes into the schema, such as "base_rate": 0.06.',
        )
    shares = [Fraction(rate) for rate in schema.base_rate]
    goals = [max(shares) / share for share in shares]  # the commonest class costs 1
    for unit in count(1):
        costs = [max(1, round(unit * ratio)) for ratio in goals]
        if all(
            abs(cost - unit * ratio) <= TOLERANCE * unit * ratio
            for cost, ratio in zip(costs, goals, strict=True)
        ):
            break
    return tuple(costs)
