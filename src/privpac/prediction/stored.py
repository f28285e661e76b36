"""Offers as data and back: what `verify` makes a certificate from, and a bundle is loaded by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, cast

from privpac.concepts.base import ConceptClass
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import NotCertified
from privpac.learners.stored_classes import concepts_from_json
from privpac.learners.words import Request, learner_for
from privpac.prediction.base import Predictor
from privpac.prediction.offer import Offer
from privpac.prediction.vote import Vote
from privpac.prediction.voters import Classifiers, Concepts, Trained, Voters
from privpac.theory.exact import written

__all__ = ["offer_from_json", "predictor_from_json"]

Reader = Callable[[Mapping[str, Any], Schema], Predictor]


def offer_from_json(tree: Mapping[str, Any], *, schema: Schema, coins: str) -> Offer:
    """The offer a stored certificate answers to."""
    answers = tree["answers"]
    return Offer(
        predictor_from_json(tree["predictor"], schema),
        Size(int(tree["labelled"])),
        written(tree["epsilon"]),
        None if answers is None else int(answers),
        written(tree["delta"]),
        int(tree["records_per_person"]),
        coins,
    )


def predictor_from_json(tree: Mapping[str, Any], schema: Schema) -> Predictor:
    """Undo `Predictor.to_json`."""
    reader = READERS.get(str(tree.get("kind")))
    if reader is None:
        raise NotCertified("The bundle holds a kind of predictor that this version does not know.")
    return reader(tree, schema)


def concepts_of(stored: Any, schema: Schema) -> ConceptClass:
    found = concepts_from_json(stored, schema)
    if isinstance(found, str):
        return learner_for(found, Request(schema, Size(1), Fraction(1))).concepts
    return found


def _vote(tree: Mapping[str, Any], schema: Schema) -> Predictor:
    voters = _voters(tree["voters"], schema)
    return Vote(voters, written(tree["epsilon"]), int(tree["models"]), written(tree["failure"]))


def _voters(tree: Mapping[str, Any], schema: Schema) -> Voters:
    if tree["kind"] == "concepts":
        return Concepts(concepts_of(tree["concepts"], schema))
    return cast(Voters, Classifiers(schema, Trained(str(tree["type"]))))


READERS: dict[str, Reader] = {"vote": _vote}
