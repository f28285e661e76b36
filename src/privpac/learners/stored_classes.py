"""Classes of concepts given as objects, as plain data in a certificate and back, so that `verify` can build them again.

Every public option is kept: two classes of the same word may differ in prior, grid or tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from privpac.concepts.base import ConceptClass
from privpac.concepts.binarise import Binarisation, Test
from privpac.concepts.centred import CentredHalfspaces
from privpac.concepts.conjunctions import Conjunctions, Disjunctions
from privpac.concepts.cuts import Cuts
from privpac.concepts.finite import Finite
from privpac.concepts.generated_points import GeneratedPoints
from privpac.concepts.halfspaces import Halfspaces, Scorecards
from privpac.concepts.intervals import Intervals
from privpac.concepts.lists import DecisionLists
from privpac.concepts.plane import Halfplanes
from privpac.concepts.points import Points
from privpac.concepts.rectangles import Rectangles
from privpac.concepts.stumps import Stumps
from privpac.concepts.thresholds import Thresholds
from privpac.concepts.trees import Trees
from privpac.concepts.unions import Unions
from privpac.data.schema import Schema
from privpac.errors import NotCertified, PrivpacError
from privpac.theory.exact import written

__all__ = ["concepts_from_json", "stored_concepts"]

CLASSES: Mapping[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        CentredHalfspaces,
        Conjunctions,
        Cuts,
        DecisionLists,
        Disjunctions,
        Finite,
        GeneratedPoints,
        Halfplanes,
        Halfspaces,
        Intervals,
        Points,
        Rectangles,
        Scorecards,
        Stumps,
        Thresholds,
        Trees,
        Unions,
    )
}

NOT_STORED = ("schema", "threads")
"""The schema is stored apart; how many threads count makes no difference to the law."""


def stored_concepts(concepts: str | ConceptClass) -> str | dict[str, Any]:
    """What a certificate keeps of the wish: the word, or the name and the public options of a class."""
    if isinstance(concepts, str):
        return concepts
    name = type(concepts).__name__
    if isinstance(concepts, Finite):
        return {"class": name, "options": concepts.options}
    if name not in CLASSES:
        return {"class": name, "options": None}
    values = {field.name: getattr(concepts, field.name) for field in fields(CLASSES[name])}
    return {"class": name, "options": {key: _plain(v) for key, v in values.items() if key not in NOT_STORED}}


def concepts_from_json(stored: str | Mapping[str, Any], schema: Schema) -> str | ConceptClass:
    """Undo `stored_concepts`."""
    if isinstance(stored, str):
        return stored
    kind = CLASSES.get(str(stored.get("class")))
    if kind is None:
        raise NotCertified(
            "The model was drawn from a class of concepts that this version does not know, so its certificate cannot "
            "be made anew.",
            remedy="If the class is your own, verify the model in Python: privpac.verify(path, concepts=THE_CLASS).",
        )
    try:
        options = stored["options"]
        if kind is Finite:
            return Finite.from_options(schema, options)
        made: ConceptClass = kind(schema, **{name: _value(v, schema) for name, v in options.items()})
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        if isinstance(problem, PrivpacError):
            raise
        raise NotCertified("The certificate's class of concepts is incomplete or malformed.") from None
    return made


def _plain(value: object) -> object:
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, Binarisation):
        return {"tests": [test.to_json() for test in value.tests]}
    if isinstance(value, Mapping):
        return {"mapping": dict(value)}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def _value(stored: Any, schema: Schema) -> Any:
    if isinstance(stored, list):
        return tuple(_value(item, schema) for item in stored)
    if not isinstance(stored, dict):
        return stored
    if "fraction" in stored:
        return written(stored["fraction"])
    if "tests" in stored:
        return Binarisation(schema, tuple(Test.from_json(test) for test in stored["tests"]))
    return dict(stored["mapping"])
