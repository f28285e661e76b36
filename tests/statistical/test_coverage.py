"""Printed intervals hold on coin tosses, weak, strong and rare tables of few and many records: the short form of
benchmarks/coverage.py."""

from __future__ import annotations

from collections import Counter

import pytest
from benchmarks.coverage import CONTROL, LOG_ODDS, once
from scipy.stats import binom

RUNS = 8
SURE = 1e-6
"""No more often does a right interval fail in this test."""


@pytest.mark.parametrize("n", [300, 3000])
def test_every_printed_interval_holds_and_figures_of_ranks_print_none(n: int) -> None:
    """The control: with intervals of two standard deviations, figures of leaf counts fail on coin tosses."""
    held: Counter[str] = Counter()
    said: Counter[str] = Counter()
    levels: dict[str, float] = {}
    control: Counter[bool] = Counter()
    for distribution in LOG_ODDS:
        for seed in range(1000, 1000 + RUNS):
            for seen in once(distribution, n, seed):
                if seen.kind.startswith(CONTROL):
                    is_auc = seen.kind.endswith("auc") and distribution == "coin tosses"
                    control[seen.held] += is_auc
                    continue
                said[seen.kind] += seen.said
                held[seen.kind] += seen.said and seen.held
                levels[seen.kind] = seen.level
    for kind, level in levels.items():
        if not kind.endswith(("estimate", "risk of a sum")):
            assert said[kind] == 0
        elif said[kind]:
            assert binom.cdf(held[kind], said[kind], level) > SURE, kind
    if n >= 3000:
        assert binom.cdf(control[True], RUNS, 0.9) < SURE
