"""Formulas by name: functions that evaluate a statement of the register.

A guarantee names its statement by key, so a reader can go from a printed certificate to the paper, the proof page and
the test. Formulas list themselves with `@formula(key)`; `constructions.catalogue` joins them with the statements, and
suites and docs iterate over that, so a new formula without a test or a statement is noticed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from privpac.errors import ParameterError

__all__ = ["MARKED_FORMULAS", "formula"]

F = TypeVar("F", bound=Callable[..., Any])

MARKED_FORMULAS: dict[str, tuple[str, Callable[..., Any]]] = {}
"""Key of the statement and function, by the function's name; filled by `@formula` as modules are imported."""


def formula(key: str) -> Callable[[F], F]:
    """Mark a function as the evaluation of a registered statement."""

    def mark(function: F) -> F:
        name = function.__name__
        if name in MARKED_FORMULAS:
            raise ParameterError("formula", "name", name, allowed="a name that is not registered yet")
        function.__dict__["statement"] = key
        MARKED_FORMULAS[name] = (key, function)
        return function

    return mark
