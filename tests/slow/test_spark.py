"""Spark for real: a small cluster of two executors, one of which is killed in the middle of a job."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privpac import learn
from privpac.data.engines.memory import MemorySample
from privpac.data.engines.spark import session, spark_sample
from privpac.data.sample import Sample
from privpac.data.statistics import CellCounts
from privpac.errors import DataError
from tests.contracts.engine_conformance import SCHEMA, EngineConformance, same, written

MASTER = "local-cluster[2,1,768]"


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark import cloudpickle

    # The statistics made up below travel as they are: executors have this package, not its tests.
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    with pytest.MonkeyPatch.context() as patch:
        # Of virtual machines that live for a minute: to compile well takes longer than what it saves.
        patch.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        made = session(MASTER)
    yield made
    made.stop()


class TestSpark(EngineConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def opened(cls, spark: Any) -> Callable[[Path], Sample]:
        return lambda folder: spark_sample(folder, SCHEMA, spark=spark)


def test_the_certificate_is_that_of_memory_to_the_last_byte(tmp_path: Path, spark: Any) -> None:
    written(tmp_path)
    wishes: dict[str, Any] = {"schema": SCHEMA, "epsilon": 1, "random_state": 7, "concepts": "trees:2"}
    models = [
        learn(str(tmp_path), **wishes, engine="memory").to_json(),
        learn(str(tmp_path), **wishes, engine="spark", spark=spark).to_json(),
    ]
    assert models[0] == models[1]


def test_a_record_is_read_as_it_would_be_alone(tmp_path: Path, spark: Any) -> None:
    """One cell that is empty, a word or a fraction changes nobody else's: in CSV files, and in a frame with gaps."""
    from tests.laws.test_cells_alone import SCHEMA as KINDS
    from tests.laws.test_cells_alone import same_as_alone

    texts = {
        "age": ["007", "", "1e2"],
        "key": [str(2**53 + 1), "nan", "0x10"],
        "wide": [str(2**99), "1.5", " 7 "],
        "dose": ["1", "2.5", "NaN"],
        "ward": ["a", "2020-01-02", "NULL"],
        "smokes": ["1", "true", "no"],
        "seen": ["2020-01-02", "", "2020-03-04T05:06"],
        "at": ["2020-01-02T03:04:05+02:00", "2020-01-02", ""],
        "ill": ["1", "true", "no"],
    }
    lines = [",".join(texts), *(",".join(row) for row in zip(*texts.values(), strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    same_as_alone(spark_sample(tmp_path, KINDS, spark=spark).take(np.arange(3)), texts)

    typed: dict[str, list[Any]] = {**texts, "key": [2**53 + 1, None, 7], "dose": [0.5, None, 2.0]}
    frame = spark.createDataFrame(list(zip(*typed.values(), strict=True)), list(typed)).coalesce(1)
    same_as_alone(spark_sample(frame, KINDS, spark=spark).take(np.arange(3)), typed)


def test_a_frame_is_written_once_and_its_positions_stay(tmp_path: Path, spark: Any) -> None:
    written(tmp_path)
    frame = spark.read.parquet(str(tmp_path)).repartition(3)
    sample = spark_sample(frame, SCHEMA, spark=spark)
    keys = CellCounts(SCHEMA.column("key"))
    positions = np.arange(0, 1200, 5)
    taken, rest = sample.take(positions), sample.rest(positions)
    memory = MemorySample.of(str(tmp_path / "part-000.parquet"), SCHEMA)
    assert memory.size.total > 0
    whole = sample.reduce(keys)
    assert same(keys.merge(taken.reduce(keys), rest.reduce(keys)), whole)
    assert whole.n == 1200


def test_what_is_wrong_with_a_record_is_said_in_one_sentence(tmp_path: Path, spark: Any) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    written(tmp_path)
    victim = tmp_path / "part-002.parquet"
    part = pq.read_table(victim)
    pq.write_table(part.set_column(6, "ill", pa.array(["perhaps"] * part.num_rows)), victim)
    with pytest.raises(DataError, match="Label 'ill'") as caught:
        spark_sample(tmp_path, SCHEMA, spark=spark).validate()
    assert "perhaps" not in str(caught.value)


def executors() -> list[int]:
    """Process numbers of the executors this process has started, directly or not."""
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
    ).stdout
    parents, named = {}, []
    for line in listed.splitlines()[1:]:
        pid, parent, arguments = line.split(None, 2)
        parents[int(pid)] = int(parent)
        if "CoarseGrainedExecutorBackend" in arguments:
            named.append(int(pid))

    def ours(pid: int) -> bool:
        while pid in parents and pid != os.getpid():
            pid = parents[pid]
        return pid == os.getpid()

    return [pid for pid in named if ours(pid)]


class Slow:
    """A statistic that takes its time, so that there is a middle to be killed in."""

    def __init__(self, inner: CellCounts) -> None:
        self.inner = inner

    @property
    def columns(self) -> tuple[str, ...]:
        return self.inner.columns

    def zero(self) -> Any:
        return self.inner.zero()

    def absorb(self, state: Any, block: Any) -> Any:
        time.sleep(3)
        return self.inner.absorb(state, block)

    def merge(self, a: Any, b: Any) -> Any:
        return self.inner.merge(a, b)


def test_a_killed_executor_changes_nothing(tmp_path: Path, spark: Any) -> None:
    whole = written(tmp_path, files=6)
    keys = CellCounts(SCHEMA.column("key"))
    sample = spark_sample(tmp_path, SCHEMA, spark=spark)
    killed: list[int] = []

    def kill() -> None:
        time.sleep(4)
        for pid in executors()[:1]:
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    found = sample.reduce(Slow(keys))
    thread.join()
    assert len(killed) == 1
    assert same(found, MemorySample.of(whole, SCHEMA).reduce(keys))


class Broken(Slow):
    """A statistic with a fault, whose own words quote a record."""

    def absorb(self, state: Any, block: Any) -> Any:
        raise ValueError("the record of Ann")


def test_a_fault_on_an_executor_quotes_no_record(tmp_path: Path, spark: Any) -> None:
    written(tmp_path, files=1)
    sample = spark_sample(tmp_path, SCHEMA, spark=spark)
    with pytest.raises(DataError, match="failed on its executors") as caught:
        sample.reduce(Broken(CellCounts(SCHEMA.column("key"))))
    assert "Ann" not in "".join(traceback.format_exception(caught.value))


def test_this_python_runs_the_executors(spark: Any) -> None:
    assert os.environ["PYSPARK_PYTHON"] == sys.executable
