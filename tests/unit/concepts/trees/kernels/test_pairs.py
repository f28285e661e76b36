"""Sums below pairs of tests: the same numbers as the sums over regions of any size, near and far."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import CooccurrenceTensor, binomials, offsets
from privpac.concepts.trees.kernels.pairs import pair_sums, pair_table
from privpac.concepts.trees.kernels.sums import bottom_sums, prices, signed_counts
from privpac.mechanisms.gibbs import power_table
from tests.unit.tiny import counted, mixed_columns, table

WEIGHED = {"even": (1, 1), "odd": (3, 2), "wide": (2**31 + 1, 2**31)}


def _both_ways(n: int, costs: tuple[int, int], ratio: Fraction, powers: int, stop: float) -> list[Any]:
    """(scores, masses) of all regions of two tests, by `bottom_sums` and by `pair_sums`."""
    schema, block = table(mixed_columns(), n=n, seed=n)
    tests = Binarisation.of(schema, cuts=5)
    p, evidence = len(tests.tests), counted(CooccurrenceTensor(tests, 3, 2), block)
    priced = np.array(costs, dtype=np.int32 if max(costs) * n < 2**30 else np.int64)
    labels, weights = np.array([0.25, 0.75]), np.arange(1.0, p + 1)
    known = np.append(power_table(ratio, powers), 0.0)
    regions = 2 * p * (p - 1)
    found = []
    for way in ("any", "pairs"):
        out = [(np.empty(regions, np.int64), np.empty(regions)) for _ in range(2)]
        common = priced, labels, weights, 1 / weights.sum(), stop, known, *out
        for part in range(2):
            if way == "any":
                bottom_sums(evidence.counts, offsets(p, 3), binomials(p), 2, *common, (part, 2))
            else:
                signed = signed_counts(evidence, priced)
                pair_sums(signed, prices(evidence.counts, priced), *common[1:], (part, 2))
        found.append(out)
    return found


@pytest.mark.parametrize("costs", WEIGHED.values(), ids=WEIGHED)
@pytest.mark.parametrize("stop", [0.0, 0.25])
def test_pairs_have_the_sums_of_regions(costs: tuple[int, int], stop: float) -> None:
    """Wide prices lie beyond any table, so that all but equal scores are dropped both ways."""
    powers = 2 + 90 * max(costs) if max(costs) < 10 else 900
    for leaves, sums in zip(*_both_ways(90, costs, Fraction(4, 5), powers, stop), strict=True):
        assert np.array_equal(leaves[0], sums[0])
        assert np.allclose(leaves[1], sums[1], rtol=1e-13, atol=0.0)


def test_far_from_the_best_the_second_power_vanishes() -> None:
    """Here half of the table does not reach the best scores of large regions."""
    ratio = Fraction(1, 512)  # 100 powers to 2^-900
    for want, found in zip(*_both_ways(600, (1, 1), ratio, 99, 0.0), strict=True):
        assert np.array_equal(want[0], found[0])
        assert np.allclose(want[1], found[1], rtol=1e-13, atol=0.0)


def test_the_table_of_pairs() -> None:
    powers = np.append(0.5 ** np.arange(8), 0.0)  # up to 2^-7, then 0
    rows, middle = pair_table(powers)
    assert middle == 3
    for parity in range(2):
        row = rows[parity * len(powers) :]
        for half in range(middle + 1):
            assert row[half] == 0.5 ** (middle - half) + 0.5 ** (middle + half + parity)
    assert np.array_equal(rows[2 * len(powers) :], powers)
