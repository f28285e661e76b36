"""Reading the public numbers of a formula: exact, inside their allowed set, or one sentence why not."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from privpac.errors import ParameterError
from privpac.numbers.exact import exact_decimal, plain

__all__ = [
    "Number",
    "at_least",
    "below_one",
    "chance",
    "fraction_below",
    "is_count",
    "positive",
    "rational",
    "up_to_one",
    "whole_positive",
]

Number = int | float | str | Decimal | Fraction
"""A public number as a person writes it: the float 0.1 means the decimal 0.1."""


_LONGEST_COUNT = 9
"""Digits of a number in a word."""


def is_count(text: str) -> bool:
    """Whether a text is a number as people write it; '²' is a digit to Python, and no number.

    >>> is_count("12"), is_count("²"), is_count(""), is_count("9" * 5000)
    (True, False, False, False)
    """
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST_COUNT


def _spelling(value: object) -> object:
    """An exact number as a person writes it."""
    return plain(value) if isinstance(value, Fraction) else value


def whole_positive(value: object, *, owner: str, name: str) -> int:
    """A positive integer, and nothing that only looks like one: no float, no truth value."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ParameterError(owner, name, value, allowed="a positive integer")
    return value


def rational(value: object, *, owner: str, name: str, allowed: str = "a number") -> Fraction:
    """Any number, exactly. Whole numbers skip the detour over text, which Python limits to 4300 digits."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    return exact_decimal(value, owner=owner, name=name, allowed=allowed)


def positive(value: object, *, owner: str, name: str) -> Fraction:
    """A number above zero."""
    requirement = "a positive number"
    number = rational(value, owner=owner, name=name, allowed=requirement)
    if number <= 0:
        raise ParameterError(owner, name, _spelling(value), allowed=requirement)
    return number


def chance(value: object, *, owner: str, name: str) -> Fraction:
    """A number strictly between 0 and 1."""
    return fraction_below(1, value, owner=owner, name=name)


def fraction_below(limit: int | Fraction, value: object, *, owner: str, name: str) -> Fraction:
    """A number strictly between 0 and `limit`."""
    requirement = f"a number strictly between 0 and {limit}"
    number = rational(value, owner=owner, name=name, allowed=requirement)
    if not 0 < number < limit:
        raise ParameterError(owner, name, _spelling(value), allowed=requirement)
    return number


def below_one(value: object, *, owner: str, name: str) -> Fraction:
    """A number of at least 0 and below 1, as a delta is."""
    requirement = "at least 0 and below 1"
    number = rational(value, owner=owner, name=name, allowed=requirement)
    if not 0 <= number < 1:
        raise ParameterError(owner, name, _spelling(value), allowed=requirement)
    return number


def up_to_one(value: object, *, owner: str, name: str) -> Fraction:
    """A number from 0 to 1, as a share is."""
    requirement = "from 0 to 1"
    number = rational(value, owner=owner, name=name, allowed=requirement)
    if not 0 <= number <= 1:
        raise ParameterError(owner, name, _spelling(value), allowed=requirement)
    return number


def at_least(limit: int, value: object, *, owner: str, name: str) -> int:
    """A whole number of at least `limit`; numpy integers and floats that are whole are welcome."""
    requirement = f"a whole number of at least {limit}"
    number = rational(value, owner=owner, name=name, allowed=requirement)
    if number.denominator != 1 or number < limit:
        raise ParameterError(owner, name, value, allowed=requirement)
    return number.numerator
