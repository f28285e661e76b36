"""Shards read by workers: the same as memory, also when a worker reads its file twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privpac.constructions.words import WORDS as KNOWN_WORDS
from privpac.data.engines.files import files_at
from privpac.data.engines.sharded import ShardedSample
from privpac.data.sample import Sample
from privpac.data.statistics import CellCounts
from privpac.errors import DataError
from tests.contracts.engine_conformance import SCHEMA, WORDS, EngineConformance, written


def careless(function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterable[Any]:
    """Every third task is lost once and run again, as a scheduler would."""
    for i, task in enumerate(tasks):
        if i % 3 == 0:
            function(task)
        yield function(task)


class TestShards(EngineConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def opened(cls) -> Callable[[Path], Sample]:
        return lambda folder: ShardedSample.of(files_at(folder), SCHEMA, run=careless)


def test_a_task_carries_the_positions_its_worker_needs(tmp_path: Path) -> None:
    written(tmp_path)
    seen: list[list[int]] = []

    def listening(function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterable[Any]:
        seen.append([len(task.positions) for task in tasks])
        return [function(task) for task in tasks]

    sample = ShardedSample.of(files_at(tmp_path), SCHEMA, run=listening)
    sample.take(np.array([0, 1, 1199]))
    sample.rest(np.array([5])).reduce(CellCounts(SCHEMA.column("age")))
    assert seen == [[2, 0, 0, 1], [1, 0, 0, 0]]


def test_a_file_that_changes_between_two_looks_is_noticed(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    written(tmp_path)
    sample = ShardedSample.of(files_at(tmp_path), SCHEMA, run=careless)
    victim = tmp_path / "part-001.parquet"
    pq.write_table(pq.read_table(victim).slice(1), victim)
    with pytest.raises(DataError, match="changed while they were read"):
        sample.reduce(CellCounts(SCHEMA.column("age")))


def test_every_word_is_tried_on_every_engine() -> None:
    assert {word.partition(":")[0] for word in WORDS} == set(KNOWN_WORDS)
