"""`privpac learn`: from a table to a certified classifier."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination, paid_for, require_out, seed_advice, warn_uncounted
from privpac.cli.options import (
    Aim,
    Force,
    KeyFile,
    LabelColumn,
    LedgerPlace,
    Protect,
    RecordsPerPerson,
    Seed,
    SignerName,
    count,
    file,
    flag,
    number,
    option,
    schema_file,
    table_place,
)
from privpac.errors import ParameterError, SchemaError
from privpac.wishes import (
    AnswerWishes,
    FewLabelWishes,
    RuleWishes,
    read_costs,
    read_delta,
    read_epsilon,
    warning_of_large,
)

if TYPE_CHECKING:
    from privpac.data.schema import Schema
    from privpac.guarantee.ledger.ledger import Ledger
    from privpac.model import Model
    from privpac.signing.keys import SigningKey

__all__ = ["learn"]

OWNER = "learn"
FROM_DATA = "from_data"


def learn(
    data: Annotated[str, table_place("DATA")],
    *,
    epsilon: Annotated[str, number("Privacy loss of the classifier, or of one answer.")],
    schema: Annotated[str | None, schema_file("DATA")] = None,
    label: LabelColumn = None,
    delta: Annotated[str, number("Privacy delta; 0 is pure privacy.")] = "0",
    concepts: Annotated[
        str,
        option(
            "WORD",
            "What to choose from: auto, trees:DEPTH, card (points and risks), risk-tree, stumps,"
            " thresholds:COLUMN, intervals:COLUMN, unions:COLUMN:K, points:COLUMN, agnostic:WORD, ...; an unknown"
            " word lists them all.",
        ),
    ] = "auto",
    protect: Protect = "records",
    estimate_epsilon: Annotated[
        str | None,
        number(
            "Privacy loss of an estimate of the accuracy. With --holdout 0.2 and the number of --epsilon it costs"
            " nothing more."
        ),
    ] = None,
    leaf_epsilon: Annotated[
        str | None, number("Further privacy loss, for counts in the leaves of a tree.")
    ] = None,
    holdout: Annotated[
        str,
        option(
            "SHARE",
            "Share of records kept aside for the estimate, which then is free if it costs no more than"
            " --epsilon; auto: a fifth or none, whichever promises the narrower interval.",
        ),
    ] = "auto",
    aim: Aim = "label",
    probabilities: Annotated[
        bool,
        flag("--probabilities", "Spend a fifth of epsilon on counts in the leaves, from which risks follow."),
    ] = False,
    costs: Annotated[
        str | None, option("A,B", "Price of misjudging a record of each class: 1,5, or balanced.")
    ] = None,
    records_per_person: RecordsPerPerson = 1,
    ledger: LedgerPlace = None,
    out: Annotated[str | None, file("Write the model file, or the bundle.")] = None,
    report: Annotated[str | None, file("Write an HTML report.")] = None,
    force: Force = False,
    sign: KeyFile = None,
    signer: SignerName = "",
    answers: Annotated[int | None, count("With --protect predictions: answers declared beforehand.")] = None,
    models: Annotated[int | None, count("With --protect predictions: how many models vote.")] = None,
    random_state: Seed = None,
    engine: Annotated[str, option("WHERE", "auto, memory, files (streamed from disk) or spark.")] = "auto",
    spark: Annotated[
        str | None, option("MASTER", "Count on a Spark cluster: local[2], spark://HOST:7077, ...")
    ] = None,
    unlabelled: Annotated[
        str | None, file("Further records without labels; or 'missing': those of DATA whose label is empty.")
    ] = None,
    method: Annotated[
        str, option("HOW", "How records without labels are used: auto, plain, generic, boost, relabel.")
    ] = "auto",
    error: Annotated[str | None, number("With --unlabelled: refuse if a larger error is promised.")] = None,
    dry_run: Annotated[
        bool, flag("--dry-run", "Say what would be read and what it would take, and stop.")
    ] = False,
    full: Annotated[bool, flag("--full", "Print the whole derivation.")] = False,
    as_json: Json = False,
) -> None:
    """Learn a classifier you can read, with its certificate.

    Example: privpac learn patients.csv --schema schema.json --epsilon 1 --out model.json
    """
    from privpac.constructions.rule_lists import with_rules

    concepts = with_rules(concepts)
    if protect == "predictions":
        from privpac.cli.learn_predictions import learn_predictions

        learn_predictions(
            data,
            wishes=AnswerWishes(
                concepts,
                read_epsilon(epsilon, owner=OWNER),
                read_delta(delta, owner=OWNER),
                answers,
                models,
                records_per_person,
            ),
            schema=_require_schema(schema, label),
            label=label,
            ledger=ledger,
            out=out,
            random_state=random_state,
            left_out={
                "estimate_epsilon": estimate_epsilon,
                "leaf_epsilon": leaf_epsilon,
                "aim": None if aim == "label" else aim,
                "probabilities": probabilities or None,
                "costs": costs,
                "report": report,
                "holdout": None if holdout == "auto" else holdout,
                "unlabelled": unlabelled,
                "engine": None if engine in ("auto", "memory") else engine,
                "spark": spark,
                "dry_run": dry_run or None,
            },
            as_json=as_json,
        )
        return
    _only_predictions(answers=answers, models=models)
    # Public parameters are looked at before any record is read, and all records before a budget is charged.
    wishes = RuleWishes.read(
        epsilon=epsilon,
        delta=delta,
        concepts=concepts,
        protect=protect,
        costs=read_costs(costs, owner=OWNER),
        records_per_person=records_per_person,
        estimate_epsilon=estimate_epsilon,
        leaf_epsilon=leaf_epsilon,
        holdout=holdout,
        aim=aim,
        probabilities=probabilities,
    )
    few = _few_labels(unlabelled, method, error)
    schema_place = _require_schema(schema, label)
    inputs = (data, schema, ledger, unlabelled)
    files = {
        "model": Destination.of(out, owner=OWNER, option="out", keep=inputs, force=force),
        "report": Destination.of(report, owner=OWNER, option="report", keep=(*inputs, out), force=force),
    }
    if dry_run:
        from privpac.data.schema import schema_for

        description = schema_for(schema_place, data, label=label)
        _show_cost(data, description, wishes, "spark" if spark else engine, ledger, as_json=as_json)
        return
    require_out(out, ledger, owner=OWNER, as_json=as_json)
    key = _signing_key(sign, signer, out, random_state)
    if out is not None:
        warn_uncounted(ledger, random_state, as_json=as_json)
    with (
        console.reading("Learning", data, engine, as_json=as_json) as progress,
        console.collecting() as advice,
    ):
        from privpac.data.schema import schema_for
        from privpac.guarantee.ledger.ledger import Ledger
        from privpac.learning import Source, Unlabelled, learn_few_labels, learn_rule
        from privpac.releasing import Payment

        account = None if ledger is None else Ledger.open(ledger).writing_to(out)
        payment = Payment.by(account, random_state=random_state)
        source = Source(data, engine=engine, spark=spark, progress=progress)
        description = schema_for(schema_place, data, label=label)
        if few is None:
            model = learn_rule(source, description, wishes, payment=payment)
        else:
            further = Unlabelled(few, None if unlabelled == "missing" else unlabelled)
            model = learn_few_labels(source, further, description, wishes, payment=payment)
        _write(model, files["model"], files["report"], account)
        if key is not None and files["model"] is not None:
            from privpac.cli.sign import receipt_for, sign_file

            receipt = receipt_for(account, payment.charges[-1] if payment.charges else None)
            sign_file(files["model"].path, key, signer=signer, receipt=receipt)
    _show(model, files, advice, full=full, as_json=as_json)


def _signing_key(
    path: str | None, signer: str, out: str | None, random_state: int | None
) -> SigningKey | None:
    """The key to sign with, read before anything is charged."""
    if path is not None and random_state is not None:
        raise ParameterError(
            OWNER, "sign", path, allowed="left out with a seed, whose coins are not for release"
        )
    if (path is None) != (not signer):
        raise ParameterError(OWNER, "signer", signer, allowed="a name, given together with --sign")
    if path is None:
        return None
    if out is None:
        raise ParameterError(
            OWNER, "sign", path, allowed="given together with --out", remedy="Add --out FILE."
        )
    from privpac.cli.sign import signing_key

    return signing_key(path)


def _show_cost(
    data: str, schema: Schema, wishes: RuleWishes, engine: str, ledger: str | None, *, as_json: bool
) -> None:
    from privpac.constructions.recipe import Recipe
    from privpac.data.sample import Size
    from privpac.plan.cost import cost_of, extent_of

    recipe = Recipe.of(wishes, schema=schema, size=Size(extent_of(data, schema).records))
    promise = recipe.certify().to_json()
    price = {"epsilon": promise["epsilon"], "delta": promise["delta"]}
    cost = cost_of(data, recipe, engine=engine)
    if large := warning_of_large(Fraction(price["epsilon"])):
        console.warn(large, as_json=as_json)
    if as_json:
        console.show_json({**cost.to_json(), "price": price})
        return
    memory = f"{cost.memory / 2**20:,.0f} MB"
    where = f"{cost.files} file{'s' * (cost.files > 1)}" if cost.files else "a database"
    console.show(
        f"{cost.records:,} records in {where}, {cost.columns} columns;"
        f" engine: {cost.engine}.\nPasses over the records: {cost.passes}. About {cost.seconds:,.1f} seconds and"
        f" {memory} of memory.\nIt would charge epsilon {price['epsilon']}, delta {price['delta']}{_of(ledger)}."
        "\nOnly numbers of records and column names were read, and nothing was charged."
    )


def _of(ledger: str | None) -> str:
    """What a ledger has left for it, in words."""
    if ledger is None:
        return ""
    from privpac.guarantee.ledger.ledger import Ledger

    return f"; the ledger has {Ledger.open(ledger).account().remainder} left"


def _only_predictions(**options: int | None) -> None:
    for name, value in options.items():
        if value is not None:
            raise ParameterError(OWNER, name, value, allowed="left out, except with --protect predictions")


def _few_labels(unlabelled: str | None, method: str, error: str | None) -> FewLabelWishes | None:
    """What is said about records without labels; nothing where nothing is said."""
    wishes = FewLabelWishes.read(method=method, error=error)
    if unlabelled is not None:
        return wishes
    if wishes != FewLabelWishes():
        raise ParameterError(
            OWNER, "unlabelled", None, allowed="a file, or 'missing', with --method and --error"
        )
    return None


def _require_schema(schema: str | None, label: str | None) -> str:
    if schema is None:
        raise SchemaError(
            "No schema was given, so nothing is known about the table without looking at private records.",
            remedy="Draft one with: privpac schema DATA --out schema.json; fill it in and add --schema"
            " schema.json.",
        )
    if schema == FROM_DATA and label is None:
        raise ParameterError(
            OWNER, "label", None, allowed="the name of the label column", remedy="Add --label NAME."
        )
    if schema != FROM_DATA and label is not None:
        raise ParameterError(
            OWNER, "label", label, allowed="left out, since the schema file names the label column"
        )
    return schema


def _write(model: Model, out: Destination | None, report: Destination | None, ledger: Ledger | None) -> None:
    with paid_for(model.to_json()):
        if out is not None:
            model.save(out.path)
        if report is not None:
            from privpac.guarantee.ledger.total import budget_rows
            from privpac.report.page import report_html

            report.write(report_html(model, budget=() if ledger is None else budget_rows(ledger)))


def _show(
    model: Model, files: Mapping[str, Destination | None], advice: list[str], *, full: bool, as_json: bool
) -> None:
    from privpac.report.summary import summary_json, summary_sections

    large = warning_of_large(Fraction(model.certificate["epsilon"]))
    advice = [*seed_advice(model.certificate["coins"]), *advice, *filter(None, [large])]
    console.warn(*advice, as_json=as_json)
    paths = {name: None if place is None else str(place.path) for name, place in files.items()}
    if as_json:
        places = {"out": paths["model"], "report": paths["report"]}
        console.show_json({**summary_json(model), "warnings": advice, **places, "model": model.to_json()})
    else:
        console.show_sections(summary_sections(model, full=full))
    for name, path in paths.items():
        if path is not None:
            console.note(f"Wrote the {name} to {path}.", as_json=as_json)
