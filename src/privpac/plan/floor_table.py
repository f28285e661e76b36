"""Which lower bound applies to which class: the largest one that does, with its theorem.

A floor holds for every algorithm of the stated kind, whatever it is called. Learning against the best member includes
the case where some member is right, so a floor for the one is a floor for the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from privpac.plan.options.base import Option
from privpac.plan.wish import Wish
from privpac.theory import floors
from privpac.theory.prediction_floors import floor_private_prediction

__all__ = ["FLOORS", "Floor", "FloorRow", "floor_for"]


@dataclass(frozen=True)
class Floor:
    """Fewer records than this are too few, by the statement `source`."""

    records: int
    source: str


@dataclass(frozen=True)
class FloorRow:
    """One lower bound and the options it binds."""

    source: str
    binds: Callable[[Option, Wish], bool]
    records: Callable[[Wish], int]


def _whole_records(option: Option) -> bool:
    return option.protects == "records" and option.pure


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


def _numbers(wish: Wish) -> dict[str, object]:
    return {"error": wish.error, "failure": wish.failure, "epsilon": wish.epsilon}


def _cells(wish: Wish) -> int:
    assert wish.concepts.cells is not None
    return wish.concepts.cells


def _switches(wish: Wish) -> int:
    changes = 2 if wish.concepts.kind == "thresholds" else 2 * wish.concepts.parts
    return floors.floor_thresholds_few_switches(
        _cells(wish), switches=changes, success=1 - wish.failure, error=wish.error, epsilon=wish.epsilon
    )


def _private_answers(option: Option, wish: Wish) -> bool:
    """What protects whole records answers every query privately; a promise that may fail has a larger mean error."""
    several = wish.concepts.shatters > 1 and wish.error + wish.failure < Fraction(1, 2)
    return several and option.protects in ("records", "predictions") and option.pure


def _prediction(wish: Wish) -> int:
    return floor_private_prediction(
        wish.concepts.shatters, error=wish.error + wish.failure, epsilon=wish.epsilon
    )


FLOORS: tuple[FloorRow, ...] = (
    FloorRow(
        "floor-points-proper",
        _proper_points,
        lambda wish: floors.floor_points_proper(_cells(wish), **_numbers(wish)),  # type: ignore[arg-type]
    ),
    FloorRow(
        "floor-points-any",
        _any_points,
        lambda wish: floors.floor_points_any(_cells(wish), **_numbers(wish)),  # type: ignore[arg-type]
    ),
    FloorRow(
        "floor-thresholds-proper",
        _proper_thresholds,
        lambda wish: floors.floor_thresholds_proper(_cells(wish), **_numbers(wish)),  # type: ignore[arg-type]
    ),
    FloorRow("floor-thresholds-few-switches", _few_switches, _switches),
    FloorRow("floor-private-prediction", _private_answers, _prediction),
)


def floor_for(option: Option, wish: Wish) -> Floor | None:
    """The largest floor that binds an option; None where nothing above 0 is proved."""
    found = [Floor(row.records(wish), row.source) for row in FLOORS if row.binds(option, wish)]
    best = max(found, key=lambda floor: floor.records, default=None)
    return best if best is not None and best.records > 0 else None
