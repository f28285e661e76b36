"""A small language for tests on a record: text that people read and files store, parsed and never executed.

    age >= 50 and (sex == 'F' or not bmi < 30)

A test compares a column with constants in the column's own units (`<`, `<=`, `>`, `>=`, `==`, `!=`,
`in [...]`, `not in [...]`, chains such as `30 <= age < 45`); a boolean column may stand alone; tests are
joined by `and`, `or`, `not`; `True` and `False` hold for everybody and nobody. A name that is no identifier
stands in backticks: `` `mean radius` >= 15 ``.

Comparisons are those of cells: `x <= v` means cell(x) <= cell(v). So a constant beyond the bounds is clamped
as a record would be, and on a grid everything in the cell of v counts as equal to v. A fraction against a
column of integers (a time of day against one of days) is refused: rounding it down would change what the text
says.

Proof: docs/proofs/finite.md.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells, RuleBase
from privpac.concepts.fitting import two_classes_misfit
from privpac.concepts.literals.cell_sets import CellSet, Span, name_text, reachable
from privpac.concepts.literals.formulas import (
    FALSE,
    TRUE,
    AllOf,
    AnyOf,
    Formula,
    atoms,
    evaluate,
    formula_from_json,
    formula_sql,
    formula_text,
    formula_to_json,
    join,
    negation,
    one_set,
)
from privpac.data import raw as reading
from privpac.data.columns import Boolean, Categorical, Column, Date, Numeric
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SchemaError
from privpac.fields import record

__all__ = ["Predicate"]

DEEPEST = 60
"""Nesting of brackets and `not`: more than a person can read, less than the interpreter's stack."""

MOST_LISTED = 20
"""Categories named in an error."""

_FORMS = "comparisons of a column with constants, joined by and, or, not"

_PIECES = re.compile(
    r"""'(?:\\.|[^'\\])*' | "(?:\\.|[^"\\])*" | `(?P<name>(?:[^`]|``)*)`""", re.VERBOSE | re.DOTALL
)
"""Quoted text, left alone, and quoted column names."""

_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True)
class Predicate(RuleBase):
    """Class 1 where a formula holds. Two predicates are equal if their canonical formulas are."""

    kind: ClassVar[str] = "predicate"
    formula: Formula

    @classmethod
    def read(cls, text: str, *, schema: Schema) -> Predicate:
        """Parse a text and check it against the schema."""
        return cls(_Reader(text, schema).read())

    def text(self, schema: Schema) -> str:
        """Canonical text; reading it gives this predicate again."""
        return formula_text(self.formula, schema)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(atom.column for atom in atoms(self.formula)))

    def fits(self, schema: Schema) -> bool:
        """Whether the predicate is about columns of this schema."""
        sizes = {column.name: column.size for column in schema.columns}
        return all(sizes.get(atom.column) == atom.size for atom in atoms(self.formula))

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        count = len(next(iter(cells.values()))) if cells else 0
        holds = evaluate(
            self.formula,
            lambda atom: atom.contains(cells[atom.column]),
            lambda value: np.full(count, value, dtype=np.bool_),
        )
        return holds.astype(np.uint8)

    def describe(self, schema: Schema) -> str:
        zero, one = schema.class_names
        if self.formula in (TRUE, FALSE):
            return f"always {one if self.formula == TRUE else zero}"
        return f"{one} if {self.text(schema)}, else {zero}"

    def to_sql(self, schema: Schema) -> str:
        return f"CASE WHEN {formula_sql(self.formula, schema)} THEN 1 ELSE 0 END"

    def to_json(self) -> dict[str, object]:
        """In cells, as every stored hypothesis: a reader needs no schema to predict encoded records."""
        return {"kind": self.kind, "formula": formula_to_json(self.formula)}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Predicate:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        return cls(formula_from_json(record(tree, "kind", "formula")["formula"]))

    def misfit(self, schema: Schema) -> str | None:
        return two_classes_misfit(schema) if self.fits(schema) else "its columns have another number of cells"


class _Reader:
    """From text to a canonical formula: Python's grammar, and none of its meaning."""

    def __init__(self, text: str, schema: Schema) -> None:
        if not isinstance(text, str):
            raise ParameterError("Predicate", "text", text, allowed="text such as 'age >= 50'")
        self.text = text
        self.schema = schema
        self.quoted: dict[str, str] = {}

    def read(self) -> Formula:
        prefix = "name"
        while prefix in self.text:
            prefix += "_"

        def stand_in(piece: re.Match[str]) -> str:
            if piece["name"] is None:
                return piece[0]
            identifier = f"{prefix}{len(self.quoted)}"
            self.quoted[identifier] = piece["name"].replace("``", "`")
            return f" {identifier} "

        plain = _PIECES.sub(stand_in, self.text).strip()
        try:
            body = ast.parse(plain, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise self.refused("it cannot be parsed") from None
        return self.formula(body, depth=0)

    def refused(self, why: str) -> ParameterError:
        return ParameterError("Predicate", "text", self.text, allowed=_FORMS, remedy=f"Here {why}.")

    def formula(self, node: ast.expr, *, depth: int) -> Formula:
        if depth > DEEPEST:
            raise self.refused(f"brackets or 'not' are nested more than {DEEPEST} deep")
        if isinstance(node, ast.BoolOp):
            kind: type[AllOf] | type[AnyOf] = AllOf if isinstance(node.op, ast.And) else AnyOf
            return join(kind, [self.formula(part, depth=depth + 1) for part in node.values])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return negation(self.formula(node.operand, depth=depth + 1))
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            pairs = zip(sides, node.ops, sides[1:], strict=False)
            tests = [self.comparison(left, op, right) for left, op, right in pairs]
            return tests[0] if len(tests) == 1 else join(AllOf, tests)
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            return TRUE if node.value else FALSE
        if isinstance(node, ast.Name):
            column = self.column(node)
            if isinstance(column, Boolean):
                return CellSet(column.name, column.size, ((1, 1),))
            raise self.refused(f"{name_text(column.name)} stands alone, but is not a boolean column")
        raise self.refused("something else was found")

    def column(self, node: ast.Name) -> Column:
        return self.schema.column(self.quoted.get(node.id, node.id))

    def comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Formula:
        if isinstance(op, ast.In | ast.NotIn):
            return self.membership(left, op, right)
        sign = _SIGNS.get(type(op))
        if sign is None:
            raise self.refused("'is' was found (write == instead)")
        if isinstance(right, ast.Name):
            left, right, sign = right, left, _MIRROR[sign]
        if not isinstance(left, ast.Name):
            raise self.refused("a comparison names no column")
        if isinstance(right, ast.Name):
            raise self.refused("two columns are compared with each other")
        column = self.column(left)
        if sign not in ("==", "!=") and not column.ordered:
            raise SchemaError(
                f"Predicate: column '{column.name}' is compared by {sign}, but its categories have no order.",
                column=column.name,
                remedy="Use ==, != or in [...].",
            )
        return _set(column, [_span(column, sign, self.cell(column, right))], negated=sign == "!=")

    def membership(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Formula:
        if not isinstance(left, ast.Name) or not isinstance(right, ast.List | ast.Tuple | ast.Set):
            raise self.refused("'in' needs a column before it and a list such as [1, 2] after it")
        column = self.column(left)
        spans = [_span(column, "==", self.cell(column, item)) for item in right.elts]
        return _set(column, spans, negated=isinstance(op, ast.NotIn))

    def cell(self, column: Column, node: ast.expr) -> int:
        """The cell of a constant. A minus sign is not part of a number in Python's grammar."""
        negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
        inner = node.operand if isinstance(node, ast.UnaryOp) and negative else node
        if not isinstance(inner, ast.Constant):
            raise self.refused(f"{name_text(column.name)} is not compared with a constant")
        value = inner.value
        if negative:
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise self.refused("a minus sign stands before something that is not a number")
            value = -value
        return _cell(column, value)


def _set(column: Column, spans: list[Span], *, negated: bool) -> Formula:
    cells = CellSet.of(column.name, column.size, spans)
    return one_set(cells.complement() if negated else cells)


def _span(column: Column, sign: str, cell: int) -> Span:
    """The cells in this relation to `cell` (for !=, equal to it: the caller negates)."""
    if sign == "<":
        return 0, cell - 1
    if sign == ">=":
        return cell, column.size - 1
    after = reachable(column, cell + 1)
    if sign == ">":
        return after, column.size - 1
    return (0 if sign == "<=" else cell), after - 1


def _cell(column: Column, value: object) -> int:
    if isinstance(column, Numeric):
        return _number(column, value)
    if isinstance(column, Date):
        return _date(column, value)
    names = column.names if isinstance(column, Categorical) else ("true", "false")
    table = column.TABLE if isinstance(column, Boolean) else _spellings(names)
    cell = table.get(reading.text_of(value)) if isinstance(value, str | int | float) else None
    if cell is None:
        more = ", ..." if len(names) > MOST_LISTED else ""
        raise SchemaError(
            f"Predicate: {value!r} is not a value of column '{column.name}'.",
            column=column.name,
            remedy=f"Use one of {', '.join(map(repr, names[:MOST_LISTED]))}{more}.",
        )
    return cell


@lru_cache(maxsize=64)
def _spellings(names: tuple[str, ...]) -> Mapping[str, int]:
    return reading.lookup(names)


def _number(column: Numeric, value: object) -> int:
    finite = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    if isinstance(value, bool) or not isinstance(value, int | float) or not finite:
        raise _wrong(column, value, "a finite number", "Write it without quotes.")
    if column.integer and value != math.floor(value):
        low = math.floor(value)
        raise _wrong(column, value, "an integer", f"Write {column.name} <= {low} or >= {low + 1}.")
    return column.cell(min(max(value, column.lower), column.upper))


def _date(column: Date, value: object) -> int:
    what = "a date and time" if column.with_time else "a date"
    try:
        instant = datetime.fromisoformat(value.strip() if isinstance(value, str) else "")
    except ValueError:
        raise _wrong(column, value, what, "Write it as text, such as '2024-12-31'.") from None
    finer = instant.microsecond if column.with_time else instant.time() != datetime.min.time()
    if finer:
        unit = "seconds" if column.with_time else "days"
        raise _wrong(column, value, what, f"The column counts {unit}.")
    if instant.tzinfo is not None and column.timezone is None:
        raise _wrong(column, value, what, "The column has no time zone.")
    return column.cell(value)


def _wrong(column: Column, value: object, what: str, remedy: str) -> SchemaError:
    return SchemaError(
        f"Predicate: column '{column.name}' is compared with {value!r}, which is not {what}.",
        column=column.name,
        remedy=remedy,
    )
