"""The schema file: format, contradictions, drafts with blanks, and schemas read from data on request."""

from __future__ import annotations

import json
import pickle
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest

from privpac.data.columns import Boolean, Categorical, Date, Numeric
from privpac.data.schema import Schema, draft
from privpac.errors import DataError, SchemaError, SizeError

SECRET = "s3cret"

FILE: dict[str, Any] = {
    "name": "clinic",
    "about": "a table",
    "rows": 3,
    "label": "ill",
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 17, "upper": 90, "integer": True, "note": "clipped"},
        {"name": "dose", "kind": "numeric", "lower": 0.5, "upper": 2, "integer": False, "resolution": 1000},
        {"name": "key", "kind": "numeric", "lower": 0, "upper": 2**128 - 1, "integer": True},
        {"name": "work", "kind": "categorical", "categories": ["a", "b"], "other": "rest", "missing": "none"},
        {"name": "smokes", "kind": "boolean", "missing": False},
        {"name": "seen", "kind": "date", "lower": "2020-01-01", "upper": "2020-12-31"},
        {
            "name": "at",
            "kind": "date",
            "lower": "2020-01-01T00:00:00",
            "upper": "2020-12-31T23:59:59",
            "timezone": "UTC",
        },
    ],
}


def changed(**entry: Any) -> dict[str, Any]:
    """FILE with a single numeric column 'x' that has these entries instead."""
    column = {"name": "x", "kind": "numeric", "lower": 0, "upper": 9, **entry}
    return {"label": "ill", "columns": [{key: value for key, value in column.items() if value != "absent"}]}


class TestFile:
    def test_columns(self) -> None:
        schema = Schema.from_json(FILE)
        assert schema.columns == (
            Numeric("age", 17, 90, integer=True),
            Numeric("dose", 0.5, 2, resolution=1000),
            Numeric("key", 0, 2**128 - 1, integer=True),
            Categorical("work", ("a", "b"), other="rest", missing="none"),
            Boolean("smokes", missing=False),
            Date("seen", "2020-01-01", "2020-12-31"),
            Date("at", "2020-01-01T00:00:00", "2020-12-31T23:59:59", with_time=True, timezone="UTC"),
        )
        assert (schema.label, schema.classes, schema.origin) == ("ill", ("0", "1"), "declared")

    def test_round_trip_keeps_unknown_keys(self, tmp_path: Path) -> None:
        schema = Schema.from_json(FILE)
        assert schema.to_json() == {**FILE, "classes": ["0", "1"]}
        path = tmp_path / "schema.json"
        path.write_text(json.dumps(schema.to_json()), encoding="utf-8")
        for source in (path, str(path), json.dumps(schema.to_json()), schema.to_json()):
            again = Schema.from_json(source)
            assert again == schema
            assert again.to_json() == schema.to_json()
            assert again.digest() == schema.digest()

    def test_digest_is_of_the_meaning(self) -> None:
        digest = Schema.from_json(FILE).digest()
        assert Schema.from_json({**FILE, "about": "another text"}).digest() == digest
        assert Schema.from_json({**FILE, "classes": [0, 1]}).digest() == digest
        assert Schema.from_json({**FILE, "classes": [1, 0]}).digest() != digest
        assert Schema.from_json({**FILE, "origin": "from_data"}).digest() != digest
        assert Schema.from_json(changed()).digest() != Schema.from_json(changed(upper=10)).digest()

    def test_unreadable_files(self, tmp_path: Path) -> None:
        with pytest.raises(SchemaError, match=r"nowhere\.json cannot be read: .*privpac schema"):
            Schema.from_json(tmp_path / "nowhere.json")
        (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(SchemaError, match="UTF-8"):
            Schema.from_json(tmp_path / "binary.json")
        (tmp_path / "cut.json").write_text('{"label": "ill",\n "columns": [', encoding="utf-8")
        with pytest.raises(SchemaError, match="line 2"):
            Schema.from_json(tmp_path / "cut.json")
        (tmp_path / "list.json").write_text("[]", encoding="utf-8")
        with pytest.raises(SchemaError, match="not a JSON object"):
            Schema.from_json(tmp_path / "list.json")
        with pytest.raises(SchemaError, match="'label' twice"):
            Schema.from_json('{"label": "a", "label": "b"}')


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        ({"lower": 9}, "'x': lower is 9"),
        ({"lower": 10}, "'x': lower is 10"),
        ({"lower": "low"}, "'x': lower is not a finite number"),
        ({"lower": "absent"}, "'x': \"lower\" is missing"),
        ({"upper": None}, "'x': \"upper\" is still blank"),
        ({"kind": "number"}, "'x': the kind 'number' is not known.*numeric, categorical, boolean, date"),
        ({"kind": "absent"}, "'x': \"kind\" is missing"),
        ({"integer": "yes"}, "'x': integer is not true or false"),
        ({"integer": True, "resolution": 10}, "'x': resolution has no meaning for an integer column"),
        ({"resolution": 1.5}, "'x': resolution is 1.5"),
        ({"categories": ["a"]}, "'x': \"categories\" has no meaning for a numeric column"),
        ({"other": "a"}, "'x': \"other\" has no meaning for a numeric column"),
        ({"missing": "none"}, "'x': missing is not a finite number"),
        ({"missing": 12}, "'x': missing is 12"),
        (
            {"kind": "categorical", "lower": "absent", "upper": "absent", "categories": []},
            "'x': categories is empty",
        ),
        (
            {"kind": "categorical", "lower": "absent", "upper": "absent", "categories": "ab"},
            "'x': categories is not a list",
        ),
        (
            {"kind": "categorical", "lower": "absent", "upper": "absent", "categories": [1, "1"]},
            "'x': the category '1'",
        ),
        (
            {"kind": "categorical", "lower": "absent", "upper": "absent", "categories": ["a", None]},
            "'x': categories",
        ),
        (
            {"kind": "categorical", "categories": ["a"]},
            "'x': \"lower\" has no meaning for a categorical column",
        ),
        ({"kind": "date", "lower": "2020-01-01T10:00", "upper": "2021-01-01"}, "'x': .*time zone"),
        ({"kind": "date", "lower": "2020", "upper": "2021-01-01"}, "'x': lower is not an ISO date"),
        ({"kind": "boolean"}, "'x': \"lower\" has no meaning for a boolean column"),
        ({"name": 5}, "name is 5"),
        ({"name": "ill"}, "'ill' is the label and also among the columns"),
    ],
)
def test_a_contradicting_column_is_named(entry: dict[str, Any], named: str) -> None:
    with pytest.raises(SchemaError, match=named) as caught:
        Schema.from_json(changed(**entry))
    assert caught.value.remedy or "(2)" in str(caught.value)  # of several problems each has its own


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        ({"label": "absent"}, '"label" is missing'),
        ({"label": 7}, "no label column"),
        ({"columns": "absent"}, '"columns" is missing'),
        ({"columns": []}, "no columns"),
        ({"columns": {"x": 1}}, "not a list"),
        ({"columns": [5]}, "not an object"),
        ({"columns": [*changed()["columns"], *changed()["columns"]]}, "'x' is described twice"),
        ({"classes": [0]}, "'ill' has 1 class"),
        ({"classes": []}, "'ill' has 0 class"),
        ({"classes": list(range(300))}, "'ill' has 300 class"),
        ({"classes": [1, "1"]}, "'ill': the class '1' is listed twice"),
        ({"classes": "01"}, "'ill': classes is not a list"),
        ({"origin": "guessed"}, "origin is 'guessed'"),
    ],
)
def test_a_contradicting_schema_is_refused(entry: dict[str, Any], named: str) -> None:
    whole = {key: value for key, value in {**changed(), **entry}.items() if value != "absent"}
    with pytest.raises(SchemaError, match=named) as caught:
        Schema.from_json(whole)
    assert caught.value.remedy


class TestLabels:
    schema = Schema((Numeric("x", 0, 1),), "ill")

    @pytest.mark.parametrize(
        "raw", [[0, 1, 1], ["0", "1", "1"], [0.0, 1.0, 1.0], [False, True, True], ["false", "True", "1.0"]]
    )
    def test_compared_as_text(self, raw: list[Any]) -> None:
        for values in (raw, np.array(raw)):
            cells = self.schema.label_cells(values)
            assert cells.dtype == np.uint8
            assert cells.tolist() == [0, 1, 1]

    def test_words(self) -> None:
        schema = Schema((Numeric("x", 0, 1),), "ill", ("no", "yes", "unsure"))
        assert schema.label_cells(["yes", "no", "unsure"]).tolist() == [1, 0, 2]

    @pytest.mark.parametrize(
        "raw", [[0, SECRET], [0, 2], ["no", True], [0, None], [0.0, float("nan")], [0, ""]]
    )
    def test_an_undeclared_label_is_not_shown(self, raw: list[Any]) -> None:
        with pytest.raises(DataError) as caught:
            self.schema.label_cells(raw)
        assert caught.value.column == "ill"
        assert SECRET not in str(caught.value)
        assert "classes" in caught.value.remedy
        assert caught.value.__context__ is None


class TestDraft:
    frame = pandas.DataFrame(
        {
            "age": [40, 50],
            "dose": [0.5, 1.5],
            "smokes": [True, False],
            "work": [SECRET, "b"],
            "at": [datetime(2020, 1, 1, 8), datetime(2020, 1, 2, 9)],
            "ill": [0, 1],
        }
    )

    def test_from_names_and_types_alone(self) -> None:
        made = draft(self.frame, label="ill")
        assert made["label"] == "ill"
        assert made["columns"] == [
            {"name": "age", "kind": "numeric", "lower": None, "upper": None, "integer": True},
            {"name": "dose", "kind": "numeric", "lower": None, "upper": None, "integer": False},
            {"name": "smokes", "kind": "boolean"},
            {"name": "work", "kind": "categorical", "categories": None},
            {"name": "at", "kind": "date", "lower": None, "upper": None, "timezone": None},
        ]
        assert SECRET not in json.dumps(made)
        other = pandas.DataFrame({name: self.frame[name].iloc[::-1].to_numpy() for name in self.frame})
        assert draft(other, label="ill") == made

    def test_every_source_of_a_table(self, tmp_path: Path) -> None:
        made = draft(self.frame)
        self.frame.to_csv(tmp_path / "t.csv", index=False)
        self.frame.to_parquet(tmp_path / "t.parquet")
        assert draft(polars.from_pandas(self.frame)) == made
        assert draft(tmp_path / "t.parquet") == made
        *others, ill = made["columns"]
        assert (ill["name"], ill["kind"]) == ("ill", "numeric")  # a type is stated, and no value is looked at
        guessed = {**made, "columns": [*others, {"name": "ill", "kind": "boolean"}]}
        assert draft(tmp_path / "t.csv") == guessed
        assert [column["kind"] for column in draft(np.zeros((2, 2)))["columns"]] == ["numeric", "numeric"]
        assert [column["name"] for column in draft({"a": ["x"], "b": [1]})["columns"]] == ["a", "b"]


class TestFromData:
    def test_bounds_categories_and_classes_as_found(self) -> None:
        table = {
            "age": np.array([40, 20, 60]),
            "dose": np.array([0.5, 2.5, 1.0]),
            "work": ["b", "a", "b"],
            "smokes": ["yes", "no", "yes"],
            "flag": np.array([True, False, True]),
            "seen": ["2020-02-01", "2020-01-01", "2020-03-01"],
            "at": np.array(["2020-02-01T10:00", "2020-01-01", "2020-03-01"], dtype="datetime64[s]"),
            "text": ["3", "1", "2"],
            "ill": ["10", "9", "9"],
        }
        schema = Schema.from_data(table, label="ill")
        assert schema.columns == (
            Numeric("age", 20, 60, integer=True),
            Numeric("dose", 0.5, 2.5),
            Categorical("work", ("a", "b")),
            Boolean("smokes"),
            Boolean("flag"),
            Date("seen", "2020-01-01", "2020-03-01"),
            Date("at", "2020-01-01T00:00:00", "2020-03-01T00:00:00", with_time=True, timezone="UTC"),
            Numeric("text", 1, 3, integer=True),
        )
        assert schema.classes == ("9", "10")
        assert schema.origin == "from_data"
        assert Schema.from_json(schema.to_json()) == schema

    @pytest.mark.parametrize(
        "values",
        [
            [0, 1, 1],
            ["0", "1", "1"],
            np.array([0, 1, 1]),
            [True, False, True],
            [0, True, 1],
            ["1.0", "0.0", "1"],
        ],
    )
    def test_zeros_and_ones_are_truth_values(self, values: Any) -> None:
        table = {"x": values, "y": [0, 1, 1]}
        assert Schema.from_data(table, label="y").columns == (Boolean("x"),)

    @pytest.mark.parametrize(
        "values",
        [[0, 1, 2], [0, 0, 0], [1, 1, 1], np.array([0.0, 1.0, 1.0]), ["0", "1", "2"], np.array([1, 1, 1])],
    )
    def test_what_may_be_another_number_is_a_number(self, values: Any) -> None:
        table = {"x": values, "y": [0, 1, 1]}
        assert isinstance(Schema.from_data(table, label="y").columns[0], Numeric)

    def test_both_kinds_read_zeros_ones_and_truth_values(self) -> None:
        number = Numeric("x", 0, 1, integer=True)
        for values in (
            [0, 1],
            ["0", "1"],
            [False, True],
            [0.0, 1.0],
            np.array([0, 1]),
            np.array([False, True]),
        ):
            assert Boolean("x").encode(values).tolist() == number.encode(values).tolist() == [0, 1]
        assert Boolean("x").encode(["false", "true", "No", "YES"]).tolist() == [0, 1, 0, 1]

    def test_arrays_with_separate_labels(self) -> None:
        rows = np.array([[1.0, 2.0], [3.0, 2.0]])
        schema = Schema.from_data(rows, label="y", y=np.array([True, False]))
        assert schema.columns == (Numeric("x0", 1.0, 3.0), Numeric("x1", 2.0, 4.0))
        assert schema.classes == ("false", "true")
        assert schema.label_cells([1, 0]).tolist() == [1, 0]

    def test_constant_columns(self) -> None:
        schema = Schema.from_data(
            {"i": [7, 7], "f": [1e300, 1e300], "d": ["2020-01-01"] * 2, "y": [0, 1]}, label="y"
        )
        assert [column.size for column in schema.columns][::2] == [2, 2]
        assert all(
            column.cell(value) == 0
            for column, value in zip(schema.columns, (7, 1e300, "2020-01-01"), strict=True)
        )

    def test_a_single_class_is_refused(self) -> None:
        with pytest.raises(SchemaError) as refused:
            Schema.from_data({"x": [1, 2], "y": [1, 1]}, label="y")
        assert refused.value.column == "y"

    @pytest.mark.parametrize(
        "table",
        [
            {"x": np.array([1.0, np.nan])},
            {"x": np.array([1.0, np.inf])},
            {"x": ["1", ""]},
            {"x": [SECRET, ""]},
            {"x": [SECRET, None]},
            {"x": np.array(["2020-01-01", "NaT"], dtype="datetime64[D]")},
            {"x": np.ma.MaskedArray([1, 2], mask=[0, 1])},
        ],
    )
    def test_empty_cells_are_refused(self, table: dict[str, Any]) -> None:
        with pytest.raises(DataError) as caught:
            Schema.from_data(table, label="y", y=[0, 1])
        assert caught.value.column == "x"
        assert SECRET not in str(caught.value)

    def test_empty_labels_are_refused(self) -> None:
        with pytest.raises(DataError) as refused:
            Schema.from_data({"x": [1, 2]}, label="y", y=[0.0, float("nan")])
        assert refused.value.column == "y"

    def test_nothing_to_read(self) -> None:
        with pytest.raises(SizeError):
            Schema.from_data({"x": [], "y": []}, label="y")
        with pytest.raises(SchemaError) as refused:
            Schema.from_data({"x": [1], "y": [1]}, label="z")
        assert refused.value.column == "z"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"label": "y", "columns": ' + "[" * 100_000, "nested too deeply"),
        ('{"label": "y", "columns": [' + "9" * 5_000 + "]}", "an integer is too long"),
        ('{"label": "y", "columns": [NaN]}', "NaN is not JSON"),
        ('{"label": "y", "label": "z"}', "'label' twice"),
        ('{"label": "\\ud800", "columns": [{"name": "a", "kind": "boolean"}]}', "half of a character"),
        ('{"label": "y", "columns": [{"name": "\\ud800", "kind": "boolean"}]}', "half of a character"),
        (
            '{"label": "y", "classes": ["0", "\\udfff"], "columns": [{"name": "a", "kind": "boolean"}]}',
            "half of a",
        ),
        (
            '{"label": "y", "columns": [{"name": "a", "kind": "categorical", "categories": ["\\ud800"]}]}',
            "half of a",
        ),
    ],
)
def test_a_schema_that_no_document_could_hold_is_refused_before_any_work(text: str, reason: str) -> None:
    with pytest.raises(SchemaError, match=reason):
        Schema.from_json(text)


def test_a_hash_stays_in_its_process_and_leaves_no_trace() -> None:
    """Texts have another hash in every process, and a schema is sent to many."""
    schema, twin = (
        Schema.from_json({"label": "y", "columns": [{"name": "a", "kind": "boolean"}]}) for _ in range(2)
    )
    before = pickle.dumps(schema)
    assert hash(schema) == hash(schema) == hash(twin)
    assert pickle.dumps(schema) == before
    travelled = pickle.loads(before)  # noqa: S301
    assert travelled == schema
    assert hash(travelled) == hash(schema)
    assert hash(Schema.from_json({"label": "z", "columns": [{"name": "a", "kind": "boolean"}]})) != hash(
        schema
    )
