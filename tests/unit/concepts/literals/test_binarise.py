"""Public tests: from the schema alone, the same as comparing values, packed faithfully."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.concepts.literals.binarise import FEW, Binarisation, Group, Test
from privpac.data.columns import Boolean, Categorical, Date, Numeric
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SchemaError
from privpac.fields import Malformed
from tests.unit.tiny import mixed_columns, table


def cuts_of(column: object, **options: object) -> list[tuple[int, str]]:
    binarisation = Binarisation.of(Schema((column,), "y"), **options)  # type: ignore[arg-type]
    return [(test.cell, test.kind) for test in binarisation.tests]


def test_a_long_integer_range_is_cut_at_equal_steps_rounded_up() -> None:
    column = Numeric("age", 17, 90, integer=True)
    cells = [cell for cell, _ in cuts_of(column)]
    assert [column.value(cell) for cell in cells] == [-(-(17 * 32 + i * 73) // 32) for i in range(1, 32)]


def test_a_short_range_is_cut_at_every_value() -> None:
    assert cuts_of(Numeric("x", 1, 12, integer=True), cuts=3) == [(c, "at least") for c in range(1, 12)]


def test_duplicate_cuts_are_asked_once() -> None:
    cells = [cell for cell, _ in cuts_of(Numeric("x", 0, 19, integer=True))]
    assert cells == sorted(set(cells))
    assert len(cells) == 19


def test_reals_are_cut_at_the_fractions_of_their_range() -> None:
    column = Numeric("x", -4.0, 4.0)
    cells = [cell for cell, _ in cuts_of(column, cuts=15)]
    assert cells == [column.cell(-4 + i / 2) for i in range(1, 16)]


def test_dates_are_cut_like_integers() -> None:
    column = Date("day", "2020-01-01", "2020-12-31")
    cells = [cell for cell, _ in cuts_of(column, cuts=3)]
    assert cells == [-(-365 * i // 4) for i in (1, 2, 3)]


def test_one_test_a_category_and_one_for_two_values() -> None:
    assert cuts_of(Categorical("c", categories=("u", "v", "w"))) == [
        (0, "equals"),
        (1, "equals"),
        (2, "equals"),
    ]
    assert cuts_of(Categorical("c", categories=("u", "v"))) == [(1, "equals")]
    assert cuts_of(Boolean("b")) == [(1, "at least")]


def test_a_column_with_one_value_has_no_test() -> None:
    schema = Schema((Categorical("c", categories=("u",)), Boolean("b")), "y")
    assert Binarisation.of(schema).columns == ("b",)
    with pytest.raises(ParameterError, match="test"):
        Binarisation.of(Schema((Categorical("c", categories=("u",)),), "y"))


def test_given_cuts_and_categories_replace_the_default() -> None:
    schema = Schema((Numeric("x", 0, 100, integer=True), Categorical("c", categories=("u", "v", "w"))), "y")
    chosen = Binarisation.of(schema, cut_values={"x": [50, 10.5, 50], "c": ["w"]})
    assert chosen.tests == (Test("x", 11, "at least"), Test("x", 50, "at least"), Test("c", 2, "equals"))


@pytest.mark.parametrize("value", [0, 101, -3, "many", True])
def test_a_given_cut_outside_the_column_is_refused(value: object) -> None:
    schema = Schema((Numeric("x", 0, 100, integer=True),), "y")
    with pytest.raises(ParameterError, match="given"):
        Binarisation.of(schema, cut_values={"x": [value]})
    with pytest.raises(SchemaError, match="no column"):
        Binarisation.of(schema, cut_values={"z": [1]})


def test_wide_or_long_tables_get_fewer_cuts() -> None:
    narrow = Schema(tuple(Numeric(f"x{i}", 0.0, 1.0) for i in range(8)), "y")
    wide = Schema(tuple(Numeric(f"x{i}", 0.0, 1.0) for i in range(9)), "y")
    assert len(Binarisation.default(narrow, n=1000).tests) == 8 * 31
    assert len(Binarisation.default(wide, n=1000).tests) == 9 * 15
    assert len(Binarisation.default(narrow, n=10**6).tests) == 8 * 15


def test_bits_say_what_the_tests_say() -> None:
    for n in (1, 63, 64, 65, 200):
        schema, block = table((*mixed_columns(), Numeric("real", 0.0, 1.0)), n=n, seed=n)
        binarisation = Binarisation.of(schema, cuts=5)
        bits = binarisation.bits(block)
        assert bits.shape == (len(binarisation.tests), (n + 63) // 64)
        for row, test in zip(bits, binarisation.tests, strict=True):
            unpacked = [bool(int(row[i // 64]) >> (i % 64) & 1) for i in range(64 * len(row))]
            assert unpacked == [*test.holds(block.cells), *[False] * (64 * len(row) - n)]


def test_a_test_compares_values_as_the_column_does() -> None:
    column = Numeric("x", 0.0, 10.0)
    schema = Schema((column,), "y")
    test = Binarisation.of(schema, cuts=3).tests[1]
    raw = np.array([0.0, 4.999, 5.0, 5.001, 10.0])
    block = Block({"x": column.encode(raw)}, None, 5)
    assert test.holds(block.cells).tolist() == (raw >= 5).tolist()
    assert test.describe(schema) == "x >= 5"
    assert test.describe(schema, positive=False) == "x < 5"
    assert test.to_sql(schema, positive=False) == '"x" < 5'


def test_cells_beyond_64_bits_are_tested_exactly() -> None:
    column = Numeric("key", 0, 2**80, integer=True)
    schema = Schema((column,), "y")
    binarisation = Binarisation.of(schema, cuts=3)
    raw = [0, 2**78, 2**79 - 1, 2**79, 2**80]
    block = Block({"key": column.encode(raw)}, None, 5)
    assert binarisation.codes(block).tolist() == [[0, 1, 1, 2, 3]]


@pytest.mark.parametrize("cuts", [255, 256, 65_535, 65_536])
def test_codes_hold_any_number_of_cuts(cuts: int) -> None:
    column = Numeric("x", 0, 10**6, integer=True)
    binarisation = Binarisation.of(Schema((column,), "y"), cuts=cuts)
    block = Block({"x": column.encode([0, 500_000, 10**6])}, None, 3)
    middle = sum(test.cell <= 500_000 for test in binarisation.tests)
    assert binarisation.codes(block).tolist() == [[0, middle, cuts]]


def test_json_round_trip_and_refusal() -> None:
    for test in Binarisation.of(table(mixed_columns(), n=1)[0]).tests:
        assert Test.from_json(test.to_json()) == test
    with pytest.raises(Malformed, match="at least"):
        Test.from_json({"column": "x", "cell": "1", "kind": "near"})


def test_disordered_tests_are_refused() -> None:
    schema = Schema((Numeric("x", 0, 9, integer=True), Boolean("b")), "y")
    down = (Test("x", 5, "at least"), Test("x", 3, "at least"))
    apart = (Test("x", 3, "at least"), Test("b", 1, "at least"), Test("x", 5, "at least"))
    always = (Test("x", 0, "at least"),)
    for tests in (down, apart, always):
        with pytest.raises(ParameterError, match="ascending"):
            Binarisation(schema, tests)


def test_a_boolean_test_says_what_the_column_is() -> None:
    schema = Schema((Boolean("smoker"),), label="ill")
    for test, texts in (
        (Test("smoker", 1, "at least"), ("smoker is true", "smoker is false")),
        (Test("smoker", 1, "equals"), ("smoker is true", "smoker is false")),
        (Test("smoker", 0, "equals"), ("smoker is false", "smoker is true")),
    ):
        assert (test.describe(schema), test.describe(schema, positive=False)) == texts


@pytest.mark.parametrize("resolution", range(2, 40))
def test_a_grid_with_fewer_cells_than_cuts_is_cut_inside_its_range(resolution: int) -> None:
    column = {"name": "x", "kind": "numeric", "lower": 0, "upper": 1, "resolution": resolution}
    tests = Binarisation.of(Schema.from_json({"label": "y", "columns": [column]})).tests
    assert len(tests) == min(resolution - 1, 31)
    assert all(1 <= test.cell < resolution for test in tests)


@pytest.mark.long_cases(
    "65537",
)
@pytest.mark.parametrize("size", [2**16 + 1, 2**20 - 3, 2**32, 2**40 + 7, 2**64, 2**70])
@settings(max_examples=30)
@given(data=st.data())
def test_codes_are_the_cuts_at_or_below_a_cell(size: int, data: st.DataObject) -> None:
    """Large columns are looked up by their first bits; a cut within a stretch, at its ends, and far more cells."""
    inside = st.integers(1, size - 1)
    evenly = [size * i // 32 for i in range(1, 32)]
    cuts = tuple(sorted(data.draw(st.one_of(st.just(set(evenly)), st.sets(inside, min_size=2, max_size=40)))))
    near = st.sampled_from(cuts).flatmap(lambda cut: st.integers(max(cut - 2, 0), min(cut + 2, size - 1)))
    cells = data.draw(st.lists(st.one_of(near, st.integers(0, size - 1)), min_size=1, max_size=20))
    dtype = np.uint32 if size <= 2**32 else np.uint64 if size <= 2**64 else object
    values = np.array(cells * (2 + FEW // len(cells)), dtype=dtype)
    expected = [sum(cut <= cell for cut in cuts) for cell in cells]
    codes = Group("x", cuts, True).codes(values, size=size, dtype=np.uint8)
    assert codes.dtype == np.uint8
    assert codes[: len(cells)].tolist() == expected
    assert Group("x", cuts, True).codes(values[:1], size=size, dtype=np.uint8).tolist() == expected[:1]
