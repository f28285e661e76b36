"""How many records are enough, and how few are hopeless: plans need no data and cost no privacy.

>>> from privpac import plan
>>> found = plan.needed("thresholds", bits=32, error=0.1, epsilon=1)
>>> [(row.option.setting, row.proved, row.floor) for row in found.answers if row.option.learner == "occam"]
[('realizable', 628, 154), ('agnostic', 5011, 269)]
"""

from __future__ import annotations

from typing import Unpack

from privpac.numbers.parameters import Number
from privpac.plan.plan import Plan, make
from privpac.plan.question import Kind, Question, QuestionWishes
from privpac.plan.simulation import SECONDS, Keep, MarginalSource, Progress, Simulation, read_seconds

__all__ = ["Plan", "needed", "reachable", "smallest_epsilon"]


class PlanWishes(QuestionWishes, total=False):
    """What may be said beside error, epsilon and records, and whether to simulate, on what and how long."""

    simulate: bool
    table: object
    marginals: MarginalSource | None
    keep: Keep | None
    progress: Progress | None
    seconds: Number


def needed(
    concepts: str = "auto",
    *,
    error: Number,
    epsilon: Number,
    records: Number | None = None,
    **wishes: Unpack[PlanWishes],
) -> Plan:
    """Records that suffice for `error` at `epsilon`; with `records`, also whether that many do.

    `concepts` is a word as in `privpac learn`, without a column where none is known (`thresholds`, `bits=32`), or with
    a schema (`trees:3`, `schema="schema.json"`). Further `wishes`: `failure` (0.05), `delta` (0), `noise` (the best
    member errs at most so often), `unlabelled` (records without labels at hand), `protect` ("records", "labels" or
    "predictions"), `aim` ("label", or "rank" where the order of the records matters), `release=True` (answers to all
    points, thresholds or intervals of a column instead of a rule), `bits`, `columns`, `tests` or `schema`;
    `simulate=True`, on a public `table` or with `marginals` if given, for about `seconds` (40).

    Raises `ParameterError` for a word or a number that none can be.

    >>> needed("thresholds", bits=32, error=0.1, epsilon=1).option("occam").proved
    628
    """
    return _ask("needed", concepts, error=error, epsilon=epsilon, records=records, **wishes)


def reachable(
    concepts: str = "auto", *, records: Number, epsilon: Number, **wishes: Unpack[PlanWishes]
) -> Plan:
    """The error that `records` at `epsilon` are proved to reach, for `concepts` and further `wishes` as for `needed`.

    Raises what `needed` raises.

    >>> float(reachable("thresholds", bits=32, records=1000, epsilon=1).option("occam").proved)
    0.0632
    """
    return _ask("reachable", concepts, records=records, epsilon=epsilon, **wishes)


def smallest_epsilon(
    concepts: str = "auto", *, records: Number, error: Number, **wishes: Unpack[PlanWishes]
) -> Plan:
    """The smallest epsilon at which `records` are proved to reach `error`, for `concepts` and `wishes` as for `needed`.

    Raises what `needed` raises.

    >>> float(smallest_epsilon("thresholds", bits=32, records=1000, error=0.1).option("occam").proved)
    0.5717
    """
    return _ask("smallest_epsilon", concepts, records=records, error=error, **wishes)


def _ask(
    kind: Kind,
    concepts: str,
    *,
    error: Number | None = None,
    epsilon: Number | None = None,
    records: Number | None = None,
    simulate: bool = False,
    table: object = None,
    marginals: MarginalSource | None = None,
    keep: Keep | None = None,
    progress: Progress | None = None,
    seconds: Number = SECONDS,
    **wishes: Unpack[QuestionWishes],
) -> Plan:
    question = Question.read(kind, concepts, error=error, epsilon=epsilon, records=records, **wishes)
    simulates = simulate or table is not None or marginals is not None
    simulation = Simulation(table, marginals, keep, progress, read_seconds(seconds)) if simulates else None
    return make(question, simulation)
