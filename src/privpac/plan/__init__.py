"""How many records are enough, and how few are hopeless: plans need no data and cost no privacy.

>>> from privpac import plan
>>> found = plan.needed("thresholds", bits=32, error=0.1, epsilon=1)
>>> [(row.option.setting, row.proved, row.floor) for row in found.answers if row.option.learner == "occam"]
[('realizable', 628, 154), ('agnostic', 5011, 269)]
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from privpac.constructions.class_facts import description_from
from privpac.constructions.wish import FAILURE, OWNER, read_numbers
from privpac.numbers.parameters import positive
from privpac.plan.plan import Plan, make
from privpac.plan.question import Kind, Question
from privpac.plan.simulation import SECONDS, Keep, Simulation

__all__ = ["Plan", "needed", "reachable", "smallest_epsilon"]


def needed(concepts: str = "auto", *, error: Any, epsilon: Any, records: Any = None, **wishes: Any) -> Plan:
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


def reachable(concepts: str = "auto", *, records: Any, epsilon: Any, **wishes: Any) -> Plan:
    """The error that `records` at `epsilon` are proved to reach, for `concepts` and further `wishes` as for `needed`.

    Raises what `needed` raises.

    >>> float(reachable("thresholds", bits=32, records=1000, epsilon=1).option("occam").proved)
    0.0632
    """
    return _ask("reachable", concepts, records=records, epsilon=epsilon, **wishes)


def smallest_epsilon(concepts: str = "auto", *, records: Any, error: Any, **wishes: Any) -> Plan:
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
    error: Any = None,
    epsilon: Any = None,
    records: Any = None,
    failure: Any = FAILURE,
    delta: Any = 0,
    unlabelled: Any = None,
    noise: Any = None,
    protect: str = "records",
    release: bool = False,
    aim: str = "label",
    bits: Any = None,
    columns: Any = None,
    tests: Any = None,
    schema: Any = None,
    simulate: bool = False,
    table: Any = None,
    marginals: Any = None,
    keep: Keep | None = None,
    progress: Any = None,
    seconds: Any = SECONDS,
) -> Plan:
    numbers = read_numbers(
        error=error,
        failure=failure,
        epsilon=epsilon,
        delta=delta,
        records=records,
        unlabelled=unlabelled,
        noise=noise,
    )
    description = description_from(
        bits=bits, columns=columns, tests=tests, schema=schema, records=numbers["records"]
    )
    question = Question(kind, concepts, description, protect=protect, release=release, aim=aim, **numbers)
    simulates = simulate or table is not None or marginals is not None
    simulation = Simulation(table, marginals, keep, progress, float(_seconds(seconds))) if simulates else None
    return make(question, simulation)


def _seconds(value: object) -> Fraction:
    return positive(value, owner=OWNER, name="seconds")
