"""Many exact audits within one budget of time, shared fairly."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

from privpac.audit.exact import Audit, Case, Finding

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
    """Audit every case; those that need little leave their share to the others.

    In every round the time left is divided equally among the cases that are not finished, so no case is cut off
    while another has had more time than it. `progress` is told the share of all pairs that is settled, every case
    weighing the same.
    """
    deadline = math.inf if budget_seconds is None else time.monotonic() + budget_seconds
    works = {name: Audit(make(), symmetry=symmetry) for name, make in cases.items()}

    def tell(_: int) -> None:
        if progress is not None:
            shares = (work.pairs / max(1, work.case.pairs) for work in works.values())
            progress(sum(shares) / len(works))

    waiting = list(works.values())
    while waiting and time.monotonic() < deadline:
        for place, work in enumerate(waiting):
            share = (deadline - time.monotonic()) / (len(waiting) - place)
            seconds = None if math.isinf(share) else max(SHORTEST, share)
            if time.monotonic() < deadline:
                work.advance(seconds, deadline=deadline, progress=tell)
        waiting = [work for work in waiting if not work.finished]
    return {name: work.finding() for name, work in works.items()}
