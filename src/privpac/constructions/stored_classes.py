"""Classes of concepts given as objects, as plain data in a certificate and back, so that `verify` can build them again.

Every public option is kept: two classes of the same word may differ in prior, grid or tests. `learn` takes no class
that is not listed there (`concepts.catalogue`): what cannot be read back could be charged for and never be verified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from privpac.concepts.base import ConceptClass, Stored
from privpac.concepts.catalogue import stored_classes
from privpac.concepts.finite import Finite
from privpac.concepts.grids import FIRST, FULL, grid_of_word
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.data.schema import Schema
from privpac.errors import NotCertified
from privpac.fields import Malformed, flag, listed, record, refusing, text, whole
from privpac.numbers.exact import written

__all__ = ["CLASSES", "concepts_from_json", "is_storable", "stored_concepts"]

CLASSES: Mapping[str, type[Any]] = stored_classes()
"""The closed list of classes that a certificate may name."""

NOT_STORED = ("schema", "threads")
"""The schema is stored apart; how many threads count makes no difference to the law."""

PLAIN: Mapping[str, Callable[[object], object]] = {"bool": flag, "int": whole, "str": text}
"""Options of one type, which is checked; the others are read by the class itself."""

WORD_IN_FILES: Mapping[str, str] = {"auto": "auto:2", "auto:1": "auto"}
"""A document names the design of the default classifier that made it; the first one was called nothing but `auto`."""
WORD_OF_FILES: Mapping[str, str] = {stored: word for word, stored in WORD_IN_FILES.items()}

BOXES = "rectangles:"
"""A document names the grid of boxes, the full one too; where none is named it is that of the first version."""


def _in_files(word: str) -> str:
    if not word.startswith(BOXES):
        return WORD_IN_FILES.get(word, word)
    columns, bins = grid_of_word(word.removeprefix(BOXES))
    if bins is None:
        return f"{BOXES}{columns}"
    return f"{BOXES}{columns}:{FULL}" if bins == FULL else word


def _of_files(stored: str) -> str:
    if not stored.startswith(BOXES):
        return WORD_OF_FILES.get(stored, stored)
    columns, _ = grid_of_word(stored.removeprefix(BOXES))
    return f"{stored}:{FIRST}" if stored == f"{BOXES}{columns}" else stored


def is_storable(concepts: object) -> bool:
    """Whether a certificate can name this class so that it can be built again; a subclass may be anything."""
    return CLASSES.get(type(concepts).__name__) is type(concepts)


def stored_concepts(concepts: str | ConceptClass) -> str | dict[str, Any]:
    """What a certificate keeps of the wish: the word, or the name and the public options of a class."""
    if isinstance(concepts, str):
        return _in_files(concepts)
    return _name_and_options(concepts)


def _name_and_options(concepts: object) -> dict[str, Any]:
    name = type(concepts).__name__
    if not is_storable(concepts):  # a name to read: `verify` is given such a class
        return {"class": name, "options": None}
    if isinstance(concepts, Finite):
        return {"class": name, "options": concepts.options}
    values = {field: getattr(concepts, field) for field in _options(CLASSES[name])}
    return {"class": name, "options": {field: _plain(value) for field, value in values.items()}}


def _options(kind: type[Any]) -> dict[str, str]:
    """The stored fields of a class, and what they are annotated with."""
    return {field.name: str(field.type) for field in fields(kind) if field.name not in NOT_STORED}


def concepts_from_json(stored: object, schema: Schema) -> str | ConceptClass:
    """Undo `stored_concepts`."""
    if isinstance(stored, str):
        return _of_files(stored)
    with refusing("The certificate's class of concepts is incomplete or malformed."):
        return _class(stored, schema)


def _class(stored: object, schema: Schema) -> ConceptClass:
    entry = record(stored, "class", "options")
    kind = CLASSES.get(text(entry["class"]))
    if kind is None:
        raise NotCertified(
            "The model was drawn from a class of concepts that this version does not know, so its certificate cannot "
            "be made anew.",
            remedy="If the class is your own, verify the model in Python: privpac.verify(path, concepts=THE_CLASS).",
        )
    options: Mapping[str, Any] = entry["options"]
    if kind is Finite:
        return Finite.from_options(schema, options)
    types = _options(kind)
    record(options, *types)
    values = {name: PLAIN.get(types[name], _value_of(schema))(options[name]) for name in types}
    about = {"schema": schema} if any(field.name == "schema" for field in fields(kind)) else {}
    concepts: ConceptClass = kind(**about, **values)
    return concepts


def _plain(value: object) -> object:
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, Binarisation):
        return {"tests": [test.to_json() for test in value.tests]}
    if isinstance(value, Stored):
        return _name_and_options(value)
    if isinstance(value, Mapping):
        return {"mapping": dict(value)}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def _value_of(schema: Schema) -> Callable[[object], object]:
    def read(stored: object) -> object:
        if isinstance(stored, list | tuple):
            return tuple(read(item) for item in stored)
        if not isinstance(stored, Mapping):
            return stored
        if "class" in stored:
            return _class(stored, schema)
        ((name, value),) = stored.items()
        if name == "fraction":
            return written(value)
        if name == "tests":
            return Binarisation(schema, tuple(Test.from_json(test) for test in listed(value)))
        if name == "mapping" and isinstance(value, Mapping):
            return {text(key): whole(share) for key, share in value.items()}
        raise Malformed("there is no such option")

    return read
