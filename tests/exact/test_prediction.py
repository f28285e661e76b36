"""Several answers at once, exactly: what may be kept between answers, and what must be fresh."""

from __future__ import annotations

from fractions import Fraction

import pytest

from privpac.audit.exact import audit
from privpac.audit.registry import tiny_schema
from privpac.audit.registry.prediction import ROWS, predictor_case
from privpac.concepts.thresholds import Thresholds
from privpac.guarantee.facts import Loss
from privpac.prediction.vote import Vote
from privpac.prediction.voters import Concepts
from privpac.theory.exact import ratio_for
from tests.exact.mutants import MUTANTS


@pytest.mark.parametrize("models", [1, 2, 3])
def test_a_whole_vote_loses_exactly_epsilon(models: int) -> None:
    vote = Vote(Concepts(Thresholds(tiny_schema(3), "a")), Fraction(1, 2), models)
    finding = audit(predictor_case("vote", vote, 3, (1,)))
    assert finding.complete
    assert finding.exact == 1 / ratio_for(Fraction(1, 2))


def test_votes_add_up_though_models_are_kept() -> None:
    """One model, two questions it answers alike: the loss of two answers is exactly twice that of one."""
    vote = Vote(Concepts(Thresholds(tiny_schema(3), "a")), Fraction(1, 2), 1)
    finding = audit(predictor_case("vote", vote, 2, (1,), (2,)))
    assert finding.exact == ratio_for(Fraction(1, 2)) ** -2
    assert Loss(factor=finding.exact) <= finding.claim.epsilon


def test_corollary_1_is_tight_and_a_hypothesis_that_answers_twice_loses_more_than_twice() -> None:
    """Thresholds on 4 cells, n = 5, k = 1, draw at 0.575, flip 0.05: certified 1.5261 for one answer."""
    one = audit(ROWS["flipped-answers"]())
    assert one.holds
    assert one.tightness is not None
    assert one.tightness > 0.9999
    reused = audit(MUTANTS["reuses_the_hypothesis"](), stop_when_broken=True)
    assert not reused.holds
    assert reused.exact is not None
    assert not Loss(factor=reused.exact) <= reused.claim.epsilon


def test_three_fresh_answers_stay_within_three_times_the_price_and_are_a_product() -> None:
    finding = audit(ROWS["flipped-three-answers"]())
    assert finding.complete
    assert finding.holds


@pytest.mark.parametrize("name", [name for name in ROWS if name.endswith("answers")])
def test_the_rows_ask_more_than_once(name: str) -> None:
    case = ROWS[name]()
    assert case.claim.epsilon.upper > Fraction(1)
