"""The exact audit: the worst privacy loss of the very code that runs, over all neighbouring inputs of a tiny domain.

A `Case` says which records are possible, how many there are, and what to run on them. `EnumeratedCoins` give the exact
output law of every input; the largest ratio of probabilities over all neighbours and outputs is compared with the
certificate. Probabilities are rational numbers: no rounding, no sampling, no confidence level.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

from privpac.coins import Coins, Enumeration, law
from privpac.guarantee.facts import Loss, Privacy, Unit
from privpac.theory.exact import exp_down

__all__ = ["Case", "Finding", "audit", "delta_at", "worst_ratio"]

Record = tuple[Hashable, ...]
Law = dict[Any, Fraction]


@dataclass(frozen=True)
class Case:
    """Something to audit: `run` on every input made of `n` of the possible `records`.

    `ordered`: inputs are sequences and a neighbour replaces the record at one position. Otherwise the run ignores the
    order, inputs are multisets, and a neighbour replaces one record by another. With unit LABEL only the last entry of
    a record (its label) may change.
    """

    name: str
    run: Callable[[Sequence[Record], Coins], Hashable]
    records: tuple[Record, ...]
    n: int
    claim: Privacy
    ordered: bool = False


@dataclass(frozen=True)
class Finding:
    """What an audit saw. `exact` is e^(true epsilon), None when some output is impossible on a neighbour."""

    name: str
    claim: Privacy
    exact: Fraction | None
    delta: Fraction
    """Exact delta at the claimed epsilon."""
    pairs: int
    complete: bool
    seconds: float
    worst: tuple[tuple[Record, ...], tuple[Record, ...], Any] | None

    @property
    def holds(self) -> bool:
        return self.delta <= self.claim.delta

    @property
    def epsilon(self) -> str:
        """The true loss, rounded up; 'infinite' when an output is impossible on a neighbour."""
        return "infinite" if self.exact is None else str(Loss(factor=self.exact))

    @property
    def tightness(self) -> float | None:
        """True epsilon over certified epsilon."""
        claimed = float(self.claim.epsilon.upper)
        if self.exact is None or claimed == 0:
            return None
        return float(Loss(factor=self.exact).upper) / claimed


def worst_ratio(p: Law, q: Law) -> tuple[Fraction | None, Any]:
    """The largest p(output)/q(output) and where; None stands for infinity."""
    best, where = Fraction(1), None
    for output, mass in p.items():
        other = q.get(output, Fraction(0))
        if other == 0:
            return None, output
        if mass / other > best:
            best, where = mass / other, output
    return best, where


def delta_at(p: Law, q: Law, factor: Fraction) -> Fraction:
    """The smallest delta with p(F) <= factor·q(F) + delta for every event F."""
    gaps = (mass - factor * q.get(output, Fraction(0)) for output, mass in p.items())
    return sum((gap for gap in gaps if gap > 0), Fraction(0))


def inputs(case: Case) -> Iterator[tuple[Record, ...]]:
    if case.ordered:
        yield from product(case.records, repeat=case.n)
    else:
        yield from combinations_with_replacement(case.records, case.n)


def neighbours(case: Case, data: tuple[Record, ...]) -> Iterator[tuple[Record, ...]]:
    """Every neighbour that comes later in the order of records, so that each pair is met once."""
    rank = {record: i for i, record in enumerate(case.records)}
    for position, old in enumerate(data):
        if not case.ordered and old in data[:position]:
            continue
        for new in case.records[rank[old] + 1 :]:
            if case.claim.unit is Unit.LABEL and new[:-1] != old[:-1]:
                continue
            changed = (*data[:position], new, *data[position + 1 :])
            yield changed if case.ordered else tuple(sorted(changed, key=rank.__getitem__))


def audit(
    case: Case,
    *,
    budget_seconds: float | None = None,
    progress: Callable[[int], None] | None = None,
    stop_when_broken: bool = False,
) -> Finding:
    """Compare the exact loss of `case.run` with its claim, on all neighbouring pairs or as many as time allows."""
    begin = time.monotonic()
    memory = Enumeration()
    laws: dict[tuple[Record, ...], Law] = {}

    def law_of(data: tuple[Record, ...]) -> Law:
        if data not in laws:
            laws[data] = law(lambda coins: case.run(data, coins), memory=memory)
        return laws[data]

    factor = _factor(case.claim.epsilon)
    exact: Fraction | None = Fraction(1)
    delta, pairs, worst = Fraction(0), 0, None
    complete = True
    for data in inputs(case):
        for other in neighbours(case, data):
            if budget_seconds is not None and time.monotonic() - begin > budget_seconds:
                complete = False
                break
            pairs += 1
            for a, b in ((data, other), (other, data)):
                p, q = law_of(a), law_of(b)
                ratio, output = worst_ratio(p, q)
                if exact is not None and (ratio is None or ratio > exact):
                    exact, worst = ratio, (a, b, output)
                delta = max(delta, delta_at(p, q, factor))
        if progress is not None:
            progress(pairs)
        if not complete or (stop_when_broken and delta > case.claim.delta):
            complete = False
            break
    return Finding(case.name, case.claim, exact, delta, pairs, complete, time.monotonic() - begin, worst)


def _factor(loss: Loss) -> Fraction:
    """e^epsilon; for a declared decimal, a rational just below it, so that the audit errs towards alarm."""
    if loss.log == 0:
        return loss.factor
    return exp_down(loss.log, 30) * loss.factor
