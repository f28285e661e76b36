"""Names that documents of a release import from where they no longer are: the old place gives them, and warns.

A module that names have left has `__getattr__ = former_names(__name__)`; one that has gone stays as a file with nothing
else in it. docs/reference/stability.md says for how long.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["FORMER", "former_names"]

FORMER = {
    "privpac.data.statistics.GridCounts": "privpac.data.grid_counts",
    "privpac.numbers.binomial.first_whole": "privpac.numbers.exact",
    "privpac.numbers.powers.power_table": "privpac.mechanisms.gibbs",
}
"""Name as it was imported → the module that has it now."""


def former_names(module: str) -> Callable[[str], Any]:
    """How a module looks up what it does not have (PEP 562)."""

    def lookup(name: str) -> Any:
        place = FORMER.get(f"{module}.{name}")
        if place is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(f"{module}.{name} is now {place}.{name}.", DeprecationWarning, stacklevel=2)
        return getattr(import_module(place), name)

    return lookup
