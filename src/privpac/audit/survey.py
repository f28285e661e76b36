"""Many exact audits within one budget of processor time, shared fairly.

Inputs that sit on a limit: one record more, all alike, one class only, as many different ones as there are.

An audit of a row visits every input of its size, and so never leaves that size. Code that counts (records, distinct
values, classes) may do something else just beyond it; here the same run meets the next size, on the inputs where such
counts are smallest or largest, with what is certified for that size.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import cycle, islice

from privpac.audit.exact import Audit, Case, Finding, count_pairs
from privpac.constructions.cases import Record
from privpac.errors import PrivpacError

__all__ = ["at_limits", "extreme_inputs", "survey"]


def at_limits(case: Case) -> Case | None:
    """The case with one record more, on extreme inputs; None if nothing is certified of this many records."""
    if case.certified is None:
        return None
    try:
        claim = case.certified(case.n + 1)
    except PrivpacError:  # a public refusal: this construction is made for one size
        return None
    inputs = tuple(dict.fromkeys(extreme_inputs(case.records, case.n + 1)))
    return replace(
        case, name=f"{case.name}, at a limit", n=case.n + 1, claim=claim, inputs=inputs, symmetries=()
    )


def extreme_inputs(records: tuple[Record, ...], n: int) -> Iterator[tuple[Record, ...]]:
    """All records equal, all of one class, and as many different ones as possible."""
    label = records[0][-1]
    one_class = [record for record in records if record[-1] == label]
    yield (records[0],) * n
    yield tuple(islice(cycle(one_class), n))
    yield tuple(islice(cycle(records), n))


SHORTEST = 0.05
"""Seconds of the shortest turn: shorter ones would mostly take turns."""


def survey(
    cases: Mapping[str, Callable[[], Case]],
    *,
    budget_seconds: float | None = None,
    progress: Callable[[float], None] | None = None,
    symmetry: bool = True,
) -> dict[str, Finding]:
    """Audit every case, and every case at its limits; those that need little leave their share to the others.

    In every round the time left is divided equally among the cases that are not finished, so no case is cut off
    while another has had more time than it. `progress` is told the share of all pairs that is settled, every audit
    weighing the same. `budget_seconds` are seconds of computing, whatever else the machine is busy with.
    """
    deadline = math.inf if budget_seconds is None else time.process_time() + budget_seconds
    works = {name: Audit(make(), symmetry=symmetry) for name, make in cases.items()}
    edges = {name: at_limits(work.case) for name, work in works.items()}
    limits = {name: Audit(edge) for name, edge in edges.items() if edge is not None}
    waiting = [*limits.values(), *works.values()]
    shares = [(work, max(1, count_pairs(work.case))) for work in waiting]

    def tell(_: int) -> None:
        if progress is not None:
            progress(sum(work.pairs / total for work, total in shares) / len(shares))

    while waiting and time.process_time() < deadline:
        for place, work in enumerate(waiting):
            share = (deadline - time.process_time()) / (len(waiting) - place)
            seconds = None if math.isinf(share) else max(SHORTEST, share)
            if time.process_time() < deadline:
                work.advance(seconds, deadline=deadline, progress=tell)
        waiting = [work for work in waiting if not work.finished]
    findings = {name: limit.finding() for name, limit in limits.items()}
    return {name: replace(work.finding(), limit=findings.get(name)) for name, work in works.items()}
