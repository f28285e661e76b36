"""Recursive quantiles: places for copies, cuts, the promise on repeated values."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.registry import tiny_schema
from privpac.checker.check import check_certificate
from privpac.coins import SeededCoins, law
from privpac.constructions.release.quantiles import Quantiles, halved, places
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts
from privpac.errors import ParameterError, SizeError
from privpac.numbers.exact import ratio_for

ONE = Fraction(1)


def column(size: int) -> Schema:
    numeric = {"name": "x", "kind": "numeric", "lower": 0, "upper": size - 1, "integer": True}
    return Schema.from_json({"label": "y", "columns": [numeric]})


def counted(cells: list[int]) -> ColumnCounts:
    values, counts = np.unique(cells, return_counts=True)
    return ColumnCounts(values.astype(np.uint64), counts.reshape(-1, 1).astype(np.int64), len(cells))


def standing(cells: list[int], *, slots: int, batch: int) -> list[int]:
    at, sums = places(counted(cells), slots=slots, batch=batch, cells=10)
    return np.repeat(at, np.diff(sums, prepend=0)).tolist()


def test_copies_stand_on_places_of_their_own() -> None:
    assert standing([2, 2, 2, 5], slots=4, batch=1) == [8, 9, 10, 20]
    assert standing([2, 2, 2, 5], slots=2, batch=2) == [4, 4, 5, 10]


def test_one_more_copy_is_one_more_record_on_one_place() -> None:
    rng = np.random.default_rng(1)
    for batch in (1, 2, 3):
        for _ in range(50):
            cells = rng.integers(0, 10, 8).tolist()
            more = [*cells, int(rng.integers(0, 10))]
            slots = -(-9 // batch)
            one, two = (standing(c, slots=slots, batch=batch) for c in (cells, more))
            for place in one:
                two.remove(place)  # everyone stands where they stood
            assert len(two) == 1


def test_a_cut_is_drawn_with_the_weight_of_twice_its_distance_from_the_median() -> None:
    ratio = Fraction(1, 2)
    at = places(counted([1, 1, 4]), slots=1, batch=9, cells=6)
    found = law(lambda coins: halved(at, (0, 6), levels=1, ratio=ratio, coins=coins)[0])
    below = [sum(c < cut for c in (1, 1, 4)) for cut in range(7)]
    weights = [ratio ** abs(2 * b - 3) for b in below]
    assert found == {cut: weight / sum(weights) for cut, weight in enumerate(weights)}


def test_cuts_are_ascending_and_stay_in_their_range() -> None:
    at = places(counted(list(range(50))), slots=1, batch=50, cells=50)
    for seed in range(20):
        cuts = halved(at, (0, 50), levels=4, ratio=ratio_for(Fraction(1, 4)), coins=SeededCoins(seed))
        assert len(cuts) == 15
        assert cuts == sorted(cuts)
        assert 0 <= cuts[0] <= cuts[-1] <= 50


def test_a_range_without_records_or_width_is_drawn_from_too() -> None:
    at = places(counted([0]), slots=1, batch=1, cells=1)
    assert halved(at, (0, 0), levels=2, ratio=ratio_for(ONE), coins=SeededCoins(1)) == [0, 0, 0]


@pytest.mark.parametrize("n", [2000, 50_000])
def test_a_value_that_everyone_has_is_found(n: int) -> None:
    schema = column(2**20)
    sanitiser = Quantiles(schema, "x", ONE)
    sample = MemorySample.from_cells(schema, {"x": np.full(n, 700_001)})
    released = sanitiser.release(sample, SeededCoins(1))
    answers = sanitiser.certify(Size(0, n)).answers
    promised = float(answers[0].fact.error) if answers else 0.5
    assert abs(float(Fraction(released.below(700_001), released.total))) <= promised
    assert float(Fraction(released.below(700_002), released.total)) >= 1 - promised


def test_without_places_for_copies_the_promise_fails() -> None:
    """The recursion as it is usually told: one place a value, and everybody on the same one."""
    at = places(counted([5] * 4000), slots=1, batch=4000, cells=1000)
    errors = []
    for seed in range(40):
        cuts = halved(at, (0, 1000), levels=4, ratio=ratio_for(Fraction(1, 16)), coins=SeededCoins(seed))
        errors.append(abs(sum(cut <= 5 for cut in cuts) - sum(cut <= 6 for cut in cuts)))
    # Nothing tells cell 5 from others: hardly any of fifteen cuts lies there, though all records do.
    assert np.mean(errors) < 8


def test_the_certificate_is_checked_and_refuses_too_few_records() -> None:
    sanitiser = Quantiles(column(2**16), "x", ONE, error=Fraction(1, 10))
    certificate = sanitiser.certify(Size(0, 9096))
    assert check_certificate(certificate.to_json()) > 3
    assert certificate.epsilon == 1
    with pytest.raises(SizeError, match=r"500 records prove .* would do") as refused:
        sanitiser.certify(Size(0, 500))
    assert "8,030" in str(refused.value)


def test_wishes_are_checked() -> None:
    schema = tiny_schema(3, categories=2)
    with pytest.raises(ParameterError, match="order"):
        Quantiles(schema, "kind", ONE)
    with pytest.raises(ParameterError, match="epsilon"):
        Quantiles(schema, "a", Fraction(0))
    with pytest.raises(ParameterError, match="error"):
        Quantiles(schema, "a", ONE, error=Fraction(2))
    with pytest.raises(SizeError, match="at least one record"):
        Quantiles(schema, "a", ONE).certify(Size(0))


def test_large_domains_are_held_in_python_integers() -> None:
    schema = column(2**64)
    sample = MemorySample.from_cells(schema, {"x": np.array([2**63, 2**64 - 1, 5] * 700, dtype=np.uint64)})
    released = Quantiles(schema, "x", Fraction(4)).release(sample, SeededCoins(2))
    assert released.buckets[-1][1] == 2**64
    assert released.total == 2 ** (Quantiles(schema, "x", Fraction(4)).plan(2100).levels + 1)
