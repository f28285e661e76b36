"""The files engine agrees with memory, reads what people keep, and names what is wrong before anything is spent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from privpac import Ledger, compare_models, learn
from privpac.cli import main
from privpac.coins import SeededCoins
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.points.ways import POINT_WAYS
from privpac.constructions.recipe import Recipe
from privpac.constructions.stable.stable import Stable
from privpac.constructions.words import Request
from privpac.data.engines.files import files_sample
from privpac.data.engines.streamed import StreamedSample
from privpac.data.sample import Sample, Size
from privpac.errors import BudgetExceeded, DataError, ParameterError, PrivpacError, SchemaError
from privpac.planning.cost import cost_of
from privpac.request import LearnRequest
from tests.contracts.engine_conformance import (
    PRIVATE_LABELS,
    SCHEMA,
    WORDS,
    EngineConformance,
    known_failure,
    learner,
    table,
    transformed,
    written,
)


class TestFiles(EngineConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def opened(cls) -> Callable[[Path], Sample]:
        return lambda folder: files_sample(folder, SCHEMA)


class TestSmallBatches(EngineConformance):
    """Blocks of a few records: every cut falls somewhere else."""

    @pytest.fixture(scope="class")
    @classmethod
    def opened(cls) -> Iterator[Callable[[Path], Sample]]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("privpac.data.engines.files.ROWS", 53)
            yield lambda folder: files_sample(folder, SCHEMA)


def model(data: str, **wishes: Any) -> dict[str, Any]:
    made = {"schema": SCHEMA, "epsilon": 1, "random_state": 7, "concepts": "trees:2", **wishes}
    return learn(data, **made).to_json()  # type: ignore[arg-type]


def test_the_model_is_the_same_to_the_last_byte(tmp_path: Path) -> None:
    written(tmp_path)
    models = [model(str(tmp_path / "*.parquet"), engine=engine) for engine in ("memory", "files", "auto")]
    assert models[0] == models[1] == models[2]
    held_out = {"estimate_epsilon": "0.5", "holdout": "0.25", "leaf_epsilon": "0.1", "concepts": "trees:2"}
    assert model(str(tmp_path), engine="memory", **held_out) == model(str(tmp_path), **held_out)


def test_what_one_pass_suffices_for_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path)
    wishes = {"engine": "memory", "concepts": "trees:2", "estimate_epsilon": None}
    expected = model(str(tmp_path), **wishes)
    loaded: list[StreamedSample] = []
    gathered = StreamedSample.gathered
    monkeypatch.setattr(
        StreamedSample, "gathered", lambda sample: (loaded.append(sample), gathered(sample))[1]
    )
    assert model(str(tmp_path), **wishes) == expected
    assert not loaded
    model(str(tmp_path), leaf_epsilon="0.1", **wishes)  # reads the records twice
    assert len(loaded) == 1


def test_csv_files_and_partitioned_folders(tmp_path: Path) -> None:
    whole = table(500)
    pq.write_table(whole, tmp_path / "whole.parquet")
    expected = model(str(tmp_path / "whole.parquet"), engine="memory")
    folder = tmp_path / "csv"
    folder.mkdir()
    pc.write_csv(whole.slice(0, 300), folder / "1.csv")
    pc.write_csv(whole.slice(300), folder / "2.csv")
    assert model(str(folder / "*.csv")) == expected
    parted = tmp_path / "parted"
    pq.write_to_dataset(whole, parted, partition_cols=["ward"])
    found = files_sample(parted, SCHEMA)
    assert found.size.total == 500
    assert (
        model(str(parted), concepts="stumps")["certificate"]
        == model(str(tmp_path / "whole.parquet"), concepts="stumps")["certificate"]
    )


def broken_folder(folder: Path, which: str) -> None:
    written(folder, files=40)
    victim = folder / "part-037.parquet"
    part = pq.read_table(victim)
    if which == "truncated":
        victim.write_bytes(victim.read_bytes()[:-100])
    elif which == "missing column":
        pq.write_table(part.drop_columns(["dose"]), victim)
    elif which == "other type":
        pq.write_table(part.set_column(0, "age", part["age"].cast(pa.string())), victim)
    elif which == "null":
        holes = pa.array([None] * part.num_rows, type=pa.int64())
        pq.write_table(part.set_column(2, "key", holes), victim)
    elif which == "unknown class":
        pq.write_table(part.set_column(6, "ill", pa.array(["perhaps"] * part.num_rows)), victim)
    elif which == "damaged inside":
        stored = bytearray(victim.read_bytes())
        stored[40:400] = b"\x00" * 360
        victim.write_bytes(bytes(stored))


@pytest.mark.parametrize(
    ("which", "error", "said"),
    [
        ("truncated", DataError, "part-037.parquet"),
        ("missing column", SchemaError, "part-037.parquet has no column 'dose'"),
        ("other type", SchemaError, "'age' holds text in"),
        ("null", DataError, "Column 'key'"),
        ("unknown class", DataError, "Label 'ill'"),
        ("damaged inside", DataError, "part-037.parquet"),
    ],
)
@pytest.mark.parametrize("holdout", ["0", "0.5"])
def test_what_is_wrong_is_named_and_nothing_is_spent(
    tmp_path: Path, which: str, error: type[PrivpacError], said: str, holdout: str
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    broken_folder(data, which)
    ledger = Ledger(epsilon=3, path=tmp_path / "ledger.db")
    wishes = {"estimate_epsilon": "0.5", "holdout": holdout, "concepts": "stumps"}
    with pytest.raises(error) as caught:
        model(str(data), ledger=ledger, **wishes)
    assert said in str(caught.value)
    assert "perhaps" not in str(caught.value)
    assert ledger.spent.epsilon == 0
    assert ledger.entries() == ()


def test_a_budget_that_does_not_suffice_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    broken_folder(data, "null")
    ledger = Ledger(epsilon="0.5", path=tmp_path / "ledger.db")
    with pytest.raises(BudgetExceeded):
        model(str(data), ledger=ledger)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("records")
    written(place)
    return place


LEARNERS = {
    **{word: learner(word, 1200) for word in WORDS},
    **{f"points:key:{way}": learner(f"points:key:{way}", 1200) for way in POINT_WAYS if way != "gibbs"},
    **{f"{word}, labels": learner(word, 1200, "labels") for word in PRIVATE_LABELS},
    **transformed(1200),
    "stable": Stable(Thresholds(SCHEMA, "age"), 300, Fraction(1)),
}


@pytest.mark.long_cases("points:key:improper", "halfspaces:age,dose, labels", "points:key:cover")
@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_reads_all_records_as_often_as_it_declares(folder: Path, name: str) -> None:
    sample = files_sample(folder, SCHEMA)
    assert isinstance(sample, StreamedSample)
    LEARNERS[name].learn(sample, SeededCoins(1))
    assert sample.passes == LEARNERS[name].passes


def test_a_dry_run_says_how_often_records_are_read(tmp_path: Path) -> None:
    written(tmp_path)
    request = Request(SCHEMA, Size(1200), LearnRequest(epsilon=Fraction(1)))
    for word, passes in (("stumps", 1), ("trees:2", 1), ("points:key:boosted", 6)):
        recipe = Recipe(word, request)
        assert cost_of(str(tmp_path / "*.parquet"), recipe, engine="files").passes == passes


def test_the_command_line_streams_and_dry_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data"
    data.mkdir()
    written(data)
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(SCHEMA.to_json()))
    common = ["learn", str(data / "*.parquet"), "--schema", str(schema), "--epsilon", "1", "--json"]
    assert main([*common, "--dry-run"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["engine"], plan["records"], plan["files"]) == ("files", 1200, 4)
    assert plan["passes"] >= 1
    assert plan["seconds"] > 0
    assert "bytes" not in plan  # how long a file is depends on the values of its records
    models = []
    for engine in ("memory", "files"):
        out = tmp_path / f"{engine}.json"
        code = main([*common, "--engine", engine, "--random-state", "1", "--out", str(out)])
        capsys.readouterr()
        assert code == 0
        models.append(out.read_bytes())
    assert models[0] == models[1]
    assert main([*common, "--engine", "cloud"]) == 2
    assert "one of auto, memory, files" in capsys.readouterr().err


def test_what_cannot_stream_says_so_before_reading(tmp_path: Path) -> None:
    written(tmp_path)
    wishes: dict[str, Any] = {"schema": SCHEMA, "epsilon": 1, "concepts": "thresholds:age"}
    with pytest.raises(
        ParameterError, match="engine is 'files', but must be left out together with unlabelled"
    ):
        learn(str(tmp_path), **wishes, unlabelled=True, engine="files")
    with pytest.raises(DataError, match="is a folder"):
        learn(str(tmp_path), **wishes, unlabelled=True)


def test_predictions_and_comparisons_come_from_folders_too(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    written(data)
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(SCHEMA.to_json()))
    asked = ["learn", str(data), "--schema", str(schema), "--epsilon", "1", "--concepts", "thresholds:age"]
    bundle = ["--protect", "predictions", "--answers", "3", "--out", str(tmp_path / "bundle")]
    assert main([*asked, *bundle, "--engine", "spark"]) == 2
    assert main([*asked, *bundle, "--dry-run"]) == 2
    assert not (tmp_path / "bundle").exists()
    assert main([*asked, *bundle]) == 0
    models = [
        learn(str(data), schema=SCHEMA, epsilon=1, concepts=word, random_state=1)
        for word in ("stumps", "thresholds:dose")
    ]
    whole = pq.read_table([str(file) for file in sorted(data.glob("*.parquet"))])
    found = [
        compare_models(table, *models, epsilon=1, random_state=2)
        for table in (str(data / "*.parquet"), whole)
    ]
    assert found[0].difference == found[1].difference


AGES = {
    "label": "ill",
    "classes": [0, 1],
    "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}],
}


def ages(data: Any, engine: str, **more: Any) -> Any:
    wishes: dict[str, Any] = {"concepts": "thresholds:age", "epsilon": 5, "random_state": 1, "engine": engine}
    return learn(data, schema={**AGES, **more}, **wishes).describe()


def csv_of(path: Path, records: int, *, note: str, odd_end: int = -1) -> Path:
    """Ages, a note that nothing looks at, and labels; the line `odd_end` ends in CRLF."""
    ends = {odd_end: "\r\n"}
    lines = (f"{i % 100},{note},{int(i % 100 >= 50)}{ends.get(i, chr(10))}" for i in range(records))
    path.write_text("age,note,ill\n" + "".join(lines), encoding="utf-8", newline="")
    return path


QUOTED = '"x\n5,y,1\n6,z"'


@pytest.mark.parametrize("engine", ["memory", "files"])
def test_small_files_with_breaks_in_quoted_cells_and_with_one_kind_of_line_end_are_read(
    engine: str, tmp_path: Path
) -> None:
    assert ages(csv_of(tmp_path / "a.csv", 400, note=QUOTED), engine) == "1 if age >= 50, else 0"
    assert ages(csv_of(tmp_path / "b.csv", 400, note="x"), engine) == "1 if age >= 50, else 0"


@known_failure("breaks")
@pytest.mark.parametrize("engine", ["memory", "files"])
def test_a_large_file_with_breaks_in_quoted_cells_is_read(engine: str, tmp_path: Path) -> None:
    path = csv_of(tmp_path / "a.csv", 900_000, note=QUOTED)
    assert path.stat().st_size > 2**23
    assert ages(path, engine) == "1 if age >= 50, else 0"


@known_failure("mixed line ends")
@pytest.mark.parametrize("engine", ["memory", "files"])
def test_one_line_of_another_end_is_read(engine: str, tmp_path: Path) -> None:
    path = csv_of(tmp_path / "a.csv", 400, note="x", odd_end=150)
    assert ages(path, engine) == "1 if age >= 50, else 0"


@pytest.mark.parametrize("rows", [4096, pytest.param(4097, marks=known_failure("arrow dictionary"))])
def test_arrow_dictionaries_of_pandas_are_read(rows: int) -> None:
    numbers = np.arange(rows) % 100
    ill = pd.Series(np.where(numbers >= 50, "yes", "no"))
    frame = pd.DataFrame(
        {"age": numbers, "ill": ill.astype(pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())))}
    )
    assert ages(frame, "memory", classes=["no", "yes"]) == "yes if age >= 50, else no"
