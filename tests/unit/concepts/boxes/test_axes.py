"""Ranges of an axis: counted in whole numbers, every one found once."""

from __future__ import annotations

from itertools import product

import pytest

from privpac.concepts.boxes.axes import Axis, any_range, blank_ranges, blanks, ranges_of

AXES = [
    Axis(7, (0, 3, 6)),
    Axis(5, (2,)),
    Axis(6, ()),
    Axis(4, (0, 1, 2, 3)),
    Axis(1, (0,)),
    Axis(8, (1, 2, 5)),
]


def every(axis: Axis) -> set[tuple[int, int]]:
    return {(low, high) for low in range(axis.size) for high in range(low + 1, axis.size + 1)}


def holds(axis: Axis, bounds: tuple[int, int]) -> list[int]:
    return [k for k, value in enumerate(axis.values) if bounds[0] <= value < bounds[1]]


@pytest.mark.parametrize("axis", AXES, ids=range(len(AXES)))
def test_every_range_is_found_once(axis: Axis) -> None:
    blank = [axis.blank_range(index) for index in range(axis.blank)]
    telling = [axis.telling_range(index) for index in range(axis.telling)]
    assert len(blank) + len(telling) == ranges_of(axis.size) == len(every(axis))
    assert {*blank, *telling} == every(axis)
    assert not any(holds(axis, bounds) for bounds in blank)
    assert all(holds(axis, bounds) for bounds in telling)


@pytest.mark.parametrize("axis", AXES, ids=range(len(AXES)))
def test_ends_are_those_with_the_same_values(axis: Axis) -> None:
    for first in range(len(axis.values)):
        for last in range(first, len(axis.values)):
            offsets = product(range(axis.lefts[first]), range(axis.rights[last]))
            found = {axis.ends(first, last, left, right) for left, right in offsets}
            same = {bounds for bounds in every(axis) if holds(axis, bounds) == list(range(first, last + 1))}
            assert found == same


@pytest.mark.parametrize("axes", [AXES[:2], AXES[1:4], [AXES[4], AXES[5]], [AXES[2]]])
def test_every_box_without_a_value_of_some_axis_is_found_once(axes: list[Axis]) -> None:
    found = [blank_ranges(axes, index) for index in range(blanks(axes))]
    wanted = {
        box
        for box in product(*map(every, axes))
        if any(not holds(axis, bounds) for axis, bounds in zip(axes, box, strict=True))
    }
    assert len(found) == len(wanted)
    assert set(found) == wanted
    with pytest.raises(IndexError):
        blank_ranges(axes, blanks(axes))


def test_axes_of_any_length_are_counted_exactly() -> None:
    huge = Axis(2**128, (5, 2**100))
    assert huge.blank + huge.telling == ranges_of(2**128)
    assert holds(huge, huge.telling_range(huge.telling - 1)) == [1]
    low, high = huge.blank_range(huge.blank - 1)
    assert 2**100 < low < high <= 2**128
    assert [any_range(3, index) for index in range(6)] == [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
