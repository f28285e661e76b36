"""The stable learner: what it certifies, and that it learns."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from privpac import SeededCoins, Size
from privpac.checker.check import check_certificate, check_derivation
from privpac.concepts.trees.trees import Trees
from privpac.constructions.stable.stable import Stable
from privpac.errors import ParameterError, SizeError
from tests.unit.constructions.stable.cuts import CUTS, SCHEMA, sample

FIFTH = Fraction(1, 5)


def test_the_certificate_says_both_and_is_derived_again() -> None:
    learner = Stable(CUTS, 50, FIFTH)
    certificate = learner.certify(Size(1000))
    assert certificate.delta == Fraction(1, 20)
    assert certificate.epsilon <= FIFTH + Fraction(1, 10**9)
    assert check_certificate(certificate.to_json()) >= 2
    proof = learner.stability(Size(1000))
    assert check_derivation(proof.to_json()) == 3
    said = 1 / 20 + 19 / 20 * math.tanh(float(FIFTH) / 4)
    assert abs(float(proof.fact.gamma) - said) <= 1e-11


def test_its_accuracy_is_that_of_its_statement() -> None:
    n, kept = 10**6, 20_000
    learner = Stable(CUTS, kept, Fraction(1))
    (proof,) = learner.certify(Size(n)).accuracy
    log = math.log(4 / float(learner.failure))
    deviation = math.sqrt(2 * math.log(n + 1) / n) + 2 * math.sqrt(log / (2 * n))
    said = deviation + (math.log(n + 1) + log) / kept + 2 * (math.log(kept + 1) + log) / n
    assert float(proof.fact.error) == pytest.approx(said, rel=1e-6)


def test_it_learns() -> None:
    data = sample(3000, noise=0.1)
    hypothesis = Stable(CUTS, 100, Fraction(1)).learn(data, SeededCoins(2))
    cells = data.block().cells["a"]
    assert np.mean(hypothesis.predict(data.block().cells) == (cells >= 2**19)) > 0.9
    assert Stable(CUTS, 100, Fraction(1)).outcomes == CUTS.size


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="labellings of given points"):
        Stable(Trees(replace(SCHEMA, classes=("a", "b", "c")), 1), 5, FIFTH)
    with pytest.raises(ParameterError, match="kept"):
        Stable(CUTS, 0, FIFTH)
    with pytest.raises(ParameterError, match="epsilon"):
        Stable(CUTS, 1, Fraction(0))
    with pytest.raises(SizeError, match="at least 5"):
        Stable(CUTS, 5, FIFTH).certify(Size(4))
