"""What files may name, read off this folder: the kinds of rules, and the classes they were drawn from.

Whoever writes a file chooses among these names, so the list is closed: a class stands in it only if it is written in a
module of this folder and itself says that it can be stored (a `kind` of its own below `RuleBase`, or `Stored` among its
bases). What is defined anywhere else, or inherits from a class that is listed, is never found.
"""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any, Protocol

from privpac import concepts
from privpac.concepts.base import Hypothesis, RuleBase, Stored
from privpac.errors import ParameterError

__all__ = ["StoredRule", "imported_rules", "stored_classes", "stored_rules"]


class StoredRule(Protocol):
    """A kind of rule: what reads one."""

    kind: str

    def from_json(self, tree: Mapping[str, Any]) -> Hypothesis: ...


def _modules() -> Iterator[ModuleType]:
    """Every module below this folder, in the order of the files."""
    for entry in pkgutil.walk_packages(concepts.__path__, f"{concepts.__name__}."):
        yield import_module(entry.name)


def _imported() -> Iterator[ModuleType]:
    """Those that something has imported already."""
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{concepts.__name__}."):
            yield module


def _classes(modules: Iterable[ModuleType]) -> Iterator[type[Any]]:
    """Every class that is written in these modules."""
    for module in modules:
        for member in vars(module).values():
            if isinstance(member, type) and member.__module__ == module.__name__:
                yield member


def _by_name(rows: Iterable[tuple[str, Any]]) -> Mapping[str, Any]:
    """The classes by name; a name that two of them use would hide one."""
    named: dict[str, Any] = {}
    for name, row in sorted(rows, key=lambda row: row[0]):
        if name in named:
            raise ParameterError("concepts", "name", name, allowed="used by one class only")
        named[name] = row
    return MappingProxyType(named)


def _rules(modules: Iterable[ModuleType]) -> Mapping[str, StoredRule]:
    rules = (cls for cls in _classes(modules) if issubclass(cls, RuleBase) and "kind" in vars(cls))
    return _by_name((cls.kind, cls) for cls in rules)


def stored_rules() -> Mapping[str, StoredRule]:
    """The classes of rules by kind."""
    return _rules(_modules())


def imported_rules() -> Mapping[str, StoredRule]:
    """Those whose modules are imported already: part of `stored_rules`, and nothing has to be imported for it."""
    return _rules(_imported())


def stored_classes() -> Mapping[str, type[Any]]:
    """The classes of concepts by name."""
    return _by_name((cls.__name__, cls) for cls in _classes(_modules()) if Stored in cls.__bases__)
