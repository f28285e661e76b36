"""Tiny classes by linear programming: what the best private learner reaches, and what nobody can avoid.

A class is given by its rules, each the label of every cell:

>>> cuts = [[int(x >= cut) for x in range(3)] for cut in range(4)]
>>> best = best_mechanism(cuts, records=3, error=0.3, epsilon=2)
>>> round(best.draw, 3), round(best.solved, 3)
(0.539, 0.325)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from privpac.errors import ParameterError, SizeError
from privpac.numbers.parameters import Number, at_least, chance, fraction_below, positive
from privpac.theory.optimum import Game, Rule, game, program_rows, proved_floor, solve, targets
from privpac.theory.register import formula

__all__ = [
    "MOST_ROWS",
    "BestMechanism",
    "floor_optimum",
    "least_failure_optimum",
]

MOST_ROWS = 60_000
"""Constraints that are solved within a minute on a slow computer."""

MOST_CASES = 5_000
"""Distributions of one program: each has a constraint of its own, with as many terms as there are inputs."""

MOST_RECORDS = 10
"""Beyond this, inputs are so unlikely that the solver no longer tells their weights from rounding."""

MOST_FREE = 8
"""Cells on which all labellings are listed as answers."""

OWNER = "best_mechanism"
Rules = Sequence[Sequence[int]]
"""All rules of a class, each the label of every cell."""


@dataclass(frozen=True)
class BestMechanism:
    """The best private learner on the hardest distributions, and what is proved about all the others."""

    floor: Fraction
    """No private learner fails less often on all of these distributions: exact arithmetic."""
    solved: float
    """What the best one reaches there, by the solver; just above the floor if it worked."""
    draw: float
    """What one draw by the exponential mechanism reaches there; summed in floats."""


@formula("private-optimum")
def least_failure_optimum(
    n: int, *, rules: Rules, error: Number, epsilon: Number, proper: bool = True
) -> Fraction:
    """A failure probability that no private learner of a tiny class gets below with `n` records.

    Statement: 1 - Σ over inputs of max over answers of (gain - flow), for the dual numbers of a linear program.
    Source: register `private-optimum` (our proof). Symbols: T cells, the length of every one of the `rules`; proper
    answers are members of the class, others any labelling of the cells. Holds if: pure epsilon; error below 1/2.
    Proof: docs/proofs/optimum.md.

    >>> points = [[int(x == point) for x in range(3)] for point in range(3)]
    >>> round(float(least_failure_optimum(2, rules=points, error=0.3, epsilon=1)), 4)
    0.4477
    """
    return best_mechanism(rules, records=n, error=error, epsilon=epsilon, proper=proper).floor


@formula("private-optimum")
def floor_optimum(
    rules: Rules, *, error: Number, failure: Number, epsilon: Number, proper: bool = True
) -> int:
    """Records below which no private learner of a tiny class succeeds, as far as programs of that size are solved.

    Statement: the first n at which `least_failure_optimum` is not above `failure`, or the first that is not solved:
    what is possible only grows with n, for further records may be ignored.
    Source: register `private-optimum`. Holds if: as `least_failure_optimum`. Proof: docs/proofs/optimum.md.

    >>> points = [[int(x == point) for x in range(3)] for point in range(3)]
    >>> floor_optimum(points, error=0.3, failure=0.4, epsilon=1)
    3
    """
    miss = chance(failure, owner=OWNER, name="failure")
    n = 1
    while solvable(cells=len(rules[0]), rules=len(rules), records=n, proper=proper):
        if best_mechanism(rules, records=n, error=error, epsilon=epsilon, proper=proper).floor <= miss:
            break
        n += 1
    return n


def solvable(*, cells: int, rules: int, records: int, proper: bool = True) -> bool:
    """Whether the program is solved in about a minute: public numbers only."""
    if records > MOST_RECORDS or cells > MOST_ROWS or (cells > MOST_FREE and not proper):
        return False
    answers = rules if proper else 2**cells
    return program_rows(cells=cells, answers=answers, records=records) <= MOST_ROWS


def best_mechanism(
    rules: Rules, *, records: object, error: Number, epsilon: Number, proper: bool = True
) -> BestMechanism:
    """The best private learner of a finite class with so many `records`, at `epsilon`, beside one draw.

    `rules` are all of the class, each the label 0 or 1 of every cell; a learner fails where it errs by more than
    `error`. It answers with one of the rules, or unless `proper` with any labelling of the cells. What takes longer
    than a minute is refused, by public numbers: `SizeError`. Raises `ParameterError` for numbers out of range.

    >>> points = [[int(x == point) for x in range(3)] for point in range(3)]
    >>> round(best_mechanism(points, records=2, error=0.3, epsilon=1).solved, 4)
    0.4477
    """
    listed = _read(rules)
    size, have = len(listed[0]), at_least(1, records, owner=OWNER, name="records")
    wrong = fraction_below(Fraction(1, 2), error, owner=OWNER, name="error")
    loss = positive(epsilon, owner=OWNER, name="epsilon")
    if (
        not solvable(cells=size, rules=len(listed), records=have, proper=proper)
        or len(targets(listed, wrong)) * size > MOST_CASES
    ):
        raise SizeError(
            f"{OWNER}: {have} records on {size} cells make too large a program: up to {MOST_ROWS} constraints and"
            f" {MOST_RECORDS} records are solved.",
            remedy="Ask about fewer records or fewer cells.",
        )
    return _solved(listed, have, wrong, loss, proper)


def _read(rules: Rules) -> tuple[Rule, ...]:
    """The rules of a class, none twice."""
    listed = tuple(dict.fromkeys(tuple(map(int, rule)) for rule in rules))
    lengths, labels = {len(rule) for rule in listed}, {label for rule in listed for label in rule}
    if len(listed) < 2 or len(lengths) != 1 or not labels <= {0, 1}:
        allowed = "two rules at least, each the label 0 or 1 of every one of the same cells"
        raise ParameterError(OWNER, "rules", listed, allowed=allowed)
    return listed


@lru_cache(maxsize=256)
def _solved(
    rules: tuple[Rule, ...], records: int, error: Fraction, epsilon: Fraction, proper: bool
) -> BestMechanism:
    play = game(rules, records=records, error=error, epsilon=epsilon, proper=proper)
    duals = solve(play)
    draw = play if proper else game(rules, records=records, error=error, epsilon=epsilon)
    return BestMechanism(proved_floor(play, duals), duals.value, draw_failure(draw))


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
