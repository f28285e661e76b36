"""Quantiles among occupied blocks: what is drawn, what is promised, and where a delta pays."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privpac.checker.check import check_certificate
from privpac.coins import SeededCoins, law
from privpac.constructions.release.block_quantiles import (
    BlockQuantilePlan,
    BlockQuantiles,
    cut_among_blocks,
    failure_block_quantiles,
    plan_block_quantiles,
)
from privpac.constructions.release.methods import sanitiser_for
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, TooFewRecords

ONE, DELTA, FAILURE = Fraction(1), Fraction(1, 10**6), Fraction(1, 20)


def column(bits: int) -> Schema:
    numeric = {"name": "x", "kind": "numeric", "lower": 0, "upper": 2**bits - 1, "integer": True}
    return Schema.from_json({"label": "y", "columns": [numeric]})


def by_hand(
    places: list[int], low: int, high: int, *, bits: int, plan: BlockQuantilePlan
) -> dict[int, Fraction]:
    """The law of a cut, from every block of the domain."""
    held = [place for place in places if low <= place < high]
    m, a, end = len(held), plan.reach, 2**bits
    weights: dict[int, Fraction] = {}

    def add(cut: int, cost: int, times: int = 1) -> None:
        inside = min(max(cut, low), high)
        weights[inside] = weights.get(inside, Fraction(0)) + times * plan.ratio ** (cost + 2 * m)

    for level in range(bits):
        width = end >> level
        for first in range(0, end, width):
            k = sum(first <= place < first + width for place in held)
            middle = first + width // 2
            below = sum(place < middle for place in held)
            if k:
                add(middle, max(2 * a - k, abs(2 * below - m) - (2 * a - 1)))
    add(0, m - (2 * a - 1))
    add(end, m - (2 * a - 1))
    add(low, 2 * a, plan.stake)
    total = sum(weights.values())
    return {cut: weight / total for cut, weight in weights.items()}


@pytest.mark.parametrize("places", [[], [5], [0, 1, 2, 7], [3, 4, 9, 14]])
def test_a_cut_has_the_law_of_all_blocks_of_its_range(places: list[int]) -> None:
    plan = BlockQuantilePlan(1, 4, Fraction(1, 2), 8, 1, 1)
    standing = np.array(places, dtype=np.int64), np.arange(1, len(places) + 1)
    for low, high in ((0, 16), (2, 10)):
        drawn = law(
            lambda coins, low=low, high=high: cut_among_blocks(
                standing, low, high, end=16, plan=plan, coins=coins
            )
        )
        assert dict(drawn) == by_hand(places, low, high, bits=4, plan=plan)


@pytest.mark.parametrize("bits", [8, 64, 300])
def test_a_plan_proves_what_it_says_and_its_certificate_is_checked(bits: int) -> None:
    sanitiser = BlockQuantiles(column(min(bits, 64)), "x", ONE, delta=DELTA)
    plan = plan_block_quantiles(50_000, cells=2**bits, epsilon=ONE, delta=DELTA, failure=FAILURE)
    assert plan is not None
    assert failure_block_quantiles(plan) <= FAILURE
    certificate = sanitiser.certify(Size(0, 50_000))
    check_certificate(certificate.to_json())
    assert certificate.privacy.fact.delta == DELTA
    assert certificate.answers[0].fact.error < Fraction(1, 15)


@pytest.mark.parametrize("cells", [[7] * 500, [0] * 250 + [255] * 250, list(range(250)) * 2])
def test_what_is_released_could_be_released_whatever_the_records(cells: list[int]) -> None:
    sanitiser = BlockQuantiles(column(8), "x", ONE, delta=DELTA)
    sample = MemorySample.of({"x": cells}, column(8), labelled=False)
    table = sanitiser.release(sample, SeededCoins(1))
    assert sanitiser.releases(table, sample.size)
    assert not sanitiser.releases(table, Size(0, 10**6))


def test_a_delta_is_spent_only_where_it_pays() -> None:
    wishes = {"epsilon": ONE, "error": None, "failure": FAILURE, "delta": DELTA}
    wide = sanitiser_for("auto", column(64), ("x",), records=14_000, **wishes)
    narrow = sanitiser_for("auto", column(16), ("x",), records=14_000, **wishes)
    assert isinstance(wide, BlockQuantiles)
    assert not isinstance(narrow, BlockQuantiles)
    assert narrow.certify(Size(0, 14_000)).privacy.fact.delta == 0


@pytest.mark.parametrize("method", ["tree", "quantiles", "blr", "points"])
def test_a_method_that_cannot_use_a_delta_refuses_it(method: str) -> None:
    with pytest.raises(ParameterError, match="delta"):
        sanitiser_for(
            method, column(16), ("x",), epsilon=ONE, error=None, failure=FAILURE, records=100, delta=DELTA
        )


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 2), Fraction(1)])
def test_a_delta_out_of_range_is_refused(delta: Fraction) -> None:
    with pytest.raises(ParameterError, match="delta"):
        BlockQuantiles(column(8), "x", ONE, delta=delta)


def test_too_few_records_are_told_how_many_would_do() -> None:
    wanted = BlockQuantiles(column(64), "x", ONE, error=Fraction(1, 10), delta=DELTA)
    with pytest.raises(TooFewRecords, match="13,696"):
        wanted.require(Size(0, 5_000))
