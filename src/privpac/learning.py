"""`learn`: from a table to a released model, by the one way out (`releasing`)."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.constructions.own import Concepts
from privpac.constructions.recipe import Recipe, Released
from privpac.constructions.rule_lists import PREFIX, short_word, with_rules
from privpac.data.engines.opening import EngineSample, open_sample, purchase_of, unread_records
from privpac.data.engines.streamed import Progress, StreamedSample
from privpac.data.schema import Schema, schema_for
from privpac.data.semi import SemiSample
from privpac.errors import ParameterError, SmallEvidence
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.ledger.ledger import Ledger
from privpac.model import Model
from privpac.releasing import Payment, cost_of
from privpac.report.forecast import FEW_LABELS, Forecast, NoForecast, forecast_of, refuse_useless, remark
from privpac.request import LearnRequest, LearnWishes
from privpac.verification import verify_document

if TYPE_CHECKING:
    from privpac.constructions.few_labels.methods import FewLabels

__all__ = ["learn", "learn_as", "learn_sample", "release_few_labels"]


Hear = Callable[[Forecast | NoForecast], None]


def learn(
    table: object,
    *,
    schema: Schema | str | os.PathLike[str] | Mapping[str, Any] | None = None,
    epsilon: object = 1.0,
    y: object = None,
    ledger: Ledger | None = None,
    random_state: int | None = None,
    label: str | None = None,
    engine: str = "auto",
    spark: object = None,
    progress: Callable[[int, int], None] | None = None,
    unlabelled: object = None,
    **wishes: Unpack[LearnWishes],
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
    epsilon : number, default 1
        Privacy of the rule when one record is replaced; 0.1 means the decimal 0.1.
    y : array, default None
        The labels, if they are not a column of the table.
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
    **wishes
        Further ones, each with a default:
    delta : number, default 0
        A chance that epsilon does not hold; few learners use one.
    failure : number, default 0.05
        How likely what is proved of errors may fail; learners are tuned for it.
    concepts : str, concept class or learner, default "auto"
        What to learn: a word such as "trees:3" or "thresholds:age" (an unknown one lists them all), a class of
        concepts, or a learner of your own (`privpac.extend`).
    protect : str, default "records"
        Whose change is hidden: "records" or "labels".
    costs : sequence of int, default None
        Public price of misjudging a record of each class, in the order of the schema's classes; all 1 when not given.
        "balanced" takes them from the shares of the classes that the schema declares (`base_rate`); with
        schema="from_data" a fiftieth of `epsilon` buys them.
    records_per_person : int, default 1
        At most this many records belong to one person; epsilon then protects the person.
    estimate_epsilon : "auto", None or a number, default "auto"
        What the private counts cost that tell whether the rule is of use. "auto" takes a tenth of `epsilon`, or less
        where records times epsilon are below 667, and nothing for cards, which count by themselves; a number is paid on
        top of `epsilon`, and None buys none.
    leaf_epsilon : number, default None
        Bought on top of `epsilon`: noisy counts in the leaves of a tree, from which `Model.predict_proba` takes its
        shares.
    aim : str, default "label"
        What the rule is for: a class for every record ("label"), or records in order of their risk ("rank"). To rank,
        "auto" is a card, and any tree gets leaf counts.
    probabilities : bool, default False
        Whether a fifth of `epsilon` goes to the counts in the leaves of a tree, so that `Model.predict_proba` works.
    holdout : number, default "auto"
        The part of the records kept aside for the estimate, which then costs nothing extra. "auto": none where
        `estimate_epsilon` is "auto"; otherwise a fifth of them, and at most 20,000, or none, whichever promises the
        narrower interval. That follows from public numbers.
    method, error
        How unlabelled records are used ("plain": not at all, "generic", "boost", "relabel", or "auto" for the best);
        with `error` the request is refused if less is promised.
    attainable : number, default None
        The AUC that a model without privacy would reach, as far as you can guess from public sources; None: what the
        schema says. What to expect of the rule follows from it and from the schema's `base_rate`.
    anyway : bool, default False
        Whether to go on where that is a rule no better than a constant or, with `unlabelled`, where nothing can be
        promised; without it that is refused before the charge.

    Raises
    ------
    MostLikelyUseless
        By your own guess the rule will hardly be better than a constant; nothing was charged.
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
    return learn_as(
        LearnRequest.read(wishes, epsilon=epsilon),
        table,
        schema=schema_for(schema, table, label=label, y=y),
        payment=Payment.by(ledger, random_state=random_state),
        y=y,
        engine=engine,
        spark=spark,
        progress=progress,
        unlabelled=unlabelled,
    )


def learn_as(
    asked: LearnRequest,
    table: object,
    *,
    schema: Schema,
    payment: Payment,
    y: object = None,
    engine: str = "auto",
    spark: object = None,
    progress: Progress | None = None,
    unlabelled: object = None,
    hear: Hear | None = None,
) -> Model:
    """As `learn`, once the request is read. `hear` is told what to expect before anything is charged; without it,
    cautions are warnings."""
    if isinstance(asked.concepts, str):
        asked = replace(asked, concepts=with_rules(asked.concepts))
    if unlabelled is not None and unlabelled is not False:
        asked.leave_out(*OF_LABELLED, allowed=ALONE, asker=asked.owner, remedy=LEAVE_OUT)
        _refuse_places(engine, spark)
        further = None if unlabelled is True else unlabelled
        both = SemiSample.of(table, schema, y=y, unlabelled=further)
        return _learn_few_labels(asked, both, schema, payment=payment, table=table, hear=hear)
    sample = open_sample(table, schema, y=y, engine=engine, spark=spark, progress=progress, load=False)
    return learn_sample(sample, asked, payment=payment, table=table, load=engine == "memory", hear=hear)


def learn_sample(
    sample: EngineSample,
    asked: LearnRequest,
    *,
    payment: Payment,
    table: object = None,
    load: bool = False,
    hear: Hear | None = None,
) -> Model:
    """As `learn`, once the records are opened; `table` is what they are read from. With `load`, streamed records that
    would be read several times are put in memory; a single pass takes less time than that."""
    recipe = Recipe.of(asked, schema=sample.schema, size=sample.size)
    if load and isinstance(sample, StreamedSample) and recipe.passes > 1:
        sample = sample.gathered()
    certificate = recipe.certify()  # refuses what is no class
    word = recipe.concepts if isinstance(recipe.concepts, str) else recipe.concepts.word
    payment.require_budget(cost_of(certificate))
    _say_what_to_expect(recipe, asked, hear)

    def document(release: Released, final: Certificate) -> Model:
        made = recipe if release.base_rate is None else recipe.settled(release.base_rate)
        promise = final if made is recipe else made.certify().with_coins(final.coins)
        return Model(
            release.hypothesis,
            made.request.schema,
            promise.to_json(),
            release.estimate,
            leaf_counts=release.leaf_counts,
        )

    name = short_word(word) if PREFIX in word else word
    return payment.release(
        certificate,
        draw=lambda coins: recipe.run(sample, coins),
        document=document,
        verify=lambda model: verify_model(model, asked.concepts),
        note=f"learn {name}",
        purchase=lambda: purchase_of(name, sample.schema, table=table),
        unread=unread_records(sample),
    )


def _say_what_to_expect(recipe: Recipe, asked: LearnRequest, hear: Hear | None) -> None:
    """Before anything is charged: refuse what will most likely be of no use, unless it is wished all the same."""
    expected = forecast_of(recipe, asked.attainable)
    if not asked.anyway:
        refuse_useless(expected, aim=asked.aim)
    if hear is not None:
        hear(expected)
    elif (caution := remark(expected, aim=asked.aim)) is not None:
        warnings.warn(caution, SmallEvidence, stacklevel=5)


def verify_model(model: Model, concepts: Concepts) -> None:
    """What a reader of the model file will check, before there is a file: of the text, not of the objects behind it."""
    custom = None if isinstance(concepts, str) else concepts
    verify_document(json.loads(json.dumps(model.to_json())), concepts=custom)


OF_LABELLED = ("estimate_epsilon", "leaf_epsilon", "aim", "probabilities", "costs", "holdout")
"""What is made of labelled records alone."""

ALONE = "left out together with unlabelled"
LEAVE_OUT = "Learn from labelled records alone, or leave it out."


def _refuse_places(engine: str, spark: object) -> None:
    """Records with and without labels are counted in memory."""
    for name, value, usual in (("engine", engine, ("auto", "memory")), ("spark", spark, (None,))):
        if value not in usual:
            raise ParameterError("learn", name, value, allowed=ALONE, remedy=LEAVE_OUT)


def _learn_few_labels(
    asked: LearnRequest,
    sample: SemiSample,
    schema: Schema,
    *,
    payment: Payment,
    table: object,
    hear: Hear | None,
) -> Model:
    from privpac.constructions.few_labels.methods import FewLabels

    recipe = FewLabels.of(asked, schema=schema, size=sample.size)
    if hear is not None:
        payment.require_budget(cost_of(recipe.certify()))
        hear(FEW_LABELS)
    return release_few_labels(recipe, lambda coins: recipe.run(sample, coins), payment=payment, table=table)


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
