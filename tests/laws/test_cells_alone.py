"""What a record becomes depends on that record alone: every batch is read as its records are one at a time.

Otherwise one person's value could change the cells of others, and no certificate would cover that.
"""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.data import files, frames, numeric
from privpac.data.columns import Boolean, Categorical, Date, Numeric
from privpac.data.engines.database import database_sample
from privpac.data.engines.files import files_at, files_sample
from privpac.data.engines.memory import MemorySample
from privpac.data.engines.sharded import ShardedSample
from privpac.data.schema import Schema
from privpac.data.tables import read, vector
from privpac.errors import DataError

Encode = Callable[[Any], Any]

COLUMNS = (
    Numeric("age", 0, 120, integer=True, missing=40),
    Numeric("key", -(2**62), 2**63, integer=True, missing=0),
    Numeric("wide", -(2**90), 2**100, integer=True, missing=7),
    Numeric("dose", -1.5, 3.25, missing=0.5),
    Categorical("ward", ("a", "b c", "1", "2.5", "True", "2020-01-02"), other="other", missing="none"),
    Boolean("smokes", missing=False),
    Date("seen", "2019-12-31", "2020-12-31", missing="2020-06-01"),
    Date(
        "at",
        "2020-01-01T00:00",
        "2020-01-31T00:00",
        with_time=True,
        timezone="Europe/Paris",
        missing="2020-01-02",
    ),
)
SCHEMA = Schema(COLUMNS, "ill", ("no", "1", "true"))
STRICT = (
    Numeric("age", 0, 120, integer=True),
    Numeric("dose", -1.5, 3.25),
    Categorical("ward", ("a", "1")),
    Boolean("smokes"),
    Date("seen", "2019-12-31", "2020-12-31"),
)
READERS: dict[str, Encode] = {
    **{column.name: column.encode for column in COLUMNS},
    **{f"{column.name}, nothing missing": column.encode for column in STRICT},
    "label": SCHEMA.label_cells,
    "label, if any": SCHEMA.labels_if_any,
}

EMPTY: list[Any] = [
    *(None, float("nan"), np.float32("nan"), Decimal("NaN"), Decimal("sNaN"), pd.NA, pd.NaT, "", "  ", b""),
    *(np.datetime64("NaT"), np.datetime64("NaT", "ns"), np.timedelta64("NaT"), np.timedelta64("NaT", "s")),
]
NUMBERS: list[Any] = [
    *(0, 1, 2.5, -1, 119.5, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**400, -(10**5000), 1e300, float("inf")),
    *(True, False, np.bool_(True), np.int8(-3), np.uint64(2**63 + 1), np.float32(0.1), np.float64(2.0)),
    *(Decimal("2.5"), Decimal(2**53 + 1), Decimal("1e999999999"), Fraction(5, 2), Fraction(10**400)),
]
TEXTS: list[Any] = [
    *(
        "a",
        "b c",
        "1",
        "1.0",
        "007",
        "1e5",
        "0x10",
        "nan",
        "inf",
        "NULL",
        "NA",
        "None",
        "1_000",
        "1,000",
        " 7 ",
    ),
    *("2.5", "2,5", "true", "TRUE", "yes", "no", "-1", str(2**53 + 1), str(2**100), "9" * 5000, "2020-01-02"),
    *("2020-01-02T03:04:05+02:00", "2020-01-02 03:04", "02/01/2020", "20200102", "١", "x"),
    *(b"1", b"a", b"\xff", np.str_("1"), np.str_(str(2**53 + 1)), np.bytes_(b"1")),
]
MOMENTS: list[Any] = [
    *(
        date(2020, 1, 2),
        datetime(2020, 1, 2, 3, 4, 5, 6),
        datetime(2020, 1, 2, tzinfo=UTC),
        datetime(1, 1, 1),
    ),
    *(
        datetime(2020, 1, 2, tzinfo=timezone(timedelta(hours=9))),
        pd.Timestamp("2020-01-02 01:02:03.123456789"),
    ),
    *(np.datetime64("2020-01-02"), np.datetime64("1969-12-31T23:59:59.5", "ns"), np.datetime64(10**15, "Y")),
    *(np.datetime64("2020-01-02T03", "h"), np.timedelta64(5, "s"), timedelta(1), pd.Timedelta("1s")),
]
ODD: list[Any] = [1 + 2j, np.complex128(1), [5], (5,), np.array([1.0]), np.array(1.0), {"a": 1}, object()]
CELLS = st.one_of(*(st.sampled_from(some) for some in (EMPTY, NUMBERS, TEXTS, MOMENTS, EMPTY, NUMBERS)))


def alone(encode: Encode, items: Sequence[Any], build: Callable[[list[Any]], Any]) -> list[int | str]:
    """The cell of each item, or the sentence that refuses it, with nobody else in the table."""
    outcomes: list[int | str] = []
    for item in items:
        try:
            outcomes.append(int(encode(build([item]))[0]))
        except DataError as problem:
            outcomes.append(str(problem))
    return outcomes


def agree(
    encode: Encode, items: Sequence[Any], batch: Any, singly: Callable[[list[Any]], Any] = list
) -> None:
    """A batch has the cells of its records alone; it is refused if one of them is, and says no more than that."""
    expected = alone(encode, items, singly)
    refusals = {outcome for outcome in expected if isinstance(outcome, str)}
    outcome: list[int] | str
    try:
        outcome = [int(cell) for cell in encode(batch)]
    except DataError as problem:
        outcome = str(problem)
    assert outcome in refusals if isinstance(outcome, str) else outcome == expected


@pytest.mark.parametrize("name", READERS)
def test_every_value_beside_every_kind_of_other(name: str) -> None:
    kinds = (
        None,
        "",
        "1",
        1,
        0.5,
        True,
        pd.NA,
        10**400,
        Decimal(1),
        b"1",
        date(2020, 1, 2),
        np.datetime64("NaT"),
    )
    for item in (*EMPTY, *NUMBERS, *TEXTS, *MOMENTS, *ODD):
        for other in kinds:
            agree(READERS[name], [item, other], vector([item, other]))


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=60)
@given(items=st.lists(CELLS, min_size=1, max_size=6))
def test_lists_and_arrays_of_objects(name: str, items: list[Any]) -> None:
    encode = READERS[name]
    rows = read([[item, "x"] for item in items]).column("x0")
    for batch in (vector(items), vector(tuple(items)), rows, vector(pd.Series(items, dtype=object))):
        agree(encode, items, batch)
    hidden = [place % 2 == 1 for place in range(len(items))]
    shown = [None if gone else item for item, gone in zip(items, hidden, strict=True)]
    agree(encode, shown, np.ma.MaskedArray(vector(items), mask=hidden))


# Containers with a type of their own. Each brings values of that type; None stands for a gap.

INTEGERS = st.sampled_from([0, 1, -1, 119, 121, 2**53 + 1, 2**63 - 1, -(2**63)])
SMALL = st.sampled_from([0, 1, 7, 119, 121])
DOUBLES = st.sampled_from([0.0, -0.0, 1.0, 2.5, -1.5, 3.25, 119.5, 1e300, float("inf"), float("nan")])
WORDS = st.sampled_from([text for text in TEXTS if type(text) is str and "\0" not in text])
LOGICAL = st.booleans()
DAYS = st.sampled_from([date(2020, 1, 2), date(1969, 12, 31), date(9999, 12, 31), date(1677, 9, 22)])
TIMES = st.sampled_from([datetime(2020, 1, 2, 3, 4, 5, 6), datetime(1969, 12, 31, 23, 59, 59, 5)])
ZONED = st.sampled_from([datetime(2020, 1, 2, 3, tzinfo=UTC), datetime(1969, 12, 31, 23, tzinfo=UTC)])
DECIMALS = st.sampled_from([Decimal("2.50"), Decimal(2**53 + 1), Decimal("-1.00"), Decimal("0.00")])


def numpy_of(kind: Any) -> Callable[[list[Any]], Any]:
    return lambda items: np.array(items, dtype=kind)


def masked(kind: Any) -> Callable[[list[Any]], Any]:
    def build(items: list[Any]) -> Any:
        gaps = [item is None for item in items]
        return np.ma.MaskedArray(np.array([item or 0 for item in items], dtype=kind), mask=gaps)

    return build


def pandas_of(kind: Any) -> Callable[[list[Any]], Any]:
    return lambda items: pd.Series(items, dtype=kind)


def arrow_backed(kind: Any) -> Callable[[list[Any]], Any]:
    return lambda items: pd.Series(items, dtype=pd.ArrowDtype(kind))


def polars_of(kind: Any) -> Callable[[list[Any]], Any]:
    return lambda items: pl.Series(items, dtype=kind)


def arrow_of(kind: Any) -> Callable[[list[Any]], Any]:
    return lambda items: pa.chunked_array([pa.array(items, type=kind)])


def gaps(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), values)


CONTAINERS: dict[str, tuple[st.SearchStrategy[Any], Callable[[list[Any]], Any]]] = {
    "numpy int64": (INTEGERS, numpy_of(np.int64)),
    "numpy big-endian": (INTEGERS, numpy_of(">i8")),
    "numpy uint8": (SMALL, numpy_of(np.uint8)),
    "numpy float64": (DOUBLES, numpy_of(np.float64)),
    "numpy float16": (st.sampled_from([0.0, 1.0, 2.5, float("nan")]), numpy_of(np.float16)),
    "numpy bool": (LOGICAL, numpy_of(np.bool_)),
    "numpy text": (WORDS, numpy_of(np.str_)),
    "numpy bytes": (st.sampled_from(["1", "a", "", "2020-01-02"]), numpy_of(np.bytes_)),
    "numpy strings": (WORDS, numpy_of(np.dtypes.StringDType())),
    "numpy days": (gaps(DAYS), numpy_of("datetime64[D]")),
    "numpy seconds": (gaps(TIMES.map(lambda time: time.replace(microsecond=0))), numpy_of("datetime64[s]")),
    "numpy microseconds": (gaps(TIMES), numpy_of("datetime64[us]")),
    "masked int64": (gaps(INTEGERS), masked(np.int64)),
    "masked bool": (gaps(LOGICAL), masked(np.bool_)),
    "pandas Int64": (gaps(INTEGERS), pandas_of("Int64")),
    "pandas UInt8": (gaps(SMALL), pandas_of("UInt8")),
    "pandas Float64": (gaps(DOUBLES), pandas_of("Float64")),
    "pandas boolean": (gaps(LOGICAL), pandas_of("boolean")),
    "pandas string": (gaps(WORDS), pandas_of("string")),
    "pandas category": (gaps(WORDS), lambda items: pd.Series(items, dtype=object).astype("category")),
    "pandas category of objects": (
        gaps(st.one_of(INTEGERS, LOGICAL, DAYS)),
        lambda items: pd.Series(pd.Categorical.from_codes(*coded(items))),
    ),
    "pandas moments": (gaps(TIMES), pandas_of("datetime64[us]")),
    "pandas zoned": (gaps(ZONED), pandas_of("datetime64[us, UTC]")),
    "pandas arrow int64": (gaps(INTEGERS), arrow_backed(pa.int64())),
    "pandas arrow double": (gaps(DOUBLES), arrow_backed(pa.float64())),
    "pandas arrow bool": (gaps(LOGICAL), arrow_backed(pa.bool_())),
    "pandas arrow string": (gaps(WORDS), arrow_backed(pa.string())),
    "pandas arrow decimal": (gaps(DECIMALS), arrow_backed(pa.decimal128(38, 2))),
    "pandas arrow days": (gaps(DAYS), arrow_backed(pa.date32())),
    "polars Int64": (gaps(INTEGERS), polars_of(pl.Int64)),
    "polars Int128": (gaps(st.sampled_from([2**100, -1, 2**53 + 1])), polars_of(pl.Int128)),
    "polars Float64": (gaps(DOUBLES), polars_of(pl.Float64)),
    "polars Boolean": (gaps(LOGICAL), polars_of(pl.Boolean)),
    "polars String": (gaps(WORDS), polars_of(pl.String)),
    "polars Categorical": (gaps(WORDS), polars_of(pl.Categorical)),
    "polars Date": (gaps(DAYS), polars_of(pl.Date)),
    "polars Datetime": (gaps(TIMES), polars_of(pl.Datetime("us"))),
    "polars zoned": (gaps(ZONED), polars_of(pl.Datetime("us", "UTC"))),
    "polars Null": (st.none(), polars_of(pl.Null)),
    "arrow int64": (gaps(INTEGERS), arrow_of(pa.int64())),
    "arrow bool": (gaps(LOGICAL), arrow_of(pa.bool_())),
    "arrow double": (gaps(DOUBLES), arrow_of(pa.float64())),
    "arrow string": (gaps(WORDS), arrow_of(pa.string())),
    "arrow string view": (gaps(WORDS), arrow_of(pa.string_view())),
    "arrow days": (gaps(DAYS), arrow_of(pa.date32())),
    "arrow zoned": (gaps(ZONED), arrow_of(pa.timestamp("us", "UTC"))),
    "arrow decimal": (gaps(DECIMALS), arrow_of(pa.decimal128(38, 2))),
    "arrow null": (st.none(), arrow_of(pa.null())),
}


def coded(items: list[Any]) -> tuple[list[int], Any]:
    """Codes and categories of a pandas column whose categories have several types; 1 and True stay apart."""
    known: list[Any] = []
    codes = []
    for item in items:
        if item is None:
            codes.append(-1)
            continue
        same = [place for place, other in enumerate(known) if (type(other), other) == (type(item), item)]
        if not same:
            known.append(item)
        codes.append(same[0] if same else len(known) - 1)
    return codes, pd.Index([(item,) for item in known], tupleize_cols=False, dtype=object).map(
        lambda one: one[0]
    )


@pytest.mark.parametrize("container", CONTAINERS)
@settings(max_examples=10)
@given(data=st.data())
def test_containers_with_a_type(container: str, data: st.DataObject) -> None:
    values, build = CONTAINERS[container]
    items = data.draw(st.lists(values, min_size=1, max_size=5))
    batch = vector(build(items))
    for encode in READERS.values():
        agree(encode, items, batch)
        agree(encode, items, batch, lambda one: vector(build(one)))


# Engines: the same table in files, shards and databases.


@contextmanager
def quick() -> Iterator[None]:
    """Few records are read as many would be."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "BY_COLUMNS", -1)
        patch.setattr(numeric, "worth_compiling", lambda n: True)
        patch.setattr(frames, "FEW", -1)
        yield


def one_after_the_other(function: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
    return [function(task) for task in tasks]


def memory(path: Path) -> Any:
    return MemorySample.of(path, SCHEMA)


def by_columns(path: Path) -> Any:
    """As large files are read."""
    with quick():
        return MemorySample.of(path, SCHEMA)


def streamed(path: Path) -> Any:
    return files_sample(path, SCHEMA).gathered()


def streamed_by_columns(path: Path) -> Any:
    with quick():
        return files_sample(path, SCHEMA).gathered()


def sharded(path: Path) -> Any:
    sample = ShardedSample.of(files_at(path), SCHEMA, run=one_after_the_other)
    return sample.take(np.arange(sample.size.total))


ENGINES = (memory, by_columns, streamed, streamed_by_columns, sharded)


def same_as_alone(sample: Any, table: dict[str, list[Any]]) -> None:
    block = sample.block()
    for column in SCHEMA.columns:
        assert [int(cell) for cell in block.cells[column.name]] == alone(
            column.encode, table[column.name], list
        )
    assert block.labels.tolist() == alone(SCHEMA.label_cells, table["ill"], list)


def legal(name: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values that a column accepts."""
    return values.filter(lambda item: isinstance(alone(READERS[name], [item], list)[0], int))


def some_tables(columns: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, list[Any]]]:
    rows = st.tuples(*(legal("label" if name == "ill" else name, values) for name, values in columns.items()))
    turned = st.lists(rows, min_size=1, max_size=5).map(lambda some: list(zip(*some, strict=True)))
    return turned.map(lambda cells: {name: list(some) for name, some in zip(columns, cells, strict=True)})


STRINGS = st.one_of(
    WORDS, st.sampled_from(["", " ", "#1", '"', 'x"y', "a,b", "a;b", "line\nend", "\r\n", "\r"])
)
NAMES = [*SCHEMA.names, "ill"]


@settings(max_examples=15)
@given(
    some_tables(dict.fromkeys(NAMES, STRINGS)),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from([",", ";", "\t", "|"]),
)
def test_csv_files(table: dict[str, list[str]], end: str, quoting: Any, mark: str) -> None:
    if any("\r" in cell for cells in table.values() for cell in cells):
        quoting = csv.QUOTE_ALL  # Python's writer does not quote for it, and then it would end the line
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        with path.open("w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out, lineterminator=end, quoting=quoting, delimiter=mark)
            writer.writerows([list(table), *zip(*table.values(), strict=True)])
        for opened in ENGINES:
            same_as_alone(opened(path), table)


TYPED: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "age": (pa.int64(), gaps(INTEGERS)),
    "key": (pa.int64(), gaps(INTEGERS)),
    "wide": (pa.decimal128(38, 2), gaps(DECIMALS)),
    "dose": (pa.float64(), gaps(DOUBLES)),
    "ward": (pa.string(), gaps(WORDS)),
    "smokes": (pa.bool_(), gaps(LOGICAL)),
    "seen": (pa.date32(), gaps(DAYS)),
    "at": (pa.timestamp("us", "UTC"), gaps(ZONED)),
    "ill": (pa.string(), WORDS),
}


@settings(max_examples=10)
@given(some_tables({name: values for name, (_, values) in TYPED.items()}))
def test_parquet_files_and_typed_databases(table: dict[str, list[Any]]) -> None:
    held = pa.table({name: pa.array(table[name], type=kind) for name, (kind, _) in TYPED.items()})
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        pq.write_table(held, path)
        for opened in ENGINES:
            same_as_alone(opened(path), table)
        with duckdb.connect(str(Path(folder) / "t.duckdb")) as connection:
            connection.execute("CREATE TABLE records AS SELECT * FROM held")
        same_as_alone(database_sample(f"duckdb:///{folder}/t.duckdb#records", SCHEMA).gathered(), table)


@settings(max_examples=15)
@given(some_tables({name: gaps(st.one_of(INTEGERS, DOUBLES, WORDS)) for name in NAMES}))
def test_a_database_whose_cells_have_types_of_their_own(table: dict[str, list[Any]]) -> None:
    with TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "t.sqlite")
        connection.execute(f"CREATE TABLE records ({', '.join(NAMES)})")
        marks = ", ".join("?" * len(NAMES))
        connection.executemany(f"INSERT INTO records VALUES ({marks})", zip(*table.values(), strict=True))
        connection.commit()
        connection.close()
        same_as_alone(database_sample(f"sqlite:///{folder}/t.sqlite#records", SCHEMA).gathered(), table)


def test_a_value_in_the_name_of_a_folder_stays_text(tmp_path: Path) -> None:
    """A guessed type would be another one as soon as a further file has a word there, and all would be refused."""
    schema = Schema((Categorical("ward", ("12", "a")),), "ill")
    for ward in ("12", "a"):
        folder = tmp_path / f"ward={ward}"
        folder.mkdir()
        pq.write_table(pa.table({"ill": [0, 1]}), folder / "t.parquet")
    both = files_sample(tmp_path, schema).gathered().block()
    one = files_sample(tmp_path / "ward=12", schema).gathered().block()
    assert both.cells["ward"].tolist() == [0, 0, 1, 1]
    assert one.cells["ward"].tolist() == [0, 0]


def test_moments_beyond_all_calendars_are_clamped_not_a_fault(tmp_path: Path) -> None:
    far = pa.array([2**62, -(2**62), 0], type=pa.int64()).cast(pa.timestamp("us", "UTC"))
    pq.write_table(pa.table({"at": far, "ill": [0, 1, 0]}), tmp_path / "t.parquet")
    schema = Schema((COLUMNS[-1],), "ill")
    for sample in (
        MemorySample.of(tmp_path / "t.parquet", schema),
        files_sample(tmp_path, schema).gathered(),
    ):
        assert sample.block().cells["at"].tolist() == [COLUMNS[-1].size - 1, 0, 0]


@pytest.mark.parametrize(
    "moment", ["2020-01-01", "2021-05-05T23:30", "2021-05-05T23:30:00.25", "2021-05-05T23:30:00.000000001"]
)
def test_a_date_among_categories_is_the_same_whatever_a_frame_holds_besides(moment: str) -> None:
    """Beside text, pandas keeps moments of its own in a column of objects; alone, numpy's."""
    stamp = pd.Timestamp(moment)
    column = Categorical("c", categories=(str(stamp), "x"), other="else", missing="none")
    schema = Schema((column,), label="y")
    alone, beside = (
        MemorySample.of(pd.DataFrame({"c": [stamp, other]}), schema, labelled=False).block().cells["c"][0]
        for other in (stamp, "x")
    )
    assert alone == beside == 0
