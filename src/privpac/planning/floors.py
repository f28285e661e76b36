"""Which lower bound applies to which class: the largest one that does, with its theorem.

A floor holds for every algorithm of the stated kind, whatever it is called. Learning against the best member includes
the case where some member is right, so a floor for the one is a floor for the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from privpac.constructions import catalogue
from privpac.constructions.option import FloorRow, Option
from privpac.constructions.wish import Wish
from privpac.numbers.exact import first_whole

__all__ = ["FLOORS", "Floor", "floor_for", "least_possible"]

GRID = Fraction(1, 10_000)


@dataclass(frozen=True)
class Floor:
    """Fewer records than this are too few, by the statement `source`."""

    records: int
    source: str


FLOORS: tuple[FloorRow, ...] = catalogue.floors()
"""Every lower bound, as the families declare them in `options.py`."""


def _binding(option: Option, wish: Wish) -> tuple[int, ...]:
    return tuple(
        i for i, row in enumerate(FLOORS) if row.purpose == option.purpose and row.binds(option, wish)
    )


def floor_for(option: Option, wish: Wish) -> Floor | None:
    """The largest floor that binds an option; None where nothing above 0 is proved."""
    return _largest(_binding(option, wish), _as_used(option, wish))


def _as_used(option: Option, wish: Wish) -> Wish:
    """With the delta only if the option uses one."""
    return replace(wish, delta=Fraction(0)) if option.pure else wish


@lru_cache(maxsize=1024)
def _largest(rows: tuple[int, ...], wish: Wish) -> Floor | None:
    floors = [Floor(FLOORS[i].records(wish), FLOORS[i].source) for i in rows]
    best = max(floors, key=lambda floor: floor.records, default=None)
    return best if best is not None and best.records > 0 else None


def least_possible(option: Option, wish: Wish, *, name: str, records: int) -> tuple[Fraction, str] | None:
    """The smallest error or epsilon that no floor excludes at this many records; None where nothing is excluded."""
    limit = Fraction(1, 2) if name == "error" else wish.number(name)
    bare = _as_used(option, wish).at(name, Fraction(1, 4))
    return _least(_binding(option, wish), bare, name, records, int(limit / GRID))


def _nearby(rows: tuple[int, ...], wish: Wish, name: str, records: int, last: int) -> int:
    """Where to begin: floors fall about as the error or epsilon grows."""
    floor = _largest(rows, wish)
    at = 0 if floor is None else int(wish.number(name) * floor.records / (records * GRID))
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
