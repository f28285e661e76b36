"""Predictors as data and back: what undoes `to_json` of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, cast

from privpac.concepts.base import AnyClass
from privpac.constructions.prediction.fresh_draws import FreshDraws
from privpac.constructions.prediction.net_relabelled import NetRelabelled
from privpac.constructions.prediction.predictor import Predictor, Reader
from privpac.constructions.prediction.relabelled_vote import RelabelledVote
from privpac.constructions.prediction.vote import Law, Vote
from privpac.constructions.prediction.voters import Classifiers, Concepts, Trained, Voters
from privpac.constructions.words import Request, concepts_from_json, learner_for
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.numbers.exact import read_number
from privpac.request import LearnRequest

__all__ = ["READERS"]


def _concepts(tree: object, schema: Schema) -> AnyClass:
    """The class of concepts that a stored predictor names or describes."""
    concepts = concepts_from_json(tree, schema)
    if isinstance(concepts, str):
        return learner_for(concepts, Request(schema, Size(1), LearnRequest(epsilon=Fraction(1)))).concepts
    return concepts


def _vote(tree: Mapping[str, Any], schema: Schema) -> Predictor:
    voters = _voters(tree["voters"], schema)
    law = Law(tree.get("law", Law.MAJORITY))
    return Vote(voters, read_number(tree["epsilon"]), int(tree["models"]), read_number(tree["failure"]), law)


def _voters(tree: Mapping[str, Any], schema: Schema) -> Voters:
    if tree["kind"] == "concepts":
        return Concepts(_concepts(tree["concepts"], schema))
    return cast(Voters, Classifiers(schema, Trained(str(tree["type"]))))


def _redrawn(kind: Callable[..., Predictor], numbers: str, counts: str, *, optional: str = "") -> Reader:
    """How a predictor is read that draws from a class of concepts, with numbers and counts of these names."""

    def read(tree: Mapping[str, Any], schema: Schema) -> Predictor:
        values = {name: read_number(tree[name]) for name in numbers.split()}
        whole = {name: int(tree[name]) for name in counts.split()}
        rest = {name: None if tree[name] is None else read_number(tree[name]) for name in optional.split()}
        return kind(_concepts(tree["concepts"], schema), **values, **whole, **rest)

    return read


READERS: Mapping[str, Reader] = {
    "vote": _vote,
    "fresh-draws": _redrawn(FreshDraws, "epsilon flip slip failure", "kept records", optional="drawing"),
    "relabelled-vote": _redrawn(RelabelledVote, "epsilon labels weight inner failure", "kept records models"),
    "net-relabelled": _redrawn(
        NetRelabelled, "epsilon net drawing inner flip failure", "kept records models"
    ),
}
