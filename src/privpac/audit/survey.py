"""Many exact audits within one budget of processor time, the smallest first.

An audit of a row visits every input of its size, and so never leaves that size. Code that counts (records, distinct
values, classes) may do something else just beyond it; here the same run meets the next size, on the inputs where such
counts are smallest or largest, with what is certified for that size.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import cycle, islice

from privpac.audit.exact import Audit, Case, Finding, count_pairs
from privpac.compiled import processor_time
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


UNKNOWN = 20.0
"""Times as long as it took already, a case of which nothing is settled yet is guessed to take."""


class _Row:
    """A case and the same at its limits, which are settled together."""

    def __init__(self, case: Case, *, symmetry: bool) -> None:
        edge = at_limits(case)
        self.edge = None if edge is None else Audit(edge)
        self.work = Audit(case, symmetry=symmetry)
        self._parts = [self.work] if self.edge is None else [self.edge, self.work]
        self.total = sum(max(1, count_pairs(part.case)) for part in self._parts)

    @property
    def finished(self) -> bool:
        return all(part.finished for part in self._parts)

    @property
    def share(self) -> float:
        """How much of it is settled."""
        return 1.0 if self.finished else min(1.0, sum(part.pairs for part in self._parts) / self.total)

    @property
    def seconds(self) -> float:
        return sum(part.seconds for part in self._parts)

    @property
    def seconds_left(self) -> float:
        """As far as one can tell: pairs that are left take what the others took, and at least a turn."""
        left = (1 - self.share) / self.share if self.share else UNKNOWN
        return max(SHORTEST, self.seconds * left)

    def advance(self, seconds: float, *, deadline: float, tell: Callable[[int], None]) -> None:
        until = min(deadline, processor_time() + seconds)
        for part in self._parts:
            part.advance(deadline=until, progress=tell)
            if not part.finished:
                return

    def finding(self) -> Finding:
        return replace(self.work.finding(), limit=None if self.edge is None else self.edge.finding())


def survey(
    cases: Mapping[str, Callable[[], Case]],
    *,
    budget_seconds: float | None = None,
    progress: Callable[[float], None] | None = None,
    settled: Callable[[str, Finding], None] | None = None,
    symmetry: bool = True,
) -> dict[str, Finding]:
    """Audit every case, and every case at its limits: whatever looks as if it were settled soonest comes next.

    Nobody knows beforehand how long a case takes. Each has a short turn, those with few pairs first; then the one of
    which least seems to be left has a turn as long as all its turns before, so a wrong guess costs no more than was
    spent already. `settled` is told of a case once nothing of it is left. `progress` is told the share of all cases
    that is settled, or of the time that is spent, whichever is larger. `budget_seconds` are seconds of computing,
    without compiling, whatever else the machine is busy with.
    """
    begin = processor_time()
    deadline = math.inf if budget_seconds is None else begin + budget_seconds
    rows = {name: _Row(make(), symmetry=symmetry) for name, make in cases.items()}
    shares = dict.fromkeys(rows, 0.0)

    def tell(name: str) -> None:
        if progress is not None:
            shares[name] = rows[name].share
            spent = (processor_time() - begin) / (deadline - begin)  # 0 without a limit
            progress(min(1.0, max(spent, sum(shares.values()) / len(shares))))

    turns = [(0.0, row.total, name) for name, row in rows.items()]
    heapq.heapify(turns)
    while turns and processor_time() < deadline:
        _, total, name = heapq.heappop(turns)
        row = rows[name]
        row.advance(max(SHORTEST, row.seconds), deadline=deadline, tell=lambda _, name=name: tell(name))  # type: ignore[misc]
        if row.finished:
            tell(name)
            if settled is not None:
                settled(name, row.finding())
        else:
            heapq.heappush(turns, (row.seconds_left, total, name))
    return {name: row.finding() for name, row in rows.items()}
