"""One option's answer to a question: proved, simulated, and the floor, in the unit of the question."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import count
from typing import Any, cast

from privpac.constructions.class_facts import ClassFacts
from privpac.constructions.option import Protects, Setting
from privpac.constructions.wish import LARGEST_EPSILON, Wish
from privpac.errors import PrivpacError
from privpac.numbers.exact import first_whole
from privpac.plan.floors import floor_for, least_possible
from privpac.plan.options import OPTIONS, Need, Option
from privpac.plan.question import Kind, Question
from privpac.plan.simulation import Loss

__all__ = [
    "Answer",
    "Estimate",
    "Limit",
    "Loss",
    "answer",
    "bare_answer",
    "hard_estimate",
    "limit_of",
    "suffices",
    "with_floor",
]

Value = int | Fraction

ERROR_GRID = Fraction(1, 10_000)


@dataclass(frozen=True)
class Estimate:
    """What simulation says, with an interval; `exact` where it was summed instead of sampled."""

    value: Value
    low: Value
    high: Value | None
    on: str
    exact: bool = False
    repetitions: int | None = None
    loss: Loss | None = None
    """What of an error privacy cost; None where that is not asked, or could not be tried."""

    def to_json(self) -> dict[str, Any]:
        """The interval and how it was found, as JSON."""
        return {
            "low": _plain(self.low),
            "high": None if self.high is None else _plain(self.high),
            "on": self.on,
            "exact": self.exact,
            "repetitions": self.repetitions,
            **({} if self.loss is None else {"loss": self.loss.to_json()}),
        }


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
    simulated: Estimate | None = None
    unsimulated: str | None = None
    """Why there is no simulated number, where one was asked for."""
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
            "simulated": None if self.simulated is None else _plain(self.simulated.value),
            "simulation": self._simulation(),
            "floor": None if self.floor is None else _plain(self.floor),
            "floor_source": self.floor_source,
            "ratio": None if self.ratio is None else round(self.ratio, 2),
            "source": self.option.source,
            "parameters": dict(self.need.parameters),
            "command": self.command,
            "python": self.python,
        }
        return tree if self.enough is None else {**tree, "enough": self.enough}

    def _simulation(self) -> dict[str, Any] | None:
        if self.simulated is not None:
            return self.simulated.to_json()
        return None if self.unsimulated is None else {"why": self.unsimulated}


def _plain(value: Value) -> int | float:
    return value if isinstance(value, int) else float(value)


def answer(question: Question, option: Option, concepts: ClassFacts) -> Answer | None:
    """What an option answers; None where it promises nothing."""
    row = bare_answer(question, option, concepts)
    if row is None:
        return None
    # What is impossible is asked of all that the question allows: also of methods with its delta, for a row without.
    as_asked = replace(option, pure=not question.delta)
    return replace(with_floor(question, replace(row, option=as_asked)), option=option)


def with_floor(question: Question, row: Answer) -> Answer:
    """The row beside what is impossible for its option."""
    if question.kind == "needed":
        floor = floor_for(row.option, row.wish)
        return row if floor is None else replace(row, floor=floor.records, floor_source=floor.source)
    name = "error" if question.kind == "reachable" else "epsilon"
    least = least_possible(row.option, row.wish, name=name, records=question.records or 0)
    return row if least is None else replace(row, floor=least[0], floor_source=least[1])


def bare_answer(question: Question, option: Option, concepts: ClassFacts) -> Answer | None:
    """The same without the floor, which takes longest to find."""
    wish = question.wish(concepts)
    if question.kind == "needed":
        return _records_answer(question, option, wish)
    solution = _solve(question, option, wish, "error" if question.kind == "reachable" else "epsilon")
    if solution is None:
        return None
    records = question.records or 0
    need = _need_at(option, solution, records)
    if need is None or _is_direct(question, need):
        need = Need(records)
    return Answer(question.kind, option, solution, need)


def _is_direct(question: Question, need: Need) -> bool:
    """Whether a formula says what just these records prove, and the need is about others: about more of them, or about
    fewer with a part of epsilon, of which something else would be learnt."""
    more = need.labelled > (question.records or 0) and not need.unlabelled
    return more or (question.kind == "reachable" and "epsilon" in need.parameters)


def _records_answer(question: Question, option: Option, wish: Wish) -> Answer | None:
    need = _need(option, wish)
    if need is None or not _affordable(question, need):
        return None
    enough = None if question.records is None else _at_hand(option, wish, need, question.records)
    return Answer("needed", option, wish, need, enough=enough)


def _at_hand(option: Option, wish: Wish, need: Need, records: int) -> bool:
    """Whether just this many are enough, also where with somewhat more of them less would be proved."""
    if need.labelled <= records:
        return True
    if option.sooner is None or option.error is None:
        return False
    error = option.error(wish, records)
    return error is not None and error <= wish.error


@lru_cache(maxsize=4096)  # advice, curves and searches ask the same again and again
def _need(option: Option, wish: Wish) -> Need | None:
    try:
        return option.needs(wish)
    except (PrivpacError, ArithmeticError):
        return None  # outside the conditions of its theorem


def _need_at(option: Option, wish: Wish, records: int) -> Need | None:
    """What is needed, if possible with just this many labelled records."""
    if option.at is None:
        return _need(option, wish)
    try:
        return option.at(wish, records)
    except (PrivpacError, ArithmeticError):
        return None


def _affordable(question: Question, need: Need) -> bool:
    return question.unlabelled is None or need.unlabelled <= question.unlabelled


def suffices(question: Question, option: Option, wish: Wish, records: int) -> bool:
    """Whether this many labelled records, and the unlabelled ones at hand, are enough for these numbers."""
    if option.enough is not None:
        try:
            return option.enough(wish, records)
        except (PrivpacError, ArithmeticError):
            return False
    need = _need_at(option, wish, records)
    return need is not None and need.labelled <= records and _affordable(question, need)


def _search(question: Question, option: Option, wish: Wish, name: str, end: Fraction) -> Wish | None:
    """The smallest number of two digits at which the records at hand are enough."""
    row, have = _two_digits(end), question.records or 0

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
    assert question.records is not None
    plain = next(option for option in OPTIONS if option.learner == "occam")
    direct = plain.direct(name)
    need = None if direct is None else direct(wish, question.records)
    return Fraction(1, 4) if need is None else need


def _solve(question: Question, option: Option, wish: Wish, name: str) -> Wish | None:
    """The wish with the number asked for, by a direct formula where there is one."""
    assert question.records is not None
    direct = option.direct(name)
    end = Fraction(1, 2) if name == "error" else Fraction(LARGEST_EPSILON)
    if direct is None:
        return _search(question, option, wish, name, end)
    need = direct(wish, question.records)
    return None if need is None or need >= end else wish.at(name, need)


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
        protects=cast(Protects, question.protect),
        proper=proper,
        pure=pure,
        pool=False,
        asks=False,
    )
    bound = with_floor(question, replace(row, option=anything, floor=None, floor_source=None))
    if bound.floor is None or bound.floor_source is None:
        return None
    return Limit(bound.floor, bound.floor_source, proper)


FAMILY = "the hardest records that are built in"


def hard_estimate(question: Question, row: Answer) -> Estimate | None:
    """The same number on the built-in hard distribution."""
    hard = row.option.hard
    if hard is None:
        return None
    if question.kind == "needed":
        value = hard(row.wish)
        return None if value is None else Estimate(value, value, value, FAMILY, exact=True)
    name = "error" if question.kind == "reachable" else "epsilon"
    last = int(row.wish.number(name) / ERROR_GRID)
    have = question.records or 0

    def enough(step: int) -> bool:
        try:
            need = hard(row.wish.at(name, step * ERROR_GRID))
        except (PrivpacError, ArithmeticError):
            return False  # outside the conditions of its theorem, where no parameters are known
        return need is not None and need <= have

    if last < 1 or not enough(last):
        return None
    best = first_whole(lambda k: k >= last or enough(k), start=max(1, last // 2), smallest=1) * ERROR_GRID
    return Estimate(best, best, best, FAMILY, exact=True)
