"""`privpac learn --protect predictions`: from a table to a bundle that only answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from privpac.cli import console
from privpac.cli.destination import seed_advice
from privpac.errors import ParameterError
from privpac.request import LearnRequest

if TYPE_CHECKING:
    from privpac.answering.offer import Offer

__all__ = ["learn_predictions"]

OWNER = "learn"


def learn_predictions(
    data: str,
    *,
    asked: LearnRequest,
    schema: str,
    label: str | None,
    ledger: str | None,
    out: str | None,
    random_state: int | None,
    left_out: Mapping[str, object],
    as_json: bool,
) -> None:
    """Everything public is looked at first; a declared number of answers is charged before a coin is tossed."""
    from privpac.answering.bundle.bundle import check_target

    for name, value in left_out.items():
        if value is not None:
            raise ParameterError(OWNER, name, value, allowed="left out with --protect predictions")
    if out is None:
        raise ParameterError(
            OWNER, "out", None, allowed="a folder for the bundle", remedy="Add --out bundle."
        )
    if ledger is not None and asked.answers is None:
        raise ParameterError(
            OWNER,
            "ledger",
            ledger,
            allowed="left out unless answers are declared",
            remedy="Every answer is charged when it is given: privpac predict BUNDLE DATA --ledger FILE.",
        )
    check_target(out)
    with console.working("Preparing", as_json=as_json):
        from privpac.answering.bundle import bundle
        from privpac.answering.offer import offer_for
        from privpac.answering.preparing import prepare
        from privpac.constructions.rule_lists import with_rules
        from privpac.data.engines.opening import open_sample
        from privpac.data.schema import schema_for
        from privpac.guarantee.ledger.ledger import Ledger
        from privpac.releasing import Payment
        from privpac.report.forecast import ANSWERS

        account = None if ledger is None else Ledger.open(ledger).writing_to(out)
        payment = Payment.by(account, random_state=random_state)
        description = schema_for(schema, data, label=label)
        sample = open_sample(data, description, engine="memory")  # a bundle holds its records
        named = replace(asked, concepts=with_rules(str(asked.concepts)))
        offer = offer_for(named, schema=description, size=sample.size, coins=payment.coins.origin)
        if offer.answers is not None:
            payment.require_budget(offer.cost)
        console.note("\n".join(ANSWERS.lines), as_json=as_json)
        bundle.write(out, offer, prepare(offer, sample, payment, table=data))
    _show(offer, out, as_json=as_json)


def _show(offer: Offer, out: str, *, as_json: bool) -> None:
    from privpac.guarantee.certificate import explain_certificate

    certificate = offer.certify().to_json()
    console.warn(*seed_advice(offer.coins), as_json=as_json)
    if as_json:
        console.show_json({"out": out, "answers": offer.answers, "certificate": certificate})
    else:
        number = (
            "each answer is charged when it is given" if offer.answers is None else f"{offer.answers} answers"
        )
        console.show_sections([("Answers", number), ("Certificate", explain_certificate(certificate))])
    console.note(f"Wrote the bundle to {out}.", as_json=as_json)
