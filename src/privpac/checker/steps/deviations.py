"""Labellings and deviations of classes of bounded VC dimension, written a second time for the checker."""

from __future__ import annotations

from fractions import Fraction

from privpac.checker.directed import labellings, ln_ceiling, root_ceiling

__all__ = ["log_labellings", "near_best", "true_rate"]

ONE = Fraction(1)


def log_labellings(points: int, vc: int) -> Fraction:
    """ln of the most labellings of so many points."""
    return ln_ceiling(Fraction(labellings(points, vc)))


def near_best(records: int, failure: Fraction, vc: int) -> Fraction:
    """What the best on the records loses against the best: a uniform side and a single one, half the failure each."""
    uniform = root_ceiling(2 * log_labellings(records, vc) / records)
    return min(ONE, uniform + 2 * root_ceiling(ln_ceiling(2 / failure) / (2 * records)))


def true_rate(seen: Fraction, records: int, failure: Fraction, vc: int, sides: int) -> Fraction:
    """The most that a rate seen on the records can be in truth, for one free concept or two."""
    a = (sides * log_labellings(2 * records, vc) + ln_ceiling(4 / failure)) / records
    return min(ONE, seen + 2 * root_ceiling(a * seen) + 4 * a)
