"""Co-occurrence counts: equal to counting records one by one, whatever the way, the cuts and the threads."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from privpac.concepts.literals import cooccurrence as tensor_module
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import (
    Cooccurrence,
    CooccurrenceTensor,
    position,
)
from privpac.data.columns import Categorical, Column, Numeric
from privpac.data.sample import Block
from privpac.errors import DataError, ParameterError, SizeError
from tests.unit.tiny import counted, flags, held, mixed_columns, table


def literal(binarisation: Binarisation, block: Block, *, depth: int, classes: int) -> np.ndarray:
    rows = held(binarisation, block)
    p = len(rows)
    assert block.labels is not None
    total = position(tuple(range(p - depth, p)), p) + 1
    counts = np.zeros((total, classes), dtype=np.int32)
    for size in range(depth + 1):
        for tests in combinations(range(p), size):
            mask = np.all(rows[list(tests)], axis=0) if tests else np.ones(block.n, dtype=bool)
            counts[position(tests, p)] = np.bincount(block.labels[mask], minlength=classes)
    return counts


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("classes", [2, 3])
def test_counts_equal_counting(depth: int, classes: int) -> None:
    for n in (1, 70, 1000):
        schema, block = table((*mixed_columns(), Numeric("z", 0.0, 1.0)), n=n, classes=classes, seed=n)
        binarisation = Binarisation.of(schema, cuts=3)
        tensor = CooccurrenceTensor(binarisation, depth, classes)
        want = literal(binarisation, block, depth=depth, classes=classes)
        assert np.array_equal(counted(tensor, block).counts, want)


def some_columns(generator: np.random.Generator) -> tuple[Column, ...]:
    """A few columns of any kind, in any order."""
    made: list[Column] = []
    for i in range(int(generator.integers(1, 6))):
        kind = int(generator.integers(0, 3))
        names = tuple("abcdefgh"[: int(generator.integers(3, 9))])
        made.append(
            (flags(i + 1)[i], Numeric(f"x{i}", 0.0, 1.0), Categorical(f"c{i}", categories=names))[kind]
        )
    return tuple(made)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("way", ["plain bits", "kernel", "histograms", "wide ones by histograms"])
def test_every_way_counts_what_the_definition_says(
    seed: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(seed)
    columns, classes = some_columns(generator), int(generator.integers(2, 4))
    schema, block = table(columns, n=int(generator.integers(1, 200)), classes=classes, seed=seed)
    binarisation = Binarisation.of(schema, cuts=int(generator.integers(1, 6)))
    depth = min(4, len(binarisation.tests)) if len(binarisation.tests) < 15 else 3
    limit = {"histograms": 0, "wide ones by histograms": 9}.get(way, 2**62)
    monkeypatch.setattr(tensor_module, "_limit", lambda _n: limit)
    monkeypatch.setattr(tensor_module, "plainly", lambda _operations: way == "plain bits")
    tensor = CooccurrenceTensor(binarisation, depth, classes, threads=1 + seed % 3)
    monkeypatch.setattr(tensor_module, "WORTH_THREADS", 1)
    monkeypatch.setattr(tensor_module, "MOST_LOOKED_UP", 40 if seed == 5 else 2**22)
    want = literal(binarisation, block, depth=depth, classes=classes)
    assert np.array_equal(counted(tensor, block).counts, want)


@pytest.mark.long
def test_a_large_table_is_counted_both_ways() -> None:
    columns: tuple[Column, ...] = (
        Numeric("a", 0.0, 1.0),
        Categorical("c", categories=tuple("uvwxyz")),
        Numeric("b", 0.0, 1.0),
        *flags(2),
    )
    schema, block = table(columns, n=5000, seed=3)
    tensor = CooccurrenceTensor(Binarisation.of(schema, cuts=70), 3, 2)
    wide = tensor_module._wide(tensor._groups, 2, tensor_module._limit(5000))
    assert wide == ((0, 2),)
    want = literal(tensor.binarisation, block, depth=3, classes=2)
    assert np.array_equal(counted(tensor, block).counts, want)


def test_absorbing_parts_and_merging_equals_the_whole() -> None:
    schema, block = table(mixed_columns(), n=400, classes=3, seed=5)
    assert block.labels is not None
    tensor = CooccurrenceTensor(Binarisation.of(schema), 3, 3)
    whole = counted(tensor, block)
    parts = []
    for start, stop in ((0, 1), (1, 130), (130, 130), (130, 400)):
        cells = {name: values[start:stop] for name, values in block.cells.items()}
        parts.append(Block(cells, block.labels[start:stop], stop - start))
    running = tensor.zero()
    for part in parts:
        running = tensor.absorb(running, part)
    merged = tensor.zero()
    for part in reversed(parts):
        merged = tensor.merge(merged, counted(tensor, part))
    assert np.array_equal(running.counts, whole.counts)
    assert np.array_equal(merged.counts, whole.counts)


def test_threads_do_not_change_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensor_module, "WORTH_THREADS", 0)
    schema, block = table((*mixed_columns(), Numeric("z", 0.0, 1.0)), n=3000, seed=8)
    binarisation = Binarisation.of(schema, cuts=20)
    one = counted(CooccurrenceTensor(binarisation, 3, 2, 1), block)
    for threads in (2, 5):
        other = counted(CooccurrenceTensor(binarisation, 3, 2, threads), block)
        assert np.array_equal(one.counts, other.counts)


def test_many_words_are_counted_block_by_block() -> None:
    schema, block = table(flags(5), n=40_000, seed=9)
    binarisation = Binarisation.of(schema)
    got = counted(CooccurrenceTensor(binarisation, 4, 2), block)
    assert np.array_equal(got.counts, literal(binarisation, block, depth=4, classes=2))


def test_fewer_columns_than_the_depth() -> None:
    schema, block = table((Numeric("dose", 0, 2, integer=True),), n=50)
    binarisation = Binarisation.of(schema)
    got = counted(CooccurrenceTensor(binarisation, 4, 2), block)
    assert got.counts.shape == (4, 2)
    assert np.array_equal(got.counts[3], got.counts[2])  # at least 1 and at least 2 means at least 2


def test_limits_and_secrets() -> None:
    schema, block = table(mixed_columns(), n=10)
    tensor = CooccurrenceTensor(Binarisation.of(schema), 2, 2)
    with pytest.raises(DataError, match="labels"):
        tensor.absorb(tensor.zero(), Block(block.cells, None, block.n))
    full = tensor.zero()
    full.counts[0] = 2**30
    with pytest.raises(SizeError, match="2,147,483,647"):
        tensor.merge(full, full)
    with pytest.raises(ParameterError, match="depth"):
        CooccurrenceTensor(Binarisation.of(schema), 5, 2)
    with pytest.raises(ParameterError, match="threads"):
        CooccurrenceTensor(Binarisation.of(schema), 2, 2, 0)
    assert repr(Cooccurrence(full.counts)) == f"Cooccurrence(sets={tensor.sets}, classes=2)"


def test_the_estimate_grows_with_the_table() -> None:
    schema, _ = table((*mixed_columns(), Numeric("z", 0.0, 1.0)), n=10)
    tensor = CooccurrenceTensor(Binarisation.of(schema), 3, 2)
    small, large = tensor.estimate(10_000), tensor.estimate(1_000_000)
    assert 0 < small.seconds < large.seconds
    assert 4 * 2 * tensor.sets < small.bytes < large.bytes


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_numpy_counts_what_the_kernels_count(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    schema, block = table((*mixed_columns(), Numeric("z", 0.0, 1.0)), n=300, classes=3, seed=depth)
    tensor = CooccurrenceTensor(Binarisation.of(schema, cuts=3), depth, 3)
    state = counted(tensor, block)  # records may follow others
    want = tensor.absorb(Cooccurrence(state.counts.copy()), block).counts
    monkeypatch.setattr(tensor_module, "plainly", lambda operations: True)
    monkeypatch.setattr(tensor_module, "_count_sets", None)
    assert np.array_equal(tensor.absorb(state, block).counts, want)
