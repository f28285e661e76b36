"""Cuts on two scales: where they lie, how many there are, and that the schema decides where it speaks."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.scales import SCALES, cube_root, on_each_scale, on_scale
from privpac.data.schema import Schema
from privpac.errors import SchemaError


def _schema(*columns: dict[str, Any]) -> Schema:
    return Schema.from_json({"label": "y", "columns": list(columns)})


def _numeric(name: str, lower: float, upper: float, **options: Any) -> dict[str, Any]:
    return {"name": name, "kind": "numeric", "lower": lower, "upper": upper, **options}


def _cuts(schema: Schema, scale: Any, most: int) -> list[float]:
    return [float(schema.column(t.column).value(t.cell)) for t in on_scale(schema, scale, most=most).tests]


@pytest.mark.parametrize("value", [Fraction(0), Fraction(1, 10**30), Fraction(27, 8), Fraction(10**40)])
def test_the_cube_root_is_rounded_down(value: Fraction) -> None:
    root = Fraction(cube_root(value), 2**64)
    assert root**3 <= value < (root + Fraction(1, 2**64)) ** 3


def test_small_values_get_most_of_the_cuts() -> None:
    schema = _schema(_numeric("x", 0, 1000, integer=True))
    even, small = _cuts(schema, "even", 4), _cuts(schema, "mostly small", 4)
    assert even == [200, 400, 600, 800]
    assert small == [8, 64, 216, 512]  # 1000 times (1/5)^3, (2/5)^3, …


def test_cuts_lie_on_both_sides_of_zero() -> None:
    schema = _schema(_numeric("x", -1000, 8, integer=True))
    assert _cuts(schema, "mostly small", 5) == [-512, -216, -64, -8, 0]  # roots from -10 to 2, rounded up


def test_reals_are_cut_to_a_cell_of_the_grid() -> None:
    schema = _schema(_numeric("x", 0, 1))
    assert _cuts(schema, "mostly small", 3) == pytest.approx([1 / 64, 8 / 64, 27 / 64], abs=1e-9)


def test_a_column_without_zero_is_cut_evenly_unless_its_schema_says_otherwise() -> None:
    schema = _schema(_numeric("age", 18, 90, integer=True))
    assert on_each_scale(schema, most=10) == (on_scale(schema, "even", most=10),)
    named = _schema(_numeric("sum", 1, 1000, integer=True, scale="mostly small"))
    assert _cuts(named, "even", 2) == _cuts(named, "mostly small", 2) == [64, 343]


def test_a_named_scale_holds_whatever_is_asked_for() -> None:
    schema = _schema(_numeric("x", 0, 1000, integer=True, scale="even"))
    assert [_cuts(schema, scale, 4) for scale in SCALES] == [[200, 400, 600, 800]] * 2
    assert Schema.from_json(schema.stored()) == schema
    assert schema.stored()["columns"][0]["scale"] == "even"
    assert (
        Schema.from_json(schema.stored()).digest() != _schema(_numeric("x", 0, 1000, integer=True)).digest()
    )


def test_an_unknown_scale_is_refused() -> None:
    with pytest.raises(SchemaError, match="scale"):
        _schema(_numeric("x", 0, 10, scale="logarithmic"))


@pytest.mark.parametrize("most", [1, 7, 50, 10_000])
def test_wide_tables_get_fewer_cuts_and_never_none(most: int) -> None:
    schema = _schema(*(_numeric(f"x{i}", 0, 100) for i in range(10)), {"name": "b", "kind": "boolean"})
    for tests in on_each_scale(schema, most=most):
        assert len(tests.tests) <= max(most, 11)
        assert len(tests.groups) == 11


def test_short_ranges_and_categories_are_tested_whole() -> None:
    schema = _schema(
        _numeric("x", 0, 3, integer=True), {"name": "c", "kind": "categorical", "categories": ["a", "b", "c"]}
    )
    for scale in SCALES:
        assert on_scale(schema, scale, most=100) == Binarisation.of(schema)
