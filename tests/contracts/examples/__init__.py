"""One derived step of every rule, and the keys of rules whose name is not simply that of their function.

Each file of this folder has the examples of its family, and is found without being named here.
"""

import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import Any

from privpac.guarantee.facts import Fact
from privpac.guarantee.proof import Proof

_FAMILIES: list[dict[str, Any]] = [
    vars(import_module(entry.name)) for entry in pkgutil.iter_modules(__path__, f"{__name__}.")
]

ALIASES: dict[str, tuple[str, ...]] = {
    function: keys for family in _FAMILIES for function, keys in family.get("ALIASES", {}).items()
}

BOUNDS: dict[str, Callable[[], Any]] = {
    key: bound for family in _FAMILIES for key, bound in family.get("BOUNDS", {}).items()
}
"""Theorems of examples that cannot be read off a step: it stores what they compute."""

EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {
    key: example for family in _FAMILIES for key, example in family["EXAMPLES"].items()
}
