"""Which lower bound applies to which class: the largest one that does, with its theorem.

A floor holds for every algorithm of the stated kind, whatever it is called. Learning against the best member includes
the case where some member is right, so a floor for the one is a floor for the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privpac.constructions.covers.floors import (
    floor_label_packing,
    floor_thresholds_smooth,
    least_failure_thresholds_smooth,
)
from privpac.constructions.few_labels.floors import labels_floor
from privpac.constructions.option import Option
from privpac.constructions.prediction.floors import floor_private_prediction
from privpac.constructions.wish import Wish
from privpac.numbers.binomial import first_whole
from privpac.theory import floors

__all__ = ["FLOORS", "Floor", "FloorRow", "floor_for", "least_possible"]

GRID = Fraction(1, 10_000)


@dataclass(frozen=True)
class Floor:
    """Fewer records than this are too few, by the statement `source`."""

    records: int
    source: str


@dataclass(frozen=True)
class FloorRow:
    """One lower bound and the options it binds; `excludes` decides one number of records, which is quicker."""

    source: str
    binds: Callable[[Option, Wish], bool]
    records: Callable[[Wish], int]
    excludes: Callable[[Wish, int], bool]
    purpose: str = "learn"


def _whole_records(option: Option) -> bool:
    return option.protects == "records" and option.pure and not option.pool


def _proper_points(option: Option, wish: Wish) -> bool:
    return _whole_records(option) and option.proper and wish.concepts.kind == "points"


def _any_points(option: Option, wish: Wish) -> bool:
    return _whole_records(option) and wish.concepts.kind == "points"


def _proper_thresholds(option: Option, wish: Wish) -> bool:
    concepts = wish.concepts
    proper = _whole_records(option) and option.proper and (concepts.cells or 0) >= 4
    return proper and concepts.kind == "thresholds" and concepts.vc == 1


def _few_switches(option: Option, wish: Wish) -> bool:
    """Every threshold is an interval, and a union of k intervals changes its label at most 2k times."""
    line = wish.concepts.kind in ("thresholds", "intervals", "unions")
    return _whole_records(option) and option.proper and line and (wish.concepts.cells or 0) >= 4


def _private_answers(option: Option, wish: Wish) -> bool:
    """What protects whole records answers every query privately, and unlabelled records do not help there."""
    return wish.concepts.shatters > 1 and option.protects in ("records", "predictions") and option.pure


def _cells(wish: Wish) -> int:
    assert wish.concepts.cells is not None
    return wish.concepts.cells


def _changes(wish: Wish) -> int:
    return 2 if wish.concepts.kind == "thresholds" else 2 * wish.concepts.parts


def _proper_points_records(wish: Wish) -> int:
    return floors.floor_points_proper(
        _cells(wish), error=wish.error, failure=wish.failure, epsilon=wish.epsilon
    )


def _proper_points_exclude(wish: Wish, n: int) -> bool:
    least = floors.least_failure_points(n, domain=_cells(wish), error=wish.error, epsilon=wish.epsilon)
    return least > wish.failure


def _any_points_records(wish: Wish) -> int:
    return floors.floor_points_any(_cells(wish), error=wish.error, failure=wish.failure, epsilon=wish.epsilon)


def _any_points_exclude(wish: Wish, n: int) -> bool:
    least = floors.least_failure_points_any(n, domain=_cells(wish), error=wish.error, epsilon=wish.epsilon)
    return least > wish.failure


def _thresholds_records(wish: Wish) -> int:
    return floors.floor_thresholds_proper(
        _cells(wish), error=wish.error, failure=wish.failure, epsilon=wish.epsilon
    )


def _thresholds_exclude(wish: Wish, n: int) -> bool:
    least = floors.least_failure_thresholds(n, domain=_cells(wish), error=wish.error, epsilon=wish.epsilon)
    return least > wish.failure


def _switches_records(wish: Wish) -> int:
    return floors.floor_thresholds_few_switches(
        _cells(wish),
        switches=_changes(wish),
        success=1 - wish.failure,
        error=wish.error,
        epsilon=wish.epsilon,
    )


def _switches_exclude(wish: Wish, n: int) -> bool:
    most = floors.most_success_thresholds_few_switches(
        n, domain=_cells(wish), switches=_changes(wish), error=wish.error, epsilon=wish.epsilon
    )
    return most < 1 - wish.failure


def _prediction_records(wish: Wish) -> int:
    """A promise that may fail has a mean error that is larger by its failure."""
    mean = wish.error + wish.failure
    if mean >= Fraction(1, 2):
        return 0
    return floor_private_prediction(wish.concepts.shatters, error=mean, epsilon=wish.epsilon)


def _smooth(option: Option, wish: Wish) -> bool:
    dense = wish.concepts.kind == "reference" and (wish.concepts.kappa or 0) >= 2
    return _whole_records(option) and option.proper and dense


def _smooth_records(wish: Wish) -> int:
    assert wish.concepts.kappa is not None
    return floor_thresholds_smooth(
        wish.concepts.kappa, error=wish.error, failure=wish.failure, epsilon=wish.epsilon
    )


def _smooth_exclude(wish: Wish, n: int) -> bool:
    assert wish.concepts.kappa is not None
    least = least_failure_thresholds_smooth(
        n, kappa=wish.concepts.kappa, error=wish.error, epsilon=wish.epsilon
    )
    return least > wish.failure


def _label_private_line(option: Option, wish: Wish) -> bool:
    """Cuts are members of all these classes, and cuts far enough apart must be distinguished."""
    line = wish.concepts.kind in ("thresholds", "intervals", "unions")
    return option.protects == "labels" and option.pure and option.proper and line


def _label_records(wish: Wish) -> int:
    """Under the uniform distribution on the cells, every so many cells a cut, pairwise above 2·error apart."""
    cells = _cells(wish)
    step = int(2 * wish.error * cells) + 1
    return floor_label_packing(cells // step + 1, failure=wish.failure, epsilon=wish.epsilon)


def _labels_records(wish: Wish) -> int:
    """Every learner, private or not; outside the condition of the theorem nothing is known."""
    if wish.failure >= Fraction(1, 2) or wish.error * 4 * (1 - wish.failure) >= 1 - 2 * wish.failure:
        return 0
    return labels_floor(wish.concepts.shatters, error=wish.error, failure=wish.failure)


def _counts_records(wish: Wish) -> int:
    """Points, thresholds or ranges; the theorem excludes errors strictly below its own, so a little is added."""
    error = wish.error * (1 + Fraction(1, 10**9))
    return floors.floor_point_counts(_cells(wish), error=error, failure=wish.failure, epsilon=wish.epsilon)


FLOORS: tuple[FloorRow, ...] = (
    FloorRow(
        "floor-point-counts",
        lambda option, wish: (wish.concepts.cells or 0) >= 2,
        _counts_records,
        lambda wish, n: _counts_records(wish) > n,
        purpose="release",
    ),
    FloorRow("floor-points-proper", _proper_points, _proper_points_records, _proper_points_exclude),
    FloorRow("floor-points-any", _any_points, _any_points_records, _any_points_exclude),
    FloorRow("floor-thresholds-proper", _proper_thresholds, _thresholds_records, _thresholds_exclude),
    FloorRow("floor-thresholds-few-switches", _few_switches, _switches_records, _switches_exclude),
    FloorRow(
        "floor-private-prediction",
        _private_answers,
        _prediction_records,
        lambda wish, n: _prediction_records(wish) > n,
    ),
    FloorRow("floor-thresholds-smooth", _smooth, _smooth_records, _smooth_exclude),
    FloorRow(
        "floor-label-packing", _label_private_line, _label_records, lambda wish, n: _label_records(wish) > n
    ),
    FloorRow(
        "floor-labels",
        lambda option, wish: wish.concepts.shatters > 1,
        _labels_records,
        lambda wish, n: _labels_records(wish) > n,
    ),
)


def _binding(option: Option, wish: Wish) -> tuple[int, ...]:
    return tuple(
        i for i, row in enumerate(FLOORS) if row.purpose == option.purpose and row.binds(option, wish)
    )


def floor_for(option: Option, wish: Wish) -> Floor | None:
    """The largest floor that binds an option; None where nothing above 0 is proved."""
    return _largest(_binding(option, wish), wish)


@lru_cache(maxsize=1024)
def _largest(rows: tuple[int, ...], wish: Wish) -> Floor | None:
    floors = [Floor(FLOORS[i].records(wish), FLOORS[i].source) for i in rows]
    best = max(floors, key=lambda floor: floor.records, default=None)
    return best if best is not None and best.records > 0 else None


def least_possible(option: Option, wish: Wish, *, name: str, records: int) -> tuple[Fraction, str] | None:
    """The smallest error or epsilon that no floor excludes at so many records; None where nothing is excluded."""
    limit = Fraction(1, 2) if name == "error" else getattr(wish, name)
    bare = wish.at(name, Fraction(1, 4))
    return _least(_binding(option, wish), bare, name, records, int(limit / GRID))


def _nearby(rows: tuple[int, ...], wish: Wish, name: str, records: int, last: int) -> int:
    """Where to begin: floors fall about as the error or epsilon grows."""
    floor = _largest(rows, wish)
    at = 0 if floor is None else int(getattr(wish, name) * floor.records / (records * GRID))
    return min(max(1, at), last - 1)


@lru_cache(maxsize=256)
def _least(
    rows: tuple[int, ...], wish: Wish, name: str, records: int, last: int
) -> tuple[Fraction, str] | None:
    def source(step: int) -> str | None:
        trial = wish.at(name, step * GRID)
        return next((FLOORS[i].source for i in rows if FLOORS[i].excludes(trial, records)), None)

    if last < 2 or source(1) is None:
        return None
    near = _nearby(rows, wish, name, records, last)
    step = first_whole(lambda k: k >= last or source(k) is None, start=near, smallest=1)
    return step * GRID, source(step - 1) or FLOORS[rows[0]].source
