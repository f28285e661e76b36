"""A privacy loss as an exact number: what is declared, what a mechanism has, and their sums."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from privpac.numbers.exact import decimal_text, ln_up, power_up, shortened, sign_of_log_sum

__all__ = ["Loss"]


@dataclass(frozen=True)
class Loss:
    """A privacy loss, kept exactly: e^epsilon = e^log · factor.

    Mechanisms have a rational factor and log 0, so that equality of a bound and an enumerated worst case can be
    tested with ==; a declared decimal epsilon has a log and factor 1. The pair is unique: e^log is rational only for
    log 0. Factors too long to be written down (4,096 bits) are rounded up when losses are added.

    >>> Loss(factor=Fraction(25, 9)) + Loss(log=Fraction(1, 10)) <= Loss(log=Fraction(12, 10))
    True
    """

    log: Fraction = field(default=Fraction(0))
    factor: Fraction = field(default=Fraction(1))

    def __add__(self, other: Loss) -> Loss:
        return Loss(self.log + other.log, shortened(self.factor * other.factor))

    def times(self, count: int) -> Loss:
        return Loss(self.log * count, power_up(self.factor, count))

    def __le__(self, other: Loss) -> bool:
        return sign_of_log_sum(self.log - other.log, self.factor / other.factor) <= 0

    def __lt__(self, other: Loss) -> bool:
        return self <= other and self != other

    @property
    def upper(self) -> Fraction:
        """A decimal at or above epsilon."""
        return self.log + ln_up(self.factor)

    def __str__(self) -> str:
        return decimal_text(max(self.upper, Fraction(0)))

    def to_json(self) -> dict[str, str]:
        return {"log": str(self.log), "factor": str(self.factor)}
