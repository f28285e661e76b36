"""Accuracy carried over from an inner run, checked."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from privpac.checker import directed
from privpac.checker.reading import (
    Accuracy,
    Check,
    Tree,
    integer,
    no_premise,
    number,
    only_premise,
    parameters,
    read_accuracy,
    read_inner_ratio,
    require,
    unconditional,
)

__all__ = ["RULES", "near_best", "true_rate"]

ONE = Fraction(1)


def near_best(records: int, failure: Fraction, vc: int) -> Fraction:
    """What the best on the records loses against the best: a uniform side and a single one, half the failure each."""
    uniform = directed.root_ceiling(2 * directed.ln_labellings(records, vc) / records)
    return min(ONE, uniform + 2 * directed.root_ceiling(directed.ln_ceiling(2 / failure) / (2 * records)))


def true_rate(rate: Fraction, records: int, failure: Fraction, vc: int, sides: int) -> Fraction:
    """The most that a rate seen on the records can be in truth, for one free concept or two."""
    a = (sides * directed.ln_labellings(2 * records, vc) + directed.ln_ceiling(4 / failure)) / records
    return min(ONE, rate + 2 * directed.root_ceiling(a * rate) + 4 * a)


def _two(node: Tree, *, empirical: bool = False) -> tuple[Accuracy, Accuracy]:
    """The step's fact and its only premise's, which must be for any records, or for independent ones."""
    new, old = read_accuracy(node), read_accuracy(only_premise(node))
    kinds = ("empirical",) if empirical else ("realizable", "agnostic")
    require(old.against in kinds, "the premise is another kind of accuracy")
    return new, old


def _miss(text: object) -> Fraction:
    miss = number(text)
    require(0 < miss < 1, "a failure is out of range")
    return miss


def _empirical_draw(node: Tree) -> None:
    no_premise(node)
    fact = read_accuracy(node)
    odds, ratio = (number(text) for text in parameters(node, "odds", "ratio"))
    require(fact.against == "empirical" and fact.proper, "another kind of accuracy")
    require(odds >= 0 and 0 < ratio <= 1 and fact.records >= 1 and fact.error < 1, "out of range")
    mistakes = floor(fact.error * fact.records) + 1
    require(directed.power_at_most(odds, ratio, mistakes, fact.failure), "the bound fails")


def _subsampling(node: Tree) -> None:
    new, old = _two(node)
    (of,) = parameters(node, "of")
    require(integer(of, old.records) == new.records, "the numbers of records differ")
    require(
        new == Accuracy(old.error, old.failure, old.against, of, old.proper), "more than the number changed"
    )


def _resampling_empirical(node: Tree) -> None:
    new, old = _two(node)
    unconditional(node)
    (of,) = parameters(node, "of")
    require(
        new == Accuracy(old.error, old.failure, "empirical", integer(of, 1), old.proper), "not carried over"
    )


def _resampling(node: Tree) -> None:
    new, old = _two(node)
    unconditional(node)
    of, vc, miss = parameters(node, "of", "vc", "miss")
    of, vc, miss = integer(of, 1), integer(vc, 0), _miss(miss)
    require(old.proper, "the inner answers may lie outside of the class")
    if old.against == "realizable":
        error = true_rate(old.error, of, miss, vc, 1)
    else:
        error = min(ONE, old.error + near_best(of, miss, vc))
    require(new == Accuracy(error, old.failure + miss, old.against, of, True), "error or failure is another")


def _confidence(node: Tree) -> None:
    new, old = _two(node)
    runs, held, *numbers = parameters(node, "runs", "held", "ratio", "tilt", "gap")
    runs, held = integer(runs, 1), integer(held, 0)
    ratio, tilt, gap = (number(text) for text in numbers)
    require(0 < ratio <= tilt <= 1 and 0 < gap < 1, "a parameter is out of range")
    require(runs * old.records + held <= new.records, "there are too few records")
    if old.against == "realizable":
        base = 1 + old.error / tilt - old.error - (1 - tilt) * (gap + old.error)
    else:
        base = (tilt + gap * tilt + 1 / tilt - gap / tilt) / 2
    require(base < 1 and old.error + gap < 1, "the bound is void")
    wrong_pick = (runs - 1) * (directed.power(base, held) if held else ONE)
    failure = directed.shorten(directed.power(old.failure, runs) + wrong_pick)
    fact = Accuracy(old.error + gap, failure, old.against, new.records, old.proper)
    require(new == fact, "error or failure is another")


def _relabelling(node: Tree) -> None:
    new, old = _two(node, empirical=True)
    ratio, miss, *counts = parameters(node, "ratio", "miss", "kept", "change", "mistake", "vc")
    ratio, miss = read_inner_ratio(ratio), _miss(miss)
    kept, change, mistake, vc = (integer(count, 1) for count in counts)
    voters = new.records - kept
    require(old.proper and old.records == kept and voters >= 1, "the records do not fit")
    units = (directed.ln_labellings(kept, vc) + directed.ln_ceiling(1 / miss)) / directed.ln_floor(1 / ratio)
    error = near_best(voters, 2 * miss, vc) + units / (mistake * voters)
    error += true_rate(old.error + units / (change * kept), kept, miss, vc, 2)
    fact = Accuracy(directed.shorten(min(ONE, error)), old.failure + 4 * miss, "agnostic", new.records, True)
    require(new == fact, "error or failure is another")


def _stable(node: Tree) -> None:
    no_premise(node)
    new = read_accuracy(node)
    ratio, miss, kept, vc = parameters(node, "ratio", "miss", "kept", "vc")
    ratio, miss, kept, vc = read_inner_ratio(ratio), _miss(miss), integer(kept, 1), integer(vc, 1)
    require(kept <= new.records, "more records are kept than there are")
    log = directed.ln_ceiling(1 / miss)
    error = near_best(new.records, 2 * miss, vc) + (directed.ln_labellings(new.records, vc) + log) / kept
    error += (directed.ln_labellings(kept, vc) + log) / (new.records * directed.ln_floor(1 / ratio))
    fact = Accuracy(directed.shorten(min(ONE, error)), 4 * miss, "agnostic", new.records, True)
    require(new == fact, "error or failure is another")


RULES: dict[str, Check] = {
    "empirical-draw": _empirical_draw,
    "subsampling-accuracy": _subsampling,
    "resampling-empirical": _resampling_empirical,
    "resampling-accuracy": _resampling,
    "confidence": _confidence,
    "relabelling-accuracy": _relabelling,
    "stable-accuracy": _stable,
}
