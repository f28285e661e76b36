"""How many records are enough, and how few are hopeless: plans need no data and cost no privacy.

>>> from privpac import plan
>>> found = plan.needed("thresholds", bits=32, error=0.1, epsilon=1)
>>> [(row.setting, row.proved, row.floor) for row in found.rows if row.learner == "occam"]
[('realizable', 683, 154), ('agnostic', 1422, 269)]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Unpack, cast

from privpac.numbers.parameters import Number
from privpac.planning.making import SECONDS, Plan, Progress, make, read_seconds
from privpac.planning.question import Question, QuestionWishes

__all__ = ["Plan", "needed", "plan", "reachable", "smallest_epsilon"]


class Wishes(QuestionWishes, total=False):
    """What may be said beside error, epsilon and records, and whether to simulate, on what and how long."""

    simulate: bool
    table: object
    progress: Progress | None
    seconds: Number


def needed(
    concepts: str = "auto",
    *,
    error: Number,
    epsilon: Number,
    records: Number | None = None,
    **wishes: Unpack[Wishes],
) -> Plan:
    """Records that suffice for `error` at `epsilon`; with `records`, also whether that many do.

    `concepts` is a word as in `privpac learn`, without a column where none is known (`thresholds`, `bits=32`), or with
    a schema (`trees:3`, `schema="schema.json"`). Further `wishes`: `failure` (0.05), `delta` (0), `unlabelled` (records
    without labels at hand), `protect` ("records", "labels" or "predictions"), `aim` ("label", or "rank" where the order
    of the records matters), `release=True` (answers to all points, thresholds or intervals of a column instead of a
    rule), `bits`, `columns` or `schema`, `attainable` (the AUC that a model without privacy would reach, as far as you
    can guess: a forecast follows);
    `simulate=True` tries it with these `records` and `epsilon` on invented records, or on a public `table`, for about
    `seconds` (20).

    Raises `ParameterError` for a word or a number that none can be.

    >>> needed("thresholds", bits=32, error=0.1, epsilon=1).option("occam").proved
    683
    """
    return _ask(concepts, error=error, epsilon=epsilon, records=records, **wishes)


def reachable(concepts: str = "auto", *, records: Number, epsilon: Number, **wishes: Unpack[Wishes]) -> Plan:
    """The error that `records` at `epsilon` are proved to reach, for `concepts` and further `wishes` as for `needed`.

    Raises what `needed` raises.

    >>> float(reachable("thresholds", bits=32, records=1000, epsilon=1).option("occam").proved)
    0.0687
    """
    return _ask(concepts, records=records, epsilon=epsilon, **wishes)


def smallest_epsilon(
    concepts: str = "auto", *, records: Number, error: Number, **wishes: Unpack[Wishes]
) -> Plan:
    """The smallest epsilon at which `records` are proved to reach `error`, for `concepts` and `wishes` as for `needed`.

    Raises what `needed` raises.

    >>> float(smallest_epsilon("thresholds", bits=32, records=1000, error=0.1).option("occam").proved)
    0.5717
    """
    return _ask(concepts, records=records, error=error, **wishes)


def _ask(
    concepts: str,
    *,
    error: Number | None = None,
    epsilon: Number | None = None,
    records: Number | None = None,
    simulate: bool = False,
    table: object = None,
    progress: Progress | None = None,
    seconds: Number = SECONDS,
    **wishes: Unpack[QuestionWishes],
) -> Plan:
    question = Question.read(concepts=concepts, error=error, epsilon=epsilon, records=records, **wishes)
    simulates = simulate or table is not None
    return make(
        question, seconds=read_seconds(seconds) if simulates else None, table=table, progress=progress
    )


class Planner(Protocol):
    """What `plan` is: a function, and the three questions by name."""

    needed: Callable[..., Plan]
    reachable: Callable[..., Plan]
    smallest_epsilon: Callable[..., Plan]

    def __call__(
        self,
        concepts: str = "auto",
        *,
        records: Number | None = None,
        error: Number | None = None,
        epsilon: Number | None = None,
        **wishes: Unpack[Wishes],
    ) -> Plan: ...


def _with_questions(function: Callable[..., Plan]) -> Planner:
    vars(function).update(needed=needed, reachable=reachable, smallest_epsilon=smallest_epsilon)
    return cast(Planner, function)


@_with_questions
def plan(
    concepts: str = "auto",
    *,
    records: Number | None = None,
    error: Number | None = None,
    epsilon: Number | None = None,
    **wishes: Unpack[Wishes],
) -> Plan:
    """What two of `records`, `error` and `epsilon` prove of the third, for `concepts` and `wishes` as for `needed`.

    With all three it also says whether the records are enough. `plan.needed`, `plan.reachable` and
    `plan.smallest_epsilon` say which number is asked for.

    Raises `ParameterError` for a word or a number that none can be.

    >>> plan("thresholds", bits=32, error=0.1, epsilon=1).option("occam").proved
    683
    """
    return _ask(concepts, records=records, error=error, epsilon=epsilon, **wishes)
