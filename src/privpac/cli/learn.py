"""`privpac learn`: from a table to a certified classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination, paid_for, require_out, seed_advice, warn_uncounted
from privpac.cli.options import (
    Force,
    KeyFile,
    LabelColumn,
    LedgerPlace,
    Seed,
    SignerName,
    asks,
    file,
    flag,
    option,
    schema_file,
    table_place,
)
from privpac.errors import ParameterError, SchemaError
from privpac.request import LearnRequest, warning_of_large

if TYPE_CHECKING:
    from privpac.data.schema import Schema
    from privpac.guarantee.ledger.ledger import Ledger
    from privpac.model import Model
    from privpac.report.forecast import Forecast, NoForecast
    from privpac.signing.keys import SigningKey

__all__ = ["learn"]

OWNER = "learn"
FROM_DATA = "from_data"


@asks(LearnRequest)
def learn(
    asked: LearnRequest,
    data: Annotated[str, table_place("DATA")],
    schema: Annotated[str | None, schema_file("DATA")] = None,
    label: LabelColumn = None,
    ledger: LedgerPlace = None,
    out: Annotated[str | None, file("Write the model file, or the bundle.")] = None,
    report: Annotated[str | None, file("Write an HTML report.")] = None,
    force: Force = False,
    sign: KeyFile = None,
    signer: SignerName = "",
    random_state: Seed = None,
    engine: Annotated[str, option("WHERE", "auto, memory, files (streamed from disk) or spark.")] = "auto",
    spark: Annotated[
        str | None, option("MASTER", "Count on a Spark cluster: local[2], spark://HOST:7077, ...")
    ] = None,
    unlabelled: Annotated[
        str | None, file("Further records without labels; or 'missing': those of DATA whose label is empty.")
    ] = None,
    dry_run: Annotated[
        bool, flag("--dry-run", "Say what would be read and what it would take, and stop.")
    ] = False,
    full: Annotated[bool, flag("--full", "Print the whole derivation.")] = False,
    as_json: Json = False,
) -> None:
    """Learn a classifier you can read, with its certificate.

    Example: privpac learn patients.csv --schema schema.json --epsilon 1 --out model.json
    """
    # Public parameters are looked at before any record is read, and all records before a budget is charged.
    if asked.protect == "predictions":
        from privpac.cli.learn_predictions import learn_predictions

        learn_predictions(
            data,
            asked=asked,
            schema=_require_schema(schema, label),
            label=label,
            ledger=ledger,
            out=out,
            random_state=random_state,
            left_out={
                "report": report,
                "unlabelled": unlabelled,
                "engine": None if engine in ("auto", "memory") else engine,
                "spark": spark,
                "dry_run": dry_run or None,
            },
            as_json=as_json,
        )
        return
    if unlabelled is None:
        allowed = "left out, except with --unlabelled"
        asked.leave_out("method", "error", allowed=allowed, asker=OWNER)
    schema_place = _require_schema(schema, label)
    inputs = (data, schema, ledger, unlabelled)
    files = {
        "model": Destination.of(out, owner=OWNER, option="out", keep=inputs, force=force),
        "report": Destination.of(report, owner=OWNER, option="report", keep=(*inputs, out), force=force),
    }
    if dry_run:
        from privpac.data.schema import schema_for

        description = schema_for(schema_place, data, label=label)
        _show_cost(data, description, asked, "spark" if spark else engine, ledger, as_json=as_json)
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
        from privpac.learning import learn_as
        from privpac.releasing import Payment

        account = None if ledger is None else Ledger.open(ledger).writing_to(out)
        payment = Payment.by(account, random_state=random_state)
        expected = Heard(asked.aim, as_json=as_json)
        model = learn_as(
            asked,
            data,
            schema=schema_for(schema_place, data, label=label),
            payment=payment,
            engine=engine,
            spark=spark,
            progress=progress,
            unlabelled=True if unlabelled == "missing" else unlabelled,
            hear=expected,
        )
        _write(model, files["model"], files["report"], account)
        if key is not None and files["model"] is not None:
            from privpac.cli.sign import receipt_for, sign_file

            receipt = receipt_for(account, payment.charges[-1] if payment.charges else None)
            sign_file(files["model"].path, key, signer=signer, receipt=receipt)
    _show(model, files, advice, expected.told, full=full, as_json=as_json)


@dataclass
class Heard:
    """What to expect, said before anything is charged and kept for the end."""

    aim: str
    as_json: bool
    told: dict[str, Any] | None = None

    def __call__(self, expected: Forecast | NoForecast) -> None:
        self.told = expected.to_json()
        console.note("\n".join(_expectation(expected, self.aim)), as_json=self.as_json)


def _expectation(expected: Forecast | NoForecast, aim: str) -> list[str]:
    """What to expect, and a word of caution where the forecast itself does not hold it."""
    from privpac.report.forecast import Forecast, remark

    says_all = isinstance(expected, Forecast) and expected.is_hopeless and expected.is_guessed
    caution = None if says_all else remark(expected, aim=aim)
    return [*expected.lines, *([] if caution is None else [caution])]


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
    data: str, schema: Schema, asked: LearnRequest, engine: str, ledger: str | None, *, as_json: bool
) -> None:
    from privpac.constructions.recipe import Recipe
    from privpac.constructions.rule_lists import with_rules
    from privpac.data.sample import Size
    from privpac.errors import MostLikelyUseless
    from privpac.planning.cost import cost_of, extent_of
    from privpac.report.forecast import forecast_of, refuse_useless

    named = replace(asked, concepts=with_rules(str(asked.concepts)))
    recipe = Recipe.of(named, schema=schema, size=Size(extent_of(data, schema).records))
    promise = recipe.certify().to_json()
    price = {"epsilon": promise["epsilon"], "delta": promise["delta"]}
    cost = cost_of(data, recipe, engine=engine)
    if large := warning_of_large(Fraction(price["epsilon"])):
        console.warn(large, as_json=as_json)
    expected, refused = forecast_of(recipe, asked.attainable), False
    try:
        refuse_useless(expected, aim=asked.aim)
    except MostLikelyUseless:
        refused = not asked.anyway
    if as_json:
        forecast = {**expected.to_json(), "refused": refused}
        console.show_json({**cost.to_json(), "price": price, "forecast": forecast})
        return
    memory = f"{cost.memory / 2**20:,.0f} MB"
    where = f"{cost.files} file{'s' * (cost.files > 1)}" if cost.files else "a database"
    console.show(
        f"{cost.records:,} records in {where}, {cost.columns} columns;"
        f" engine: {cost.engine}.\nPasses over the records: {cost.passes}. About {cost.seconds:,.1f} seconds and"
        f" {memory} of memory.\nIt would charge epsilon {price['epsilon']}, delta {price['delta']}{_of(ledger)}."
        "\nOnly numbers of records and column names were read, and nothing was charged.\n\n"
        + "\n".join(_expectation(expected, asked.aim))
        + "\nIt would be refused without --anyway." * refused
    )


def _of(ledger: str | None) -> str:
    """What a ledger has left for it, in words."""
    if ledger is None:
        return ""
    from privpac.guarantee.ledger.ledger import Ledger

    return f"; the ledger has {Ledger.open(ledger).account().remainder} left"


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
    model: Model,
    files: Mapping[str, Destination | None],
    advice: list[str],
    expected: Mapping[str, Any] | None,
    *,
    full: bool,
    as_json: bool,
) -> None:
    from privpac.report.summary import summary_json, summary_sections

    large = warning_of_large(Fraction(model.certificate["epsilon"]))
    advice = [*seed_advice(model.certificate["coins"]), *advice, *filter(None, [large])]
    console.warn(*advice, as_json=as_json)
    paths = {name: None if place is None else str(place.path) for name, place in files.items()}
    if as_json:
        places = {"out": paths["model"], "report": paths["report"]}
        said = {"warnings": advice, "forecast": expected}
        console.show_json({**summary_json(model), **said, **places, "model": model.to_json()})
    else:
        console.show_sections(summary_sections(model, full=full))
    for name, path in paths.items():
        if path is not None:
            console.note(f"Wrote the {name} to {path}.", as_json=as_json)
