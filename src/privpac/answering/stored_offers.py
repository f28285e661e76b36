"""Offers as data and back: what `verify` makes a certificate from, and a bundle is loaded by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privpac.answering.offer import Offer
from privpac.constructions import catalogue
from privpac.constructions.prediction.predictor import Predictor
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import NotCertified
from privpac.numbers.exact import read_number

__all__ = ["offer_from_json", "predictor_from_json"]


def offer_from_json(tree: Mapping[str, Any], *, schema: Schema, coins: str) -> Offer:
    """The offer a stored certificate answers to."""
    answers = tree["answers"]
    return Offer(
        predictor_from_json(tree["predictor"], schema),
        Size(int(tree["labelled"])),
        read_number(tree["epsilon"]),
        None if answers is None else int(answers),
        read_number(tree["delta"]),
        int(tree["records_per_person"]),
        coins,
    )


def predictor_from_json(tree: Mapping[str, Any], schema: Schema) -> Predictor:
    """Undo `Predictor.to_json`."""
    reader = catalogue.readers().get(str(tree.get("kind")))
    if reader is None:
        raise NotCertified("The bundle holds a kind of predictor that this version does not know.")
    return reader(tree, schema)
