"""What a person asks, read once: on the command line, in Python, in scikit-learn, on a page.

Each field says how it is read, what it means and what it is if nobody says it; options of the command line, their help
and all refusals follow from here. A request travels inwards as it is. Whether it can be granted is decided further in,
by what is built for it; here it is only read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from fractions import Fraction
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypedDict

from privpac.errors import ParameterError

if TYPE_CHECKING:
    from privpac.concepts.base import AnyClass

__all__ = [
    "AUTO",
    "FAILURE",
    "LEAST_EPSILON",
    "MOST_EPSILON",
    "NONE",
    "AskRequest",
    "LearnRequest",
    "LearnWishes",
    "PlanRequest",
    "PlanWishes",
    "ReleaseRequest",
    "ReleaseWishes",
    "Requested",
    "read_epsilon",
    "read_failure",
    "warning_of_large",
]

LEAST_EPSILON, MOST_EPSILON = Fraction(1, 10**12), Fraction(10**6)
"""The epsilons a person may ask for. With less, 10^12 records, more than are ever computed with, tell nothing; with
more, nothing is kept secret; and beyond either end numbers arise that no double holds."""

FAILURE = Fraction(1, 20)
"""How likely a promise about errors may fail, where nobody says: one in twenty, the field's habit."""

LEAST_FAILURE = Fraction(1, 10**12)
"""No smaller failure may be asked for: it would be no double, and nobody could tell it from never."""

AUTO = "auto"
"""What public numbers say is best."""
NONE = "none"
"""For an epsilon of an estimate: no estimate."""

EPSILONS = "a positive number from 1e-12 to 1e6"

Reader = Callable[[object, str, str], Any]
"""From what was written, the name of the field and who asks, to the value."""


def _within(allowed: str, holds: Callable[[Fraction], bool], remedy: str = "") -> Reader:
    """What reads a number of a set, exactly."""

    def read(value: object, name: str, owner: str) -> Fraction:
        from privpac.numbers.parameters import rational  # balls, which `--help` has no use for

        try:
            number = rational(value, owner=owner, name=name, allowed=allowed)
        except ParameterError:
            number = None
        if number is None or not holds(number):
            raise ParameterError(owner, name, value, allowed=allowed, remedy=remedy.format(name=name))
        return number

    return read


def _is_epsilon(number: Fraction) -> bool:
    return LEAST_EPSILON <= number <= MOST_EPSILON


_epsilon = _within(EPSILONS, _is_epsilon, "Write it as a decimal, such as {name}=0.5.")
_share = _within("at least 0 and below 1", lambda number: 0 <= number < 1)
_chance = _within(
    "a number at least 0 and below 1", lambda number: 0 <= number < 1, "0 is pure privacy; else try 1e-6."
)
_half = _within(
    "a number above 0 and below 0.5",
    lambda number: 0 < number < Fraction(1, 2),
    "A coin reaches 1/2 without any record: try 0.1.",
)
_positive = _within("a positive number", lambda number: number > 0)
_failure = _within(
    "at least 1e-12 and below 1",
    lambda number: LEAST_FAILURE <= number < 1,
    "No proof is certain: try 0.05.",
)
_guess = _within(
    "a number between 0.5 and 1",
    lambda number: Fraction(1, 2) < number < 1,
    "It is the AUC that you expect of a model without privacy.",
)
_estimate_cost = _within(f"{AUTO}, {NONE} or {EPSILONS}", _is_epsilon)


def _if_said(read: Reader) -> Reader:
    """The same where nothing may be said."""
    return lambda value, name, owner: None if value is None else read(value, name, owner)


def _or_auto(value: object, name: str, owner: str) -> Fraction | None:
    return None if value == AUTO else _share(value, name, owner)


def _estimate(value: object, name: str, owner: str) -> Fraction | Literal["auto"] | None:
    if value is None or value == NONE:
        return None
    return "auto" if value == AUTO else _estimate_cost(value, name, owner)


def _auc(value: object, name: str, owner: str) -> float:
    return float(_guess(value, name, owner))


def _whole(value: object) -> int | None:
    """A whole number, or one that is written; 1.5 is none, and nobody's rounding makes it one."""
    if isinstance(value, str):
        text = value.strip()
        return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else None
    return int(value) if not isinstance(value, bool) and isinstance(value, Integral) else None


def _count(value: object, name: str, owner: str) -> int:
    number = _whole(value)
    if number is None or number < 1:
        raise ParameterError(owner, name, value, allowed="a positive integer")
    return number


def _size(value: object, name: str, owner: str) -> int:
    from privpac.numbers.parameters import at_least

    return at_least(1, value, owner=owner, name=name)


def _at_least(least: int) -> Reader:
    allowed = "a positive whole number" if least == 1 else "a whole number from 0 up"
    remedy = "Say how many people are in the table, such as 3000."
    number = _within(allowed, lambda number: number.denominator == 1 and number >= least, remedy)
    return lambda value, name, owner: int(number(value, name, owner))


def _one_of(*words: str) -> Reader:
    def read(value: object, name: str, owner: str) -> str:
        if not isinstance(value, str) or value not in words:
            raise ParameterError(owner, name, value, allowed=f"one of {', '.join(words)}")
        return value

    return read


_aim = _one_of("label", "rank")
_protect = _one_of("records", "labels", "predictions")


def _flag(value: object, name: str, owner: str) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(owner, name, value, allowed="True or False")
    return value


def _as_it_is(value: object, name: str, owner: str) -> Any:
    """Words whose meaning is known further in, and refused there."""
    return value


def _costs(value: object, name: str, owner: str) -> tuple[int, ...] | str:
    if isinstance(value, str) and value == "balanced":
        return value
    parts = value.split(",") if isinstance(value, str) else value
    listed = isinstance(parts, Iterable) and not isinstance(parts, Mapping)
    costs = [_whole(part) for part in parts] if listed else []  # type: ignore[attr-defined]  # it is iterable
    if not costs or any(cost is None or cost < 1 for cost in costs):
        allowed = "positive integers, one per class in the schema's order, such as 1,5, or balanced"
        raise ParameterError(owner, name, value, allowed=allowed)
    return tuple(cost for cost in costs if cost is not None)


def _columns(value: object, name: str, owner: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, str):
        return tuple(map(str, value)) if isinstance(value, Iterable) else (str(value),)
    columns = tuple(one.strip() for one in value.split(",") if one.strip())
    if not columns:
        raise ParameterError(owner, name, value, allowed="names of columns, separated by commas")
    return columns


def read_epsilon(value: object, *, owner: str, name: str = "epsilon") -> Fraction:
    """A privacy loss as a person wrote it, within the range that everything here computes with.

    >>> read_epsilon(0.1, owner="learn")
    Fraction(1, 10)
    """
    return _epsilon(value, name, owner)  # type: ignore[no-any-return]


def read_failure(value: object, *, owner: str) -> Fraction:
    """How likely a promise about errors may fail, as a person wrote it.

    >>> read_failure(0.01, owner="learn")
    Fraction(1, 100)
    """
    return _failure(value, "failure", owner)  # type: ignore[no-any-return]


LARGE_EPSILON = 10
"""Above it the odds of an outcome may change by a factor of more than 20,000 with one record."""


def warning_of_large(epsilon: Fraction) -> str:
    """What a large epsilon means, in words; empty for one that is not large.

    >>> warning_of_large(Fraction(1)), warning_of_large(Fraction(12))[:54]
    ('', 'Epsilon 12 is large: one record may change the odds of')
    """
    from privpac.numbers.exact import plain

    if epsilon <= LARGE_EPSILON:
        return ""
    factor = f"{math.exp(epsilon):,.0f}" if epsilon < 20 else f"10^{float(epsilon) / math.log(10):.0f}"
    return (
        f"Epsilon {plain(epsilon)} is large: one record may change the odds of an outcome by a factor of about"
        f" {factor}, which protects hardly anybody. Most releases keep to 1 or less."
    )


def _asked(
    explanation: str,
    read: Reader,
    default: Any = MISSING,
    *,
    written: str | int | bool | None = None,
    metavar: str = "NUMBER",
    option: str = "",
) -> Any:
    """A field: how it is read, its default, and what the command line says of it.

    `written` is the default as somebody would write it; `option` the name on the command line, where it is another.
    """
    said = {"help": explanation, "read": read, "written": written, "metavar": metavar, "option": option}
    return field(default=default, metadata=said)


@dataclass(frozen=True, kw_only=True)
class Requested:
    """What all requests have in common: they are read field by field, and what nobody knows is refused."""

    owner: ClassVar[str]

    @classmethod
    def read(cls, given: Mapping[str, object] | None = None, /, *, owner: str = "", **more: object) -> Self:
        """Values as they were written: 0.1 is one tenth. What is not said is what it is if nobody says it.

        >>> LearnRequest.read(epsilon=0.1, costs="1,5").costs
        (1, 5)
        """
        asker, said = owner or cls.owner, {**(given or {}), **more}
        known = {one.name: one for one in fields(cls)}
        for name in said:
            if name not in known:
                raise TypeError(f"{asker}() got an unexpected keyword argument {name!r}")
        request = cls(
            **{
                name: one.metadata["read"](said.get(name), name, asker)
                for name, one in known.items()
                if name in said or one.default is MISSING
            }
        )
        request.check(asker)
        return request

    def check(self, asker: str) -> None:
        """Refuse what does not go together."""

    def leave_out(self, *names: str, allowed: str, asker: str, remedy: str = "") -> None:
        """Refuse what is asked by these fields; nothing, or none of it, may be said."""
        from privpac.numbers.exact import plain

        for one in fields(self):
            value = getattr(self, one.name)
            if one.name in names and value not in (one.default, None, 0):
                shown = plain(value) if isinstance(value, Fraction) else value
                raise ParameterError(asker, one.name, shown, allowed=allowed, remedy=remedy)

    def written(self, *names: str) -> list[tuple[str, str]]:
        """Options of the command line that ask the same, with the text of each; flags have none.

        What is as it would be without a word is left out; with `names`, so is every other field.
        """
        from privpac.numbers.exact import plain

        words = []
        for one in fields(self):
            value = getattr(self, one.name)
            if value == one.default or (names and one.name not in names):
                continue
            if isinstance(value, tuple):
                text = ",".join(map(str, value))
            else:
                text = NONE if value is None else plain(value) if isinstance(value, Fraction) else str(value)
            words.append((option_of(one.name, one.metadata), "" if value is True else text))
        return words


def option_of(name: str, said: Mapping[str, Any]) -> str:
    """How a field is typed on the command line."""
    return said["option"] or f"--{name.replace('_', '-')}"


@dataclass(frozen=True, kw_only=True)
class LearnRequest(Requested):
    """A rule and what is bought with it, or with `protect="predictions"` answers at a price each."""

    owner = "learn"

    epsilon: Fraction = _asked("Privacy loss of the classifier, or of one answer.", _epsilon)
    delta: Fraction = _asked("Privacy delta; 0 is pure privacy.", _share, Fraction(0), written="0")
    failure: Fraction = _asked(
        "How likely the promise about errors may fail.", _failure, FAILURE, written="0.05"
    )
    concepts: str | AnyClass | type[Any] = _asked(
        "What to choose from: auto, trees:DEPTH, card (points and risks), graded-tree, stumps, thresholds:COLUMN,"
        " intervals:COLUMN, unions:COLUMN:K, points:COLUMN, agnostic:WORD, ...; an unknown word lists them all.",
        _as_it_is,
        AUTO,
        written=AUTO,
        metavar="WORD",
    )
    protect: str = _asked(
        "What is private: records, labels or predictions.",
        _protect,
        "records",
        written="records",
        metavar="WHAT",
    )
    estimate_epsilon: Fraction | Literal["auto"] | None = _asked(
        "Privacy loss of the counts that tell whether the rule is of use: auto takes a tenth of --epsilon at most, a"
        " number is paid on top of it (with --holdout 0.2 and the number of --epsilon it costs nothing more), none"
        " buys none.",
        _estimate,
        AUTO,
        written=AUTO,
        metavar="E",
    )
    leaf_epsilon: Fraction | None = _asked(
        "Further privacy loss, for counts in the leaves of a tree.", _if_said(_epsilon), None
    )
    holdout: Fraction | None = _asked(
        "Share of records kept aside for the estimate, which then is free if it costs no more than --epsilon; auto: a"
        " fifth or none, whichever promises the narrower interval.",
        _or_auto,
        None,
        written=AUTO,
        metavar="SHARE",
    )
    aim: str = _asked(
        "What the rule is for: label (a class for every record) or rank (records in order of their risk).",
        _aim,
        "label",
        written="label",
        metavar="AIM",
    )
    probabilities: bool = _asked(
        "Spend a fifth of epsilon on counts in the leaves, from which risks follow.",
        _flag,
        False,
        written=False,
    )
    costs: tuple[int, ...] | str | None = _asked(
        "Price of misjudging a record of each class: 1,5, or balanced.",
        _if_said(_costs),
        None,
        metavar="A,B",
    )
    records_per_person: int = _asked(
        "How many records one person may have.", _count, 1, written=1, metavar="K"
    )
    answers: int | None = _asked(
        "With --protect predictions: answers declared beforehand.", _if_said(_count), None, metavar="N"
    )
    models: int | None = _asked(
        "With --protect predictions: how many models vote.", _if_said(_count), None, metavar="N"
    )
    method: str = _asked(
        "How records without labels are used: auto, plain, generic, boost, relabel.",
        _as_it_is,
        AUTO,
        written=AUTO,
        metavar="HOW",
    )
    error: Fraction | None = _asked(
        "With --unlabelled: refuse if a larger error is promised.", _if_said(_positive), None
    )
    attainable: float | None = _asked(
        "What a model without privacy would reach, as far as you can guess from public sources; a forecast follows."
        " Left out: what the schema says, or three guesses.",
        _if_said(_auc),
        None,
        metavar="AUC",
    )
    anyway: bool = _asked(
        "Go on where by the forecast it will most likely be of no use; with --unlabelled, where nothing can be"
        " promised.",
        _flag,
        False,
        written=False,
    )

    def check(self, asker: str) -> None:
        if self.protect == "predictions":
            self.leave_out(*OF_RULES, allowed="left out with protect='predictions'", asker=asker)
        else:
            allowed = "left out, except with protect='predictions'"
            self.leave_out("answers", "models", allowed=allowed, asker=asker)


OF_RULES = (
    *(
        "estimate_epsilon",
        "leaf_epsilon",
        "failure",
        "aim",
        "probabilities",
        "costs",
        "holdout",
        "attainable",
    ),
    *("anyway", "method", "error"),
)
"""What says nothing about answers."""


class LearnWishes(TypedDict, total=False):
    """The fields of a `LearnRequest` but for epsilon, as a person may write them."""

    delta: object
    failure: object
    concepts: object
    protect: str
    estimate_epsilon: object
    leaf_epsilon: object
    holdout: object
    aim: str
    probabilities: bool
    costs: object
    records_per_person: int
    answers: int | None
    models: int | None
    method: str
    error: object
    attainable: object
    anyway: bool


@dataclass(frozen=True, kw_only=True)
class AskRequest(Requested):
    """Which rule is to be learnt from the labels of a few, and how few."""

    owner = "active"

    concepts: str | AnyClass = _asked(
        "What to choose from, such as thresholds:COLUMN or stumps.", _as_it_is, metavar="WORD"
    )
    epsilon: Fraction = _asked("Privacy loss, for those who see the rule only.", _epsilon)
    labels: int | None = _asked("How many labels to ask for.", _if_said(_count), None, metavar="M")
    error: Fraction | None = _asked(
        "Ask for the fewest labels that promise this error.", _if_said(_positive), None
    )
    failure: Fraction = _asked(
        "How likely the promise about errors may fail.", _failure, FAILURE, written="0.05"
    )
    method: str = _asked(
        "plain, boost, relabel, or auto: the one that promises most.",
        _as_it_is,
        AUTO,
        written=AUTO,
        metavar="HOW",
    )
    records_per_person: int = _asked(
        "How many records one person may have.", _count, 1, written=1, metavar="K"
    )


@dataclass(frozen=True, kw_only=True)
class ReleaseRequest(Requested):
    """Synthetic records of some columns."""

    owner = "release"

    epsilon: Fraction = _asked("Privacy loss of the release.", _epsilon)
    columns: tuple[str, ...] = _asked(
        "The columns to release, with commas; if left out, all of the schema, and the label.",
        _columns,
        (),
        metavar="NAMES",
        option="--column",
    )
    method: str = _asked(
        "points (combinations of values), tree, quantiles, blr or, with a delta, blocks (ranges of an ordered column),"
        " or auto: the best promise.",
        _as_it_is,
        AUTO,
        written=AUTO,
        metavar="WORD",
    )
    error: Fraction | None = _asked(
        "Refuse, at no cost, unless every query is promised this error.",
        _if_said(_positive),
        None,
        metavar="SHARE",
    )
    failure: Fraction = _asked(
        "How often the promised error may be exceeded.", _failure, FAILURE, written="0.05"
    )
    delta: Fraction = _asked(
        "With it, columns of many bits need fewer records; spent only where it pays.",
        _share,
        Fraction(0),
        written="0",
    )
    records_per_person: int = _asked(
        "How many records one person may have.", _count, 1, written=1, metavar="K"
    )
    anyway: bool = _asked("Release even where no answer can be promised.", _flag, False, written=False)


class ReleaseWishes(TypedDict, total=False):
    """The fields of a `ReleaseRequest` but for epsilon, as a person may write them."""

    columns: str | Iterable[str] | None
    method: str
    error: object
    failure: object
    delta: object
    records_per_person: int
    anyway: bool


@dataclass(frozen=True, kw_only=True)
class PlanRequest(Requested):
    """What is asked of a plan: two of records, error and epsilon, about a table of such a size."""

    owner = "plan"

    concepts: str = _asked(
        "What to choose from: auto, thresholds, points, intervals, unions:K, rectangles:K, stumps, one-test,"
        " trees:DEPTH, lists:K, conjunctions:K, disjunctions:K, clauses:K, scorecards:K, halfspaces:K, card;"
        " with --schema as in privpac learn (thresholds:COLUMN).",
        _as_it_is,
        AUTO,
        written=AUTO,
        metavar="WORD",
    )
    error: Fraction | None = _asked(
        "Largest error to promise. Left out: the smallest one is computed.", _if_said(_half), None
    )
    epsilon: Fraction | None = _asked(
        "Privacy loss. Left out: the smallest one is computed.", _if_said(_epsilon), None
    )
    records: int | None = _asked(
        "Records at hand. Left out: those needed are computed.", _if_said(_at_least(1)), None, metavar="N"
    )
    failure: Fraction = _asked("How likely the promise may fail.", _failure, FAILURE, written="0.05")
    delta: Fraction = _asked("Privacy delta; 0 is pure privacy.", _chance, Fraction(0), written="0")
    unlabelled: int | None = _asked(
        "Records without labels at hand.", _if_said(_at_least(0)), None, metavar="N"
    )
    protect: str = _asked(
        "What is private: records, labels or predictions.",
        _protect,
        "records",
        written="records",
        metavar="WHAT",
    )
    aim: str = _asked(
        "What the rule is for: label (a class for every record) or rank (records in order of their risk).",
        _aim,
        "label",
        written="label",
        metavar="AIM",
    )
    release: bool = _asked(
        "Not a rule but a whole table: records after which all points, thresholds or intervals (the word of"
        " --concepts) are answered within --error.",
        _flag,
        False,
        written=False,
    )
    bits: int | None = _asked(
        "A column has 2^B values; 2^32 if only --columns is given.",
        _if_said(_size),
        None,
        metavar="B",
    )
    columns: int | None = _asked(
        "Columns of the table.",
        _if_said(_size),
        None,
        metavar="C",
    )
    attainable: float | None = _asked(
        "What a model without privacy would reach, as far as you can guess from public sources; a forecast follows."
        " Left out: what the schema says, or three guesses.",
        _if_said(_auc),
        None,
        metavar="AUC",
    )


class PlanWishes(TypedDict, total=False):
    """The fields of a `PlanRequest` but for records, error and epsilon, as a person may write them."""

    failure: object
    delta: object
    unlabelled: object
    protect: str
    aim: str
    release: bool
    bits: object
    columns: object
    attainable: object
