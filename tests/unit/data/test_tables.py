"""Tables: whatever a person holds becomes the same raw columns, and what cannot be read is one sentence."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

from privpac.data.columns import Boolean, Categorical, Date, Numeric
from privpac.data.tables import column_types, read, vector
from privpac.errors import DataError, SchemaError, SizeError

SECRET = "s3cret"
KEY = 2**53 + 1  # not a double

COLUMNS = {
    "age": Numeric("age", 0, 120, integer=True),
    "dose": Numeric("dose", 0, 8),
    "key": Numeric("key", 0, 2**64 - 1, integer=True, missing=0),
    "work": Categorical("work", ("a", "b"), missing="none"),
    "smokes": Boolean("smokes", missing=False),
    "seen": Date("seen", "2020-01-01", "2020-12-31", missing="2020-12-31"),
    "at": Date("at", "2020-01-01T00:00", "2020-01-31T00:00", with_time=True, timezone="Europe/Berlin"),
}
TABLE: dict[str, list[Any]] = {
    "age": [40, 50, 60],
    "dose": [0.5, 1.5, 2.25],
    "key": [KEY, None, 7],
    "work": ["a", None, "b"],
    "smokes": [True, None, False],
    "seen": [date(2020, 1, 2), None, date(2020, 2, 1)],
    "at": [datetime(2020, 1, day, 12, tzinfo=UTC) for day in (1, 2, 3)],
}
CELLS = {name: column.encode(TABLE[name]).tolist() for name, column in COLUMNS.items()}


def arrow() -> Any:
    return pyarrow.table(TABLE)


def to_csv(path: Path, *, end: str = "\n", mark: str = ",") -> Path:
    lines = [mark.join(TABLE)]
    for index in range(3):
        row = [TABLE[name][index] for name in TABLE]
        lines.append(mark.join("" if cell is None else str(cell) for cell in row))
    text = end.join([*lines, ""])
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_bytes(text.encode())
    return path


def to_parquet(path: Path) -> Path:
    pyarrow.parquet.write_table(arrow(), path)
    return path


def nullable() -> Any:
    kinds = {"age": "Int64", "dose": "Float64", "key": "UInt64", "work": "string", "smokes": "boolean"}
    return pandas.DataFrame({name: pandas.Series(TABLE[name], dtype=kinds.get(name)) for name in TABLE})


SOURCES: dict[str, Callable[[Path], Any]] = {
    "dict": lambda _: TABLE,
    "csv": lambda folder: to_csv(folder / "t.csv"),
    "csv text path": lambda folder: str(to_csv(folder / "t.csv")),
    "csv windows": lambda folder: to_csv(folder / "t.csv", end="\r\n"),
    "csv semicolons": lambda folder: to_csv(folder / "t.csv", mark=";"),
    "tsv": lambda folder: to_csv(folder / "t.tsv", mark="\t"),
    "csv.gz": lambda folder: to_csv(folder / "t.csv.gz"),
    "wildcards": lambda folder: to_csv(folder / "t[1].csv"),
    "parquet": lambda folder: to_parquet(folder / "t.parquet"),
    "pyarrow": lambda _: arrow(),
    "polars": lambda _: polars.DataFrame(TABLE),
    "polars lazy": lambda _: polars.DataFrame(TABLE).lazy(),
    "pandas": lambda _: pandas.DataFrame(
        {name: pandas.Series(values, dtype=object) for name, values in TABLE.items()}
    ),
    "pandas arrow": lambda _: arrow().to_pandas(types_mapper=pandas.ArrowDtype),
    "pandas nullable": lambda _: nullable(),
}


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_same_cells(source: str, tmp_path: Path) -> None:
    table = read(SOURCES[source](tmp_path), columns=tuple(reversed(COLUMNS)))
    assert table.n == 3
    assert table.names == tuple(reversed(COLUMNS))
    for name, column in COLUMNS.items():
        assert column.encode(table.column(name)).tolist() == CELLS[name], name


@pytest.mark.parametrize("source", [name for name in SOURCES if "pandas" not in name or "arrow" in name])
def test_types_without_values(source: str, tmp_path: Path) -> None:
    found = column_types(SOURCES[source](tmp_path))
    assert list(found) == list(COLUMNS)
    if source != "dict":
        assert list(found.values())[:5] == ["integer", "real", "integer", "text", "boolean"]
        assert found["seen"] == "date"
        assert found["at"].startswith("datetime")


def test_categories_of_frames() -> None:
    frame = pandas.DataFrame({"c": pandas.Categorical([2, 1, 2])})
    assert Categorical("c", ("1", "2")).encode(read(frame).column("c")).tolist() == [1, 0, 1]
    table = polars.DataFrame({"c": ["b", "a"]}, schema={"c": polars.Categorical})
    assert Categorical("c", ("a", "b")).encode(read(table).column("c")).tolist() == [1, 0]


def test_wide_integers_and_decimals_of_parquet(tmp_path: Path) -> None:
    top = 10**37 + 1
    path = tmp_path / "t.parquet"
    table = pyarrow.table({"k": pyarrow.array([Decimal(top), Decimal(5)], pyarrow.decimal128(38, 0))})
    pyarrow.parquet.write_table(table, path)
    column = Numeric("k", 0, 2**128 - 1, integer=True)
    for source in (path, table, polars.from_arrow(table)):
        assert column.encode(read(source).column("k")).tolist() == [top, 5]


def test_128_bit_keys_of_csv(tmp_path: Path) -> None:
    top = 2**128 - 1
    (tmp_path / "t.csv").write_text(f"k\n{top}\n{hex(top - 1)}\n", encoding="utf-8")
    column = Numeric("k", 0, top, integer=True)
    assert column.encode(read(tmp_path / "t.csv").column("k")).tolist() == [top, top - 1]


def test_csv_details(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("\ufeffa, b ,A\n1,2,3\n".encode())
    assert read(path).names == ("a", "b", "A")
    assert read(path).column("a").tolist() == ["1"]
    path.write_text('a,"b,c",A\n1,"x ""y"", z",3\n2,"line\nbreak",4', encoding="utf-8")
    table = read(path)
    assert table.names == ("a", "b,c", "A")
    assert table.column("b,c").tolist() == ['x "y", z', "line\nbreak"]
    assert (table.column("a").tolist(), table.column("A").tolist()) == (["1", "2"], ["3", "4"])


def test_arrays() -> None:
    rows = np.array([[1, 2], [3, 4], [5, 6]])
    assert read(rows).names == ("x0", "x1")
    table = read(rows, columns=("a", "b"))
    assert table.column("b").tolist() == [2, 4, 6]
    assert np.shares_memory(table.column("b"), rows)
    assert read([[1, "u"], [2, "v"]]).column("x1").tolist() == ["u", "v"]
    structured = np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")])
    assert read(structured).column("b").tolist() == [2.5]
    with pytest.raises(SchemaError, match=r"2 columns, but 3 are needed.*a, b, c"):
        read(rows, columns=("a", "b", "c"))
    for wrong in (np.zeros(3), np.zeros((2, 2, 2)), [1, 2], [[1], [2, 3]]):
        with pytest.raises(DataError, match="dimension"):
            read(wrong)


def test_vectors() -> None:
    for values in (
        [1, 2],
        (1, 2),
        pandas.Series([1, 2]),
        polars.Series([1, 2]),
        pyarrow.chunked_array([[1, 2]]),
    ):
        assert vector(values).tolist() == [1, 2]
    gaps = vector(polars.Series([KEY, None]))
    assert np.ma.getmaskarray(gaps).tolist() == [False, True]
    assert int(gaps[0]) == KEY
    for wrong in ("text", 5, None):
        with pytest.raises(DataError):
            vector(wrong)


class TestRefusals:
    @staticmethod
    def of(source: object, kind: type[Exception], match: str, columns: tuple[str, ...] | None = None) -> None:
        with pytest.raises(kind, match=match) as caught:
            read(source, columns=columns)
        assert SECRET not in str(caught.value)
        assert caught.value.__context__ is None
        assert caught.value.remedy  # type: ignore[attr-defined]

    def test_missing_columns_are_all_named(self, tmp_path: Path) -> None:
        for source in (TABLE, to_csv(tmp_path / "t.csv"), to_parquet(tmp_path / "t.parquet"), arrow()):
            self.of(source, SchemaError, r"no columns 'agee', 'zz'.*'age'", ("agee", "dose", "zz"))

    def test_duplicate_names(self, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_text("a,b,a\n1,2,3\n", encoding="utf-8")
        table = pyarrow.Table.from_arrays([pyarrow.array([1])] * 2, names=["a", "a"])
        pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
        frame = pandas.DataFrame([[1, 2]], columns=["a", "a"])
        for source in (tmp_path / "t.csv", tmp_path / "t.parquet", table, frame):
            self.of(source, SchemaError, "two columns named 'a'")

    def test_empty_tables(self, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_text("a,b\n", encoding="utf-8")
        (tmp_path / "nothing.csv").write_text("", encoding="utf-8")
        pyarrow.parquet.write_table(
            pyarrow.table({"a": pyarrow.array([], pyarrow.int64())}), tmp_path / "t.parquet"
        )
        for source in (
            tmp_path / "t.csv",
            tmp_path / "nothing.csv",
            tmp_path / "t.parquet",
            {"a": []},
            np.zeros((0, 2)),
            pandas.DataFrame({"a": []}),
        ):
            self.of(source, SizeError, "no records|no header")

    def test_files_that_are_not_there(self, tmp_path: Path) -> None:
        self.of(tmp_path / "nowhere.csv", DataError, r"no file .*nowhere\.csv")
        self.of(tmp_path, DataError, "is a folder")
        (tmp_path / "t.xlsx").write_text("x", encoding="utf-8")
        self.of(tmp_path / "t.xlsx", DataError, r"\.csv.*\.parquet")

    def test_truncated_and_damaged_files(self, tmp_path: Path) -> None:
        lines = "".join(f"{SECRET}{index},{index * 7919 % 1000}\n" for index in range(20_000))
        whole = gzip.compress(f"a,b\n{lines}".encode())
        (tmp_path / "cut.csv.gz").write_bytes(whole[: len(whole) // 2])
        (tmp_path / "not.csv.gz").write_bytes(b"no gzip at all")
        (tmp_path / "short.csv").write_text(f"a,b\n{SECRET},2\n{SECRET}\n", encoding="utf-8")
        (tmp_path / "long.csv").write_text(f"a,b\n{SECRET},2\n{SECRET},1,2\n", encoding="utf-8")
        (tmp_path / "quote.csv").write_text(f'a,b\n"{SECRET},2\n', encoding="utf-8")
        (tmp_path / "binary.csv").write_bytes(b"a,b\n\xff\xfe,\x80\n")
        stored = to_parquet(tmp_path / "cut.parquet").read_bytes()
        (tmp_path / "cut.parquet").write_bytes(stored[: len(stored) // 2])
        for name in (
            "cut.csv.gz",
            "not.csv.gz",
            "short.csv",
            "long.csv",
            "quote.csv",
            "binary.csv",
            "cut.parquet",
        ):
            self.of(tmp_path / name, DataError, rf"The file .*{name} cannot be read")

    def test_columns_of_different_length(self) -> None:
        self.of({"a": [1], "b": [1, 2]}, DataError, "'a' has 1 records and column 'b' has 2")

    def test_nested_columns(self, tmp_path: Path) -> None:
        table = pyarrow.table({"l": [[1], [2]], "s": [{"u": 1, "v": 2}] * 2, "a": [1, 2]})
        pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
        found = read(tmp_path / "t.parquet")
        assert found.names == ("l", "s", "a")
        assert found.column("a").tolist() == [1, 2]
        for name in ("l", "s"):
            with pytest.raises(DataError, match=f"'{name}' has the type"):
                found.column(name)

    @pytest.mark.parametrize("source", [5, None, object(), {1, 2}])
    def test_things_that_are_no_tables(self, source: object) -> None:
        self.of(source, DataError, "pandas, polars")
