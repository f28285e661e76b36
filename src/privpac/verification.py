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
from privpac.answering.bundle.bundle import EXPOSED, FORMER, is_bundle
from privpac.answering.bundle.bundle import read as read_bundle
from privpac.answering.stored_offers import offer_from_json
from privpac.checker.check import check_certificate
from privpac.concepts.base import ConceptClass
from privpac.constructions.few_labels.methods import FewLabels
from privpac.constructions.recipe import Recipe
from privpac.constructions.release.table import FORMAT as TABLE_FORMAT
from privpac.constructions.release.table import ReleasedTable, TableRequest, is_table, table_from
from privpac.constructions.stored_classes import concepts_from_json
from privpac.constructions.words import request_from_json
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import NoSqlForm, NotCertified
from privpac.fields import refusing, require_bounded, whole
from privpac.guarantee import document
from privpac.guarantee.certificate import FROM_DATA, Certificate
from privpac.model import FORMAT as MODEL_FORMAT
from privpac.model import Model, model_from
from privpac.numbers.exact import written

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
    from the stored parameters and schema, whose learner is asked whether the stored rule can be its outcome at all.
    That last look is tried whatever version the file names: another version may have had other rules, so there a
    difference is a warning, and a file that names this version must agree. What remains unseen is an edit of what
    chance decided (another rule of the class, other noisy counts) and of the coins' origin, with a new digest.

    A model drawn from a class of your own names that class and does not hold it: give it as `concepts`.
    """
    if is_bundle(path):
        return _verify_bundle(path)
    if is_table(path):
        return verify_document(document.read_document(path, format=TABLE_FORMAT, what="released table"))
    tree = document.read_document(path, format=MODEL_FORMAT, what="model file")
    return verify_document(tree, concepts=concepts)


def verify_document(tree: Mapping[str, Any], *, concepts: ConceptClass | None = None) -> Verified:
    """As `verify`, of a model or a released table as data in memory."""
    looks = {MODEL_FORMAT: lambda tree: _verify_model(tree, concepts), TABLE_FORMAT: _verify_table}
    kind = tree.get("format") if isinstance(tree, Mapping) else None
    if not isinstance(kind, str) or kind not in looks:
        raise NotCertified(f"This is not a document of a format this version knows ({', '.join(looks)}).")
    with refusing("The document is too large, or holds something that is not JSON."):
        require_bounded(tree)
        if tree.get("digest") != document.digest(tree):
            raise NotCertified("The document was changed after it was written: its digest does not match.")
    return looks[kind](tree)


def _verify_model(tree: Mapping[str, Any], concepts: ConceptClass | None) -> Verified:
    model = model_from(tree)
    steps = check_certificate(tree["certificate"])
    with refusing(_UNLIKE):
        _refuse_other_origin(model.schema, tree["certificate"])
        _refuse_unpaid(model)
    rebuilt = _rebuilt(model.version, lambda: _refuse_unlike(model, tree, concepts))
    return _verified(tree, steps=steps, rebuilt=rebuilt)


def _verify_table(tree: Mapping[str, Any]) -> Verified:
    table = table_from(tree)
    steps = check_certificate(tree["certificate"])
    with refusing(_UNLIKE):
        _refuse_other_origin(table.schema, tree["certificate"])
    rebuilt = _rebuilt(table.version, lambda: _refuse_unlike_table(table))
    return _verified(tree, steps=steps, rebuilt=rebuilt)


def _verify_bundle(path: str | os.PathLike[str]) -> Verified:
    """The same of a bundle: the tag of its secret file, the derivation, and the certificate made anew.

    The models or records themselves are not looked into: their certificate holds whatever they are.
    """
    tree, _ = read_bundle(path)
    steps = check_certificate(tree.get("certificate", {}))
    rebuilt = _rebuilt(str(tree.get("version")), lambda: _refuse_another_offer(tree))
    found = _verified(tree, steps=steps, rebuilt=rebuilt)
    return replace(found, warnings=(EXPOSED, *found.warnings)) if tree["format"] == FORMER else found


_UNLIKE = "The document was not made from the parameters that stand in it."


def _rebuilt(version: str, look: Callable[[], None]) -> bool:
    """Whether everything could be made anew; a document that names this version must pass."""
    try:
        with refusing(_UNLIKE):
            look()
    except NotCertified:
        if version == __version__:
            raise
        return False
    return True


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


def _refuse_other_origin(schema: Schema, certificate: Mapping[str, Any]) -> None:
    """Where a schema came from stands in the schema and among the assumptions: the two must agree, in any version."""
    if (schema.origin == "from_data") != (FROM_DATA in certificate["assumptions"]):
        raise NotCertified("The schema and the certificate disagree about whether it was read from the data.")


def _refuse_other_certificate(made: Certificate, stored: Mapping[str, Any]) -> None:
    if not document.same(made.to_json(), stored):
        raise NotCertified("The certificate is not the one these parameters and this schema lead to.")


def _refuse_another_offer(tree: Mapping[str, Any]) -> None:
    stored, schema = tree["certificate"], Schema.from_json(tree["schema"])
    _refuse_other_origin(schema, stored)
    offer = offer_from_json(stored["request"], schema=schema, coins=stored["coins"])
    _refuse_other_certificate(offer.certify(), stored)
    own = schema.to_json() if tree["format"] == FORMER else schema.stored()
    if not document.same(own, tree["schema"]):
        raise NotCertified("The schema of the bundle holds something that this version does not write.")


def _refuse_unlike_table(table: ReleasedTable) -> None:
    stored = table.certificate
    size = Size(whole(stored["labelled"], least=0), whole(stored["unlabelled"], least=0))
    request = TableRequest.from_json(stored["request"], schema=table.schema, size=size)
    _refuse_other_certificate(request.certify().with_coins(stored["coins"]), stored)
    if table.columns != request.columns or not request.sanitiser.releases(table.table, request.size):
        raise NotCertified("The synthetic records are not such as these parameters ever release.")


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
    if model.estimate is not None and not model.estimate.fits(len(model.schema.classes)):
        raise NotCertified("The estimate's counts are not those of so many classes and records.")
    if model.leaf_counts is not None:
        share = written(wishes["leaf_epsilon"]) / whole(wishes["records_per_person"], least=1)
        counted = model.certificate["labelled"]  # without the records kept aside
        if model.leaf_counts.epsilon != share or model.leaf_counts.records != counted:
            raise NotCertified("The leaf counts are not those the certificate speaks of.")


def _refuse_unlike(model: Model, tree: Mapping[str, Any], concepts: ConceptClass | None) -> None:
    """What can be made anew from the stored parameters must be what is stored: everything but the draws."""
    wishes = model.certificate["request"]
    drawn_from = concepts or concepts_from_json(wishes["concepts"], model.schema)
    recipe = (_few_labels if "few_labels" in wishes else _recipe)(model, drawn_from)
    _refuse_other_certificate(recipe.certify().with_coins(model.certificate["coins"]), tree["certificate"])
    if not recipe.releases(model.hypothesis):
        raise NotCertified("The rule is not one that these parameters ever release.")
    if model.estimate is not None:
        counted = recipe.estimate_from(model.estimate.counts) if isinstance(recipe, Recipe) else None
        if model.estimate != counted:
            raise NotCertified("The estimate is not the one its counts lead to.")
    model.describe()
    with suppress(NoSqlForm):  # some rules have none; those that do must say it
        model.to_sql()


def _few_labels(model: Model, concepts: str | ConceptClass) -> FewLabels:
    wishes = model.certificate["request"]
    size = Size(whole(wishes["labelled"], least=0), whole(wishes["unlabelled"], least=0))
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
        request_from_json(wishes, schema=model.schema, labelled=whole(wishes["labelled"], least=0)),
        holdout=written(wishes["holdout"]),
        **shares,
    )
