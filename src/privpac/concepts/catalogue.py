"""What files may name, read off this folder: the kinds of rules, and the classes they were drawn from, as plain data
and back, so that `verify` can build them again.

Whoever writes a file chooses among these names, so the lists are closed: a class stands in one only if it is written in
a module of this folder and itself says that it can be stored (a `kind` of its own below `RuleBase`, or `Stored` among
its bases). What is defined anywhere else, or inherits from a class that is listed, is never found. Of a class every
public option is kept: two classes of the same word may differ in prior, grid or tests. `learn` takes no class that is
not listed: what cannot be read back could be charged for and never be verified.
"""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from fractions import Fraction
from functools import cache
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any, Protocol

from privpac import concepts as folder
from privpac.concepts.base import AnyClass, Hypothesis, RuleBase, Stored
from privpac.concepts.finite import Finite
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.data.schema import Schema
from privpac.errors import NotCertified, NotRebuilt, ParameterError
from privpac.fields import Malformed, as_list, flag, record, refusing, text, whole
from privpac.numbers.exact import read_number

__all__ = [
    "StoredRule",
    "class_from_json",
    "hypothesis_from_json",
    "is_storable",
    "stored_class",
    "stored_classes",
    "stored_rules",
]


class StoredRule(Protocol):
    """A kind of rule: what reads one."""

    kind: str

    def from_json(self, tree: Mapping[str, Any]) -> Hypothesis: ...


def _modules() -> Iterator[ModuleType]:
    """Every module below this folder, in the order of the files."""
    for entry in pkgutil.walk_packages(folder.__path__, f"{folder.__name__}."):
        yield import_module(entry.name)


def _loaded_modules() -> Iterator[ModuleType]:
    """Those that something has imported already."""
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{folder.__name__}."):
            yield module


def _classes(modules: Iterable[ModuleType]) -> Iterator[type[Any]]:
    """Every class that is written in these modules."""
    for module in modules:
        for member in vars(module).values():
            if isinstance(member, type) and member.__module__ == module.__name__:
                yield member


def _by_name(rows: Iterable[tuple[str, Any]]) -> Mapping[str, Any]:
    """The classes by name; a name that two of them use would hide one."""
    table: dict[str, Any] = {}
    for name, row in sorted(rows, key=lambda row: row[0]):
        if name in table:
            raise ParameterError("concepts", "name", name, allowed="used by one class only")
        table[name] = row
    return MappingProxyType(table)


def _rules(modules: Iterable[ModuleType]) -> Mapping[str, StoredRule]:
    rules = (cls for cls in _classes(modules) if issubclass(cls, RuleBase) and "kind" in vars(cls))
    return _by_name((cls.kind, cls) for cls in rules)


@cache
def stored_rules() -> Mapping[str, StoredRule]:
    """The closed list of rules that a file may hold: their classes by kind."""
    return _rules(_modules())


@cache
def stored_classes() -> Mapping[str, type[Any]]:
    """The closed list of classes that a certificate may name."""
    return _by_name((cls.__name__, cls) for cls in _classes(_modules()) if Stored in cls.__bases__)


@cache  # of kinds that there are: what strangers write in their place raises, and is not kept
def _reader(kind: str) -> StoredRule:
    """What reads this kind. Most files hold a tree or a card, which a model knows of: importing every class that could
    have been meant takes longer than reading and answering does."""
    at_hand = _rules(_loaded_modules())
    return at_hand[kind] if kind in at_hand else stored_rules()[kind]


def hypothesis_from_json(tree: Mapping[str, Any]) -> Hypothesis:
    """The rule, exactly as it was written: a field more or another type of number is refused."""
    kind = tree.get("kind") if isinstance(tree, Mapping) else None
    try:
        reader = _reader(text(kind))
    except (KeyError, Malformed):
        raise NotCertified(
            f"The model holds a hypothesis of kind {str(kind)[:60]!r}, which this version does not know."
        ) from None
    try:
        return reader.from_json(tree)
    except ValueError:  # what `fields` refuses, and values that a rule cannot have
        raise NotCertified(f"The model's {kind} is incomplete or malformed.") from None


NOT_STORED = ("schema", "threads")
"""The schema is stored apart; how many threads count makes no difference to the law."""

PLAIN: Mapping[str, Callable[[object], object]] = {"bool": flag, "int": whole, "str": text}
"""Options of one type, which is checked; the others are read by the class itself."""


def is_storable(concepts: object) -> bool:
    """Whether a certificate can name this class so that it can be built again; a subclass may be anything."""
    return stored_classes().get(type(concepts).__name__) is type(concepts)


def stored_class(concepts: object) -> dict[str, Any]:
    """What a certificate keeps of a class: its name and its public options."""
    name = type(concepts).__name__
    if not is_storable(concepts):  # a name to read: `verify` is given such a class
        return {"class": name, "options": None}
    if isinstance(concepts, Finite):
        return {"class": name, "options": concepts.options}
    values = {field: getattr(concepts, field) for field in _options(stored_classes()[name])}
    return {"class": name, "options": {field: _plain(value) for field, value in values.items()}}


def _options(kind: type[Any]) -> dict[str, str]:
    """The stored fields of a class, and what they are annotated with."""
    return {field.name: str(field.type) for field in fields(kind) if field.name not in NOT_STORED}


def class_from_json(tree: object, schema: Schema) -> AnyClass:
    """Undo `stored_class`."""
    with refusing("The certificate's class of concepts is incomplete or malformed."):
        return _class(tree, schema)


def _class(tree: object, schema: Schema) -> AnyClass:
    entry = record(tree, "class", "options")
    kind = stored_classes().get(text(entry["class"]))
    if kind is None:
        name = text(entry["class"])[:60]
        raise NotRebuilt(
            f"it names the class or learner {name!r}, which is its author's own and not in the file: bring it"
            f" with `privpac verify --with MODULE:{name} FILE` or privpac.verify(path, concepts={name})."
        )
    options: Mapping[str, Any] = entry["options"]
    if kind is Finite:
        return Finite.from_options(schema, options)
    types = _options(kind)
    record(options, *types)
    values = {name: PLAIN.get(types[name], _value_of(schema))(options[name]) for name in types}
    about = {"schema": schema} if any(field.name == "schema" for field in fields(kind)) else {}
    concepts: AnyClass = kind(**about, **values)
    return concepts


def _plain(value: object) -> object:
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, Binarisation):
        return {"tests": [test.to_json() for test in value.tests]}
    if isinstance(value, Stored):
        return stored_class(value)
    if isinstance(value, Mapping):
        return {"mapping": dict(value)}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def _value_of(schema: Schema) -> Callable[[object], object]:
    def read(tree: object) -> object:
        if isinstance(tree, list | tuple):
            return tuple(read(item) for item in tree)
        if not isinstance(tree, Mapping):
            return tree
        if "class" in tree:
            return _class(tree, schema)
        ((name, value),) = tree.items()
        if name == "fraction":
            return read_number(value)
        if name == "tests":
            return Binarisation(schema, tuple(Test.from_json(test) for test in as_list(value)))
        if name == "mapping" and isinstance(value, Mapping):
            return {text(key): whole(share) for key, share in value.items()}
        raise Malformed("there is no such option")

    return read
