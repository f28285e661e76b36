"""The public table of directions: the same for everybody, coprime, up to a sign, in no preferred direction."""

from __future__ import annotations

from math import gcd

import numpy as np
import pytest

from privpac.concepts.grids import TABLE_POINTS
from privpac.concepts.linear.direction_table import direction_table


@pytest.mark.parametrize("features", [2, 6, 64])
def test_directions_are_written_once(features: int) -> None:
    table = direction_table(features, 60)
    assert len(set(table)) == 60
    for points in table:
        assert len(points) == features
        assert gcd(*points) == 1
        assert next(filter(None, points)) > 0
        assert max(map(abs, points)) <= TABLE_POINTS


def test_the_table_is_the_same_everywhere_and_a_longer_one_begins_with_it() -> None:
    """Certificates name it by its size: another table under this name would make them false."""
    assert direction_table(6, 2) == ((4, -7, 16, 7, -6, -1), (2, 4, 8, -16, 0, 9))
    assert direction_table(6, 500)[:2] == direction_table(6, 2)


def test_no_direction_is_preferred() -> None:
    table = np.array(direction_table(6, 4000), dtype=float)
    units = table / np.linalg.norm(table, axis=1, keepdims=True)
    spread = units.T @ units / len(units)
    assert np.abs(spread - np.eye(6) / 6).max() < 0.02
