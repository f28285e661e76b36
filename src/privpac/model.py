"""From a table to a model file and back: `learn`, `Model`, `load`.

A model is one JSON document (`privpac-model/1`): hypothesis, schema, certificate, version, and a digest over its
canonical form. The digest shows accidental edits; it does not authenticate (docs/understand/limits.md).
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac import __version__
from privpac.coins import ChargedCoins, Coins, coins_for
from privpac.concepts.base import ConceptClass, Costs, Hypothesis
from privpac.concepts.fitting import misfit
from privpac.concepts.hypotheses import hypothesis_from_json
from privpac.concepts.tree import Tree
from privpac.data.declared import schema_for
from privpac.data.engines.memory import MemorySample
from privpac.data.engines.opening import EngineSample, open_sample
from privpac.data.schema import Schema
from privpac.data.semi import SemiSample
from privpac.errors import (
    NotCertified,
    ParameterError,
    PrivpacError,
    SmallEvidence,
)
from privpac.fields import refusing
from privpac.guarantee import document
from privpac.guarantee.certificate import explain_certificate
from privpac.guarantee.document import digest, same
from privpac.guarantee.ledger import Ledger
from privpac.learners.recipe import Recipe
from privpac.learners.words import Request
from privpac.pictures.drawing import Drawing
from privpac.pictures.tree import picture
from privpac.release.confusion import Confusion
from privpac.release.leaf_counts import LeafCounts
from privpac.theory.exact import exact_decimal
from privpac.transforms.few_labels import FewLabels

__all__ = ["FORMAT", "Model", "digest", "learn", "load", "model_from", "read_document", "schema_for"]

FORMAT = "privpac-model/1"


@dataclass(frozen=True)
class Model:
    """A released classifier with its public description and its certificate."""

    hypothesis: Hypothesis
    schema: Schema
    certificate: Mapping[str, Any]
    """The stored form (`privpac-certificate/1`); `explain` prints it, `verify` re-derives it."""
    estimate: Confusion | None = None
    version: str = __version__
    leaf_counts: LeafCounts | None = None
    """Noisy counts in the leaves of a tree, if a share of epsilon was given to them."""

    def __post_init__(self) -> None:
        leaves = self._counted()
        if leaves is not None and not leaves[1].fits(leaves[0], len(self.schema.classes)):
            raise NotCertified("The model's leaf counts do not belong to its tree.")

    def _counted(self) -> tuple[Tree, LeafCounts] | None:
        """The tree and its leaf counts, if it has any."""
        if self.leaf_counts is None:
            return None
        if not isinstance(self.hypothesis, Tree):
            raise NotCertified("The model has leaf counts, but its hypothesis is no tree.")
        return self.hypothesis, self.leaf_counts

    def predict(self, table: object) -> NDArray[Any]:
        """The predicted class of every record, as the schema writes it."""
        return np.asarray(self.schema.classes, dtype=object)[self.classify(table)]

    def classify(self, table: object) -> NDArray[np.uint8]:
        """The predicted class of every record, as its position among the schema's classes."""
        sample = MemorySample.of(table, self.schema, labelled=False)
        return self.hypothesis.predict(sample.block().cells)

    def predict_proba(self, table: object) -> NDArray[np.float64]:
        """For every record the share of each class in its leaf: noisy counts, one added to each, divided by their sum.

        Rows add up to 1; columns are the schema's classes. The released label wins: `predict` is the label drawn with
        the tree, and the largest share of a leaf, which has noise of its own, need not be that label's.
        """
        counted = self._counted()
        if counted is None:
            raise PrivpacError(
                "This model has no leaf counts, so it cannot tell probabilities.",
                remedy="Learn it with a share of epsilon for them, such as leaf_epsilon=0.1.",
            )
        tree, leaf_counts = counted
        return leaf_counts.proba(tree, MemorySample.of(table, self.schema, labelled=False).block().cells)

    def describe(self) -> str:
        return self.hypothesis.describe(self.schema)

    def describe_leaves(self) -> str:
        """The tree with the noisy counts of every leaf; empty without them."""
        counted = self._counted()
        return "" if counted is None else counted[1].describe(counted[0], self.schema)

    def to_sql(self) -> str:
        return self.hypothesis.to_sql(self.schema)

    def picture(self) -> str:
        """The rule as a picture, in SVG, with thresholds in the columns' own units."""
        return self._drawing().svg()

    def save_picture(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file that ends in .svg or, with matplotlib (`privpac[plots]`), in .png."""
        self._drawing().save(path)

    def _drawing(self) -> Drawing:
        return picture(self.hypothesis, self.schema, leaf_counts=self.leaf_counts)

    def explain(self) -> str:
        """The rule, the leaf counts, the estimate and the certificate, in words."""
        rule = self.describe_leaves() or self.describe()
        parts = ["Rule", rule, "", explain_certificate(self.certificate)]
        if self.estimate is not None:
            parts += ["", "Private estimate", str(self.estimate)]
        return "\n".join(parts)

    def to_json(self) -> dict[str, Any]:
        tree: dict[str, Any] = {
            "format": FORMAT,
            "version": self.version,
            "hypothesis": self.hypothesis.to_json(),
            "schema": self.schema.stored(),
            "certificate": dict(self.certificate),
            "leaf_counts": self.leaf_counts.to_json() if self.leaf_counts else None,
            "estimate": self.estimate.to_json() if self.estimate else None,
        }
        tree["digest"] = digest(tree)
        return tree

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, whole or not at all."""
        target = Path(path)
        partial = target.with_name(target.name + ".partial")
        partial.write_text(json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(partial, target)


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
    first coin is tossed. `schema="from_data"` reads bounds, categories and classes from the table, and the certificate
    then says so. `estimate_epsilon` and `leaf_epsilon` buy further releases on top of `epsilon`: an estimate of the
    accuracy, and noisy counts in a tree's leaves, from which `Model.predict_proba` takes its shares. A folder, a
    pattern such as 'data/*.parquet' or a large file is streamed, unless `engine` is "memory"; `progress` is then told
    how many records of a pass have been read, and of how many. A Spark DataFrame, or files with `spark` (a session or
    the address of a cluster), are counted by its executors.

    `unlabelled` are further records without labels; True stands for those of the table whose label is missing. Then
    `method` says how they are used (plain: not at all, generic, boost, relabel, or the best), and the certificate
    tells labelled and unlabelled people apart. With `error` the request is refused if less is promised.
    """
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
        return release_few_labels(
            recipe, lambda tossed: recipe.run(both, tossed), ledger=ledger, coins=coins_for(random_state)
        )
    sample = open_sample(table, declared, y=y, engine=engine, spark=spark, progress=progress)
    request = Request(schema=declared, size=sample.size, **wishes)
    return learn_sample(
        sample,
        request,
        concepts=concepts,
        estimate_epsilon=_share(estimate_epsilon, "estimate_epsilon"),
        holdout=exact_decimal(holdout, owner="learn", name="holdout"),
        leaf_epsilon=_share(leaf_epsilon, "leaf_epsilon"),
        ledger=ledger,
        coins=coins_for(random_state),
    )


def learn_sample(
    sample: EngineSample,
    request: Request,
    *,
    concepts: str | ConceptClass,
    estimate_epsilon: Fraction | None,
    holdout: Fraction,
    leaf_epsilon: Fraction | None,
    ledger: Ledger | None,
    coins: Coins,
) -> Model:
    """As `learn`, once the records are encoded."""
    recipe = Recipe(concepts, request, estimate_epsilon, holdout, leaf_epsilon)
    certificate = recipe.certify().with_coins(coins.origin)
    if recipe.advice is not None:
        warnings.warn(recipe.advice, SmallEvidence, stacklevel=3)
    word = concepts if isinstance(concepts, str) else concepts.word
    if ledger is not None:
        ledger.check(epsilon=certificate.epsilon, delta=certificate.delta)  # before hours of reading

    def pay() -> None:
        sample.validate()
        if ledger is not None:
            ledger.charge(epsilon=certificate.epsilon, delta=certificate.delta, note=f"learn {word}")

    charged = ChargedCoins(coins, pay)
    released = recipe.run(sample, charged)
    charged.settle()
    return Model(
        released.hypothesis,
        request.schema,
        certificate.to_json(),
        released.estimate,
        leaf_counts=released.leaf_counts,
    )


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
    recipe: FewLabels, run: Callable[[Coins], Hypothesis], *, ledger: Ledger | None, coins: Coins
) -> Model:
    """A model from labelled and unlabelled records: certify, charge at the first coin, run."""
    certificate = recipe.certify().with_coins(coins.origin)
    if ledger is not None:
        ledger.check(epsilon=certificate.epsilon, delta=certificate.delta)

    def pay() -> None:
        if ledger is not None:
            note = f"few labels, {recipe.settings['method']}"
            ledger.charge(epsilon=certificate.epsilon, delta=certificate.delta, note=note)

    charged = ChargedCoins(coins, pay)
    hypothesis = run(charged)
    charged.settle()
    return Model(hypothesis, recipe.request.schema, certificate.to_json())


def _delta(value: object) -> Fraction:
    number = exact_decimal(value, owner="learn", name="delta")
    if not 0 <= number < 1:
        raise ParameterError("learn", "delta", value, allowed="at least 0 and below 1")
    return number


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model file; a damaged one is refused. Reading is not verifying: see `verify`."""
    tree = read_document(path)
    return model_from(tree)


def read_document(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The JSON of a model file whose digest matches."""
    return document.read_document(path, format=FORMAT, what="model file")


def model_from(tree: Mapping[str, Any]) -> Model:
    """The model a document holds, exactly as it was written; its rule must belong to its schema."""
    with refusing("The model file is incomplete or malformed."):
        if not isinstance(tree.get("version"), str):
            raise NotCertified("The model file does not say which version wrote it.")
        model = Model(
            hypothesis=hypothesis_from_json(tree["hypothesis"]),
            schema=Schema.from_json(tree["schema"]),
            certificate=tree["certificate"],
            estimate=None if tree["estimate"] is None else Confusion.from_json(tree["estimate"]),
            version=tree["version"],
            leaf_counts=None if tree["leaf_counts"] is None else LeafCounts.from_json(tree["leaf_counts"]),
        )
        reason = misfit(model.hypothesis, model.schema)
        if reason is not None:
            raise NotCertified(f"The model's rule does not belong to its schema: {reason}.")
        if not same({**model.to_json(), "digest": None}, {**tree, "digest": None}):
            raise NotCertified("The model file holds something that this version does not write.")
    return model
