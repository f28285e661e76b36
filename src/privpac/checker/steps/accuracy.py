"""Accuracy, checked."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, prod

from privpac.checker import directed
from privpac.checker.reading import (
    ALL,
    Broken,
    Check,
    Loss,
    Tree,
    integer,
    no_premise,
    number,
    only_premise,
    parameters,
    read_goal,
    read_privacy,
    require,
    whole,
    within,
)

__all__ = ["RULES"]


def _occam(against: str) -> Check:
    def check(node: Tree) -> None:
        no_premise(node)
        error, failure, count = read_goal(node, against)
        *numbers, records = parameters(node, "odds", "ratio", "tilt", "records")
        odds, ratio, tilt = (number(text) for text in numbers)
        require(integer(records, 0) == count, "the numbers of records differ")
        require(0 < ratio <= tilt <= 1 and odds >= 0, "a parameter is out of range")
        base = (
            1 - error + error * tilt
            if against == "realizable"
            else (1 - error) / (2 * tilt) + tilt * (1 + error) / 2
        )
        require(directed.power_at_most(odds, base, records, failure), "the bound fails")

    return check


_DECIMALS = 10**12
_MOST_STAGES = 64


def _numbers(text: object) -> list[Fraction]:
    """Several numbers in one text, one per stage."""
    if not isinstance(text, str):
        raise Broken("a number is misspelt")
    words = text.split(" ")
    within(len(words), _MOST_STAGES)
    return [number(word) for word in words]


def _rounded(value: Fraction) -> Fraction:
    return Fraction(ceil(value * _DECIMALS), _DECIMALS)


def _worse_on_records(odds: list[Fraction], ratios: list[Fraction], each: Fraction) -> Fraction:
    """Mistakes that all stages together may add, each with its own share of the failure."""
    require(len(odds) == len(ratios), "a stage lacks a number")
    require(all(0 < ratio < 1 for ratio in ratios), "a ratio is out of range")
    require(all(one >= 0 for one in odds), "odds are negative")
    logs = [
        directed.ln_ceiling(one / each) / directed.ln_floor(1 / ratio)
        for one, ratio in zip(odds, ratios, strict=True)
        if one > each
    ]
    return _rounded(sum(logs, Fraction(0)))


def _private(node: Tree, ratios: list[Fraction]) -> Fraction:
    """e^epsilon of the learner whose privacy is the premise: at least what draws with these ratios lose together."""
    fact = read_privacy(only_premise(node))
    whole_records = fact.delta == 0 and fact.unit == "record" and fact.part == ALL
    require(
        whole_records and fact.release == "hypothesis", "whole records must be protected, without a delta"
    )
    loss = Loss(Fraction(0), prod((1 / ratio**2 for ratio in ratios), start=Fraction(1)))
    require(loss.at_most(fact.loss), "the draws lose more than the privacy that is the premise")
    return fact.loss.rational


def _stages(against: str) -> Check:
    best_errs = against == "agnostic"

    def check(node: Tree) -> None:
        by_privacy = bool(node.get("premises"))
        names = ("odds", "ratios", "records") if by_privacy else ("odds", "ratios", "records", "size")
        odds_text, ratios_text, records, *rules = parameters(node, *names)
        odds, ratios = _numbers(odds_text), _numbers(ratios_text)
        # Rules grown in stages are no members of the first class.
        error, failure, n = read_goal(node, against, proper=len(odds) == 1)
        require(integer(records, 1) == n, "the numbers of records differ")
        each = failure / (len(odds) + 1 + best_errs)
        worse = _worse_on_records(odds, ratios, each) / n
        growth = _private(node, ratios) if by_privacy else None
        count = Fraction(1) if by_privacy else Fraction(whole(rules[0], 1))
        bound = (
            _against_best(worse, n, each, count, growth)
            if best_errs
            else _no_error(worse, n, each, count, growth)
        )
        require(error == bound < 1, "the bound is another one")

    return check


def _against_best(
    worse: Fraction, n: int, each: Fraction, count: Fraction, growth: Fraction | None
) -> Fraction:
    """The best member looks too bad, the released rule too good: one deviation each."""
    best = directed.root_ceiling(directed.ln_ceiling(1 / each) / (2 * n))
    if growth is None:
        return _rounded(worse + best + directed.root_ceiling(directed.ln_ceiling(count / each) / (2 * n)))
    half = directed.root_ceiling(growth)
    return _rounded(worse + 2 * best + 1 - 2 / (half + 1))


def _no_error(worse: Fraction, n: int, each: Fraction, count: Fraction, growth: Fraction | None) -> Fraction:
    """Few mistakes were seen: Chernoff's bound by the distance of the roots."""
    roots = directed.root_ceiling(worse) + directed.root_ceiling(directed.ln_ceiling(count / each) / n)
    rate = _rounded(roots**2)
    require(rate < 1, "so few records prove nothing")
    return rate if growth is None else _rounded(1 - (1 - rate) / (1 - rate + rate * growth))


MOST_PATTERNS = 2**30
"""Patterns and thresholds: what is larger is no certificate of ours."""


def _clause_counts(node: Tree) -> None:
    no_premise(node)
    error, failure, count = read_goal(node, "realizable", proper=False)
    texts = parameters(node, "clauses", "ratio", "threshold", "tilt", "records")
    clauses, threshold = integer(texts[0], 1), integer(texts[2], 0)
    noise, tilt = number(texts[1]), number(texts[3])
    require(integer(texts[4], 0) == count, "the numbers of records differ")
    require(error < 1 and failure < 1, "error or failure is out of range")
    require(0 < noise < tilt < 1, "a ratio is out of range")
    require(max(clauses, threshold) <= MOST_PATTERNS, "a number is out of range")
    miss = clauses * directed.power(noise, threshold + 1) / (1 + noise)
    require(miss < failure, "an exception is missed too often")
    mean = (1 - noise) * (1 - noise) * tilt / ((1 - noise * tilt) * (tilt - noise))
    odds = clauses * mean * (directed.power(1 / tilt, threshold) if threshold else 1)
    base = 1 - error * (1 - tilt) / clauses
    require(directed.power_at_most(odds, base, count, failure - miss), "the bound fails")


RULES: dict[str, Check] = {
    "clause-counts": _clause_counts,
    "occam-realizable": _occam("realizable"),
    "occam-agnostic": _occam("agnostic"),
    "staged-draws-realizable": _stages("realizable"),
    "staged-draws-agnostic": _stages("agnostic"),
}
