"""The memory engine: encoding is validation, positions keep their order, nothing prints records."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest

from privpac.data.columns import Categorical, Numeric
from privpac.data.engines import memory
from privpac.data.engines.memory import MemorySample
from privpac.data.grid_counts import GridCounts
from privpac.data.sample import Block, Sample, Size, Statistic
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts
from privpac.errors import DataError, ParameterError, SchemaError, SizeError

SECRET = "s3cret"
SCHEMA = Schema(
    (
        Numeric("age", 0, 99, integer=True),
        Categorical("work", ("a", "b")),
        Numeric("key", 0, 2**128 - 1, integer=True),
    ),
    "ill",
)
TABLE: dict[str, list[Any]] = {
    "work": ["b", "a", "b", "a"],
    "age": [10, 20, 30, 200],
    "key": [str(2**127), "1", "2", "3"],
    "ill": [1, 0, 1, 0],
    "ignored": [SECRET] * 4,
}


def held(sample: MemorySample) -> dict[str, list[int]]:
    block = sample.block()
    labels = {} if block.labels is None else {"ill": block.labels.tolist()}
    return {**{name: cells.tolist() for name, cells in block.cells.items()}, **labels}


WHOLE = {"age": [10, 20, 30, 99], "work": [1, 0, 1, 0], "key": [2**127, 1, 2, 3], "ill": [1, 0, 1, 0]}


def test_labels_from_the_table_or_beside_it(tmp_path: Path) -> None:
    frame = pandas.DataFrame(TABLE)
    frame.to_csv(tmp_path / "t.csv", index=False)
    labels = frame.pop("ill")
    for sample in (
        MemorySample.of(TABLE, SCHEMA),
        MemorySample.of(tmp_path / "t.csv", SCHEMA),
        MemorySample.of(frame, SCHEMA, y=labels),
        MemorySample.of(frame, SCHEMA, y=[True, False, True, False]),
        MemorySample.of(polars.DataFrame(TABLE), SCHEMA, y=polars.Series(TABLE["ill"])),
        MemorySample.of([list(row) for row in zip(*(TABLE[c] for c in WHOLE), strict=True)], SCHEMA),
        MemorySample.of(
            [list(row) for row in zip(*(TABLE[c] for c in SCHEMA.names), strict=True)], SCHEMA, y=labels
        ),
        MemorySample.from_cells(
            SCHEMA,
            {name: np.array(WHOLE[name], dtype=object) for name in SCHEMA.names},
            np.array(WHOLE["ill"]),
        ),
    ):
        assert held(sample) == WHOLE
        assert sample.size == Size(4)
        assert sample.schema is SCHEMA
        assert isinstance(sample, Sample)


def test_without_labels() -> None:
    sample = MemorySample.of({name: TABLE[name] for name in SCHEMA.names}, SCHEMA, labelled=False)
    assert sample.size == Size(0, unlabelled=4)
    assert sample.block().labels is None
    assert sample.reduce(CellCounts(SCHEMA.column("age"), classes=1)).counts.tolist() == [[1]] * 4
    with pytest.raises(DataError, match="no labels"):
        sample.reduce(CellCounts(SCHEMA.column("age")))


def test_take_keeps_the_given_order_and_rest_its_own() -> None:
    sample = MemorySample.of(TABLE, SCHEMA)
    taken = sample.take(np.array([2, 0, 2]))
    assert held(taken) == {name: [values[2], values[0], values[2]] for name, values in WHOLE.items()}
    left = sample.rest(np.array([2, 0]))
    assert held(left) == {name: [values[1], values[3]] for name, values in WHOLE.items()}
    assert sample.take(np.array([], dtype=np.int64)).size == Size(0)
    assert held(sample.rest(np.array([], dtype=np.int64))) == WHOLE
    assert sample.rest(np.arange(4)).size == Size(0)
    assert sample.take(np.array([1])).take(np.array([0, 0])).size == Size(2)
    for wrong in ([4], [-1], [[0]]):
        with pytest.raises(ParameterError) as refused:
            sample.take(np.array(wrong))
        assert refused.value.parameter == "positions"
        with pytest.raises(ParameterError) as refused:
            sample.rest(np.array(wrong))
        assert refused.value.parameter == "positions"


def test_an_empty_part_reduces_to_zero() -> None:
    nothing = MemorySample.of(TABLE, SCHEMA).take(np.array([], dtype=np.int64))
    counts = nothing.reduce(CellCounts(SCHEMA.column("age")))
    assert (counts.n, counts.values.tolist(), counts.counts.shape) == (0, [], (0, 2))
    assert nothing.reduce(GridCounts((SCHEMA.column("age"),), (10,))).sum() == 0


def test_reduce_hands_over_only_the_columns_asked_for() -> None:
    class Names:
        columns = ("work", "age")

        def zero(self) -> list[str]:
            return []

        def absorb(self, state: list[str], block: Block) -> list[str]:
            return state + list(block.cells)

        def merge(self, a: list[str], b: list[str]) -> list[str]:
            return a + b

    names = Names()
    assert isinstance(names, Statistic)
    assert MemorySample.of(TABLE, SCHEMA).reduce(names) == ["work", "age"]


@pytest.mark.parametrize(
    ("change", "kind", "match"),
    [
        ({"age": [1, 2, float("nan"), 4]}, DataError, "'age'.*NaN"),
        ({"age": [1, 2, float("inf"), 4]}, DataError, "'age'.*infinite"),
        ({"age": ["1", SECRET, "3", "4"]}, DataError, "'age'.*not an integer"),
        ({"work": ["a", SECRET, "a", "a"]}, DataError, "'work'.*categories"),
        ({"key": ["1", "", "3", "4"]}, DataError, "'key'.*empty"),
        ({"ill": [0, 1, SECRET, 1]}, DataError, "Label 'ill'.*not a declared class"),
        ({"ill": [0, 1, None, 1]}, DataError, "Label 'ill'.*empty"),
        ({"age": [1, 2, 3]}, DataError, "'age' has 3 records"),
        ({name: [] for name in TABLE}, SizeError, "no records"),
    ],
)
def test_every_column_is_checked_before_a_sample_exists(
    change: dict[str, list[Any]], kind: type[Exception], match: str
) -> None:
    with pytest.raises(kind, match=match) as caught:
        MemorySample.of({**TABLE, **change}, SCHEMA)
    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None


def test_absent_columns_and_labels() -> None:
    with pytest.raises(SchemaError) as refused:
        MemorySample.of({name: TABLE[name] for name in ("work", "key")}, SCHEMA)
    assert refused.value.column == "age"
    with pytest.raises(DataError, match="4 records but 3 labels"):
        MemorySample.of(TABLE, SCHEMA, y=[0, 1, 0])
    sample = MemorySample.from_cells(SCHEMA, {"age": np.array([1])}, np.array([1]))
    with pytest.raises(SchemaError) as refused:
        sample.block("work")
    assert refused.value.column == "work"
    with pytest.raises(SchemaError) as refused:
        sample.block("wrok")
    assert refused.value.column == "wrok"


def test_cells_are_checked_too() -> None:
    for cells, labels, match in (
        ([100], [0], "'age'"),
        ([-1], [0], "'age'"),
        ([1], [2], "'ill'"),
        ([1], [0, 1], "length"),
    ):
        with pytest.raises((SchemaError, DataError), match=match):
            MemorySample.from_cells(SCHEMA, {"age": np.array(cells)}, np.array(labels))


def test_one_declared_class_alone_is_legal() -> None:
    assert MemorySample.of({**TABLE, "ill": [1, 1, 1, 1]}, SCHEMA).size == Size(4)


def test_relabelled_records_keep_their_cells() -> None:
    schema = Schema((Numeric("a", 0, 9, integer=True),), label="y", classes=("0", "1"))
    sample = MemorySample.from_cells(schema, {"a": np.array([3, 1])}, np.array([0, 1]))
    other = sample.relabelled(np.array([1, 1], dtype=np.uint8))
    assert other.block().cells["a"].tolist() == [3, 1]
    assert other.block().labels.tolist() == [1, 1]
    assert sample.block().labels.tolist() == [0, 1]
    with pytest.raises(DataError, match="differ in length"):
        sample.relabelled(np.array([1], dtype=np.uint8))


@pytest.mark.parametrize("kept", [0, 8, 1 << 30])
def test_what_is_derived_from_cells_is_the_same_kept_or_not(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "MOST_KEPT", kept)
    monkeypatch.setattr(memory, "CHUNK", 3)
    sample = MemorySample.of(TABLE, SCHEMA)
    asked: list[int] = []
    derivation = Doubled(asked)
    assert sample.block("age").derive("age", derivation, start=1).tolist() == [40, 60, 198]
    whole = len(asked)
    first, second = sample.parts(lambda cells: cells["work"], 2, columns=("work",))
    assert first.block("age").derive("age", derivation).tolist() == [40, 198]
    assert second.block("age").derive("age", derivation, start=1, stop=2).tolist() == [60]
    assert (len(asked) == whole) == (kept > 0)
    third = first.parts(lambda cells: cells["age"] > 50, 2, columns=("age",))[1]
    assert third.block("age").derive("age", derivation).tolist() == [198]


@dataclass(frozen=True)
class Doubled:
    asked: list[int] = field(compare=False)

    def __call__(self, cells: np.ndarray, /) -> np.ndarray:
        self.asked.append(len(cells))
        return 2 * cells.astype(np.int64)
