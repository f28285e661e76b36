"""`privpac predict`: the class of every record of a table, from a model file or from a bundle that only answers."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination
from privpac.cli.options import Force, argument, file, flag, option
from privpac.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from privpac.data.schema import Schema

__all__ = ["predict"]

HEADER = "prediction"


def predict(
    model: Annotated[str, argument("MODEL", "A model file, or a bundle.")],
    data: Annotated[str, argument("DATA", "CSV, CSV.gz or Parquet file.")],
    *,
    ledger: Annotated[
        str | None, option("LEDGER", "For a bundle: charge every new answer to it first.")
    ] = None,
    trust: Annotated[
        list[str] | None,
        option("TYPE", "For a bundle: a further type of models that may be loaded, besides scikit-learn's."),
    ] = None,
    out: Annotated[str | None, file("Write a CSV file.")] = None,
    proba: Annotated[
        bool, flag("--proba", "The risk of each class too; a card or a tree with leaf counts has it.")
    ] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Predict the class of every record.

    What is written is a CSV file with the header `prediction` and one line per record.
    """
    destination = Destination.of(out, owner="predict", option="out", keep=(model, data, ledger), force=force)
    with console.working("Predicting", as_json=as_json), console.collecting() as warning_texts:
        answers, facts = _answer(model, data, ledger, trust or [], proba=proba)
        text = _csv(answers)
        if destination is not None:
            destination.write(text)
    console.warn(*warning_texts, as_json=as_json)
    shares = {} if answers.risks is None else {"risks": answers.risks.tolist()}
    if destination is not None:
        if as_json:
            console.show_json({"records": len(answers.codes), "out": str(destination.path), **facts})
        console.note(f"Wrote {len(answers.codes)} predictions to {destination.path}.", as_json=as_json)
    elif as_json:
        console.show_json({"records": len(answers.codes), "predictions": answers.values(), **shares, **facts})
    else:
        console.show(text.rstrip("\n"))
    if facts:
        console.note(
            f"{facts['new_answers']} new answers; {facts['answers_left']} more can be given.", as_json=as_json
        )


@dataclass(frozen=True)
class _Answers:
    """The predicted classes, as positions among those of the schema."""

    schema: Schema
    codes: NDArray[np.uint8]
    risks: NDArray[np.float64] | None = None
    """Of each class, one row per record, if they were asked for."""

    def values(self) -> list[Any]:
        values: list[Any] = self.schema.class_values[self.codes].tolist()
        return values


def _answer(
    model: str, data: str, ledger: str | None, trust: list[str], *, proba: bool
) -> tuple[_Answers, dict[str, Any]]:
    """The classes, and for a bundle how many answers were given and are left."""
    from privpac.checker.document import is_bundle

    if not is_bundle(model):
        from privpac.model import load

        for name, value in (("ledger", ledger), ("trust", trust)):
            if value:
                raise ParameterError(
                    "predict",
                    name,
                    value,
                    allowed="left out for a model file, which was paid for when it was learnt",
                )
        loaded_model = load(model)
        risks = loaded_model.predict_proba(data) if proba else None
        return _Answers(loaded_model.schema, loaded_model.classify(data), risks), {}
    if proba:
        raise ParameterError(
            "predict", "proba", True, allowed="left out for a bundle, which gives classes only"
        )
    from privpac.answering.bundle import bundle
    from privpac.guarantee.ledger.ledger import Ledger

    predictor = bundle.load(model, trusted=trust).predictor(None if ledger is None else Ledger.open(ledger))
    before = predictor.answers_given
    answers = _Answers(predictor.schema, predictor.classify(data))
    facts = {"new_answers": predictor.answers_given - before, "answers_left": predictor.answers_left}
    return answers, facts


def _csv(answers: _Answers) -> str:
    """One line per record: its class as the schema writes it, and the risks behind it."""
    names = answers.schema.classes
    risks = [] if answers.risks is None else answers.risks.tolist()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([HEADER, *(f"risk of {name}" for name in names if risks)])
    for record, code in enumerate(answers.codes):
        writer.writerow([names[code], *(risks[record] if risks else ())])
    return text.getvalue()
