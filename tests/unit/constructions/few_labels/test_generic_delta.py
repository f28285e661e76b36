"""The generic learner whose sanitiser spends a delta: spent where it pays, refused where it does not."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from privpac import learn, verify
from privpac.concepts.finite import Finite
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.few_labels.generic import GenericLearner
from privpac.constructions.release.block_quantiles import BlockQuantiles
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError

ONE, DELTA = Fraction(1), Fraction(1, 10**6)


def schema(bits: int) -> Schema:
    key = {"name": "k", "kind": "numeric", "lower": 0, "upper": 2**bits - 1, "integer": True}
    return Schema.from_json({"label": "y", "columns": [key]})


def tables(bits: int) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    keys = np.random.default_rng(1).integers(0, 2 ** (bits - 1), 40_000)
    labels = (keys[:400] >= 2 ** (bits - 2)).astype(int).tolist()
    return {"k": keys[:400].tolist(), "y": labels}, {"k": keys[400:].tolist()}


def test_a_delta_lowers_the_promised_error_of_long_keys() -> None:
    concepts, size = Thresholds(schema(64), "k"), Size(300, 80_000)
    pure, spent = GenericLearner(concepts, ONE), GenericLearner(concepts, ONE, delta=DELTA)
    assert isinstance(spent.sanitisers(size.unlabelled)[0], BlockQuantiles)
    with_delta, without = spent.plan(size), pure.plan(size)
    assert with_delta is not None
    assert without is not None
    assert with_delta.error < without.error
    assert spent.certify(size).privacy.fact.delta == DELTA
    assert pure.certify(size).privacy.fact.delta == 0


@pytest.mark.parametrize("people", [1, 2])
def test_it_is_learnt_verified_and_charged_by_its_words(people: int, tmp_path: Path) -> None:
    labelled, others = tables(60)
    model = learn(
        labelled,
        schema=schema(60),
        concepts="thresholds:k",
        unlabelled=others,
        method="generic",
        epsilon=2,
        delta="0.000001",
        records_per_person=people,
    )
    assert 0 < Fraction(model.certificate["delta"]) <= DELTA
    model.save(tmp_path / "model.json")
    assert verify(tmp_path / "model.json").rebuilt


def test_a_delta_that_would_not_be_spent_is_refused() -> None:
    labelled, others = tables(16)
    with pytest.raises(ParameterError, match="promises no less"):
        learn(
            labelled,
            schema=schema(16),
            concepts="thresholds:k",
            unlabelled=others,
            method="generic",
            delta="0.000001",
        )


@pytest.mark.long
def test_too_small_an_error_is_refused_with_a_delta_too() -> None:
    labelled, others = tables(60)
    with pytest.raises(SizeError, match="would do"):
        learn(
            labelled,
            schema=schema(60),
            concepts="thresholds:k",
            unlabelled=others,
            method="generic",
            delta="0.000001",
            error=0.001,
        )


def test_a_finite_class_has_no_use_for_it() -> None:
    with pytest.raises(ParameterError, match="delta"):
        GenericLearner(Finite(schema(8), ("k >= 3", "k >= 5")), ONE, delta=DELTA)
