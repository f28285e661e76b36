"""`learn`: from a table to a released model, by the one way out (`releasing`)."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Costs, Hypothesis
from privpac.constructions.recipe import Recipe, Released
from privpac.constructions.rule_lists import PREFIX, short_word, with_rules
from privpac.constructions.words import Request
from privpac.data.engines.opening import EngineSample, open_sample, purchase_of, unread_records
from privpac.data.engines.streamed import StreamedSample
from privpac.data.schema import Schema, schema_for
from privpac.data.semi import SemiSample
from privpac.errors import ParameterError, SmallEvidence
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.ledger.ledger import Ledger
from privpac.model import Model
from privpac.numbers.exact import plain
from privpac.releasing import Payment
from privpac.verification import verify_document
from privpac.wishes import FewLabelWishes, RuleWishes

if TYPE_CHECKING:
    from privpac.constructions.few_labels.methods import FewLabels

__all__ = [
    "Source",
    "Unlabelled",
    "learn",
    "learn_few_labels",
    "learn_rule",
    "learn_sample",
    "release_few_labels",
]


@dataclass(frozen=True, repr=False)
class Source:
    """Where the records are and how they are read; further ones without labels, if there are any."""

    table: object
    y: object = None
    engine: str = "auto"
    spark: Any = None
    progress: Callable[[int, int], None] | None = None


@dataclass(frozen=True, repr=False)
class Unlabelled:
    """Records without labels, besides those of the table that lack one, and what they are for."""

    wishes: FewLabelWishes
    further: object = None


def learn(
    table: object,
    *,
    schema: Schema | str | os.PathLike[str] | Mapping[str, Any] | None = None,
    epsilon: object = 1.0,
    delta: object = 0,
    concepts: str | AnyClass = "auto",
    protect: str = "records",
    y: object = None,
    costs: Costs | str | None = None,
    records_per_person: int = 1,
    estimate_epsilon: object = None,
    holdout: object = "auto",
    leaf_epsilon: object = None,
    aim: str = "label",
    probabilities: bool = False,
    ledger: Ledger | None = None,
    random_state: int | None = None,
    label: str | None = None,
    engine: str = "auto",
    spark: object = None,
    progress: Callable[[int, int], None] | None = None,
    unlabelled: object = None,
    method: str = "auto",
    error: object = None,
) -> Model:
    """Learn a certified classifier from a table.

    Everything that can be wrong with the input is found before the ledger is charged; the charge is durable before the
    first coin is tossed, and the model is verified before it is returned.

    Parameters
    ----------
    table : path, data frame, mapping of columns or arrays
        The records. A folder, a pattern such as 'data/*.parquet' or a large file is streamed.
    schema : Schema, path, mapping or "from_data"; there is no default
        The public description of the table. "from_data" reads it from the records, and the certificate then says so.
    epsilon, delta : numbers, default 1 and 0
        Privacy of the rule when one record is replaced; 0.1 means the decimal 0.1. Few learners use a delta.
    concepts : str or concept class, default "auto"
        What to learn: a word such as "trees:3" or "thresholds:age" (an unknown one lists them all), or a class.
    protect : str, default "records"
        Whose change is hidden: "records" or "labels".
    y : array, default None
        The labels, if they are not a column of the table.
    costs : sequence of int, default None
        Public price of misjudging a record of each class, in the order of the schema's classes; all 1 when not given.
        "balanced" takes them from the shares of the classes that the schema declares (`base_rate`).
    records_per_person : int, default 1
        At most this many records belong to one person; epsilon then protects the person.
    estimate_epsilon, leaf_epsilon : numbers, default None
        Bought on top of `epsilon`: a private estimate of the accuracy, and noisy counts in the leaves of a tree,
        from which `Model.predict_proba` takes its shares.
    aim : str, default "label"
        What the rule is for: a class for every record ("label"), or records in order of their risk ("rank"). To rank,
        "auto" is a card, and any tree gets leaf counts.
    probabilities : bool, default False
        Whether a fifth of `epsilon` goes to the counts in the leaves of a tree, so that `Model.predict_proba` works.
    holdout : number, default "auto"
        The part of the records kept aside for the estimate, which then costs nothing extra. "auto": a fifth of them,
        and at most 20,000, or none, whichever promises the narrower interval; that follows from public numbers.
    ledger : Ledger, default None
        Charged before anything is computed.
    random_state : int, default None
        None: randomness of the operating system, for release. An integer repeats the same draw and marks the
        certificate as not for release.
    label : str, default None
        The label column, for schema="from_data".
    engine, spark, progress
        Where records are counted: "auto", "memory", "files" or "spark"; `spark` is a session or the address of a
        cluster; `progress` is called with the records of a pass that were read so far, and with all of them.
    unlabelled : table or True, default None
        Further records without labels; True stands for those of the table whose label is missing. The certificate
        then distinguishes labelled and unlabelled people.
    method, error
        How unlabelled records are used ("plain": not at all, "generic", "boost", "relabel", or "auto" for the best);
        with `error` the request is refused if less is promised.

    Raises
    ------
    ParameterError, SchemaError, DataError, SizeError
        Something of the request, the schema or the table does not fit; nothing was charged.
    BudgetExceeded
        The ledger has not enough left; nothing was charged or computed.

    Examples
    --------
    >>> from privpac import learn
    >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
    >>> table = {"age": [i % 120 for i in range(2400)], "ill": [int(i % 120 >= 60) for i in range(2400)]}
    >>> schema = {"label": "ill", "columns": [age]}
    >>> model = learn(table, schema=schema, concepts="thresholds:age", epsilon=1, random_state=1)
    >>> print(model.describe())
    1 if age >= 60, else 0
    """
    payment = Payment.by(ledger, random_state=random_state)
    wishes = RuleWishes.read(
        epsilon=epsilon,
        delta=delta,
        concepts=with_rules(concepts) if isinstance(concepts, str) and PREFIX in concepts else concepts,
        protect=protect,
        costs=costs,
        records_per_person=records_per_person,
        estimate_epsilon=estimate_epsilon,
        leaf_epsilon=leaf_epsilon,
        holdout=holdout,
        aim=aim,
        probabilities=probabilities,
    )
    source = Source(table, y, engine, spark, progress)
    description = schema_for(schema, table, label=label, y=y)
    if unlabelled is None or unlabelled is False:
        return learn_rule(source, description, wishes, payment=payment)
    few = FewLabelWishes.read(method=method, error=error)
    further = Unlabelled(few, None if unlabelled is True else unlabelled)
    return learn_few_labels(source, further, description, wishes, payment=payment)


def learn_rule(source: Source, schema: Schema, wishes: RuleWishes, *, payment: Payment) -> Model:
    """As `learn`, once the wishes are read."""
    sample = open_sample(
        source.table,
        schema,
        y=source.y,
        engine=source.engine,
        spark=source.spark,
        progress=source.progress,
        load=False,
    )
    return learn_sample(sample, wishes, payment=payment, table=source.table, load=source.engine == "memory")


def learn_sample(
    sample: EngineSample,
    wishes: RuleWishes,
    *,
    payment: Payment,
    table: object = None,
    load: bool = False,
) -> Model:
    """As `learn`, once the records are opened; `table` is what they are read from. With `load`, streamed records that
    would be read several times are put in memory; a single pass takes less time than that."""
    recipe = Recipe.of(wishes, schema=sample.schema, size=sample.size)
    if load and isinstance(sample, StreamedSample) and recipe.passes > 1:
        sample = sample.gathered()
    certificate = recipe.certify()  # refuses what is no class
    word = recipe.concepts if isinstance(recipe.concepts, str) else recipe.concepts.word
    if recipe.advice is not None:
        warnings.warn(recipe.advice, SmallEvidence, stacklevel=4)

    def document(release: Released, final: Certificate) -> Model:
        return Model(
            release.hypothesis,
            sample.schema,
            final.to_json(),
            release.estimate,
            leaf_counts=release.leaf_counts,
        )

    name = short_word(word) if PREFIX in word else word
    return payment.release(
        certificate,
        draw=lambda coins: recipe.run(sample, coins),
        document=document,
        verify=lambda model: verify_model(model, wishes.concepts),
        note=f"learn {name}",
        purchase=lambda: purchase_of(name, sample.schema, table=table),
        unread=unread_records(sample),
    )


def verify_model(model: Model, concepts: str | AnyClass) -> None:
    """What a reader of the model file will check, before there is a file: of the text, not of the objects behind it."""
    custom = None if isinstance(concepts, str) else concepts
    verify_document(json.loads(json.dumps(model.to_json())), concepts=custom)


def learn_few_labels(
    source: Source, unlabelled: Unlabelled, schema: Schema, wishes: RuleWishes, *, payment: Payment
) -> Model:
    """As `learn` with `unlabelled`, once the wishes are read."""
    _refuse_extras(
        {
            "estimate_epsilon": wishes.estimate_epsilon,
            "leaf_epsilon": wishes.leaf_epsilon,
            "aim": None if wishes.aim == "label" else wishes.aim,
            "probabilities": wishes.probabilities or None,
            "costs": wishes.costs,
            "holdout": wishes.holdout or None,
            "engine": None if source.engine in ("auto", "memory") else source.engine,
            "spark": source.spark,
        }
    )
    from privpac.constructions.few_labels.methods import FewLabels

    both = SemiSample.of(source.table, schema, y=source.y, unlabelled=unlabelled.further)
    recipe = FewLabels.chosen(
        wishes.concepts,
        Request.of(wishes, schema=schema, size=both.size),
        method=unlabelled.wishes.method,
        error=unlabelled.wishes.error,
    )
    return release_few_labels(
        recipe, lambda coins: recipe.run(both, coins), payment=payment, table=source.table
    )


def _refuse_extras(extras: Mapping[str, object]) -> None:
    for name, value in extras.items():
        if value is not None:
            spelling = plain(value) if isinstance(value, Fraction) else value
            raise ParameterError(
                "learn",
                name,
                spelling,
                allowed="left out together with unlabelled",
                remedy="Learn from labelled records alone, or leave it out.",
            )


def release_few_labels(
    recipe: FewLabels, run: Callable[[Coins], Hypothesis], *, payment: Payment, table: object = None
) -> Model:
    """A model from labelled and unlabelled records, both in memory."""
    method = recipe.settings.method
    return payment.release(
        recipe.certify(),
        draw=lambda coins: recipe.written(run(coins)),
        document=lambda rule, certificate: Model(rule, recipe.request.schema, certificate.to_json()),
        verify=lambda model: verify_model(model, recipe.concepts),
        note=f"few labels, {method}",
        purchase=lambda: purchase_of(f"few labels, {method}", recipe.request.schema, table=table),
    )
