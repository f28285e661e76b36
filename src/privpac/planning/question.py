"""The three questions: two of records, error and epsilon, about a word of `privpac learn` and a table.

The table is that of a schema. Where only a number of columns or bits is given, it is an invented one, with columns
c1, c2, ... that all have as many values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict

from privpac.constructions.request import Word
from privpac.constructions.rule_lists import FORM
from privpac.constructions.words import WORDS, unknown_word
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SchemaError
from privpac.numbers.parameters import is_count
from privpac.removed import replacement_of
from privpac.request import PlanRequest, PlanWishes

__all__ = ["OWNER", "Kind", "Question", "QuestionWishes", "SchemaSource"]

OWNER = "plan"

Kind = Literal["needed", "reachable", "smallest_epsilon"]

SchemaSource: TypeAlias = "Schema | str | Path | Mapping[str, Any]"
"""A schema, or where it is read from: a file, JSON text, or a dictionary."""

RELEASABLE = ("points", "thresholds", "intervals")
"""Queries about a column that a released table answers."""

REAL_BITS = 32
"""Columns of more bits than this are whole numbers: a real one has no more cells."""

MOST_BITS, MOST_COLUMNS = 14_000, 10_000
"""Beyond, a number is no key of a table, and a table has no such width."""


class SubjectWishes(TypedDict, total=False):
    """A schema, in place of the numbers that a request has for what a table is like."""

    schema: SchemaSource | None


class QuestionWishes(PlanWishes, SubjectWishes, total=False):
    """What may be said beside error, epsilon and records, as a person writes it."""


@dataclass(frozen=True)
class Question:
    """What is asked, and of which table."""

    asked: PlanRequest
    schema: Schema
    invented: bool = False
    """Whether the schema stands for numbers of bits and columns, so that no column has a name."""
    word: str = ""
    """The class that is asked about, with columns of the schema."""
    kappa: Fraction | None = None
    """The density that a promise about continuous features must reach; None: whatever the records allow."""

    @classmethod
    def read(cls, *, schema: SchemaSource | None = None, **said: object) -> Question:
        """Numbers as they were written, exact and inside their allowed sets; what was left out stays None."""
        return cls.of(PlanRequest.read(said), schema)

    @classmethod
    def of(cls, asked: PlanRequest, schema: SchemaSource | None = None) -> Question:
        """A request, once it is read, about the table of a schema or one of its own numbers."""
        _check(asked)
        if schema is None:
            word, columns, kappa = _with_columns(asked.concepts)
            return cls(asked, _invented(asked, word, columns), True, word, kappa)
        described = schema if isinstance(schema, Schema) else Schema.from_json(schema)
        if asked.columns is not None or asked.bits is not None:
            raise SchemaError("A schema says how large the table is.", remedy="Leave columns and bits out.")
        entry = _entry(asked.concepts)
        if "COL" in entry.form and ":" not in asked.concepts and len(described.columns) > 1:
            raise ParameterError(
                OWNER,
                "concepts",
                asked.concepts,
                allowed=f"of the form {entry.form}",
                remedy="Name a column.",
            )
        return cls(asked, described, False, asked.concepts)

    @property
    def kind(self) -> Kind:
        """Which number is asked for: the one that was left out; with all of them, whether the records are enough."""
        if self.asked.error is None:
            return "reachable"
        return "smallest_epsilon" if self.asked.epsilon is None else "needed"

    @property
    def head(self) -> str:
        """The kind of rule, without columns and numbers."""
        return self.word.partition(":")[0]

    def asking(self, **other: Any) -> Question:
        """The same question but for what is `other` in it."""
        return replace(self, asked=replace(self.asked, **other))

    def at(self, name: str, value: int | Fraction) -> Question:
        """The same question with another error or epsilon, or about an invented table of other bits or columns."""
        if name in ("bits", "columns"):
            return Question.of(replace(self.asked, **{name: int(value)}))  # type: ignore[arg-type]
        return self.asking(**{name: Fraction(value)})

    @property
    def card(self) -> str | None:
        """The word of the card that this is about, of two classes; None if it is about another rule."""
        if not (self.head == "card" or (self.word == "auto" and self.asked.aim == "rank")):
            return None
        if self.asked.release or self.asked.protect == "predictions" or len(self.schema.classes) != 2:
            return None
        return self.word if self.head == "card" else "card"

    def shown(self, word: str) -> str:
        """A word as a reader writes it: columns that were invented have no names, and rules stand in a file."""
        before, rules, _ = word.partition("finite:[")
        word = f"{before}{FORM}" if rules else word
        return _INVENTED.sub("COLUMN", word) if self.invented else word

    def to_json(self) -> dict[str, Any]:
        """The question as JSON."""

        def number(value: Fraction | None) -> float | None:
            return None if value is None else float(value)

        asked = self.asked
        return {
            "asks": self.kind,
            "concepts": asked.concepts,
            "bits": asked.bits,
            "columns": asked.columns,
            "error": number(asked.error),
            "failure": number(asked.failure),
            "epsilon": number(asked.epsilon),
            "delta": number(asked.delta),
            "records": asked.records,
            "unlabelled": asked.unlabelled,
            "protect": asked.protect,
            "release": asked.release,
            "aim": asked.aim,
            "attainable": asked.attainable,
        }


_INVENTED = re.compile(r"(?<![^:,])c[0-9]+(?![^:,])")


def _check(asked: PlanRequest) -> None:
    if asked.release and asked.concepts.partition(":")[0] not in RELEASABLE:
        raise ParameterError(
            OWNER,
            "concepts",
            asked.concepts,
            allowed="one of " + ", ".join(RELEASABLE) + " for a release",
            remedy="They say which queries about a column are answered.",
        )
    given = {name: getattr(asked, name) for name in ("records", "error", "epsilon")}
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
    for name, most in (("bits", MOST_BITS), ("columns", MOST_COLUMNS)):
        value = getattr(asked, name)
        if value is not None and value > most:
            raise ParameterError(OWNER, name, value, allowed=f"a whole number from 1 to {most:,}")


def _entry(word: str) -> Word:
    """What a word begins with."""
    head = word.partition(":")[0]
    if head not in WORDS or replacement_of(word):
        raise unknown_word(word, owner=OWNER)
    return WORDS[head]


def _with_columns(word: str) -> tuple[str, int, Fraction | None]:
    """The word with columns of an invented table, how many columns it names, and the density that it asks for."""
    head, _, rest = word.partition(":")
    if head in ("reference", "sphere"):
        return _continuous(head, rest)
    entry = _entry(word)
    if entry.transforms:
        number, _, inner = rest.partition(":") if is_count(rest.partition(":")[0]) else ("", "", rest)
        named, count, kappa = _with_columns(inner)
        return ":".join(part for part in (head, number, named) if part), count, kappa
    if "COL" not in entry.form:
        return word, 0, None
    if "COL,COL" in entry.form:
        columns, _, more = rest.partition(":")
        count = int(columns) if is_count(columns) else columns.count(",") + 1 if columns else 2
    else:
        first, _, more = rest.partition(":")
        is_name = first == "COLUMN" or _INVENTED.fullmatch(first) is not None
        count, more = 1, more if is_name else rest
    names = ",".join(f"c{k}" for k in range(1, max(1, min(count, MOST_COLUMNS)) + 1))
    if head == "unions" and not more:
        more = "2"
    return f"{head}:{names}" + (f":{more}" if more else ""), count, None


def _continuous(head: str, rest: str) -> tuple[str, int, Fraction | None]:
    """reference:KAPPA or sphere:DIMENSION:KAPPA: a cut in a column, or half-spaces, below a density."""
    if head == "sphere":
        dimension, _, rest = rest.partition(":")
        count = int(dimension) if is_count(dimension) else 0
    else:
        count = 1
    form = "reference:KAPPA" if head == "reference" else "sphere:DIMENSION:KAPPA"
    try:
        kappa = Fraction(rest)
    except (ValueError, ZeroDivisionError):
        kappa = Fraction(0)
    if not 1 <= count <= MOST_COLUMNS or kappa < 1:
        raise ParameterError(
            OWNER,
            "concepts",
            f"{head}:{rest}",
            allowed=f"of the form {form}, with a density KAPPA of at least 1",
            remedy="On a continuous domain nothing can be promised without a bound on the density: no number of"
            " records suffices (floor-thresholds-smooth).",
        )
    return "reference:" + ",".join(f"c{k}" for k in range(1, count + 1)), count, kappa


def _invented(asked: PlanRequest, word: str, named: int) -> Schema:
    """Columns that all have as many values: those of real numbers if nobody says."""
    bits, columns = asked.bits, asked.columns
    if bits is None and columns is None and not named:
        raise ParameterError(
            OWNER,
            "columns",
            None,
            allowed=f"given for {_entry(word).form}",
            remedy="Give --columns NUMBER or --schema FILE.",
        )
    return _columns_of(max(columns or 1, named), bits)


@lru_cache(maxsize=64)
def _columns_of(count: int, bits: int | None) -> Schema:
    if bits is not None and bits > REAL_BITS:
        shape: dict[str, object] = {"lower": 0, "upper": 2**bits - 1, "integer": True}
    else:
        size = {} if bits is None else {"resolution": 2**bits}
        shape = {"lower": 0, "upper": 1, **size}
    entries = [{"name": f"c{k}", "kind": "numeric", **shape} for k in range(1, count + 1)]
    return Schema.from_json({"label": "y", "columns": entries})
