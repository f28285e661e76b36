"""Many exact audits within one budget of processor time, shared fairly."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from privpac.audit.exact import Audit, Case, Finding, count_pairs
from privpac.audit.limits import at_limits

__all__ = ["survey"]

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
