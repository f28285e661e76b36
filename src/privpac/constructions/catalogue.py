"""What there is, read off the folders: the only list of families, formulas, rules, words, cases.

A family is a folder of `constructions`. Three things are known by their marks, whatever file they stand in: formulas
(sizes, errors, losses and lower bounds) by `@formula`, theorems by their class, and rules, the only functions that make
proofs, by the seal they hold. The rest has fixed file names: `*words.py` (`WORDS`: how people name what to learn, and
how a plan writes it), and `readers.py` (`READERS`: its predictors, from what files hold). What the exact audit runs
(`ROWS`, and `LARGER`: what takes it longer) stands beside the learner, or in `*cases.py`. A file named `family.py` may
hold all these lists. What belongs to no family stands in `theory`. A new folder is found without being named anywhere.

Rows of several families appear in the order of their files' `PLACE`; files without one come last, by name.
"""

from __future__ import annotations

import math
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import isfunction
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from privpac import constructions, theory
from privpac.errors import ParameterError
from privpac.guarantee.theorem import THEOREMS, Theorem
from privpac.theory.register import MARKED_FORMULAS
from privpac.theory.statements import Statement, statement

if TYPE_CHECKING:
    from privpac.constructions.cases import Case
    from privpac.constructions.prediction.predictor import Reader
    from privpac.constructions.request import Word

__all__ = [
    "Formula",
    "cases",
    "families",
    "formula_modules",
    "formulas",
    "larger_cases",
    "readers",
    "rules",
    "theorems",
    "words",
]

FAMILY = ".family"
FORMULA_ENDINGS = ("formulas", "floors")
NO_FORMULAS = ("cases", "words", ".readers")
"""Modules of families that are lists."""

COMMON_FORMULAS = ("occam", "sizes", "generalisation", "nearest", "refined", "vc")
"""Modules of `theory` with formulas, besides those whose names say so."""


def families() -> tuple[str, ...]:
    """The folders of `constructions`."""
    return tuple(entry.name for entry in pkgutil.iter_modules(constructions.__path__) if entry.ispkg)


def _modules() -> Iterator[str]:
    """All modules of all families."""
    for family in families():
        package = import_module(f"{constructions.__name__}.{family}")
        yield from (entry.name for entry in pkgutil.iter_modules(package.__path__, f"{package.__name__}."))


def _in_order(ending: str, listed: str) -> list[ModuleType]:
    """Files of all families whose names end so, and those of whole families, in the order of their places."""
    modules = [import_module(name) for name in _modules() if name.endswith((ending, FAMILY))]
    found = [module for module in modules if listed in vars(module)]
    return sorted(found, key=lambda module: vars(module).get("PLACE", math.inf))


def formula_modules() -> tuple[str, ...]:
    """Where formulas stand."""
    common = (
        entry.name
        for entry in pkgutil.iter_modules(theory.__path__, f"{theory.__name__}.")
        if entry.name.rpartition(".")[2] in COMMON_FORMULAS or entry.name.endswith(FORMULA_ENDINGS)
    )
    return (*common, *(name for name in _modules() if not name.endswith(NO_FORMULAS)))


@cache
def theorems() -> Mapping[str, type[Theorem]]:
    """Every theorem that is computed, by its key."""
    for name in _modules():
        import_module(name)
    return MappingProxyType(THEOREMS)


def rules() -> dict[str, Callable[..., Any]]:
    """Everything that makes a proof: the common rules, each family's own, and the theorems."""
    from privpac.guarantee import rules as common

    sealed = (module for name in _modules() if "SEAL" in vars(module := import_module(name)))
    functions = {name: vars(common)[name] for name in common.__all__}
    for module in sealed:
        functions |= {name: vars(module)[name] for name in module.__all__ if _is_own(module, name)}
    made = {name: function for name, function in functions.items() if _makes_a_proof(function)}
    return made | {key.replace("-", "_"): theorem for key, theorem in theorems().items()}


def _is_own(module: ModuleType, name: str) -> bool:
    return getattr(vars(module)[name], "__module__", "") == module.__name__


def _makes_a_proof(member: object) -> bool:
    return isfunction(member) and str(member.__annotations__.get("return", "")).startswith("Proof")


def _by_name(owner: str, rows: Iterable[tuple[str, Any]]) -> Mapping[str, Any]:
    """The rows by name; a name that two families use would hide one of them."""
    table: dict[str, Any] = {}
    for name, row in rows:
        if name in table:
            raise ParameterError(owner, "name", name, allowed="used by one row only")
        table[name] = row
    return MappingProxyType(table)


@dataclass(frozen=True)
class Formula:
    """A function that evaluates a statement's inequality."""

    name: str
    statement: Statement
    function: Callable[..., Any]


@cache
def formulas() -> Mapping[str, Formula]:
    """Every formula of the library by function name."""
    for module in formula_modules():
        import_module(module)
    table = {
        name: Formula(name, statement(key), function) for name, (key, function) in MARKED_FORMULAS.items()
    }
    return MappingProxyType(table)


@cache
def cases() -> Mapping[str, Callable[[], Case]]:
    """Every row of the exact audit by name, with what builds it."""
    rows = [row for module in _in_order("", "ROWS") for row in module.ROWS.items()]
    return _by_name("audit", rows)


@cache
def larger_cases() -> Mapping[str, Callable[[], Case]]:
    """Rows of the exact audit on larger domains, by the names they have there."""
    rows = [row for module in _in_order("", "LARGER") for row in module.LARGER.items()]
    return _by_name("audit", rows)


@cache
def words() -> Mapping[str, Word]:
    """Every word for what to learn, with what builds the learner."""
    return _by_name("words", [row for module in _in_order("words", "WORDS") for row in module.WORDS.items()])


@cache
def readers() -> Mapping[str, Reader]:
    """Every kind of predictor that a file can hold, with what reads it."""
    return _by_name(
        "readers", [row for module in _in_order(".readers", "READERS") for row in module.READERS.items()]
    )
