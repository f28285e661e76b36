"""Tiny tables and literal listings of whole classes, straight from the records: what fast sums must equal."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
from flint import ctx
from numpy.typing import NDArray

from privpac.coins import Coins, Enumeration, SeededCoins, Weights
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import Cooccurrence, CooccurrenceTensor
from privpac.concepts.trees.prior import Prior
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.data.columns import Boolean, Categorical, Column, Numeric
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.numbers.exact import ball

Mask = NDArray[np.bool_]


def mixed_columns() -> tuple[Column, ...]:
    """Nested cuts, categories, a two-valued column of either kind: every way a test can be made."""
    return (
        Numeric("dose", 0, 3, integer=True),
        Categorical("ward", categories=("a", "b", "c")),
        Boolean("smoker"),
        Categorical("sex", categories=("f", "m")),
    )


def flags(count: int) -> tuple[Column, ...]:
    return tuple(Boolean(f"flag{i}") for i in range(count))


def table(columns: tuple[Column, ...], *, n: int, classes: int = 2, seed: int = 0) -> tuple[Schema, Block]:
    """Records whose labels depend on the first column, so that scores differ."""
    generator = np.random.default_rng(seed)
    cells = {c.name: generator.integers(0, c.size, n).astype(c.dtype) for c in columns}
    noise = generator.integers(0, classes, n)
    first = cells[columns[0].name].astype(np.int64)
    labels = np.where(generator.random(n) < 0.6, first % classes, noise).astype(np.uint8)
    schema = Schema(columns, "label", classes=tuple(str(y) for y in range(classes)))
    return schema, Block(cells, labels, n)


def counted(statistic: CooccurrenceTensor, block: Block) -> Cooccurrence:
    return statistic.absorb(statistic.zero(), block)


def held(tests: Binarisation, block: Block) -> Mask:
    """One row per test."""
    return np.array([test.holds(block.cells) for test in tests.tests])


class Listing:
    """The defining sums and the list of all members, with masks of records instead of counts."""

    def __init__(
        self, prior: Prior, tests: Binarisation, block: Block, *, ratio: Fraction, costs: tuple[int, ...]
    ) -> None:
        assert block.labels is not None
        self.prior, self.tests, self.ratio, self.costs = prior, tests, ratio, costs
        self.labels = block.labels
        self.held = held(tests, block)
        self.everyone: Mask = np.ones(block.n, dtype=bool)
        self._known: dict[tuple[int, bytes], Fraction] = {}

    def leaf(self, mask: Mask, label: int) -> Fraction:
        price = sum(
            cost * int((self.labels[mask] == y).sum()) for y, cost in enumerate(self.costs) if y != label
        )
        return self.prior.labels[label] * self.ratio**price

    def leaves(self, mask: Mask) -> Fraction:
        key = (0, mask.tobytes())
        if key not in self._known:
            self._known[key] = sum((self.leaf(mask, y) for y in range(len(self.costs))), Fraction(0))
        return self._known[key]

    def total(self, mask: Mask, depth: int) -> Fraction:
        if depth == 0:
            return self.leaves(mask)
        key = (depth, mask.tobytes())
        if key not in self._known:
            self._known[key] = sum(self.options(mask, depth), Fraction(0))
        return self._known[key]

    def options(self, mask: Mask, depth: int) -> list[Fraction]:
        values = [self.prior.stop_at(depth) * self.leaves(mask)]
        for f, row in enumerate(self.held):
            weight = self.prior.option(f, depth)
            if self.prior.shape == "tree":
                values.append(weight * self.total(mask & ~row, depth - 1) * self.total(mask & row, depth - 1))
            else:
                values.append(weight * self.leaves(mask & ~row) * self.total(mask & row, depth - 1))
                values.append(weight * self.leaves(mask & row) * self.total(mask & ~row, depth - 1))
        return values

    def region(self, region: Any) -> Mask:
        if region is None:
            return np.zeros_like(self.everyone)
        mask = self.everyone.copy()
        for test, holds in region:
            mask &= self.held[test] == holds
        return mask

    def trees(self, mask: Mask, depth: int) -> Iterator[tuple[Tree, Fraction]]:
        """Every tree with its weight, one by one."""
        stop = self.prior.stop_at(depth) if depth else Fraction(1)
        for label, prior in enumerate(self.prior.labels):
            if stop > 0 and prior > 0:
                yield Leaf(label), stop * self.leaf(mask, label)
        for f in range(len(self.held) if depth else 0):
            lows = list(self.trees(mask & ~self.held[f], depth - 1))
            highs = list(self.trees(mask & self.held[f], depth - 1))
            for low, low_weight in lows:
                for high, high_weight in highs:
                    tree = Split(self.tests.tests[f], low, high)
                    yield tree, self.prior.option(f, depth) * low_weight * high_weight


def normalised(weights: dict[Any, Fraction]) -> dict[Any, Fraction]:
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items() if weight}


def some_regions(p: int, size: int, *, seed: int) -> list[Any]:
    everything = [
        tuple(zip(tests, signs, strict=True))
        for tests in combinations(range(p), size)
        for signs in product((False, True), repeat=size)
    ]
    generator = np.random.default_rng(seed)
    return [everything[i] for i in generator.permutation(len(everything))[:40]]


def assert_enclosed(weights: Any, want: list[Fraction]) -> None:
    values, error = weights.floats()
    assert error < 1e-12
    total, scale = sum(want), Fraction(float(sum(values)))
    for value, weight in zip(values, want, strict=True):
        if weight == 0:
            assert value == 0
        else:
            assert abs(Fraction(float(value)) * total / (scale * weight) - 1) <= 2 * error
    Enumeration().probabilities(weights)
    with ctx.workprec(400):
        for enclosure, weight in zip(weights.balls(200), want, strict=True):
            assert (enclosure - ball(weight)).contains(0)
            assert weight == 0 or enclosure.rad() < 2.0**-150 * enclosure


class DoubtfulCoins(SeededCoins):
    """Seeded coins that distrust every float weight, and check each choice against exact rationals."""

    def __init__(self, seed: int, *, error: float) -> None:
        super().__init__(seed)
        self.error = error
        self.refined = 0
        self.decisions = 0

    def choose(self, weights: Weights) -> int:
        drawn: list[tuple[int, int]] = []
        deal = super().bits

        def noted(count: int) -> int:
            value = deal(count)
            drawn.append((value, count))
            return value

        self.bits = noted  # type: ignore[method-assign]
        index = super().choose(Inflated(weights, self.error))
        del self.bits  # type: ignore[method-assign]
        point, size = 0, 0
        for value, count in drawn:
            point, size = (point << count) | value, size + count
        exact = list(weights.exact())
        scale = Fraction(2**size, 1) / sum(exact)
        before = sum(exact[:index], Fraction(0)) * scale
        assert before <= point
        assert point + 1 <= before + exact[index] * scale
        self.decisions += 1
        self.refined += len(drawn) > 1
        return index


class Inflated:
    """The same weights with a larger claimed error."""

    def __init__(self, weights: Weights, error: float) -> None:
        self._weights, self._error = weights, error
        self.key = weights.key
        self.balls, self.exact = weights.balls, weights.exact

    def floats(self) -> tuple[NDArray[np.float64], float]:
        values, error = self._weights.floats()
        return values, max(error, self._error)


def drawn_counts(draw: Any, *, draws: int, seed: int) -> dict[Any, int]:
    coins: Coins = SeededCoins(seed)
    counts: dict[Any, int] = {}
    for _ in range(draws):
        member = draw(coins)
        counts[member] = counts.get(member, 0) + 1
    return counts


def chi_square_p(counts: dict[Any, int], law: dict[Any, Fraction]) -> float:
    """p-value of observed members against a law; cells with an expectation below 5 are pooled."""
    from scipy.stats import chi2

    draws = sum(counts.values())
    statistic, cells, rest_expected, rest_seen = 0.0, 0, 0.0, 0
    for member, probability in law.items():
        expected = float(probability) * draws
        if expected < 5:
            rest_expected += expected
            rest_seen += counts.get(member, 0)
        else:
            statistic += (counts.get(member, 0) - expected) ** 2 / expected
            cells += 1
    if rest_expected > 0:
        statistic += (rest_seen - rest_expected) ** 2 / rest_expected
        cells += 1
    assert set(counts) <= set(law)
    return float(chi2.sf(statistic, cells - 1))
