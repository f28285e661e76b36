"""Directions and their candidates: counted once, found again."""

from __future__ import annotations

import numpy as np
import pytest

from privpac.concepts.linear.direction_kernels import BINS
from privpac.concepts.linear.directions import Directions, DirectionScores, named_columns
from privpac.concepts.linear.levels import Levels
from privpac.errors import ParameterError


def test_directions_count_combinations_and_patterns() -> None:
    part = Directions.sparse(4, 2, 2)
    assert part.patterns[0] == (1, 1)
    assert part.count == 6 * len(part.patterns)
    assert [len(chunk) for chunk in part.chunks()] == [6]
    cuts = [2 * min(BINS, sum(map(abs, pattern)) * 3 + 1) for pattern in part.patterns]
    assert part.size(3) == 6 * sum(cuts)


def test_every_candidate_is_counted_and_found() -> None:
    rng = np.random.default_rng(0)
    levels = Levels(tuple(rng.integers(0, 4, (3, n)).astype(np.uint8) for n in (5, 7)))
    part = Directions.sparse(3, 2, 1)
    scores = DirectionScores(levels, (part,), 3, (1, 2), lambda *place: place)  # type: ignore[arg-type,return-value]
    histogram = scores.histogram(None)
    assert sum(histogram.counts) == part.size(3)
    best = [scores.locate(histogram.best, index) for index in range(histogram.counts[0])]
    assert len({str(place) for place in best}) == histogram.counts[0]
    with pytest.raises(IndexError):
        scores.locate(histogram.best, histogram.counts[0])


def test_columns_are_named_once() -> None:
    assert named_columns("a", "Halfspaces") == ("a",)
    for names in ((), ("a", "a")):
        with pytest.raises(ParameterError, match="different columns"):
            named_columns(names, "Halfspaces")
