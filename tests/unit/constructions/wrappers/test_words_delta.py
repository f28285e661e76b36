"""`agnostic:WORD` around an (epsilon, delta) learner: it follows its records through independent draws of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from privpac import Schema, SeededCoins, Size
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.cuts.recursive import RecConcave
from privpac.constructions.request import Request
from privpac.constructions.words import learner_for
from privpac.constructions.wrappers.agnostic import Agnostic
from privpac.constructions.wrappers.calibrate import Declared, calibrate_agnostic
from privpac.constructions.wrappers.resample import Resampled
from privpac.data.engines.memory import MemorySample
from privpac.errors import ParameterError
from privpac.guarantee.facts import Against

BITS = 512
KEY = {"name": "k", "kind": "numeric", "lower": 0, "upper": 2**BITS - 1, "integer": True}
SCHEMA = Schema.from_json({"label": "y", "columns": [KEY]})
DELTA = Fraction(1, 10**6)
SIZE = Size(80_000)


def built(word: str, delta: Fraction = DELTA) -> Declared:
    learner = learner_for(word, Request(SCHEMA, SIZE, Fraction(1), delta))
    assert isinstance(learner, Declared)
    return learner


def test_noisy_labels_of_long_keys_are_promised_less_than_one_draw_would() -> None:
    """The number of bits hardly matters to the recursion; one draw pays for each of them."""
    recursive, plain = built("agnostic:recconcave:k"), built("agnostic:thresholds:k", Fraction(0))
    (one,) = (proof.fact for proof in recursive.certify(SIZE).accuracy)
    (other,) = (proof.fact for proof in plain.certify(SIZE).accuracy)
    assert one.against is other.against is Against.AGNOSTIC
    assert one.failure <= Fraction(1, 20)
    assert one.error < Fraction(7, 50) < Fraction(9, 50) < other.error


def test_without_the_draws_nothing_is_promised() -> None:
    agnostic = built("agnostic:recconcave:k").learner
    assert isinstance(agnostic, Agnostic)
    assert isinstance(agnostic.learner, Resampled)
    bare = replace(agnostic, learner=agnostic.learner.learner)
    assert bare.certify(SIZE).accuracy == ()


def test_the_rule_is_as_good_as_promised() -> None:
    learner = built("agnostic:recconcave:k")
    rng = np.random.default_rng(0)
    places = rng.integers(0, 10**6, SIZE.labelled)
    labels = ((places >= 400_000) ^ (rng.random(SIZE.labelled) < 0.1)).astype(int)
    step = 2**BITS // 10**6
    sample = MemorySample.of({"k": [int(place) * step for place in places]}, SCHEMA, y=labels.tolist())
    rule = learner.learn(sample, SeededCoins(1))
    (promised,) = (proof.fact.error for proof in learner.certify(sample.size).accuracy)
    answers = np.asarray(rule.predict(sample.block().cells))
    assert np.mean(answers != (places >= 400_000)) <= float(promised)


def test_a_delta_that_is_too_small_is_said_to_be() -> None:
    """The remedy can be followed: asking for the delta that is named succeeds."""
    cuts = Thresholds(SCHEMA, "k")

    def make(inner: Fraction) -> RecConcave:
        return RecConcave(cuts, inner, DELTA)

    with pytest.raises(ParameterError, match="which the learner inside loses") as refusal:
        calibrate_agnostic(make, size=SIZE, epsilon=Fraction(1))
    named = Fraction(str(refusal.value).partition("at least ")[2].partition(",")[0])
    calibrate_agnostic(make, size=SIZE, epsilon=Fraction(1), delta=named)
