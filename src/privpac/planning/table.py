"""A plan: every way that answers a question, cheapest first, beside what is impossible."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from privpac.concepts.base import AnyClass
from privpac.errors import ParameterError, PrivpacError
from privpac.planning.lower_bounds import Claim, Limit, impossible
from privpac.planning.question import Kind, Question
from privpac.planning.search import (
    ANY_ERROR,
    HOPELESS,
    SETTINGS,
    Promise,
    fewest_records,
    promise,
    smallest_epsilon,
    smallest_error,
)
from privpac.planning.ways import RuleWay, Way, class_asked, class_word, ways
from privpac.report.forecast import Forecast, NoForecast

if TYPE_CHECKING:
    from privpac.planning.simulation import NotSimulated, Simulation

__all__ = ["PlanTable", "Row", "limit_of", "row_of", "rows_of"]

Value = int | Fraction

ASKS = {"needed": "records", "reachable": "error", "smallest_epsilon": "epsilon"}
"""Which number a question asks for."""


@dataclass(frozen=True)
class Row:
    """One way with all three numbers: those that were given, and the one that was asked for."""

    way: Way
    setting: str
    records: int
    error: Fraction
    epsilon: Fraction
    promise: Promise
    """What its certificate says."""
    limit: Limit | None = None

    @property
    def asks(self) -> Kind:
        """The kind of question."""
        return self.way.question.kind

    @property
    def learner(self) -> str:
        """The name of the learner, as certificates have it."""
        return self.promise.learner

    @property
    def word(self) -> str:
        """What the rule is chosen from and how, as `--concepts` names it."""
        return self.way.word(self.records, self.error)

    @property
    def concepts(self) -> str:
        """The same as a reader writes it."""
        return self.way.question.shown(self.word)

    @property
    def unlabelled(self) -> int:
        """Records without labels that it takes besides."""
        return self.way.unlabelled

    @property
    def proved(self) -> Value:
        """The number that was asked for and is proved: records, error or epsilon."""
        if self.asks == "needed":
            return self.records
        return self.error if self.asks == "reachable" else self.epsilon

    @property
    def floor(self) -> Value | None:
        """What is impossible."""
        return None if self.limit is None else self.limit.value

    @property
    def ratio(self) -> float | None:
        """Proved over impossible: how much a cleverer proof or method could still save."""
        return None if not self.floor else float(Fraction(self.proved) / Fraction(self.floor))

    @cached_property
    def enough(self) -> bool | None:
        """Whether the records at hand suffice, where all three numbers are given."""
        have = self.way.question.asked.records
        if self.asks != "needed" or have is None:
            return None
        reached = promise(self.way, self.setting, have, self.epsilon, self.error)
        return reached is not None and reached.error <= self.error

    @property
    def order(self) -> tuple[Any, ...]:
        """Cheapest first: the fewest records, labelled or not, where records are asked for; of equal ones one draw."""
        total = self.records + self.unlabelled
        first = Fraction(total) if self.asks == "needed" else Fraction(self.proved)
        return (first, total, self.learner != "occam", self.learner, self.setting)

    @property
    def command(self) -> str:
        """The command line that does it."""
        return self.way.command(self.records, self.epsilon, self.error)

    def to_json(self) -> dict[str, Any]:
        """The row for programs."""
        released = self.way.question.asked.release
        tree: dict[str, Any] = {
            "learner": self.learner,
            "concepts": self.concepts,
            "setting": self.setting,
            "protects": self.way.protects,
            "proper": self.promise.proper,
            "grid": self.promise.grid or None,
            # What is released needs no labels: all its records count as unlabelled.
            "labelled": 0 if released else self.records,
            "unlabelled": self.records if released else self.unlabelled,
            "error": float(self.error),
            "epsilon": float(self.epsilon),
            "delta": float(self.promise.delta),
            "floor": None if self.floor is None else _plain(self.floor),
            "floor_source": None if self.limit is None else self.limit.source,
            "ratio": None if self.ratio is None else round(self.ratio, 2),
            "source": self.promise.theorem,
            "command": self.command,
        }
        return tree if self.enough is None else {**tree, "enough": self.enough}


def _plain(value: Value) -> int | float:
    return value if isinstance(value, int) else float(value)


MOST_TIMES = 10_000


def rows_of(question: Question) -> tuple[Row, ...]:
    """All rows, cheapest first; a question that no number of records helps is refused as `privpac learn` would."""
    concepts = class_asked(question)
    rows: list[Row] = []
    most: dict[str, int] = {}  # what needs so many times the records of one draw is no help to anybody
    for way in ways(question):
        for setting in SETTINGS:
            row = row_of(way, setting, concepts, most=most.get(setting, HOPELESS))
            if row is not None and question.word != "auto":
                most.setdefault(setting, MOST_TIMES * row.records)
            if row is not None and not _is_other(row, rows):
                rows.append(row)
    return tuple(sorted(rows, key=lambda row: row.order))


def _is_other(row: Row, rows: list[Row]) -> bool:
    """Whether a word stands for another learner, as some do where nothing is gained by theirs: that one has a row."""

    if row.way.question.word == "auto":
        return False

    def said(one: Row) -> tuple[object, ...]:
        return one.learner, one.setting, one.way.protects, one.records, one.error, one.epsilon

    return any(said(other) == said(row) for other in rows)


def row_of(way: Way, setting: str, concepts: AnyClass | None = None, *, most: int = HOPELESS) -> Row | None:
    """What a way answers in a setting, with what is impossible where the class is given; None if nothing."""
    asked, kind = way.question.asked, way.question.kind
    records, error, epsilon = asked.records, asked.error, asked.epsilon
    if kind == "needed":
        assert error is not None
        assert epsilon is not None
        records = fewest_records(way, setting, error, epsilon, most=most)
    elif kind == "reachable":
        assert records is not None
        assert epsilon is not None
        error = smallest_error(way, setting, records, epsilon)
    else:
        assert records is not None
        assert error is not None
        epsilon = smallest_epsilon(way, setting, error, records)
    if records is None or error is None or epsilon is None:
        return None
    found = promise(way, setting, records, epsilon, error if way.planned.aims else ANY_ERROR)
    if found is None:
        return None
    row = Row(way, setting, records, error, epsilon, found)
    return row if concepts is None else _beside_limit(row, concepts)


def _beside_limit(row: Row, concepts: AnyClass) -> Row:
    limit = limit_of(row, concepts, proper=row.promise.proper and not row.way.question.asked.release)
    return Row(row.way, row.setting, row.records, row.error, row.epsilon, row.promise, limit)


def limit_of(row: Row, concepts: AnyClass, *, proper: bool, pure: bool = False) -> Limit | None:
    """What no method can promise that hides what was asked to be hidden, and in whose setting a row holds.

    With `proper` of methods that answer with a rule of the class; with `pure` of those without a delta. None where
    nothing is excluded.
    """
    question, asked = row.way.question, row.way.question.asked
    claim = Claim(
        concepts,
        class_word(question).partition(":")[0],
        row.error,
        asked.failure,
        row.epsilon,
        Fraction(0) if pure else asked.delta,
        row.setting,
        proper,
        asked.protect,
        pool=bool(row.unlabelled),
        asks=row.way.asks,
        release=asked.release,
        kappa=question.kappa,
    )
    try:
        return impossible(claim, asks=ASKS[question.kind], records=row.records)
    except PrivpacError:
        return None


@dataclass(frozen=True)
class PlanTable:
    """All that answers one question, in the order of `Row.order`."""

    question: Question
    rows: tuple[Row, ...]
    advice: tuple[str, ...] = ()
    expected: Forecast | NoForecast | None = None
    """What to expect of a rule that is learnt with these numbers; None where they are not all known."""
    simulated: Simulation | NotSimulated | None = None
    """What it gave on invented records, where that was asked."""

    @property
    def best(self) -> Row | None:
        """The cheapest row; None where nothing can be promised."""
        return self.rows[0] if self.rows else None

    @property
    def headline(self) -> Row | None:
        """The row to plan with: the cheapest that needs no records without labels, and of these the cheapest that
        holds whatever the records are like; where there is none, the cheapest of all."""
        alone = [row for row in self.rows if not row.unlabelled]
        # Of several classes, the one that was asked about: the default, where it promises something.
        alone = [row for row in alone if self.question.word != "auto" or row.word == "auto"] or alone
        return next((row for row in alone if row.setting == "agnostic"), alone[0] if alone else self.best)

    @property
    def perfect(self) -> Row | None:
        """The row that promises more than the headline does, if some rule of its class never errs."""
        first = self.headline
        if first is None or first.setting == "realizable":
            return None
        same = (row for row in self.rows if self.question.word != "auto" or row.word == first.word)
        rows = (row for row in same if row.setting == "realizable" and not row.unlabelled)
        return next((row for row in rows if row.proved < first.proved), None)

    def option(self, learner: str, setting: str | None = None) -> Row:
        """The first row of a learner, in a setting if given."""
        for row in self.rows:
            if row.learner == learner and setting in (None, row.setting):
                return row
        choices = ", ".join(sorted({f"{row.learner} ({row.setting})" for row in self.rows}))
        raise ParameterError(
            "Plan.option", "learner", learner, allowed=f"one of {choices or 'none: nothing is promised'}"
        )

    def why_nothing(self) -> str:
        """Why there is no row: what `privpac learn` says to such numbers, where it refuses them; else empty."""
        asked = self.question.asked
        way = next((way for way in ways(self.question) if isinstance(way, RuleWay)), None)
        if way is None:
            return ""
        found = way.outcome(asked.records or 10**6, asked.epsilon or Fraction(1), asked.error or ANY_ERROR)
        return str(found) if isinstance(found, PrivpacError) else ""

    def to_json(self) -> dict[str, Any]:
        """The question, its rows and the advice, as JSON."""
        return {
            "question": self.question.to_json(),
            "options": [row.to_json() for row in self.rows],
            "advice": list(self.advice),
            "forecast": None if self.expected is None else self.expected.to_json(),
            "simulation": None if self.simulated is None else self.simulated.to_json(),
        }
