"""Draws over labellings keep the promise of their class: exact failures on small columns, whatever the distribution."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import factorial, prod

import numpy as np
import pytest

from privpac.coins import law
from privpac.concepts.base import Hypothesis
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import intervals
from privpac.concepts.sets.points import Points
from privpac.constructions.base import Learner
from privpac.constructions.cases import tiny_schema
from privpac.constructions.labels.classes import LabelPrivateDichotomies
from privpac.data.engines.memory import MemorySample
from privpac.theory.refined import mean_agnostic

CELLS, N = 4, 5
SCHEMA = tiny_schema(CELLS)
CLASSES = {
    "thresholds": Thresholds(SCHEMA, "a"),
    "either": Thresholds(SCHEMA, "a", "either"),
    "intervals": intervals(SCHEMA, "a"),
    "points": Points(SCHEMA, "a"),
}
Cell = tuple[int, int]
"""A value and a label."""


def labels_of(rule: Hypothesis) -> tuple[int, ...]:
    return tuple(rule.predict({"a": np.arange(CELLS)}).tolist())


def tables(chances: dict[Cell, float]) -> Iterator[tuple[MemorySample, float]]:
    """Every table of independent records, up to order, and how likely it is."""
    possible = [cell for cell, chance in chances.items() if chance > 0]
    for cells in combinations_with_replacement(possible, N):
        times = [cells.count(cell) for cell in set(cells)]
        chance = factorial(N) / prod(map(factorial, times)) * prod(chances[cell] for cell in cells)
        values, labels = zip(*cells, strict=True)
        yield MemorySample.from_cells(SCHEMA, {"a": np.array(values)}, np.array(labels)), chance


def laws(learner: Learner) -> Callable[[dict[Cell, float], Callable[[float], bool]], float]:
    """The chance that the drawn rule errs so much, under a distribution; the law of every table is computed once."""
    known: dict[tuple[Cell, ...], dict[tuple[int, ...], float]] = {}

    def outcomes(records: MemorySample) -> dict[tuple[int, ...], float]:
        block = records.block()
        key = tuple(zip(block.cells["a"].tolist(), block.labels.tolist(), strict=True))
        if key not in known:
            found = law(lambda coins: learner.learn(records, coins))
            known[key] = {}
            for rule, chance in found.items():
                known[key][labels_of(rule)] = known[key].get(labels_of(rule), 0.0) + float(chance)
        return known[key]

    def failure(chances: dict[Cell, float], bad: Callable[[float], bool]) -> float:
        total = 0.0
        for records, likely in tables(chances):
            total += likely * sum(p for rule, p in outcomes(records).items() if bad(error_of(rule, chances)))
        return total

    return failure


def error_of(rule: tuple[int, ...], chances: dict[Cell, float]) -> float:
    return sum(chance for (value, label), chance in chances.items() if rule[value] != label)


def members(name: str) -> list[tuple[int, ...]]:
    """The members of a class, as labels of all cells."""
    match name:
        case "thresholds":
            return [tuple(int(value >= cut) for value in range(CELLS)) for cut in range(CELLS + 1)]
        case "either":
            ups = [tuple(int(value >= cut) for value in range(CELLS)) for cut in range(CELLS + 1)]
            return sorted({*ups, *(tuple(1 - label for label in rule) for rule in ups)})
        case "points":
            return [tuple(int(value == point) for value in range(CELLS)) for point in range(CELLS)]
        case _:
            ends = product(range(CELLS + 1), repeat=2)
            return sorted({tuple(int(a <= value < b) for value in range(CELLS)) for a, b in ends})


def worst(name: str, learner: Learner, ratio: float, *, seed: int, runs: int) -> tuple[float, float]:
    """The largest quotient of exact failure and bound, for a perfect fit and for any records, on random distributions
    and all errors that some member has."""
    rng = np.random.default_rng(seed)
    failure, rules, size = laws(learner), members(name), CLASSES[name].size
    assert size is not None
    assert len(rules) <= size
    perfect = agnostic = 0.0
    for _ in range(runs):
        masses = rng.dirichlet(np.full(CELLS, 0.5))
        target = rules[rng.integers(len(rules))]
        fits = {(value, target[value]): float(masses[value]) for value in range(CELLS)}
        for error in sorted({error_of(rule, fits) for rule in rules} - {0.0}):
            bound = (size - 1) * (1 - error * (1 - ratio)) ** N
            perfect = max(perfect, failure(fits, lambda e, at=error: e >= at - 1e-12) / bound)
        noise = rng.random(CELLS)
        any_ = {
            (value, label): float(masses[value] * (noise[value] if label else 1 - noise[value]))
            for value in range(CELLS)
            for label in (0, 1)
        }
        best = min(error_of(rule, any_) for rule in rules)
        for excess in sorted({error_of(rule, any_) - best for rule in rules}):
            if excess <= 1e-9:
                continue
            tilts = np.linspace(ratio, 0.999, 40)
            bases = [float(mean_agnostic(Fraction(excess), tilt=Fraction(float(x)))) for x in tilts]
            bound = (size - 1) * min(bases) ** N
            agnostic = max(agnostic, failure(any_, lambda e, at=excess + best: e >= at - 1e-12) / bound)
    return perfect, agnostic


EPSILON = Fraction(4)


@pytest.mark.parametrize("name", CLASSES)
def test_labellings_keep_the_promise_of_their_class(name: str) -> None:
    learner = LabelPrivateDichotomies(CLASSES[name], EPSILON)
    perfect, agnostic = worst(name, learner, float(learner.ratio), seed=1, runs=6)
    assert 0 < perfect <= 1
    assert 0 < agnostic <= 1


@pytest.mark.parametrize("name", CLASSES)
def test_a_draw_with_less_epsilon_than_it_claims_is_noticed(name: str) -> None:
    """The control: the same bound, claimed of a learner that weighs mistakes as if epsilon were a quarter."""
    learner = LabelPrivateDichotomies(CLASSES[name], EPSILON / 4)
    claimed = float(LabelPrivateDichotomies(CLASSES[name], EPSILON).ratio)
    perfect, _ = worst(name, learner, claimed, seed=1, runs=4)
    assert perfect > 1
