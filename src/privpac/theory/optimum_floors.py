"""Floors of tiny classes by linear programming: what the best private learner there is cannot avoid."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from privpac.errors import ParameterError, SizeError
from privpac.numbers.parameters import Number, at_least, chance, fraction_below, positive
from privpac.theory.optimum import Game, Kind, game, program_rows, proved_floor, solve
from privpac.theory.register import formula

__all__ = [
    "MOST_ROWS",
    "Optimum",
    "floor_optimum",
    "least_failure_optimum",
]

MOST_ROWS = 60_000
"""Constraints that are solved within a minute on a slow computer."""

MOST_RECORDS = 10
"""Beyond this, inputs are so unlikely that the solver no longer tells their weights from rounding."""

MOST_FREE = 8
"""Cells on which all labellings are listed as answers."""

OWNER = "optimum"
KINDS: tuple[Kind, ...] = ("thresholds", "points")


@dataclass(frozen=True)
class Optimum:
    """The best private learner on the hardest distributions, and what is proved about all the others."""

    floor: Fraction
    """No private learner fails less often on all of these distributions: exact arithmetic."""
    solved: float
    """What the best one reaches there, by the solver; just above the floor if it worked."""
    draw: float
    """What one draw by the exponential mechanism reaches there; summed in floats."""


@formula("private-optimum")
def least_failure_optimum(
    n: int, *, kind: Kind, cells: int, error: Number, epsilon: Number, proper: bool = True
) -> Fraction:
    """A failure probability that no private learner of a tiny class gets below with `n` records.

    Statement: 1 - Σ over inputs of max over answers of (gain - flow), for the dual numbers of a linear program.
    Source: register `private-optimum` (our proof). Symbols: T → cells; kind is thresholds or points; proper answers are
    members of the class, others any labelling of the cells. Holds if: pure epsilon; error below 1/2.
    Proof: docs/proofs/optimum.md. Tested by: tests/statistical/test_optimum.py.

    >>> round(float(least_failure_optimum(2, kind="points", cells=3, error=0.3, epsilon=1)), 4)
    0.4477
    """
    return optimum(n, kind=kind, cells=cells, error=error, epsilon=epsilon, proper=proper).floor


@formula("private-optimum")
def floor_optimum(
    kind: Kind, *, cells: int, error: Number, failure: Number, epsilon: Number, proper: bool = True
) -> int:
    """Records below which no private learner of a tiny class succeeds, as far as programs of that size are solved.

    Statement: the first n at which `least_failure_optimum` is not above `failure`, or the first that is not solved:
    what is possible only grows with n, for further records may be ignored.
    Source: register `private-optimum`. Holds if: as `least_failure_optimum`. Proof: docs/proofs/optimum.md.
    Tested by: tests/statistical/test_optimum.py.

    >>> floor_optimum("points", cells=3, error=0.3, failure=0.4, epsilon=1)
    3
    """
    miss = chance(failure, owner=OWNER, name="failure")
    n = 1
    while solvable(kind, cells=cells, records=n, proper=proper):
        if optimum(n, kind=kind, cells=cells, error=error, epsilon=epsilon, proper=proper).floor <= miss:
            break
        n += 1
    return n


def solvable(kind: Kind, *, cells: int, records: int, proper: bool = True) -> bool:
    """Whether the program is solved in about a minute: public numbers only."""
    if records > MOST_RECORDS or cells > MOST_ROWS or (cells > MOST_FREE and not proper):
        return False
    return program_rows(kind, cells=cells, records=records, proper=proper) <= MOST_ROWS


def optimum(
    n: object, *, kind: Kind, cells: object, error: Number, epsilon: Number, proper: bool = True
) -> Optimum:
    """The best private learner with `n` records; refuses what takes longer than a minute, by public numbers.

    Raises SizeError where the program is too large, and ParameterError for numbers out of range.
    """
    if kind not in KINDS:
        raise ParameterError(OWNER, "concepts", kind, allowed="one of " + ", ".join(KINDS))
    size, have = at_least(2, cells, owner=OWNER, name="cells"), at_least(1, n, owner=OWNER, name="records")
    wrong = fraction_below(Fraction(1, 2), error, owner=OWNER, name="error")
    loss = positive(epsilon, owner=OWNER, name="epsilon")
    if not solvable(kind, cells=size, records=have, proper=proper):
        raise SizeError(
            f"optimum: {have} records on {size} cells make too large a program: up to {MOST_ROWS} constraints and"
            f" {MOST_RECORDS} records are solved.",
            remedy="Ask about fewer records or fewer cells.",
        )
    return _optimum(kind, size, have, wrong, loss, proper)


@lru_cache(maxsize=256)
def _optimum(
    kind: Kind, cells: int, records: int, error: Fraction, epsilon: Fraction, proper: bool
) -> Optimum:
    play = game(kind, cells=cells, records=records, error=error, epsilon=epsilon, proper=proper)
    duals = solve(play)
    draw = game(kind, cells=cells, records=records, error=error, epsilon=epsilon) if not proper else play
    return Optimum(proved_floor(play, duals), duals.value, draw_failure(draw))


def draw_failure(play: Game) -> float:
    """The largest failure of the exponential mechanism on the distributions of a game whose answers are the class."""
    weight = np.exp(-float(play.epsilon) / 2)
    wrong = np.array(
        [[rule[cell] != label for rule in play.answers] for cell, label in play.kinds], dtype=int
    )
    table = np.array([weight ** wrong[list(records)].sum(axis=0) for records in play.inputs])
    table /= table.sum(axis=1, keepdims=True)
    failures = [
        1.0
        - sum(
            float(chance) * table[place, list(member.accurate)].sum()
            for place, chance in play.chances(member)
        )
        for member in play.family
    ]
    return float(max(failures))
