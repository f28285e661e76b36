"""Searches by floats: they end at the first number that is small enough, after few looks."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from privpac.errors import SizeError
from privpac.numbers.search import crossing, first_by_decay, first_by_value, stepped

WANTS = st.sampled_from([0.3, 0.05, 0.01, 1e-6])
AWAY = st.floats(0.1, 10.0)
"""How far off the start is."""
MOST_LOOKS = 40


class Counted:
    """A function that knows how often it was asked."""

    def __init__(self, function: Callable[[float], float]) -> None:
        self.function, self.looks = function, 0

    def __call__(self, at: float) -> float:
        self.looks += 1
        return self.function(at)


def is_first(value: Callable[[int], float], want: float, found: int, *, smallest: int, digits: int) -> bool:
    """Small enough, and so many digits lower no longer."""
    lower = found - 1 - found // 10**digits
    return value(found) <= want and (lower < smallest or value(lower) > want)


@given(WANTS, st.floats(-4.0, 4.0), st.floats(0.3, 1.8), AWAY)
def test_a_power_is_followed_to_the_first_number(want: float, log: float, fall: float, away: float) -> None:
    value = Counted(lambda n: math.inf if n < 3 else 10**log * n**-fall)
    true = max(3.0, (10**log / want) ** (1 / fall))
    assume(true < 1e12)
    found = first_by_value(value, want, start=max(1, int(true * away)), owner="test")
    assert value.looks <= MOST_LOOKS
    assert is_first(value, want, found, smallest=2, digits=7 if found < 10**6 else 4 if found < 10**9 else 2)


def test_what_no_number_of_records_reaches_is_refused() -> None:
    with pytest.raises(SizeError, match="records would be needed"):
        first_by_value(lambda n: 0.5, 0.1, start=10, owner="test")


@given(WANTS, st.floats(-6.0, 0.0), st.floats(0.4, 3.0), AWAY)
def test_a_decay_is_followed_to_the_first_number(want: float, log: float, shape: float, away: float) -> None:
    value = Counted(lambda n: math.exp(-((10**log * n) ** shape)))
    true = (-math.log(want)) ** (1 / shape) / 10**log
    found = first_by_decay(value, want, start=max(1, int(true * away)), most=math.ceil(64 * true))
    assert value.looks <= MOST_LOOKS
    assert is_first(value, want, found, smallest=1, digits=5)


@pytest.mark.parametrize("level", [0.06, 0.9, 1.0])
def test_a_value_that_stays_above_ends_beyond_the_last(level: float) -> None:
    assert first_by_decay(lambda n: level, 0.05, start=10, most=1000) == 1001


@given(WANTS, st.floats(-3.0, 0.5), st.floats(0.2, 4.0))
def test_a_crossing_is_found_to_four_digits(want: float, log: float, fall: float) -> None:
    value = Counted(lambda x: math.inf if x < 2e-4 else want * (10**log / x) ** fall)
    found = crossing(value, want, low=1e-4, high=10.0)
    true = max(2e-4, 10**log)
    assert value.looks <= MOST_LOOKS
    assert found is not None
    assert value(found) <= want
    assert found == pytest.approx(true, rel=2e-4)


def test_a_crossing_at_the_ends() -> None:
    assert crossing(lambda x: 0.01, 0.1, low=1e-4, high=10.0) == 1e-4
    assert crossing(lambda x: 1.0, 0.1, low=1e-4, high=10.0) is None


@given(st.floats(1e-9, 20.0))
def test_steps_change_a_number_by_little(value: float) -> None:
    step = stepped(value)
    assert step > 0
    assert float(step) == pytest.approx(value, rel=6e-3)
