"""Usual values of a column: no test lies elsewhere, whatever lays the tests, and nothing else changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privpac
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.round_cuts import on_round_numbers
from privpac.concepts.literals.scales import SCALES, on_scale
from privpac.data.columns import Numeric
from privpac.data.schema import Schema
from privpac.errors import NotCertified, SchemaError
from privpac.model import digest
from privpac.verification import verify_document


def _schema(lower: float, upper: float, **options: Any) -> Schema:
    column = {"name": "x", "kind": "numeric", "lower": lower, "upper": upper, **options}
    return Schema.from_json({"label": "y", "columns": [column]})


def _all_tests(schema: Schema) -> list[Binarisation]:
    return [
        Binarisation.of(schema),
        on_round_numbers(schema),
        *(on_scale(schema, scale, most=most) for scale in SCALES for most in (4, 100)),
    ]


def _values(tests: Binarisation) -> list[Any]:
    return [tests.schema.column(test.column).value(test.cell) for test in tests.tests]


def test_a_card_cuts_at_round_numbers_between_usual_values() -> None:
    pressure = _schema(80, 300, usual=[100, 180])
    shown = [pressure.column("x").show(test.cell) for test in on_round_numbers(pressure).tests]
    assert shown == [str(value) for value in range(102, 180, 2)]


def test_a_tree_cuts_evenly_between_usual_values() -> None:
    tests = on_scale(_schema(0, 1000, integer=True, usual=[100, 200]), "even", most=4)
    assert _values(tests) == [120, 140, 160, 180]


def test_cuts_lie_close_to_zero_only_where_zero_is_usual() -> None:
    far, near = (_schema(0, 1000, integer=True, usual=ends) for ends in ([100, 200], [0, 125]))
    assert on_scale(far, "mostly small", most=4) == on_scale(far, "even", most=4)
    assert _values(on_scale(near, "mostly small", most=4)) == [1, 8, 27, 64]
    named = _schema(0, 1000, integer=True, usual=[0, 125], scale="even")
    assert _values(on_scale(named, "mostly small", most=4)) == [25, 50, 75, 100]


def test_a_short_usual_range_is_cut_at_each_of_its_values() -> None:
    schema = _schema(0, 1000, integer=True, usual=[3, 6])
    for tests in (Binarisation.of(schema), on_round_numbers(schema), on_scale(schema, "even")):
        assert _values(tests) == [4, 5, 6]


@given(
    lower=st.integers(-(10**6), 10**6),
    gaps=st.tuples(st.integers(0, 10**5), st.integers(1, 10**5), st.integers(0, 10**5)),
    integer=st.booleans(),
    scale=st.sampled_from([None, "even", "mostly small"]),
)
def test_every_test_lies_between_usual_values(
    lower: int, gaps: tuple[int, int, int], integer: bool, scale: str | None
) -> None:
    low, high = lower + gaps[0], lower + gaps[0] + gaps[1]
    schema = _schema(lower, high + gaps[2], integer=integer, usual=[low, high], scale=scale)
    for tests in _all_tests(schema):
        assert all(low < value <= high for value in _values(tests))


@given(lower=st.integers(-500, 500), width=st.integers(1, 1000), integer=st.booleans())
def test_usual_values_that_are_the_bounds_change_nothing(lower: int, width: int, integer: bool) -> None:
    plain = _schema(lower, lower + width, integer=integer)
    told = _schema(lower, lower + width, integer=integer, usual=[lower, lower + width])
    for one, other in zip(_all_tests(plain), _all_tests(told), strict=True):
        assert one.tests == other.tests


@pytest.mark.parametrize(
    ("usual", "problem"),
    [
        (5, "not a pair"),
        ("1,5", "not a pair"),
        ([1, 2, 3], "not a pair"),
        ([1, "many"], "usual is not a finite number"),
        ([5, 1], "not a part of 0 to 10"),
        ([3, 3], "not a part of 0 to 10"),
        ([-1, 5], "not a part of 0 to 10"),
        ([5, 11], "not a part of 0 to 10"),
        ([3, 3.0001], "no two steps of the grid"),
    ],
)
def test_usual_values_that_cannot_be_are_refused(usual: object, problem: str) -> None:
    with pytest.raises(SchemaError, match=problem):
        _schema(0, 10, resolution=100, usual=usual)


def test_they_are_kept_and_said_in_words() -> None:
    schema = _schema(80, 300, usual=(100, 180))
    column = schema.columns[0]
    assert isinstance(column, Numeric)
    assert schema.stored()["columns"][0]["usual"] == [100, 180]
    assert Schema.from_json(schema.to_json()) == schema
    assert "; most lie between 100 and 180." in column.in_words()
    assert schema.digest() != _schema(80, 300).digest()
    assert "usual" not in _schema(80, 300).stored()["columns"][0]


def test_other_kinds_have_no_usual_values() -> None:
    with pytest.raises(SchemaError, match='"usual" has no meaning for a boolean column'):
        Schema.from_json({"label": "y", "columns": [{"name": "b", "kind": "boolean", "usual": [0, 1]}]})


@pytest.fixture(scope="module", params=["card:2", "auto"])
def model(request: pytest.FixtureRequest) -> privpac.Model:
    schema = _schema(0, 1000, integer=True, usual=[40, 60])
    x = np.random.default_rng(1).integers(30, 70, 600)
    table = {"x": x, "y": (x >= 50).astype(int)}
    return privpac.learn(table, schema=schema, concepts=request.param, epsilon=3, random_state=1)


def test_unusual_values_are_answered(model: privpac.Model) -> None:
    assert model.predict({"x": [0, 1000]}).tolist() == [0, 1]


def test_a_model_of_usual_values_is_verified(model: privpac.Model) -> None:
    assert verify_document(model.to_json()).epsilon == "3"


def test_a_model_whose_usual_values_are_edited_is_refused(model: privpac.Model) -> None:
    tree = model.to_json()
    (column,) = tree["schema"]["columns"]
    column["usual"] = [70, 90]
    with pytest.raises(NotCertified):
        verify_document({**tree, "digest": digest(tree)})
