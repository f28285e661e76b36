"""Formulas over sets of cells, in one canonical shape, with their text, SQL and JSON.

Canonical: no negation (it is pushed into the sets), no node of a kind directly inside one of the same kind,
at most one set per column in each node, no part that is always true or always false, parts sorted. So order,
repetition, double negation and everything that can be decided within one column make no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.literals.cell_sets import CellSet
from privpac.data.schema import Schema
from privpac.fields import Malformed, as_list, record

__all__ = [
    "FALSE",
    "TRUE",
    "AllOf",
    "AnyOf",
    "Formula",
    "atoms",
    "evaluate",
    "formula_from_json",
    "formula_sql",
    "formula_text",
    "formula_to_json",
    "join",
    "negation",
    "one_set",
]


@dataclass(frozen=True)
class AllOf:
    """Every part holds; without parts, true of everybody."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class AnyOf:
    """Some part holds; without parts, true of nobody."""

    parts: tuple[Formula, ...]


Formula: TypeAlias = CellSet | AllOf | AnyOf

TRUE, FALSE = AllOf(()), AnyOf(())


def one_set(cells: CellSet) -> Formula:
    """The canonical formula of a single set."""
    return TRUE if cells.full else FALSE if cells.empty else cells


def join(kind: type[AllOf] | type[AnyOf], parts: Iterable[Formula]) -> Formula:
    """The canonical formula that all (or any) of these canonical formulas hold."""
    both = kind is AllOf
    neutral, absorbing = (TRUE, FALSE) if both else (FALSE, TRUE)
    sets: dict[str, CellSet] = {}
    composite: list[Formula] = []
    for part in parts:
        for inner in part.parts if isinstance(part, kind) else (part,):
            if not isinstance(inner, CellSet):
                composite.append(inner)
            elif inner.column not in sets:
                sets[inner.column] = inner
            else:
                have = sets[inner.column]
                sets[inner.column] = have.intersection(inner) if both else have.union(inner)
    simple = [one_set(cells) for cells in sets.values()]
    if absorbing in composite or absorbing in simple:
        return absorbing
    different = dict.fromkeys(part for part in (*simple, *composite) if part != neutral)
    operands = tuple(sorted(different, key=_rank))
    return operands[0] if len(operands) == 1 else kind(operands)


def negation(formula: Formula) -> Formula:
    """De Morgan, down to the complements of sets."""
    if isinstance(formula, CellSet):
        return one_set(formula.complement())
    return join(AnyOf if isinstance(formula, AllOf) else AllOf, map(negation, formula.parts))


def _rank(formula: Formula) -> tuple[Any, ...]:
    if isinstance(formula, CellSet):
        return (0, formula.column, formula.spans)
    return (1, type(formula).__name__, tuple(map(_rank, formula.parts)))


def atoms(formula: Formula) -> Sequence[CellSet]:
    """The sets of a formula, in order, repeats included."""
    if isinstance(formula, CellSet):
        return (formula,)
    return tuple(atom for part in formula.parts for atom in atoms(part))


def evaluate(
    formula: Formula, of: Callable[[CellSet], NDArray[Any]], constant: Callable[[bool], NDArray[Any]]
) -> NDArray[Any]:
    """The formula for many records at once, given its sets for them, as Booleans or as packed bits."""
    if isinstance(formula, CellSet):
        return of(formula)
    both = isinstance(formula, AllOf)
    parts = [evaluate(part, of, constant) for part in formula.parts]
    return reduce(np.bitwise_and if both else np.bitwise_or, parts) if parts else constant(both)


def formula_text(formula: Formula, schema: Schema) -> str:
    """Text in the columns' own units; sets that need an `or`, and nested formulas, stand in brackets."""
    if isinstance(formula, CellSet):
        return formula.text(schema.column(formula.column))
    if not formula.parts:
        return str(formula == TRUE)
    both = isinstance(formula, AllOf)
    texts = []
    for part in formula.parts:
        text = formula_text(part, schema)
        bracket = not isinstance(part, CellSet) or (both and part.needs_or(schema.column(part.column)))
        texts.append(f"({text})" if bracket else text)
    return (" and " if both else " or ").join(texts)


def formula_sql(formula: Formula, schema: Schema) -> str:
    """An SQL condition on the raw columns. There is no NOT around anything that could be NULL."""
    if isinstance(formula, CellSet):
        return formula.sql(schema.column(formula.column))
    if not formula.parts:
        return str(formula == TRUE).upper()
    word = " AND " if isinstance(formula, AllOf) else " OR "
    return word.join(f"({formula_sql(part, schema)})" for part in formula.parts)


def formula_to_json(formula: Formula) -> dict[str, object]:
    """A formula as JSON."""
    if isinstance(formula, CellSet):
        return formula.to_json()
    return {"all" if isinstance(formula, AllOf) else "any": [formula_to_json(part) for part in formula.parts]}


def formula_from_json(tree: object) -> Formula:
    """The formula that `formula_to_json` wrote; refused if it is malformed."""
    if not isinstance(tree, Mapping):
        raise Malformed("a formula is expected")
    if "column" in tree:
        return one_set(CellSet.from_json(tree))
    kind, name = (AllOf, "all") if "all" in tree else (AnyOf, "any")
    return join(kind, [formula_from_json(part) for part in as_list(record(tree, name)[name])])
