"""What no method can promise: of all lower bounds that speak of what is asked, the largest.

A bound speaks of a class and a kind of promise, whatever a method is called. Learning against the best rule includes
the case where some rule is right, so a bound for the one is one for the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple

from privpac.concepts.base import AnyClass
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.trees.parts import OneTest
from privpac.constructions.covers import floors as cover_floors
from privpac.constructions.few_labels.floors import labels_floor
from privpac.constructions.prediction.floors import floor_private_prediction, floor_stable_prediction
from privpac.errors import PrivpacError
from privpac.numbers.exact import exp_up, first_whole
from privpac.theory import agnostic_floors, any_floors, floors

__all__ = ["BOUNDS", "Bound", "Claim", "Limit", "impossible", "levels"]

GRID = Fraction(1, 10_000)
HALF = Fraction(1, 2)
MOST_NEIGHBOURS = 16
"""Cuts further apart are not worth it."""


@dataclass(frozen=True)
class Claim:
    """A promise that somebody may want."""

    concepts: AnyClass
    head: str
    """The kind of rule."""
    error: Fraction
    failure: Fraction
    epsilon: Fraction
    delta: Fraction = Fraction(0)
    setting: str = "realizable"
    proper: bool = False
    protects: str = "records"
    pool: bool = False
    """Whether records without labels help: then bounds on all records say nothing of the labelled ones."""
    asks: bool = False
    """Whether the method chooses whose label is asked for: then bounds on given labels say nothing."""
    release: bool = False
    """Whether a table is released, and no rule."""
    kappa: Fraction | None = None
    """Of continuous features: the largest density."""

    @property
    def numbers(self) -> dict[str, Fraction]:
        """The numbers of the promise by the names that formulas have for them."""
        return {"error": self.error, "failure": self.failure, "epsilon": self.epsilon}

    def without(self, name: str) -> dict[str, Fraction]:
        """The numbers of the promise but for one."""
        return {other: value for other, value in self.numbers.items() if other != name}

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the class looks at."""
        return tuple(self.concepts.statistic.columns)

    @cached_property
    def cells(self) -> int:
        """Values of the one column that the class looks at; 0 where there are more."""
        return self.concepts.schema.column(self.columns[0]).size if len(self.columns) == 1 else 0

    @property
    def is_line(self) -> bool:
        """Whether it is a class over one column with an order."""
        return self.head in ("thresholds", "intervals", "unions") and self.kappa is None

    @property
    def is_cut(self) -> bool:
        """Whether its rules are cuts in one direction."""
        return self.head == "thresholds" and self.kappa is None and self.vc == 1

    @property
    def is_points(self) -> bool:
        """Whether its rules are single values."""
        return self.head == "points"

    @property
    def vc(self) -> int:
        """At most this many points are shattered."""
        return self.concepts.vc or 1

    @cached_property
    def shatters(self) -> int:
        """At least this many points are shattered; all mass may lie on them, which a density bound excludes."""
        if self.kappa is not None:
            return 1
        if self.is_line or self.is_points:
            return self.vc
        if isinstance(self.concepts, Rectangles):
            return self.vc if min(self.concepts.groups) >= 3 else 1
        if self.head == "trees":
            useful = sum(column.size > 1 for column in self.concepts.schema.columns)
            levels = int(self.concepts.word.rpartition(":")[2])
            return min(1 << min(levels, useful), self.vc)
        return 1

    @property
    def parts(self) -> int:
        """Ranges of a rule."""
        return self.vc // 2 if self.head == "unions" else 1

    def hides_records(self, *, delta: bool = False) -> bool:
        """Whether whole records are hidden, without a delta unless that is allowed, and labelled ones counted."""
        return self.protects == "records" and (delta or not self.delta) and not self.pool and not self.release


class Bound(NamedTuple):
    """One lower bound: fewer records than `records` are too few for the claims that it speaks of."""

    source: str
    """Key of the statement in the register."""
    binds: Callable[[Claim], bool]
    records: Callable[[Claim], int]
    rules_out: Callable[[Claim, int], bool] | None = None
    """Whether one number of records is too small, where that is quicker to decide."""

    def excludes(self, claim: Claim, n: int) -> bool:
        """Whether this many records are too few."""
        return self.records(claim) > n if self.rules_out is None else self.rules_out(claim, n)


@dataclass(frozen=True)
class Limit:
    """Fewer records, a smaller error or a smaller epsilon than this is impossible, by the statement `source`."""

    value: int | Fraction
    source: str
    proper: bool
    """Whether it speaks only of methods that answer with a rule of the class."""


def _proper(claim: Claim, *, delta: bool = False) -> bool:
    return claim.hides_records(delta=delta) and claim.proper


def _points_proper_excludes(claim: Claim, n: int) -> bool:
    numbers = {**claim.without("failure"), "delta": claim.delta}
    return floors.least_failure_points(n, domain=claim.cells, **numbers) > claim.failure


def _points_any_excludes(claim: Claim, n: int) -> bool:
    least = floors.least_failure_points_any(n, domain=claim.cells, **claim.without("failure"))
    return least > claim.failure


def _points_light(claim: Claim) -> int:
    """A rule that is a point has one 1."""
    return floors.floor_points_light(
        claim.cells, weight=1, success=1 - claim.failure, **claim.without("failure")
    )


def _points_light_excludes(claim: Claim, n: int) -> bool:
    most = floors.most_success_points_light(n, domain=claim.cells, weight=1, **claim.without("failure"))
    return most < 1 - claim.failure


def _generated(claim: Claim) -> int:
    assert claim.concepts.size is not None
    return floors.floor_generated_points(claim.concepts.size, **claim.without("error"))


def _thresholds_excludes(claim: Claim, n: int) -> bool:
    numbers = {**claim.without("failure"), "delta": claim.delta}
    return floors.least_failure_thresholds(n, domain=claim.cells, **numbers) > claim.failure


def _changes(claim: Claim) -> int:
    """Every cut is an interval, and a union of k intervals changes its label at most 2k times."""
    return 2 * claim.parts


def _switches(claim: Claim) -> int:
    return floors.floor_thresholds_few_switches(
        claim.cells, switches=_changes(claim), success=1 - claim.failure, **claim.without("failure")
    )


def _switches_exclude(claim: Claim, n: int) -> bool:
    most = floors.most_success_thresholds_few_switches(
        n, domain=claim.cells, switches=_changes(claim), **claim.without("failure")
    )
    return most < 1 - claim.failure


def levels(claim: Claim) -> int:
    """Levels of a tree of mistakes: a binary search for every end of a rule, each among cells of its own."""
    if claim.is_line:
        ends = 1 if claim.head == "thresholds" else 2 * claim.parts
        blocks = [claim.cells // ends] * ends
    elif isinstance(claim.concepts, Rectangles):
        blocks = [cells // 2 for cells in claim.concepts.groups for _ in range(2)]
    else:
        blocks = []
    return sum(cells.bit_length() - 1 for cells in blocks if cells)


def _paths_exclude(claim: Claim, n: int) -> bool:
    depth = min(levels(claim), any_floors.MOST_LEVELS)
    mistakes = any_floors.best_mistakes(depth, error=claim.error, epsilon=claim.epsilon)
    if mistakes is None:
        return False
    numbers = claim.without("failure")
    most = any_floors.most_success_mistake_tree(n, depth=depth, mistakes=mistakes, **numbers)
    return most < 1 - claim.failure


def _minimal(claim: Claim) -> int:
    """Of points, and of cuts in one direction, no rule can be spared."""
    assert claim.concepts.size is not None
    return floors.floor_minimal_class(claim.concepts.size, **claim.without("error"))


def _gives_labels(claim: Claim) -> bool:
    """Whoever releases a rule and hides labels, or records with their labels; labels that are asked for are chosen."""
    return claim.protects in ("records", "labels") and not claim.asks and not claim.release


def _tells_two_rules(claim: Claim) -> bool:
    """Some two rules agree at one point and differ at another: any two of three that are not each other's opposite do,
    and a constant beside any test."""
    if not _gives_labels(claim) or claim.kappa is not None:
        return False
    if claim.head in ("thresholds", "points"):
        return (claim.concepts.size or 3) >= 3
    if isinstance(claim.concepts, OneTest):  # of three tests two are neither the same nor opposite
        return len(claim.concepts.tests.tests) >= 3
    return claim.head in ("auto", "trees", "lists", "stumps") or claim.shatters >= 2


def _two_rules_exclude(claim: Claim, n: int) -> bool:
    least = any_floors.least_failure_two_rules(n, **claim.without("failure"), delta=claim.delta)
    return least > claim.failure


def _label_private_line(claim: Claim) -> bool:
    """Cuts are members of all these classes, and cuts far enough apart must be distinguished, whatever rule answers."""
    return _gives_labels(claim) and not claim.delta and not claim.pool and claim.is_line


def _step(claim: Claim) -> int:
    """Under the uniform distribution on the cells, cuts this many cells apart differ on more than 2·error."""
    return int(2 * claim.error * claim.cells) + 1


def _packing(claim: Claim) -> int:
    """All such cuts."""
    count = claim.cells // _step(claim) + 1
    return cover_floors.floor_label_packing(count, **claim.without("error"))


def _chains(claim: Claim) -> list[tuple[int, Fraction]]:
    """Of such cuts only some neighbours, and the share of cells between the outermost two."""
    cells, step = claim.cells, _step(claim)
    spans = ((number + 1, Fraction(number * step, cells)) for number in range(1, MOST_NEIGHBOURS + 1))
    return [(packing, span) for packing, span in spans if span < 1]


def _chain(claim: Claim) -> int:
    numbers = claim.without("error")
    return max(
        (cover_floors.floor_label_chain(size, span=span, **numbers) for size, span in _chains(claim)),
        default=0,
    )


def _chain_excludes(claim: Claim, n: int) -> bool:
    return any(
        cover_floors.least_failure_label_chain(n, packing=packing, span=span, epsilon=claim.epsilon)
        > claim.failure
        for packing, span in _chains(claim)
    )


def _ball(claim: Claim) -> int:
    """The same neighbours, which differ on at most the share between the outermost two."""
    numbers = claim.without("error")
    return max(
        (cover_floors.floor_label_ball(size, distance=span, **numbers) for size, span in _chains(claim)),
        default=0,
    )


def _smooth(claim: Claim) -> int:
    assert claim.kappa is not None
    return cover_floors.floor_thresholds_smooth(claim.kappa, **claim.numbers)


def _smooth_excludes(claim: Claim, n: int) -> bool:
    assert claim.kappa is not None
    least = cover_floors.least_failure_thresholds_smooth(n, kappa=claim.kappa, **claim.without("failure"))
    return least > claim.failure


def _sphere(claim: Claim) -> int:
    """The uniform sphere is among the densities."""
    few = claim.error < Fraction(1, 4)
    return cover_floors.floor_label_halfspaces(len(claim.columns), **claim.numbers) if few else 0


def _anywhere(claim: Claim) -> bool:
    """Who asks for labels can ask at the few points that are shattered alone."""
    return claim.shatters > 1 and not claim.asks and not claim.release


def _answers(claim: Claim) -> bool:
    """What hides whole records answers every query privately, and records without labels do not help there."""
    return _anywhere(claim) and claim.protects in ("records", "predictions")


def _private_answers(claim: Claim) -> int:
    """A promise that may fail has a mean error that is larger by its failure."""
    mean = claim.error + claim.failure
    return 0 if mean >= HALF else floor_private_prediction(claim.shatters, error=mean, epsilon=claim.epsilon)


def _stable_answers(claim: Claim) -> int:
    """A record changes the chance of an answer by at most (e^epsilon - 1 + 2·delta)/(e^epsilon + 1)."""
    mean, factor = claim.error + claim.failure, exp_up(claim.epsilon)
    change = (factor - 1 + 2 * claim.delta) / (factor + 1)
    if mean > Fraction(1, 4) or change >= 1:
        return 0
    return floor_stable_prediction(claim.shatters, error=mean, stability=change)


def _labels(claim: Claim) -> int:
    """Every learner, private or not; outside the condition of the theorem nothing is known."""
    if claim.failure >= HALF or claim.error * 4 * (1 - claim.failure) >= 1 - 2 * claim.failure:
        return 0
    return labels_floor(claim.shatters, error=claim.error, failure=claim.failure)


def _noisy(claim: Claim, *, answers: bool) -> bool:
    """Promises against the best rule for every noise, from labels that are given: of rules, or of answers with fresh
    coins, whose error is a mean over them."""
    any_noise = claim.setting == "agnostic" and claim.kappa is None and not claim.release
    return any_noise and not claim.asks and (claim.protects == "predictions") == answers


def _agnostic(claim: Claim, *, answers: bool = False) -> int:
    floor = agnostic_floors.floor_agnostic_answers if answers else agnostic_floors.floor_agnostic
    return 0 if claim.failure >= HALF else floor(claim.shatters, excess=claim.error, failure=claim.failure)


def _agnostic_excludes(claim: Claim, n: int, *, answers: bool = False) -> bool:
    least = (
        agnostic_floors.least_failure_agnostic_answers if answers else agnostic_floors.least_failure_agnostic
    )
    quick = claim.failure < min(least(n, excess=claim.error), HALF)
    return quick or _agnostic(claim, answers=answers) > n


BOUNDS: tuple[Bound, ...] = (
    Bound(
        "floor-point-counts",
        lambda claim: claim.release and not claim.delta and claim.cells >= 2,
        lambda claim: floors.floor_point_counts(claim.cells, **claim.numbers),
    ),
    Bound(
        "floor-points-proper",
        lambda claim: _proper(claim, delta=True) and claim.is_points,
        lambda claim: floors.floor_points_proper(claim.cells, **claim.numbers, delta=claim.delta),
        _points_proper_excludes,
    ),
    Bound(
        "floor-points-light",
        lambda claim: _proper(claim) and claim.is_points and claim.cells >= 3,
        _points_light,
        _points_light_excludes,
    ),
    Bound(
        "floor-points-any",
        lambda claim: claim.hides_records() and claim.is_points,
        lambda claim: floors.floor_points_any(claim.cells, **claim.numbers),
        _points_any_excludes,
    ),
    Bound("floor-generated-points", lambda claim: _proper(claim) and claim.head == "generated", _generated),
    Bound(
        "floor-thresholds-proper",
        lambda claim: _proper(claim, delta=True) and claim.is_cut and claim.cells >= 2,
        lambda claim: floors.floor_thresholds_proper(claim.cells, **claim.numbers, delta=claim.delta),
        _thresholds_excludes,
    ),
    Bound(
        "floor-thresholds-few-switches",
        lambda claim: _proper(claim) and claim.is_line and claim.cells >= 2,
        _switches,
        _switches_exclude,
    ),
    Bound(
        "floor-mistake-tree",
        lambda claim: claim.hides_records() and not claim.asks and levels(claim) >= 1,
        lambda claim: any_floors.floor_mistake_tree(levels(claim), **claim.numbers),
        _paths_exclude,
    ),
    Bound(
        "floor-minimal-class",
        lambda claim: _proper(claim) and (claim.is_points or claim.is_cut),
        _minimal,
    ),
    Bound("floor-private-prediction", lambda claim: _answers(claim) and not claim.delta, _private_answers),
    Bound("floor-stable-prediction", _answers, _stable_answers),
    Bound(
        "floor-thresholds-smooth",
        lambda claim: _proper(claim) and len(claim.columns) == 1 and (claim.kappa or 0) >= 2,
        _smooth,
        _smooth_excludes,
    ),
    Bound(
        "floor-label-halfspaces",
        lambda claim: (
            claim.kappa is not None and len(claim.columns) > 1 and _gives_labels(claim) and not claim.delta
        ),
        _sphere,
    ),
    Bound("floor-label-chain", _label_private_line, _chain, _chain_excludes),
    Bound("floor-label-ball", _label_private_line, _ball),
    Bound("floor-label-packing", _label_private_line, _packing),
    Bound(
        "floor-two-rules",
        _tells_two_rules,
        lambda claim: any_floors.floor_two_rules(**claim.numbers, delta=claim.delta),
        _two_rules_exclude,
    ),
    Bound("floor-labels", _anywhere, _labels),
    Bound("floor-agnostic", lambda claim: _noisy(claim, answers=False), _agnostic, _agnostic_excludes),
    Bound(
        "floor-agnostic-answers",
        lambda claim: _noisy(claim, answers=True),
        lambda claim: _agnostic(claim, answers=True),
        lambda claim, n: _agnostic_excludes(claim, n, answers=True),
    ),
)
"""Of equal ones the first is named."""


def _binding(claim: Claim) -> tuple[int, ...]:
    return tuple(place for place, bound in enumerate(BOUNDS) if bound.binds(claim))


@lru_cache(maxsize=1024)
def _largest(places: tuple[int, ...], claim: Claim) -> tuple[int, str]:
    """The most records that are too few, and the statement; 0 where nothing is excluded."""
    best = (0, "")
    for place in places:
        try:
            records = BOUNDS[place].records(claim)
        except PrivpacError:  # outside the conditions of its theorem
            continue
        if records > best[0]:
            best = records, BOUNDS[place].source
    return best


def impossible(claim: Claim, *, asks: str, records: int) -> Limit | None:
    """The number below which nothing can be promised: of records, or for this many records of error or epsilon."""
    places = _binding(claim)
    if asks == "records":
        count, source = _largest(places, claim)
        return Limit(count, source, claim.proper) if count else None
    last = int((HALF if asks == "error" else claim.epsilon) / GRID)
    return _least(places, replace(claim, **{asks: Fraction(1, 4)}), asks, records, last)  # type: ignore[arg-type]


@lru_cache(maxsize=256)
def _least(places: tuple[int, ...], claim: Claim, name: str, records: int, last: int) -> Limit | None:
    """The smallest error or epsilon that no bound excludes."""

    def source(step: int) -> str | None:
        trial = replace(claim, **{name: step * GRID})  # type: ignore[arg-type]
        for place in places:
            try:
                if BOUNDS[place].excludes(trial, records):
                    return BOUNDS[place].source
            except PrivpacError:  # outside the conditions of its theorem
                continue
        return None

    if last < 2 or source(1) is None:
        return None
    at = int(Fraction(1, 4) * _largest(places, claim)[0] / (records * GRID))
    step = first_whole(lambda k: k >= last or source(k) is None, start=min(max(1, at), last - 1), smallest=1)
    return Limit(step * GRID, source(step - 1) or BOUNDS[places[0]].source, claim.proper)
