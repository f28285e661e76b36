"""What there is, read off the folders: the only list of families, statements and formulas.

A family is a folder of `constructions` with fixed file names: `statements.py` (what is relied on), `*formulas.py` and
`floors.py` (sizes, errors, losses and lower bounds), `rules.py` (the only functions that make its proofs), and one file
per learner. What belongs to no family stands in `theory`. A new folder is found without being named anywhere.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from inspect import isfunction
from types import MappingProxyType
from typing import Any

from privpac import constructions, theory
from privpac.errors import ParameterError
from privpac.guarantee import rules as guarantee_rules
from privpac.theory import statements
from privpac.theory.register import MARKED
from privpac.theory.statement import Statement, Status

__all__ = [
    "REGISTER",
    "Formula",
    "Statement",
    "Status",
    "families",
    "formula_modules",
    "formulas",
    "rules",
    "statement",
    "statement_modules",
]

FORMULA_ENDINGS = ("formulas", "floors")
COMMON_FORMULAS = ("sizes", "generalisation", "vc")
"""Modules of `theory` with formulas, besides those whose names say so."""


def families() -> tuple[str, ...]:
    """The folders of `constructions`."""
    return tuple(entry.name for entry in pkgutil.iter_modules(constructions.__path__) if entry.ispkg)


def _modules() -> Iterator[str]:
    """All modules of all families."""
    for family in families():
        package = import_module(f"{constructions.__name__}.{family}")
        yield from (entry.name for entry in pkgutil.iter_modules(package.__path__, f"{package.__name__}."))


def statement_modules() -> tuple[str, ...]:
    """Where statements stand: those of no family, then each family's own."""
    common = (entry.name for entry in pkgutil.iter_modules(statements.__path__, f"{statements.__name__}."))
    return (*common, *(name for name in _modules() if name.endswith(".statements")))


def formula_modules() -> tuple[str, ...]:
    """Where formulas stand."""
    common = (
        entry.name
        for entry in pkgutil.iter_modules(theory.__path__, f"{theory.__name__}.")
        if entry.name.rpartition(".")[2] in COMMON_FORMULAS or entry.name.endswith(FORMULA_ENDINGS)
    )
    return (*common, *(name for name in _modules() if name.endswith(FORMULA_ENDINGS)))


def rules() -> dict[str, Callable[..., Any]]:
    """Every function that makes a proof: the common rules, then each family's own."""
    modules = [guarantee_rules, *(import_module(name) for name in _modules() if name.endswith(".rules"))]
    named = {name: vars(module)[name] for module in modules for name in module.__all__}
    return {name: made for name, made in named.items() if _makes_a_proof(made)}


def _makes_a_proof(member: Any) -> bool:
    return isfunction(member) and str(member.__annotations__.get("return", "")).startswith("Proof")


def _register() -> Mapping[str, Statement]:
    entries = [entry for name in statement_modules() for entry in import_module(name).STATEMENTS]
    if len({entry.key for entry in entries}) != len(entries):
        raise ParameterError("register", "keys", "a key", allowed="used by one statement only")
    return MappingProxyType({entry.key: entry for entry in entries})


REGISTER: Mapping[str, Statement] = _register()
"""Every statement by key."""


@dataclass(frozen=True)
class Formula:
    """A function that evaluates a statement's inequality."""

    name: str
    statement: Statement
    function: Callable[..., Any]


def statement(key: str) -> Statement:
    """The registered statement with this key.

    >>> statement("post-processing").status
    'printed'
    """
    if key in REGISTER:
        return REGISTER[key]
    near = get_close_matches(key, REGISTER, n=3, cutoff=0.4)
    remedy = f"Did you mean {' or '.join(near)}?" if near else "REGISTER lists the keys."
    raise ParameterError("register", "key", key, allowed="the key of a registered statement", remedy=remedy)


@cache
def formulas() -> Mapping[str, Formula]:
    """Every formula of the library by function name."""
    for module in formula_modules():
        import_module(module)
    found = {name: Formula(name, statement(key), function) for name, (key, function) in MARKED.items()}
    return MappingProxyType(found)
