"""Relabelled votes (Theorem 20) and all records relabelled (Theorem 2): formulas, plans, refusals."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from privpac import MemorySample, Schema, SeededCoins, Size, Thresholds
from privpac.checker.check import check_certificate
from privpac.constructions.prediction.fresh_draws import FreshDraws
from privpac.constructions.prediction.net_relabelled import (
    NetRelabelled,
    excess_net_relabelled,
    net_failure,
    plan_net_relabelled,
    records_net_relabelled,
)
from privpac.constructions.prediction.relabelled_vote import (
    RelabelledVote,
    excess_relabelled_vote,
    plan_relabelled_vote,
    records_relabelled_vote,
)
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.facts import Loss
from privpac.numbers.exact import ratio_for
from tests.statistical.claims import claims, scaled

SCHEMA = Schema.from_json(
    {"label": "y", "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 9999, "integer": True}]}
)
CLASS = Thresholds(SCHEMA, "x")
TENTH = Fraction(1, 10)


def test_theorem_20_needs_what_is_known_or_less():
    found = records_relabelled_vote(0.1, failure=0.05, epsilon=1, vc=1)
    assert 0.95 * 125_214 < found <= 125_214
    predictor = RelabelledVote.planned(CLASS, Fraction(1), records=125_214)
    (accuracy,) = predictor.certify(Size(125_214)).accuracy
    assert accuracy.fact.error <= TENTH


def test_theorem_2_needs_less_than_a_coarser_search_found_and_far_more_than_corollary_1():
    found = records_net_relabelled(0.1, failure=0.05, epsilon=1, vc=1)
    assert 10**6 < found < 4_700_000
    plan = plan_net_relabelled(4_700_000, epsilon=1, failure=0.05, vc=1)
    assert plan is not None
    slip = Fraction(1, plan.kept + 1)
    excess = excess_net_relabelled(
        4_700_000,
        kept=plan.kept,
        ratio=ratio_for(plan.drawing / 2),
        models=101,
        inner=ratio_for(plan.inner),
        flip=plan.flip,
        slip=slip,
        failure=0.05,
        vc=1,
    )
    assert 0 < excess < Fraction(1, 2)
    (accuracy,) = FreshDraws.planned(CLASS, Fraction(1), records=18_434).certify(Size(18_434)).accuracy
    assert accuracy.fact.error <= TENTH


def test_the_reference_split_of_theorem_20_is_its_formula():
    n, kept, weight, models = 125_214, 20_785, Fraction(1, 2), 9
    labels, inner = Fraction(66, 1000), Fraction(81, 100)
    found = excess_relabelled_vote(
        n,
        kept=kept,
        ratio=ratio_for(labels / 2),
        mistake=1,
        weight=weight,
        models=models,
        inner=ratio_for(inner),
        failure=0.05,
        vc=1,
    )
    assert float(found) == pytest.approx(0.0998, abs=3e-4)


@claims(net_failure=scaled(0.999))
def test_net_failure_is_its_formula_and_at_most_one():
    found = net_failure(1000, kept=200, net=Fraction(1, 10), vc=1)
    assert float(found) == pytest.approx(1000**2 / 2 * math.exp(-19.9), rel=1e-9)
    assert net_failure(1000, kept=2, net=Fraction(0), vc=1) == 1


@pytest.mark.parametrize("epsilon", ["0.5", "1", "3"])
def test_plans_keep_their_epsilon(epsilon: str):
    price = Fraction(epsilon)
    for n in (200, 3000):
        certificate = RelabelledVote.planned(CLASS, price, records=n).certify(Size(n))
        assert certificate.privacy.premises[0].fact.epsilon <= Loss(log=price)
        assert check_certificate(certificate.to_json()) >= 3
    plan = plan_relabelled_vote(3000, epsilon=price, failure=0.05, vc=1)
    assert 1 <= plan.kept < 3000


def test_theorem_2_answers_at_a_size_where_it_is_pure():
    predictor = NetRelabelled.planned(CLASS, Fraction(2), records=4000)
    certificate = predictor.certify(Size(4000))
    assert certificate.delta == 0
    assert check_certificate(certificate.to_json()) >= 4
    xs = [i * 9999 // 3999 for i in range(4000)]
    sample = MemorySample.of({"x": xs}, SCHEMA, y=[int(x > 5000) for x in xs])
    block = MemorySample.of({"x": [10, 9990]}, SCHEMA, labelled=False).block()
    assert set(predictor.prepare(sample, SeededCoins(0)).answer(block.cells, SeededCoins(1)).tolist()) <= {
        0,
        1,
    }


def test_what_cannot_be_planned_is_refused():
    with pytest.raises(SizeError):
        NetRelabelled.planned(CLASS, Fraction(1, 100), records=20)
    with pytest.raises(SizeError, match="planned for"):
        FreshDraws.planned(CLASS, Fraction(1), records=100).certify(Size(99))
    with pytest.raises(SizeError, match="planned for"):
        RelabelledVote.planned(CLASS, Fraction(1), records=100).certify(Size(99))
    with pytest.raises(ParameterError):
        FreshDraws(CLASS, Fraction(1), kept=9, records=5, flip=TENTH, slip=TENTH)
    with pytest.raises(ParameterError):
        RelabelledVote(CLASS, Fraction(1), 5, 5, TENTH, Fraction(1), 1, TENTH)


def test_records_and_error_of_a_relabelled_vote_agree() -> None:
    from privpac.constructions.prediction.relabelled_vote import (
        error_relabelled_vote,
        records_relabelled_vote,
    )

    wishes = {"failure": "0.05", "epsilon": "1", "vc": 1}
    n = records_relabelled_vote("0.1", **wishes)
    assert n <= 125_214
    assert error_relabelled_vote(n, **wishes) <= Fraction(1, 10)
    assert error_relabelled_vote(n // 2, **wishes) > Fraction(1, 10)
    assert error_relabelled_vote(50, **wishes) == 1
