"""Every statement the library relies on, as data: where it comes from, when it holds, what it says.

A guarantee names its statement by key, so a reader can go from a printed certificate to the paper, the proof
page and the test. Formulas register themselves with `@formula(key)`; suites and docs iterate over
`formulas()`, so a new formula without a test or a statement is noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeVar

from privpac.errors import ParameterError
from privpac.theory.statement import Statement, Status
from privpac.theory.statements.accuracy import ACCURACY
from privpac.theory.statements.covers import COVERS
from privpac.theory.statements.few_labels import FEW_LABELS
from privpac.theory.statements.floors import FLOORS
from privpac.theory.statements.papers import PAPERS
from privpac.theory.statements.points import POINTS
from privpac.theory.statements.prediction import PREDICTION
from privpac.theory.statements.prediction_floors import PREDICTION_FLOORS
from privpac.theory.statements.privacy import PRIVACY
from privpac.theory.statements.reconstruction import RECONSTRUCTION
from privpac.theory.statements.relabelling import RELABELLING
from privpac.theory.statements.release import RELEASE
from privpac.theory.statements.vc import VC

__all__ = [
    "FAMILIES",
    "FORMULAS",
    "FORMULA_MODULES",
    "REGISTER",
    "Formula",
    "Statement",
    "Status",
    "formula",
    "formulas",
    "statement",
]

FORMULA_MODULES = (
    "sizes",
    "generalisation",
    "floors",
    "prediction_floors",
    "vc",
    "points",
    "representations",
    "sampled_points",
    "transfer",
    "few_labels",
    "ssl_relabel",
    "label_floors",
    "prediction",
    "plurality",
    "relabelled_prediction",
    "rec_concave",
    "reconstruction",
    "release",
    "tree_counts",
    "generic",
    "relabelling",
    "covers",
    "label_privacy",
    "cover_floors",
)
"""Modules of `theory` whose public functions are formulas."""

F = TypeVar("F", bound=Callable[..., Any])

FAMILIES: tuple[tuple[Statement, ...], ...] = (
    PRIVACY,
    ACCURACY,
    FLOORS,
    PREDICTION_FLOORS,
    VC,
    POINTS,
    FEW_LABELS,
    PREDICTION,
    RECONSTRUCTION,
    RELEASE,
    RELABELLING,
    COVERS,
    PAPERS,
)
"""Statements, one tuple a family: a new family adds its own here."""

REGISTER: Mapping[str, Statement] = MappingProxyType(
    {entry.key: entry for family in FAMILIES for entry in family}
)
"""Every statement by key."""


@dataclass(frozen=True)
class Formula:
    """A function that evaluates a statement's inequality."""

    name: str
    statement: Statement
    function: Callable[..., Any]


FORMULAS: dict[str, Formula] = {}
"""Formulas by function name, filled by `@formula` as modules are imported; `formulas()` imports them all."""


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


def formulas() -> Mapping[str, Formula]:
    """Every formula of the library by function name."""
    for module in FORMULA_MODULES:
        import_module(f"privpac.theory.{module}")
    return MappingProxyType(FORMULAS)


def formula(key: str) -> Callable[[F], F]:
    """Mark a function as the evaluation of a registered statement, and list it in `FORMULAS`."""
    found = statement(key)

    def mark(function: F) -> F:
        name = function.__name__
        if name in FORMULAS:
            raise ParameterError("formula", "name", name, allowed="a name that is not registered yet")
        function.__dict__["statement"] = key
        FORMULAS[name] = Formula(name, found, function)
        return function

    return mark
