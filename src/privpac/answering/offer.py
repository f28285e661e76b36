"""What is offered: answers at a price, one by one or a declared number of them, under one certificate.

One by one, the certificate speaks of one answer, and a ledger adds up what was asked. A number declared beforehand has
a certificate for all of those answers together, by the optimal composition if there is a delta to trade for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from privpac.answering.price import composed
from privpac.constructions import catalogue
from privpac.constructions.prediction.forms import predictor_for
from privpac.constructions.prediction.predictor import Predictor
from privpac.constructions.prediction.vote import Law
from privpac.data.engines.opening import purchase_of
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import NotCertified, ParameterError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate, for_people
from privpac.guarantee.facts import Loss, Privacy, Release
from privpac.guarantee.ledger.account import Purchase
from privpac.guarantee.ledger.budget import Cost
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import plain, read_number
from privpac.numbers.parameters import whole_positive
from privpac.releasing import cost_of
from privpac.request import LearnRequest

__all__ = ["Offer", "offer_for", "offer_from_json", "predictor_from_json"]

OWNER = "PrivatePredictor"
MOST_DECLARED = 10_000
"""Answers the optimal composition is computed for (`rules.k_fold`)."""


@dataclass(frozen=True)
class Offer:
    """A predictor for records of this size; `price` is the epsilon of one answer for one person."""

    predictor: Predictor
    size: Size
    price: Fraction
    answers: int | None = None
    """Declared beforehand; None: one by one."""
    delta: Fraction = Fraction(0)
    records_per_person: int = 1
    coins: str = "system"

    def __post_init__(self) -> None:
        whole_positive(self.records_per_person, owner=OWNER, name="records_per_person")
        count = self.answers
        whole = isinstance(count, int) and not isinstance(count, bool)
        if count is not None and not (whole and 1 <= count <= MOST_DECLARED):
            requirement = f"None (one by one) or a whole number up to {MOST_DECLARED}"
            raise ParameterError(OWNER, "answers", count, allowed=requirement)
        if self.delta and count is None:
            raise ParameterError(
                OWNER,
                "delta",
                plain(self.delta),
                allowed="0 for answers one by one",
                remedy="Say how many answers it is for, such as answers=100.",
            )

    @property
    def schema(self) -> Schema:
        """The schema of the questions."""
        return self.predictor.schema

    @cached_property
    def one_answer(self) -> Proof[Privacy]:
        """The promise about a single answer, for one person."""
        proof = self.predictor.certify(self.size).privacy
        if self.records_per_person > 1:
            proof = rules.group(proof, size=self.records_per_person)
        # What is charged must not be less than what is lost, whoever put the two together.
        if not proof.fact.epsilon <= Loss(log=self.price) or proof.fact.delta:
            raise ParameterError(
                OWNER,
                "epsilon_per_answer",
                plain(self.price),
                allowed=f"at least {proof.fact.epsilon}, what an answer of this predictor loses, without a delta",
            )
        return proof

    def certify(self) -> Certificate:
        """The certificate of one answer or, if their number was declared, of all answers together."""
        inner = self.predictor.certify(self.size)
        proof = self.one_answer
        if self.answers is not None:
            what = f"{self.answers} answers, declared beforehand"
            together = composed(proof, answers=self.answers, delta=self.delta)
            proof = rules.post_processing(together, what=what, release=Release.ANSWERS)
        proof = for_people(proof, from_data=self.schema.origin == "from_data")
        return replace(inner, privacy=proof, request=self.to_json(), coins=self.coins)

    @property
    def cost(self) -> Cost:
        """What the certificate costs: of one answer, or of all that are declared."""
        cost = cost_of(self.certify())
        # The proved delta is at most the declared one; the same must hold of what is charged for it.
        return replace(cost, delta=min(cost.delta, self.delta))

    @cached_property
    def answer_cost(self) -> Cost:
        """What a ledger is charged for one answer, or counts where the declared ones are paid for."""
        # Answers that were declared are paid for by `cost`, and their own ledger counts them by epsilon alone.
        return Cost.covering(self.price, rho=self.certify().rho if self.answers is None else None)

    @cached_property
    def purchase(self) -> Purchase:
        """What its answers are charged for."""
        return purchase_of("answers", self.schema).certified(self.certify().to_json())

    def to_json(self) -> dict[str, Any]:
        """The public terms, as a bundle stores them."""
        return {
            "protect": "predictions",
            "predictor": dict(self.predictor.to_json()),
            "epsilon": plain(self.price),
            "delta": plain(self.delta),
            "answers": self.answers,
            "records_per_person": self.records_per_person,
            "labelled": self.size.labelled,
        }


def offer_for(
    asked: LearnRequest, *, schema: Schema, size: Size, coins: str, adds_rho: bool = False
) -> Offer:
    """What is offered to a person who asks for such answers from this many records. Where the budget `adds_rho`,
    classifiers vote by the law that is best there."""
    people = asked.records_per_person
    predictor = predictor_for(
        asked.concepts,
        schema=schema,
        epsilon=asked.epsilon / people,
        models=asked.models,
        records=size.labelled,
        law=Law.EXPONENTIAL if adds_rho and asked.answers is None else Law.MAJORITY,
    )
    return Offer(predictor, size, asked.epsilon, asked.answers, asked.delta, people, coins)


# --- as data, and back ---


def offer_from_json(tree: Mapping[str, Any], *, schema: Schema, coins: str) -> Offer:
    """The offer a stored certificate answers to."""
    answers = tree["answers"]
    return Offer(
        predictor_from_json(tree["predictor"], schema),
        Size(int(tree["labelled"])),
        read_number(tree["epsilon"]),
        None if answers is None else int(answers),
        read_number(tree["delta"]),
        int(tree["records_per_person"]),
        coins,
    )


def predictor_from_json(tree: Mapping[str, Any], schema: Schema) -> Predictor:
    """Undo `Predictor.to_json`."""
    reader = catalogue.readers().get(str(tree.get("kind")))
    if reader is None:
        raise NotCertified("The bundle holds a kind of predictor that this version does not know.")
    return reader(tree, schema)
