"""`verify`: every number of a model file derived again, or the reason why not.

The counterpart of `model`: that writes and reads files, this one doubts them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privpac import __version__
from privpac.checker import document
from privpac.checker.check import Promise, check_document
from privpac.checker.document import MODEL, TABLE
from privpac.concepts.base import AnyClass
from privpac.constructions.own import Concepts, OwnLearner
from privpac.constructions.recipe import Recipe
from privpac.constructions.words import concepts_from_json, request_from_json
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import NoSqlForm, NotCertified, NotRebuilt
from privpac.fields import refusing, whole
from privpac.guarantee.certificate import FROM_DATA, Certificate
from privpac.model import Model, model_from
from privpac.numbers.exact import read_number

if (
    TYPE_CHECKING
):  # each is loaded by the look that needs it: a model waits neither for tables nor for bundles
    from privpac.constructions.few_labels.methods import FewLabels
    from privpac.constructions.release.table import ReleasedTable

Own = AnyClass | type[OwnLearner]
"""What a document names and does not hold."""

__all__ = ["Verified", "look_at", "rebuild", "require_rebuilt", "verify", "verify_document"]


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
    unit: str = "record"
    """What is protected: a "record" or a "label"."""
    looks: tuple[str, ...] = ()
    """Which looks were made and passed: "digest", "derivation", "rebuild"."""
    warnings: tuple[str, ...] = ()
    """What a reader should know besides: seeded coins, assumptions, a schema read from data, another version."""
    not_rebuilt: str = ""
    """Why it was not made anew, in a sentence; empty if it was."""


def verify(
    path: str | os.PathLike[str] | Model | Mapping[str, Any], *, concepts: Own | None = None
) -> Verified:
    """Re-derive every number of a model file, bundle or released table, or raise NotCertified with the reason.

    Three independent looks: the digest, the derivation re-checked step by step, and certificate and estimate made anew
    from the stored parameters and schema, whose learner is asked whether the stored rule can be its outcome at all.
    That last look is taken whatever version the file names, for anybody can write another name: what cannot be made
    anew raises `NotRebuilt`. What remains unseen is an edit of what chance decided (another rule of the class, other
    noisy counts) and of the coins' origin, with a new digest.

    `path` is a file or, for a bundle, its folder; a model in memory will do too, and what was read from a file. A model
    drawn from a class or learner of your own names it and does not hold it: give it as `concepts`. `DataError` says
    that there is no such file.

    >>> verify("no-such-model.json")
    Traceback (most recent call last):
    privpac.errors.DataError: There is no file 'no-such-model.json'.
    """
    if isinstance(path, Model | Mapping):
        return verify_document(path.to_json() if isinstance(path, Model) else dict(path), concepts=concepts)
    return require_rebuilt(look_at(path, concepts=concepts))


def look_at(path: str | os.PathLike[str], *, concepts: Own | None = None) -> Verified:
    """As `verify`, for whoever says something of the document besides: where it could not be made anew, `rebuilt` is
    false and `not_rebuilt` says why."""
    tree = document.read_at(path)
    return rebuild(path, tree, check_document(tree), concepts=concepts)


def require_rebuilt(found: Verified) -> Verified:
    """What was found, or `NotRebuilt` if the document was not made anew."""
    if not found.rebuilt:
        raise NotRebuilt(found.not_rebuilt, remedy=REMEDY)
    return found


def verify_document(tree: dict[str, Any], *, concepts: Own | None = None) -> Verified:
    """As `verify`, of a model or a released table as data in memory."""
    with refusing("The document is too large, or holds something that is not JSON."):
        document.require_bounded(tree)
        document.require_document(tree, MODEL, TABLE)
    promise = check_document(tree)
    return require_rebuilt(_verdict(promise, _second_look(tree, concepts)))


def rebuild(
    path: str | os.PathLike[str],
    tree: Mapping[str, Any],
    promise: Promise,
    *,
    concepts: Own | None = None,
) -> Verified:
    """The last look of `verify`: at a document that was read from this path, after the checker's look at it.

    Of a bundle, the tag of its secret file is looked at too. The models or records themselves are not looked into:
    their certificate holds whatever they are. A certificate or the description of a bundle on its own is not rebuilt.
    """
    if tree["format"] in (MODEL, TABLE):
        return _verdict(promise, _second_look(tree, concepts))
    if not document.is_bundle(path):
        return _found(promise, f"Not rebuilt: {str(path)!r} is a {promise.kind} on its own.")
    from privpac.answering.bundle.bundle import content_beside

    content_beside(path, tree)
    return _verdict(promise, lambda: _refuse_another_offer(tree))


_UNLIKE = "The document was not made from the parameters that stand in it."


def _second_look(tree: Mapping[str, Any], concepts: Own | None) -> Callable[[], None]:
    """Refuse a model or table that no version writes; what is left to do is to make it anew as this version does."""
    if tree["format"] == TABLE:
        from privpac.constructions.release.table import table_from

        table = table_from(tree)
        with refusing(_UNLIKE):
            _refuse_other_origin(table.schema, tree["certificate"])
        return lambda: _refuse_unlike_table(table)
    model = model_from(tree)
    with refusing(_UNLIKE):
        _refuse_other_origin(model.schema, tree["certificate"])
        _refuse_unpaid(model)
    return lambda: _refuse_unlike(model, tree, concepts)


def _verdict(promise: Promise, look: Callable[[], None]) -> Verified:
    """Everything made anew, or the sentence that it was not; a document that names this version is refused instead."""
    try:
        with refusing(_UNLIKE):
            look()
    except NotRebuilt as problem:
        return _found(promise, f"Not rebuilt: {problem.problem}")
    except NotCertified:
        if promise.version == __version__:
            raise
        return _found(
            promise,
            f"Not rebuilt: it names another version ({str(promise.version)[:20]!r}, this is {__version__!r}), and the"
            " same certificate and rule do not follow from the stored parameters here.",
        )
    return _found(promise)


REMEDY = (
    "Verify the whole bundle or model file, with the version that made it;"
    " `privpac verify --certificate-only FILE` checks the steps alone."
)


def _found(promise: Promise, not_rebuilt: str = "") -> Verified:
    rebuilt = not not_rebuilt
    return Verified(
        warnings=(*promise.warnings, *_version_warnings(promise.version, not_rebuilt)),
        not_rebuilt=not_rebuilt,
        steps=promise.steps,
        rebuilt=rebuilt,
        for_release=promise.for_release,
        assumptions=promise.assumptions,
        epsilon=promise.epsilon,
        delta=promise.delta,
        unit=promise.unit,
        looks=(*promise.looks, "rebuild") if rebuilt else promise.looks,
    )


def _refuse_other_origin(schema: Schema, certificate: Mapping[str, Any]) -> None:
    """Where a schema came from stands in the schema and among the assumptions: the two must agree, in any version."""
    if (schema.origin == "from_data") != (FROM_DATA in certificate["assumptions"]):
        raise NotCertified("The schema and the certificate disagree about whether it was read from the data.")


def _refuse_other_certificate(fresh: Certificate, certificate: Mapping[str, Any]) -> None:
    if not document.same(fresh.to_json(), certificate):
        raise NotCertified("The certificate is not the one these parameters and this schema lead to.")


def _refuse_another_offer(tree: Mapping[str, Any]) -> None:
    from privpac.answering.offer import offer_from_json

    certificate, schema = tree["certificate"], Schema.from_stored(tree["schema"])
    _refuse_other_origin(schema, certificate)
    offer = offer_from_json(certificate["request"], schema=schema, coins=certificate["coins"])
    _refuse_other_certificate(offer.certify(), certificate)
    if not document.same(schema.to_json(), tree["schema"]):
        raise NotCertified("The schema of the bundle holds something that this version does not write.")


def _refuse_unlike_table(table: ReleasedTable) -> None:
    from privpac.constructions.release.table import TableRequest

    certificate = table.certificate
    size = Size(whole(certificate["labelled"], least=0), whole(certificate["unlabelled"], least=0))
    request = TableRequest.from_json(certificate["request"], schema=table.schema, size=size)
    _refuse_other_certificate(request.certify().with_coins(certificate["coins"]), certificate)
    if table.columns != request.columns or not request.sanitiser.releases(table.table, request.size):
        raise NotCertified("The synthetic records are not such as these parameters ever release.")


def _version_warnings(version: str | None, not_rebuilt: str) -> Iterator[str]:
    if not_rebuilt:
        yield not_rebuilt
    elif version is not None and version != __version__:
        yield f"Made by another version ({version[:20]!r}, this is {__version__!r}), and rebuilt all the same."


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
        share = read_number(wishes["leaf_epsilon"]) / whole(wishes["records_per_person"], least=1)
        records = model.certificate["labelled"]  # without the records kept aside
        if model.leaf_counts.epsilon != share or model.leaf_counts.records != records:
            raise NotCertified("The leaf counts are not those the certificate speaks of.")


def _refuse_unlike(model: Model, tree: Mapping[str, Any], concepts: Own | None) -> None:
    """What can be made anew from the stored parameters must be what is stored: everything but the draws."""
    wishes = model.certificate["request"]
    drawn_from = concepts or concepts_from_json(wishes["concepts"], model.schema)
    recipe = (_few_labels if "few_labels" in wishes else _recipe)(model, drawn_from)
    fresh = recipe.certify().with_coins(model.certificate["coins"])
    _refuse_other_certificate(fresh, tree["certificate"])
    if not recipe.releases(model.hypothesis):
        raise NotCertified("The rule is not one that these parameters ever release.")
    if model.estimate is not None:
        estimate = recipe.estimate_from(model.estimate.counts) if isinstance(recipe, Recipe) else None
        if model.estimate != estimate:
            raise NotCertified("The estimate is not the one its counts lead to.")
    model.describe()
    with suppress(NoSqlForm):  # some rules have none; those that do must say it
        model.to_sql()


def _few_labels(model: Model, concepts: Concepts) -> FewLabels:
    from privpac.constructions.few_labels.methods import FewLabels, Settings

    wishes = model.certificate["request"]
    size = Size(whole(wishes["labelled"], least=0), whole(wishes["unlabelled"], least=0))
    request = request_from_json(wishes, schema=model.schema, size=size)
    if request.costs is not None:
        raise NotCertified("Learning from few labels counts all mistakes alike: there are no costs.")
    return FewLabels(concepts, request, Settings.from_json(wishes["few_labels"]))


def _recipe(model: Model, concepts: Concepts) -> Recipe:
    wishes = model.certificate["request"]
    shares = {
        name: None if wishes[name] is None else read_number(wishes[name])
        for name in ("estimate_epsilon", "leaf_epsilon", "rate_epsilon")
        if name in wishes
    }
    return Recipe(
        concepts,
        request_from_json(wishes, schema=model.schema, size=Size(whole(wishes["labelled"], least=0))),
        holdout=read_number(wishes["holdout"]),
        **shares,
    )
