"""Which of two released models is better on these records: one noisy number.

Two separate estimates would pay twice and carry the noise of many counts; the difference of correct predictions moves
by at most 2 when one record is replaced, and only that difference is released.
Statement: epsilon-DP; the true difference on these records lies within the half-width with the stated confidence.
Source: register `geometric-noise`. Proof: docs/proofs/geometric-noise.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privpac.checker.check import check_certificate
from privpac.coins import Coins
from privpac.constructions.estimates.confusion import CONFIDENCE, compare, estimate_privacy
from privpac.data.engines.opening import EngineSample, open_sample, purchase_of, unread_records
from privpac.errors import SchemaError
from privpac.guarantee.certificate import Certificate, explain_certificate, for_people
from privpac.guarantee.ledger.ledger import Ledger
from privpac.model import Model
from privpac.numbers.exact import plain
from privpac.numbers.parameters import whole_positive
from privpac.releasing import Payment
from privpac.request import read_epsilon

__all__ = ["Comparison", "compare_models"]


@dataclass(frozen=True)
class Comparison:
    """Released: how many more of the `records` the first model gets right, as a noisy `difference`, give or take
    `half_width`; `certificate` is its stored certificate.

    >>> comparison = Comparison(120, 15, 2400, {})
    >>> comparison.better, comparison.to_json()["half_width"]
    ('first', 15)
    """

    difference: int
    half_width: int
    records: int
    certificate: Mapping[str, Any]

    @property
    def better(self) -> str | None:
        """'first', 'second', or None when the noise could have decided."""
        if abs(self.difference) <= self.half_width:
            return None
        return "first" if self.difference > 0 else "second"

    def __str__(self) -> str:
        verdict = f"the {self.better} model is better" if self.better else "no difference beyond the noise"
        return (
            f"{self.difference:+d} of {self.records} records right, give or take {self.half_width} "
            f"with confidence {float(CONFIDENCE):.2f}: {verdict} on these records"
        )

    def explain(self) -> str:
        """The comparison and its certificate, in words.

        >>> from privpac import compare_models, learn
        >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
        >>> table = {"age": [i % 120 for i in range(2400)], "ill": [int(i % 120 >= 60) for i in range(2400)]}
        >>> schema = {"label": "ill", "columns": [age]}
        >>> model = learn(table, schema=schema, concepts="thresholds:age", epsilon=1, random_state=1)
        >>> "epsilon 1" in compare_models(table, model, model, epsilon=1, random_state=1).explain()
        True
        """
        return f"{self}\n\n{explain_certificate(self.certificate)}"

    def to_json(self) -> dict[str, Any]:
        """The difference, its interval, which model is better, and the certificate, as JSON."""
        return {
            "difference": self.difference,
            "half_width": self.half_width,
            "confidence": plain(CONFIDENCE),
            "records": self.records,
            "better": self.better,
            "certificate": dict(self.certificate),
        }


def compare_models(
    table: object,
    first: Model,
    second: Model,
    *,
    epsilon: object,
    y: object = None,
    records_per_person: int = 1,
    ledger: Ledger | None = None,
    random_state: int | None = None,
) -> Comparison:
    """Compare two models of one schema on labelled records; the ledger is charged before the first coin is tossed.

    Parameters
    ----------
    table, y, records_per_person, ledger, random_state
        As for `learn`.
    first, second : Model
        Two models with the same schema, neither of them learnt from these records if the comparison is to be fair.
    epsilon : number
        Privacy of the one number that is released when a record is replaced.

    Raises
    ------
    ParameterError
        A number is out of its range; nothing was charged.
    SchemaError
        The models have different schemas, or the table does not fit theirs; nothing was charged.
    BudgetExceeded
        The ledger has not enough left; nothing was charged or computed.

    Examples
    --------
    >>> from privpac import compare_models, learn
    >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
    >>> table = {"age": [i % 120 for i in range(2400)], "ill": [int(i % 120 >= 60) for i in range(2400)]}
    >>> schema = {"label": "ill", "columns": [age]}
    >>> good = learn(table, schema=schema, concepts="thresholds:age", epsilon=1, random_state=1)
    >>> poor = learn(table, schema=schema, concepts="points:age", epsilon=1, random_state=1)
    >>> compare_models(table, good, poor, epsilon=1, random_state=1).better
    'first'
    """
    if first.schema != second.schema:
        raise SchemaError(
            "The two models were learnt under different schemas.",
            remedy="Compare models of one schema, or estimate each on its own.",
        )
    payment = Payment.by(ledger, random_state=random_state, owner="compare")
    amount = read_epsilon(epsilon, owner="compare")
    whole_positive(records_per_person, owner="compare", name="records_per_person")
    sample = open_sample(table, first.schema, y=y)

    def draw(coins: Coins) -> tuple[int, int]:
        share = amount / records_per_person
        return compare(sample, first.hypothesis, second.hypothesis, epsilon=share, coins=coins)

    return payment.release(
        _certificate(first, sample, amount, records_per_person),
        draw=draw,
        document=lambda numbers, final: Comparison(*numbers, sample.size.labelled, final.to_json()),
        verify=lambda comparison: check_certificate(comparison.certificate),
        note="compare two models",
        purchase=lambda: purchase_of("compare", first.schema, table=table),
        unread=unread_records(sample),
    )


def _certificate(
    model: Model, sample: EngineSample, epsilon: Fraction, records_per_person: int
) -> Certificate:
    proof = estimate_privacy(epsilon=epsilon / records_per_person, difference=True)
    from_data = model.schema.origin == "from_data"
    proof = for_people(proof, records_per_person=records_per_person, from_data=from_data)
    parameters = {"name": "comparison", "epsilon": plain(epsilon), "records_per_person": records_per_person}
    return Certificate(proof, (), parameters, sample.size.labelled)
