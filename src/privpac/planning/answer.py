"""One option's answer to a question: proved, and the floor, in the unit of the question."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import count
from typing import Any, cast

from privpac.constructions.class_facts import ClassFacts
from privpac.constructions.estimates.share import left_for_rule, whole_for_rule
from privpac.constructions.option import Protects, Setting
from privpac.constructions.wish import LARGEST_EPSILON, Wish
from privpac.errors import PrivpacError
from privpac.planning.floors import floor_for, least_possible
from privpac.planning.options import OPTIONS, Need, Option
from privpac.planning.question import Kind, Question

__all__ = [
    "Answer",
    "Limit",
    "answer",
    "bare_answer",
    "limit_of",
    "rule_epsilon",
    "suffices",
    "with_floor",
]

Value = int | Fraction


@dataclass(frozen=True)
class Answer:
    """A row of a plan."""

    asks: Kind
    option: Option
    wish: Wish
    """With the number that was asked for filled in."""
    need: Need
    floor: Value | None = None
    floor_source: str | None = None
    enough: bool | None = None
    """Whether the records at hand suffice, where both were given."""

    @property
    def concepts(self) -> ClassFacts:
        """The class of rules that this row learns."""
        return self.wish.concepts

    @property
    def proved(self) -> Value:
        """The number that was asked for and is proved: records, error or epsilon."""
        if self.asks == "needed":
            return self.need.labelled
        return self.wish.error if self.asks == "reachable" else self.wish.epsilon

    @property
    def spent(self) -> Fraction:
        """The epsilon that the number is proved with: the one allowed, or a smaller one with which fewer records do."""
        return Fraction(self.need.parameters.get("epsilon", self.wish.epsilon))

    @property
    def ratio(self) -> float | None:
        """Proved over floor: how much a cleverer proof or method could still save."""
        return None if not self.floor else float(Fraction(self.proved) / Fraction(self.floor))

    @property
    def order(self) -> tuple[Any, ...]:
        """Cheapest first: the fewest records, labelled or not, where records are asked for; of equal ones one draw."""
        total = self.need.labelled + self.need.unlabelled
        first = Fraction(total) if self.asks == "needed" else Fraction(self.proved)
        return (first, total, self.option.learner != "occam", self.option.learner, self.option.setting)

    @property
    def command(self) -> str | None:
        """The command line that does it; None if there is none."""
        return None if self.option.command is None else self.option.command(self.wish, self.need)

    @property
    def python(self) -> str | None:
        """The Python call that does it; None if there is none."""
        return None if self.option.python is None else self.option.python(self.wish, self.need)

    def to_json(self) -> dict[str, Any]:
        """The row as JSON."""
        is_release = self.option.purpose == "release"
        tree: dict[str, Any] = {
            "learner": self.option.learner,
            "concepts": self.concepts.word,
            # Continuous classes have no number of members.
            "log2_size": None if self.concepts.kappa is not None else round(self.concepts.bits, 3),
            "vc": self.concepts.vc,
            "grid": self.concepts.grid or None,
            "setting": self.option.setting,
            "protects": self.option.protects,
            "proper": self.option.proper,
            "purpose": self.option.purpose,
            # What is released needs no labels: all its records count as unlabelled.
            "labelled": 0 if is_release else self.need.labelled,
            "unlabelled": self.need.labelled if is_release else self.need.unlabelled,
            "error": float(self.wish.error),
            "epsilon": float(self.wish.epsilon),
            "floor": None if self.floor is None else _plain(self.floor),
            "floor_source": self.floor_source,
            "ratio": None if self.ratio is None else round(self.ratio, 2),
            "source": self.option.source,
            "parameters": dict(self.need.parameters),
            "command": self.command,
            "python": self.python,
        }
        return tree if self.enough is None else {**tree, "enough": self.enough}


def _plain(value: Value) -> int | float:
    return value if isinstance(value, int) else float(value)


def answer(question: Question, option: Option, concepts: ClassFacts) -> Answer | None:
    """What an option answers; None where it promises nothing."""
    row = bare_answer(question, option, concepts)
    if row is None:
        return None
    # What is impossible is asked of all that the question allows: also of methods with its delta, for a row without.
    as_asked = replace(option, pure=not question.asked.delta)
    return replace(with_floor(question, replace(row, option=as_asked)), option=option)


def with_floor(question: Question, row: Answer) -> Answer:
    """The row beside what is impossible for its option."""
    if question.kind == "needed":
        floor = floor_for(row.option, row.wish)
        return row if floor is None else replace(row, floor=floor.records, floor_source=floor.source)
    name = "error" if question.kind == "reachable" else "epsilon"
    least = least_possible(row.option, row.wish, name=name, records=question.asked.records or 0)
    return row if least is None else replace(row, floor=least[0], floor_source=least[1])


def bare_answer(question: Question, option: Option, concepts: ClassFacts) -> Answer | None:
    """The same without the floor, which takes longest to find."""
    wish = question.wish(concepts)
    if question.kind == "needed":
        return _records_answer(question, option, wish)
    solution = _solve(question, option, wish, "error" if question.kind == "reachable" else "epsilon")
    if solution is None:
        return None
    records = question.asked.records or 0
    need = _need_at(option, solution, records)
    if need is None or _is_direct(question, need):
        need = Need(records)
    return Answer(question.kind, option, solution, need)


def _is_direct(question: Question, need: Need) -> bool:
    """Whether a formula says what just these records prove, and the need is about others: about more of them, or about
    fewer with a part of epsilon, of which something else would be learnt."""
    more = need.labelled > (question.asked.records or 0) and not need.unlabelled
    return more or (question.kind == "reachable" and "epsilon" in need.parameters)


def _records_answer(question: Question, option: Option, wish: Wish) -> Answer | None:
    need = _need(option, wish)
    if need is None or not _affordable(question, need):
        return None
    enough = None if question.asked.records is None else need.labelled <= question.asked.records
    return Answer("needed", option, wish, need, enough=enough)


def _counts_share(option: Option) -> bool:
    """Whether its command takes a share of epsilon for the counts behind the verdict: that of one rule from labelled
    records, unless it is told otherwise."""
    is_rule = option.purpose == "learn" and option.protects != "predictions"
    return is_rule and option.command is not None and not option.pool and not option.asks


def rule_epsilon(option: Option, epsilon: Fraction, records: int) -> Fraction:
    """What the rule itself has of an epsilon, for this many records."""
    return left_for_rule(records, epsilon) if _counts_share(option) else epsilon


def _left(option: Option, wish: Wish, records: int) -> Wish:
    """The wish with what the rule itself has of epsilon, for this many records."""
    left = rule_epsilon(option, wish.epsilon, records)
    return wish if left == wish.epsilon else wish.at("epsilon", left)


MANY = 10**9
"""Records for which the share is as large as it gets."""


@lru_cache(maxsize=4096)  # advice, curves and searches ask the same again and again
def _need(option: Option, wish: Wish) -> Need | None:
    """The records that are enough with what the share leaves for so many, which is least for many."""
    need = _whole_need(option, _left(option, wish, MANY))
    if need is None or _left(option, wish, need.labelled).epsilon < wish.epsilon * 91 / 100:
        return need
    whole = _whole_need(option, wish)
    takes_none = whole is not None and _left(option, wish, whole.labelled) == wish
    return whole if takes_none else need


def _whole_need(option: Option, wish: Wish) -> Need | None:
    try:
        return option.needs(wish)
    except (PrivpacError, ArithmeticError):
        return None  # outside the conditions of its theorem


def _need_at(option: Option, wish: Wish, records: int) -> Need | None:
    """What is needed, if possible with just this many labelled records."""
    left = _left(option, wish, records)
    if option.at is None:
        return _whole_need(option, left)
    try:
        return option.at(left, records)
    except (PrivpacError, ArithmeticError):
        return None


def _affordable(question: Question, need: Need) -> bool:
    return question.asked.unlabelled is None or need.unlabelled <= question.asked.unlabelled


def suffices(question: Question, option: Option, wish: Wish, records: int) -> bool:
    """Whether this many labelled records, and the unlabelled ones at hand, are enough for these numbers."""
    need = _need_at(option, wish, records)
    return need is not None and need.labelled <= records and _affordable(question, need)


def _search(question: Question, option: Option, wish: Wish, name: str, end: Fraction) -> Wish | None:
    """The smallest number of two digits at which the records at hand are enough."""
    row, have = _two_digits(end), question.asked.records or 0

    def over(place: int) -> float:
        """Records needed over those at hand; at most 1 where they are enough."""
        need = _need_at(option, wish.at(name, row[place]), have)
        return need.labelled / have if need is not None and _affordable(question, need) else math.inf

    low, high = -1, len(row)
    at = min(high - 1, bisect_left(row, _nearby(question, wish, name)))
    for turn in count():
        if high - low <= 1:
            break
        result = over(at)
        low, high = (low, at) if result <= 1 else (at, high)
        # Needs fall about as the number grows. Where none is known, and every third time, halve what is left.
        guess = bisect_left(row, row[at] * Fraction(min(result, 2.0)))
        halve = option.at is not None or turn % 3 == 2
        at = (low + high) // 2 if halve else min(max(guess, low + 1), high - 1)
    return wish.at(name, row[high]) if high < len(row) else None


@lru_cache(maxsize=4)
def _two_digits(end: Fraction) -> list[Fraction]:
    """All numbers of two digits from 0.0010 up to, not including, an end."""
    row = [Fraction(k) * Fraction(10) ** power for power in range(-4, 1) for k in range(10, 100)]
    return [number for number in row if number < end]


def _nearby(question: Question, wish: Wish, name: str) -> Fraction:
    """Where to begin a search: at what the plain mechanism reaches, whose formula is direct."""
    assert question.asked.records is not None
    plain = next(option for option in OPTIONS if option.learner == "occam")
    direct = plain.direct(name)
    need = None if direct is None else direct(wish, question.asked.records)
    return Fraction(1, 4) if need is None else need


def _solve(question: Question, option: Option, wish: Wish, name: str) -> Wish | None:
    """The wish with the number asked for, by a direct formula where there is one."""
    assert question.asked.records is not None
    direct = option.direct(name)
    end = Fraction(1, 2) if name == "error" else Fraction(LARGEST_EPSILON)
    if direct is None:
        return _search(question, option, wish, name, end)
    need = direct(
        _left(option, wish, question.asked.records) if name == "error" else wish, question.asked.records
    )
    if need is not None and name == "epsilon" and _counts_share(option):
        need = _rounded_up(whole_for_rule(question.asked.records, need), need)
    return None if need is None or need >= end else wish.at(name, need)


def _rounded_up(epsilon: Fraction, like: Fraction) -> Fraction:
    """An epsilon that can be written down: with four digits, unless it is one already."""
    if epsilon == like:
        return epsilon
    unit = Fraction(10) ** (math.floor(math.log10(epsilon)) - 3)
    return -(-epsilon // unit) * unit


@dataclass(frozen=True)
class Limit:
    """Fewer records, a smaller error or a smaller epsilon than this is impossible, by the statement `source`."""

    value: Value
    source: str
    proper: bool
    """Whether it speaks only of methods that answer with a rule of the class."""


def limit_of(
    question: Question, row: Answer, *, setting: Setting, proper: bool, pure: bool = True
) -> Limit | None:
    """The floor of all methods that would answer the question about the class of a row, whichever rows a plan has.

    A row may hide more than was asked, and its floor then says nothing about methods that hide less; so this is asked
    of an option that hides and promises just what the question wants. With `proper` of those that answer with a rule of
    the class; with `pure` of those without a delta. None where nothing is excluded.
    """
    anything = replace(
        row.option,
        learner="any method",
        setting=setting,
        protects=cast(Protects, question.asked.protect),
        proper=proper,
        pure=pure,
        pool=False,
        asks=False,
    )
    bound = with_floor(question, replace(row, option=anything, floor=None, floor_source=None))
    if bound.floor is None or bound.floor_source is None:
        return None
    return Limit(bound.floor, bound.floor_source, proper)
