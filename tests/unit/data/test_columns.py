"""Columns: every record becomes a cell by itself, and `value` names the exact end of a cell."""

from __future__ import annotations

import math
import sqlite3
import warnings
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

import duckdb
import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.data.columns import Boolean, Categorical, Column, Date, Numeric
from privpac.data.numeric import _safe
from privpac.errors import DataError, SchemaError

SECRET = "s3cret"


def refused(column: Column, raw: object) -> DataError:
    """The error, after checking that nothing about it can show a record."""
    with pytest.raises(DataError) as caught:
        column.encode(raw)
    error = caught.value
    assert error.column == column.name
    assert f"'{column.name}'" in str(error)
    assert SECRET not in str(error)
    assert error.__context__ is None
    assert error.__cause__ is None
    return error


class TestIntegers:
    age = Numeric("age", 17, 90, integer=True)

    @pytest.mark.parametrize(
        "raw",
        [
            np.array([17, 18, 90, 3, 200]),
            np.array([17, 18, 90, 3, 200], dtype=np.uint8),
            np.array([17.0, 18.9, 90.5, -1e300, 1e300]),
            np.array([17.5, 18, 90, 3, 200], dtype=np.float32),
            ["17", " 18 ", "90.0", "-3", "1e3"],
            ["0x11", "18.9", "0x5A", "-0xff", "1e999999999"],
            [17, 18.2, Decimal("90.9"), False, np.int64(200)],
            np.array(["17", "18", "90", "3", "200"]),
            np.array([b"17", b"18", b"90", b"3", b"200"]),
        ],
    )
    def test_any_spelling_of_an_integer_gives_the_same_cell(self, raw: object) -> None:
        cells = self.age.encode(raw)
        assert cells.dtype == np.uint32
        assert cells.tolist() == [0, 1, 73, 0, 73]

    def test_fractions_round_down_so_that_comparisons_agree(self) -> None:
        column = Numeric("t", -5, 5, integer=True)
        raw = np.array([-4.5, -0.5, 0.5, 4.999])
        assert (
            column.encode(raw).tolist()
            == column.encode(["-4.5", "-0.5", "0.5", "4.999"]).tolist()
            == [0, 4, 5, 9]
        )
        assert column.encode(list(raw)).tolist() == [0, 4, 5, 9]

    def test_signed_64_bit_range(self) -> None:
        column = Numeric("key", -(2**63), 2**63 - 1, integer=True)
        raw = np.array([-(2**63), -1, 0, 2**63 - 1])
        assert column.encode(raw).tolist() == [0, 2**63 - 1, 2**63, 2**64 - 1]
        assert column.encode([str(v) for v in raw]).tolist() == [0, 2**63 - 1, 2**63, 2**64 - 1]

    def test_bounds_outside_of_the_stored_type(self) -> None:
        assert Numeric("k", 300, 400, integer=True).encode(np.array([1, 255], dtype=np.uint8)).tolist() == [
            0,
            0,
        ]
        assert Numeric("k", -400, -300, integer=True).encode(np.array([1, 2], dtype=np.uint8)).tolist() == [
            100,
            100,
        ]
        assert Numeric("k", -10, 2**64 - 20, integer=True).encode([2**64, -11, 0]).tolist() == [
            2**64 - 10,
            0,
            10,
        ]

    def test_doubles_against_bounds_that_doubles_cannot_hold(self) -> None:
        column = Numeric("k", 0, 2**64 - 1, integer=True)
        assert column.encode(np.array([2.0**64, 2.0**63, -1.0, 1.5])).tolist() == [2**64 - 1, 2**63, 0, 1]

    @pytest.mark.parametrize("bits", [65, 128, 300])
    def test_keys_beyond_64_bits_come_as_text(self, bits: int) -> None:
        top = 2**bits - 1
        column = Numeric("key", 0, hex(top), integer=True)  # type: ignore[arg-type]
        cells = column.encode([str(top), hex(top - 1), "7", str(10 * top), "-1"])
        assert cells.dtype == object
        assert cells.tolist() == [top, top - 1, 7, top, 0]
        assert column.size == 2**bits
        assert column.value(top - 1) == top - 1
        assert column.show(3) == column.sql_value(3) == "3"
        assert column.encode(np.array([5, 6], dtype=np.uint64)).tolist() == [5, 6]


class TestReals:
    radius = Numeric("radius", 5, 30)

    def test_grid(self) -> None:
        cells = self.radius.encode(np.array([5, 17.5, 30, -1, 99]))
        assert cells.dtype == np.uint32
        assert cells.tolist() == [0, 2**31, 2**32 - 1, 0, 2**32 - 1]
        assert Numeric("x", 0, 1, resolution=10).encode(["0.05", "0.95", "1"]).tolist() == [0, 9, 9]
        assert Numeric("x", 0, 1, resolution=2**40).encode([0.5]).dtype == np.uint64

    def test_any_number_type_gives_the_same_cell(self) -> None:
        column = Numeric("x", -1000, 1000)
        raw = np.array([-7, 0, 12], dtype=np.int8)
        for spelling in (
            raw,
            raw.astype(np.float32),
            raw.tolist(),
            [str(v) for v in raw],
            [Decimal(int(v)) for v in raw],
        ):
            assert column.encode(spelling).tolist() == column.encode(raw.astype(np.float64)).tolist()

    @given(
        low=st.floats(-1e9, 1e9),
        width=st.floats(1e-3, 1e9),
        resolution=st.sampled_from([2, 3, 1000, 2**32, 2**48]),
        part=st.floats(0, 1),
    )
    def test_value_is_the_smallest_double_of_its_cell(
        self, low: float, width: float, resolution: int, part: float
    ) -> None:
        column = Numeric("x", low, low + width, resolution=resolution)
        cell = min(int(part * resolution), resolution - 1)
        value = column.value(cell)
        assert low <= value <= low + width
        below = math.nextafter(value, -math.inf)
        reached, before = column.encode(np.array([value, below])).tolist()
        assert reached >= cell
        assert cell == 0 or before < cell

    @given(st.lists(st.floats(-100, 100), min_size=2), st.integers(2, 2**48))
    def test_cells_keep_the_order(self, values: list[float], resolution: int) -> None:
        cells = Numeric("x", -30.1, 70.7, resolution=resolution).encode(np.array(sorted(values)))
        assert (np.diff(cells.astype(np.int64)) >= 0).all()

    @given(
        st.integers(0, 2**32 - 1),
        st.sampled_from([(5.0, 30.0), (0.0, 1e-4), (-1e6, 1e6), (-3.0, -1.0), (1e9, 2e9)]),
    )
    def test_show_lies_in_the_cell(self, cell: int, ends: tuple[float, float]) -> None:
        column = Numeric("x", *ends)
        text = column.show(cell)
        assert column.encode([text]).tolist() == [cell]
        assert len(text) <= 20

    @pytest.mark.parametrize(
        "ends", [(0.05, 0.17), (10.0, 60.0), (-1e6, 1e6), (0.0, 1e-4), (1e9, 2e9), (-1.5, 3.25)]
    )
    def test_sql_compares_as_the_cells_do(self, ends: tuple[float, float]) -> None:
        column = Numeric("x", *ends)
        cuts = [int(cut) for cut in np.random.default_rng(2).integers(1, 2**32, 50)]
        x = np.array([[column.value(c), math.nextafter(column.value(c), -math.inf)] for c in cuts]).ravel()
        table = pandas.DataFrame({"x": x})
        with sqlite3.connect(":memory:") as lite:
            lite.execute("CREATE TABLE t (x REAL)")
            lite.executemany("INSERT INTO t VALUES (?)", [(value,) for value in x.tolist()])
            for cut in cuts:
                test = f"x >= {column.sql_value(cut)}"
                rows = duckdb.from_df(table).project(f"{test} AS up")
                expected = (column.encode(x) >= cut).tolist()
                assert rows.fetchnumpy()["up"].tolist() == expected
                assert [bool(row[0]) for row in lite.execute(f"SELECT {test} FROM t")] == expected

    def test_sql_writes_plain_numbers_where_every_database_reads_the_same(self) -> None:
        bmi = Numeric("bmi", 10, 60)
        assert bmi.sql_value(1616691693) == "28.82076837355271"
        assert Numeric("x", 0, 128).sql_value(2**31) == "64"
        for cell in range(1, 2**32, 2**27 + 12345):
            text = bmi.sql_value(cell)
            plain, _, exponent = text.partition("e")
            assert exponent in ("", "0")
            assert bool(exponent) == (int(plain.replace(".", "")) > 2**53)
            assert bmi.cell(text) == cell

    @pytest.mark.parametrize("close", [51.80859978760272, 26.74834365121127, 245424.5790595945])
    def test_sql_keeps_clear_of_the_middle_between_two_doubles(self, close: float) -> None:
        """SQLite 3.40 reads what Python writes for these as the double beside them."""
        text = _safe(close)
        assert float(text) == close
        assert sqlite3.connect(":memory:").execute(f"SELECT {text}").fetchone() == (close,)
        room = Fraction(math.ulp(close))
        assert abs(Fraction(text.removesuffix("e0")) - Fraction(close)) <= room * Fraction(31, 64)


class TestCategories:
    work = Categorical("work", ("Private", "State", "?"))

    def test_compared_as_text(self) -> None:
        column = Categorical("sex", ("1", "2"))
        for raw in (
            [1, 2, 1],
            ["1", "2", "1"],
            [1.0, 2.0, 1.0],
            np.array([1, 2, 1]),
            np.array([1.0, 2, 1], dtype=np.float32),
        ):
            assert column.encode(raw).tolist() == [0, 1, 0]
        assert column.encode(["1.0", "2", Decimal("1.0")]).tolist() == [0, 1, 0]
        assert Categorical("v", ("1.0", "2.0")).encode([1, 2.0]).tolist() == [0, 1]
        assert Categorical("v", ("1.0", "1")).encode(["1.0", "1", 1.0]).tolist() == [0, 1, 1]
        assert Categorical("v", ("True", "False")).encode(np.array([True, False])).tolist() == [0, 1]
        assert Categorical("v", (1, 2.5)).names == ("1", "2.5")  # type: ignore[arg-type]
        assert Categorical("b", ("x",), other="y").encode(np.array([b"x", b"z"])).tolist() == [0, 1]

    def test_unknown_category(self) -> None:
        error = refused(self.work, ["Private", SECRET])
        assert '"other"' in error.remedy
        column = Categorical("work", ("Private",), other="other")
        assert column.size == 2
        assert column.encode(["Private", SECRET, "other"]).tolist() == [0, 1, 1]
        assert Categorical("work", ("a", "b"), other="b").encode(["z", "a"]).tolist() == [1, 0]

    def test_missing_is_a_listed_category_or_its_own(self) -> None:
        refused(self.work, ["Private", ""])
        own = Categorical("work", ("Private",), missing="unknown")
        assert own.encode(["Private", None, "", float("nan"), "unknown"]).tolist() == [0, 1, 1, 1, 1]
        assert Categorical("work", ("a", "?"), missing="?").encode(["a", None]).tolist() == [0, 1]
        both = Categorical("work", ("a",), other="rest", missing="none")
        assert both.encode(["a", "x", None]).tolist() == [0, 1, 2]

    def test_for_people_and_databases(self) -> None:
        assert self.work.value(2) == self.work.show(2) == "?"
        assert Categorical("c", ("it's", "b")).sql_value(0) == "'it''s'"
        assert not self.work.ordered


class TestBooleans:
    def test_spellings(self) -> None:
        column = Boolean("smoker")
        raw = [True, False, 1, 0, 1.0, "true", "False", "YES", "no", "1", "0", "0.0", np.True_]
        assert column.encode(raw).tolist() == [1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1]
        assert column.encode(np.array([True, False])).tolist() == [1, 0]
        assert column.encode(np.array([0.0, 1.0])).tolist() == [0, 1]
        assert (column.size, column.ordered) == (2, True)
        assert (column.value(1), column.show(0), column.sql_value(1)) == (True, "false", "'true'")

    def test_refusals(self) -> None:
        refused(Boolean("smoker"), ["yes", SECRET])
        refused(Boolean("smoker"), [2])
        refused(Boolean("smoker"), ["yes", None])
        assert Boolean("smoker", missing=True).encode([None, "no"]).tolist() == [1, 0]


class TestDates:
    day = Date("seen", "2020-01-01", "2020-12-31")

    def test_days(self) -> None:
        raw = [
            "2020-01-02",
            "2020-01-02T23:59:59",
            date(2020, 1, 2),
            datetime(2020, 1, 2, 5),
            np.datetime64("2020-01-02"),
        ]
        assert self.day.encode(raw).tolist() == [1] * 5
        assert self.day.encode(np.array(["2019-05-05", "2021-01-01"], dtype="datetime64[ns]")).tolist() == [
            0,
            365,
        ]
        assert self.day.size == 366
        assert self.day.value(60) == self.day.show(60) == "2020-03-01"
        assert self.day.sql_value(60) == "'2020-03-01'"
        assert self.day.cell("2020-03-01") == 60

    def test_seconds_on_the_wall_clock_of_the_zone(self) -> None:
        column = Date(
            "at", "2020-01-01T00:00", "2020-12-31T23:59:59", with_time=True, timezone="Europe/Berlin"
        )
        assert column.size == 366 * 86400
        raw = ["2020-01-01T00:00:05.9", "2020-01-01T00:00:00Z", datetime(2019, 12, 31, 23, 0, 5, tzinfo=UTC)]
        assert column.encode(raw).tolist() == [5, 3600, 5]
        assert column.show(5) == "2020-01-01T00:00:05"
        assert column.sql_value(5) == "'2020-01-01 00:00:05'"
        assert column.encode(np.array(["2020-01-01T00:00:05.9"], dtype="datetime64[ms]")).tolist() == [5]

    def test_before_1970_rounds_down_too(self) -> None:
        column = Date("born", "1900-01-01", "1999-12-31")
        assert column.encode(np.array(["1969-12-31T23:59:59.5"], dtype="datetime64[ns]"))[0] == column.cell(
            "1969-12-31"
        )

    def test_words_that_mean_today_elsewhere_are_refused(self) -> None:
        refused(self.day, ["today"])
        refused(self.day, ["now"])

    def test_refusals(self) -> None:
        refused(self.day, [SECRET])
        refused(self.day, [5])
        refused(self.day, np.array([5]))
        refused(self.day, ["2020-01-01T00:00:00+02:00"])
        refused(self.day, ["2020-01-01", ""])
        refused(self.day, np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"))
        assert Date("d", "2020-01-01", "2020-12-31", missing="2020-01-03").encode(
            [None, "2020-01-02"]
        ).tolist() == [2, 1]

    def test_a_time_of_day_needs_a_zone(self) -> None:
        with pytest.raises(SchemaError) as refused:
            Date("at", "2020-01-01T00:00", "2020-12-31T00:00", with_time=True)
        assert refused.value.column == "at"
        with pytest.raises(SchemaError) as refused:
            Date("at", "2020-01-01", "2020-12-31", timezone="Nowhere/Nowhere")
        assert refused.value.column == "at"


@pytest.mark.parametrize("integer", [True, False])
@pytest.mark.parametrize(
    "raw",
    [
        np.array([1.0, np.nan]),
        np.array([1.0, np.inf]),
        np.array([1.0, -np.inf]),
        ["1", ""],
        ["1", "  "],
        ["1", None],
        ["1", "nan"],
        ["1", "inf"],
        [1, float("nan")],
        np.ma.MaskedArray([1, 2], mask=[False, True]),
        np.ma.MaskedArray([1.0, 2.0], mask=[False, True]),
    ],
)
def test_empty_nan_and_infinite_cells(raw: object, integer: bool) -> None:
    error = refused(Numeric("dose", 0, 10, integer=integer), raw)
    assert "NaN" in str(error)
    assert '"missing"' in error.remedy
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = Numeric("dose", 0, 10, integer=integer, missing=5)
        assert told.encode(raw).tolist() == told.encode(np.array([1.0, 5.0])).tolist()


def test_empty_cells_of_other_libraries() -> None:
    column = Numeric("dose", 0, 10, integer=True, missing=0)
    assert column.encode([pandas.NA, 3]).tolist() == [0, 3]
    assert Numeric("dose", 0, 10, missing=0).encode([pandas.NaT, pandas.NA]).tolist() == [0, 0]


@pytest.mark.parametrize("integer", [True, False])
@pytest.mark.parametrize(
    "raw", [[SECRET], [object()], [[1, 2]], np.array(["2020-01-01"], dtype="datetime64[D]")]
)
def test_cells_that_are_no_numbers(raw: object, integer: bool) -> None:
    refused(Numeric("dose", 0, 10, integer=integer), raw)


@pytest.mark.parametrize("raw", [np.zeros((2, 2)), np.array([1j]), np.array([np.timedelta64(1)])])
def test_arrays_that_are_no_columns(raw: object) -> None:
    refused(Numeric("dose", 0, 10), raw)


@pytest.mark.parametrize("integer", [True, False])
@pytest.mark.parametrize(
    "text", ["1_0", " 7 ", "+5", "007", "1e1", "٣", "9" * 400, "-9e400", "0.1e2", "1e-400", "-0.0"]
)
def test_odd_spellings_mean_the_same_alone_and_among_others(text: str, integer: bool) -> None:
    column = Numeric("k", -100, 100, integer=integer, missing=0)
    alone = column.encode([text]).tolist()
    for others in (["5"], [None], [2.5], ["0x1"] if integer else ["2"], [2**70], [Decimal(1)], [""]):
        assert column.encode([text, *others]).tolist()[:1] == alone


def test_a_huge_integer_text_clamps_instead_of_filling_memory() -> None:
    assert Numeric("k", 0, 10, integer=True).encode(["9" * 5000, "-" + "9" * 5000]).tolist() == [10, 0]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (Numeric("x", 0, 9, integer=True, missing=4), [3, "3", 2.5, None, "0x7", 99, -4.5, "1e3", True]),
        (Numeric("x", 0, 2**70, integer=True, missing=4), [3, "3", 2.5, None, "0x7", 2**80, -4.5]),
        (Numeric("x", 0, 9, missing=4), [3, "3", 2.5, None, 99, -4.5, float("inf")]),
        (
            Categorical("x", ("1", "b"), other="rest", missing="none"),
            [1, "1", 1.0, True, None, "b", "zz", b"b"],
        ),
        (Boolean("x", missing=False), [1, "yes", None, True, "0", 0.0]),
        (
            Date("x", "2020-01-01", "2020-12-31", timezone="UTC", missing="2020-05-05"),
            ["2020-02-02", None, date(2020, 3, 3), datetime(2020, 4, 4, tzinfo=UTC), "1999-01-01"],
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_cell_never_depends_on_the_other_records(column: Column, values: list[object]) -> None:
    alone = [int(column.encode([value])[0]) for value in values]
    assert column.encode(values).tolist() == alone
    assert column.encode(values[::-1]).tolist() == alone[::-1]
    assert all(0 <= cell < column.size for cell in alone)
    assert column.encode([]).tolist() == []


@pytest.mark.parametrize(
    "make",
    [
        lambda: Numeric("x", 5, 5),
        lambda: Numeric("x", 6, 5, integer=True),
        lambda: Numeric("x", 0, float("nan")),
        lambda: Numeric("x", 0, float("inf")),
        lambda: Numeric("x", 0, "9"),  # type: ignore[arg-type]
        lambda: Numeric("x", 0, True),
        lambda: Numeric("x", 0, 9.5, integer=True),
        lambda: Numeric("x", 0, "many", integer=True),  # type: ignore[arg-type]
        lambda: Numeric("x", -1e308, 1e308),
        lambda: Numeric("x", 0, 1e-310),
        lambda: Numeric("x", 0, 10**400),
        lambda: Numeric("x", 0, 1, resolution=1),
        lambda: Numeric("x", 0, 1, resolution=2**60),
        lambda: Numeric("x", 0, 1, missing=2),
        lambda: Categorical("x", ()),
        lambda: Categorical("x", ("a", "a")),
        lambda: Categorical("x", (1, "1")),  # type: ignore[arg-type]
        lambda: Categorical("x", ("a", "")),
        lambda: Boolean("x", missing="perhaps"),  # type: ignore[arg-type]
        lambda: Date("x", "2020-01-01", "2020-01-01"),
        lambda: Date("x", "2020-13-01", "2021-01-01"),
        lambda: Date("x", "2020-01-01", "2021-01-01", missing="2022-01-01"),
    ],
)
def test_contradictions_name_the_column_and_the_fix(make: object) -> None:
    with pytest.raises(SchemaError) as caught:
        make()  # type: ignore[operator]
    assert caught.value.column == "x"
    assert "'x'" in str(caught.value)
    assert caught.value.remedy
