"""Rows that release a table: the largest error over all the queries the certificate speaks of, in one release."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.coins.tosses import BitCoins
from privpac.concepts.sets.points import Point
from privpac.constructions.release.block_quantiles import BlockQuantiles
from privpac.constructions.release.blr import ListedBLR, ThresholdBLR
from privpac.constructions.release.histogram import DENSE, PointHistogram
from privpac.constructions.release.quantiles import Quantiles
from privpac.constructions.release.sanitiser import Sanitiser
from privpac.constructions.release.tree_counts import TreeCounts
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.plan.answer import Answer
from privpac.plan.populations import Population, skewed
from privpac.plan.runs.base import EACH_RECORD, Supply, runnable
from privpac.plan.trials import Experiment, Trial

__all__ = [
    "block_quantiles",
    "histogram",
    "listed_blr",
    "quantiles",
    "range_error",
    "share_error",
    "threshold_blr",
    "threshold_error",
    "tree_counts",
]

EACH = 0.003
EACH_RELEASED = 1.5e-6
"""Seconds of one record that is counted, released and compared."""
EACH_DRAWN = 4e-6
"""And where one small table is drawn from all of them."""
EACH_CELL = 1.3e-6
"""Seconds of one cell with noise of its own."""
EACH_CANDIDATE = 4e-7
"""Seconds of one cell of one small table, where all of them are listed."""
EACH_TRIED = 4e-5
"""Seconds of one number of records that a small table might have."""

Make = Callable[[Schema, str, Fraction], Sanitiser]
"""(schema, column, epsilon) to what releases a column."""


def _gaps(true: NDArray[Any], synthetic: NDArray[Any]) -> NDArray[np.float64]:
    """At every threshold that tells records apart: the share of released records below it, less that of the true."""
    places = np.unique(np.concatenate([true, synthetic]))
    below = [
        np.searchsorted(values, places, side="right") / len(values)
        for values in (np.sort(synthetic), np.sort(true))
    ]
    gaps: NDArray[np.float64] = below[0] - below[1]
    return gaps


def threshold_error(true: NDArray[Any], synthetic: NDArray[Any]) -> float:
    """The largest error of a threshold."""
    return float(np.abs(_gaps(true, synthetic)).max())


def range_error(true: NDArray[Any], synthetic: NDArray[Any]) -> float:
    """The largest error of a range: two thresholds, one as much too high as the other is too low."""
    gaps = _gaps(true, synthetic)
    return float(max(0.0, gaps.max()) - min(0.0, gaps.min()))


def share_error(true: NDArray[Any], synthetic: Any) -> float:
    """The largest error of the share of a value."""
    values, counts = np.unique(true, return_counts=True)
    truth = dict(zip(values.tolist(), counts.tolist(), strict=True))
    shares = dict(synthetic.counts)
    n = len(true)
    gaps = (shares.get(cell, 0) / synthetic.total - truth.get(cell, 0) / n for cell in {*shares, *truth})
    return float(max(map(abs, gaps)))


def _source(answer: Answer, supply: Supply) -> tuple[Population, str]:
    column = runnable(answer.concepts.word).split(":")[1]
    if supply.has_records:
        return supply.records(answer), column
    return skewed(supply.schema(), column), column


def _release(
    answer: Answer,
    supply: Supply,
    make: Make,
    worst: Callable[[NDArray[Any], Any], float],
    seconds: Callable[[int], float],
) -> Experiment:
    population, column = _source(answer, supply)
    schema = population.records.schema

    def trial(n: int, epsilon: Fraction) -> Trial:
        sanitiser = make(schema, column, epsilon)

        def run(coins: BitCoins) -> float:
            cells = population.sample(n, coins).block().cells[column]
            table = sanitiser.release(MemorySample.from_cells(schema, {column: cells}), coins)
            return worst(cells, table)

        return run

    return Experiment(population.on, trial, seconds)


def _seconds(n: int, cells: int) -> float:
    """Small domains have noise in every cell."""
    return EACH + n * (EACH_RECORD + EACH_RELEASED) + (cells * EACH_CELL if cells <= DENSE else 0.0)


Line = type[TreeCounts] | type[Quantiles] | type[ThresholdBLR] | type[BlockQuantiles]


def _of_line(kind: Line) -> Callable[..., Experiment]:
    """Thresholds or ranges of an ordered column."""

    def experiment(answer: Answer, supply: Supply) -> Experiment:
        error = range_error if answer.concepts.kind == "intervals" else threshold_error
        cells = answer.concepts.cells or 0
        failure = answer.wish.failure

        def make(schema: Schema, column: str, epsilon: Fraction) -> Sanitiser:
            if kind is BlockQuantiles:
                return BlockQuantiles(schema, column, epsilon, failure=failure, delta=answer.wish.delta)
            return kind(schema, column, epsilon, failure=failure)

        def worst(cells: NDArray[Any], synthetic: Any) -> float:
            return error(cells, np.array(synthetic.cells(), dtype=cells.dtype))

        return _release(
            answer,
            supply,
            make,
            worst,
            lambda n: (
                _seconds(n, cells if kind is TreeCounts else 0)
                + (n * EACH_DRAWN if kind in (ThresholdBLR, BlockQuantiles) else 0.0)
            ),
        )

    return experiment


tree_counts, quantiles = _of_line(TreeCounts), _of_line(Quantiles)
block_quantiles, threshold_blr = _of_line(BlockQuantiles), _of_line(ThresholdBLR)


def histogram(answer: Answer, supply: Supply) -> Experiment:
    """Shares of all values."""
    return _release(
        answer,
        supply,
        lambda schema, column, epsilon: PointHistogram(
            schema, (column,), epsilon, failure=answer.wish.failure
        ),
        share_error,
        lambda n: _seconds(n, answer.concepts.cells or 0),
    )


def listed_blr(answer: Answer, supply: Supply) -> Experiment:
    """Shares of all values, by one draw of all small tables."""
    cells = answer.concepts.cells or 1

    def make(schema: Schema, column: str, epsilon: Fraction) -> ListedBLR:
        points = tuple(Point(column, cell) for cell in range(cells))
        return ListedBLR(schema, (column,), points, epsilon, failure=answer.wish.failure)

    @lru_cache(maxsize=64)
    def seconds(n: int) -> float:
        column = runnable(answer.concepts.word).split(":")[1]
        sanitiser = make(supply.schema(), column, answer.wish.epsilon)
        points = sanitiser.plan(n).points
        listing = math.comb(cells + points - 1, points) * cells * EACH_CANDIDATE
        return EACH + n * EACH_RECORD + listing + sanitiser.most * EACH_TRIED

    return _release(answer, supply, make, share_error, seconds)
