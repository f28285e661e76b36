"""Accuracy over covers, checked."""

from __future__ import annotations

from fractions import Fraction

from privpac.checker import directed
from privpac.checker.reading import (
    Check,
    Tree,
    decimal,
    integer,
    no_premise,
    number,
    parameters,
    read_goal,
    require,
    within,
)

__all__ = ["ASSUMING", "RULES"]

ASSUMING = ("reference-cover-realizable", "reference-cover-agnostic")
"""Their statements hold under a density bound."""


def _goal(node: Tree, against: str, records: int) -> tuple[Fraction, Fraction]:
    """Error and failure of an accuracy fact that rests on nothing else."""
    no_premise(node)
    error, failure, written_records = read_goal(node, against)
    require(integer(records, 1) == written_records, "the numbers of records differ")
    return error, failure


def _reference_cover(against: str) -> Check:
    def check(node: Tree) -> None:
        names = ("odds", "ratio", "tilt", "level", "miss", "kappa", "reference", "records")
        *texts, kappa_text, reference, records = parameters(node, *names)
        odds, ratio, tilt, level, miss = (number(text) for text in texts)
        error, failure = _goal(node, against, records)
        kappa = decimal(kappa_text)
        require(isinstance(reference, str) and reference != "", "the reference has no name")
        assumption = (
            f"records come from a distribution whose density against {reference} is at most {kappa_text}"
        )
        require(list(node.get("assumes", ())) == [assumption], "the assumption is not that of the rule")
        require(0 < ratio <= tilt < 1 and odds >= 0, "a parameter is out of range")
        require(kappa >= 1 and level >= 0 and 0 <= miss < failure, "a parameter is out of range")
        near = kappa * level
        require(near < error, "the cover is too coarse")
        if against == "realizable":
            base = 1 - error + error * tilt + near / tilt - near
        else:
            base = ((1 - error + near) / tilt + (1 + error - near) * tilt) / 2
        require(directed.power_at_most(odds, base, records, failure - miss), "the bound fails")

    return check


def _label_thresholds(node: Tree) -> None:
    *wholes, ratio_text = parameters(node, "records", "cuts", "spacing", "few", "ratio")
    records, cuts, spacing, few = (integer(value, 0) for value in wholes)
    error, failure = _goal(node, "realizable", records)
    ratio = number(ratio_text)
    require(0 < ratio < 1 and error < 1, "a parameter is out of range")
    require(cuts >= 1 and spacing <= within(few) < records, "a parameter is out of range")
    term = directed.power(1 - error, records)
    tail = Fraction(0)
    for k in range(few + 1):
        tail = directed.shorten(tail + term)
        term = directed.shorten(term * (records - k) * error / ((k + 1) * (1 - error)))
    left = failure - 2 * tail
    require(left > 0, "the bound fails")
    require(directed.power_at_most(Fraction(cuts), ratio, few + 1 - spacing, left), "the bound fails")


def _label_cover(node: Tree) -> None:
    records, vc, candidates, ratio_text, level_text = parameters(
        node, "records", "vc", "candidates", "ratio", "level"
    )
    records, vc, count = integer(records, 1), integer(vc, 1), number(candidates)
    error, failure = _goal(node, "realizable", records)
    ratio, level = number(ratio_text), number(level_text)
    require(0 < ratio < 1 and count >= 1 and 0 <= level < 1, "a parameter is out of range")
    require(2 * records >= vc, "a parameter is out of range")
    noise = _ln_above(2 * count / failure) / (records * _ln_below(1 / ratio)) + level
    spread = 4 * (vc + vc * _ln_above(Fraction(2 * records, vc)) + _ln_above(8 / failure)) / records
    require(error > noise, "the bound fails")
    require((error - noise) ** 2 >= error * spread, "the bound fails")


_DIGITS = 9
"""Decimals of a logarithm: its neighbours are distinguished by exponentials."""


def _ln_below(x: Fraction) -> Fraction:
    """The largest multiple of 10^-9 whose exponential is at most x, for x at least 1: by bisection."""
    low, high = 0, (x.numerator.bit_length() - x.denominator.bit_length() + 2) * 10**_DIGITS
    while high - low > 1:
        middle = (low + high) // 2
        fits = directed.exp_bounds(Fraction(middle, 10**_DIGITS), 128)[1] <= x
        low, high = (middle, high) if fits else (low, middle)
    return Fraction(low, 10**_DIGITS)


def _ln_above(x: Fraction) -> Fraction:
    """A multiple of 10^-9 whose exponential is at least x."""
    bound = _ln_below(x)
    while directed.exp_bounds(bound, 256)[0] < x:
        bound += Fraction(1, 10**_DIGITS)
    return bound


RULES: dict[str, Check] = {
    "reference-cover-realizable": _reference_cover("realizable"),
    "reference-cover-agnostic": _reference_cover("agnostic"),
    "label-thresholds": _label_thresholds,
    "label-cover": _label_cover,
}
