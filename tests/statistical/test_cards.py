"""Rounds on capped weights lose what is promised, and hardly less."""

from __future__ import annotations

from fractions import Fraction

from privpac.audit.exact import audit
from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.card.cases import rounds_case
from privpac.constructions.card.formulas import loss_weighted_rounds
from privpac.constructions.card.learner import CardLearner
from privpac.constructions.card.weights import CAP
from privpac.constructions.cases import tiny_schema
from tests.statistical.claims import claims, scaled


@claims(loss_weighted_rounds=scaled("0.99"))
def test_four_equal_records_attain_the_loss_of_a_round() -> None:
    epsilon, schema = Fraction(10), tiny_schema(2)
    learner = CardLearner(schema, epsilon, Binarisation.of(schema), 1)
    promised = loss_weighted_rounds(1, ratio=learner.ratio, cap=CAP)
    finding = audit(rounds_case("one round", schema, 4, 1, epsilon=epsilon))
    assert finding.complete
    assert Fraction(999, 1000) * promised < finding.exact <= promised
