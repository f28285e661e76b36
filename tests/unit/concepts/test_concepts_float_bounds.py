"""Proven bounds on float errors, held against errors that are nearly as large as floats make them.

The audit compares floats with fractions after scaling both to the same sum, where most of the error cancels, and would
not notice a bound that is ten times too small. Here the common factor is known, a power of the ratio, and the settings
are the worst of some thousand: each attains a good part of its bound.
"""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from privpac.audit.registry import sample_of, tiny_schema
from privpac.coins import Weights
from privpac.concepts.line.unions import Unions
from privpac.concepts.trees.trees import Trees

Records = list[tuple[int, ...]]


class _Seen(Exception):
    """The weights of the first decision are known."""


class _FirstChoice:
    """Coins that stop at the first decision, to see what would be drawn from."""

    origin = "none"

    def choose(self, weights: Weights) -> int:
        self.weights = weights
        raise _Seen


def first_choice(gibbs: object) -> Weights:
    coins = _FirstChoice()
    with pytest.raises(_Seen):
        gibbs.draw(coins)  # type: ignore[attr-defined]
    return coins.weights


def attained(weights: Weights, ratio: Fraction) -> Fraction:
    """The largest relative error of a float weight, as a share of the bound that is stated."""
    values, error = weights.floats()
    pairs = [(Fraction(float(v)), w) for v, w in zip(values, weights.exact(), strict=True) if w > 0]
    value, exact = max(pairs, key=lambda pair: pair[1])
    factor = ratio ** round(math.log(value / exact) / math.log(ratio))  # how far the exponents were shifted
    return max(abs(value / (exact * factor) - 1) for value, exact in pairs) / Fraction(error)


TREES: dict[str, tuple[Fraction, int, tuple[int, int], str, tuple[int, int], Fraction, Records]] = {
    "one level": (
        Fraction(1, 10),
        1,
        (170, 544),
        "0x1.15eb90b406256p-1",
        (252, 750),
        Fraction(98, 219),
        [(0, 0, 0), (0, 1, 0)],
    ),
    "two levels": (
        Fraction(1, 40),  # the bottom is summed with fewer roundings than the bound allows for
        2,
        (565, 938),
        "0x1.b17f268a11de7p-2",
        (74, 814),
        Fraction(43, 450),
        [(0, 0, 1), (0, 1, 0), (1, 1, 0), (0, 0, 1), (1, 0, 0)],
    ),
}


@pytest.mark.parametrize("name", TREES)
def test_the_bound_of_tree_sums_is_not_far_from_what_happens(name: str) -> None:
    share, depth, labels, ratio, weights, stop, data = TREES[name]
    schema, prior = tiny_schema(2, 2), (Fraction(labels[0]), Fraction(labels[1]))
    trees = Trees(schema, depth, stop=stop, label_prior=prior, weights=weights)
    power = Fraction(float.fromhex(ratio))
    gibbs = trees.gibbs(sample_of(schema, data).reduce(trees.statistic), ratio=power, costs=(1, 1))
    assert share < attained(gibbs.law.node((), depth), power) <= 1


def test_the_bound_of_union_sums_is_at_most_a_hundred_times_what_happens() -> None:
    """Most of it allows for many blocks and changes of scale, of which a small table has few."""
    schema, power = tiny_schema(2), Fraction(float.fromhex("0x1.a435dfa293412p-1"))
    unions = Unions(schema, "a", intervals=1)
    data: Records = [(1, 0), (1, 0), (0, 0), (0, 0)]
    gibbs = unions.gibbs(sample_of(schema, data).reduce(unions.statistic), ratio=power, costs=(1, 2))
    assert Fraction(1, 100) < attained(first_choice(gibbs), power) <= 1
