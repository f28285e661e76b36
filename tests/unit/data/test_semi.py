"""Two-part samples: who has a label, what counts as none, and what is promised to each part."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas
import pytest

from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.data.semi import SemiSample
from privpac.errors import DataError, ParameterError, SchemaError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Privacy
from privpac.guarantee.parts import LABELLED, UNLABELLED
from privpac.guarantee.proof import Proof

SCHEMA = Schema((Numeric("age", 0, 99, integer=True),), "ill")
SIGNED = Schema((Numeric("age", 0, 99, integer=True),), "ill", classes=("-1", "1"))


def cells(sample: Any) -> list[int]:
    found: list[int] = sample.block("age").cells["age"].tolist()
    return found


@pytest.mark.parametrize(
    "labels",
    [
        [1, -1, 0, -1],
        [1.0, np.nan, 0.0, -1.0],
        ["1", "", "0", None],
        np.array([1, -1, 0, -1], dtype=np.int8),
        pandas.Series([1, None, 0, None], dtype="Int64"),
    ],
)
def test_empty_cells_and_minus_one_are_no_labels(labels: Any) -> None:
    sample = SemiSample.of({"age": [10, 20, 30, 40]}, SCHEMA, y=labels)
    assert sample.size == Size(2, unlabelled=2)
    assert (cells(sample.labelled), cells(sample.unlabelled)) == ([10, 30], [20, 40])
    assert sample.labelled.block().labels.tolist() == [1, 0]  # type: ignore[attr-defined]
    assert sample.schema is SCHEMA


def test_a_class_called_minus_one_is_a_class() -> None:
    sample = SemiSample.of({"age": [10, 20, 30], "ill": [1, -1, None]}, SIGNED)
    assert sample.size == Size(2, unlabelled=1)
    assert sample.labelled.block().labels.tolist() == [1, 0]  # type: ignore[attr-defined]


def test_further_records_come_behind_those_whose_label_is_missing() -> None:
    sample = SemiSample.of({"age": [1, 2], "ill": [1, ""]}, SCHEMA, unlabelled={"age": [3, 4]})
    assert sample.size == Size(1, unlabelled=3)
    assert cells(sample.unlabelled) == [2, 3, 4]
    assert SemiSample.of({"age": [1], "ill": [1]}, SCHEMA).size == Size(1)


def test_what_is_no_two_part_sample_is_refused() -> None:
    with pytest.raises(DataError) as caught:
        SemiSample.of({"age": [10], "ill": ["s3cret"]}, SCHEMA)
    assert caught.value.column == "ill"
    assert "s3cret" not in str(caught.value)
    with pytest.raises(DataError, match="2 records but 1 labels"):
        SemiSample.of({"age": [10, 20]}, SCHEMA, y=[1])
    named = MemorySample.of({"age": [1], "ill": [1]}, SCHEMA)
    bare = MemorySample.of({"age": [1]}, SCHEMA, labelled=False)
    with pytest.raises(ParameterError) as refused:
        SemiSample(bare, named)
    assert refused.value.parameter == "labelled and unlabelled"
    with pytest.raises(SchemaError, match="different schemas"):
        SemiSample(named, MemorySample.of({"age": [1]}, SIGNED, labelled=False))
    assert "10" not in repr(SemiSample.of({"age": [10], "ill": [1]}, SCHEMA))


# --- what is promised to each part ---


def two_parts() -> Proof[Privacy]:
    small, large = (rules.exponential_mechanism(ratio=Fraction(1, n)) for n in (2, 3))
    return rules.disjoint_parts(
        rules.on_part(large, part=LABELLED),
        rules.on_part(rules.declared(small, epsilon=Fraction(3, 2)), part=UNLABELLED),
    )


def certificate(proof: Proof[Privacy]) -> Certificate:
    return Certificate(proof, (), {"name": "test"}, labelled=5, unlabelled=7)


def test_each_part_has_its_own_number() -> None:
    for proof in (two_parts(), rules.declared(two_parts(), epsilon=Fraction(3))):
        parts = certificate(rules.assuming(proof, "something")).parts
        assert list(parts) == [LABELLED, UNLABELLED]
        assert parts[LABELLED].epsilon.factor == 9
        assert parts[UNLABELLED].epsilon.log == Fraction(3, 2)


def test_a_person_behind_records_of_several_parts_has_no_finer_number() -> None:
    assert certificate(rules.group(two_parts(), size=2)).parts == {}
    assert certificate(rules.exponential_mechanism(ratio=Fraction(1, 2))).parts == {}
