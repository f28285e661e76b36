"""`learn`: from a table to a released model, by the one way out (`releasing`)."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from privpac.coins import Coins
from privpac.concepts.base import ConceptClass, Costs, Hypothesis
from privpac.constructions.few_labels.methods import FewLabels
from privpac.constructions.recipe import Recipe, Released
from privpac.constructions.words import Request
from privpac.data.declared import schema_for
from privpac.data.engines.opening import EngineSample, open_sample, unread_records
from privpac.data.purchases import purchase_of
from privpac.data.schema import Schema
from privpac.data.semi import SemiSample
from privpac.errors import ParameterError, SmallEvidence
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.ledger.ledger import Ledger
from privpac.model import Model
from privpac.numbers.exact import exact_decimal
from privpac.releasing import Payment
from privpac.verification import verify_document

__all__ = ["learn", "learn_sample", "positive", "release_few_labels"]


def positive(value: object, name: str) -> Fraction:
    """A positive decimal, read as it was written."""
    allowed = "a positive number"
    number = exact_decimal(value, owner="learn", name=name, allowed=allowed)
    if number <= 0:
        raise ParameterError("learn", name, value, allowed=allowed)
    return number


def _share(value: object, name: str) -> Fraction | None:
    return None if value is None else positive(value, name)


def learn(
    table: object,
    *,
    schema: Schema | str | os.PathLike[str] | Mapping[str, Any],
    epsilon: object = 1.0,
    delta: object = 0,
    concepts: str | ConceptClass = "auto",
    protect: str = "records",
    y: object = None,
    costs: Costs | None = None,
    records_per_person: int = 1,
    estimate_epsilon: object = None,
    holdout: object = 0,
    leaf_epsilon: object = None,
    ledger: Ledger | None = None,
    random_state: int | None = None,
    label: str | None = None,
    engine: str = "auto",
    spark: Any = None,
    progress: Callable[[int, int], None] | None = None,
    unlabelled: object = None,
    method: str = "auto",
    error: object = None,
) -> Model:
    """Learn a certified classifier from a table (file, frame or arrays).

    Everything that can go wrong with input is found before the ledger is charged; the charge is durable before the
    first coin is tossed, and the model is verified before it is returned. `schema="from_data"` reads bounds,
    categories and classes from the table, and the certificate then says so. `estimate_epsilon` and `leaf_epsilon` buy
    further releases on top of `epsilon`: an estimate of the accuracy, and noisy counts in a tree's leaves, from which
    `Model.predict_proba` takes its shares. A folder, a pattern such as 'data/*.parquet' or a large file is streamed,
    unless `engine` is "memory"; `progress` is then told how many records of a pass have been read, and of how many. A
    Spark DataFrame, or files with `spark` (a session or the address of a cluster), are counted by its executors.

    `unlabelled` are further records without labels; True stands for those of the table whose label is missing. Then
    `method` says how they are used (plain: not at all, generic, boost, relabel, or the best), and the certificate
    tells labelled and unlabelled people apart. With `error` the request is refused if less is promised.
    """
    payment = Payment.by(ledger, random_state=random_state)
    declared = schema_for(schema, table, label=label, y=y)
    wishes: dict[str, Any] = {
        "epsilon": positive(epsilon, "epsilon"),
        "delta": _delta(delta),
        "protect": protect,
        "costs": None if costs is None else tuple(costs),
        "records_per_person": records_per_person,
    }
    if unlabelled is not None and unlabelled is not False:
        extra = {"estimate_epsilon": estimate_epsilon, "leaf_epsilon": leaf_epsilon, "costs": costs}
        streamed = None if engine in ("auto", "memory") else engine
        _refuse_extras({**extra, "holdout": holdout or None, "engine": streamed, "spark": spark})
        further = None if unlabelled is True else unlabelled
        both = SemiSample.of(table, declared, y=y, unlabelled=further)
        recipe = FewLabels.chosen(
            concepts,
            Request(schema=declared, size=both.size, **wishes),
            method=method,
            error=_share(error, "error"),
        )
        return release_few_labels(recipe, lambda coins: recipe.run(both, coins), payment=payment, table=table)
    sample = open_sample(table, declared, y=y, engine=engine, spark=spark, progress=progress)
    request = Request(schema=declared, size=sample.size, **wishes)
    return learn_sample(
        sample,
        request,
        concepts=concepts,
        estimate_epsilon=_share(estimate_epsilon, "estimate_epsilon"),
        holdout=exact_decimal(holdout, owner="learn", name="holdout"),
        leaf_epsilon=_share(leaf_epsilon, "leaf_epsilon"),
        payment=payment,
        table=table,
    )


def learn_sample(
    sample: EngineSample,
    request: Request,
    *,
    concepts: str | ConceptClass,
    estimate_epsilon: Fraction | None,
    holdout: Fraction,
    leaf_epsilon: Fraction | None,
    payment: Payment,
    table: object = None,
) -> Model:
    """As `learn`, once the records are encoded; `table` is what they were read from."""
    word = concepts if isinstance(concepts, str) else concepts.word
    recipe = Recipe(concepts, request, estimate_epsilon, holdout, leaf_epsilon)
    certificate = recipe.certify()
    if recipe.advice is not None:
        warnings.warn(recipe.advice, SmallEvidence, stacklevel=3)

    def document(released: Released, signed: Certificate) -> Model:
        return Model(
            released.hypothesis,
            request.schema,
            signed.to_json(),
            released.estimate,
            leaf_counts=released.leaf_counts,
        )

    return payment.release(
        certificate,
        draw=lambda coins: recipe.run(sample, coins),
        document=document,
        verify=lambda model: verify_model(model, concepts),
        note=f"learn {word}",
        purchase=purchase_of(word, request.schema, table=table),
        unread=unread_records(sample),
    )


def verify_model(model: Model, concepts: str | ConceptClass) -> None:
    """What a reader of the model file will check, before there is a file: of the text, not of the objects behind it."""
    own = None if isinstance(concepts, str) else concepts
    verify_document(json.loads(json.dumps(model.to_json())), concepts=own)


def _refuse_extras(extras: Mapping[str, object]) -> None:
    for name, value in extras.items():
        if value is not None:
            raise ParameterError(
                "learn",
                name,
                value,
                allowed="left out together with unlabelled",
                remedy="Learn from labelled records alone, or leave it out.",
            )


def release_few_labels(
    recipe: FewLabels, run: Callable[[Coins], Hypothesis], *, payment: Payment, table: object = None
) -> Model:
    """A model from labelled and unlabelled records, both in memory."""
    method = recipe.settings["method"]
    return payment.release(
        recipe.certify(),
        draw=run,
        document=lambda rule, signed: Model(rule, recipe.request.schema, signed.to_json()),
        verify=lambda model: verify_model(model, recipe.concepts),
        note=f"few labels, {method}",
        purchase=purchase_of(f"few labels, {method}", recipe.request.schema, table=table),
    )


def _delta(value: object) -> Fraction:
    number = exact_decimal(value, owner="learn", name="delta")
    if not 0 <= number < 1:
        raise ParameterError("learn", "delta", value, allowed="at least 0 and below 1")
    return number
