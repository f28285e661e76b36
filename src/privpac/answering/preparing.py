"""From an offer to what answers: its certificate is verified, declared answers are paid for, records are taken in."""

from __future__ import annotations

from privpac.answering.offer import Offer, offer_from_json
from privpac.checker.check import check_certificate
from privpac.constructions.prediction.predictor import Prepared
from privpac.data.engines.opening import purchase_of
from privpac.data.sample import Sample
from privpac.errors import NotCertified
from privpac.releasing import Payment

__all__ = ["check_offer", "prepare"]


def prepare(offer: Offer, sample: Sample, payment: Payment, *, table: object = None) -> Prepared:
    """What answers from these records. A declared number of answers is charged first; one by one, nothing leaves yet.

    The certificate of an offer speaks of public numbers only, so it is verified before anything is charged.
    """
    check_offer(offer)
    if offer.answers is None:
        return offer.predictor.prepare(sample, payment.coins)
    return payment.paid(
        lambda: offer.cost,
        draw=lambda coins: offer.predictor.prepare(sample, coins),
        note=f"{offer.answers} answers, declared beforehand",
        purchase=lambda: purchase_of("answers", offer.schema, table=table).certified(
            offer.certify().to_json()
        ),
    )


def check_offer(offer: Offer) -> int:
    """Refuse an offer whose certificate does not follow from what will be stored of it; says how many steps it has."""
    certificate = offer.certify().to_json()
    steps = check_certificate(certificate)
    again = offer_from_json(certificate["request"], schema=offer.schema, coins=offer.coins)
    if again.certify().to_json() != certificate:
        raise NotCertified("The certificate is not the one these parameters and this schema lead to.")
    return steps
