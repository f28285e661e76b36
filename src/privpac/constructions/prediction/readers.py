"""Predictors as data and back: what undoes `to_json` of each."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, cast

from privpac.concepts.base import ConceptClass
from privpac.constructions.prediction.base import Predictor, Reader
from privpac.constructions.prediction.fresh_draws import FreshDraws
from privpac.constructions.prediction.net_relabelled import NetRelabelled
from privpac.constructions.prediction.relabelled_vote import RelabelledVote
from privpac.constructions.prediction.vote import Law, Vote
from privpac.constructions.prediction.voters import Classifiers, Concepts, Trained, Voters
from privpac.constructions.words import Request, concepts_from_json, learner_for
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.numbers.exact import read_number

__all__ = ["READERS"]


def _concepts(tree: object, schema: Schema) -> ConceptClass:
    """The class of concepts that a stored predictor names or describes."""
    concepts = concepts_from_json(tree, schema)
    if isinstance(concepts, str):
        return learner_for(concepts, Request(schema, Size(1), Fraction(1))).concepts
    return concepts


def _vote(tree: Mapping[str, Any], schema: Schema) -> Predictor:
    voters = _voters(tree["voters"], schema)
    law = Law(tree.get("law", Law.MAJORITY))
    return Vote(voters, read_number(tree["epsilon"]), int(tree["models"]), read_number(tree["failure"]), law)


def _voters(tree: Mapping[str, Any], schema: Schema) -> Voters:
    if tree["kind"] == "concepts":
        return Concepts(_concepts(tree["concepts"], schema))
    return cast(Voters, Classifiers(schema, Trained(str(tree["type"]))))


def _numbers(tree: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: read_number(tree[name]) for name in names}


def _counts(tree: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: int(tree[name]) for name in names}


def _fresh_draws(tree: Mapping[str, Any], schema: Schema) -> Predictor:
    drawing = None if tree["drawing"] is None else read_number(tree["drawing"])
    numbers = _numbers(tree, "epsilon", "flip", "slip", "failure")
    counts = _counts(tree, "kept", "records")
    return FreshDraws(_concepts(tree["concepts"], schema), drawing=drawing, **numbers, **counts)


def _relabelled_vote(tree: Mapping[str, Any], schema: Schema) -> Predictor:
    numbers = _numbers(tree, "epsilon", "labels", "weight", "inner", "failure")
    counts = _counts(tree, "kept", "records", "models")
    return RelabelledVote(_concepts(tree["concepts"], schema), **numbers, **counts)


def _net_relabelled(tree: Mapping[str, Any], schema: Schema) -> Predictor:
    numbers = _numbers(tree, "epsilon", "net", "drawing", "inner", "flip", "failure")
    counts = _counts(tree, "kept", "records", "models")
    return NetRelabelled(_concepts(tree["concepts"], schema), **numbers, **counts)


READERS: Mapping[str, Reader] = {
    "vote": _vote,
    "fresh-draws": _fresh_draws,
    "relabelled-vote": _relabelled_vote,
    "net-relabelled": _net_relabelled,
}
