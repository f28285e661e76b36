"""100,000 draws of each class against brute force, and the same draws against laws a few percent away.

Every decision is made by the coins that ship on the weights that ship. What does not depend on chance (the weights at
a node, the hypothesis at the end of a path) is computed once and remembered; a test below holds this against plain
draws. Draws that have come down the same path are decided together, by `choose_many`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from privpac.audit.registry import sample_of, tiny_schema
from privpac.coins import Coins, SeededCoins, Weights, law
from privpac.concepts.base import Gibbs, Hypothesis
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.finite import Finite
from privpac.concepts.line.stumps import Constant, Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import Unions, intervals
from privpac.concepts.sets.points import Points
from privpac.concepts.trees.trees import Trees
from tests.unit.tiny import Listing

DRAWS = 100_000
SIGNIFICANCE = 1e-6
TILT = 0.05
"""Of a wrong law: every probability moved by this share, up or down."""

RATIO = Fraction(3, 4)
COSTS = (1, 2)
SCHEMA = tiny_schema(6, 3, categories=3)
FLAGS = tiny_schema(2, 2)
LISTED = ("a >= 2", "a >= 2 and b == 1", "not (kind == 'u')", "True", "b == 0 or a == 5")
COPIES = (1, 3, 2, 7, 5)

CLASSES: dict[str, Any] = {
    "thresholds": Thresholds(SCHEMA, "a", "either"),
    "stumps": Stumps(SCHEMA),
    "points": Points(SCHEMA, "a"),
    "intervals": intervals(SCHEMA, "a"),
    "unions": Unions(SCHEMA, "a", intervals=2),
    "rectangles": Rectangles(SCHEMA, ("a", "b")),
    "finite": Finite(SCHEMA, LISTED, COPIES),
    "trees": Trees(FLAGS, 2),
}


@cache
def sample(name: str) -> Any:
    generator = np.random.default_rng(7)
    schema = CLASSES[name].schema
    cells = [generator.integers(0, column.size, 8).tolist() for column in schema.columns]
    return sample_of(schema, list(zip(*cells, generator.integers(0, 2, 8).tolist(), strict=True)))


def gibbs(name: str, ratio: Fraction = RATIO) -> Gibbs:
    concepts = CLASSES[name]
    return concepts.gibbs(sample(name).reduce(concepts.statistic), ratio=ratio, costs=COSTS)


@cache
def exact(name: str, ratio: Fraction = RATIO) -> dict[Hypothesis, Fraction]:
    return law(gibbs(name, ratio).draw)


# --- brute force: every member, its mistakes counted record by record ---


def price(hypothesis: Hypothesis, name: str) -> int:
    block = sample(name).block()
    wrong = hypothesis.predict(block.cells) != block.labels
    return int(sum(COSTS[y] for y in block.labels[wrong]))


def prior(hypothesis: Hypothesis, name: str) -> Fraction:
    """Uniform but for stumps (even among the columns) and weighted lists."""
    if name == "stumps":
        if isinstance(hypothesis, Constant):
            return Fraction(1, 2)
        return Fraction(1, {"a": 10, "b": 4, "kind": 6}[hypothesis.columns[0]])
    if name == "finite":
        concepts = CLASSES[name]
        return Fraction(concepts.weights[concepts.members.index(hypothesis)])
    return Fraction(1)


def listed(name: str) -> dict[Hypothesis, Fraction]:
    if name == "trees":
        trees = CLASSES[name]
        listing = Listing(trees.prior, trees.tests, sample(name).block(), ratio=RATIO, costs=COSTS)
        weights: dict[Hypothesis, Fraction] = dict(listing.trees(listing.everyone, 2))
    else:
        weights = {h: prior(h, name) * RATIO ** price(h, name) for h in exact(name)}
    total = sum(weights.values())
    return {h: weight / total for h, weight in weights.items()}


# --- many draws ---


class _Asked(Exception):
    """The next decision: which method of the coins, and with what."""

    def __init__(self, method: str, arguments: Any) -> None:
        self.step = (method, arguments)


class _Kept:
    """Weights whose float reading is made once."""

    def __init__(self, weights: Weights) -> None:
        self._floats = weights.floats()
        self.key, self.balls, self.exact = weights.key, weights.balls, weights.exact

    def floats(self) -> tuple[Any, float]:
        return self._floats


class _Replay:
    """Coins that repeat a path of decisions and then stop at the next one."""

    origin = "seeded"

    def __init__(self, path: tuple[Any, ...]) -> None:
        self._left = list(path)

    def _next(self, method: str, *arguments: Any) -> Any:
        if not self._left:
            raise _Asked(method, arguments)
        return self._left.pop(0)

    def choose(self, weights: Weights) -> int:
        return self._next("choose", weights if self._left else _Kept(weights))

    def below(self, n: int) -> int:
        return self._next("below", n)

    def subset(self, n: int, k: int) -> tuple[int, ...]:
        return self._next("subset", n, k)

    def each(self, runs: Sequence[Callable[[Any], Any]]) -> list[Any]:
        return [run(self) for run in runs]


class Remembering:
    """Draws as `draw` does, but runs its code once a path: what follows depends on the decisions alone."""

    def __init__(self, draw: Callable[[Any], Hypothesis]) -> None:
        self._draw = draw
        self._steps: dict[tuple[Any, ...], tuple[str, Any]] = {}

    def _step(self, path: tuple[Any, ...]) -> tuple[str, Any]:
        if path not in self._steps:
            try:
                self._steps[path] = ("end", self._draw(_Replay(path)))
            except _Asked as asked:
                self._steps[path] = asked.step
        return self._steps[path]

    def draw(self, coins: Coins) -> Hypothesis:
        path: tuple[Any, ...] = ()
        while True:
            method, arguments = self._step(path)
            if method == "end":
                return arguments
            path += (getattr(coins, method)(*arguments),)

    def draws(self, coins: Coins, count: int) -> Counter[Hypothesis]:
        """So many independent draws: all that have come down one path are decided there together."""
        seen: Counter[Hypothesis] = Counter()
        open_paths: list[tuple[tuple[Any, ...], int]] = [((), count)]
        while open_paths:
            path, many = open_paths.pop()
            method, arguments = self._step(path)
            if method == "end":
                seen[arguments] += many
                continue
            if method == "choose":
                ways = coins.choose_many(*arguments, many).tolist()
            else:
                ways = [getattr(coins, method)(*arguments) for _ in range(many)]
            open_paths += [((*path, way), times) for way, times in Counter(ways).items()]
        return seen


@cache
def counts(name: str) -> Counter[Hypothesis]:
    return Remembering(gibbs(name).draw).draws(SeededCoins(20), DRAWS)


# --- chi-square ---


def p_value(seen: Counter[Hypothesis], expected: dict[Hypothesis, Fraction]) -> float:
    """Of the chi-square statistic; members expected fewer than five times are counted together."""
    assert set(seen) <= set(expected), "a draw that the law says is impossible"
    want = np.array([float(p) * seen.total() for p in expected.values()])
    have = np.array([seen[h] for h in expected])
    rare = want < 5
    if rare.any():
        want, have = np.append(want[~rare], want[rare].sum()), np.append(have[~rare], have[rare].sum())
    return float(chi2.sf(((have - want) ** 2 / want).sum(), len(want) - 1))


def tilted(true: dict[Hypothesis, Fraction], sign: int) -> dict[Hypothesis, Fraction]:
    """Every second member more likely, the others less, from the likeliest on."""
    order = sorted(true, key=lambda h: true[h], reverse=True)
    moved = {h: true[h] * Fraction(1 + sign * TILT * (-1) ** i) for i, h in enumerate(order)}
    total = sum(moved.values())
    return {h: p / total for h, p in moved.items()}


@pytest.mark.parametrize("name", CLASSES)
def test_the_enumerated_law_is_the_listed_one(name: str) -> None:
    assert exact(name) == listed(name)
    if name != "finite":  # which names a weighted list by its places, not its members
        assert len(exact(name)) == CLASSES[name].size


@pytest.mark.long_cases(
    "trees",
)
@pytest.mark.parametrize("name", CLASSES)
def test_remembered_draws_are_plain_draws(name: str) -> None:
    law_ = gibbs(name)
    quick, one, other = Remembering(law_.draw), SeededCoins(5), SeededCoins(5)
    assert [quick.draw(one) for _ in range(500)] == [law_.draw(other) for _ in range(500)]
    assert quick.draws(SeededCoins(6), 1) == Counter([law_.draw(SeededCoins(6))])


@pytest.mark.long_cases(
    "unions",
)
@pytest.mark.parametrize("name", CLASSES)
def test_draws_follow_the_law(name: str) -> None:
    assert counts(name).total() == DRAWS
    assert p_value(counts(name), exact(name)) > SIGNIFICANCE


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("name", CLASSES)
def test_a_law_a_few_percent_away_is_rejected(name: str, sign: int) -> None:
    assert p_value(counts(name), tilted(exact(name), sign)) < SIGNIFICANCE


@pytest.mark.parametrize("factor", [Fraction(107, 100), Fraction(100, 107)])
@pytest.mark.parametrize("name", CLASSES)
def test_another_ratio_is_rejected(name: str, factor: Fraction) -> None:
    assert p_value(counts(name), exact(name, RATIO * factor)) < SIGNIFICANCE
