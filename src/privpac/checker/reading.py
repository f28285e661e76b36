"""Reading a stored derivation strictly: numbers in one spelling, facts with their own fields and no others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from privpac.checker import directed
from privpac.checker.document import MOST_DIGITS

__all__ = [
    "ALL",
    "STEP",
    "Accuracy",
    "Broken",
    "Check",
    "Loss",
    "Privacy",
    "Tree",
    "check_fact",
    "decimal",
    "integer",
    "no_premise",
    "number",
    "only_premise",
    "pair",
    "parameters",
    "read_accuracy",
    "read_fact",
    "read_goal",
    "read_inner_ratio",
    "read_privacy",
    "read_ratio",
    "require",
    "same_records",
    "unconditional",
    "whole",
    "within",
]

Tree = Mapping[str, Any]

Check = Callable[[Tree], None]
"""Derives one step again from its premises and parameters, or raises `Broken`."""

STEP = Fraction(1, 10**12)
"""Headline epsilons and stabilities are rounded up to twelve decimals."""

ALL = "all records"
_UNITS = ("record", "label")
_RELEASES = (
    "hypothesis",
    "one answer",
    "several answers",
    "noisy numbers",
    "hypothesis and positions asked",
    "hypothesis and positions kept",
)
_FACTS = {
    "privacy": {"kind", "epsilon", "delta", "unit", "part", "release", "neighbours"},
    "bounded-range": {"kind", "epsilon", "unit"},
    "range": {"kind", "epsilon", "unit", "part", "release"},
    "concentrated": {"kind", "rho", "delta", "unit", "part", "release"},
    "stability": {"kind", "gamma", "unit"},
    "accuracy": {"kind", "error", "failure", "against", "records", "proper"},
    "answers": {"kind", "error", "failure", "queries", "records"},
}
_FRACTION = re.compile(r"-?[0-9]+(/[0-9]+)?")
_DECIMAL = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]*[1-9])?|[1-9][0-9]*/[1-9][0-9]*")
_DECIMAL_DIGITS = 20
_LARGEST_COUNT = 2**63
_LARGEST_LOG = 1_000
_FAR = 20_000
_EXP_DIGITS = 30


class Broken(Exception):
    """The reason a node does not follow."""


def require(condition: bool, reason: str) -> None:
    """Refuse a step of a certificate, for this reason, unless the condition holds."""
    if not condition:
        raise Broken(reason)


def _read(text: object, spelling: re.Pattern[str]) -> Fraction:
    if not isinstance(text, str) or spelling.fullmatch(text) is None:
        raise Broken("a number is misspelt")
    numerator, _, denominator = text.partition("/")
    require(max(len(numerator), len(denominator)) <= MOST_DIGITS, "a number is too long")
    require(denominator == "" or denominator.strip("0") != "", "a number is divided by nothing")
    return Fraction(text)


def number(text: object) -> Fraction:
    """A fraction in the one way the library writes it."""
    require(isinstance(text, str), "a number is misspelt")
    return _number(text)


@lru_cache(maxsize=256)  # the steps of a derivation repeat the numbers of their premises
def _number(text: object) -> Fraction:
    value = _read(text, _FRACTION)
    require(str(value) == text, "a number is not written in lowest terms")
    return value


def decimal(text: object) -> Fraction:
    """A number as people write it: a decimal, or a fraction where no decimal of twenty digits is exact."""
    value = _read(text, _DECIMAL)
    short = (value * 10**_DECIMAL_DIGITS).denominator == 1
    # One spelling a number: another one would be an edit that nobody notices.
    require(short if "/" not in str(text) else not short and str(value) == text, "a number is misspelt")
    return value


def integer(value: object, least: int) -> int:
    """A count: of records, of runs, of steps."""
    if type(value) is not int:
        raise Broken("a whole number is expected")
    require(value >= least, "a whole number is too small")
    require(value <= _LARGEST_COUNT, "a whole number is too large")
    return value


def same_records(value: object, records: int) -> None:
    """Refuse a parameter that is not the number of records of the fact, written as one: 5.0 is another text than 5."""
    require(integer(value, 0) == records, "the numbers of records differ")


def whole(text: object, least: int) -> int:
    """A whole number that may be too large to count with, such as the cells of a column; written as text."""
    value = number(text)
    require(value.denominator == 1, "a whole number is expected")
    require(value >= least, "a whole number is too small")
    return value.numerator


def within(steps: int, most: int = 2**20) -> int:
    """So many steps, if a certificate of ours could take them: what a file says must not decide how long it is read."""
    require(steps <= most, "a sum has too many terms")
    return steps


def parameters(node: Tree, *names: str) -> tuple[Any, ...]:
    """The parameters of a rule, which must be these and no others."""
    where: Tree = node.get("where", {})
    require(set(where) == set(names), "the parameters are not those of this rule")
    return tuple(where[name] for name in names)


@dataclass(frozen=True)
class Loss:
    """e^epsilon = e^log · factor."""

    log: Fraction
    factor: Fraction

    @classmethod
    def read(cls, tree: Tree) -> Loss:
        """The loss written in a certificate; refused unless it has exactly two numbers and a positive factor."""
        is_loss = isinstance(tree, Mapping) and set(tree) == {"log", "factor"}
        require(is_loss, "an epsilon has other fields than log and factor")
        loss = cls(number(tree["log"]), number(tree["factor"]))
        require(loss.factor > 0, "a factor is not positive")
        return loss

    def at_most(self, other: Loss) -> bool:
        """Certainly at most `other`."""
        gap = other.log - self.log
        if gap == 0:
            return self.factor <= other.factor
        if abs(gap) > _FAR:  # e^gap is beyond every factor that can be written; 2^gap decides well enough
            return gap > 0 and self.factor <= other.factor * 2**_FAR
        return self.factor <= other.factor * directed.exp_bounds(gap)[0]

    def above(self, other: Loss) -> bool:
        """Certainly larger than `other`."""
        gap = other.log - self.log
        if abs(gap) > _FAR:
            return False
        return self.factor > other.factor * (directed.exp_bounds(gap)[1] if gap else 1)

    @property
    def upper(self) -> Fraction:
        """A decimal at or above epsilon, and not below 0."""
        return max(Fraction(0), self.log + directed.ln_ceiling(self.factor))

    @property
    def rational(self) -> Fraction:
        """e^epsilon, rounded up to 30 decimals where it is not rational."""
        if self.log == 0:
            return self.factor
        require(0 < self.log <= _LARGEST_LOG, "epsilon is out of range")
        return directed.exp_ceiling(self.log, _EXP_DIGITS) * self.factor


@dataclass(frozen=True)
class Privacy:
    """A stored privacy fact."""

    loss: Loss
    delta: Fraction
    unit: str
    part: str
    release: str


def read_fact(node: Tree, kind: str) -> Tree:
    """The fact of a node, which must be of this kind and hold its fields and no others."""
    fact: Tree = node["fact"]
    require(fact["kind"] == kind, f"a {kind} fact is expected here")
    return fact


def check_fact(fact: object) -> None:
    """Whether it is of a kind there is, with the fields of that kind and no others."""
    kind = fact.get("kind") if isinstance(fact, Mapping) else None
    if not isinstance(fact, Mapping) or not isinstance(kind, str) or kind not in _FACTS:
        raise Broken("there is no such kind of fact")
    require(set(fact) == _FACTS[kind], f"a {kind} fact has other fields")
    require(fact.get("unit", "record") in _UNITS, "there is no such protected unit")
    require(fact.get("release", "hypothesis") in _RELEASES, "there is no such release")
    part = fact.get("part", ALL)
    require(isinstance(part, str) and part != "", "a part needs a name")


def read_privacy(node: Tree) -> Privacy:
    """The privacy that a step claims; refused if a field is missing or out of range."""
    fact = read_fact(node, "privacy")
    require(fact["neighbours"] == "replace-one", "neighbours must be replace-one")
    loss, delta = Loss.read(fact["epsilon"]), number(fact["delta"])
    require(delta >= 0, "delta is negative")
    return Privacy(loss, delta, fact["unit"], fact["part"], fact["release"])


def only_premise(node: Tree) -> Tree:
    """The premise of a step that must have exactly one."""
    premises = node.get("premises", ())
    require(len(premises) == 1, "exactly one premise is expected")
    premise: Tree = premises[0]
    return premise


def unconditional(node: Tree) -> None:
    """Refuse assumptions below: draws from a table follow its own distribution, of which none needs to hold."""
    for premise in node.get("premises", ()):
        require(not premise.get("assumes"), "the premise is not for every distribution")
        unconditional(premise)


def pair(node: Tree, *, release: bool = True) -> tuple[Privacy, Privacy]:
    """A privacy fact and its only premise's, which speak of the same thing."""
    new, old = read_privacy(node), read_privacy(only_premise(node))
    require((new.unit, new.part) == (old.unit, old.part), "the scope differs from the premise's")
    require(not release or new.release == old.release, "the release differs from the premise's")
    return new, old


def no_premise(node: Tree) -> None:
    """Refuse premises of a step that rests on nothing else."""
    require(not node.get("premises"), "this step has no premises")


def read_ratio(text: object) -> Fraction:
    """A weight of one unit of score: above 0, and at most 1."""
    ratio = number(text)
    require(0 < ratio <= 1, "the ratio is out of range")
    return ratio


def read_inner_ratio(text: object) -> Fraction:
    """A weight of one unit of score that tells scores apart: above 0 and below 1."""
    ratio = number(text)
    require(0 < ratio < 1, "the ratio is out of range")
    return ratio


@dataclass(frozen=True)
class Accuracy:
    """A stored accuracy fact."""

    error: Fraction
    failure: Fraction
    against: str
    records: int
    proper: bool


def read_accuracy(node: Tree) -> Accuracy:
    """The accuracy that a step claims; refused if a field is missing or out of range."""
    fact = read_fact(node, "accuracy")
    require(type(fact["proper"]) is bool, "proper is not yes or no")
    error, failure, records = number(fact["error"]), number(fact["failure"]), integer(fact["records"], 0)
    require(0 <= error <= 1 and 0 < failure < 1, "error or failure is out of range")
    return Accuracy(error, failure, fact["against"], records, fact["proper"])


def read_goal(node: Tree, against: str, *, proper: bool = True) -> tuple[Fraction, Fraction, int]:
    """Error, failure and records of an accuracy of this kind, with an error above 0."""
    fact = read_accuracy(node)
    require((fact.against, fact.proper) == (against, proper), "another kind of accuracy")
    require(fact.error > 0, "error or failure is out of range")
    return fact.error, fact.failure, fact.records
