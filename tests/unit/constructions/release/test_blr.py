"""Databases drawn from all small ones: thresholds by lattice paths, listed queries by trying all."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest

from privpac.audit.registry import sample_of, tiny_schema
from privpac.checker.check import check_certificate
from privpac.coins import SeededCoins, law
from privpac.concepts.line.thresholds import Threshold
from privpac.concepts.sets.points import Point
from privpac.constructions.release.blr import ListedBLR, ThresholdBLR, _multisets, candidate_answers
from privpac.constructions.release.tables import Buckets
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, RuleRefused, SizeError
from privpac.guarantee.facts import Queries
from privpac.numbers.exact import ratio_for

ONE = Fraction(1)
RATIO = ratio_for(Fraction(1, 2))


def column(size: int) -> Schema:
    numeric = {"name": "x", "kind": "numeric", "lower": 0, "upper": size - 1, "integer": True}
    return Schema.from_json({"label": "y", "columns": [numeric]})


def test_sixteen_bits_and_an_error_of_a_twentieth_take_14549_records() -> None:
    sanitiser = ThresholdBLR(column(2**16), "x", ONE, error=Fraction(1, 20))
    certificate = sanitiser.certify(Size(0, 14_549))
    assert check_certificate(certificate.to_json()) >= 3
    assert certificate.answers[0].fact.error <= Fraction(1, 20)
    with pytest.raises(SizeError, match="14,548 records would do"):
        sanitiser.certify(Size(0, 10_000))
    rng = np.random.default_rng(1)
    cells = np.minimum(rng.exponential(3000, 14_549), 2**16 - 1).astype(np.uint64)
    released = sanitiser.release(MemorySample.from_cells(column(2**16), {"x": cells}), SeededCoins(1))
    assert released.total == 21
    ordered = np.sort(cells)
    for cut in rng.integers(0, 2**16, 300).tolist():
        true = np.searchsorted(ordered, cut) / 14_549
        assert abs(released.below(cut) / 21 - true) <= 0.05


def test_points_may_be_chosen() -> None:
    assert ThresholdBLR(column(64), "x", ONE, points=5).plan(1000).points == 5
    for wrong in (0, True, 1.5):
        with pytest.raises(ParameterError, match="points"):
            ThresholdBLR(column(64), "x", ONE, points=wrong)  # type: ignore[arg-type]


def test_multisets_are_listed_once() -> None:
    for cells, points in ((3, 2), (1, 4), (4, 1), (2, 5)):
        found = [tuple(row) for row in _multisets(cells, points).tolist()]
        listed = {
            tuple(p.count(c) for c in range(cells))
            for p in combinations_with_replacement(range(cells), points)
        }
        assert len(found) == len(listed)
        assert set(found) == listed


def test_listed_queries_are_drawn_by_their_worst_error() -> None:
    schema = tiny_schema(3)
    asked = (Threshold("a", 1, True), Point("a", 1))
    sanitiser = ListedBLR(schema, ("a",), asked, ONE, points=2)
    data = [(0, 0), (1, 0), (1, 1), (2, 0)]
    found = law(lambda coins: sanitiser.release(sample_of(schema, data), coins))
    radius = sanitiser.plan(4).radius
    weights = {}
    for pair in combinations_with_replacement(range(3), 2):
        off = max(
            abs(Fraction(sum(c >= 1 for c, _ in data), 4) - Fraction(sum(p >= 1 for p in pair), 2)),
            abs(Fraction(sum(c == 1 for c, _ in data), 4) - Fraction(sum(p == 1 for p in pair), 2)),
        )
        beyond = 4 * (off - radius)
        weights[pair] = RATIO ** max(0, -(-beyond.numerator // beyond.denominator))
    total = sum(weights.values())
    seen = {
        tuple(cell for cell, count in released.counts for _ in range(count)): mass
        for released, mass in found.items()
    }
    assert seen == {pair: weight / total for pair, weight in weights.items()}


def test_a_list_too_long_is_refused() -> None:
    asked = (Threshold("a", 1, True),)
    with pytest.raises(SizeError, match="too many small databases"):
        ListedBLR(column(2**25), ("x",), (Threshold("x", 1, True),), ONE)
    with pytest.raises(ParameterError, match="at least one rule"):
        ListedBLR(tiny_schema(3), ("a",), (), ONE)
    assert ListedBLR(tiny_schema(3), ("a",), asked, ONE).plan(500).points >= 2


def test_a_listed_certificate_is_checked() -> None:
    asked = tuple(Threshold("a", cut, True) for cut in (1, 2))
    sanitiser = ListedBLR(tiny_schema(3), ("a",), asked, ONE)
    certificate = sanitiser.certify(Size(2000))
    assert check_certificate(certificate.to_json()) >= 2
    assert certificate.answers[0].fact.error < Fraction(1, 10)


class TestBuckets:
    def test_records_lie_in_the_middles_of_equal_parts(self) -> None:
        table = Buckets("x", ((0, 10, 2), (10, 11, 3), (20, 27, 1)))
        assert table.cells() == [2, 7, 10, 10, 10, 23]
        assert table.total == 6

    def test_questions_are_answered_by_the_records(self) -> None:
        rng = np.random.default_rng(6)
        edges = sorted(rng.choice(200, 9, replace=False).tolist())
        table = Buckets.of("x", edges, rng.integers(0, 6, 8).tolist())
        cells = table.cells()
        for cut in range(-1, 210):
            assert table.below(cut) == sum(cell < cut for cell in cells)
        assert table.query(20, 90) == Fraction(sum(20 <= c < 90 for c in cells), len(cells))
        assert table.query(90, 20) == 0

    def test_stored_and_read_back(self) -> None:
        table = Buckets("x", ((2**70, 2**71, 5),))
        assert Buckets.from_json(table.to_json()) == table
        assert table.fits(column(2**72))
        assert not table.fits(column(2**16))
        assert not table.fits(tiny_schema(3))
        assert Buckets("x", ()).below(5) == 0

    @pytest.mark.parametrize("wrong", [((3, 2, 1),), ((0, 5, 0),), ((0, 5, 1), (4, 6, 1)), ((-1, 5, 1),)])
    def test_what_is_no_table_is_refused(self, wrong: tuple[tuple[int, int, int], ...]) -> None:
        with pytest.raises(ValueError, match="buckets"):
            Buckets("x", wrong)


@pytest.mark.parametrize("queries", [Queries.POINTS, Queries.RANGES])
def test_a_table_drawn_among_candidates_promises_nothing_of_other_queries(queries: Queries) -> None:
    """The checkers refuse such a step, and so does its maker; ranges follow from thresholds at twice the error."""
    numbers = {"candidates": 100, "records": 1_000, "ratio": RATIO, "radius": Fraction(1, 50)}
    asked = {**numbers, "error": Fraction(1, 5), "failure": Fraction(1, 20)}
    assert candidate_answers(**asked, queries=Queries.THRESHOLDS)
    with pytest.raises(RuleRefused, match="thresholds or listed queries"):
        candidate_answers(**asked, queries=queries)
