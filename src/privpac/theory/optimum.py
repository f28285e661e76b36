"""The best private learner of a tiny class, by linear programming over everything that a learner could do.

A learner is a table: how likely each answer is on each input. Inputs are multisets of records, because reordering the
records at random makes no learner worse. Privacy is linear in the table, and so is the failure on each of finitely many
distributions; the program asks for the table whose largest failure is smallest.

What the solver says is floating-point. What is proved is `proved_floor`: the solver's dual numbers, rounded to
fractions, say how much of each constraint to add up, and the sum, in exact arithmetic, bounds the failure of every
private learner whatever the solver did. Proof: docs/proofs/optimum.md.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.numbers.exact import exp_up

__all__ = [
    "Distribution",
    "Duals",
    "Game",
    "Rule",
    "game",
    "program_rows",
    "proved_floor",
    "solve",
    "targets",
]

Record = tuple[int, int]
"""A cell and a label."""

Rule = tuple[int, ...]
"""The label of every cell."""

GRAIN = 2**44
"""Dual numbers are rounded to multiples of one over this."""

DIGITS = 15
"""Decimals of e^epsilon, rounded up."""


@dataclass(frozen=True)
class Distribution:
    """Records of one target: masses as (constant, multiple of a mass just above the error), and who passes."""

    masses: tuple[tuple[Record, tuple[Fraction, int]], ...]
    accurate: tuple[bool, ...]
    """Which answers err by at most the error."""


@dataclass(frozen=True)
class Game:
    """The question in numbers: records, answers, and the distributions that a learner must be accurate on."""

    records: int
    error: Fraction
    epsilon: Fraction
    kinds: tuple[Record, ...]
    answers: tuple[Rule, ...]
    family: tuple[Distribution, ...]

    @cached_property
    def inputs(self) -> dict[tuple[int, ...], int]:
        """All multisets of records, as sorted numbers of kinds, and their places."""
        every = combinations_with_replacement(range(len(self.kinds)), self.records)
        return {records: place for place, records in enumerate(every)}

    @cached_property
    def neighbours(self) -> NDArray[np.int64]:
        """Ordered pairs of inputs that differ in one record."""
        pairs = []
        kinds = range(len(self.kinds))
        for rest in combinations_with_replacement(kinds, self.records - 1):
            around = [self.inputs[tuple(sorted((*rest, kind)))] for kind in kinds]
            pairs += [(a, b) for a in around for b in around if a != b]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    def chances(self, member: Distribution) -> list[tuple[int, Fraction]]:
        """How likely each input is under one distribution, exactly."""
        place = {kind: i for i, kind in enumerate(self.kinds)}
        mass = {place[kind]: part[0] + part[1] * self.error for kind, part in member.masses}
        support = sorted(kind for kind, value in mass.items() if value > 0)
        pairs = []
        for records in combinations_with_replacement(support, self.records):
            ways, weight = math.factorial(self.records), Fraction(1)
            for kind, times in Counter(records).items():
                ways //= math.factorial(times)
                weight *= mass[kind] ** times
            pairs.append((self.inputs[records], ways * weight))
        return pairs


def program_rows(*, cells: int, answers: int, records: int) -> int:
    """Constraints of the program: a public number that says how long it takes."""
    kinds = 2 * cells
    return kinds * (kinds - 1) * math.comb(kinds + records - 2, records - 1) * answers


def _telling(target: Rule, rules: Sequence[Rule], most: int) -> list[tuple[int, ...]]:
    """The smallest sets of cells on which every other rule differs from a target; of at most so many cells, those on
    which most rules do."""
    others = [
        tuple(x for x, label in enumerate(rule) if label != target[x]) for rule in rules if rule != target
    ]
    for size in range(1, most + 1):
        sets = list(combinations(range(len(target)), size))
        told = [sum(not set(one).isdisjoint(cells) for cells in others) for one in sets]
        if max(told) == len(others) or size == most:
            return [one for one, count in zip(sets, told, strict=True) if count == max(told)]
    return []


def _member(
    target: Rule, atoms: Sequence[int], rest: int, *, error: Fraction, answers: tuple[Rule, ...]
) -> Distribution:
    """Just above the error on every atom, the rest on one cell."""
    parts: dict[Record, tuple[Fraction, int]] = {}
    for cell, constant, multiple in [*((x, 0, 1) for x in atoms), (rest, 1, -len(atoms))]:
        record = (cell, target[cell])
        had = parts.get(record, (Fraction(0), 0))
        parts[record] = (had[0] + constant, had[1] + multiple)
    return Distribution(
        tuple(parts.items()), tuple(_accurate(answer, parts, error=error) for answer in answers)
    )


def _accurate(answer: Rule, parts: dict[Record, tuple[Fraction, int]], *, error: Fraction) -> bool:
    """Whether it errs by at most the error once the atoms weigh a little more than the error, but no more."""
    wrong = [part for (cell, label), part in parts.items() if answer[cell] != label]
    constant, multiple = sum((c for c, _ in wrong), Fraction(0)), sum(m for _, m in wrong)
    value = constant + multiple * error
    return value < error or (value == error and multiple <= 0)


def targets(rules: Sequence[Rule], error: Fraction) -> list[tuple[Rule, tuple[int, ...]]]:
    """Every rule of the class with the cells that tell it, each of which has just more than the error of the mass."""
    most = min(len(rules[0]), math.ceil(1 / error) - 1)  # so that some mass is left
    return [(target, atoms) for target in rules for atoms in _telling(target, rules, most)]


def game(
    rules: Sequence[Rule], *, records: int, error: Fraction, epsilon: Fraction, proper: bool = True
) -> Game:
    """Every target of the class, each with every cell as the place of the records that tell nothing."""
    cells = len(rules[0])
    answers = tuple(rules) if proper else tuple(product((0, 1), repeat=cells))
    family = [
        _member(target, atoms, rest, error=error, answers=answers)
        for target, atoms in targets(rules, error)
        for rest in range(cells)
    ]
    kinds = tuple((x, label) for x in range(cells) for label in (0, 1))
    return Game(records, error, epsilon, kinds, answers, tuple(family))


@dataclass(frozen=True, eq=False)
class Duals:
    """What the solver found: the value, and how much each constraint weighs."""

    value: float
    members: NDArray[np.float64]
    privacy: NDArray[np.float64]
    """One row per ordered pair of neighbours, one column per answer."""


def solve(play: Game) -> Duals:
    """The smallest largest failure of a private table, by HiGHS; raises ArithmeticError if it does not finish."""
    from scipy.optimize import linprog
    from scipy.sparse import vstack

    width, inputs = len(play.answers), len(play.inputs)
    privacy, members, whole = _matrices(play)
    cost = np.zeros(inputs * width + 1)
    cost[-1] = 1.0
    solution: Any = linprog(
        cost,
        A_ub=vstack([privacy, members]),
        b_ub=np.concatenate([np.zeros(privacy.shape[0]), -np.ones(members.shape[0])]),
        A_eq=whole,
        b_eq=np.ones(inputs),
        method="highs-ipm",
    )
    if solution.status != 0:
        raise ArithmeticError(f"the solver stopped: {solution.message}")
    weights = -np.asarray(solution.ineqlin.marginals, dtype=np.float64)
    return Duals(
        float(solution.fun), weights[privacy.shape[0] :], weights[: privacy.shape[0]].reshape(-1, width)
    )


def _matrices(play: Game) -> tuple[Any, Any, Any]:
    """Privacy, failures (the last variable is the largest of them), and that probabilities add up to 1."""
    from scipy.sparse import csr_matrix

    width, inputs = len(play.answers), len(play.inputs)
    columns = inputs * width + 1
    pairs, answers = play.neighbours, np.arange(width)
    rows = np.repeat(np.arange(len(pairs) * width), 2)
    places = np.stack([pairs[:, :1] * width + answers, pairs[:, 1:] * width + answers], axis=2)
    values = np.tile([1.0, -math.exp(play.epsilon)], len(pairs) * width)
    privacy = csr_matrix((values, (rows, places.ravel())), shape=(len(pairs) * width, columns))
    entries = [
        (row, place * width + answer, -float(chance))
        for row, member in enumerate(play.family)
        for place, chance in play.chances(member)
        for answer in range(width)
        if member.accurate[answer]
    ]
    entries += [(row, columns - 1, -1.0) for row in range(len(play.family))]
    at, where, value = zip(*entries, strict=True)
    members = csr_matrix((value, (at, where)), shape=(len(play.family), columns))
    sums = (np.repeat(np.arange(inputs), width), np.arange(inputs * width))
    return privacy, members, csr_matrix((np.ones(inputs * width), sums), shape=(inputs, columns))


def proved_floor(play: Game, duals: Duals) -> Fraction:
    """A failure that no private learner gets below on these distributions, in exact arithmetic.

    Holds for any dual numbers: good ones give a good floor, wrong ones a low one, and none for any distribution 0.
    """
    gains = _gains(play, duals.members)
    if not gains:
        return Fraction(0)
    payments, lent = _flows(play, duals.privacy)
    growth = exp_up(play.epsilon, DIGITS)
    most, width = Fraction(0), len(play.answers)
    for place in range(len(play.inputs)):
        best: Fraction | None = None
        for answer in range(width):
            key = place * width + answer
            flow = Fraction(payments.get(key, 0) - growth * lent.get(key, 0)) / GRAIN
            value = gains.get(key, Fraction(0)) - flow
            best = value if best is None or value > best else best
        most += best or 0
    return max(Fraction(0), 1 - most)


def _gains(play: Game, weights: NDArray[np.float64]) -> dict[int, Fraction]:
    """The mean chance of success that an answer on an input adds, over distributions drawn by these weights."""
    whole = [max(0, round(float(weight) * GRAIN)) for weight in weights]
    total, width = sum(whole), len(play.answers)
    gains: dict[int, Fraction] = {}
    for share, member in zip(whole, play.family, strict=True):
        for place, chance in play.chances(member) if share else ():
            for answer in range(width):
                if member.accurate[answer]:
                    key = place * width + answer
                    gains[key] = gains.get(key, Fraction(0)) + Fraction(share, total) * chance
    return gains


def _flows(play: Game, weights: NDArray[np.float64]) -> tuple[dict[int, int], dict[int, int]]:
    """Grains paid by an answer on an input, and lent to it, over all privacy constraints."""
    payments: dict[int, int] = {}
    lent: dict[int, int] = {}
    width = len(play.answers)
    grains = np.maximum(np.rint(weights * GRAIN), 0.0)
    for row, answer in np.argwhere(grains > 0).tolist():
        amount = int(grains[row, answer])
        start, end = (int(place) * width + answer for place in play.neighbours[row])
        payments[start] = payments.get(start, 0) + amount
        lent[end] = lent.get(end, 0) + amount
    return payments, lent
