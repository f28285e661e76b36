"""`verify`: every number of a model file derived again, or the reason why not.

The counterpart of `model`: that writes and reads files, this one doubts them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from privpac import __version__
from privpac.concepts.base import ConceptClass
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import NoSqlForm, NotCertified, PrivpacError
from privpac.guarantee import document
from privpac.guarantee.certificate import FROM_DATA
from privpac.guarantee.check import check_certificate
from privpac.learners.recipe import Recipe
from privpac.learners.stored_classes import concepts_from_json
from privpac.learners.words import request_from_json
from privpac.model import Model, model_from, read_document
from privpac.prediction.bundle import EXPOSED, FORMER, is_bundle
from privpac.prediction.bundle import read as read_bundle
from privpac.prediction.stored import offer_from_json
from privpac.release.table import FORMAT as TABLE_FORMAT
from privpac.release.table import ReleasedTable, TableRequest, is_table, table_from
from privpac.theory.exact import written
from privpac.transforms.few_labels import FewLabels

__all__ = ["Verified", "verify", "verify_document"]


@dataclass(frozen=True)
class Verified:
    """What `verify` established."""

    steps: int
    """Derivation steps checked by arithmetic of their own."""
    rebuilt: bool
    """The certificate was also made anew from the stored public parameters, and is the same."""
    for_release: bool
    assumptions: tuple[str, ...]
    epsilon: str
    delta: str
    warnings: tuple[str, ...] = ()
    """What a reader should know besides: seeded coins, assumptions, a schema read from data, another version."""


def verify(path: str | os.PathLike[str], *, concepts: ConceptClass | None = None) -> Verified:
    """Re-derive every number of a model file, bundle or released table, or raise NotCertified with the reason.

    Three independent looks: the digest, the derivation re-checked step by step, and certificate and estimate made anew
    from the stored parameters and schema. That last look is tried whatever version the file names: another version may
    have had other rules, so there a difference is a warning, and a file that names this version must agree. What
    remains unseen is an edit of what chance decided (the rule within its schema, the noisy counts) and of the coins'
    origin, with a new digest.

    A model drawn from a class of your own names that class and does not hold it: give it as `concepts`.
    """
    if is_bundle(path):
        return _verify_bundle(path)
    if is_table(path):
        return verify_document(document.read_document(path, format=TABLE_FORMAT, what="released table"))
    return verify_document(read_document(path), concepts=concepts)


def verify_document(tree: Mapping[str, Any], *, concepts: ConceptClass | None = None) -> Verified:
    """The same of a model or a released table that is in memory, as its file would hold it."""
    return _verify_table(tree) if tree.get("format") == TABLE_FORMAT else _verify_model(tree, concepts)


def _verify_model(tree: Mapping[str, Any], concepts: ConceptClass | None) -> Verified:
    model = model_from(tree)
    steps = check_certificate(tree["certificate"])
    _refusing(lambda: _refuse_unpaid(model))
    rebuilt = True
    try:
        _refusing(lambda: _refuse_unlike(model, tree, concepts))
    except NotCertified:
        if model.version == __version__:
            raise
        rebuilt = False
    return _verified(tree, steps=steps, rebuilt=rebuilt)


def _verified(tree: Mapping[str, Any], *, steps: int, rebuilt: bool) -> Verified:
    certificate = tree["certificate"]
    return Verified(
        warnings=tuple(_warnings(certificate, str(tree["version"]), rebuilt=rebuilt)),
        steps=steps,
        rebuilt=rebuilt,
        for_release=certificate["coins"] == "system",
        assumptions=tuple(certificate["assumptions"]),
        epsilon=certificate["epsilon"],
        delta=certificate["delta"],
    )


def _verify_bundle(path: str | os.PathLike[str]) -> Verified:
    """The same of a bundle: the tag of its secret file, the derivation, and the certificate made anew.

    The models or records themselves are not looked into: their certificate holds whatever they are.
    """
    tree, _ = read_bundle(path)
    steps = check_certificate(tree.get("certificate", {}))
    rebuilt = True
    try:
        _refusing(lambda: _refuse_another_offer(tree))
    except NotCertified:
        if tree.get("version") == __version__:
            raise
        rebuilt = False
    found = _verified(tree, steps=steps, rebuilt=rebuilt)
    return replace(found, warnings=(EXPOSED, *found.warnings)) if tree["format"] == FORMER else found


def _refuse_another_offer(tree: Mapping[str, Any]) -> None:
    stored, schema = tree["certificate"], Schema.from_json(tree["schema"])
    offer = offer_from_json(stored["request"], schema=schema, coins=stored["coins"])
    if offer.certify().to_json() != stored or schema.to_json() != tree["schema"]:
        raise NotCertified("The certificate is not the one these parameters and this schema lead to.")


def _verify_table(tree: Mapping[str, Any]) -> Verified:
    """The same three looks at a released table."""
    table = table_from(tree)
    steps = check_certificate(tree["certificate"])
    rebuilt = True
    try:
        _refusing(lambda: _refuse_unlike_table(table, tree))
    except NotCertified:
        if table.version == __version__:
            raise
        rebuilt = False
    return _verified(tree, steps=steps, rebuilt=rebuilt)


def _refuse_unlike_table(table: ReleasedTable, tree: Mapping[str, Any]) -> None:
    stored = tree["certificate"]
    size = Size(int(stored["labelled"]), int(stored["unlabelled"]))
    request = TableRequest.from_json(stored["request"], schema=table.schema, size=size)
    if request.certify().with_coins(stored["coins"]).to_json() != stored:
        raise NotCertified("The certificate is not the one these parameters and this schema lead to.")
    if table.columns != request.columns or table.to_json() != tree:
        raise NotCertified("The released table holds something that this version does not write.")


def _refusing(look: Callable[[], None]) -> None:
    """Whatever a forged file trips over, the answer is the same."""
    try:
        look()
    except NotCertified:
        raise
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
        PrivpacError,
    ):
        raise NotCertified("The model was not made from the parameters that stand in it.") from None


def _warnings(tree: Mapping[str, Any], version: str, *, rebuilt: bool) -> Iterator[str]:
    if not rebuilt:
        yield (
            f"Made by another version ({version[:20]!r}, this is {__version__!r}), and could not be rebuilt: the "
            "same certificate does not follow from the stored parameters here. Verify it with the version that made it."
        )
    elif version != __version__:
        yield f"Made by another version ({version[:20]!r}, this is {__version__!r}), and rebuilt all the same."
    if tree["coins"] != "system":
        yield "NOT FOR RELEASE: the coins came from a known seed."
    if FROM_DATA in tree["assumptions"]:
        yield "The schema was read from the data: its bounds, categories and classes are released without protection."
    yield from (f"Assumes that {text}." for text in tree["assumptions"])


def _refuse_unpaid(model: Model) -> None:
    """A model may hold what its certificate speaks of, and nothing else."""
    wishes = model.certificate["request"]
    for name, part in (("estimate", model.estimate), ("leaf", model.leaf_counts)):
        if (part is None) != (wishes[f"{name}_epsilon"] is None):
            raise NotCertified(
                "The model holds a release that its certificate does not speak of, or lacks one."
            )
    if model.leaf_counts is not None:
        share = written(wishes["leaf_epsilon"]) / int(wishes["records_per_person"])
        counted = model.certificate["labelled"]  # without the records kept aside
        if model.leaf_counts.epsilon != share or model.leaf_counts.records != counted:
            raise NotCertified("The leaf counts are not those the certificate speaks of.")


def _refuse_unlike(model: Model, tree: Mapping[str, Any], concepts: ConceptClass | None) -> None:
    """What can be made anew from the stored parameters must be what is stored: everything but the draws."""
    wishes = model.certificate["request"]
    drawn_from = concepts or concepts_from_json(wishes["concepts"], model.schema)
    recipe = (_few_labels if "few_labels" in wishes else _recipe)(model, drawn_from)
    made = recipe.certify().with_coins(model.certificate["coins"]).to_json()
    if made != tree["certificate"]:
        raise NotCertified("The certificate is not the one these parameters and this schema lead to.")
    if model.estimate is not None:
        counted = recipe.estimate_from(model.estimate.counts) if isinstance(recipe, Recipe) else None
        if model.estimate != counted:
            raise NotCertified("The estimate is not the one its counts lead to.")
    if model.to_json() != tree:
        raise NotCertified("The model file holds something that this version does not write.")
    model.describe()
    with suppress(NoSqlForm):  # some rules have none; those that do must say it
        model.to_sql()


def _few_labels(model: Model, concepts: str | ConceptClass) -> FewLabels:
    wishes = model.certificate["request"]
    size = Size(int(wishes["labelled"]), int(wishes["unlabelled"]))
    request = request_from_json(wishes, schema=model.schema, labelled=size.labelled)
    return FewLabels(concepts, replace(request, size=size), wishes["few_labels"])


def _recipe(model: Model, concepts: str | ConceptClass) -> Recipe:
    wishes = model.certificate["request"]
    shares = {
        name: None if wishes[name] is None else written(wishes[name])
        for name in ("estimate_epsilon", "leaf_epsilon")
    }
    return Recipe(
        concepts,
        request_from_json(wishes, schema=model.schema, labelled=int(wishes["labelled"])),
        holdout=written(wishes["holdout"]),
        **shares,
    )
