"""Exact amounts, read the way a person writes them: a `Budget` is what is promised, a `Cost` what a release takes."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, DecimalException, localcontext
from fractions import Fraction
from functools import cached_property

from privpac.errors import ParameterError
from privpac.numbers.concentrated import pure_rho, rho_up
from privpac.numbers.spelling import spelled

__all__ = [
    "Amount",
    "Budget",
    "Cost",
    "exact_text",
    "read_amount",
    "read_positive",
    "read_share",
    "short_text",
]

Amount = int | float | str | Decimal | Fraction

WIDEST = 1100  # bits of numerator and denominator: every double, in either reading, has fewer

ROUNDED_DIGITS, MOST_PLACES = 15, 300
"""Digits of an amount that is too long for a ledger and rounded up; decimals of it at most."""


def read_amount(value: object) -> Fraction:
    """The exact number a person means: the float 0.1 is one tenth, not the double nearest to it."""
    if isinstance(value, bool) or not isinstance(value, str | Decimal | numbers.Real):
        raise ValueError("not a number")
    if isinstance(value, numbers.Rational):
        return _narrow(Fraction(int(value.numerator), int(value.denominator)))
    text = spelled(str(value))
    if "/" in text:
        return _narrow(Fraction(text))
    decimal = Decimal(text)
    # Looked at before it is expanded: "1e-999999999" is short text and a gigabyte as a fraction.
    if not decimal.is_finite() or len(decimal.as_tuple().digits) > 400 or abs(decimal.adjusted()) > 400:
        raise ValueError("not finite, or too long")
    return _narrow(Fraction(decimal))


def read_positive(owner: str, name: str, value: object) -> Fraction:
    """A positive amount; `owner` and `name` are named in the error."""
    remedy = f"Write it as a decimal, such as {name}=0.5."
    return _read(owner, name, value, lambda amount: amount > 0, "a positive finite number", remedy)


def read_share(owner: str, name: str, value: object) -> Fraction:
    """An amount from 0 to below 1."""
    remedy = f"Write it as a decimal, such as {name}=1e-6."
    return _read(owner, name, value, lambda amount: 0 <= amount < 1, "a number from 0 to below 1", remedy)


def _read_rho(owner: str, value: object) -> Fraction:
    """An amount of 0 or more: a draw that ignores the records costs nothing."""
    remedy = "Write it as a decimal."
    return _read(owner, "rho", value, lambda amount: amount >= 0, "a finite number from 0", remedy)


def _read(
    owner: str, name: str, value: object, holds: Callable[[Fraction], bool], requirement: str, remedy: str
) -> Fraction:
    with suppress(ValueError, DecimalException, ZeroDivisionError):
        amount = read_amount(value)
        if holds(amount):
            return amount
    raise ParameterError(owner, name, value, allowed=requirement, remedy=remedy)


def _is_wide(amount: Fraction) -> bool:
    return max(amount.numerator.bit_length(), amount.denominator.bit_length()) > WIDEST


def _narrow(amount: Fraction) -> Fraction:
    if _is_wide(amount):
        raise ValueError("too long")
    return amount


def _rounded_up(amount: Fraction) -> Fraction:
    """A decimal of about ROUNDED_DIGITS digits at or above a positive amount."""
    tenths = math.ceil((amount.denominator.bit_length() - amount.numerator.bit_length()) * math.log10(2))
    places = min(MOST_PLACES, max(0, ROUNDED_DIGITS + tenths))
    return Fraction(math.ceil(amount * 10**places), 10**places)


def exact_text(amount: Fraction) -> str:
    """A decimal when there is a finite one, else a fraction; `Fraction(text)` gives the amount back."""
    rest = amount.denominator
    twos = (rest & -rest).bit_length() - 1
    rest >>= twos
    fives = 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return str(amount)
    places = max(twos, fives)
    return str(Decimal(f"{amount.numerator * 10**places // amount.denominator}E-{places}"))


LONGEST = 20
"""Characters of an amount that people are shown as it is."""

SHOWN_DIGITS = 12
"""Digits of one that is longer."""


def short_text(amount: Fraction, *, up: bool = True) -> str:
    """An amount for people: exact while it is short, else rounded and said to be; what is left is rounded down.

    >>> short_text(Fraction(1, 3)), short_text(Fraction(10**30 + 1, 3 * 10**30))
    ('1/3', 'at most 0.333333333334')
    >>> short_text(Fraction(10**30 + 1, 3 * 10**30), up=False)
    'at least 0.333333333333'
    """
    text = exact_text(amount)
    if len(text) <= LONGEST:
        return text
    with localcontext(prec=SHOWN_DIGITS, rounding=ROUND_CEILING if up else ROUND_FLOOR):
        near = Decimal(amount.numerator) / Decimal(amount.denominator)
    return f"{'at most' if up else 'at least'} {near.normalize()}"


@dataclass(frozen=True, repr=False)
class Budget:
    """An exact pair of epsilon and delta.

    >>> sum([Budget.read("example", epsilon=0.1)] * 10, Budget()) == Budget(Fraction(1))
    True
    """

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

    @classmethod
    def read(cls, owner: str, *, epsilon: object, delta: object = 0) -> Budget:
        """Read public parameters as exact decimals; `owner` is named in the error."""
        return cls(
            read_positive(owner, "epsilon", epsilon),
            read_share(owner, "delta", delta),
        )

    def __add__(self, other: Budget) -> Budget:
        return Budget(self.epsilon + other.epsilon, self.delta + other.delta)

    def __sub__(self, other: Budget) -> Budget:
        return Budget(self.epsilon - other.epsilon, self.delta - other.delta)

    def within(self, other: Budget) -> bool:
        """True if neither part is larger than the other's."""
        return self.epsilon <= other.epsilon and self.delta <= other.delta

    def __str__(self) -> str:
        text = f"epsilon {short_text(self.epsilon)}"
        return f"{text}, delta {short_text(self.delta)}" if self.delta else text

    def __repr__(self) -> str:
        return f"Budget(epsilon={exact_text(self.epsilon)}, delta={exact_text(self.delta)})"


@dataclass(frozen=True, repr=False)
class Cost:
    """What releases take from a ledger: exact sums of epsilon, delta and rho (concentrated privacy).

    >>> 3 * Cost.read("example", epsilon=0.1)
    Cost(epsilon=0.3, delta=0, rho=0.014987512488)
    """

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)

    @classmethod
    def read(cls, owner: str, *, epsilon: object, delta: object = 0, rho: object = None) -> Cost:
        """Read public parameters as exact decimals; without a rho it is what any release of this epsilon costs."""
        pair = Budget.read(owner, epsilon=epsilon, delta=delta)
        return cls.covering(pair.epsilon, pair.delta, None if rho is None else _read_rho(owner, rho))

    @classmethod
    def covering(cls, epsilon: Fraction, delta: Fraction = Fraction(0), rho: Fraction | None = None) -> Cost:
        """What pays for a proved loss: the loss itself, rounded up where it is too long to be kept.

        >>> Cost.covering(Fraction(1, 3), Fraction(1, 10**6) - Fraction(1, 3**900))
        Cost(epsilon=1/3, delta=0.000001, rho=0.055046804309)
        """
        amounts = [_rounded_up(amount) if _is_wide(amount) else amount for amount in (epsilon, delta)]
        return cls(amounts[0], amounts[1], pure_rho(amounts[0]) if rho is None else rho_up(rho))

    @property
    def pair(self) -> Budget:
        """Without the rho."""
        return Budget(self.epsilon, self.delta)

    @cached_property
    def texts(self) -> tuple[str, str, str]:
        """Epsilon, delta and rho as a store writes them."""
        return exact_text(self.epsilon), exact_text(self.delta), exact_text(self.rho)

    def __add__(self, other: Cost) -> Cost:
        # Most have no delta, and to add nothing to nothing costs as much as to add fractions.
        delta = self.delta + other.delta if self.delta and other.delta else self.delta or other.delta
        return Cost(self.epsilon + other.epsilon, delta, self.rho + other.rho)

    def __rmul__(self, count: int) -> Cost:
        return Cost(count * self.epsilon, count * self.delta, count * self.rho)

    def __str__(self) -> str:
        return str(self.pair)

    def __repr__(self) -> str:
        epsilon, delta, rho = self.texts
        return f"Cost(epsilon={epsilon}, delta={delta}, rho={rho})"
