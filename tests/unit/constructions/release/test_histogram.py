"""Point histograms: combinations, dense and sparse, their answers and their records."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.registry import sample_of, tiny_schema
from privpac.checker.check import check_certificate
from privpac.coins import SeededCoins
from privpac.concepts.line.thresholds import Threshold
from privpac.constructions.release.histogram import PointHistogram
from privpac.constructions.release.tables import PointCounts
from privpac.data.engines.memory import MemorySample
from privpac.data.joint import JointCells
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import DataError, ParameterError, SizeError

ONE = Fraction(1)
SCHEMA = tiny_schema(3, 4, categories=2)


def mixed(n: int = 60) -> MemorySample:
    rng = np.random.default_rng(2)
    rows = [(int(a), int(b), int(k), int(y)) for a, b, k, y in rng.integers(0, (3, 4, 2, 2), (n, 4))]
    return sample_of(SCHEMA, rows)


@pytest.mark.parametrize("names", [("a",), ("a", "kind"), ("kind", "y", "b"), ("y",)])
def test_joint_cells_count_combinations(names: tuple[str, ...]) -> None:
    joint, sample = JointCells(SCHEMA, names), mixed()
    found = sample.reduce(joint)
    block = sample.block()
    columns = [block.labels if name == "y" else block.cells[name] for name in names]
    seen = {joint.code([int(c) for c in row]): 0 for row in zip(*columns, strict=True)}
    for row in zip(*columns, strict=True):
        seen[joint.code([int(c) for c in row])] += 1
    assert dict(zip(found.values.tolist(), found.counts[:, 0].tolist(), strict=True)) == seen
    cells = joint.cells(list(seen))
    assert [joint.code([cells[n][i] for n in names]) for i in range(len(seen))] == list(seen)


def test_joint_cells_add_up_and_know_their_needs() -> None:
    joint = JointCells(SCHEMA, ("a", "y"))
    one, two = mixed(20), mixed(33)
    merged = joint.merge(one.reduce(joint), two.reduce(joint))
    assert merged.n == 53
    assert int(merged.counts.sum()) == 53
    assert joint.merge(joint.zero(), merged) is merged
    bare = MemorySample.from_cells(SCHEMA, dict(one.block().cells))
    with pytest.raises(DataError, match="no label"):
        bare.reduce(joint)
    for wrong in ((), ("a", "a")):
        with pytest.raises(ParameterError, match="different columns"):
            JointCells(SCHEMA, wrong)


def test_products_beyond_64_bits() -> None:
    wide = Schema.from_json(
        {
            "label": "y",
            "columns": [
                {"name": name, "kind": "numeric", "lower": 0, "upper": 2**40 - 1, "integer": True}
                for name in "uv"
            ],
        }
    )
    joint = JointCells(wide, ("u", "v"))
    sample = MemorySample.from_cells(wide, {"u": np.array([1, 1, 2**39]), "v": np.array([7, 7, 2**40 - 1])})
    found = joint.merge(sample.reduce(joint), sample.reduce(joint))
    assert found.values.tolist() == [2**40 + 7, 2**79 + 2**40 - 1]
    released = PointHistogram(wide, ("u", "v"), Fraction(400)).release(sample, SeededCoins(1))
    assert released.total == 3


def test_a_released_histogram_answers_and_makes_records() -> None:
    sample = mixed(4000)
    sanitiser = PointHistogram(SCHEMA, ("a", "kind", "y"), Fraction(4))
    released = sanitiser.release(sample, SeededCoins(1))
    promised = sanitiser.certify(sample.size).answers[0].fact.error
    block = sample.block()
    for cells in ((0, 0, 0), (2, 1, 1)):
        true = np.mean(
            (block.cells["a"] == cells[0]) & (block.cells["kind"] == cells[1]) & (block.labels == cells[2])
        )
        assert abs(float(released.query(SCHEMA, cells)) - true) <= promised
    records = released.records(SCHEMA)
    assert records.size.labelled == sum(count for _, count in released.counts)
    assert records.block().labels is not None
    share = released.share(SCHEMA, Threshold("a", 1, True))
    assert abs(float(share) - np.mean(block.cells["a"] >= 1)) < 0.05


def test_a_sparse_histogram_of_a_huge_domain() -> None:
    wide = Schema.from_json(
        {
            "label": "y",
            "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 2**64 - 1, "integer": True}],
        }
    )
    cells = np.array([5] * 900 + [2**63] * 700 + list(range(100, 500)), dtype=np.uint64)
    sanitiser = PointHistogram(wide, ("x",), ONE, error=Fraction(1, 10))
    released = sanitiser.release(MemorySample.from_cells(wide, {"x": cells}), SeededCoins(1))
    assert abs(released.query(wide, [5]) - Fraction(900, 2000)) <= Fraction(1, 10)
    assert released.query(wide, [123]) == 0
    assert len(released.counts) < 5


def test_stored_and_read_back() -> None:
    released = PointHistogram(SCHEMA, ("a", "y"), ONE).release(mixed(), SeededCoins(1))
    assert PointCounts.from_json(released.to_json()) == released
    assert released.fits(SCHEMA)
    assert not released.fits(tiny_schema(2))
    assert not PointCounts(("zzz",), (), 5).fits(SCHEMA)
    for counts, total in ((((1, 1), (0, 1)), 3), (((0, 0),), 3), ((), 0)):
        with pytest.raises(ValueError, match=r"counts|records"):
            PointCounts(("a",), counts, total)


def test_too_few_records_are_refused_before_anything_is_spent() -> None:
    sanitiser = PointHistogram(SCHEMA, ("a", "b"), ONE, error=Fraction(1, 100))
    with pytest.raises(SizeError, match=r"60 records prove an error of .* records would do") as refused:
        sanitiser.certify(Size(60))
    needed = int(refused.value.remedy.split()[0].replace(",", ""))
    assert check_certificate(sanitiser.certify(Size(needed)).to_json())
    with pytest.raises(SizeError):
        sanitiser.certify(Size(needed - 1))


def test_nothing_is_kept_where_the_height_is_beyond_all_counts() -> None:
    sanitiser = PointHistogram(SCHEMA, ("a", "b"), Fraction(1, 100))
    assert sanitiser.certify(Size(5)).answers == ()
    assert sanitiser.release(mixed(5), SeededCoins(1)).counts == ()


def test_an_epsilon_without_noise_of_finite_size_is_refused() -> None:
    with pytest.raises(ParameterError, match="finite size"):
        PointHistogram(SCHEMA, ("a",), Fraction(1, 10**40)).certify(Size(5))
