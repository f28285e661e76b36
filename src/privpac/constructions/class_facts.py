"""What a plan needs to know about a class of concepts: its size, its dimension, its domain; public numbers only.

The same numbers as those of the classes in `privpac.concepts`, without their kernels, so that a plan answers at once
(tests/unit/constructions/test_class_facts.py compares the two). A class is named by its word, and described either by
numbers (`bits`
of a column, how many `columns` or `tests`) or by a schema.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from privpac.concepts.grids import (
    CUTS,
    FEWER_CUTS,
    MOST_TESTS,
    boxes_fit,
)
from privpac.errors import ParameterError, SchemaError
from privpac.numbers.parameters import Number, at_least
from privpac.theory.listing import (
    LARGEST_SETS,
    LARGEST_TABLE,
    MOST_RUN_POINTS,
    boxes_drawn_from,
    drawn_dimension,
    stump_labels,
)

if TYPE_CHECKING:
    from privpac.data.schema import Schema

__all__ = [
    "DICHOTOMIES",
    "MEMBERS",
    "ONE_WAY",
    "ClassFacts",
    "Description",
    "Kinds",
    "SchemaSource",
    "can_list",
    "can_vote",
    "description_from",
    "dimension",
    "least_dimensional",
    "members_from",
]

T = TypeVar("T")

SchemaSource: TypeAlias = "Schema | str | Path | Mapping[str, Any]"
"""A schema, or where it is read from: a file, JSON text, or a dictionary."""

MORE_DIMENSIONS = 100
"""Beyond the VC dimension: where members are drawn by their prior, more may count."""

OWNER = "plan"

REAL_CELLS = 2**32
"""Cells of a column of real numbers (`data.numeric.RESOLUTION`, which loads numpy)."""

MOST_BITS = 2**20
"""Keys of a million bits are nobody's; their powers would fill the memory."""


@dataclass(frozen=True)
class ClassFacts:
    """One class of concepts in public numbers."""

    word: str
    """How `privpac learn` spells it; COLUMN where no column was named."""
    kind: str
    size: int
    odds: Fraction
    """Prior of all others over prior of one member: what the accuracy bound pays for."""
    vc: int
    """At most this many points are shattered."""
    shatters: int
    """At least this many points are shattered: what floors may use."""
    cells: int | None = None
    """Values of the one column that a class looks at."""
    tests: int | None = None
    parts: int = 1
    """Intervals of a union, columns of a box, levels of a tree."""
    kappa: Fraction | None = None
    """Continuous features: the largest density against the reference; such a class has no number of members."""
    table: tuple[tuple[int, bool], ...] = ()
    """Columns that are looked at one by one: how many cells each has, and whether they have an order."""
    groups: tuple[int, ...] = ()
    """Of boxes: the cells of each column that they tell apart."""
    grid: str = ""
    """What the members lie on, in words, and how far others may be from them; empty where no cell is left out."""
    schema: Schema | None = field(default=None, compare=False, repr=False)
    """Columns, where what is learnt from depends on how many records there are."""
    way: str = ""
    """The one way to learn it that was asked for, as in `points:COLUMN:WAY`; any if left out."""
    labels: int = 2
    """Into how many classes the rules divide records."""
    named: bool = True
    """Whether the word can be given to `privpac learn` as it stands."""

    @classmethod
    def on_a_line(
        cls, word: str, kind: str, size: int, vc: int, cells: int, parts: int = 1, *, named: bool
    ) -> ClassFacts:
        """A class over one column, all members of which are as likely."""
        return cls(word, kind, size, Fraction(size - 1), vc, vc, cells, parts=parts, named=named)

    @classmethod
    def of_tests(cls, word: str, kind: str, size: int, tests: int, parts: int, *, named: bool) -> ClassFacts:
        """A class of rules made of yes-or-no tests, of which nothing is known but how many there are."""
        vc = size.bit_length() - 1
        return cls(word, kind, size, Fraction(size - 1), vc, 1, tests=tests, parts=parts, named=named)

    @property
    def bits(self) -> float:
        """log2 of the size."""
        return math.log2(self.size)


MEMBERS = ("one-test", "trees", "lists", "conjunctions", "disjunctions", "scorecards", "halfspaces")
"""Classes of which members are drawn in place of labellings (`concepts.labellings.members`)."""

VOTED_AS_MEMBERS = (*MEMBERS, "unions", "rectangles")
"""Classes of which members are voted on in place of labellings."""

ONE_WAY = ("clauses", "card")
"""Classes that their own construction alone learns: no draw from them, and no labellings, within any time."""

DICHOTOMIES = ("finite", "points", "thresholds", "intervals", "unions", "rectangles", "stumps", *MEMBERS)
"""Classes whose labellings of given points can be drawn from."""


def can_list(concepts: ClassFacts, *, voted: bool = False, points: int = 1, voters: int = 1) -> bool:
    """Whether the labellings of this many points can be drawn from, or voted on by this many others.

    As the classes themselves refuse, by the worst points there could be.
    """
    match concepts.kind:
        case "rectangles" if voted:
            return boxes_fit(concepts.groups, voters)
        case "rectangles":
            first = members_from(concepts)
            return first is None or points < first or boxes_fit(concepts.groups, points)
        case "intervals":
            return not voted or min(points, concepts.cells or points) <= MOST_RUN_POINTS
        case "finite":
            return concepts.size * points <= LARGEST_TABLE
        case "stumps":
            candidates, distinct = stump_labels(concepts.table, points)
            return candidates * distinct <= LARGEST_SETS
    return concepts.kind in DICHOTOMIES and concepts.labels == 2


def can_vote(concepts: ClassFacts) -> bool:
    """Whether records can vote on the labellings of others."""
    return can_list(concepts, voted=True)


def members_from(concepts: ClassFacts, *, voted: bool = False) -> int | None:
    """As `concepts.labellings.base.members_from` says of the class itself."""
    if concepts.kind in (VOTED_AS_MEMBERS if voted else MEMBERS):
        return 0
    return boxes_drawn_from(concepts.groups) if concepts.kind == "rectangles" else None


def dimension(
    concepts: ClassFacts, *, counted: int, drawn: int | None = None, voted: bool = False
) -> int | None:
    """As `concepts.labellings.base.dimension` says of the class itself."""
    first = members_from(concepts, voted=voted)
    return drawn_dimension(concepts, counted=counted, drawn=drawn, members_from=first)


def least_dimensional(
    concepts: ClassFacts, solve: Callable[[int], T | None], counts: Callable[[T], int | None]
) -> T | None:
    """What is solved for the least VC dimension that counts for the solution, tried in turn; None if there is none."""
    for vc in range(1, concepts.vc + MORE_DIMENSIONS):
        answer = solve(vc)
        count = None if answer is None else counts(answer)
        if answer is not None and count is not None and count <= vc:
            return answer
    return None


@dataclass(frozen=True)
class Description:
    """How the class was described: numbers, or a schema."""

    bits: int | None = None
    columns: int | None = None
    tests: int | None = None
    classes: int = 2
    schema: Schema | None = None
    records: int | None = None

    @property
    def counted(self) -> bool:
        """Whether nothing but the number of columns is known of their values."""
        return self.schema is None and self.bits is None and self.columns is not None

    @property
    def named(self) -> bool:
        """Whether a word names the columns it speaks of."""
        return self.schema is not None

    def at(self, name: str, value: int) -> Description:
        """The same with other bits, columns or tests."""
        if name == "bits":
            return replace(self, bits=value)
        return replace(self, columns=value) if name == "columns" else replace(self, tests=value)

    def cells(self, name: str, form: str) -> int:
        """Cells of the column a class looks at; of columns that were only counted, those of real numbers."""
        if self.schema is None:
            return REAL_CELLS if self.counted else 1 << self.need_bits(form)
        if not name:
            raise ParameterError(
                OWNER, "concepts", form, allowed=f"of the form {form}", remedy="Name a column."
            )
        size = self.schema.column(name).size
        if self.bits is not None and 2**self.bits > size:
            most = (size - 1).bit_length()
            raise ParameterError(
                OWNER,
                "bits",
                self.bits,
                allowed=f"at most {most}, since column '{name}' has {size} values",
                remedy="Leave bits out: the schema says how many values there are.",
            )
        return size if self.bits is None else 2**self.bits

    def need_bits(self, form: str) -> int:
        """The bits, which nothing else tells."""
        if self.bits is None:
            raise ParameterError(
                OWNER,
                "bits",
                None,
                allowed=f"given for {form}",
                remedy="A column of 2^32 values has --bits 32; or give --schema FILE.",
            )
        return self.bits

    def number_of_tests(self, form: str) -> int:
        """Yes-or-no tests trees and lists are made of, as `privpac learn` would make them."""
        if self.schema is not None:
            from privpac.concepts.literals.binarise import Binarisation

            return len(Binarisation.default(self.schema, n=self.records or 0).tests)
        if self.tests is not None:
            return self.tests
        if self.columns is None:
            raise ParameterError(
                OWNER,
                "columns",
                None,
                allowed=f"given for {form}",
                remedy="Give --columns NUMBER, --tests NUMBER or --schema FILE.",
            )
        each = CUTS if self.columns * CUTS <= MOST_TESTS else FEWER_CUTS
        if self.bits is not None:
            each = min(each, 2**self.bits - 1)
        return self.columns * each

    def number_of_classes(self) -> int:
        """Classes of the label."""
        return self.classes if self.schema is None else len(self.schema.classes)

    def number_of_columns(self) -> int:
        """Columns a rule can tell records apart by, for what can surely be shattered."""
        if self.schema is not None:
            return sum(column.size > 1 for column in self.schema.columns)
        return self.columns if self.columns is not None else (self.tests or 1)


Kinds = Mapping[str, tuple[str, Callable[[str, Description], ClassFacts]]]
"""Classes by their words: how each is written without a schema, and its public numbers."""


def description_from(
    *,
    bits: Number | None = None,
    columns: Number | None = None,
    tests: Number | None = None,
    schema: SchemaSource | None = None,
    records: int | None = None,
) -> Description:
    """A description as people give it."""

    def size(name: str, value: Number | None) -> int | None:
        return None if value is None else at_least(1, value, owner=OWNER, name=name)

    description = Description(
        size("bits", bits), size("columns", columns), size("tests", tests), records=records
    )
    if schema is None:
        return description
    if columns is not None or tests is not None:
        raise SchemaError(
            "A schema says how many columns and tests there are.", remedy="Leave columns and tests out."
        )
    from privpac.data.schema import Schema

    return replace(description, schema=schema if isinstance(schema, Schema) else Schema.from_json(schema))
