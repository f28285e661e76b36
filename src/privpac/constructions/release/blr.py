"""Synthetic databases drawn from all small ones (Blum, Ligett and Roth), exactly.

Statement: a candidate is scored by how many records its worst answer lies beyond a public radius, rounded up; one
record moves that by at most 1, so the exponential mechanism is epsilon-DP. The drawn database answers every query
within the promised error, except with probability `failure`.
Source: Blum–Ligett–Roth 2008; Beimel–Nissim–Stemmer 2015, Theorem A.3; Beimel–Brenner–Kasiviswanathan–Nissim 2013,
Theorem 7.1; registers `exponential-mechanism`, `candidate-answers`, `quantile-candidates`, `listed-candidates`.
Holds if: the candidates are public: all multisets of this many cells.
Proof: docs/proofs/candidate-answers.md.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement
from math import comb
from typing import Any, NamedTuple

import numpy as np
from flint import ctx
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.constructions.release.lattice import Band, Paths
from privpac.constructions.release.sanitiser import (
    FAILURE,
    OrderedColumn,
    Released,
    answers_fact,
    check_wishes,
    need_sizes,
    noise_ratio,
    power_at_most,
    ranges_from_thresholds,
    require_enough,
    table_certificate,
)
from privpac.constructions.release.tables import Buckets, PointCounts
from privpac.data.joint import JointCells
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Answers, Queries, Release
from privpac.guarantee.proof import SEAL, Proof, need, parameters
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import Row, Runs
from privpac.numbers.exact import (
    PRECISIONS,
    ball,
    first_power,
    ratio_for,
    shortened_whole,
    written,
)
from privpac.theory.register import formula

__all__ = [
    "CandidatePlan",
    "ListedBLR",
    "ThresholdBLR",
    "candidate_answers",
    "plan_candidates",
    "radius_listed",
    "radius_quantiles",
]


# --- accuracy ---


@dataclass(frozen=True)
class CandidatePlan:
    """Databases of `points` records; `count` of them; one lies within `radius`; the drawn one within `error`."""

    points: int
    count: int
    radius: Fraction
    error: Fraction


@formula("quantile-candidates")
def radius_quantiles(points: int) -> Fraction:
    """How near the best of all multisets of `points` cells comes to the thresholds of any records.

    Statement: 1/(2·points). Source: register `quantile-candidates`. Holds if: the column is ordered.
    Proof: docs/proofs/candidate-answers.md.
    """
    return Fraction(1, 2 * points)


@formula("listed-candidates")
def radius_listed(points: int, *, cells: int, queries: int) -> Fraction:
    """How near the best of all multisets of `points` cells comes to the answers of `queries` listed queries.

    Statement: the smaller of floor(cells²/4)/(cells·points), by rounding every count, and of
    sqrt(ln(2·queries)/(2·points)), by drawing at random. Source: register `listed-candidates` (Blum–Ligett–Roth 2008;
    Beimel–Nissim–Stemmer 2015, Theorem A.3). Holds if: queries count cells.
    Proof: docs/proofs/candidate-answers.md.
    """
    by_rounding = Fraction(cells * cells // 4, cells * points)
    with ctx.workprec(PRECISIONS[0]):
        radius = (ball(2 * queries).log() / (2 * points)).sqrt() * 10**12
        by_chance = Fraction(int(radius.upper().ceil().unique_fmpz()) + 1, 10**12)
    return min(by_rounding, by_chance)


_MOST_POINTS = 512
"""Synthetic databases with more records than this promise errors that no table of a billion records supports."""


LARGEST_LIST = 2**24
"""Entries of the table of candidates by cells or by queries: 128 MB."""


def most_listed(cells: int, *, queries: int) -> int:
    """The largest number of synthetic records whose candidates can all be listed."""
    points, width = 0, max(cells, queries)
    while points < 4096 and math.comb(cells + points, points + 1) * width <= LARGEST_LIST:
        points += 1
    return points


@formula("candidate-answers")
def plan_candidates(
    records: int,
    *,
    cells: int,
    ratio: Fraction,
    failure: Fraction,
    radius: Callable[[int], Fraction] = radius_quantiles,
    least: int = 1,
    most: int = _MOST_POINTS,
) -> CandidatePlan:
    """The number of synthetic records with the smallest provable error.

    Statement: radius + (steps - 1)/records, where (candidates - 1)·ratio^steps is at most `failure` and there are
    C(cells + points - 1, points) candidates. Source: register `candidate-answers` (Beimel–Nissim–Stemmer 2015, Theorem
    A.3; Beimel–Brenner–Kasiviswanathan–Nissim 2013, Theorem 7.1). Holds if: one candidate lies within `radius`.
    Proof: docs/proofs/candidate-answers.md.

    >>> plan = plan_candidates(14_549, cells=2**16, ratio=Fraction(607, 1000), failure=Fraction(1, 20))
    >>> plan.points, plan.error <= Fraction(1, 20)
    (21, True)
    """
    best: CandidatePlan | None = None
    count = math.comb(cells + least - 2, least - 1)
    for points in range(least, most + 1):
        count = count * (cells + points - 1) // points
        others = Fraction(max(count - 1, 1))
        steps = max(1, first_power(ratio, lambda others=others: ball(failure / others).log()))  # type: ignore[misc]
        near = radius(points)
        error = near + Fraction(steps - 1, max(records, 1))
        if best is None or error < best.error:
            best = CandidatePlan(points, count, near, error)
        elif (
            error > 2 * best.error
        ):  # the noise grows with every point, and the radius has little left to give
            break
    assert best is not None
    return best


def candidate_answers(
    *,
    candidates: int,
    records: int,
    ratio: Fraction,
    radius: Fraction,
    error: Fraction,
    failure: Fraction,
    queries: Queries,
) -> Proof[Answers]:
    """The drawn database is off by more than `error` with probability (candidates - 1)·ratio^k.

    Here k = floor(records·(error - radius)) + 1: a score counts records beyond `radius`, rounded up.
    Register `candidate-answers`. Holds if some candidate lies within `radius` of every database (assumed of the caller;
    registers `quantile-candidates` and `listed-candidates`).
    """
    rule = "candidate-answers"
    need(
        rule,
        queries in (Queries.THRESHOLDS, Queries.LISTED),
        "tables are drawn for thresholds or listed queries",
    )
    candidates = shortened_whole(candidates)
    need_sizes(rule, candidates, records, ratio, failure)
    need(rule, 0 <= radius <= error, "the error is below the radius")
    steps = math.floor(records * (error - radius)) + 1
    need(
        rule,
        power_at_most(candidates - 1, ratio, steps, failure),
        "the bound is larger than the failure asked for",
    )
    where = parameters(candidates=written(candidates), ratio=ratio, radius=radius)
    fact = answers_fact(rule, error, failure, queries, records)
    return Proof(fact, rule, where=where, seal=SEAL)


# --- the sanitisers ---


@dataclass(frozen=True)
class ThresholdBLR(OrderedColumn):
    """A few synthetic records of one ordered column that answer all its thresholds and ranges, for any domain."""

    schema: Schema
    column: str
    epsilon: Fraction
    error: Fraction | None = None
    failure: Fraction = FAILURE
    points: int | None = None
    """Synthetic records; by default the number with the best promise."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_points("ThresholdBLR", self.points)

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return noise_ratio("ThresholdBLR", ratio_for(self.epsilon / 2))

    def plan(self, records: int) -> CandidatePlan:
        """How many synthetic records, and what is promised: from public numbers."""
        return _plan(self.points, records, self.cells, self.ratio, self.failure, radius_quantiles)

    def synthetic(self, records: int) -> int:
        """How many synthetic records there will be."""
        return self.plan(records).points

    def promise(self, records: int) -> Fraction:
        return self.plan(records).error

    def certify(self, size: Size) -> Certificate:
        return _certificate(self, "threshold-blr", size, Queries.THRESHOLDS)

    def releases(self, table: Released, size: Size) -> bool:
        """This many records on single cells as were planned."""
        if not isinstance(table, Buckets) or table.column != self.column:
            return False
        return table.on_cells(self.cells) and table.total == self.synthetic(size.total)

    def release(self, sample: Sample, coins: Coins) -> Buckets:
        plan = self.plan(sample.size.total)
        evidence = sample.reduce(CellCounts(self.schema.column(self.column), classes=1))
        path = Paths(Band(evidence, self.cells, plan.points), self.ratio).draw(coins)
        counts = sorted(Counter(path).items())
        return Buckets(self.column, tuple((cell, cell + 1, count) for cell, count in counts))


@dataclass(frozen=True)
class ListedBLR:
    """A few synthetic records that answer a public list of queries, where these tell so few cells apart that all
    candidates are tried.

    A query is a rule; it asks for the share of records on which the rule says 1. Cells on which all rules agree are one
    atom: synthetic records lie on the first cell of each, and the others are no candidates.
    """

    schema: Schema
    columns: tuple[str, ...]
    queries: tuple[Hypothesis, ...]
    epsilon: Fraction
    error: Fraction | None = None
    failure: Fraction = FAILURE
    points: int | None = None

    def __post_init__(self) -> None:
        owner = "ListedBLR"
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "queries", tuple(self.queries))
        check_wishes(owner, epsilon=self.epsilon, failure=self.failure, error=self.error)
        _check_points(owner, self.points)
        if not self.queries:
            raise ParameterError(owner, "queries", (), allowed="at least one rule")
        if self._joint.size * len(self.queries) > LARGEST_LIST or self.most == 0:
            raise SizeError(
                f"{owner}: a domain of {self._joint.size} cells has too many small databases to try them all.",
                remedy="Release fewer or coarser columns, ask fewer queries, or thresholds of one column, which need no"
                " list.",
            )

    @cached_property
    def _joint(self) -> JointCells:
        return JointCells(self.schema, self.columns)

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return noise_ratio("ListedBLR", ratio_for(self.epsilon / 2))

    @cached_property
    def most(self) -> int:
        """The largest number of synthetic records whose candidates can all be listed."""
        return most_listed(self._atoms.number, queries=len(self.queries))

    def plan(self, records: int) -> CandidatePlan:
        """How many synthetic records, and what is promised: from public numbers."""
        return _plan_listed(
            self.points, records, self._atoms.number, len(self.queries), self.ratio, self.failure, self.most
        )

    def require(self, size: Size) -> None:
        require_enough(
            "ListedBLR",
            records=size.total,
            goal=self.error,
            error_of=lambda records: self.plan(records).error,
            queries=Queries.LISTED.value,
        )

    def certify(self, size: Size) -> Certificate:
        return _certificate(self, "listed-blr", size, Queries.LISTED)

    @property
    def _atoms(self) -> _Atoms:
        return _atoms(self._joint, self.queries)

    def releases(self, table: Released, size: Size) -> bool:
        """So many records as were planned, on first cells of atoms."""
        points = self.plan(size.total).points
        if not isinstance(table, PointCounts) or (table.names, table.total) != (self.columns, points):
            return False
        firsts = set(self._atoms.firsts)
        return (
            all(cell in firsts for cell, _ in table.counts)
            and sum(count for _, count in table.counts) == points
        )

    def release(self, sample: Sample, coins: Coins) -> PointCounts:
        n = sample.size.total
        plan = self.plan(n)
        evidence = sample.reduce(self._joint)
        atoms = self._atoms
        true = np.zeros(atoms.number, dtype=np.int64)
        np.add.at(true, atoms.of_cell[evidence.values.astype(np.intp)], evidence.counts[:, 0])
        candidates = _multisets(atoms.number, plan.points)
        scores = self._scores(candidates, true, plan, n)
        last = len(candidates) - 1
        row = Row.of(0, np.arange(last, dtype=np.uint64), scores, last)
        candidate = candidates[gibbs.draw(Runs([row]), self.ratio, coins)[1]]
        counts = tuple((atoms.firsts[a], int(candidate[a])) for a in np.flatnonzero(candidate).tolist())
        return PointCounts(self.columns, counts, plan.points)

    def _scores(
        self, candidates: NDArray[np.int64], true: NDArray[np.int64], plan: CandidatePlan, n: int
    ) -> NDArray[np.int64]:
        """ceil(n·(worst error - radius)), and at least 0, in whole numbers: errors times n·points are whole."""
        asked = self._atoms.asked
        off = np.abs(plan.points * (true @ asked) - n * (candidates @ asked)).max(axis=1)
        free = plan.radius * n * plan.points
        beyond = off * free.denominator - free.numerator
        scale = free.denominator * plan.points
        scores: NDArray[np.int64] = -(-beyond // scale)
        return np.maximum(scores, 0)


class _Atoms(NamedTuple):
    """Cells by what the queries say of them, numbered by their first cells."""

    of_cell: NDArray[np.intp]
    firsts: tuple[int, ...]
    asked: NDArray[np.int64]
    """Atoms x queries: whether the query counts the atom."""

    @property
    def number(self) -> int:
        return len(self.firsts)


@lru_cache(maxsize=8)
def _atoms(joint: JointCells, queries: tuple[Hypothesis, ...]) -> _Atoms:
    """What a list of queries tells apart: a plan asks for it many times."""
    places = joint.cells(range(joint.size))
    cells = {name: np.array(places[name], dtype=joint.schema.column(name).dtype) for name in joint.names}
    asked = np.stack([query.predict(cells) for query in queries], axis=1).astype(np.int64)
    _, first, kind = np.unique(asked, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    firsts = first[order]
    return _Atoms(number[kind.reshape(-1)], tuple(firsts.tolist()), asked[firsts])


def _multisets(cells: int, points: int) -> NDArray[np.int64]:
    """Every way to put `points` records into cells, a row each: the gaps between bars."""
    bars = np.array(list(combinations_with_replacement(range(points + 1), cells - 1)), dtype=np.int64)
    rows = comb(cells + points - 1, points)
    bars = bars.reshape(rows, cells - 1)
    ends = np.concatenate([np.zeros((rows, 1), np.int64), bars, np.full((rows, 1), points)], axis=1)
    return np.diff(ends, axis=1)


def _check_points(owner: str, points: int | None) -> None:
    if points is not None and (isinstance(points, bool) or not isinstance(points, int) or points < 1):
        raise ParameterError(owner, "points", points, allowed="a positive integer, or None")


def _plan(
    points: int | None,
    records: int,
    cells: int,
    ratio: Fraction,
    failure: Fraction,
    radius: Callable[[int], Fraction],
    **limits: int,
) -> CandidatePlan:
    """The best plan, or the one for this many points."""
    if points is None:
        return plan_candidates(records, cells=cells, ratio=ratio, failure=failure, radius=radius, **limits)
    return plan_candidates(
        records, cells=cells, ratio=ratio, failure=failure, radius=radius, least=points, most=points
    )


@lru_cache(maxsize=256)  # whoever stands on a list asks for the plan again and again
def _plan_listed(
    points: int | None, records: int, atoms: int, queries: int, ratio: Fraction, failure: Fraction, most: int
) -> CandidatePlan:
    def radius(points: int) -> Fraction:
        return radius_listed(points, cells=atoms, queries=queries)

    return _plan(points, records, atoms, ratio, failure, radius, most=most)


def _certificate(sanitiser: Any, name: str, size: Size, queries: Queries) -> Certificate:
    sanitiser.require(size)
    n = size.total
    plan: CandidatePlan = sanitiser.plan(n)
    answers: tuple[Proof[Answers], ...] = ()
    if 2 * plan.error < 1:
        close = candidate_answers(
            candidates=plan.count,
            records=n,
            ratio=sanitiser.ratio,
            radius=plan.radius,
            error=plan.error,
            failure=sanitiser.failure,
            queries=queries,
        )
        ranges = (ranges_from_thresholds(close),) if queries is Queries.THRESHOLDS else ()
        answers = (close, *ranges)
    draw = rules.exponential_mechanism(ratio=sanitiser.ratio, release=Release.NUMBERS)
    return table_certificate(sanitiser, draw, answers, size=size, name=name, points=plan.points)
