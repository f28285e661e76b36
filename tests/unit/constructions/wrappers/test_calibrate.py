"""Targets are hit: the declared decimals, with the largest inner epsilon that keeps them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from privpac import Occam, SeededCoins, Size, Thresholds
from privpac.checker.check import check_certificate
from privpac.constructions.base import Learner
from privpac.constructions.wrappers.agnostic import Agnostic
from privpac.constructions.wrappers.calibrate import STEP, calibrate, calibrate_agnostic
from privpac.constructions.wrappers.resample import Resampled
from privpac.constructions.wrappers.subsample import Subsampled
from privpac.errors import ParameterError
from privpac.guarantee.facts import Loss
from tests.unit.constructions.wrappers.test_wrappers import CUTS, sample

ONE = Fraction(1)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
@pytest.mark.parametrize("kind", ["subsampled", "resampled", "both"])
def test_a_stack_hits_its_target(kind: str, epsilon: str) -> None:
    def build(inner: Fraction) -> Learner:
        base = Occam(CUTS, inner)
        if kind == "subsampled":
            return Subsampled(base, 100)
        return Resampled(base, 50) if kind == "resampled" else Subsampled(Resampled(base, 50), 100)

    target = Fraction(epsilon)
    found = calibrate(build, size=Size(1000), epsilon=target)
    certificate = found.certify(Size(1000))
    assert certificate.epsilon == target
    assert check_certificate(certificate.to_json()) >= 3
    true = found.learner.certify(Size(1000)).privacy.fact.epsilon
    assert Loss(log=target - Fraction(1, 10**7)) <= true <= Loss(log=target)


@pytest.mark.parametrize("ranks", [False, True])
@pytest.mark.parametrize("epsilon", ["0.5", "2"])
def test_an_agnostic_learner_hits_its_target_at_the_best_split(epsilon: str, ranks: bool) -> None:
    target = Fraction(epsilon)
    found = calibrate_agnostic(lambda inner: Occam(CUTS, inner), size=Size(1000), epsilon=target, ranks=ranks)
    assert found.certify(Size(1000)).epsilon == target
    inner = found.learner
    assert isinstance(inner, Agnostic)
    assert isinstance(inner.learner, Occam)
    more = Agnostic(Occam(CUTS, inner.learner.epsilon + 2 * STEP), inner.kept, inner.epsilon, ranks=ranks)
    assert not more.certify(Size(1000)).privacy.fact.epsilon <= Loss(log=target)
    assert found.learn(sample(1000), SeededCoins(1)).columns == ("a",)
    assert found.concepts == CUTS
    assert found.outcomes == CUTS.size


def test_an_impossible_target_is_refused() -> None:
    with pytest.raises(ParameterError, match="outer parts"):
        calibrate(
            lambda inner: Agnostic(Occam(CUTS, inner), 10, ONE), size=Size(100), epsilon=Fraction(1, 10)
        )
    assert Thresholds is type(CUTS)
