"""The exact audit: the worst privacy loss of the very code that runs, over all neighbouring inputs of a tiny domain.

A `Case` says which records are possible, how many there are, and what to run on them; `constructions.cases` has what
they are made of. `EnumeratedCoins` give the exact output law of every input; the largest ratio of probabilities over
all neighbours and outputs is compared with the certificate. Probabilities are rational numbers: no rounding, no
sampling, no confidence level. An exception is an output like any other: that a run refuses is something the world sees.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

from privpac.audit.quotients import Masses, Quotients
from privpac.audit.symmetry import Group, Law, Numbers
from privpac.coins import Coins, Enumeration, Raised, Unfolding
from privpac.compiled import processor_time
from privpac.constructions.cases import Case, Record, Symmetry
from privpac.errors import ParameterError
from privpac.guarantee.facts import Loss, Privacy, Unit
from privpac.numbers.exact import exp_down

__all__ = [
    "Audit",
    "Case",
    "Finding",
    "Record",
    "Symmetry",
    "audit",
    "count_pairs",
]

TRIES = 12
"""Inputs on which declared symmetries are tried, spread over all of them; `symmetry=False` relies on none."""


@dataclass(frozen=True)
class Finding:
    """What an audit saw. `exact` is e^(true epsilon), None when some output is impossible on a neighbour."""

    name: str
    claim: Privacy
    exact: Fraction | None
    delta: Fraction
    """Exact delta at the claimed epsilon."""
    pairs: int
    """Neighbouring pairs that are settled, by themselves or by a symmetry."""
    complete: bool
    seconds: float
    worst: tuple[tuple[Record, ...], tuple[Record, ...], Any] | None = field(repr=False)
    total: int = 0
    """Neighbouring pairs there are."""
    compared: int = 0
    """Pairs whose laws were compared; fewer than `pairs` if symmetry was used."""
    raised: frozenset[str] = frozenset()
    """Types of the exceptions that were among the outputs."""
    answered: bool = True
    """Whether any run returned anything: a case that always raises says nothing about its claim."""
    limit: Finding | None = None
    """What was seen of the same run at its limits, if it was run there."""

    @property
    def holds(self) -> bool | None:
        """Whether the claim withstood every pair that was looked at; None if there was nothing to withstand."""
        if self.limit is not None and self.limit.holds is False:
            return False
        if not self.compared or not self.answered:
            return None
        return self.delta <= self.claim.delta

    @property
    def settled(self) -> bool:
        """Whether every pair was looked at, here and at the limits."""
        return self.complete and (self.limit is None or self.limit.complete)

    @property
    def epsilon(self) -> str:
        """The true loss, rounded up; 'infinite' when an output is impossible on a neighbour."""
        return "infinite" if self.exact is None else str(Loss(factor=self.exact))

    @property
    def tightness(self) -> float | None:
        """True epsilon over certified epsilon."""
        claim = float(self.claim.epsilon.upper)
        if self.exact is None or claim == 0:
            return None
        return float(Loss(factor=self.exact).upper) / claim


def count_pairs(case: Case) -> int:
    """Neighbouring pairs: what changes, times everything that stays."""
    if case.inputs is not None:
        return sum(1 for _ in _named_pairs(case))
    count = len(case.records)
    if case.n == 0:
        return 0
    if case.ordered:
        return len(case.changes) * case.n * int(count ** (case.n - 1))
    return len(case.changes) * math.comb(count + case.n - 2, case.n - 1)


class _OutOfTime(BaseException):
    """The time is over, in the middle of a law. No `Exception`: those are outputs of a run."""


@dataclass(frozen=True)
class _Pair:
    """Two neighbouring inputs to be compared, and how many pairs that settles."""

    one: Numbers
    other: Numbers
    settles: Fraction = Fraction(1)


class Audit:
    """An audit that can be carried on: `advance` compares neighbouring pairs until its time is over."""

    def __init__(self, case: Case, *, symmetry: bool = True) -> None:
        self.case = case
        self.finished = False
        self.seconds = 0.0
        labels_only = case.claim.unit is Unit.LABEL
        generators = case.symmetries if symmetry else ()
        self._group = Group(case.records, generators, ordered=case.ordered, labels_only=labels_only)
        self._instead = _replacements(case)
        self._factor = _factor(case.claim.epsilon)
        self._memory = Enumeration()
        self._laws: dict[Numbers, Law] = {}
        self._true: dict[Numbers, Law] = {}
        """Laws that were enumerated and not carried over from another input of the orbit."""
        self._quotients = Quotients()
        self._ready: dict[Numbers, Masses] = {}
        self._exact: Fraction | None = Fraction(1)
        self._delta = Fraction(0)
        self._settled = Fraction(0)
        self._compared = 0
        self._raised: set[str] = set()
        self._answered = False
        self._worst: tuple[Numbers, Numbers, Any] | None = None
        self._deadline = math.inf
        self._unfolding: dict[tuple[Numbers, bool], Unfolding[Hashable]] = {}
        """Laws that time did not suffice for; they are gone on with where they were left."""
        self._tried = False
        self._pairs = self._walk()
        self._next: _Pair | None = None
        """Where the walk stands; a pair whose laws were not finished in time comes again."""

    @property
    def pairs(self) -> int:
        """The number of neighbouring inputs compared so far."""
        return math.floor(self._settled)

    @property
    def broken(self) -> bool:
        """Whether some pair of neighbouring inputs already breaks the claim."""
        return self._delta > self.case.claim.delta

    def advance(
        self,
        seconds: float | None = None,
        *,
        deadline: float = math.inf,
        progress: Callable[[int], None] | None = None,
        stop_when_broken: bool = False,
    ) -> None:
        """Go on for this many seconds of computing, or to the end. At `deadline` even a law is left unfinished until
        the audit is carried on.

        Time is that of the processor: a busy machine does not cut an audit short.
        """
        begin = processor_time()
        self._deadline = deadline
        try:
            while not (self.finished or (stop_when_broken and self.broken)):
                if seconds is not None and processor_time() - begin > seconds:
                    return
                self._step()
                if progress is not None:
                    progress(self.pairs)
        except _OutOfTime:
            return
        finally:
            self.seconds += processor_time() - begin

    def _step(self) -> None:
        if not self._tried:
            self._try_symmetries()
            self._tried = True
        if self._next is None:
            self._next = next(self._pairs, None)
        if self._next is None:
            self.finished = True
            return
        self._compare(self._next.one, self._next.other)
        self._settled += self._next.settles
        self._next = None

    def finding(self) -> Finding:
        """What is known so far, with the worst pair of inputs."""
        worst = None
        if self._worst is not None:
            one, other, output = self._worst
            worst = self._records(one), self._records(other), output
        return Finding(
            self.case.name,
            self.case.claim,
            self._exact,
            self._delta,
            self.pairs,
            self.finished,
            self.seconds,
            worst,
            count_pairs(self.case),
            self._compared,
            frozenset(self._raised),
            self._answered,
        )

    def _walk(self) -> Iterator[_Pair]:
        """The chosen input of every orbit, with each of its neighbours.

        A neighbour whose orbit came earlier has met this one already. Of the pairs within one orbit, each is reached
        from both ends, so they count half.
        """
        if self.case.inputs is not None:
            yield from (_Pair(one, two) for one, two in _named_pairs(self.case))
            return
        for data in self._inputs():
            if self._group.chosen(data)[0] != data:
                continue
            size = self._group.orbit_size(data)
            for other in _neighbours(self.case, data, self._instead):
                home = self._group.chosen(other)[0]
                if home < data:
                    continue
                yield _Pair(data, other, Fraction(size, 2 if home == data else 1))

    def _inputs(self) -> Iterator[Numbers]:
        numbers = range(len(self.case.records))
        if self.case.ordered:
            return product(numbers, repeat=self.case.n)
        return combinations_with_replacement(numbers, self.case.n)

    def _records(self, data: Numbers) -> tuple[Record, ...]:
        return tuple(self.case.records[i] for i in data)

    def _run_law(self, data: Numbers, *, sets: bool | None = None) -> Law:
        records = self._records(data)
        key = data, self.case.sets if sets is None else sets

        def run(coins: Coins) -> Hashable:
            # To ask the clock costs as much as a short run.
            if self._deadline < math.inf and processor_time() > self._deadline:
                raise _OutOfTime
            return self.case.run(records, coins)

        if key not in self._unfolding:
            self._unfolding[key] = Unfolding(run, self._memory, sets=key[1])
        law = self._unfolding[key].law()
        del self._unfolding[key]
        self._raised |= {outcome.kind for outcome in law if isinstance(outcome, Raised)}
        self._answered |= not all(isinstance(outcome, Raised) for outcome in law)
        return law

    def _law(self, data: Numbers) -> Law:
        """Computed for the chosen input of the orbit, and carried over."""
        if data not in self._laws:
            home, element = self._group.chosen(data)
            self._laws[data] = self._group.carry(element, self._law_by_running(home))
        return self._laws[data]

    def _law_by_running(self, data: Numbers) -> Law:
        """By running this very input, once; the audit then has its law, too."""
        if data not in self._true:
            self._laws[data] = self._true[data] = self._run_law(data)
        return self._true[data]

    def _masses(self, data: Numbers) -> Masses:
        if data not in self._ready:
            self._ready[data] = self._quotients.masses(self._law(data))
        return self._ready[data]

    def _compare(self, data: Numbers, other: Numbers) -> None:
        for one, two in ((data, other), (other, data)):
            p, q = self._masses(one), self._masses(two)
            bound = self._factor if self._exact is None else min(self._exact, self._factor)
            ratio, output = self._quotients.largest(p, q, bound)
            if self._exact is not None and (ratio is None or ratio > self._exact):
                self._exact, self._worst = ratio, (one, two, output)
            if ratio is None or ratio > self._factor:
                self._delta = self._quotients.delta(p, q, self._factor, self._delta)
        self._compared += 1

    def _try_symmetries(self) -> None:
        if self._group.order == 1 and not self.case.sets:
            return
        spread = max(1, math.comb(len(self.case.records) + self.case.n - 1, self.case.n) // TRIES)
        for i, data in enumerate(self._inputs()):
            if i % spread == spread // 2:
                self._group.try_on(data, self._law_by_running)
                if self.case.sets and self._run_law(data, sets=False) != self._law_by_running(data):
                    raise ParameterError("Case", "sets", True, allowed="False: the run looks at the order")
            if i >= TRIES * spread:
                return


def audit(
    case: Case,
    *,
    budget_seconds: float | None = None,
    progress: Callable[[int], None] | None = None,
    stop_when_broken: bool = False,
    symmetry: bool = True,
) -> Finding:
    """Compare the exact loss of `case.run` with its claim, on all neighbouring pairs or as many as time allows."""
    deadline = math.inf if budget_seconds is None else processor_time() + budget_seconds
    work = Audit(case, symmetry=symmetry)
    work.advance(budget_seconds, deadline=deadline, progress=progress, stop_when_broken=stop_when_broken)
    return work.finding()


def _replacements(case: Case) -> list[list[int]]:
    """For every record, those that may take its place."""
    instead: list[list[int]] = [[] for _ in case.records]
    for one, other in sorted(case.changes):
        instead[one].append(other)
        instead[other].append(one)
    return instead


def _neighbours(case: Case, data: Numbers, instead: list[list[int]]) -> Iterator[Numbers]:
    for position, old in enumerate(data):
        if not case.ordered and old in data[:position]:
            continue
        for new in instead[old]:
            neighbour = (*data[:position], new, *data[position + 1 :])
            yield neighbour if case.ordered else tuple(sorted(neighbour))


def _named_pairs(case: Case) -> Iterator[tuple[Numbers, Numbers]]:
    """The inputs a case names, each with its neighbours; no pair twice."""
    place, instead = {record: i for i, record in enumerate(case.records)}, _replacements(case)
    earlier: set[Numbers] = set()
    for records in case.inputs or ():
        numbers = tuple(place[record] for record in records)
        data = numbers if case.ordered else tuple(sorted(numbers))
        if data not in earlier:
            yield from ((data, other) for other in _neighbours(case, data, instead) if other not in earlier)
            earlier.add(data)


def _factor(loss: Loss) -> Fraction:
    """e^epsilon; for a declared decimal, a rational just below it, so that the audit errs towards alarm."""
    if loss.log == 0:
        return loss.factor
    return exp_down(loss.log, 30) * loss.factor
