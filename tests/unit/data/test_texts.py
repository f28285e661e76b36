"""Columns in a short form become the cells that their values become one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.data import frames, numeric
from privpac.data.columns import Boolean, Categorical, Column, Date, Numeric
from privpac.data.raw import each_once, objects
from privpac.data.schema import Schema
from privpac.data.tables import read
from privpac.data.texts import Distinct, held_text, plain_array
from privpac.errors import DataError

COLUMNS: tuple[Column, ...] = (
    Numeric("age", 0, 120, integer=True, missing=40),
    Numeric("debt", -1000, 120, integer=True),
    Numeric("key", -(2**62), 2**63, integer=True, missing=0),
    Numeric("wide", -(2**90), 2**100, integer=True, missing=7),
    Numeric("dose", -1.5, 3.25, missing=0.5),
    Numeric("share", 0, 1),
    Numeric("huge", -1e300, 1e300, resolution=2**48, missing=0),
    Categorical("ward", ("a", "b c", "1", "2.5", "True", "nan"), other="other", missing="none"),
    Categorical("code", ("1", "-2", "007"), missing="none"),
    Boolean("smokes", missing=False),
    Date("seen", "2019-12-31", "2020-12-31", missing="2020-06-01"),
)
NASTY = st.one_of(
    st.none(),
    st.sampled_from(
        [
            *(
                "",
                " ",
                "\t",
                " 1",
                "1 ",
                "+1",
                "-1",
                "1e3",
                "1E3",
                "1e-3",
                "1e400",
                "-1e400",
                "1e-400",
                "1e22",
                "1e23",
            ),
            *(
                "0x10",
                "0X1f",
                "-0x1",
                "0b1",
                "0o7",
                "nan",
                "NaN",
                "-nan",
                "NAN",
                "inf",
                "-inf",
                "Infinity",
                "-Infinity",
            ),
            *(
                "١",
                "１",
                "²",
                "½",
                "007",
                "00.5",
                "-00",
                "-0",
                "-0.0",
                "0.0",
                "1_000",
                "1,000",
                "1.000,5",
                ".",
                "-",
                ".",
            ),
            *(
                ".5",
                "5.",
                "-.5",
                "-5.",
                "3.999999999999999999999",
                "-0.000000000000000000000001",
                "2.5",
                "1.0",
            ),
            *(
                str(2**53),
                str(2**53 + 1),
                str(-(2**53) - 1),
                str(2**63),
                str(-(2**63) - 1),
                str(2**100),
                "9" * 18,
            ),
            *(
                "9" * 19,
                "9" * 40,
                "9" * 41,
                "0" * 50 + "1",
                "0.1",
                "0.30000000000000004",
                "1.7976931348623157e308",
            ),
            *(
                "2.2250738585072014e-308",
                "5e-324",
                "9007199254740993.0",
                "0.49671415301123270",
                "4.35",
                "0.000001",
            ),
            *(
                "true",
                "True",
                "FALSE",
                "yes",
                "no",
                "2020-01-02",
                "2020-01-02T03:04:05",
                "20200102",
                "02/01/2020",
            ),
            *(
                "NULL",
                "NA",
                "None",
                "null",
                "#N/A",
                '"1"',
                "'1'",
                "1;2",
                "a",
                "b c",
                "x\0y",
                "1\0",
                "ß",
                "1e1_0",
            ),
        ]
    ),
    st.from_regex(r"-?[0-9]{0,22}(\.[0-9]{0,22})?([eE][+-]?[0-9]{0,3})?", fullmatch=True),
    st.floats().map(repr),
    st.integers().map(str),
)


def outcome(column: Column, raw: object) -> list[int] | str:
    try:
        return [int(cell) for cell in column.encode(raw)]
    except DataError as problem:
        return str(problem)


def careful(column: Column, items: list[Any]) -> list[list[int] | str]:
    """Each by itself, as an object of Python."""
    return [outcome(column, objects([item])) for item in items]


@pytest.fixture
def compiled_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The quick way also for few records."""
    monkeypatch.setattr(numeric, "worth_compiling", lambda n: True)
    monkeypatch.setattr(frames, "FEW", -1)


def same(column: Column, items: list[Any], raw: object) -> None:
    expected = careful(column, items)
    refusals = {one for one in expected if isinstance(one, str)}
    quick = outcome(column, raw)
    if refusals:
        assert quick in refusals
    else:
        assert quick == [one[0] for one in expected]


@pytest.mark.usefixtures("compiled_for_all")
@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: str(column.name))
@settings(max_examples=60)
@given(items=st.lists(NASTY, min_size=1, max_size=6))
def test_the_quick_way_and_the_careful_way_agree(column: Column, items: list[str | None]) -> None:
    legal = [item for item in items if isinstance(careful(column, [item])[0], list)]
    for some in (items, legal):
        for kind in (pa.string(), pa.large_string()):
            texts = held_text(pa.array(some, type=kind))
            assert texts is not None
            same(column, some, texts)


@pytest.mark.long
@pytest.mark.usefixtures("compiled_for_all")
@settings(max_examples=50)
@given(st.lists(NASTY, min_size=1, max_size=6))
def test_frames_and_parts_of_buffers(items: list[str | None]) -> None:
    spare = ["1", "x", None]
    sliced = pa.array([*spare, *items, *spare], type=pa.string()).slice(3, len(items))
    frames: tuple[Any, ...] = (
        pa.table({"x": sliced}),
        pa.table({"x": pa.chunked_array([sliced, sliced.slice(0, 0)])}),
        pl.DataFrame({"x": pl.Series(items, dtype=pl.String)}),
        pd.DataFrame({"x": pd.Series(items, dtype="string")}),
        pd.DataFrame({"x": pd.Series(items, dtype="str")}),
        pd.DataFrame({"x": pd.Series(items, dtype=object)}),
        pd.DataFrame({"x": pd.Series(items, dtype=object).astype("category")}),
    )
    for column in COLUMNS[:8]:
        for frame in frames:
            same(column, items, read(frame).column("x"))


def test_a_category_that_no_record_has_may_be_undeclared() -> None:
    column = Categorical("x", ("a", "b"), missing="none")
    held = pd.Series(["b", "a", None] * 2000, dtype=pd.CategoricalDtype(["x", "a", "y", "b"]))
    raw = read(pd.DataFrame({"x": held})).column("x")
    assert isinstance(raw, Distinct)
    assert column.encode(raw).tolist() == [1, 0, 2] * 2000


def test_labels_in_every_form() -> None:
    schema = Schema((COLUMNS[0],), "ill", ("no", "1"))
    texts = held_text(pa.array(["no", "1", "1.0"]))
    assert texts is not None
    assert schema.label_cells(texts).tolist() == [0, 1, 1]
    assert schema.labels_if_any(held_text(pa.array(["no", None, "-1"]))).tolist() == [0, -1, -1]


def test_forms_and_arrays() -> None:
    texts = held_text(pa.chunked_array([["a", None], ["a"]]))
    assert texts is not None
    assert (len(texts), plain_array(texts).tolist(), texts.at(np.array([1])).array().tolist()) == (
        3,
        ["a", None, "a"],
        [None],
    )
    once = texts.distinct()
    assert (len(once), once.array().tolist(), once.values.tolist()) == (3, ["a", None, "a"], ["a", None])
    assert held_text(pa.array([1])) is None
    assert each_once(np.array([1, 2]), lambda raw: np.asarray(raw) + 1).tolist() == [2, 3]
