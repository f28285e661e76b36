"""What a plan needs to know about a class of concepts: its size, its dimension, its domain; public numbers only.

The same numbers as those of the classes in `privpac.concepts`, without their kernels, so that a plan answers at once
(tests/unit/test_class_facts.py compares the two). A class is named by its word, and described either by numbers (`bits`
of a column, how many `columns` or `tests`) or by a schema.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privpac.errors import ParameterError, SchemaError
from privpac.theory.parameters import at_least

if TYPE_CHECKING:
    from privpac.data.schema import Schema

__all__ = ["KINDS", "ClassFacts", "Description", "facts_of"]

OWNER = "plan"

CUTS, FEWER_CUTS, MOST_TESTS = 31, 15, 250
"""As in concepts/binarise.py: cuts of a column, cuts where there would be more tests than this."""

MOST_BITS = 2**20
"""Keys of a million bits are nobody's; their powers would fill the memory."""

_BINS = {1: 4096, 2: 256, 3: 32}
"""As in concepts/rectangles.py: cells of a column that boxes tell apart, by number of columns."""


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
    """Values of the one column a class looks at."""
    tests: int | None = None
    parts: int = 1
    """Intervals of a union, columns of a box, levels of a tree."""
    named: bool = True
    """Whether the word can be given to `privpac learn` as it stands."""

    @property
    def bits(self) -> float:
        """log2 of the size."""
        return math.log2(self.size)


@dataclass(frozen=True)
class Description:
    """How the class was described: numbers, or a schema."""

    bits: int | None = None
    columns: int | None = None
    tests: int | None = None
    classes: int = 2
    schema: Schema | None = None
    records: int | None = None

    def at(self, name: str, value: int) -> Description:
        """The same with other bits, columns or tests."""
        if name == "bits":
            return replace(self, bits=value)
        return replace(self, columns=value) if name == "columns" else replace(self, tests=value)

    def cells(self, name: str, form: str) -> int:
        """Cells of the column a class looks at."""
        if self.schema is None:
            return 1 << self.need_bits(form)
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
            from privpac.concepts.binarise import Binarisation

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

    def number_of_columns(self) -> int:
        """Columns a rule can tell records apart by, for what can surely be shattered."""
        if self.schema is not None:
            return sum(column.size > 1 for column in self.schema.columns)
        return self.columns if self.columns is not None else (self.tests or 1)


def _line(word: str, kind: str, size: int, vc: int, cells: int, parts: int = 1, *, named: bool) -> ClassFacts:
    return ClassFacts(word, kind, size, Fraction(size - 1), vc, vc, cells, parts=parts, named=named)


def _points(rest: str, given: Description) -> ClassFacts:
    cells = given.cells(rest, "points:COLUMN")
    return _line(f"points:{rest or 'COLUMN'}", "points", cells, 1, cells, named=bool(rest))


def _thresholds(rest: str, given: Description) -> ClassFacts:
    name, _, direction = rest.rpartition(":")
    if direction not in ("up", "down", "either") or (given.schema is not None and not name):
        name, direction = rest, "up"
    cells = given.cells(name, "thresholds:COLUMN")
    either = direction == "either"
    word = f"thresholds:{name or 'COLUMN'}" + ("" if direction == "up" else f":{direction}")
    size = 2 * cells if either else cells + 1
    return _line(word, "thresholds", size, 2 if either else 1, cells, named=bool(name))


def _unions_size(cells: int, changes: int) -> int:
    return sum(math.comb(cells, k) for k in range(changes + 1))


def _intervals(rest: str, given: Description) -> ClassFacts:
    cells = given.cells(rest, "intervals:COLUMN")
    changes = min(2, cells)
    size = _unions_size(cells, changes)
    return _line(f"intervals:{rest or 'COLUMN'}", "intervals", size, changes, cells, named=bool(rest))


def _unions(rest: str, given: Description) -> ClassFacts:
    name, _, count = rest.rpartition(":")
    if given.schema is None and not count:
        count = "2"
    if not count.isdecimal() or int(count) < 1:
        raise ParameterError(
            OWNER, "concepts", f"unions:{rest}", allowed="of the form unions:COLUMN:K or unions:K"
        )
    cells, parts = given.cells(name, "unions:COLUMN:K"), int(count)
    changes = min(2 * parts, cells)
    word = f"unions:{name or 'COLUMN'}:{parts}"
    return _line(word, "unions", _unions_size(cells, changes), changes, cells, parts, named=bool(name))


def _rectangles(rest: str, given: Description) -> ClassFacts:
    if given.schema is not None:
        names = [given.schema.column(name.strip()).name for name in rest.split(",")]
        sizes = [given.schema.column(name).size for name in names]
    else:
        parts = int(rest) if rest.isdecimal() else rest.count(",") + 1 if rest else 2
        names, sizes = ["COLUMN"] * parts, [given.cells("", "rectangles:K")] * parts
    if not 1 <= len(sizes) <= 3:
        raise ParameterError(
            OWNER,
            "concepts",
            f"rectangles:{rest}",
            allowed="boxes in one to three columns",
            remedy="Use trees.",
        )
    groups = [min(size, _BINS[len(sizes)]) for size in sizes]
    size = math.prod(g * (g + 1) // 2 for g in groups) + 1
    vc = 2 * len(sizes)
    shattered = vc if min(groups) >= 3 else 1
    word, named = f"rectangles:{','.join(names)}", given.schema is not None
    return ClassFacts(
        word, "rectangles", size, Fraction(size - 1), vc, shattered, parts=len(sizes), named=named
    )


def _stumps(rest: str, given: Description) -> ClassFacts:
    if given.schema is not None:
        useful = [(c.size, c.ordered) for c in given.schema.columns if c.size > 1]
    else:
        useful = [(given.cells("", "stumps"), True)] * (given.columns or 1)
    sizes = [2, *(2 * (size - 1) if ordered or size == 2 else 2 * size for size, ordered in useful)]
    points = 1
    while 2 ** (points + 1) <= 2 * len(useful) * (points + 1) + 2:
        points += 1
    odds = Fraction(len(sizes) * max(sizes)) - 1
    return ClassFacts("stumps", "stumps", sum(sizes), odds, points, 1, named=given.schema is not None)


def _levels(word: str, rest: str) -> int:
    levels = int(rest or 3) if (rest or "3").isdecimal() else 0
    if not 1 <= levels <= 4:
        raise ParameterError(
            OWNER,
            "concepts",
            f"{word}:{rest}",
            allowed=f"{word}:1 to {word}:4",
            remedy="Deeper ones: staged:3+3.",
        )
    return levels


def _tested(
    kind: str, levels: int, size: int, tests: int, given: Description, shatters: int = 1
) -> ClassFacts:
    return ClassFacts(
        f"{kind}:{levels}" if kind != "one-test" else kind,
        kind,
        size,
        Fraction(size - 1),
        size.bit_length() - 1,
        min(shatters, size.bit_length() - 1),
        tests=tests,
        parts=levels,
        named=given.schema is not None,
    )


def _trees(rest: str, given: Description) -> ClassFacts:
    levels = _levels("trees", rest)
    tests, leaves = given.number_of_tests("trees"), 2**levels
    size = tests ** (leaves - 1) * _classes(given) ** leaves
    # With a question of its own on every level, the leaves of a full tree can be labelled in every way.
    return _tested("trees", levels, size, tests, given, 2 ** min(levels, given.number_of_columns()))


def _lists(rest: str, given: Description) -> ClassFacts:
    levels, tests, classes = _levels("lists", rest), given.number_of_tests("lists"), _classes(given)
    return _tested("lists", levels, classes * (2 * tests * classes) ** levels, tests, given)


def _monomials(kind: str) -> Callable[[str, Description], ClassFacts]:
    def facts(rest: str, given: Description) -> ClassFacts:
        levels, tests = _levels(kind, rest), given.number_of_tests(kind)
        size = sum(math.comb(tests, k) << k for k in range(levels + 1))
        return _tested(kind, levels, size, tests, given)

    return facts


def _one_test(rest: str, given: Description) -> ClassFacts:
    tests, classes = given.number_of_tests("one-test"), _classes(given)
    return _tested("one-test", 1, tests * classes * (classes - 1), tests, given)


def _classes(given: Description) -> int:
    return given.classes if given.schema is None else len(given.schema.classes)


def _any(rest: str, given: Description) -> ClassFacts:
    """Any class of a VC dimension and a number of members: what is true of all of them."""
    if rest in ("inf", "infinite", "infinity"):
        raise ParameterError(
            OWNER,
            "concepts",
            f"any:{rest}",
            allowed="any:D with a finite VC dimension D",
            remedy="A class of infinite dimension cannot be learnt, private or not: coarsen it, or bound its size"
            " with any:D --bits B.",
        )
    vc = at_least(1, rest or 1, owner=OWNER, name="VC dimension")
    bits = given.need_bits("any:D")
    if bits < vc:
        raise ParameterError(
            OWNER,
            "bits",
            bits,
            allowed=f"at least {vc}, since a class that shatters {vc} points has 2^{vc} members",
        )
    return ClassFacts(f"any:{vc}", "any", 2**bits, Fraction(2**bits - 1), vc, vc, named=False)


KINDS: Mapping[str, tuple[str, Callable[[str, Description], ClassFacts]]] = {
    "points": ("points --bits B", _points),
    "thresholds": ("thresholds --bits B", _thresholds),
    "intervals": ("intervals --bits B", _intervals),
    "unions": ("unions:K --bits B", _unions),
    "rectangles": ("rectangles:K --bits B", _rectangles),
    "stumps": ("stumps --columns C --bits B", _stumps),
    "one-test": ("one-test --columns C", _one_test),
    "trees": ("trees:DEPTH --columns C", _trees),
    "lists": ("lists:K --columns C", _lists),
    "conjunctions": ("conjunctions:K --columns C", _monomials("conjunctions")),
    "disjunctions": ("disjunctions:K --columns C", _monomials("disjunctions")),
    "any": ("any:VC --bits B", _any),
}
"""Every class a plan can be made for: how it is written without a schema, and its facts."""

AUTO = ("one-test", "trees:1", "trees:2", "trees:3")
"""What `auto` may end in, as far as accuracy is proved; later stages promise none."""


def facts_of(word: str, given: Description) -> tuple[ClassFacts, ...]:
    """The class a word names; for `auto`, those it chooses among.

    >>> facts_of("thresholds", Description(bits=32))[0].size == 2**32 + 1
    True
    """
    _check(given)
    if word == "auto":
        return tuple(fact for name in AUTO for fact in facts_of(name, given))
    head, _, rest = word.partition(":")
    if head not in KINDS:
        forms = ", ".join(form.partition(" ")[0] for form, _ in KINDS.values())
        raise ParameterError(OWNER, "concepts", word, allowed=f"one of auto, {forms}")
    facts = KINDS[head][1](rest, given)
    if facts.size < 2:
        raise ParameterError(
            OWNER,
            "concepts",
            word,
            allowed="a class of at least two members",
            remedy="There is nothing to learn.",
        )
    return (facts,)


def _check(given: Description) -> None:
    for name in ("bits", "columns", "tests"):
        value = getattr(given, name)
        if value is not None:
            most = MOST_BITS if name == "bits" else 10**6
            if at_least(1, value, owner=OWNER, name=name) > most:
                raise ParameterError(OWNER, name, value, allowed=f"a whole number from 1 to {most}")


def described(
    *,
    bits: Any = None,
    columns: Any = None,
    tests: Any = None,
    schema: Any = None,
    records: int | None = None,
) -> Description:
    """A description as people give it; a schema may be a file, a dictionary or a `Schema`."""
    whole = {
        name: None if value is None else at_least(1, value, owner=OWNER, name=name)
        for name, value in (("bits", bits), ("columns", columns), ("tests", tests))
    }
    given = Description(**whole, records=records)  # type: ignore[arg-type]
    if schema is None:
        return given
    if columns is not None or tests is not None:
        raise SchemaError(
            "A schema says how many columns and tests there are.", remedy="Leave columns and tests out."
        )
    from privpac.data.schema import Schema

    return replace(given, schema=schema if isinstance(schema, Schema) else Schema.from_json(schema))
